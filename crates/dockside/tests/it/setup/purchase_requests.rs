//! Requests to buy shipments in the test world, where the destination's post code tells the sandbox carrier what to do.
//! Tests run the purchases by hand, and compare them with that carrier's ledger.

use api::Limits;
use model::World as Mode;
use serde_json::{Value, json};
use service::Settings;
use store::shipping::sandbox_entries;

use crate::setup::populated_organisation::parcel;
use crate::setup::world::{Reply, World};

/// A carrier's ledger of one shipment.
#[derive(Debug, PartialEq, Eq)]
pub struct CarrierCharges {
    /// How often the carrier charged, and voided.
    pub charges: usize,
    pub voids: usize,
    /// The amount that was charged and not voided.
    pub net: i64,
}

/// Returns a shipment with this word as post code of its destination, which the sandbox carrier obeys.
pub fn parcel_to(word: &str) -> Value {
    let mut body = parcel();
    body["addresses"]["destination"]["address"]["post_code"] = json!(word);
    body
}

/// Returns a service of the account that every test world has.
pub fn service(handle: &str) -> Value {
    json!({"carrier_account": "sandbox", "carrier_service": handle})
}

impl World {
    /// Returns a world whose token is of the test world.
    pub async fn rehearsal() -> Self {
        Self::rehearsal_with(|_| {}).await
    }

    pub async fn rehearsal_with(change: impl FnOnce(&mut Settings)) -> Self {
        let mut world = Self::with(Limits::default(), change).await;
        world.token = world.token_for("Acme", "*", Mode::Test).await;
        world
    }

    /// Makes a shipment and gives its path.
    pub async fn shipment(&self, body: Value) -> String {
        let reply = self.post("/shipments", body).await;
        assert_eq!(reply.status, 201, "{reply}");
        reply.header("location").to_owned()
    }

    /// Asks for the rates of a shipment.
    pub async fn rate(&self, path: &str) -> Value {
        let reply = self.request("POST", &format!("{path}/rates")).send().await;
        assert_eq!(reply.status, 200, "{reply}");
        reply.json()
    }

    /// Requests a purchase or another long operation without waiting for it.
    pub async fn begin(&self, path: &str, body: Option<Value>) -> Reply {
        let request = self.request("POST", path).header("prefer", "respond-async");
        match body {
            Some(body) => request.json(body).send().await,
            None => request.send().await,
        }
    }

    /// Works on everything that is due.
    pub async fn work(&self) {
        self.service.work_purchases().await.expect("purchases are worked on");
    }

    /// Lets time pass, second by second, and works on everything that becomes due.
    pub async fn work_for(&self, seconds: usize) {
        for _ in 0..seconds {
            self.advance_seconds(1);
            self.work().await;
        }
    }

    /// Buys a shipment with the standard service, as far as that goes at once.
    pub async fn buy(&self, path: &str) -> Value {
        let begun = self.begin(&format!("{path}/purchase"), Some(service("standard"))).await;
        assert_eq!(begun.status, 202, "{begun}");
        self.work().await;
        self.get(path).await.json()
    }

    /// The purchase of a shipment.
    pub async fn attempt(&self, path: &str) -> Value {
        let all = self.get("/purchase_attempts?limit=100").await.json();
        let id = path.rsplit('/').next().expect("an id");
        let mut found = all["data"].as_array().expect("a list").iter();
        found.find(|attempt| attempt["shipment_id"] == id).expect("an attempt").clone()
    }

    /// What the sandbox carrier's books say of a shipment.
    pub async fn carrier_charges(&self, path: &str) -> CarrierCharges {
        let (charged, voided) = self.carrier_amounts(path).await;
        let net = charged.iter().sum::<i64>() - voided.iter().sum::<i64>();
        CarrierCharges { charges: charged.len(), voids: voided.len(), net }
    }

    /// The amounts that the sandbox carrier charged for a shipment, and those that it gave back, according to its books.
    pub async fn carrier_amounts(&self, path: &str) -> (Vec<i64>, Vec<i64>) {
        let (owner, id) = (self.owner(), path.rsplit('/').next().expect("an id").to_owned());
        let read = self.db.write(owner, async move |tx| sandbox_entries::all(tx, owner, &id).await);
        let (mut charged, mut voided) = (Vec::new(), Vec::new());
        for doc in read.await.expect("the books") {
            let entry: Value = serde_json::from_str(&doc).expect("JSON");
            let amount = entry["amount"].as_i64().unwrap_or_default();
            match entry["entry"].as_str() {
                Some("charged") => charged.push(amount),
                Some("voided") => voided.push(amount),
                _ => {}
            }
        }
        (charged, voided)
    }

    /// The types of the events about a resource, in order.
    pub async fn story(&self, path: &str) -> Vec<String> {
        let id = path.rsplit('/').next().expect("an id");
        self.relay().await;
        let list = self.get(format!("/events?resource_id={id}&limit=100")).await.json();
        let mut types: Vec<String> = list["data"].as_array().expect("a list").iter().map(type_of).collect();
        types.reverse();
        types
    }

    /// The newest event of a type.
    pub async fn newest_event(&self, r#type: &str) -> Value {
        self.relay().await;
        self.get(format!("/events?type={type}&limit=1")).await.json()["data"][0].clone()
    }
}

fn type_of(event: &Value) -> String {
    event["type"].as_str().expect("a type").to_owned()
}

/// The errors of a shipment, without their sentences.
pub fn errors(shipment: &Value) -> Vec<[String; 3]> {
    let word = |error: &Value, name: &str| error[name].as_str().expect("a word").to_owned();
    let errors = shipment["errors"].as_array().expect("a list").iter();
    errors.map(|error| ["type", "code", "source"].map(|name| word(error, name))).collect()
}
