//! Searches over many resources find what a comparison of all documents finds, in the same order, page by page.

use std::collections::BTreeSet;

use model::exchange::search::SearchType;
use model::exchange::search_query::SearchQuery;
use model::orders::searched_order::SearchedOrder;
use model::places::searched_location::SearchedLocation;
use model::platform::search_text::{FieldTerm, Searched};
use model::shipping::searched_batch::SearchedBatch;
use model::shipping::searched_shipment::SearchedShipment;
use model::stock::searched_item::SearchedItem;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::setup::populated_organisation::parcel;
use crate::setup::stock_requests::lines;
use crate::setup::world::{World, depot};

const ORDERS: usize = 48;
const SHIPMENTS: usize = 16;
const NAMES: [&str; 6] =
    ["Anna Müller", "Anna-Maria Schmidt", "annabel lee", "Bob Müller", "Łukasz Żak", "O'Brien & Søn"];
const COMPANIES: [&str; 3] = ["Müller GmbH", "Acme Ltd", "1001 Nights"];
const POST_CODES: [&str; 3] = ["SW1A 1AA", "LS1 4AP", "BS1 4DJ"];

/// A resource as a comparison needs it.
struct Known {
    searched: SearchType,
    id: String,
    terms: Vec<FieldTerm>,
}

fn address(number: usize) -> Value {
    json!({
        "address": {"line_1": "1 High Street", "city": "Leeds", "post_code": POST_CODES[number % 3], "country_code": "GB"},
        "contact": {"name": NAMES[number * 5 % 6]},
    })
}

fn order(number: usize, item: &str) -> Value {
    let mut body = json!({"items": lines(&[(item, 1)])});
    if !number.is_multiple_of(7) {
        body["reference"] = json!(format!("SO-{}", 1000 + number / 2));
    }
    if number.is_multiple_of(3) {
        body["source"] = json!({"external_number": format!("#{}", 1000 + number)});
    }
    if !number.is_multiple_of(4) {
        let email = format!("{}.{number}@example.com", ["ann", "bob"][number % 2]);
        body["customer"] =
            json!({"name": NAMES[number % 6], "company": COMPANIES[number % 3], "email_address": email});
    }
    if !number.is_multiple_of(5) {
        body["destination"] = address(number);
    }
    body
}

async fn populate(world: &World, token: &str) {
    let make = async |path: &str, body: Value| {
        let reply = world.request("POST", path).token(token).json(body).send().await;
        assert_eq!(reply.status, 201, "{path}: {reply}");
        reply.json()["id"].as_str().expect("an id").to_owned()
    };
    let mut item = String::new();
    for (sku, name, barcodes) in [
        ("SO-1001", "Anna's mug", json!(["4006381333931"])),
        ("TEE-M", "Blue tee", json!(["012345678905", "BOX 7"])),
        ("TEE-L", "Blue tee, large", json!([])),
    ] {
        item = make("/inventory_items", json!({"sku": sku, "name": name, "barcodes": barcodes})).await;
    }
    for name in ["Müller Depot", "1001 Quay", "Anna"] {
        make("/locations", depot(name)).await;
    }
    for number in 0..ORDERS {
        make("/orders", order(number, &item)).await;
    }
    for number in 0..SHIPMENTS {
        let mut body = parcel();
        body["addresses"]["destination"] = address(number);
        body["name"] = json!(["SO-1001", "SO-1004", "Anna's gift", "tee"][number % 4]);
        make("/shipments", body).await;
    }
    for name in ["Monday, Müller", "SO-1001", "Blue tee"] {
        make("/batches", json!({"name": name})).await;
    }
}

/// Reads all resources of a type.
async fn known(world: &World, searched: SearchType) -> Vec<Known> {
    let read = |doc: &Value| -> Searched {
        match searched {
            SearchType::Order => SearchedOrder::deserialize(doc).unwrap().searched(),
            SearchType::InventoryItem => SearchedItem::deserialize(doc).unwrap().searched(),
            SearchType::Shipment => SearchedShipment::deserialize(doc).unwrap().searched(),
            SearchType::Batch => SearchedBatch::deserialize(doc).unwrap().searched(),
            SearchType::Location => SearchedLocation::deserialize(doc).unwrap().searched(),
        }
    };
    let path = match searched {
        SearchType::Order => "/orders",
        SearchType::InventoryItem => "/inventory_items",
        SearchType::Shipment => "/shipments",
        SearchType::Batch => "/batches",
        SearchType::Location => "/locations",
    };
    let page = world.get(format!("{path}?limit=100")).await.json();
    let list = page.as_object().unwrap().values().find_map(Value::as_array).unwrap();
    let one = |doc: &Value| Known {
        searched,
        id: doc["id"].as_str().unwrap().to_owned(),
        terms: read(doc).field_terms(),
    };
    list.iter().map(one).collect()
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Walks through all pages onward and back, and returns what was found.
async fn walk(world: &World, query: &str, types: &[SearchType], limit: usize) -> Vec<Value> {
    let types: Vec<&str> = types.iter().map(|searched| searched.as_str()).collect();
    let path = format!("/search?q={}&types={}&limit={limit}", encoded(query), types.join(","));
    let get = async |cursor: &str| {
        let page = world.get(format!("{path}&cursor={cursor}")).await;
        assert_eq!(page.status, 200, "{query}: {page}");
        page.json()
    };
    let of = |page: &Value| page["data"].as_array().unwrap().clone();
    let mut pages = vec![get("").await];
    while let Some(next) = pages.last().unwrap()["next_cursor"].as_str().map(str::to_owned) {
        pages.push(get(&next).await);
    }
    let found: Vec<Value> = pages.iter().flat_map(of).collect();
    assert!(pages.iter().all(|page| of(page).len() <= limit), "{query}");
    assert_eq!(pages[0]["previous_cursor"], Value::Null, "{query}");
    let mut back = of(pages.last().unwrap());
    let mut page = pages.pop().unwrap();
    while let Some(previous) = page["previous_cursor"].as_str().map(str::to_owned) {
        page = get(&previous).await;
        back.splice(0..0, of(&page));
    }
    assert_eq!(back, found, "{query}, read backwards");
    found
}

/// Returns the ids that a comparison of all documents finds, in the order of the result if one word leads.
fn expected(all: &[Known], query: &SearchQuery, types: &[SearchType]) -> Vec<String> {
    let ranges = query.ranges(0);
    let mut found: Vec<(usize, String, std::cmp::Reverse<&str>, &str)> = Vec::new();
    for known in all.iter().filter(|known| types.contains(&known.searched)) {
        if let Some(place) = query.place(&ranges, &known.terms) {
            let body = known.id.split_once('_').unwrap().1;
            found.push((place.range, place.entry.term.clone(), std::cmp::Reverse(body), &known.id));
        }
    }
    found.sort();
    found.into_iter().map(|(.., id)| id.to_owned()).collect()
}

/// Queries that the data set answers in different ways, among them some that nothing answers.
fn queries() -> Vec<String> {
    let mut queries: Vec<String> = Vec::new();
    for text in NAMES.into_iter().chain(COMPANIES).chain(POST_CODES) {
        let words: Vec<&str> = text.split_whitespace().collect();
        queries.extend([text.to_owned(), text.to_uppercase(), text.chars().take(3).collect()]);
        queries.push(words.iter().rev().copied().collect::<Vec<_>>().join(" "));
        queries.push(words.concat());
    }
    for text in [
        "so",
        "SO-1001",
        "so 1001",
        "1001",
        "#1003",
        "100",
        "tee",
        "blue tee",
        "tee blue",
        "te bl",
        "annab",
        "muller",
        "müller 1001",
        "anna ls1",
        "ann@example.com",
        "ann.1@example.com",
        "example",
        "com",
        "4006381333931",
        "04006381333931",
        "12345678905",
        "0012345678905",
        "box7",
        "quay",
        "monday muller",
        "a",
        "l",
        "zzz",
        "anna zzz",
        "so so",
        "1",
        "",
        "-",
    ] {
        queries.push(text.to_owned());
    }
    queries
}

#[tokio::test]
async fn a_search_finds_what_a_comparison_of_all_documents_finds() {
    let world = World::new().await;
    populate(&world, &world.token.clone()).await;
    let stranger = world.token_for("Other", "*", model::World::Live).await;
    populate(&world, &stranger).await;
    let mut all = Vec::new();
    for searched in SearchType::ALL {
        all.extend(known(&world, searched).await);
    }
    assert_eq!(all.len(), ORDERS + SHIPMENTS + 9);
    let mut found_some = 0;
    for (number, text) in queries().iter().enumerate() {
        let few = [SearchType::ALL[number % 5], SearchType::ALL[number * 2 % 5]];
        for (types, limit) in [(&SearchType::ALL[..], 100), (&SearchType::ALL[..], 1 + number % 7), (&few, 3)]
        {
            let query = SearchQuery::parse(text);
            let found = walk(&world, text, types, limit).await;
            let ids: Vec<String> = found.iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect();
            let expected = expected(&all, &query, types);
            let (set, expected_set) = (BTreeSet::from_iter(&ids), BTreeSet::from_iter(&expected));
            assert_eq!(set, expected_set, "{text}");
            assert_eq!(ids.len(), set.len(), "{text}: a resource came twice");
            if query.words().len() == 1 {
                assert_eq!(ids, expected, "{text}");
            }
            let rank =
                |hit: &Value| ["exact", "prefix", "word"].iter().position(|word| hit["match"] == **word);
            assert!(found.is_sorted_by_key(rank), "{text}: {found:?}");
            found_some += usize::from(!found.is_empty());
        }
    }
    assert!(found_some > 150, "only {found_some} searches found anything");
}
