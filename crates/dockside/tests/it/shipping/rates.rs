//! Rates: all usable accounts are asked at once, what one of them lacks the others say, and none waits for the slowest.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::setup::populated_organisation::parcel;
use crate::setup::purchase_requests::{errors, parcel_to, service};
use crate::setup::receiver::{Answer, Gate, Receiver};
use crate::setup::stock_requests::{refusal, texts};
use crate::setup::world::World;

/// A further account with the sandbox carrier; gives its id.
async fn account(world: &World, body: Value) -> String {
    let mut account = json!({"carrier": {"handle": "sandbox"}, "name": "Another"});
    account.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    let reply = world.post("/carrier_accounts", account).await;
    assert_eq!(reply.status, 201, "{reply}");
    reply.json()["id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn rates_are_kept_with_the_shipment_the_cheapest_first() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    let rated = world.rate(&path).await;
    assert_eq!((rated["status"].as_str(), errors(&rated).len()), (Some("rated"), 0));
    assert_eq!(texts(&rated["rates"], "/carrier_service/handle"), ["economy", "standard", "express"]);
    let amounts: Vec<i64> =
        rated["rates"].as_array().unwrap().iter().map(|rate| rate["rate"].as_i64().unwrap()).collect();
    assert!(amounts.is_sorted() && amounts[0] > 0, "{amounts:?}");
    let rate = &rated["rates"][0];
    assert_eq!(
        (rate["currency_code"].as_str(), rate["carrier"]["handle"].as_str()),
        (Some("GBP"), Some("sandbox"))
    );
    assert_eq!(
        (rate["carrier_account"]["handle"].as_str(), rate["guaranteed_delivery_date"].clone()),
        (Some("sandbox"), Value::Null)
    );
    assert_eq!(world.get(&path).await.json(), rated);
    let event = world.newest_event("shipment.rated").await;
    assert_eq!(event["data"]["object"], rated);
    assert_eq!(
        (event["previous_attributes"]["status"].as_str(), event["previous_attributes"]["rates"].clone()),
        (Some("draft"), json!([]))
    );
    // The same parcel costs the same, but the offers are new ones.
    let again = world.rate(&path).await;
    assert_eq!(
        texts(&again["rates"], "/carrier_service/handle"),
        texts(&rated["rates"], "/carrier_service/handle")
    );
    assert_ne!(again["rates"][0]["id"], rated["rates"][0]["id"]);
    assert_eq!(again["rates"][0]["rate"], rated["rates"][0]["rate"]);
}

#[tokio::test]
async fn the_ship_date_is_the_one_that_was_asked_for() {
    let world = World::rehearsal().await;
    let mut body = parcel();
    body["options"] = json!({"shipping": {"date": "2026-12-01T08:00:00+01:00"}});
    let path = world.shipment(body).await;
    let rate = world.rate(&path).await["rates"][2].clone();
    assert_eq!(rate["ship_date"], "2026-12-01T07:00:00.000000Z");
    let days = rate["delivery_days"].as_i64().unwrap();
    assert_eq!(rate["delivery_date"], format!("2026-12-{:02}T07:00:00.000000Z", 1 + days));
}

#[tokio::test]
async fn where_there_are_no_rates_the_error_says_so() {
    let world = World::rehearsal().await;
    let unavailable = ["rate_error", "rates_unavailable", "provider"].map(str::to_owned);
    let none = world.rate(&world.shipment(parcel_to("SBX-RATES-NONE")).await).await;
    assert_eq!(
        (none["status"].as_str(), none["rates"].clone(), errors(&none)),
        (Some("draft"), json!([]), vec![unavailable.clone()])
    );
    let partial = world.rate(&world.shipment(parcel_to("SBX-RATES-PARTIAL")).await).await;
    assert_eq!(texts(&partial["rates"], "/carrier_service/handle"), ["economy", "standard"]);
    assert_eq!((partial["status"].as_str(), errors(&partial)), (Some("rated"), vec![unavailable]));
    let mut heavy = parcel();
    heavy["packages"][0]["geometry"]["mass"] = json!(31);
    let heavy = world.rate(&world.shipment(heavy).await).await;
    assert_eq!(errors(&heavy), [["rate_error", "weight_limit", "carrier"]]);
}

#[tokio::test]
async fn without_a_usable_account_no_carrier_is_asked() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    let account = world.get("/carrier_accounts").await.ids().remove(0);
    assert_eq!(
        world.patch(format!("/carrier_accounts/{account}"), json!({"disabled": true})).await.status,
        200
    );
    let rated = world.rate(&path).await;
    assert_eq!(
        (rated["rates"].clone(), errors(&rated)),
        (json!([]), vec![["rate_error", "rates_unavailable", "service"].map(str::to_owned)])
    );
}

#[tokio::test]
async fn other_accounts_offer_rates_if_one_fails() {
    let world = World::rehearsal().await;
    let broken = Receiver::new().await;
    broken.answer(Answer::status(500).body("{}"));
    account(&world, json!({"name": "Broken", "configuration": {"url": broken.url("")}})).await;
    account(&world, json!({"name": "Second"})).await;
    let rated = world.rate(&world.shipment(parcel()).await).await;
    assert_eq!((rated["status"].as_str(), rated["rates"].as_array().map(Vec::len)), (Some("rated"), Some(6)));
    assert_eq!(errors(&rated), [["rate_error", "provider_timeout", "provider"]]);
    assert!(rated["errors"][0]["message"].as_str().unwrap().starts_with("Broken: "), "{rated}");
    assert_eq!(broken.seen().len(), 1, "rates are not insisted on");
}

#[tokio::test]
async fn a_slow_account_is_cut_off_and_delays_no_other() {
    let world = World::rehearsal_with(|settings| settings.carriers.rate_seconds = 1).await;
    let silent = Receiver::new().await;
    let gate = Gate::closed();
    silent.answer(Answer::status(200).behind(&gate));
    for name in ["Silent", "Mute", "Dumb"] {
        account(&world, json!({"name": name, "configuration": {"url": silent.url("")}})).await;
    }
    let path = world.shipment(parcel()).await;
    let begun = Instant::now();
    let rated = world.rate(&path).await;
    let taken = begun.elapsed();
    // One after another they would take three seconds.
    assert!((Duration::from_millis(900)..Duration::from_millis(2900)).contains(&taken), "{taken:?}");
    assert_eq!(
        rated["rates"].as_array().map(Vec::len),
        Some(3),
        "the sandbox in this process was not in a hurry"
    );
    assert_eq!(errors(&rated), vec![["rate_error", "provider_timeout", "provider"].map(str::to_owned); 3]);
    assert_eq!(silent.seen().len(), 3);
    gate.open();
}

#[tokio::test]
async fn a_shipment_may_limit_which_accounts_are_asked() {
    let world = World::rehearsal().await;
    let second = account(&world, json!({"handle": "second"})).await;
    for (choice, accounts, services) in [
        (json!({}), 2, 3),
        (json!({"carrier_code": "sandbox"}), 2, 3),
        (json!({"carrier_accounts": ["second"]}), 1, 3),
        (json!({"carrier_accounts": [second]}), 1, 3),
        (json!({"carrier_accounts": ["second", "sandbox"]}), 2, 3),
        (json!({"service_code": "express"}), 2, 1),
        (
            json!({"carrier_code": "sandbox", "service_code": "economy", "carrier_accounts": ["sandbox"]}),
            1,
            1,
        ),
        (json!({"carrier_code": "own"}), 0, 0),
        (json!({"carrier_accounts": ["nobody"]}), 0, 0),
        (json!({"service_code": "van"}), 2, 0),
    ] {
        let mut body = parcel();
        body["carrier"] = choice.clone();
        let rated = world.rate(&world.shipment(body).await).await;
        let rates = rated["rates"].as_array().unwrap();
        assert_eq!(rates.len(), accounts * services, "{choice}");
        assert_eq!(rated["status"], if rates.is_empty() { "draft" } else { "rated" }, "{choice}");
        assert_eq!(rates.is_empty(), !errors(&rated).is_empty(), "{choice}: no rates, and no error says why");
    }
}

#[tokio::test]
async fn a_rate_can_be_bought_for_a_day() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    let rate = world.rate(&path).await["rates"][0].clone();
    assert_eq!(&rate["expires_at"].as_str().unwrap()[..16], "2026-11-02T09:00");
    let wanted = json!({"rate": rate["id"]});
    world.advance_seconds(24 * 3600 + 1);
    let late = world.begin(&format!("{path}/purchase"), Some(wanted.clone())).await;
    assert_eq!(refusal(&late), (409, "rate_expired".to_owned()));
    assert_eq!(world.get(&path).await.json()["status"], "rated");
    let fresh = world.rate(&path).await["rates"][0]["id"].clone();
    assert_eq!(world.begin(&format!("{path}/purchase"), Some(wanted)).await.code(), "rate_not_found");
    assert_eq!(world.begin(&format!("{path}/purchase"), Some(json!({"rate": fresh}))).await.status, 202);
}

#[tokio::test]
async fn rates_of_what_changed_meanwhile_are_not_kept() {
    let world = World::rehearsal().await;
    let slow = Receiver::new().await;
    let gate = Gate::closed();
    slow.answer(Answer::status(200).body(r#"{"rates":[],"errors":[]}"#).behind(&gate));
    account(&world, json!({"configuration": {"url": slow.url("")}})).await;
    let path = world.shipment(parcel()).await;
    let call = format!("{path}/rates");
    let rate = world.request("POST", &call).send();
    let change = async {
        slow.wait_for(1).await;
        let changed = world.patch(&path, json!({"packages": [{"geometry": {"mass": 2}}]})).await;
        gate.open();
        changed
    };
    let (rated, changed) = tokio::join!(rate, change);
    assert_eq!((changed.status.as_u16(), refusal(&rated)), (200, (409, "shipment_changed".to_owned())));
    assert_eq!(world.get(&path).await.text, changed.text);
    assert_eq!(world.rate(&path).await["status"], "rated");
}

#[tokio::test]
async fn a_rate_of_an_account_that_is_gone_is_refused() {
    let world = World::rehearsal().await;
    let second = account(&world, json!({"handle": "second"})).await;
    let mut body = parcel();
    body["carrier"] = json!({"carrier_accounts": ["second"]});
    let path = world.shipment(body).await;
    let rate = world.rate(&path).await["rates"][0]["id"].clone();
    assert_eq!(world.delete(format!("/carrier_accounts/{second}")).await.status, 204);
    let gone = world.begin(&format!("{path}/purchase"), Some(json!({"rate": rate}))).await;
    assert_eq!(refusal(&gone), (422, "carrier_account_not_found".to_owned()));
    assert_eq!(gone.issues()[0].1, "/rate");
    assert_eq!(world.begin(&format!("{path}/purchase"), Some(service("economy"))).await.status, 202);
}
