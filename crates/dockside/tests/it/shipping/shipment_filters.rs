//! Filters of `GET /shipments` and `GET /batches`: any combination finds what a comparison of all documents finds, page by
//! page.

use model::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::setup::batch_requests::id;
use crate::setup::purchase_requests::parcel_to;
use crate::setup::shipping_origin::ShippingOrigin;
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

/// Shipments that are made, and combinations that are compared.
const SHIPMENTS: usize = 40;
const COMBINATIONS: u32 = 250;
const FINE: &str = "BS1 4DJ";

/// One shipment as a comparison needs it.
struct Known {
    id: String,
    doc: Value,
    batch: Option<String>,
    location: Option<String>,
    /// When it was bought.
    purchased_at: Option<Timestamp>,
}

/// A filter: its name and its value in the query.
type Filter = (&'static str, String);

/// What the shipments of the data set refer to.
struct Setup {
    origins: [ShippingOrigin; 2],
    batches: [String; 2],
    accounts: [String; 2],
}

/// Makes a shipment as its number says, and lets it go as far as the number says.
async fn live(world: &World, number: usize, setup: &Setup) -> Known {
    world.advance_seconds(10);
    let word = match number % 9 {
        4 => "SBX-DECLINED",
        2 | 5 => "SBX-TRACK-DELIVERED",
        7 => "SBX-TRACK-EXCEPTION",
        _ => FINE,
    };
    let origin = (!number.is_multiple_of(3)).then(|| &setup.origins[number % 2]);
    let mut body = origin.map_or_else(|| parcel_to(word), |origin| origin.parcel(word));
    if !number.is_multiple_of(4) {
        body["name"] = json!(["SO-1", "SO-2", "so-1"][number % 3]);
    }
    if number.is_multiple_of(5) {
        body["carrier"] = json!({"carrier_code": "sandbox"});
    }
    let path = world.shipment(body).await;
    let batch = (number % 5 < 2).then(|| &setup.batches[number % 2]);
    if let Some(batch) = batch {
        assert_eq!(world.add(batch, &[id(&path)]).await.status, 200);
    }
    let mut purchased_at = None;
    if number % 4 != 1 {
        let service = json!({"carrier_account": setup.accounts[number % 2], "carrier_service": "standard"});
        let begun = world.begin(&format!("{path}/purchase"), Some(service)).await;
        assert_eq!(begun.status, 202, "{begun}");
        world.work().await;
        let bought = world.get(&path).await.json();
        if bought["status"] == "purchased" {
            purchased_at = bought["updated_at"].as_str().and_then(Timestamp::parse);
            if number % 8 == 2 {
                world.begin(&format!("{path}/void"), None).await;
                world.work().await;
            }
        }
    } else if number % 8 == 5 {
        world.rate(&path).await;
    }
    Known {
        id: id(&path).to_owned(),
        doc: Value::Null,
        batch: batch.map(|path| id(path).to_owned()),
        location: origin.map(|origin| origin.location.clone()),
        purchased_at,
    }
}

/// The values of each filter, among them some that nothing has.
fn values(known: &[Known], setup: &Setup) -> Vec<(&'static str, Vec<String>)> {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let of =
        |name: &'static str| known.iter().filter_map(move |one| one.doc[name].as_str().map(str::to_owned));
    let numbers: Vec<String> = of("tracking_number").take(4).map(|number| number.to_lowercase()).collect();
    let created: Vec<String> = of("created_at").step_by(7).collect();
    let bought = known.iter().filter_map(|one| one.purchased_at).map(|at| at.to_string());
    let bought: Vec<String> = bought.step_by(5).collect();
    let unknown = |prefix: &str| format!("{prefix}_{}", "7".repeat(26));
    let ids = |paths: &[String; 2]| paths.iter().map(|path| id(path).to_owned()).collect::<Vec<_>>();
    let places = setup.origins.iter().map(|origin| origin.location.clone());
    vec![
        ("status", texts(&["draft", "rated", "purchasing", "purchased", "purchase_failed", "voided"])),
        ("tracking_status", texts(&["unknown", "pre_transit", "in_transit", "delivered", "failure"])),
        ("tracking_number", numbers.into_iter().chain(["none".to_owned()]).collect()),
        ("order_id", vec![unknown("ord")]),
        ("reference", texts(&["SO-1", "SO-2", "so-1", "SO-3"])),
        ("carrier", texts(&["sandbox", "easypost"])),
        ("carrier_account", setup.accounts.iter().cloned().chain(texts(&["sandbox", "none"])).collect()),
        ("batch_id", ids(&setup.batches).into_iter().chain([unknown("batch")]).collect()),
        ("location_id", places.chain([unknown("loc")]).collect()),
        ("created_after", created.clone()),
        ("created_before", created),
        ("purchased_after", bought.clone()),
        ("purchased_before", bought),
    ]
}

/// Returns whether a shipment passes a filter, by its document and what is known of it.
fn passes(known: &Known, (name, value): &Filter, setup: &Setup) -> bool {
    let text = |at: &str| known.doc.pointer(at).and_then(Value::as_str);
    let given = Timestamp::parse(value);
    let created_at = text("/created_at").and_then(Timestamp::parse);
    match *name {
        "status" | "tracking_status" => text(&format!("/{name}")) == Some(value),
        "tracking_number" => text("/tracking_number").map(str::to_lowercase).as_ref() == Some(value),
        "order_id" => false,
        "reference" => text("/name") == Some(value),
        "carrier" => text("/service/carrier/handle").or_else(|| text("/carrier/carrier_code")) == Some(value),
        // The first account has this handle.
        "carrier_account" if value == "sandbox" => {
            text("/service/carrier_account/id") == Some(&setup.accounts[0])
        }
        "carrier_account" => text("/service/carrier_account/id") == Some(value),
        "batch_id" => known.batch.as_ref() == Some(value),
        "location_id" => known.location.as_ref() == Some(value),
        "created_after" => created_at > given,
        "created_before" => created_at < given,
        "purchased_after" => known.purchased_at.is_some() && known.purchased_at > given,
        "purchased_before" => known.purchased_at.is_some() && known.purchased_at < given,
        other => panic!("no rule for {other}"),
    }
}

async fn all_pages(world: &World, query: &str, limit: usize) -> Vec<String> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = world.get(format!("/shipments?{query}&limit={limit}&cursor={cursor}")).await;
        assert_eq!(page.status, 200, "{query}: {page}");
        let data = page.json()["data"].as_array().cloned().unwrap();
        found.extend(data.iter().map(|shipment| shipment["id"].as_str().unwrap().to_owned()));
        match page.json()["next_cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return found,
        }
    }
}

async fn populate(world: &World) -> (Setup, Vec<Known>) {
    let accounts = world.get("/carrier_accounts").await.json();
    let first = accounts["data"][0]["id"].as_str().unwrap().to_owned();
    let second =
        world.post("/carrier_accounts", json!({"carrier": {"handle": "sandbox"}, "name": "Second"})).await;
    let setup = Setup {
        origins: [ShippingOrigin::new(world).await, ShippingOrigin::new(world).await],
        batches: [world.batch(json!({})).await, world.batch(json!({})).await],
        accounts: [first, second.json()["id"].as_str().unwrap().to_owned()],
    };
    let mut known = Vec::new();
    for number in 0..SHIPMENTS {
        known.push(live(world, number, &setup).await);
    }
    // Parcels move on, the latest not so far.
    world.work_for(25).await;
    for one in &mut known {
        one.doc = world.get(format!("/shipments/{}", one.id)).await.json();
    }
    known.sort_by(|left, right| right.id.cmp(&left.id));
    (setup, known)
}

#[test]
fn any_combination_finds_what_a_comparison_of_all_shipments_finds() {
    let runtime = Runtime::new().unwrap();
    let world = runtime.block_on(World::rehearsal());
    let (setup, known) = runtime.block_on(populate(&world));
    let statuses: std::collections::BTreeSet<_> =
        known.iter().map(|one| one.doc["status"].as_str().unwrap().to_owned()).collect();
    assert!(statuses.len() >= 5, "{statuses:?}");
    let values = values(&known, &setup);
    let names = prop::sample::subsequence((0..values.len()).collect::<Vec<_>>(), 1..=4);
    let strategy = (names, prop::collection::vec(0..12_usize, 4), 1..20_usize);
    let mut runner =
        TestRunner::new(Config { cases: COMBINATIONS, failure_persistence: None, ..Config::default() });
    let found_some = std::cell::Cell::new(0);
    let check = |(names, picks, limit): (Vec<usize>, Vec<usize>, usize)| {
        let filters: Vec<Filter> = names
            .iter()
            .zip(picks)
            .map(|(name, pick)| (values[*name].0, values[*name].1[pick % values[*name].1.len()].clone()))
            .collect();
        let query: Vec<_> = filters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let query = query.join("&");
        let bound = |name: &str| filters.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
        let is_empty = |what: &str| {
            let (after, before) = (bound(&format!("{what}_after")), bound(&format!("{what}_before")));
            after.zip(before).is_some_and(|(after, before)| after >= before)
        };
        if is_empty("created") || is_empty("purchased") {
            let reply = runtime.block_on(world.get(format!("/shipments?{query}")));
            assert_eq!(refusal(&reply), (400, "invalid_query".to_owned()), "{query}");
            return Ok(());
        }
        let is_found = |one: &&Known| filters.iter().all(|filter| passes(one, filter, &setup));
        let expected: Vec<&str> = known.iter().filter(is_found).map(|one| one.id.as_str()).collect();
        found_some.set(found_some.get() + usize::from(!expected.is_empty()));
        assert_eq!(runtime.block_on(all_pages(&world, &query, limit)), expected, "{query}");
        Ok(())
    };
    runner.run(&strategy, check).unwrap();
    let seen = found_some.get();
    assert!(seen > COMBINATIONS as usize / 8, "only {seen} combinations found anything");
}

#[tokio::test]
async fn facets_follow_every_change_of_a_shipment() {
    let world = World::rehearsal().await;
    let mut body = parcel_to("SBX-TRACK-DELIVERED");
    body["name"] = json!("One");
    let path = world.shipment(body).await;
    let finds = async |query: &str| !world.get(format!("/shipments?{query}")).await.ids().is_empty();
    assert!(finds("reference=One&tracking_status=unknown").await);
    assert!(!finds("carrier=sandbox").await);
    world.patch(&path, json!({"name": "Two", "carrier": {"carrier_code": "sandbox"}})).await;
    assert!(!finds("reference=One").await && finds("reference=Two&carrier=sandbox").await);
    let number = world.buy(&path).await["tracking_number"].as_str().unwrap().to_owned();
    assert!(finds(&format!("tracking_number={number}&carrier_account=sandbox")).await);
    assert!(!finds("tracking_status=unknown").await);
    world.work_for(60).await;
    assert!(finds(&format!("tracking_status=delivered&tracking_number={number}")).await);
    let draft = world.shipment(parcel_to(FINE)).await;
    assert!(finds("status=draft").await);
    assert_eq!(world.delete(&draft).await.status, 204);
    assert!(!finds("status=draft").await);
    // A shipment that was made from an order has the facet of the order.
    let (order, owner) = (format!("ord_{}", "1".repeat(26)), world.owner());
    assert!(!finds(&format!("order_id={order}")).await);
    let facet = format!("INSERT INTO shipment_facet VALUES ('{owner}', 'order={order}', '{}')", id(&path));
    world.tamper(&facet).await;
    assert_eq!(world.get(format!("/shipments?order_id={order}")).await.json()["data"][0]["id"], id(&path));
}

#[tokio::test]
async fn batches_are_filtered_by_their_status() {
    let world = World::new().await;
    let mut batches = Vec::new();
    for _ in 0..6 {
        batches.push(world.batch(json!({})).await);
    }
    for (batch, status) in batches.iter().zip(["purchased", "purchase_failed", "purchased"]) {
        world.set_batch_status(batch, status).await;
    }
    let found = async |query: &str| world.get(format!("/batches?{query}")).await;
    let ids = |paths: &[&String]| {
        let mut ids: Vec<String> = paths.iter().map(|path| id(path).to_owned()).collect();
        ids.sort_by(|left, right| right.cmp(left));
        ids
    };
    assert_eq!(found("status=purchased").await.ids(), ids(&[&batches[0], &batches[2]]));
    assert_eq!(found("status=purchase_failed").await.ids(), ids(&[&batches[1]]));
    assert_eq!(found("status=purchasing").await.ids(), [""; 0]);
    let first = found("status=open&limit=2").await;
    assert_eq!(first.ids().len(), 2);
    let next = first.json()["next_cursor"].as_str().unwrap().to_owned();
    assert_eq!(found(&format!("status=open&limit=2&cursor={next}")).await.ids().len(), 1);
    assert_eq!(found(&format!("limit=2&cursor={next}")).await.code(), "invalid_cursor");
    let unknown = found("status=done").await;
    assert_eq!(unknown.issues(), [("invalid_query".to_owned(), "status".to_owned())]);
}

#[tokio::test]
async fn filters_that_make_no_sense_are_refused() {
    let world = World::new().await;
    for (query, name) in [
        ("status=done", "status"),
        ("tracking_status=lost", "tracking_status"),
        ("tracking_number=", "tracking_number"),
        ("order_id=1", "order_id"),
        ("reference=", "reference"),
        ("carrier=", "carrier"),
        ("carrier_account=", "carrier_account"),
        ("batch_id=b", "batch_id"),
        ("location_id=here", "location_id"),
        ("created_after=yesterday", "created_after"),
        ("purchased_before=7", "purchased_before"),
        ("created_after=2026-11-02T00:00:00Z&created_before=2026-11-01T00:00:00Z", "created_after"),
        ("purchased_after=2026-11-01T00:00:00Z&purchased_before=2026-11-01T00:00:00Z", "purchased_after"),
    ] {
        let reply = world.get(format!("/shipments?{query}")).await;
        assert_eq!(refusal(&reply), (400, "invalid_query".to_owned()), "{query}");
        assert_eq!(reply.issues(), [("invalid_query".to_owned(), name.to_owned())], "{query}");
    }
}
