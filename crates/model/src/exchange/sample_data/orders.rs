//! What the sample shop sells: orders of the last days, what is wrong with some of them, and the waves that ship others.

use std::ops::Range;

use serde_json::{Value, json};

use super::goods::{CHANNEL, EXPRESS, ITEMS, ITEMS_IN_STOCK, SOLD_OUT, sku};
use super::task::{Kind, Task};
use crate::Timestamp;

const ORDERS: usize = 120;
/// The orders of each kind, by their places.
const SHIPPED: Range<usize> = 0..36;
/// Bought in a wave of their own, in which some purchases fail.
const HALF_BOUGHT: Range<usize> = 36..46;
/// Bought with an outcome that stays unknown.
const TO_REVIEW: Range<usize> = 46..47;
const ALLOCATED: Range<usize> = 47..67;
/// In a batch that is still open.
const TO_BUY: Range<usize> = 67..79;
const HELD: Range<usize> = 79..87;
const WITH_EXCEPTION: Range<usize> = 87..90;
const LATE: Range<usize> = 90..98;
const UNKNOWN_SKU: Range<usize> = 98..103;

/// Orders with a company by whose name the sandbox carrier does something special.
const SPECIAL: [(usize, &str); 10] = [
    (1, "SBX-TRACK-DELIVERED"),
    (4, "SBX-TRACK-DELIVERED"),
    (9, "SBX-TRACK-DELIVERED"),
    (14, "SBX-TRACK-DELIVERED"),
    (20, "SBX-TRACK-EXCEPTION"),
    (25, "SBX-TRACK-RETURNED"),
    (37, "SBX-ADDRESS-INVALID"),
    (40, "SBX-DECLINED"),
    (43, "SBX-ADDRESS-INVALID"),
    (46, "SBX-LOST-FOREVER"),
];

/// City, post code, latitude and longitude of where orders go.
const TOWNS: [(&str, &str, f64, f64); 12] = [
    ("London", "SE1 9TG", 51.5055, -0.0865),
    ("Manchester", "M1 2JB", 53.4808, -2.2369),
    ("Birmingham", "B1 1BB", 52.4797, -1.9027),
    ("Edinburgh", "EH1 1YZ", 55.9503, -3.1883),
    ("Cardiff", "CF10 1EP", 51.4816, -3.1791),
    ("Sheffield", "S1 2HH", 53.3811, -1.4701),
    ("Newcastle upon Tyne", "NE1 7RU", 54.9783, -1.6178),
    ("Norwich", "NR2 1TF", 52.6309, 1.2974),
    ("Exeter", "EX1 1GJ", 50.7256, -3.5269),
    ("Aberdeen", "AB10 1AB", 57.1497, -2.0943),
    ("York", "YO1 7HH", 53.9600, -1.0873),
    ("Southampton", "SO14 7DW", 50.9097, -1.4044),
];

const HOUR: i64 = 3600;

fn order_key(place: usize) -> String {
    format!("order/{:03}", place + 1)
}

/// Returns how many hours before the shop was begun an order was placed, and how many hours after that moment it is to be shipped.
fn hours(place: usize) -> (i64, i64) {
    let spread = place as i64;
    match place {
        _ if SHIPPED.contains(&place) || HALF_BOUGHT.contains(&place) => (48 + spread * 4 % 150, 6),
        _ if LATE.contains(&place) => (96 + spread % 24, -(spread % 30) - 4),
        _ if WITH_EXCEPTION.contains(&place) || HELD.contains(&place) => (24 + spread % 40, 20),
        _ => (1 + spread * 7 % 30, 24 + spread % 24),
    }
}

fn lines(place: usize) -> Value {
    if UNKNOWN_SKU.contains(&place) {
        let sku = format!("SAMPLE-NEW-{}", place - UNKNOWN_SKU.start + 1);
        return json!([{"sku": sku, "name": "A product without an item", "quantity": 1, "unit_price": 1000}]);
    }
    let mut lines = Vec::new();
    for line in 0..=(place % 3) {
        let item = (place * 7 + line * 11) % ITEMS_IN_STOCK;
        let (name, _, _, _, value, _) = ITEMS[item];
        let quantity = 1 + (place + line) % 2;
        lines.push(json!({"sku": sku(item), "name": name, "quantity": quantity, "unit_price": value}));
    }
    // One order of the open batch wants what is sold out, so the wave has an exception.
    if place + 1 == TO_BUY.end {
        let (name, _, _, _, value, _) = ITEMS[SOLD_OUT];
        lines.push(json!({"sku": sku(SOLD_OUT), "name": name, "quantity": 1, "unit_price": value}));
    }
    lines.into()
}

fn order(place: usize, begun_at: Timestamp) -> Value {
    let number = place + 1;
    let (city, post_code, latitude, longitude) = TOWNS[place * 5 % TOWNS.len()];
    let (placed, due) = hours(place);
    let name = format!("Sample customer {number}");
    let email = format!("customer{number}@example.com");
    let mut contact = json!({"name": name, "email_address": email});
    if let Some((_, word)) = SPECIAL.iter().find(|(special, _)| *special == place) {
        contact["company"] = json!(word);
    }
    let mut order = json!({
        "reference": format!("SAMPLE-{number:03}"),
        "status": "committed",
        "channel": CHANNEL,
        "customer": {"name": name, "email_address": email},
        "destination": {
            "address": {
                "line_1": format!("{} Example Street", number % 90 + 1),
                "city": city,
                "post_code": post_code,
                "country_code": "GB",
            },
            "contact": contact,
            "coordinates": {"latitude": latitude, "longitude": longitude},
        },
        "placed_at": begun_at.plus_seconds(-placed * HOUR),
        "ship_by": begun_at.plus_seconds(due * HOUR),
        "currency_code": "GBP",
        "tags": ["sample"],
        "lines": lines(place),
    });
    if place.is_multiple_of(5) {
        order["requested_service"] = json!(EXPRESS);
    }
    order
}

pub(super) fn orders(begun_at: Timestamp) -> Vec<Task> {
    (0..ORDERS).map(|place| Task::new(Kind::Order, order_key(place), order(place, begun_at))).collect()
}

/// Holds, exceptions and allocations.
pub(super) fn troubles() -> Vec<Task> {
    const REASONS: [&str; 3] =
        ["Sample: address to be confirmed", "Sample: payment check", "Sample: gift note"];
    let task = |kind, name: &str, place: usize, body| {
        Task::new(kind, format!("{name}/{:03}", place + 1), body).of(&[order_key(place)])
    };
    let holds = HELD
        .map(|place| task(Kind::OrderHold, "hold", place, json!({"reason": REASONS[place % REASONS.len()]})));
    let message = "Sample: the shelf has fewer pieces than were counted.";
    let exceptions = WITH_EXCEPTION
        .map(|place| task(Kind::OrderException, "exception", place, json!({"message": message})));
    let plans = ALLOCATED.map(|place| task(Kind::OrderPlan, "plan", place, json!({})));
    holds.chain(exceptions).chain(plans).collect()
}

pub(super) fn waves() -> Vec<Task> {
    let wave = |key: &str, name: &str, orders: Range<usize>, steps: &[&str]| {
        let orders: Vec<String> = orders.map(|place| format!("${}", order_key(place))).collect();
        let body = json!({"name": name, "order_ids": orders, "steps": steps});
        Task::new(Kind::Wave, format!("wave/{key}"), body)
    };
    let all = ["plan", "ship", "batch", "purchase"];
    vec![
        wave("shipped", "Sample: yesterday's parcels", SHIPPED, &all),
        wave("half_bought", "Sample: some purchases fail", HALF_BOUGHT, &all),
        wave("to_review", "Sample: an outcome to review", TO_REVIEW, &all),
        wave("to_buy", "Sample: ready to buy", TO_BUY, &all[..3]),
    ]
}

/// Closes out the first batch of the wave that was shipped.
pub(super) fn manifests() -> Vec<Task> {
    vec![Task::new(Kind::Manifest, "manifest/shipped".to_owned(), json!({})).of(&["wave/shipped".to_owned()])]
}
