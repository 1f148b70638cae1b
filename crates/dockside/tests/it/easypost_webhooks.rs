//! News that EasyPost posts: believed by their signature, taken once, and nobody learns anything by guessing.

use serde_json::{Value, json};

use crate::easypost::{SECRET, Shop, account, signature};
use crate::easypost_desk::{Desk, KEY, recording};
use crate::world::{Reply, World};

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
async fn tell(shop: &Shop, message: &Value) -> u16 {
    let body = message.to_string().into_bytes();
    post(&shop.world, &shop.account, Some(&signature(APART, &body)), &body).await.status.as_u16()
}

fn moved(id: &str, number: &str, status: &str) -> Value {
    json!({"id": id, "description": "tracker.updated", "result": {"tracking_code": number, "status": status, "status_detail": "on_its_way"}})
}

async fn way(shop: &Shop) -> Vec<Value> {
    let tracking = shop.world.get(format!("/shipments/{}/tracking", shop.shipment)).await.json();
    let events = tracking["events"].as_array().expect("a way");
    events.iter().map(|event| event["status"].clone()).collect()
}

async fn told(shop: &Shop) -> usize {
    shop.world.events().await.iter().filter(|event| event.r#type == "tracking.updated").count()
}

/// A shop whose parcel has this number.
async fn sent(number: &str) -> Shop {
    let shop = Shop::open().await;
    shop.desk.say("tracking_code", &json!(number));
    shop.buy().await;
    shop
}

#[tokio::test]
async fn a_recorded_message_moves_the_parcel_once() {
    let shop = sent("1").await;
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
        let reply = post(&shop.world, &shop.account, Some(&signed), body.as_bytes()).await;
        assert_eq!((reply.status.as_u16(), reply.text.as_str()), (204, ""), "{reply}");
        assert_eq!((way(&shop).await, told(&shop).await), (vec![json!("in_transit")], 1));
    }
    assert_eq!(shop.shown().await["tracking_status"], "in_transit");
    // The same news under another name are no news, and another status is.
    assert_eq!(tell(&shop, &moved("evt_3", "1", "delivered")).await, 204);
    assert_eq!(way(&shop).await.last(), Some(&json!("delivered")));
    // What comes late does not bring it back.
    assert_eq!(tell(&shop, &moved("evt_2", "1", "in_transit")).await, 204);
    assert_eq!((shop.shown().await["tracking_status"].clone(), told(&shop).await), (json!("delivered"), 2));
}

#[tokio::test]
async fn whoever_can_not_sign_learns_nothing() {
    let shop = sent("1").await;
    let own = json!({"carrier": {"handle": "own"}, "name": "Van", "configuration": {"currency_code": "USD", "services": [
        {"handle": "van", "name": "Van", "rates": [{"rate": 1}]}]}});
    let own = shop.world.post("/carrier_accounts", own).await.json()["id"].as_str().unwrap().to_owned();
    let bare = json!({"carrier": {"handle": "easypost"}, "name": "Bare", "credentials": {"api_key": KEY}});
    let bare = shop.world.post("/carrier_accounts", bare).await.json()["id"].as_str().unwrap().to_owned();
    let body = moved("evt_1", "1", "delivered").to_string().into_bytes();
    let (good, none) = (signature(APART, &body), signature("", &body));
    let other = signature("other", &body);
    let stranger = "ca_00000000000000000000000001";
    let cases: [(&str, &str, Option<&str>); 11] = [
        ("no signature", &shop.account, None),
        ("an empty one", &shop.account, Some("")),
        ("another secret's", &shop.account, Some(&other)),
        ("that of no secret", &shop.account, Some(&none)),
        ("without its name", &shop.account, Some(&good["hmac-sha256-hex=".len()..])),
        ("cut short", &shop.account, Some(&good[..good.len() - 2])),
        ("an account that nobody has", stranger, Some(&good)),
        ("an account that nobody has, with that of no secret", stranger, Some(&none)),
        ("another carrier's account", &own, Some(&none)),
        ("an account without a secret", &bare, Some(&none)),
        ("what is no account at all", "nonsense", Some(&good)),
    ];
    let mut seen = std::collections::BTreeSet::new();
    for (name, account, signature) in cases {
        let reply = post(&shop.world, account, signature, &body).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (403, "invalid_signature"),
            "{name}: {reply}"
        );
        seen.insert(reply.text.replace(account, "account"));
    }
    assert_eq!(seen.len(), 1, "{seen:?}");
    let changed = moved("evt_1", "1", "failure").to_string().into_bytes();
    assert_eq!(post(&shop.world, &shop.account, Some(&good), &changed).await.status, 403);
    assert_eq!((way(&shop).await.len(), told(&shop).await), (0, 0));
    assert_eq!(post(&shop.world, &shop.account, Some(&good), &body).await.status, 204);
    assert_eq!(told(&shop).await, 1);
}

#[tokio::test]
async fn what_is_no_news_of_ours_is_taken_and_changes_nothing() {
    let shop = sent("1").await;
    let log = shop.world.events().await.len();
    for message in [
        json!({"id": "evt_1", "description": "batch.updated", "result": {"id": "batch_1"}}),
        json!({"id": "evt_2", "description": "scan_form.created", "result": {"id": "sf_1"}}),
        json!({"id": "evt_3", "description": "tracker.updated", "result": null}),
        json!({"id": "evt_4", "description": "refund.successful", "result": {"shipment_id": "shp_of_others"}}),
        moved("evt_5", "2", "delivered"),
        moved("evt_6", "%", "delivered"),
        moved(&"e".repeat(5000), "3", "delivered"),
    ] {
        assert_eq!(tell(&shop, &message).await, 204, "{message}");
    }
    assert_eq!((shop.world.events().await.len(), shop.desk.take().len()), (log, 0));
}

#[tokio::test]
async fn garbage_is_a_problem_and_no_fault() {
    let shop = sent("1").await;
    for body in
        [&b""[..], b"{}", b"[1]", b"null", b"\xff\xfe", br#"{"id":1,"description":"tracker.updated"}"#]
    {
        let reply = post(&shop.world, &shop.account, Some(&signature(APART, body)), body).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (400, "carrier_message_invalid"),
            "{reply}"
        );
    }
    let large = vec![b' '; 20 << 20];
    let reply = post(&shop.world, &shop.account, Some(&signature(APART, &large)), &large).await;
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (413, "body_too_large"), "{reply}");
}

#[tokio::test]
async fn news_stay_with_the_account_that_they_are_signed_for() {
    let shop = sent("1").await;
    let desk = Desk::open(crate::easypost::RECORDING).await;
    let second = account(&shop.world, &desk, KEY).await;
    let body = moved("evt_1", "1", "delivered").to_string().into_bytes();
    let signed = signature(APART, &body);
    // The same number of another account's, or of nobody's.
    assert_eq!(post(&shop.world, &second, Some(&signed), &body).await.status, 204);
    assert_eq!(way(&shop).await, Vec::<Value>::new());
    assert_eq!(post(&shop.world, &shop.account, Some(&signed), &body).await.status, 204);
    assert_eq!(way(&shop).await, [json!("delivered")]);
}

#[tokio::test]
async fn news_of_a_refund_have_it_looked_at_at_once() {
    let shop = sent("1").await;
    shop.ask("void", None).await;
    shop.work().await;
    shop.desk.say("refund_status", &json!("refunded"));
    shop.desk.take();
    shop.work().await;
    assert_eq!((shop.shown().await["status"].clone(), shop.desk.take().len()), (json!("purchased"), 0));
    let name = shop.desk.bought()["id"].clone();
    let news = json!({"id": "evt_1", "description": "refund.successful", "result": {"shipment_id": name}});
    assert_eq!(tell(&shop, &news).await, 204);
    shop.work().await;
    assert_eq!((shop.shown().await["status"].clone(), shop.desk.take().len()), (json!("voided"), 1));
}
