//! Purchases: every word of the sandbox carrier does what the guide says, and a shipment is bought once however often a
//! client requests it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::setup::populated_organisation::parcel;
use crate::setup::purchase_requests::{CarrierCharges, errors, parcel_to, service};
use crate::setup::stock_requests::refusal;
use crate::setup::world::{Reply, World, until};

const GUIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/sandbox.md");
/// What a parcel costs, in pence, with the standard service.
const PRICE: i64 = 773;

/// The state of a shipment whose destination has this word, half a minute after its purchase was requested.
struct Case {
    word: &'static str,
    status: &'static str,
    errors: &'static [[&'static str; 3]],
    charges: usize,
    voids: usize,
    tracking: &'static str,
}

const fn bought(word: &'static str) -> Case {
    Case { word, status: "purchased", errors: &[], charges: 1, voids: 0, tracking: "pre_transit" }
}

const fn refused(word: &'static str, errors: &'static [[&'static str; 3]]) -> Case {
    Case { word, status: "purchase_failed", errors, charges: 0, voids: 0, tracking: "unknown" }
}

const CASES: &[Case] = &[
    bought("BS1 4DJ"),
    bought("SBX-RATES-NONE"),
    bought("SBX-RATES-PARTIAL"),
    bought("SBX-LABEL-GIF"),
    refused("SBX-RATE-EXPIRED", &[["purchase_error", "rate_expired", "carrier"]]),
    refused("SBX-ADDRESS-INVALID", &[["purchase_error", "address_invalid", "carrier"]]),
    refused("SBX-DECLINED", &[["purchase_error", "purchase_declined", "carrier"]]),
    refused("SBX-FUNDS", &[["purchase_error", "insufficient_funds", "carrier"]]),
    bought("SBX-FLAKY-2"),
    bought("SBX-429"),
    bought("SBX-LOST-BOUGHT"),
    bought("SBX-LOST-NOT"),
    Case {
        status: "purchasing",
        errors: &[["purchase_error", "outcome_unknown", "provider"]],
        tracking: "unknown",
        ..bought("SBX-LOST-FOREVER")
    },
    Case {
        errors: &[["purchase_error", "duplicate_purchase_voided", "service"]],
        charges: 2,
        voids: 1,
        ..bought("SBX-DUP")
    },
    bought("SBX-LABEL-LATE"),
    bought("SBX-VOID-REJECTED"),
    bought("SBX-MANIFEST-FAIL"),
    bought("SBX-MANIFEST-SLOW"),
    Case { tracking: "delivered", ..bought("SBX-TRACK-DELIVERED") },
    Case { tracking: "failure", ..bought("SBX-TRACK-EXCEPTION") },
    Case { tracking: "return_to_sender", ..bought("SBX-TRACK-RETURNED") },
];
/// With these words the carrier takes real time. The tests of waiting use them.
const SLOW: [&str; 2] = ["SBX-SLOW-3", "SBX-SLOW-20"];

#[test]
fn the_guide_tells_of_every_word_and_every_word_is_tried() {
    let guide = std::fs::read_to_string(GUIDE).expect("the guide");
    let rows = guide.lines().filter_map(|line| line.strip_prefix("| `SBX-")?.split_once('`'));
    let told: BTreeSet<String> = rows.map(|(word, _)| format!("SBX-{word}")).collect();
    let known = carriers::sandbox::Word::ALL.iter().map(|(word, _, _)| (*word).to_owned());
    assert_eq!(told, known.collect());
    let tried = CASES.iter().map(|case| case.word).chain(SLOW).filter(|word| word.starts_with("SBX-"));
    assert_eq!(told, tried.map(str::to_owned).collect());
}

#[tokio::test]
async fn every_word_does_what_the_guide_says() {
    let world = World::rehearsal().await;
    let mut paths = Vec::new();
    for case in CASES {
        let path = world.shipment(parcel_to(case.word)).await;
        let begun = world.begin(&format!("{path}/purchase"), Some(service("standard"))).await;
        assert_eq!((begun.status.as_u16(), begun.json()["status"].as_str()), (202, Some("purchasing")));
        paths.push(path);
    }
    world.work().await;
    world.work_for(32).await;
    for (case, path) in CASES.iter().zip(&paths) {
        let word = case.word;
        let shipment = world.get(path).await.json();
        let tracking = world.get(format!("{path}/tracking")).await.json();
        assert_eq!(shipment["status"], case.status, "{word}: {shipment}");
        assert_eq!(errors(&shipment), case.errors, "{word}");
        assert_eq!(shipment["tracking_status"], case.tracking, "{word}");
        assert_eq!(tracking["tracking_status"], case.tracking, "{word}");
        let net = PRICE * (case.charges - case.voids) as i64;
        let books = CarrierCharges { charges: case.charges, voids: case.voids, net };
        assert_eq!(world.carrier_charges(path).await, books, "{word}");
        let is_bought = case.status == "purchased";
        let documents = world.get(format!("{path}/documents")).await.json()["data"].clone();
        assert_eq!(documents, shipment["documents"], "{word}");
        assert_eq!(documents.as_array().map(Vec::len), Some(usize::from(is_bought)), "{word}: {documents}");
        assert_eq!(shipment["tracking_number"].is_string(), is_bought, "{word}");
        assert_eq!(shipment["packages"][0]["tracking_number"], shipment["tracking_number"], "{word}");
        let attempt = world.attempt(path).await;
        let state = match case.status {
            "purchased" => "bought",
            "purchasing" => "needs_review",
            _ => "failed",
        };
        assert_eq!(attempt["state"], state, "{word}: {attempt}");
        assert_eq!(attempt["amount"].as_i64(), is_bought.then_some(PRICE), "{word}");
    }
}

#[tokio::test]
async fn a_word_may_stand_in_the_company_too() {
    let world = World::rehearsal().await;
    let mut body = parcel();
    body["addresses"]["destination"]["contact"] = json!({"name": "Ada", "company": "SBX-FUNDS"});
    let path = world.shipment(body).await;
    assert_eq!(world.buy(&path).await["errors"][0]["code"], "insufficient_funds");
}

#[tokio::test]
async fn a_failed_purchase_can_be_corrected_and_bought() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to("SBX-RATE-EXPIRED")).await;
    assert_eq!(world.buy(&path).await["status"], "purchase_failed");
    // Buying again without new rates fails again. With new rates it succeeds.
    assert_eq!(world.buy(&path).await["status"], "purchase_failed");
    let rated = world.rate(&path).await;
    assert_eq!(
        (rated["status"].as_str(), rated["errors"].as_array().map(Vec::len)),
        (Some("rated"), Some(0))
    );
    let rate = json!({"rate": rated["rates"][0]["id"]});
    assert_eq!(world.begin(&format!("{path}/purchase"), Some(rate)).await.status, 202);
    world.work().await;
    let shipment = world.get(&path).await.json();
    assert_eq!(
        (shipment["status"].as_str(), shipment["service"]["rate"].clone()),
        (Some("purchased"), rated["rates"][0]["id"].clone())
    );
    assert_eq!(world.carrier_charges(&path).await.charges, 1);

    let path = world.shipment(parcel_to("SBX-ADDRESS-INVALID")).await;
    assert_eq!(world.buy(&path).await["status"], "purchase_failed");
    let better = json!({"addresses": {"destination": {"address": {"post_code": "BS1 4DJ"}}}});
    let mended = world.patch(&path, better).await.json();
    assert_eq!((mended["status"].as_str(), errors(&mended).len()), (Some("draft"), 0));
    assert_eq!(world.buy(&path).await["status"], "purchased");
    assert_eq!(
        world.story(&path).await,
        [
            "shipment.created",
            "shipment.updated",
            "shipment.purchase_failed",
            "shipment.updated",
            "shipment.updated",
            "shipment.purchased",
        ]
    );
}

#[tokio::test]
async fn a_purchase_is_waited_for_and_answered_with_200() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    let buy = world.post(format!("{path}/purchase"), service("express"));
    let (reply, ()) = tokio::join!(buy, until_purchasing(&world, &path));
    assert_eq!((reply.status.as_u16(), reply.json()["status"].as_str()), (200, Some("purchased")), "{reply}");
    assert_eq!(reply.json()["documents"].as_array().map(Vec::len), Some(1));
    assert_eq!(reply.json()["service"]["carrier_service"]["handle"], "express");
    let again = world.post(format!("{path}/purchase"), service("express")).await;
    assert_eq!(
        (again.status.as_u16(), again.json()["tracking_number"].clone()),
        (200, reply.json()["tracking_number"].clone())
    );
    assert_eq!(world.carrier_charges(&path).await.charges, 1);
}

/// Works on what is due once a purchase was requested.
async fn until_purchasing(world: &World, path: &str) {
    until("a purchase is asked for", async || world.get(path).await.json()["status"] != "draft").await;
    world.work().await;
}

#[tokio::test]
async fn a_purchase_that_takes_longer_is_answered_with_202() {
    let world = World::rehearsal_with(|settings| settings.carriers.wait_seconds = 0).await;
    let [three, twenty] = SLOW.map(parcel_to);
    let (three, twenty) = (world.shipment(three).await, world.shipment(twenty).await);
    for (path, wait) in [(&three, None), (&twenty, Some("wait=1")), (&twenty, Some("foo, wait=0;bar"))] {
        let request = world.request("POST", &format!("{path}/purchase"));
        let request = wait.into_iter().fold(request, |request, wait| request.header("prefer", wait));
        let reply = request.json(service("standard")).send().await;
        assert_eq!((reply.status.as_u16(), reply.json()["status"].as_str()), (202, Some("purchasing")));
        assert_eq!((reply.header("location"), reply.header("retry-after")), (path.as_str(), "1"));
        assert_eq!(reply.json()["id"].as_str(), path.rsplit('/').next(), "it says what to poll");
    }
    // In real time: the carrier takes these 20 seconds, and the request waits for its answer.
    world.work().await;
    for path in [three, twenty] {
        assert_eq!(world.get(&path).await.json()["status"], "purchased");
        assert_eq!(world.carrier_charges(&path).await.charges, 1);
    }
}

#[tokio::test]
async fn the_longest_wait_is_answered_with_202_and_never_with_503() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    // No worker runs, so the request waits for its full 30 seconds.
    let request = world.request("POST", &format!("{path}/purchase")).header("prefer", "wait=30");
    let reply = request.json(service("standard")).send().await;
    assert_eq!(
        (reply.status.as_u16(), reply.json()["status"].as_str()),
        (202, Some("purchasing")),
        "{reply}"
    );
}

#[tokio::test]
async fn a_wait_ends_before_a_short_time_limit_of_the_operator() {
    let limits = api::Limits { request_time: std::time::Duration::from_secs(4), ..api::Limits::default() };
    let mut world = World::with(limits, |settings| settings.carriers.wait_seconds = 30).await;
    world.token = world.token_for("Acme", "*", model::World::Test).await;
    for prefer in ["wait=30", "wait=99999999999", "handling=lenient"] {
        let path = world.shipment(parcel()).await;
        let request = world.request("POST", &format!("{path}/purchase")).header("prefer", prefer);
        let reply = request.json(service("standard")).send().await;
        assert_eq!(reply.status, 202, "{prefer}: {reply}");
    }
}

#[tokio::test]
async fn how_long_to_wait_is_a_number_of_seconds() {
    let world = World::rehearsal().await;
    let path = format!("{}/purchase", world.shipment(parcel()).await);
    for wait in ["wait=", "wait=soon", "wait=-1", "wait=1.5"] {
        let reply = world.request("POST", &path).header("prefer", wait).json(service("economy")).send().await;
        assert_eq!(refusal(&reply), (400, "invalid_header".to_owned()), "{wait}");
        assert_eq!(reply.issues(), [("invalid_header".to_owned(), "Prefer".to_owned())]);
    }
}

#[tokio::test]
async fn while_it_is_bought_it_stays_as_it_is() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    let rates = world.rate(&path).await["rates"].clone();
    let wanted = |place: usize| Some(json!({"rate": rates[place]["id"]}));
    let purchase = format!("{path}/purchase");
    assert_eq!(world.begin(&purchase, wanted(0)).await.status, 202);
    let before = world.get(&path).await.text;
    assert_eq!(world.begin(&purchase, wanted(0)).await.status, 202, "the same request changes nothing");
    for reply in [
        world.begin(&purchase, wanted(1)).await,
        world.begin(&purchase, Some(service("express"))).await,
        world.patch(&path, json!({"name": "Other"})).await,
        world.delete(&path).await,
        world.request("POST", &format!("{path}/rates")).send().await,
        world.begin(&format!("{path}/void"), None).await,
    ] {
        assert_eq!(refusal(&reply), (409, "shipment_purchasing".to_owned()), "{reply}");
    }
    assert_eq!(world.get(&path).await.text, before);
    world.work().await;
    for reply in [
        world.begin(&purchase, wanted(1)).await,
        world.patch(&path, json!({"name": "Other"})).await,
        world.delete(&path).await,
        world.request("POST", &format!("{path}/rates")).send().await,
    ] {
        assert_eq!(refusal(&reply), (409, "shipment_purchased".to_owned()), "{reply}");
    }
    assert_eq!(world.begin(&purchase, wanted(0)).await.status, 200);
    assert_eq!(world.carrier_charges(&path).await.charges, 1);
}

#[tokio::test]
async fn purchase_requests_that_name_nothing_are_refused_at_their_field() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    let other = world.shipment(parcel()).await;
    let foreign = world.rate(&other).await["rates"][0]["id"].clone();
    let mut disabled = json!({"carrier": {"handle": "sandbox"}, "name": "Off", "handle": "off"});
    disabled["disabled"] = json!(true);
    assert_eq!(world.post("/carrier_accounts", disabled).await.status, 201);
    for (wanted, code, field) in [
        (json!({"rate": foreign}), "rate_not_found", "/rate"),
        (
            json!({"carrier_account": "nobody", "carrier_service": "economy"}),
            "carrier_account_not_found",
            "/carrier_account",
        ),
        (
            json!({"carrier_account": "off", "carrier_service": "economy"}),
            "carrier_account_not_found",
            "/carrier_account",
        ),
        (
            json!({"carrier_account": "sandbox", "carrier_service": "van"}),
            "carrier_service_not_found",
            "/carrier_service",
        ),
    ] {
        let reply = world.post(format!("{path}/purchase"), wanted).await;
        assert_eq!(refusal(&reply), (422, code.to_owned()), "{reply}");
        assert_eq!(reply.issues(), [(code.to_owned(), field.to_owned())]);
    }
    for wanted in [
        json!({}),
        json!({"rate": foreign, "carrier_account": "sandbox"}),
        json!({"carrier_account": "sandbox"}),
    ] {
        assert_eq!(world.post(format!("{path}/purchase"), wanted).await.status, 422);
    }
    assert_eq!(world.get(&path).await.json()["status"], "draft");
}

#[tokio::test]
async fn a_repeated_key_buys_once_and_shows_what_came_of_it() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    let buy = async |wanted: Value| -> Reply {
        let request = world.request("POST", &format!("{path}/purchase")).header("prefer", "respond-async");
        request.header("idempotency-key", "buy").json(wanted).send().await
    };
    let first = buy(service("economy")).await;
    assert_eq!((first.status.as_u16(), first.header("idempotent-replayed")), (202, ""));
    let again = buy(service("economy")).await;
    assert_eq!((again.status.as_u16(), again.header("idempotent-replayed")), (202, "true"));
    world.work().await;
    let done = buy(service("economy")).await;
    assert_eq!((done.status.as_u16(), done.json()["status"].as_str()), (200, Some("purchased")));
    assert_eq!(done.header("idempotent-replayed"), "true");
    assert_eq!(refusal(&buy(service("express")).await), (422, "idempotency_key_reused".to_owned()));
    assert_eq!(world.carrier_charges(&path).await.charges, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_purchase_requests_at_once_buy_once() {
    let world = World::rehearsal().await;
    // From here on the server has its node id.
    world.work().await;
    let path = world.shipment(parcel()).await;
    let purchase = format!("{path}/purchase");
    let requests = (0..16).map(|number| {
        let handle = if number % 2 == 0 { "economy" } else { "express" };
        world.begin(&purchase, Some(service(handle)))
    });
    let mut seen = Vec::new();
    for reply in futures_util::future::join_all(requests).await {
        seen.push(reply.status.as_u16());
    }
    let count = |status: u16| seen.iter().filter(|seen| **seen == status).count();
    assert_eq!((count(202), count(409)), (8, 8), "{seen:?}");
    let (one, other) = tokio::join!(world.service.work_purchases(), world.service.work_purchases());
    one.and(other).expect("purchases are worked on");
    assert_eq!(world.get(&path).await.json()["status"], "purchased");
    assert_eq!(world.carrier_charges(&path).await.charges, 1);
}

#[tokio::test]
async fn events_tell_the_story_with_what_was_before() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    let rate = world.rate(&path).await["rates"][0]["id"].clone();
    world.begin(&format!("{path}/purchase"), Some(json!({"rate": rate}))).await;
    let begun = world.newest_event("shipment.updated").await;
    assert_eq!(begun["previous_attributes"]["status"], "rated");
    assert_eq!(begun["previous_attributes"]["service"], Value::Null);
    assert_eq!(
        (begun["data"]["object"]["status"].as_str(), &begun["data"]["object"]["service"]["rate"]),
        (Some("purchasing"), &rate)
    );
    world.work().await;
    let bought = world.newest_event("shipment.purchased").await;
    assert_eq!(bought["previous_attributes"]["status"], "purchasing");
    assert_eq!(bought["previous_attributes"]["tracking_number"], Value::Null);
    let shown = world.get(&path).await.json();
    assert_eq!(bought["data"]["object"]["tracking_number"], shown["tracking_number"]);
    assert_eq!(bought["data"]["object"]["documents"][0]["id"], shown["documents"][0]["id"]);
    assert_eq!(bought["data"]["object"]["documents"][0]["file_url"], "", "a link would not outlive the log");
    world.begin(&format!("{path}/void"), None).await;
    world.work().await;
    let voided = world.newest_event("shipment.voided").await;
    assert_eq!(voided["previous_attributes"]["status"], "purchased");
    assert_eq!(
        world.story(&path).await,
        ["shipment.created", "shipment.rated", "shipment.updated", "shipment.purchased", "shipment.voided",]
    );
}
