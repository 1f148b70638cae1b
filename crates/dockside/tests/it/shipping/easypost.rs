//! EasyPost through the whole product: recorded answers, given out again by a [`EasyPostServer`], become rates, labels, refunds and
//! errors; and whatever goes wrong on the wire, what is bought is bought once.

use std::fmt::Write as _;

use api::Limits;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use testkit::easypost_recordings::{KEY, LABEL, failure};

use crate::setup::easypost_server::{EasyPostServer, PurchaseFault};
use crate::setup::purchase_requests::parcel_to;
use crate::setup::world::{Reply, World};

/// A recording in which one carrier offers rates and another does not answer, and a purchase.
pub const RECORDING: &str = "hist_rate_no_response_then_buy";
pub const SECRET: &str = "s\u{e9}cret";
/// A purchase that a look-up does not find after the first time was not made. A refund is checked again after the second.
/// Both are in seconds.
const INVISIBLE_SECONDS: i64 = 35;
const REFUND_SECONDS: i64 = 3600;

/// A setup with an account at the server, and a shipment that is not bought yet.
pub struct EasyPostSetup {
    pub world: World,
    pub server: EasyPostServer,
    pub account: String,
    pub shipment: String,
}

impl EasyPostSetup {
    pub async fn open() -> Self {
        Self::with(KEY, 1).await
    }

    async fn with(key: &str, packages: usize) -> Self {
        let server = EasyPostServer::open(RECORDING).await;
        let world = World::with(Limits::default(), |settings| {
            settings.carriers.urls.insert("easypost".to_owned(), server.url());
        });
        Self::at(world.await, server, key, packages).await
    }

    /// The same in the test world.
    async fn rehearsal() -> Self {
        let server = EasyPostServer::open(RECORDING).await;
        let world = World::rehearsal_with(|settings| {
            settings.carriers.urls.insert("easypost".to_owned(), server.url());
        });
        Self::at(world.await, server, KEY, 1).await
    }

    async fn at(world: World, server: EasyPostServer, key: &str, packages: usize) -> Self {
        let account = account(&world, key).await;
        let shipment = world.post("/shipments", shipment(packages)).await;
        assert_eq!(shipment.status, 201, "{shipment}");
        let shipment = shipment.json()["id"].as_str().expect("an id").to_owned();
        Self { world, server, account, shipment }
    }

    /// Creates another shipment, and returns its id.
    pub async fn another(&self) -> String {
        let made = self.world.post("/shipments", shipment(1)).await;
        assert_eq!(made.status, 201, "{made}");
        made.json()["id"].as_str().expect("an id").to_owned()
    }

    pub async fn shown(&self) -> Value {
        self.world.get(format!("/shipments/{}", self.shipment)).await.json()
    }

    /// Works on everything that is due.
    pub async fn work(&self) {
        self.world.service.work_purchases().await.expect("purchases are worked on");
    }

    /// Requests an operation without waiting for it.
    pub async fn ask(&self, what: &str, body: Option<Value>) -> Reply {
        let path = format!("/shipments/{}/{what}", self.shipment);
        let request = self.world.request("POST", &path).header("prefer", "respond-async");
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        let reply = request.send().await;
        assert_eq!(reply.status, 202, "{reply}");
        reply
    }

    /// The service in the recorded answers.
    pub fn recorded_service(&self) -> String {
        let rate = self.server.bought()["selected_rate"].clone();
        let word = |name: &str| rate[name].as_str().expect("a text").to_owned();
        ::carriers::easypost::handle(&word("carrier"), &word("service"))
    }

    /// Requests a purchase of the service in the recorded answers.
    pub async fn order(&self) {
        self.order_service(&self.recorded_service()).await;
    }

    pub async fn order_service(&self, service: &str) {
        self.ask("purchase", Some(json!({"carrier_account": self.account, "carrier_service": service})))
            .await;
    }

    /// Buys it, and expects success.
    pub async fn buy(&self) {
        self.order().await;
        self.work().await;
        assert_eq!(self.shown().await["status"], "purchased");
        self.server.take();
    }

    /// Changes where the shipment goes.
    pub async fn change(&self) {
        let address = json!({"line_1": "180 N Harbor Dr"});
        let patch = json!({"addresses": {"destination": {"address": address}}});
        let reply = self.world.patch(format!("/shipments/{}", self.shipment), patch).await;
        assert_eq!(reply.status, 200, "{reply}");
    }

    /// Returns the purchase attempt as the API shows it.
    pub async fn attempt(&self) -> Value {
        let list = self.world.get("/purchase_attempts").await.json();
        assert_eq!(list["data"].as_array().map(Vec::len), Some(1), "{list}");
        list["data"][0].clone()
    }
}

pub async fn account(world: &World, key: &str) -> String {
    let body = json!({
        "carrier": {"handle": "easypost"},
        "name": "Parcels",
        "credentials": {"api_key": key, "webhook_secret": SECRET},
    });
    let account = world.post("/carrier_accounts", body).await;
    assert_eq!(account.status, 201, "{account}");
    assert!(!account.text.contains(KEY) && !account.text.contains(SECRET), "{account}");
    account.json()["id"].as_str().expect("an id").to_owned()
}

fn shipment(packages: usize) -> Value {
    let place = |line: &str, city: &str, code: &str| {
        json!({"address": {"line_1": line, "city": city, "province": "CA", "post_code": code, "country_code": "US"},
            "contact": {"name": "Elizabeth Swan", "phone_number": "5555555555"}})
    };
    let package = json!({"geometry": {"length": 25, "width": 20, "height": 10, "mass": 0.4}});
    json!({
        "addresses": {
            "origin": place("417 Montgomery Street", "San Francisco", "94104"),
            "destination": place("179 N Harbor Dr", "Redondo Beach", "90277"),
        },
        "packages": vec![package; packages],
    })
}

/// Counts the requests whose path ends with this text.
fn count(seen: &[String], end: &str) -> usize {
    seen.iter().filter(|one| one.ends_with(end)).count()
}

/// EasyPost's signature of a body.
pub fn signature(secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
    mac.update(body);
    let mut text = "hmac-sha256-hex=".to_owned();
    for byte in mac.finalize().into_bytes() {
        write!(text, "{byte:02x}").expect("a text takes it");
    }
    text
}

#[tokio::test]
async fn rates_come_with_what_the_silent_carriers_said() {
    let setup = EasyPostSetup::open().await;
    let rated = setup.world.request("POST", &format!("/shipments/{}/rates", setup.shipment)).send().await;
    assert_eq!((rated.status.as_u16(), rated.json()["status"].as_str()), (200, Some("rated")), "{rated}");
    let known = setup.server.known();
    let (rates, errors) = (rated.json()["rates"].clone(), rated.json()["errors"].clone());
    let mut expected: Vec<i64> = known["rates"].as_array().unwrap().iter().map(cents).collect();
    expected.sort_unstable();
    let given: Vec<i64> =
        rates.as_array().unwrap().iter().map(|rate| rate["rate"].as_i64().unwrap()).collect();
    assert_eq!(given, expected);
    assert_eq!(rates[0]["currency_code"], "USD");
    assert_eq!(rates[0]["carrier_account"]["id"], json!(setup.account));
    assert_eq!(errors.as_array().map(Vec::len), known["messages"].as_array().map(Vec::len));
    assert_eq!(
        (&errors[0]["source"], &errors[0]["code"], &errors[0]["message"]),
        (&json!("carrier"), &json!("rates_unavailable"), &json!("UPS: No rate response received."))
    );
    assert_eq!(setup.server.take(), ["POST /v2/shipments"]);
}

/// The price of a recorded rate, in the smallest unit.
fn cents(rate: &Value) -> i64 {
    let text = rate["rate"].as_str().expect("a price");
    let (whole, part) = text.split_once('.').expect("two decimals");
    whole.parse::<i64>().unwrap() * 100 + part.parse::<i64>().unwrap()
}

#[tokio::test]
async fn a_rate_is_bought_with_its_label_and_number() {
    let setup = EasyPostSetup::open().await;
    let rated =
        setup.world.request("POST", &format!("/shipments/{}/rates", setup.shipment)).send().await.json();
    setup.server.take();
    setup.ask("purchase", Some(json!({"rate": rated["rates"][0]["id"]}))).await;
    assert_eq!(setup.server.take(), Vec::<String>::new(), "a request never waits for a carrier");
    setup.work().await;
    let bought = setup.server.bought();
    let shown = setup.shown().await;
    assert_eq!(
        (&shown["status"], &shown["tracking_number"]),
        (&json!("purchased"), &bought["tracking_code"])
    );
    assert_eq!(shown["packages"][0]["tracking_number"], bought["tracking_code"]);
    let name = bought["id"].as_str().unwrap();
    let seen = setup.server.take();
    let path = format!("/v2/shipments/{name}");
    let expected = ["POST /v2/shipments".to_owned(), format!("GET {path}"), format!("POST {path}/buy")];
    assert_eq!(seen[..3], expected);
    assert!(seen.len() == 4 && seen[3].starts_with("GET /files/"), "{seen:?}");
    let document = &shown["documents"][0];
    assert_eq!((&document["type"], &document["file_type"]), (&json!("label"), &json!("image/png")));
    let url = document["file_url"].as_str().unwrap();
    let link = &url[url.find("/files/").expect("a link of ours")..];
    assert_eq!(setup.world.request("GET", link).anonymous().send().await.text, LABEL);
    let attempt = setup.attempt().await;
    assert_eq!(
        (&attempt["state"], &attempt["amount"]),
        (&json!("bought"), &json!(cents(&bought["selected_rate"])))
    );
}

#[tokio::test]
async fn in_the_test_world_easypost_sells_for_a_test_key() {
    let setup = EasyPostSetup::rehearsal().await;
    setup.buy().await;
    let shown = setup.shown().await;
    assert_eq!(shown["tracking_number"], setup.server.bought()["tracking_code"], "{shown}");
    // The sandbox's account is in the same world, and its parcels travel faster.
    setup.server.take();
    for _ in 0..20 {
        setup.world.advance_seconds(2);
        setup.work().await;
    }
    let path = setup.world.shipment(parcel_to("SBX-TRACK-DELIVERED")).await;
    assert_eq!(setup.world.buy(&path).await["status"], "purchased");
    assert_eq!(
        count(&setup.server.take(), setup.server.bought()["id"].as_str().unwrap()),
        0,
        "tracked too often"
    );
}

#[tokio::test]
async fn a_refund_that_takes_long_is_asked_for_once() {
    let setup = EasyPostSetup::open().await;
    setup.buy().await;
    setup.ask("void", None).await;
    setup.work().await;
    assert_eq!(count(&setup.server.take(), "/refund"), 1);
    // Time passes: the server checks the refund, and does not request it again.
    for _ in 0..3 {
        let seen = (setup.shown().await["status"].clone(), setup.attempt().await["state"].clone());
        assert_eq!(seen, (json!("purchased"), json!("voiding")));
        setup.world.advance_seconds(REFUND_SECONDS);
        setup.work().await;
        assert_eq!(setup.server.take().len(), 1);
    }
    setup.server.say("refund_status", &json!("refunded"));
    setup.work().await;
    assert_eq!(setup.shown().await["status"], "purchased", "the refund is asked for before it is due");
    setup.world.advance_seconds(REFUND_SECONDS);
    setup.work().await;
    assert_eq!(setup.shown().await["status"], "voided");
    assert_eq!(count(&setup.server.take(), "/refund"), 0);
}

#[tokio::test]
async fn a_refund_that_is_rejected_leaves_the_shipment_bought_and_says_why() {
    for (word, why) in
        [("rejected", "The carrier rejected the refund"), ("not_applicable", "nothing to refund")]
    {
        let setup = EasyPostSetup::open().await;
        setup.buy().await;
        setup.server.say("refund_status", &json!(word));
        setup.ask("void", None).await;
        setup.work().await;
        let shown = setup.shown().await;
        let error = &shown["errors"][0];
        assert_eq!(shown["status"], "purchased");
        assert_eq!((&error["type"], &error["source"]), (&json!("void_error"), &json!("carrier")));
        assert!(error["message"].as_str().unwrap().contains(why), "{error}");
        assert_eq!(count(&setup.server.take(), "/refund"), 0);
    }
}

#[tokio::test]
async fn what_is_declined_is_told_in_the_carriers_words() {
    let setup = EasyPostSetup::open().await;
    let words = "Your account has a negative balance.";
    setup.server.trouble([PurchaseFault::Refuses(422, failure("SHIPMENT.POSTAGE.FAILURE", words))]);
    setup.order().await;
    setup.work().await;
    let shown = setup.shown().await;
    let error = &shown["errors"][0];
    assert_eq!(shown["status"], "purchase_failed");
    assert_eq!(
        (&error["type"], &error["code"], &error["source"], &error["message"]),
        (&json!("purchase_error"), &json!("purchase_declined"), &json!("carrier"), &json!(words))
    );
    // After the merchant has paid the bill, the same shipment can be bought.
    setup.order().await;
    setup.work().await;
    assert_eq!(setup.shown().await["status"], "purchased");
    assert_eq!((setup.server.purchases(), setup.shown().await["errors"].clone()), (1, json!([])));
}

#[tokio::test]
async fn a_lost_answer_is_looked_up_and_nothing_is_bought_twice() {
    for trouble in [PurchaseFault::LostAfter, PurchaseFault::FailsAfter(500), PurchaseFault::FailsAfter(503)]
    {
        let setup = EasyPostSetup::open().await;
        setup.server.trouble([trouble]);
        setup.order().await;
        setup.work().await;
        let shown = setup.shown().await;
        assert_eq!((&shown["status"], &shown["errors"]), (&json!("purchased"), &json!([])));
        assert_eq!(shown["tracking_number"], setup.server.bought()["tracking_code"]);
        let seen = setup.server.take();
        assert_eq!((count(&seen, "/buy"), setup.server.purchases()), (1, 1), "{seen:?}");
    }
}

#[tokio::test]
async fn what_never_arrived_is_bought_once_that_is_certain() {
    let refused = || PurchaseFault::Refuses(503, failure("", "Service unavailable"));
    for trouble in [PurchaseFault::LostBefore, refused()] {
        let setup = EasyPostSetup::open().await;
        setup.server.trouble([trouble]);
        setup.order().await;
        setup.work().await;
        // The look-up does not find it, but its request may still have been in transit.
        assert_eq!(setup.shown().await["status"], "purchasing");
        assert_eq!((count(&setup.server.take(), "/buy"), setup.server.purchases()), (1, 0));
        setup.world.advance_seconds(INVISIBLE_SECONDS);
        setup.work().await;
        assert_eq!(setup.shown().await["status"], "purchased");
        assert_eq!((count(&setup.server.take(), "/buy"), setup.server.purchases()), (1, 1));
    }
}

#[tokio::test]
async fn a_busy_carrier_is_asked_again_later() {
    let setup = EasyPostSetup::open().await;
    setup.server.trouble([PurchaseFault::Refuses(429, failure("", "Too many requests"))]);
    setup.order().await;
    setup.work().await;
    assert_eq!(setup.shown().await["status"], "purchasing");
    // The purchase may have been made despite the 429, so the server looks it up first.
    assert_eq!(setup.attempt().await["state"], "checking");
    setup.world.advance_seconds(INVISIBLE_SECONDS);
    setup.work().await;
    assert_eq!((setup.shown().await["status"].clone(), setup.server.purchases()), (json!("purchased"), 1));
}

#[tokio::test]
async fn a_wrong_key_is_told_and_harms_nothing() {
    let setup = EasyPostSetup::with("EZTKother", 1).await;
    let rated =
        setup.world.request("POST", &format!("/shipments/{}/rates", setup.shipment)).send().await.json();
    let error = &rated["errors"][0];
    assert_eq!((&error["code"], &error["source"]), (&json!("credentials_invalid"), &json!("carrier")));
    assert_eq!(error["message"], "Parcels: This api key is no longer active.");
    setup.order().await;
    setup.work().await;
    let shown = setup.shown().await;
    assert_eq!(
        (&shown["status"], &shown["errors"][0]["code"]),
        (&json!("purchase_failed"), &json!("credentials_invalid"))
    );
    assert_eq!((count(&setup.server.take(), "/buy"), setup.server.purchases()), (0, 0));
}

#[tokio::test]
async fn several_packages_are_refused_before_easypost_hears_of_them() {
    let setup = EasyPostSetup::with(KEY, 2).await;
    let rated =
        setup.world.request("POST", &format!("/shipments/{}/rates", setup.shipment)).send().await.json();
    let error = &rated["errors"][0];
    assert_eq!((&error["code"], &error["source"]), (&json!("service_unavailable"), &json!("provider")));
    assert!(error["message"].as_str().unwrap().contains("make a shipment of each package"), "{error}");
    setup.order().await;
    setup.work().await;
    let shown = setup.shown().await;
    assert_eq!(
        (&shown["status"], &shown["errors"][0]["code"]),
        (&json!("purchase_failed"), &json!("service_unavailable"))
    );
    assert_eq!(setup.server.take(), Vec::<String>::new());
}
