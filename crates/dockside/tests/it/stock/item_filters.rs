//! Filters of the list of items: every combination finds what a filter over all items would.

use serde_json::{Value, json};
use testkit::random::Random;

use crate::setup::stock_requests::{refusal, texts};
use crate::setup::world::World;

const ITEMS: u64 = 60;
const NAMES: [&str; 4] = ["Blue tee", "BLUE TEE", "Mug", "Été"];

/// An item as the list shows it, and what the filters see of it.
struct Known {
    id: String,
    sku: String,
    name: String,
    barcodes: Vec<String>,
    is_low: bool,
}

/// Makes random items, of which some have barcodes, and some a low level.
async fn random_items(world: &World, random: &mut Random) -> Vec<Known> {
    let depots = [world.location("North").await, world.location("South").await];
    let mut items = Vec::new();
    for number in 0..ITEMS {
        let name = NAMES[random.below(NAMES.len() as u64) as usize];
        let barcodes: Vec<String> =
            (0..random.below(3)).map(|which| format!("code-{number}-{which}")).collect();
        let sku = format!("SKU-{number}");
        let body = json!({"sku": sku, "name": name, "barcodes": barcodes});
        let made = world.post("/inventory_items", body).await;
        assert_eq!(made.status, 201, "{made}");
        let id = made.json()["id"].as_str().unwrap().to_owned();
        let mut is_low = false;
        for depot in &depots {
            let (on_hand, point) = (random.below(5), random.below(6));
            match random.below(3) {
                0 => {}
                1 => world.count(&id, depot, on_hand as i64).await,
                _ => {
                    let body = json!({"on_hand": on_hand, "reorder_point": point});
                    let path = format!("/inventory_items/{id}/levels/{depot}");
                    assert_eq!(world.put(path, body).await.status, 200);
                    is_low |= on_hand <= point;
                }
            }
        }
        items.push(Known { id, sku, name: name.to_owned(), barcodes, is_low });
    }
    // Newest first, as lists are.
    items.reverse();
    items
}

/// Follows the list to its end, forwards, and back to its beginning.
async fn all_pages(world: &World, query: &str, limit: u64) -> Vec<String> {
    let (mut ids, mut cursor) = (Vec::new(), String::new());
    let mut last: Value = loop {
        let page = world.get(format!("/inventory_items?limit={limit}{query}{cursor}")).await;
        assert_eq!(page.status, 200, "{query}: {page}");
        ids.extend(page.ids());
        match page.json()["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break page.json(),
        }
    };
    let mut back = texts(&last["data"], "/id");
    while let Some(previous) = last["previous_cursor"].as_str() {
        last = world.get(format!("/inventory_items?limit={limit}{query}&cursor={previous}")).await.json();
        back.splice(0..0, texts(&last["data"], "/id"));
    }
    assert_eq!(back, ids, "{query}: the way back");
    ids
}

#[tokio::test]
async fn every_combination_finds_what_a_filter_over_all_items_finds() {
    let world = World::new().await;
    let mut random = Random::seeded("item_filters");
    let items = random_items(&world, &mut random).await;
    for round in 0..120 {
        // Filters of an existing item match more often than independent ones.
        let one = &items[random.below(ITEMS) as usize];
        let other = &items[random.below(ITEMS) as usize];
        let chosen = |is_same: bool| if is_same { one } else { other };
        let sku = (random.below(3) == 0).then(|| chosen(random.below(3) > 0).sku.clone());
        let barcode = match random.below(3) {
            0 => chosen(random.below(3) > 0).barcodes.first().cloned().or_else(|| Some("unknown".to_owned())),
            _ => None,
        };
        let name = (random.below(2) == 0).then(|| {
            let name = &chosen(random.below(3) > 0).name;
            if random.below(2) == 0 { name.to_ascii_uppercase() } else { name.to_ascii_lowercase() }
        });
        let low = [None, Some(true), Some(false)][random.below(3) as usize];
        let expected: Vec<&str> = items
            .iter()
            .filter(|item| sku.as_ref().is_none_or(|sku| item.sku == *sku))
            .filter(|item| barcode.as_ref().is_none_or(|code| item.barcodes.contains(code)))
            .filter(|item| name.as_ref().is_none_or(|name| item.name.eq_ignore_ascii_case(name)))
            .filter(|item| low.is_none_or(|low| item.is_low == low))
            .map(|item| item.id.as_str())
            .collect();
        let part = |name: &str, value: Option<String>| {
            let encoded =
                value.map(|value| value.replace(' ', "%20").replace('É', "%C3%89").replace('é', "%C3%A9"));
            encoded.map_or_else(String::new, |value| format!("&{name}={value}"))
        };
        let query = [
            part("sku", sku),
            part("barcode", barcode),
            part("name", name),
            part("low_stock", low.map(|low| low.to_string())),
        ]
        .concat();
        let limit = [100, 7, 1 + round % 3][random.below(3) as usize];
        assert_eq!(all_pages(&world, &query, limit).await, expected, "{query}");
    }
}

#[tokio::test]
async fn a_filter_that_says_nothing_is_refused_and_a_cursor_belongs_to_its_filters() {
    let world = World::new().await;
    for number in 0..3 {
        let body = json!({"sku": format!("S{number}"), "name": "Mug"});
        assert_eq!(world.post("/inventory_items", body).await.status, 201);
    }
    for query in
        ["low_stock=maybe", "low_stock=", "barcode=", "name=", "barcode=%20x", "barcode=a&barcode=b", "bar=x"]
    {
        let reply = world.get(format!("/inventory_items?{query}")).await;
        assert_eq!(refusal(&reply), (400, "invalid_query".to_owned()), "{query}");
    }
    let page = world.get("/inventory_items?name=mug&limit=1").await.json();
    let cursor = page["next_cursor"].as_str().expect("more");
    assert_eq!(world.get(format!("/inventory_items?name=MUG&cursor={cursor}")).await.ids().len(), 2);
    for other in ["", "&name=cup", "&name=mug&low_stock=false"] {
        let reply = world.get(format!("/inventory_items?cursor={cursor}{other}")).await;
        assert_eq!(refusal(&reply), (400, "invalid_cursor".to_owned()), "{other}");
    }
}
