//! Tracking with EasyPost: the carrier's own times decide, and an older report changes nothing.

use serde_json::{Value, json};

use crate::shipping::easypost::{EasyPostSetup, signature};

const NUMBER: &str = "1";
const POLL_SECONDS: i64 = 3 * 3600;

/// A setup whose parcel has the number.
async fn sent() -> EasyPostSetup {
    let setup = EasyPostSetup::open().await;
    setup.server.say("tracking_code", &json!(NUMBER));
    setup.buy().await;
    setup
}

/// What EasyPost says of a parcel whose last scan was at this hour.
fn tracker(status: &str, hour: Option<u32>) -> Value {
    let scan = |hour: u32| json!({"status": status, "message": "scanned", "datetime": format!("2026-10-30T{hour:02}:00:00Z")});
    let details: Vec<Value> = hour.into_iter().flat_map(|hour| [scan(1), scan(hour), scan(2)]).collect();
    json!({"tracking_code": NUMBER, "status": status, "status_detail": format!("{status}_detail"), "tracking_details": details})
}

/// Posts a tracker as EasyPost's webhook does.
async fn tell(setup: &EasyPostSetup, id: &str, tracker: Value) {
    let body =
        json!({"id": id, "description": "tracker.updated", "result": tracker}).to_string().into_bytes();
    let path = format!("/carrier_accounts/{}/webhook", setup.account);
    let request = setup.world.request("POST", &path).anonymous().raw("application/json", body.clone());
    let reply = request.header("x-hmac-signature", &signature("se\u{301}cret", &body)).send().await;
    assert_eq!(reply.status, 204, "{reply}");
}

async fn tracking(setup: &EasyPostSetup) -> Value {
    setup.world.get(format!("/shipments/{}/tracking", setup.shipment)).await.json()
}

#[tokio::test]
async fn what_happened_earlier_and_is_told_later_changes_nothing() {
    let setup = sent().await;
    let steps = [
        ("out_for_delivery", 12, "out_for_delivery"),
        ("in_transit", 11, "out_for_delivery"),
        ("failure", 10, "out_for_delivery"),
        // It was not delivered that day. By the carrier's time this report is newer.
        ("in_transit", 13, "in_transit"),
        ("delivered", 15, "delivered"),
        ("in_transit", 16, "delivered"),
        ("failure", 17, "delivered"),
    ];
    for (number, (status, hour, expected)) in steps.into_iter().enumerate() {
        tell(&setup, &format!("evt_{number}"), tracker(status, Some(hour))).await;
        assert_eq!(tracking(&setup).await["tracking_status"], expected, "{status} at {hour}");
    }
    let seen = tracking(&setup).await;
    let events: Vec<_> = seen["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| (event["status"].as_str().unwrap(), event["occurred_at"].as_str().unwrap()))
        .collect();
    assert_eq!(
        events,
        [
            ("out_for_delivery", "2026-10-30T12:00:00.000000Z"),
            ("in_transit", "2026-10-30T13:00:00.000000Z"),
            ("delivered", "2026-10-30T15:00:00.000000Z")
        ]
    );
}

#[tokio::test]
async fn without_times_a_parcel_only_goes_on_and_unknown_says_nothing() {
    let setup = sent().await;
    let steps = [
        ("unknown", "pre_transit"),
        ("in_transit", "in_transit"),
        ("unknown", "in_transit"),
        ("out_for_delivery", "out_for_delivery"),
        ("in_transit", "out_for_delivery"),
        ("failure", "failure"),
        ("in_transit", "failure"),
        ("delivered", "delivered"),
        ("return_to_sender", "delivered"),
    ];
    for (number, (status, expected)) in steps.into_iter().enumerate() {
        tell(&setup, &format!("evt_{number}"), tracker(status, None)).await;
        assert_eq!(tracking(&setup).await["tracking_status"], expected, "{status}");
    }
    assert_eq!(tracking(&setup).await["events"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_time_that_is_yet_to_come_does_not_hold_up_what_follows() {
    let setup = sent().await;
    let mut ahead = tracker("in_transit", Some(3));
    ahead["tracking_details"][0]["datetime"] = json!("2099-01-01T00:00:00Z");
    tell(&setup, "evt_1", ahead).await;
    assert_eq!(tracking(&setup).await["tracking_status"], "in_transit");
    let occurred_at = tracking(&setup).await["events"][0]["occurred_at"].as_str().unwrap().to_owned();
    assert!(occurred_at.starts_with("2026-11-01T09:00:00"), "when it was told: {occurred_at}");
    tell(&setup, "evt_2", tracker("delivered", Some(12))).await;
    assert_eq!(tracking(&setup).await["tracking_status"], "delivered");
}

#[tokio::test]
async fn a_failed_delivery_is_asked_about_until_the_parcel_arrives() {
    let setup = sent().await;
    let poll = async |status: &str, hour: u32| {
        setup.server.say("tracker", &tracker(status, Some(hour)));
        setup.world.advance_seconds(POLL_SECONDS);
        setup.work().await;
        let status = setup.shown().await["tracking_status"].as_str().unwrap().to_owned();
        (status, setup.server.take().len())
    };
    assert_eq!(poll("failure", 12).await, ("failure".to_owned(), 1));
    assert_eq!(poll("unknown", 12).await, ("failure".to_owned(), 1));
    // An older report does not end tracking.
    assert_eq!(poll("return_to_sender", 11).await, ("failure".to_owned(), 1));
    assert_eq!(poll("delivered", 14).await, ("delivered".to_owned(), 1));
    assert_eq!(poll("delivered", 14).await, ("delivered".to_owned(), 0), "nothing more will happen");
}
