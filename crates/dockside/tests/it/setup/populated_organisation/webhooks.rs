//! Webhook endpoints and deliveries of the organisation.

use serde_json::json;

use super::PopulatedOrganisation;
use crate::setup::world::World;

impl PopulatedOrganisation {
    /// Makes two webhook endpoints at a port without a listener. The second gets the events from here on. Deprovisioning
    /// deletes the endpoints of an earlier call for the same organisation, because their number is limited.
    pub(super) async fn populate_webhooks(&mut self, world: &World) {
        for path in ["/events/deprovision", "/events/provision"] {
            assert_eq!(world.request("POST", path).token(&self.token).send().await.status, 204);
        }
        world.relay().await;
        let body = self.body_of("create_webhook_endpoint");
        let quiet = self.create(world, "/webhook_endpoints", body).await;
        self.keep("we", &self.create(world, "/webhook_endpoints", json!({"url": quiet["url"]})).await);
    }

    /// Delivers the first events, and keeps one delivery.
    pub(super) async fn populate_deliveries(&mut self, world: &World) {
        world.service.delivery.work().await.expect("deliveries run");
        let path = format!("/webhook_endpoints/{}/deliveries", self.ids["we"]);
        let list = world.request("GET", &path).token(&self.token).send().await.json();
        self.keep("whd", &list["data"][0]);
    }
}
