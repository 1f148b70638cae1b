//! A shipping origin from which parcels are handed over: a location, what is bought to leave from there, and its manifests.

use serde_json::{Value, json};

use crate::setup::purchase_requests::parcel_to;
use crate::setup::world::{Reply, World};

/// A location, and the configuration with which shipments leave from it.
pub struct ShippingOrigin {
    pub location: String,
    pub configuration: String,
}

impl ShippingOrigin {
    pub async fn new(world: &World) -> Self {
        let (configuration, location, _) = world.configuration("Ramp").await;
        Self { location, configuration }
    }

    /// A shipment from here to where the sandbox carrier reads this word.
    pub fn parcel(&self, word: &str) -> Value {
        let mut body = parcel_to(word);
        body["addresses"].as_object_mut().unwrap().remove("origin");
        body["addresses"]["location_configuration_id"] = json!(self.configuration);
        body
    }

    /// Buys a shipment from here; gives its id.
    pub async fn bought(&self, world: &World, word: &str) -> String {
        world.bought(self.parcel(word)).await
    }

    /// Asks to close out the day, and does not wait.
    pub async fn begin(&self, world: &World) -> Reply {
        world.begin("/manifests", Some(json!({"location": self.location}))).await
    }

    /// Closes out the day, and gives the manifests once nothing is under way.
    pub async fn close(&self, world: &World) -> Vec<Value> {
        let begun = self.begin(world).await;
        assert!([200, 202].contains(&begun.status.as_u16()), "{begun}");
        world.service.manifests.work().await.unwrap();
        let ids = begun.ids();
        let mut manifests = Vec::new();
        for id in ids {
            manifests.push(world.get(format!("/manifests/{id}")).await.json());
        }
        manifests
    }
}

impl World {
    /// Buys a shipment; gives its id.
    pub async fn bought(&self, body: Value) -> String {
        let path = self.shipment(body).await;
        assert_eq!(self.buy(&path).await["status"], "purchased");
        path.trim_start_matches("/shipments/").to_owned()
    }

    /// Lets time pass, second by second, and works on the manifests that become due.
    pub async fn manifest_for(&self, seconds: usize) {
        for _ in 0..seconds {
            self.advance_seconds(1);
            self.service.manifests.work().await.unwrap();
        }
    }

    /// Puts shipments into a batch with this status.
    pub async fn standing_batch(&self, status: &str, shipments: &[String]) -> String {
        let batch = self.post("/batches", json!({})).await;
        assert_eq!(batch.status, 201, "{batch}");
        let id = batch.json()["id"].as_str().unwrap().to_owned();
        let count = shipments.len();
        let ids: Vec<String> = shipments.iter().map(|id| format!("'{id}'")).collect();
        let fill = match count {
            0 => String::new(),
            _ => format!("UPDATE shipment SET batch_id = '{id}' WHERE id IN ({});", ids.join(",")),
        };
        self.tamper(&format!(
            "{fill} UPDATE batch SET status = '{status}', shipments_count = {count}, purchased_count = {count},
             packages_count = {count} WHERE id = '{id}';"
        ))
        .await;
        id
    }
}

/// The strings in a list.
pub fn strings(list: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    list.as_array().unwrap().iter().map(text).collect()
}

/// The shipments of manifests, by manifest.
pub fn lists(manifests: &[Value]) -> Vec<Vec<String>> {
    manifests.iter().map(|manifest| strings(&manifest["shipments"])).collect()
}

/// The statuses of manifests.
pub fn statuses(manifests: &[Value]) -> Vec<String> {
    manifests.iter().map(|manifest| manifest["status"].as_str().unwrap().to_owned()).collect()
}
