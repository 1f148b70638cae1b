//! Asking for the label of a shipment, and errors that go once they hold no longer.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::batch_requests::id;
use crate::setup::purchase_requests::{errors, parcel_to};
use crate::setup::world::{Reply, World};

const FINE: &str = "BS1 4DJ";
const LATE: &str = "SBX-LABEL-LATE";
/// The sandbox carrier delivers a late label within this time.
const LATE_SECONDS: i64 = 6;

fn labels_of(shipment: &Value) -> usize {
    let documents = shipment["documents"].as_array().expect("a list").iter();
    documents.filter(|document| document["type"] == "label").count()
}

fn refusal(reply: &Reply) -> (u16, String) {
    (reply.status.as_u16(), reply.code())
}

impl World {
    async fn ask_for_label(&self, path: &str) -> Reply {
        self.begin(&format!("{path}/labels"), None).await
    }

    /// Makes all purchases due a day later.
    async fn delay_purchases(&self) {
        self.tamper("UPDATE purchase SET due_at = due_at + 86400000000 WHERE due_at IS NOT NULL").await;
    }
}

#[tokio::test]
async fn a_label_that_is_pending_is_asked_for_at_once() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to(LATE)).await;
    assert_eq!(world.buy(&path).await["label_pending"], true);
    world.delay_purchases().await;
    world.advance_seconds(LATE_SECONDS);
    world.work().await;
    assert_eq!(world.get(&path).await.json()["label_pending"], true, "it rests");
    let asked = world.ask_for_label(&path).await;
    assert_eq!((asked.status.as_u16(), asked.header("location")), (202, path.as_str()), "{asked}");
    assert_eq!((&asked.json()["label_pending"], labels_of(&asked.json())), (&json!(true), 0));
    world.work().await;
    let there = world.ask_for_label(&path).await;
    assert_eq!((there.status.as_u16(), &there.json()["label_pending"]), (200, &json!(false)), "{there}");
    assert_eq!(labels_of(&there.json()), 1);
    let story = world.story(&path).await;
    world.ask_for_label(&path).await;
    world.work().await;
    assert_eq!(world.story(&path).await, story, "asking for what is there changes nothing");
    assert_eq!(world.carrier_charges(&path).await.charges, 1);
}

#[tokio::test]
async fn a_request_waits_for_the_label() {
    let world = World::rehearsal_with(|settings| settings.carriers.wait_seconds = 30).await;
    let path = world.shipment(parcel_to(LATE)).await;
    world.buy(&path).await;
    world.delay_purchases().await;
    world.advance_seconds(LATE_SECONDS);
    let jobs = world.service.start_jobs().expect("jobs");
    let reply = world.request("POST", &format!("{path}/labels")).send().await;
    assert_eq!((reply.status.as_u16(), labels_of(&reply.json())), (200, 1), "{reply}");
    jobs.stop().await;
}

#[tokio::test]
async fn the_same_key_asks_once() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to(LATE)).await;
    world.buy(&path).await;
    let ask = || {
        let call = world.request("POST", &format!("{path}/labels")).header("prefer", "respond-async");
        call.header("idempotency-key", "once").send()
    };
    assert_eq!(ask().await.status, 202);
    world.work_for(8).await;
    let again = ask().await;
    assert_eq!((again.status.as_u16(), again.header("idempotent-replayed")), (200, "true"), "{again}");
    assert_eq!(labels_of(&again.json()), 1, "it shows how the shipment is now");
}

#[tokio::test]
async fn what_is_not_bought_has_no_label_to_ask_for() {
    let world = World::rehearsal().await;
    let draft = world.shipment(parcel_to(FINE)).await;
    assert_eq!(refusal(&world.ask_for_label(&draft).await), (409, "shipment_not_purchased".to_owned()));
    let declined = world.shipment(parcel_to("SBX-DECLINED")).await;
    world.buy(&declined).await;
    assert_eq!(refusal(&world.ask_for_label(&declined).await), (409, "shipment_not_purchased".to_owned()));
    let flaky = world.shipment(parcel_to("SBX-FLAKY-2")).await;
    world.buy(&flaky).await;
    assert_eq!(refusal(&world.ask_for_label(&flaky).await), (409, "shipment_purchasing".to_owned()));
    let voided = world.shipment(parcel_to(FINE)).await;
    world.buy(&voided).await;
    world.begin(&format!("{voided}/void"), None).await;
    world.work().await;
    assert_eq!(refusal(&world.ask_for_label(&voided).await), (409, "shipment_voided".to_owned()));
}

#[tokio::test]
async fn a_label_is_asked_for_by_its_organisation_with_the_scope_to_purchase() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to(LATE)).await;
    world.buy(&path).await;
    let due = world.attempt(&path).await["next_attempt_at"].clone();
    for (organisation, scopes, mode, expected) in [
        ("Rival", "*", Mode::Test, (404, "not_found")),
        ("Acme", "*", Mode::Live, (404, "not_found")),
        ("Acme", "shipments:read shipments:write", Mode::Test, (403, "insufficient_scope")),
    ] {
        let token = world.token_for(organisation, scopes, mode).await;
        let reply = world.request("POST", &format!("{path}/labels")).token(&token).send().await;
        assert_eq!(refusal(&reply), (expected.0, expected.1.to_owned()), "{organisation} {scopes}");
    }
    assert_eq!(world.attempt(&path).await["next_attempt_at"], due, "nothing was changed");
}

/// Returns a shipment that a person resolved as bought, under a name that the carrier does not know: it delivers no label.
async fn without_label(world: &World) -> String {
    let path = world.shipment(parcel_to("SBX-LOST-FOREVER")).await;
    world.buy(&path).await;
    world.work_for(40).await;
    let attempt = world.attempt(&path).await;
    assert_eq!(errors(&world.get(&path).await.json())[0][1], "outcome_unknown");
    let found = json!({"outcome": "bought", "tracking_numbers": ["SB123456785GB"]});
    let resolve = format!("/purchase_attempts/{}/resolve", attempt["id"].as_str().expect("an id"));
    assert_eq!(world.post(&resolve, found).await.status, 200);
    world.work().await;
    path
}

#[tokio::test]
async fn an_unknown_outcome_is_no_error_once_it_is_resolved() {
    let world = World::rehearsal().await;
    let path = without_label(&world).await;
    let shipment = world.get(&path).await.json();
    assert_eq!(shipment["status"], "purchased");
    assert_eq!(
        errors(&shipment).iter().filter(|error| error[0] == "purchase_error").count(),
        0,
        "{shipment}"
    );
    let told = world.newest_event("shipment.purchased").await;
    assert!(!told["data"]["object"]["errors"].to_string().contains("purchase_error"), "{told}");
}

#[tokio::test]
async fn a_label_that_was_given_up_is_asked_for_again_and_its_error_goes() {
    let world = World::rehearsal().await;
    let path = without_label(&world).await;
    for _ in 0..20 {
        world.advance_seconds(3600);
        world.work().await;
    }
    let given_up = world.get(&path).await.json();
    assert_eq!((&given_up["label_pending"], labels_of(&given_up)), (&json!(false), 0), "{given_up}");
    assert!(errors(&given_up).iter().all(|error| error[0] == "label_error"), "{given_up}");
    assert!(!errors(&given_up).is_empty());
    let asked = world.ask_for_label(&path).await;
    assert_eq!((asked.status.as_u16(), &asked.json()["label_pending"]), (202, &json!(true)), "{asked}");
    assert_eq!(errors(&asked.json()), Vec::<[String; 3]>::new());
    // The carrier does not know the purchase's name. After the name is corrected below, it does.
    world.work().await;
    assert_eq!(errors(&world.get(&path).await.json()).len(), 1, "the new attempt says why it failed");
    let name = id(&path);
    let set = format!(
        "UPDATE purchase SET receipt = replace(receipt, '\"purchase\":\"{name}\"', '\"purchase\":\"{name}.1.SBX-LOST-FOREVER\"')"
    );
    world.tamper(&set).await;
    assert_eq!(world.ask_for_label(&path).await.status, 202);
    world.work().await;
    let labelled = world.get(&path).await.json();
    assert_eq!((&labelled["label_pending"], labels_of(&labelled)), (&json!(false), 1), "{labelled}");
    assert_eq!(errors(&labelled), Vec::<[String; 3]>::new());
    let told = world.newest_event("shipment.updated").await;
    assert_eq!(told["data"]["object"]["errors"], json!([]));
    assert!(!told["previous_attributes"]["errors"].is_null(), "{told}");
    assert_eq!(world.carrier_charges(&path).await.charges, 1);
}

#[tokio::test]
async fn the_batch_of_a_label_that_came_shows_no_error_of_it() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to(LATE)).await;
    let service =
        json!({"carrier_account": {"handle": "sandbox"}, "carrier_service": {"handle": "standard"}});
    let batch = world.batch(json!({"service": service, "shipments": [id(&path)]})).await;
    world.begin(&format!("{batch}/purchase"), None).await;
    world.work().await;
    // Give the purchase a wrong name, so that the carrier does not deliver its label for a while.
    world.tamper("UPDATE purchase SET receipt = replace(receipt, '.SBX-LABEL-LATE', '.gone')").await;
    world.work_for(3).await;
    let shown = world.get(&batch).await.json();
    assert_eq!((&shown["error_count"], &shown["labels_pending_count"]), (&json!(1), &json!(1)), "{shown}");
    assert_eq!(shown["errors"][0]["type"], "label_error", "{shown}");
    world.tamper("UPDATE purchase SET receipt = replace(receipt, '.gone', '.SBX-LABEL-LATE')").await;
    world.advance_seconds(LATE_SECONDS);
    world.ask_for_label(&path).await;
    world.work().await;
    let shown = world.get(&batch).await.json();
    assert_eq!((&shown["error_count"], &shown["labels_pending_count"]), (&json!(0), &json!(0)), "{shown}");
    assert_eq!(shown["errors"], json!([]));
}
