//! EasyPost through the whole product: recorded answers, given out again by a [`Desk`], become rates, labels, refunds and
//! errors; and whatever goes wrong on the wire, what is bought is bought once.

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::easypost_desk::{Desk, KEY, LABEL, Trouble, failure};
use crate::world::{Reply, World};

/// Rates of one carrier beside the silence of another, and a purchase.
pub const RECORDING: &str = "hist_rate_no_response_then_buy";
pub const SECRET: &str = "s\u{e9}cret";
/// After how long what a look-up does not find was not bought, and after how long a refund is looked at again, in seconds.
const INVISIBLE_SECONDS: i64 = 35;
const REFUND_SECONDS: i64 = 3600;

/// A shop with an account at the desk, and a shipment that is not bought yet.
pub struct Shop {
    pub world: World,
    pub desk: Desk,
    pub account: String,
    pub shipment: String,
}

impl Shop {
    pub async fn open() -> Self {
        Self::with(KEY, 1).await
    }

    async fn with(key: &str, packages: usize) -> Self {
        let (world, desk) = (World::new().await, Desk::open(RECORDING).await);
        let account = account(&world, &desk, key).await;
        let shipment = world.post("/shipments", shipment(packages)).await;
        assert_eq!(shipment.status, 201, "{shipment}");
        let shipment = shipment.json()["id"].as_str().expect("an id").to_owned();
        Self { world, desk, account, shipment }
    }

    pub async fn shown(&self) -> Value {
        self.world.get(format!("/shipments/{}", self.shipment)).await.json()
    }

    /// Does all that is due.
    pub async fn work(&self) {
        self.world.service.work_purchases().await.expect("purchases are worked on");
    }

    /// Asks for something that takes a while, and does not wait for it.
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

    /// Wants to buy the service that was recorded.
    pub async fn order(&self) {
        let rate = self.desk.bought()["selected_rate"].clone();
        let word = |name: &str| rate[name].as_str().expect("a text").to_owned();
        let service = ::carriers::easypost::handle(&word("carrier"), &word("service"));
        self.ask("purchase", Some(json!({"carrier_account": self.account, "carrier_service": service})))
            .await;
    }

    /// Buys it, as nothing goes wrong.
    pub async fn buy(&self) {
        self.order().await;
        self.work().await;
        assert_eq!(self.shown().await["status"], "purchased");
        self.desk.take();
    }

    /// The purchase, as it is shown to those who watch over it.
    async fn attempt(&self) -> Value {
        let list = self.world.get("/purchase_attempts").await.json();
        assert_eq!(list["data"].as_array().map(Vec::len), Some(1), "{list}");
        list["data"][0].clone()
    }
}

pub async fn account(world: &World, desk: &Desk, key: &str) -> String {
    let body = json!({
        "carrier": {"handle": "easypost"},
        "name": "Parcels",
        "configuration": {"url": desk.url()},
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

/// How often something was asked for whose path ends so.
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
    let shop = Shop::open().await;
    let rated = shop.world.request("POST", &format!("/shipments/{}/rates", shop.shipment)).send().await;
    assert_eq!((rated.status.as_u16(), rated.json()["status"].as_str()), (200, Some("rated")), "{rated}");
    let known = shop.desk.known();
    let (rates, errors) = (rated.json()["rates"].clone(), rated.json()["errors"].clone());
    let mut expected: Vec<i64> = known["rates"].as_array().unwrap().iter().map(cents).collect();
    expected.sort_unstable();
    let given: Vec<i64> =
        rates.as_array().unwrap().iter().map(|rate| rate["rate"].as_i64().unwrap()).collect();
    assert_eq!(given, expected);
    assert_eq!(rates[0]["currency_code"], "USD");
    assert_eq!(rates[0]["carrier_account"]["id"], json!(shop.account));
    assert_eq!(errors.as_array().map(Vec::len), known["messages"].as_array().map(Vec::len));
    assert_eq!(
        (&errors[0]["source"], &errors[0]["code"], &errors[0]["message"]),
        (&json!("carrier"), &json!("rates_unavailable"), &json!("UPS: No rate response received."))
    );
    assert_eq!(shop.desk.take(), ["POST /v2/shipments"]);
}

/// The price of a recorded rate, in the smallest unit.
fn cents(rate: &Value) -> i64 {
    let text = rate["rate"].as_str().expect("a price");
    let (whole, part) = text.split_once('.').expect("two decimals");
    whole.parse::<i64>().unwrap() * 100 + part.parse::<i64>().unwrap()
}

#[tokio::test]
async fn a_rate_is_bought_with_its_label_and_number() {
    let shop = Shop::open().await;
    let rated =
        shop.world.request("POST", &format!("/shipments/{}/rates", shop.shipment)).send().await.json();
    shop.desk.take();
    shop.ask("purchase", Some(json!({"rate": rated["rates"][0]["id"]}))).await;
    assert_eq!(shop.desk.take(), Vec::<String>::new(), "a request never waits for a carrier");
    shop.work().await;
    let bought = shop.desk.bought();
    let shown = shop.shown().await;
    assert_eq!(
        (&shown["status"], &shown["tracking_number"]),
        (&json!("purchased"), &bought["tracking_code"])
    );
    assert_eq!(shown["packages"][0]["tracking_number"], bought["tracking_code"]);
    let name = bought["id"].as_str().unwrap();
    let seen = shop.desk.take();
    let path = format!("/v2/shipments/{name}");
    let expected = ["POST /v2/shipments".to_owned(), format!("GET {path}"), format!("POST {path}/buy")];
    assert_eq!(seen[..3], expected);
    assert!(seen.len() == 4 && seen[3].starts_with("GET /files/"), "{seen:?}");
    let document = &shown["documents"][0];
    assert_eq!((&document["type"], &document["file_type"]), (&json!("label"), &json!("image/png")));
    let url = document["file_url"].as_str().unwrap();
    let link = &url[url.find("/files/").expect("a link of ours")..];
    assert_eq!(shop.world.request("GET", link).anonymous().send().await.text, LABEL);
    let attempt = shop.attempt().await;
    assert_eq!(
        (&attempt["state"], &attempt["amount"]),
        (&json!("bought"), &json!(cents(&bought["selected_rate"])))
    );
}

#[tokio::test]
async fn a_refund_that_takes_long_is_asked_for_once() {
    let shop = Shop::open().await;
    shop.buy().await;
    shop.ask("void", None).await;
    shop.work().await;
    assert_eq!(count(&shop.desk.take(), "/refund"), 1);
    // Days pass, and it is looked at, and not asked for again.
    for _ in 0..3 {
        let seen = (shop.shown().await["status"].clone(), shop.attempt().await["state"].clone());
        assert_eq!(seen, (json!("purchased"), json!("voiding")));
        shop.world.advance_seconds(REFUND_SECONDS);
        shop.work().await;
        assert_eq!(shop.desk.take().len(), 1);
    }
    shop.desk.say("refund_status", &json!("refunded"));
    shop.work().await;
    assert_eq!(shop.shown().await["status"], "purchased", "nobody asks before it is time");
    shop.world.advance_seconds(REFUND_SECONDS);
    shop.work().await;
    assert_eq!(shop.shown().await["status"], "voided");
    assert_eq!(count(&shop.desk.take(), "/refund"), 0);
}

#[tokio::test]
async fn a_refund_that_is_rejected_leaves_the_shipment_bought_and_says_why() {
    for (word, why) in
        [("rejected", "The carrier rejected the refund"), ("not_applicable", "nothing to refund")]
    {
        let shop = Shop::open().await;
        shop.buy().await;
        shop.desk.say("refund_status", &json!(word));
        shop.ask("void", None).await;
        shop.work().await;
        let shown = shop.shown().await;
        let error = &shown["errors"][0];
        assert_eq!(shown["status"], "purchased");
        assert_eq!((&error["type"], &error["source"]), (&json!("void_error"), &json!("carrier")));
        assert!(error["message"].as_str().unwrap().contains(why), "{error}");
        assert_eq!(count(&shop.desk.take(), "/refund"), 0);
    }
}

#[tokio::test]
async fn what_is_declined_is_told_in_the_carriers_words() {
    let shop = Shop::open().await;
    let words = "Your account has a negative balance.";
    shop.desk.trouble([Trouble::Refuses(422, failure("SHIPMENT.POSTAGE.FAILURE", words))]);
    shop.order().await;
    shop.work().await;
    let shown = shop.shown().await;
    let error = &shown["errors"][0];
    assert_eq!(shown["status"], "purchase_failed");
    assert_eq!(
        (&error["type"], &error["code"], &error["source"], &error["message"]),
        (&json!("purchase_error"), &json!("purchase_declined"), &json!("carrier"), &json!(words))
    );
    // Whoever has paid their bill buys it after all.
    shop.order().await;
    shop.work().await;
    assert_eq!(shop.shown().await["status"], "purchased");
    assert_eq!((shop.desk.purchases(), shop.shown().await["errors"].clone()), (1, json!([])));
}

#[tokio::test]
async fn a_lost_answer_is_looked_up_and_nothing_is_bought_twice() {
    for trouble in [Trouble::LostAfter, Trouble::FailsAfter(500), Trouble::FailsAfter(503)] {
        let shop = Shop::open().await;
        shop.desk.trouble([trouble]);
        shop.order().await;
        shop.work().await;
        let shown = shop.shown().await;
        assert_eq!((&shown["status"], &shown["errors"]), (&json!("purchased"), &json!([])));
        assert_eq!(shown["tracking_number"], shop.desk.bought()["tracking_code"]);
        let seen = shop.desk.take();
        assert_eq!((count(&seen, "/buy"), shop.desk.purchases()), (1, 1), "{seen:?}");
    }
}

#[tokio::test]
async fn what_never_arrived_is_bought_once_that_is_certain() {
    let refused = || Trouble::Refuses(503, failure("", "Service unavailable"));
    for trouble in [Trouble::LostBefore, refused()] {
        let shop = Shop::open().await;
        shop.desk.trouble([trouble]);
        shop.order().await;
        shop.work().await;
        // It was looked up, and is not there; but it may have been on its way.
        assert_eq!(shop.shown().await["status"], "purchasing");
        assert_eq!((count(&shop.desk.take(), "/buy"), shop.desk.purchases()), (1, 0));
        shop.world.advance_seconds(INVISIBLE_SECONDS);
        shop.work().await;
        assert_eq!(shop.shown().await["status"], "purchased");
        assert_eq!((count(&shop.desk.take(), "/buy"), shop.desk.purchases()), (1, 1));
    }
}

#[tokio::test]
async fn a_busy_carrier_is_asked_again_later() {
    let shop = Shop::open().await;
    shop.desk.trouble([Trouble::Refuses(429, failure("", "Too many requests"))]);
    shop.order().await;
    shop.work().await;
    assert_eq!(shop.shown().await["status"], "purchasing");
    shop.world.advance_seconds(1);
    shop.work().await;
    assert_eq!((shop.shown().await["status"].clone(), shop.desk.purchases()), (json!("purchased"), 1));
}

#[tokio::test]
async fn a_wrong_key_is_told_and_harms_nothing() {
    let shop = Shop::with("EZTKother", 1).await;
    let rated =
        shop.world.request("POST", &format!("/shipments/{}/rates", shop.shipment)).send().await.json();
    let error = &rated["errors"][0];
    assert_eq!((&error["code"], &error["source"]), (&json!("credentials_invalid"), &json!("carrier")));
    assert_eq!(error["message"], "Parcels: This api key is no longer active.");
    shop.order().await;
    shop.work().await;
    let shown = shop.shown().await;
    assert_eq!(
        (&shown["status"], &shown["errors"][0]["code"]),
        (&json!("purchase_failed"), &json!("credentials_invalid"))
    );
    assert_eq!((count(&shop.desk.take(), "/buy"), shop.desk.purchases()), (0, 0));
}

#[tokio::test]
async fn several_packages_are_refused_before_easypost_hears_of_them() {
    let shop = Shop::with(KEY, 2).await;
    let rated =
        shop.world.request("POST", &format!("/shipments/{}/rates", shop.shipment)).send().await.json();
    let error = &rated["errors"][0];
    assert_eq!((&error["code"], &error["source"]), (&json!("service_unavailable"), &json!("provider")));
    assert!(error["message"].as_str().unwrap().contains("make a shipment of each package"), "{error}");
    shop.order().await;
    shop.work().await;
    let shown = shop.shown().await;
    assert_eq!(
        (&shown["status"], &shown["errors"][0]["code"]),
        (&json!("purchase_failed"), &json!("service_unavailable"))
    );
    assert_eq!(shop.desk.take(), Vec::<String>::new());
}
