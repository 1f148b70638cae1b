//! `GET /reports/costs`: the sums are what the carrier's ledger says and what all shipments together cost, for any grouping.

use std::collections::BTreeMap;

use model::World as Mode;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::setup::purchase_requests::parcel_to;
use crate::setup::shipping_origin::ShippingOrigin;
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;
use crate::shipping::easypost::EasyPostSetup;

const FINE: &str = "BS1 4DJ";
const DAY_SECONDS: i64 = 24 * 3600;
/// Shipments that are bought, and reports that are compared.
const SHIPMENTS: usize = 30;
const REPORTS: u32 = 80;
const DIMENSIONS: [&str; 4] = ["day", "carrier", "service", "location"];

/// A group by its day, carrier, service, location and currency.
type Key = [Option<String>; 5];
/// What was charged and given back, and the number of shipments, of voided ones and of duplicates.
type Sums = [i64; 5];

/// A shipment that was bought, with what a brute-force sum needs.
#[derive(Clone)]
struct Bought {
    path: String,
    day: String,
    location: Option<String>,
}

/// What one shipment adds to its group.
struct Share {
    day: String,
    doc: Value,
    location: Option<String>,
    currency: Option<String>,
    sums: Sums,
}

impl Share {
    /// Its group in a report that is grouped by these words.
    fn key(&self, words: &[&str]) -> Key {
        let has = |word: &str| words.contains(&word);
        let handle = |name: &str| self.doc["service"][name]["handle"].as_str().map(str::to_owned);
        [
            has("day").then(|| self.day.clone()),
            handle("carrier").filter(|_| has("carrier") || has("service")),
            handle("carrier_service").filter(|_| has("service")),
            self.location.clone().filter(|_| has("location")),
            self.currency.clone(),
        ]
    }
}

fn add(groups: &mut BTreeMap<Key, Sums>, key: Key, sums: Sums) {
    let group = groups.entry(key).or_default();
    for (sum, more) in group.iter_mut().zip(sums) {
        *sum += more;
    }
}

/// The groups that shares make.
fn grouped<'a>(shares: impl Iterator<Item = &'a Share>, words: &[&str]) -> BTreeMap<Key, Sums> {
    let mut groups = BTreeMap::new();
    shares.for_each(|share| add(&mut groups, share.key(words), share.sums));
    groups
}

fn sums(entry: &Value) -> Sums {
    let number = |name: &str| entry[name].as_i64().expect("a whole number");
    assert_eq!(number("net"), number("charged") - number("voided"), "{entry}");
    ["charged", "voided", "shipments_count", "voided_count", "duplicates_count"].map(number)
}

/// The groups of a report, which are sorted, and whose totals are their sums.
fn groups(report: &Value) -> BTreeMap<Key, Sums> {
    let (mut groups, mut totals) = (BTreeMap::new(), BTreeMap::new());
    let mut last = None;
    for group in report["groups"].as_array().expect("groups") {
        let text = |at: &str| group.pointer(at).and_then(Value::as_str).map(str::to_owned);
        let key = ["/day", "/carrier/handle", "/service/handle", "/location/id", "/currency_code"].map(text);
        assert!(last.as_ref().is_none_or(|last| *last < key), "{report}");
        last = Some(key.clone());
        let mut total = Key::default();
        total[4].clone_from(&key[4]);
        add(&mut totals, total, sums(group));
        add(&mut groups, key, sums(group));
    }
    let mut told = BTreeMap::new();
    for total in report["totals"].as_array().expect("totals") {
        let mut key = Key::default();
        key[4] = total["currency_code"].as_str().map(str::to_owned);
        add(&mut told, key, sums(total));
    }
    assert_eq!(told, totals, "{report}");
    groups
}

async fn report(world: &World, query: &str) -> Value {
    let reply = world.get(format!("/reports/costs?{query}")).await;
    assert_eq!(reply.status, 200, "{query}: {reply}");
    reply.json()
}

fn today(world: &World) -> String {
    world.service.context.now().to_string()[..10].to_owned()
}

/// Buys a shipment with a service of an account, and voids it.
async fn buy(
    world: &World,
    body: Value,
    service: Value,
    location: Option<String>,
    is_voided: bool,
) -> Bought {
    // A purchase that is looked up later belongs to the same day.
    while world.service.context.now().plus_seconds(60).to_string()[..10] != *today(world) {
        world.advance_seconds(60);
    }
    let path = world.shipment(body).await;
    let begun = world.begin(&format!("{path}/purchase"), Some(service)).await;
    assert_eq!(begun.status, 202, "{begun}");
    world.work().await;
    let day = today(world);
    // Lost answers are looked up, and what was bought twice is taken back.
    world.work_for(30).await;
    assert_eq!(world.get(&path).await.json()["status"], "purchased");
    if is_voided {
        let begun = world.begin(&format!("{path}/void"), None).await;
        assert!(begun.status.is_success(), "{begun}");
        world.work().await;
    }
    Bought { path, day, location }
}

#[tokio::test]
async fn the_report_is_what_the_ledger_of_the_carrier_says() {
    let world = World::rehearsal().await;
    let origins = [ShippingOrigin::new(&world).await, ShippingOrigin::new(&world).await];
    let second =
        world.post("/carrier_accounts", json!({"carrier": {"handle": "sandbox"}, "name": "Second"})).await;
    let accounts = ["sandbox".to_owned(), second.json()["id"].as_str().expect("an id").to_owned()];
    let words =
        [FINE, "SBX-DUP", "SBX-LOST-BOUGHT", "SBX-VOID-REJECTED", "SBX-LOST-NOT", FINE, "SBX-FLAKY-2"];
    let from = today(&world);
    let mut shares = Vec::new();
    for number in 0..21 {
        let origin = (number % 3 > 0).then(|| &origins[number % 2]);
        let word = words[number % words.len()];
        let mut body = origin.map_or_else(|| parcel_to(word), |origin| origin.parcel(word));
        body["packages"][0]["geometry"]["mass"] = json!(0.4 + number as f64);
        let handle = ["economy", "standard", "express"][number / 2 % 3];
        let service = json!({"carrier_account": accounts[number % 2], "carrier_service": handle});
        let location = origin.map(|origin| origin.location.clone());
        let bought = buy(&world, body, service, location, number % 4 == 3).await;
        let (charged, voided) = world.carrier_amounts(&bought.path).await;
        let doc = world.get(&bought.path).await.json();
        let duplicates = charged.len() as i64 - 1;
        let is_voided = i64::from(doc["status"] == "voided");
        let sums = [charged.iter().sum(), voided.iter().sum(), 1, is_voided, duplicates];
        let Bought { day, location, .. } = bought;
        shares.push(Share { day, doc, location, currency: Some("GBP".to_owned()), sums });
        world.advance_seconds(DAY_SECONDS / 5);
    }
    // A purchase that fails costs nothing.
    let declined = world.shipment(parcel_to("SBX-DECLINED")).await;
    assert_eq!(world.buy(&declined).await["status"], "purchase_failed");
    let to = today(&world);
    let all = grouped(shares.iter(), &[]);
    let total = all.values().next().expect("a sum");
    assert!(total[1] > 0 && total[3] >= 4 && total[4] == 3, "voids and duplicates are among them: {total:?}");
    for words in [&["carrier"][..], &["service"], &["location"], &["day"], &DIMENSIONS] {
        let query = format!("from={from}&to={to}&group_by={}", words.join(","));
        assert_eq!(groups(&report(&world, &query).await), grouped(shares.iter(), words), "{query}");
    }
    // A refund that the carrier refused is no refund.
    let refused =
        |share: &&Share| share.doc["addresses"]["destination"]["address"]["post_code"] == "SBX-VOID-REJECTED";
    assert!(shares.iter().filter(refused).all(|share| share.sums[1] == 0));
}

/// A world with what two carriers charged in four currencies.
async fn populate() -> (EasyPostSetup, Vec<Share>) {
    let setup = EasyPostSetup::open().await;
    let world = &setup.world;
    let mut accounts = Vec::new();
    for (currency, rates) in [("GBP", [450, 1]), ("EUR", [999, 1234]), ("JPY", [1500, 77])] {
        let service = |place: usize| json!({"handle": (["van", "bike"][place]), "name": (["Van", "Bike"][place]), "rates": [{"rate": rates[place]}]});
        let configuration = json!({"currency_code": currency, "services": [service(0), service(1)]});
        let body = json!({"carrier": {"handle": "own"}, "name": currency, "configuration": configuration});
        let made = world.post("/carrier_accounts", body).await;
        assert_eq!(made.status, 201, "{made}");
        accounts.push(made.json()["id"].as_str().expect("an id").to_owned());
    }
    let origins = [ShippingOrigin::new(world).await, ShippingOrigin::new(world).await];
    let mut bought = Vec::new();
    for number in 0..SHIPMENTS {
        let origin = (number % 5 > 1).then(|| &origins[number % 2]);
        let body = origin.map_or_else(|| parcel_to(FINE), |origin| origin.parcel(FINE));
        let service = json!({"carrier_account": accounts[number % 3], "carrier_service": (["van", "bike"][number / 3 % 2])});
        let location = origin.map(|origin| origin.location.clone());
        bought.push(buy(world, body, service, location, number % 6 == 5).await);
        world.advance_seconds(DAY_SECONDS / 4);
    }
    setup.buy().await;
    bought.push(Bought { path: format!("/shipments/{}", setup.shipment), day: today(world), location: None });
    world.shipment(parcel_to(FINE)).await;
    let shares = shares(world, &bought).await;
    (setup, shares)
}

/// Sums all pages of `GET /shipments`, shipment by shipment.
async fn shares(world: &World, bought: &[Bought]) -> Vec<Share> {
    let (mut shares, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = world.get(format!("/shipments?limit=7&cursor={cursor}")).await.json();
        for doc in page["data"].as_array().expect("a list") {
            let of = |one: &&Bought| one.path.ends_with(doc["id"].as_str().expect("an id"));
            let is_voided = doc["status"] == "voided";
            if !is_voided && doc["status"] != "purchased" {
                continue;
            }
            let Bought { day, location, .. } = bought.iter().find(of).expect("its purchase").clone();
            let charged = doc["cost"]["amount"].as_i64().unwrap_or_default();
            let voided = if is_voided { charged } else { 0 };
            let currency = doc["cost"]["currency_code"].as_str().map(str::to_owned);
            let sums = [charged, voided, 1, is_voided.into(), 0];
            shares.push(Share { day, doc: doc.clone(), location, currency, sums });
        }
        match page["next_cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return shares,
        }
    }
}

#[test]
fn any_report_is_the_sum_of_the_shipments() {
    let runtime = Runtime::new().unwrap();
    let (setup, shares) = runtime.block_on(populate());
    assert_eq!(shares.len(), SHIPMENTS + 1);
    let currencies: std::collections::BTreeSet<_> =
        shares.iter().map(|share| share.currency.clone()).collect();
    assert_eq!(currencies.len(), 4, "{currencies:?}");
    let days: std::collections::BTreeSet<_> = shares.iter().map(|share| share.day.clone()).collect();
    let days: Vec<_> = days.into_iter().collect();
    assert!(days.len() > 6, "{days:?}");
    let words = Just(DIMENSIONS.to_vec()).prop_shuffle();
    let strategy = (words, 0..=4_usize, 0..days.len(), 0..days.len());
    let mut runner =
        TestRunner::new(Config { cases: REPORTS, failure_persistence: None, ..Config::default() });
    let check = |(mut words, count, one, other): (Vec<&'static str>, usize, usize, usize)| {
        words.truncate(count);
        let (from, to) = (&days[one.min(other)], &days[one.max(other)]);
        let query = format!("from={from}&to={to}&group_by={}", words.join(","));
        let report = runtime.block_on(report(&setup.world, &query));
        if words.is_empty() {
            words.push("carrier");
        }
        let within = shares.iter().filter(|share| share.day >= *from && share.day <= *to);
        prop_assert_eq!(groups(&report), grouped(within, &words), "{}", query);
        Ok(())
    };
    runner.run(&strategy, check).unwrap();
}

#[tokio::test]
async fn a_report_shows_names_and_its_grouping() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    let service = json!({"carrier_account": "sandbox", "carrier_service": "express"});
    let location = Some(origin.location.clone());
    let bought = buy(&world, origin.parcel(FINE), service, location, false).await;
    let shown = report(&world, "group_by=location,service,day").await;
    let (charged, _) = world.carrier_amounts(&bought.path).await;
    assert_eq!(shown["group_by"], json!(["day", "carrier", "service", "location"]));
    assert_eq!(shown["to"], today(&world));
    assert_eq!(
        shown["groups"],
        json!([{
            "day": bought.day,
            "carrier": {"handle": "sandbox", "name": "Sandbox"},
            "service": {"handle": "express", "name": "Express"},
            "location": {"id": origin.location, "name": "Origin"},
            "currency_code": "GBP",
            "charged": charged[0], "voided": 0, "net": charged[0],
            "shipments_count": 1, "voided_count": 0, "duplicates_count": 0,
        }])
    );
    let plain = report(&world, "").await;
    assert_eq!(plain["group_by"], json!(["carrier"]));
    assert_eq!(
        (&plain["groups"][0]["day"], &plain["groups"][0]["service"], &plain["groups"][0]["location"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(plain["totals"][0]["net"], charged[0]);
}

#[tokio::test]
async fn what_a_person_found_out_is_counted_with_what_is_known_of_it() {
    let world = World::rehearsal().await;
    for more in [json!({}), json!({"amount": 777, "currency_code": "EUR"})] {
        let path = world.shipment(parcel_to("SBX-LOST-FOREVER")).await;
        world.buy(&path).await;
        world.work_for(30).await;
        let mut resolution = json!({"outcome": "bought", "tracking_numbers": ["X1"]});
        resolution.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let attempt = world.attempt(&path).await["id"].as_str().expect("an id").to_owned();
        let resolved = world.post(format!("/purchase_attempts/{attempt}/resolve"), resolution).await;
        assert_eq!(resolved.status, 200, "{resolved}");
        world.work().await;
        assert_eq!(world.get(&path).await.json()["status"], "purchased");
    }
    let key =
        |currency: Option<&str>| [None, Some("sandbox".to_owned()), None, None, currency.map(str::to_owned)];
    let expected = BTreeMap::from([(key(None), [0, 0, 1, 0, 0]), (key(Some("EUR")), [777, 0, 1, 0, 0])]);
    assert_eq!(groups(&report(&world, "").await), expected);
}

#[tokio::test]
async fn a_charge_belongs_to_the_day_of_the_purchase_where_the_organisation_is() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to(FINE)).await;
    world.buy(&path).await;
    let days = async |zone: &str| {
        assert_eq!(world.patch("/organisation", json!({"time_zone": zone})).await.status, 200);
        let report = report(&world, "group_by=day").await;
        assert_eq!(report["time_zone"], zone);
        let summary = world.get("/summary").await.json();
        assert_eq!(report["to"], summary["bought_per_day"][13]["date"], "{zone}");
        report["groups"].as_array().unwrap().clone()
    };
    // Zones on both sides of the date line: their dates always differ.
    let (early, late) = (days("Pacific/Pago_Pago").await, days("Pacific/Kiritimati").await);
    assert_eq!((early.len(), late.len()), (1, 1));
    assert!(early[0]["day"].as_str() < late[0]["day"].as_str(), "{early:?} {late:?}");
    // What is voided on a later day is given back on the day of the purchase.
    world.advance_seconds(3 * DAY_SECONDS);
    world.begin(&format!("{path}/void"), None).await;
    world.work().await;
    assert_eq!(world.get(&path).await.json()["status"], "voided");
    let voided = days("Pacific/Kiritimati").await;
    assert_eq!((&voided[0]["day"], voided.len()), (&late[0]["day"], 1));
    assert_eq!((&voided[0]["net"], &voided[0]["voided"]), (&json!(0), &late[0]["charged"]));
}

#[tokio::test]
async fn bad_ranges_and_words_are_refused_by_name() {
    let world = World::rehearsal().await;
    for (query, field) in [
        ("from=2026-02-01&to=2026-01-31", "from"),
        ("from=2025-01-01&to=2026-01-02", "from"),
        ("from=2999-01-01", "from"),
        ("from=2026-02-30", "from"),
        ("to=tomorrow", "to"),
        ("to=2026-11-19T00:00:00Z", "to"),
        ("from=9999-12-31&to=9999-12-31", "to"),
        ("to=0000-01-01", "to"),
        ("group_by=week", "group_by"),
        ("group_by=day,weekday", "group_by"),
        ("currency=GBP", "currency"),
    ] {
        let refused = world.get(format!("/reports/costs?{query}")).await;
        assert_eq!(refusal(&refused), (400, "invalid_query".to_owned()), "{query}: {refused}");
        assert_eq!(refused.json()["errors"][0]["field"], field, "{query}: {refused}");
    }
    for query in [
        "from=2024-01-01&to=2024-12-31&group_by=day",
        "from=0000-01-01&to=0000-12-31",
        "to=9999-12-29",
        "group_by=day,day,carrier",
    ] {
        assert_eq!(report(&world, query).await["groups"], json!([]), "{query}");
    }
}

#[tokio::test]
async fn costs_of_other_organisations_and_worlds_are_never_summed() {
    let world = World::rehearsal().await;
    world.buy(&world.shipment(parcel_to(FINE)).await).await;
    assert_eq!(report(&world, "").await["groups"].as_array().map(Vec::len), Some(1));
    for (organisation, mode) in [("Globex", Mode::Test), ("Acme", Mode::Live)] {
        let token = world.token_for(organisation, "shipments:read", mode).await;
        let reply = world.request("GET", "/reports/costs").token(&token).send().await;
        assert_eq!(
            (reply.status.as_u16(), &reply.json()["totals"]),
            (200, &json!([])),
            "{organisation}: {reply}"
        );
    }
    let token = world.token_for("Acme", "orders:read", Mode::Test).await;
    let refused = world.request("GET", "/reports/costs").token(&token).send().await;
    assert_eq!(refusal(&refused), (403, "insufficient_scope".to_owned()), "{refused}");
}
