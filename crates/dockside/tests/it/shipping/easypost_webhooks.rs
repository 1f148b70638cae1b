//! Webhooks of EasyPost: the server checks their signature and applies each once. A sender who guesses learns nothing.

use serde_json::{Value, json};
use testkit::easypost_recordings::{KEY, recording};

use crate::setup::world::{Reply, World};
use crate::shipping::easypost::{EasyPostSetup, SECRET, account, signature};

/// The secret as EasyPost uses it: the letter and its accent apart.
const APART: &str = "se\u{301}cret";

async fn post(world: &World, account: &str, signature: Option<&str>, body: &[u8]) -> Reply {
    let path = format!("/carrier_accounts/{account}/webhook");
    let request = world.request("POST", &path).anonymous().raw("application/json", body.to_vec());
    match signature {
        Some(signature) => request.header("x-hmac-signature", signature).send().await,
        None => request.send().await,
    }
}

/// Posts a message as EasyPost does.
async fn tell(setup: &EasyPostSetup, message: &Value) -> u16 {
    let body = message.to_string().into_bytes();
    post(&setup.world, &setup.account, Some(&signature(APART, &body)), &body).await.status.as_u16()
}

fn moved(id: &str, number: &str, status: &str) -> Value {
    json!({"id": id, "description": "tracker.updated", "result": {"tracking_code": number, "status": status, "status_detail": "on_its_way"}})
}

async fn way(setup: &EasyPostSetup) -> Vec<Value> {
    let tracking = setup.world.get(format!("/shipments/{}/tracking", setup.shipment)).await.json();
    let events = tracking["events"].as_array().expect("a way");
    events.iter().map(|event| event["status"].clone()).collect()
}

async fn told(setup: &EasyPostSetup) -> usize {
    setup.world.events().await.iter().filter(|event| event.r#type == "tracking.updated").count()
}

/// A setup whose parcel has this number.
async fn sent(number: &str) -> EasyPostSetup {
    let setup = EasyPostSetup::open().await;
    setup.server.say("tracking_code", &json!(number));
    setup.buy().await;
    setup
}

#[tokio::test]
async fn a_recorded_message_moves_the_parcel_once() {
    let setup = sent("1").await;
    let (body, signed) = match recording("webhook_body_tracker_updated") {
        Some(recorded) => {
            assert_eq!(recorded["webhook_secret"], SECRET);
            let text = recorded["raw_body"].as_str().unwrap().to_owned();
            (text, recorded["headers"]["X-Hmac-Signature"].as_str().unwrap().to_owned())
        }
        None => {
            let body = moved("evt_1", "1", "in_transit").to_string();
            (body.clone(), signature(APART, body.as_bytes()))
        }
    };
    for _ in 0..2 {
        let reply = post(&setup.world, &setup.account, Some(&signed), body.as_bytes()).await;
        assert_eq!((reply.status.as_u16(), reply.text.as_str()), (204, ""), "{reply}");
        assert_eq!((way(&setup).await, told(&setup).await), (vec![json!("in_transit")], 1));
    }
    assert_eq!(setup.shown().await["tracking_status"], "in_transit");
    // A message with a new status is applied.
    assert_eq!(tell(&setup, &moved("evt_3", "1", "delivered")).await, 204);
    assert_eq!(way(&setup).await.last(), Some(&json!("delivered")));
    // A late message does not take the status back.
    assert_eq!(tell(&setup, &moved("evt_2", "1", "in_transit")).await, 204);
    assert_eq!((setup.shown().await["tracking_status"].clone(), told(&setup).await), (json!("delivered"), 2));
}

#[tokio::test]
async fn a_sender_without_a_valid_signature_learns_nothing() {
    let setup = sent("1").await;
    let own = json!({"carrier": {"handle": "own"}, "name": "Van", "configuration": {"currency_code": "USD", "services": [
        {"handle": "van", "name": "Van", "rates": [{"rate": 1}]}]}});
    let own = setup.world.post("/carrier_accounts", own).await.json()["id"].as_str().unwrap().to_owned();
    let bare = json!({"carrier": {"handle": "easypost"}, "name": "Bare", "credentials": {"api_key": KEY}});
    let bare = setup.world.post("/carrier_accounts", bare).await.json()["id"].as_str().unwrap().to_owned();
    let body = moved("evt_1", "1", "delivered").to_string().into_bytes();
    let (good, none) = (signature(APART, &body), signature("", &body));
    let other = signature("other", &body);
    let stranger = "ca_00000000000000000000000001";
    let cases: [(&str, &str, Option<&str>); 11] = [
        ("no signature", &setup.account, None),
        ("an empty one", &setup.account, Some("")),
        ("another secret's", &setup.account, Some(&other)),
        ("that of no secret", &setup.account, Some(&none)),
        ("without its name", &setup.account, Some(&good["hmac-sha256-hex=".len()..])),
        ("cut short", &setup.account, Some(&good[..good.len() - 2])),
        ("an account that does not exist", stranger, Some(&good)),
        ("an account that does not exist, with that of no secret", stranger, Some(&none)),
        ("another carrier's account", &own, Some(&none)),
        ("an account without a secret", &bare, Some(&none)),
        ("what is no account at all", "nonsense", Some(&good)),
    ];
    let mut seen = std::collections::BTreeSet::new();
    for (name, account, signature) in cases {
        let reply = post(&setup.world, account, signature, &body).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (403, "invalid_signature"),
            "{name}: {reply}"
        );
        seen.insert(reply.text.replace(account, "account"));
    }
    assert_eq!(seen.len(), 1, "{seen:?}");
    let changed = moved("evt_1", "1", "failure").to_string().into_bytes();
    assert_eq!(post(&setup.world, &setup.account, Some(&good), &changed).await.status, 403);
    assert_eq!((way(&setup).await.len(), told(&setup).await), (0, 0));
    assert_eq!(post(&setup.world, &setup.account, Some(&good), &body).await.status, 204);
    assert_eq!(told(&setup).await, 1);
}

#[tokio::test]
async fn a_message_about_nothing_of_ours_is_accepted_and_changes_nothing() {
    let setup = sent("1").await;
    let log = setup.world.events().await.len();
    for message in [
        json!({"id": "evt_1", "description": "batch.updated", "result": {"id": "batch_1"}}),
        json!({"id": "evt_2", "description": "scan_form.created", "result": {"id": "sf_1"}}),
        json!({"id": "evt_3", "description": "tracker.updated", "result": null}),
        json!({"id": "evt_4", "description": "refund.successful", "result": {"shipment_id": "shp_of_others"}}),
        moved("evt_5", "2", "delivered"),
        moved("evt_6", "%", "delivered"),
        moved(&"e".repeat(5000), "3", "delivered"),
    ] {
        assert_eq!(tell(&setup, &message).await, 204, "{message}");
    }
    assert_eq!((setup.world.events().await.len(), setup.server.take().len()), (log, 0));
}

#[tokio::test]
async fn garbage_is_a_problem_and_no_fault() {
    let setup = sent("1").await;
    for body in
        [&b""[..], b"{}", b"[1]", b"null", b"\xff\xfe", br#"{"id":1,"description":"tracker.updated"}"#]
    {
        let reply = post(&setup.world, &setup.account, Some(&signature(APART, body)), body).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (400, "carrier_message_invalid"),
            "{reply}"
        );
    }
    let large = vec![b' '; 20 << 20];
    let reply = post(&setup.world, &setup.account, Some(&signature(APART, &large)), &large).await;
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (413, "body_too_large"), "{reply}");
}

#[tokio::test]
async fn news_stay_with_the_account_that_they_are_signed_for() {
    let setup = sent("1").await;
    let second = account(&setup.world, KEY).await;
    let body = moved("evt_1", "1", "delivered").to_string().into_bytes();
    let signed = signature(APART, &body);
    // Another account's message about the same tracking number does not change the parcel.
    assert_eq!(post(&setup.world, &second, Some(&signed), &body).await.status, 204);
    assert_eq!(way(&setup).await, Vec::<Value>::new());
    assert_eq!(post(&setup.world, &setup.account, Some(&signed), &body).await.status, 204);
    assert_eq!(way(&setup).await, [json!("delivered")]);
}

#[tokio::test]
async fn news_of_a_refund_have_it_looked_at_at_once() {
    let setup = sent("1").await;
    setup.ask("void", None).await;
    setup.work().await;
    setup.server.say("refund_status", &json!("refunded"));
    setup.server.take();
    setup.work().await;
    assert_eq!((setup.shown().await["status"].clone(), setup.server.take().len()), (json!("purchased"), 0));
    let name = setup.server.bought()["id"].clone();
    let news = json!({"id": "evt_1", "description": "refund.successful", "result": {"shipment_id": name}});
    assert_eq!(tell(&setup, &news).await, 204);
    setup.work().await;
    assert_eq!((setup.shown().await["status"].clone(), setup.server.take().len()), (json!("voided"), 1));
}
