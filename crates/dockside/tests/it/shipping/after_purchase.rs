//! What becomes of a shipment after it was bought: its papers, its way, and its return for the money.

use bytes::Bytes;
use http_body_util::BodyExt as _;
use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::populated_organisation::parcel;
use crate::setup::purchase_requests::{CarrierCharges, errors, parcel_to};
use crate::setup::stock_requests::{refusal, texts};
use crate::setup::world::{World, until};

/// Fetches a document as a browser does, without a token.
async fn fetch(world: &World, document: &Value) -> (http::response::Parts, Bytes) {
    let url = document["file_url"].as_str().expect("a link");
    let path = url.strip_prefix("https://dockside.example.com").expect("the public address");
    let (head, body) = world.request("GET", path).anonymous().open().await;
    (head, body.collect().await.expect("a body").to_bytes())
}

#[tokio::test]
async fn a_label_comes_in_the_format_that_was_asked_for() {
    let world = World::rehearsal().await;
    for (format, media_type, beginning) in [
        ("pdf", "application/pdf", "%PDF-"),
        ("png", "image/png", "\u{fffd}PNG\r\n\u{1a}\n"),
        ("zpl", "application/zpl", "^XA"),
    ] {
        let mut body = parcel();
        body["options"] = json!({"label": {"format": format, "size": "4x6"}});
        let path = world.shipment(body).await;
        let label = world.buy(&path).await["documents"][0].clone();
        assert_eq!((label["type"].as_str(), label["file_type"].as_str()), (Some("label"), Some(media_type)));
        assert!(
            label["file_name"].as_str().is_some_and(|name| name.ends_with(&format!(".{format}"))),
            "{label}"
        );
        let (head, bytes) = fetch(&world, &label).await;
        assert_eq!((head.status.as_u16(), head.headers["content-type"].to_str().unwrap()), (200, media_type));
        assert_eq!(label["file_size"].as_u64(), Some(bytes.len() as u64));
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.trim_start().starts_with(beginning), "{format}: {:.20}", text);
    }
}

#[tokio::test]
async fn without_a_requested_format_a_label_is_a_pdf() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    assert_eq!(world.buy(&path).await["documents"][0]["file_type"], "application/pdf");
}

#[tokio::test]
async fn links_end_after_an_hour_and_each_read_makes_new_ones() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    let old = world.buy(&path).await["documents"][0].clone();
    world.advance_seconds(3590);
    assert_eq!(fetch(&world, &old).await.0.status, 200);
    let lists = ["/shipments".to_owned(), format!("{path}/documents")];
    let mut new = vec![world.get(&path).await.json()["documents"][0].clone()];
    for list in lists {
        let data = world.get(&list).await.json()["data"][0].clone();
        new.push(if data["documents"].is_array() { data["documents"][0].clone() } else { data });
    }
    world.advance_seconds(11);
    let (head, body) = fetch(&world, &old).await;
    let problem: Value = serde_json::from_slice(&body).expect("a problem");
    assert_eq!((head.status.as_u16(), problem["code"].as_str()), (403, Some("file_link_expired")));
    for document in new {
        assert_eq!((&document["id"], document["file_url"] == old["file_url"]), (&old["id"], false));
        assert_eq!(fetch(&world, &document).await.0.status, 200);
    }
}

#[tokio::test]
async fn the_tag_of_what_was_bought_permits_a_void() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    let draft = world.get(&path).await.header("etag").to_owned();
    world.buy(&path).await;
    let tag = world.get(&path).await.header("etag").to_owned();
    assert_ne!(tag, draft);
    let void = async |tag: &str| {
        let request = world.request("POST", &format!("{path}/void")).header("prefer", "respond-async");
        request.header("if-match", tag).send().await
    };
    assert_eq!(refusal(&void(&draft).await), (412, "precondition_failed".to_owned()));
    assert_eq!(refusal(&void("\"7.1\"").await), (412, "precondition_failed".to_owned()));
    assert_eq!(void(&tag).await.status, 202);
}

#[tokio::test]
async fn a_late_label_follows() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to("SBX-LABEL-LATE")).await;
    let bought = world.buy(&path).await;
    assert_eq!((bought["status"].as_str(), bought["documents"].clone()), (Some("purchased"), json!([])));
    world.work_for(3).await;
    assert_eq!(world.get(&path).await.json()["documents"], json!([]));
    world.work_for(3).await;
    assert_eq!(world.get(&path).await.json()["documents"][0]["type"], "label");
    let story = world.story(&path).await;
    assert_eq!(story[2..4], ["shipment.purchased", "shipment.updated"], "{story:?}");
    let event = world.newest_event("shipment.updated").await;
    assert_eq!(event["data"]["object"]["documents"][0]["type"], "label");
}

#[tokio::test]
async fn parcels_go_their_way_and_events_tell_of_it() {
    let world = World::rehearsal().await;
    for (word, way) in [
        ("SBX-TRACK-DELIVERED", &["pre_transit", "in_transit", "out_for_delivery", "delivered"][..]),
        ("SBX-TRACK-EXCEPTION", &["pre_transit", "in_transit", "failure"]),
        ("SBX-TRACK-RETURNED", &["pre_transit", "in_transit", "out_for_delivery", "return_to_sender"]),
    ] {
        let path = world.shipment(parcel_to(word)).await;
        let number = world.buy(&path).await["tracking_number"].clone();
        assert_eq!(world.get(&path).await.json()["tracking_status"], "pre_transit");
        world.work_for(32).await;
        let tracking = world.get(format!("{path}/tracking")).await.json();
        assert_eq!(texts(&tracking["events"], "/status"), way, "{word}");
        assert_eq!(
            (&tracking["tracking_number"], &tracking["tracking_status"]),
            (&number, &json!(way[way.len() - 1]))
        );
        let moments = texts(&tracking["events"], "/occurred_at");
        assert!(moments.is_sorted(), "{moments:?}");
        assert_eq!(world.get(&path).await.json()["tracking_status"], tracking["tracking_status"]);
        let story = world.story(&path).await;
        assert_eq!(story.iter().filter(|event| *event == "tracking.updated").count(), way.len(), "{story:?}");
        let event = world.newest_event("tracking.updated").await;
        assert_eq!(event["data"]["object"], tracking);
        // A delivered parcel is not tracked any more. After a failed delivery the carrier may try again.
        world.work_for(5).await;
        let is_over = world.attempt(&path).await["next_attempt_at"].is_null();
        assert_eq!(is_over, word != "SBX-TRACK-EXCEPTION", "{word}");
        assert_eq!(world.story(&path).await, story);
    }
}

#[tokio::test]
async fn a_shipment_that_was_not_bought_is_nowhere() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    let tracking = world.get(format!("{path}/tracking")).await.json();
    assert_eq!(
        (tracking["tracking_status"].as_str(), tracking["events"].clone()),
        (Some("unknown"), json!([]))
    );
    assert_eq!(
        (tracking["tracking_number"].clone(), tracking["shipment_id"].as_str()),
        (Value::Null, path.rsplit('/').next())
    );
    assert_eq!(world.get(format!("{path}/documents")).await.json(), json!({"data": []}));
}

#[tokio::test]
async fn what_is_voided_is_paid_back_once() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    let void = format!("{path}/void");
    assert_eq!(refusal(&world.begin(&void, None).await), (409, "shipment_not_purchased".to_owned()));
    let bought = world.buy(&path).await;
    let begun = world.begin(&void, None).await;
    assert_eq!((begun.status.as_u16(), begun.json()["status"].as_str()), (202, Some("purchased")));
    assert_eq!((begun.header("location"), begun.header("retry-after")), (path.as_str(), "1"));
    assert_eq!(world.begin(&void, None).await.status, 202, "asking again changes nothing");
    world.work().await;
    let voided = world.get(&path).await.json();
    assert_eq!(
        (voided["status"].as_str(), voided["tracking_status"].as_str()),
        (Some("voided"), Some("cancelled"))
    );
    assert_eq!(voided["tracking_number"], bought["tracking_number"]);
    assert_eq!(world.begin(&void, None).await.status, 200, "nor does it afterwards");
    world.work_for(5).await;
    assert_eq!(world.carrier_charges(&path).await, CarrierCharges { charges: 1, voids: 1, net: 0 });
    assert_eq!(world.attempt(&path).await["state"], "voided");
    for reply in [
        world.patch(&path, json!({"name": "Other"})).await,
        world.delete(&path).await,
        world.request("POST", &format!("{path}/rates")).send().await,
        world
            .begin(&format!("{path}/purchase"), Some(crate::setup::purchase_requests::service("standard")))
            .await,
    ] {
        assert_eq!(refusal(&reply), (409, "shipment_voided".to_owned()), "{reply}");
    }
}

#[tokio::test]
async fn a_void_that_the_carrier_refuses_leaves_it_bought() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to("SBX-VOID-REJECTED")).await;
    world.buy(&path).await;
    let void = world.request("POST", &format!("{path}/void")).send();
    let work = async {
        until("a void is asked for", async || world.attempt(&path).await["state"] == "voiding").await;
        world.work().await;
    };
    let (reply, ()) = tokio::join!(void, work);
    assert_eq!((reply.status.as_u16(), reply.json()["status"].as_str()), (200, Some("purchased")), "{reply}");
    assert_eq!(errors(&reply.json()), [["void_error", "purchase_declined", "carrier"]]);
    assert_eq!(world.carrier_charges(&path).await.voids, 0);
    let story = world.story(&path).await;
    assert_eq!(story[2..4], ["shipment.purchased", "shipment.updated"], "{story:?}");
    // The client may ask again, and the carrier refuses again.
    world.begin(&format!("{path}/void"), None).await;
    world.work().await;
    assert_eq!(errors(&world.get(&path).await.json()).len(), 2);
}

/// Makes a shipment whose purchase is in review, and returns it with its purchase attempt.
async fn in_review(world: &World) -> (String, Value) {
    let path = world.shipment(parcel_to("SBX-LOST-FOREVER")).await;
    world.buy(&path).await;
    world.work_for(40).await;
    let attempt = world.attempt(&path).await;
    assert_eq!(attempt["state"], "needs_review", "{attempt}");
    (path, attempt)
}

#[tokio::test]
async fn a_person_resolves_an_unknown_outcome_as_bought() {
    let world = World::rehearsal().await;
    let (path, attempt) = in_review(&world).await;
    let id = attempt["id"].as_str().expect("an id");
    let event = world.newest_event("purchase_attempt.needs_review").await;
    assert_eq!(event["data"]["object"]["id"], attempt["id"]);
    assert_eq!(
        (attempt["error"]["code"].as_str(), attempt["amount"].clone()),
        (Some("outcome_unknown"), Value::Null)
    );
    assert_eq!(
        attempt["reference"].as_str(),
        path.rsplit('/').next(),
        "under this name it is found at the carrier's"
    );
    let queue = world.get("/purchase_attempts?state=needs_review").await;
    assert_eq!(queue.ids(), [id]);
    assert_eq!(world.get("/purchase_attempts?state=bought").await.ids(), Vec::<String>::new());
    assert_eq!(world.get("/purchase_attempts?state=lost").await.status, 400);
    assert_eq!(refusal(&world.delete(&path).await), (409, "shipment_purchasing".to_owned()));

    let resolve = format!("/purchase_attempts/{id}/resolve");
    assert_eq!(
        world.post(&resolve, json!({"outcome": "bought"})).await.status,
        422,
        "what was bought has a number"
    );
    let name = format!("{}.1.SBX-LOST-FOREVER", attempt["reference"].as_str().unwrap());
    let found = json!({
        "outcome": "bought", "tracking_numbers": ["SB123456785GB"], "carrier_purchase": name,
        "amount": 773, "currency_code": "GBP", "note": "Seen in the carrier's list",
    });
    let resolved = world.post(&resolve, found.clone()).await;
    assert_eq!(
        (resolved.status.as_u16(), resolved.json()["state"].as_str()),
        (200, Some("bought")),
        "{resolved}"
    );
    assert_eq!(resolved.json()["note"], "Seen in the carrier's list");
    let told = world.newest_event("purchase_attempt.resolved").await;
    assert_eq!(told["data"]["object"], resolved.json());
    assert_eq!(refusal(&world.post(&resolve, found).await), (409, "purchase_not_in_review".to_owned()));
    world.work().await;
    let shipment = world.get(&path).await.json();
    assert_eq!(
        (shipment["status"].as_str(), shipment["tracking_number"].as_str()),
        (Some("purchased"), Some("SB123456785GB"))
    );
    assert_eq!(shipment["documents"].as_array().map(Vec::len), Some(1), "{shipment}");
    let attempt = world.attempt(&path).await;
    assert_eq!((&attempt["amount"], &attempt["note"]), (&json!(773), &json!("Seen in the carrier's list")));
    assert_eq!(world.carrier_charges(&path).await.charges, 1, "nothing was bought again");
}

#[tokio::test]
async fn a_person_resolves_an_unknown_outcome_as_not_bought() {
    let world = World::rehearsal().await;
    let (path, attempt) = in_review(&world).await;
    let resolve = format!("/purchase_attempts/{}/resolve", attempt["id"].as_str().unwrap());
    let resolved = world.post(&resolve, json!({"outcome": "not_bought"})).await;
    assert_eq!(
        (resolved.status.as_u16(), resolved.json()["state"].as_str()),
        (200, Some("failed")),
        "{resolved}"
    );
    world.work_for(3).await;
    let shipment = world.get(&path).await.json();
    assert_eq!(shipment["status"], "purchase_failed");
    let story = world.story(&path).await;
    assert_eq!(story.last().map(String::as_str), Some("shipment.purchase_failed"));
    assert_eq!(refusal(&world.post(&resolve, json!({"outcome": "not_bought"})).await).0, 409);
    // The shipment may be changed again.
    let better = json!({"addresses": {"destination": {"address": {"post_code": "BS1 4DJ"}}}});
    assert_eq!(world.patch(&path, better).await.status, 200);
}

#[tokio::test]
async fn a_person_who_knows_only_the_number_gets_a_shipment_that_comes_to_rest() {
    let world = World::rehearsal().await;
    let (path, attempt) = in_review(&world).await;
    let resolve = format!("/purchase_attempts/{}/resolve", attempt["id"].as_str().unwrap());
    let found = json!({"outcome": "bought", "tracking_numbers": ["SB123456785GB"]});
    assert_eq!(world.post(&resolve, found).await.status, 200);
    // The carrier does not know this purchase, so it has no label of it either. The server asks for a while.
    for _ in 0..20 {
        world.advance_seconds(3600);
        world.work().await;
    }
    let shipment = world.get(&path).await.json();
    assert_eq!(shipment["status"], "purchased");
    let last = errors(&shipment).pop().expect("an error");
    assert_eq!((last[0].as_str(), last[2].as_str()), ("label_error", "carrier"), "{shipment}");
}

#[tokio::test]
async fn the_other_world_has_none_of_it() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    world.buy(&path).await;
    let live = world.token_for("Acme", "*", Mode::Live).await;
    for below in ["", "/documents", "/tracking"] {
        let reply = world.request("GET", &format!("{path}{below}")).token(&live).send().await;
        assert_eq!(refusal(&reply), (404, "not_found".to_owned()), "{below}");
    }
    let list = world.request("GET", "/purchase_attempts").token(&live).send().await;
    assert_eq!(list.ids(), Vec::<String>::new());
}
