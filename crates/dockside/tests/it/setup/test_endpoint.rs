//! A webhook endpoint in the world, with a receiver behind it; and deliveries, which tests run by hand.

use serde_json::{Value, json};

use crate::setup::receiver::{Answer, Receiver};
use crate::setup::world::{Reply, World};

pub const ENDPOINTS: &str = "/webhook_endpoints";

/// An endpoint and its receiver.
pub struct TestEndpoint {
    pub receiver: Receiver,
    pub id: String,
    /// Of the endpoint in the API.
    pub path: String,
    pub secret: String,
}

impl TestEndpoint {
    /// Makes an endpoint that gets all events.
    pub async fn new(world: &World) -> Self {
        Self::with(world, json!({})).await
    }

    /// Makes an endpoint with these fields beside its URL.
    pub async fn with(world: &World, mut body: Value) -> Self {
        let receiver = Receiver::new().await;
        body["url"] = json!(receiver.url("/hook"));
        let made = world.endpoint(body).await;
        let text = |name: &str| made[name].as_str().expect("a text").to_owned();
        Self { receiver, id: text("id"), path: format!("{ENDPOINTS}/{}", text("id")), secret: text("secret") }
    }

    /// The endpoint as the API shows it.
    pub async fn shown(&self, world: &World) -> Value {
        world.get(&self.path).await.json()
    }

    /// Its deliveries, oldest first.
    pub async fn deliveries(&self, world: &World) -> Vec<Value> {
        let page = world.get(format!("{}/deliveries?limit=100", self.path)).await;
        assert_eq!((page.status.as_u16(), page.json()["next_cursor"].as_str()), (200, None), "{page}");
        let mut deliveries = page.json()["data"].as_array().expect("a list").clone();
        deliveries.reverse();
        deliveries
    }

    /// Its only delivery.
    pub async fn delivery(&self, world: &World) -> Value {
        let mut deliveries = self.deliveries(world).await;
        assert_eq!(deliveries.len(), 1, "{deliveries:?}");
        deliveries.remove(0)
    }

    /// The path of a delivery.
    pub fn path_of(&self, delivery: &Value) -> String {
        format!("{}/deliveries/{}", self.path, delivery["id"].as_str().expect("an id"))
    }

    /// Answers every request with this status.
    pub fn answers(&self, status: u16) {
        self.receiver.answer(Answer::status(status));
    }

    pub async fn patch(&self, world: &World, patch: Value) -> Value {
        let reply = world.patch(&self.path, patch).await;
        assert_eq!(reply.status, 200, "{reply}");
        reply.json()
    }
}

impl World {
    /// Provisions the organisation, so that it can have webhook endpoints.
    pub async fn provision(&self) {
        assert_eq!(self.request("POST", "/events/provision").send().await.status, 204);
    }

    /// Makes an endpoint, which gets the events from now on. Returns it with its secret.
    pub async fn endpoint(&self, body: Value) -> Value {
        self.provision().await;
        // Number earlier events first, so that the endpoint's cursor starts after them on both engines.
        self.relay().await;
        let reply = self.post(ENDPOINTS, body).await;
        assert_eq!(reply.status, 201, "{reply}");
        reply.json()
    }

    /// Sends all deliveries that are due by the test's clock.
    pub async fn deliver(&self) {
        self.relay().await;
        self.service.delivery.work().await.expect("deliveries run");
    }

    /// Sends a request without a body, and expects success.
    pub async fn act(&self, path: &str) -> Reply {
        let reply = self.request("POST", path).send().await;
        assert!(reply.status.is_success(), "{path}: {reply}");
        reply
    }

    /// Makes so many locations, and with each an event.
    pub async fn happen(&self, count: usize) {
        for number in 0..count {
            self.location(&format!("Depot {number}")).await;
        }
    }
}

/// A moment of a document, in microseconds.
pub fn micros(value: &Value) -> i64 {
    let text = value.as_str().unwrap_or_else(|| panic!("no moment: {value}"));
    model::Timestamp::parse(text).expect("a moment").as_micros()
}

/// The status of each delivery.
pub fn statuses(deliveries: &[Value]) -> Vec<&str> {
    deliveries.iter().map(|delivery| delivery["status"].as_str().expect("a status")).collect()
}
