//! What the sample shop has: locations, boxes, rules, items and their stock.

use serde_json::{Value, json};

use super::task::{Kind, Task};

/// Key, name, street, city, post code, latitude and longitude of each location.
type Place = (&'static str, &'static str, &'static str, &'static str, &'static str, f64, f64);
const PLACES: [Place; 3] = [
    ("bristol", "Sample warehouse Bristol", "1 Example Quay", "Bristol", "BS1 4DJ", 51.4497, -2.5973),
    ("leeds", "Sample warehouse Leeds", "2 Example Road", "Leeds", "LS1 4DY", 53.7965, -1.5478),
    ("glasgow", "Sample shop Glasgow", "3 Example Street", "Glasgow", "G2 1DY", 55.8617, -4.2583),
];

/// Handle, name, inner length, width and height in centimetres, mass of the empty package, largest mass, cost.
type Package = (&'static str, &'static str, [f64; 3], f64, f64, i64);
const PACKAGES: [Package; 4] = [
    ("sample-letter", "Sample padded envelope", [35.0, 25.0, 5.0], 0.05, 2.0, 18),
    ("sample-small", "Sample box, small", [30.0, 22.0, 15.0], 0.15, 5.0, 35),
    ("sample-medium", "Sample box, medium", [45.0, 35.0, 25.0], 0.35, 15.0, 70),
    ("sample-large", "Sample box, large", [60.0, 45.0, 45.0], 0.7, 28.0, 120),
];

/// Name, tag, mass in kilograms, sides in centimetres, value of a piece in pence, tariff code.
type Item = (&'static str, &'static str, f64, [f64; 3], i64, &'static str);
pub(super) const ITEMS: [Item; 40] = [
    ("Mug, white", "kitchen", 0.35, [12.0, 9.0, 10.0], 850, "691200"),
    ("Mug, blue", "kitchen", 0.35, [12.0, 9.0, 10.0], 850, "691200"),
    ("Mug, large", "kitchen", 0.48, [13.0, 10.0, 12.0], 1150, "691200"),
    ("Teapot", "kitchen", 0.9, [22.0, 14.0, 15.0], 2900, "691200"),
    ("Tea, green, 100 g", "food", 0.13, [8.0, 8.0, 12.0], 640, "090210"),
    ("Tea, black, 100 g", "food", 0.13, [8.0, 8.0, 12.0], 590, "090230"),
    ("Tea, mint, 50 g", "food", 0.08, [8.0, 8.0, 12.0], 520, "121190"),
    ("Tea strainer", "kitchen", 0.06, [15.0, 7.0, 4.0], 480, "732393"),
    ("Coffee beans, 250 g", "food", 0.27, [10.0, 7.0, 16.0], 890, "090121"),
    ("Coffee beans, 1 kg", "food", 1.05, [14.0, 9.0, 28.0], 2700, "090121"),
    ("Hand grinder", "kitchen", 0.55, [18.0, 7.0, 7.0], 3900, "821000"),
    ("Paper filters, 100", "kitchen", 0.16, [18.0, 13.0, 4.0], 390, "482320"),
    ("Notebook, lined", "paper", 0.22, [21.0, 15.0, 2.0], 720, "482010"),
    ("Notebook, plain", "paper", 0.22, [21.0, 15.0, 2.0], 720, "482010"),
    ("Pocket notebook", "paper", 0.09, [14.0, 9.0, 1.0], 450, "482010"),
    ("Pencils, set of 12", "paper", 0.11, [19.0, 6.0, 2.0], 680, "960910"),
    ("Fountain pen", "paper", 0.04, [17.0, 5.0, 3.0], 2400, "960830"),
    ("Ink, blue, 50 ml", "paper", 0.16, [6.0, 6.0, 7.0], 900, "321590"),
    ("Desk lamp", "home", 1.4, [34.0, 20.0, 18.0], 4500, "940521"),
    ("Candle, small", "home", 0.2, [7.0, 7.0, 8.0], 790, "340600"),
    ("Candle, large", "home", 0.5, [9.0, 9.0, 14.0], 1490, "340600"),
    ("Plant pot, 12 cm", "garden", 0.6, [13.0, 13.0, 12.0], 980, "691390"),
    ("Plant pot, 18 cm", "garden", 1.1, [19.0, 19.0, 17.0], 1680, "691390"),
    ("Watering can", "garden", 0.45, [30.0, 14.0, 20.0], 1850, "732690"),
    ("Seeds, herbs", "garden", 0.02, [12.0, 8.0, 1.0], 290, "120991"),
    ("Seeds, flowers", "garden", 0.02, [12.0, 8.0, 1.0], 290, "120930"),
    ("Garden gloves, M", "garden", 0.12, [24.0, 12.0, 3.0], 890, "611610"),
    ("Garden gloves, L", "garden", 0.13, [25.0, 12.0, 3.0], 890, "611610"),
    ("Tea towel, striped", "kitchen", 0.1, [22.0, 16.0, 2.0], 650, "630260"),
    ("Apron", "kitchen", 0.25, [28.0, 20.0, 4.0], 1950, "621143"),
    ("Cushion cover", "home", 0.2, [30.0, 24.0, 3.0], 1590, "630492"),
    ("Wool blanket", "home", 1.2, [34.0, 30.0, 14.0], 6900, "630120"),
    ("Socks, S", "clothes", 0.07, [20.0, 10.0, 3.0], 750, "611595"),
    ("Socks, L", "clothes", 0.08, [20.0, 10.0, 3.0], 750, "611595"),
    ("Beanie", "clothes", 0.1, [22.0, 18.0, 4.0], 1450, "650500"),
    ("Scarf", "clothes", 0.18, [26.0, 20.0, 5.0], 2200, "611710"),
    ("Umbrella", "clothes", 0.4, [32.0, 6.0, 6.0], 2600, "660191"),
    ("Postcards, set of 10", "paper", 0.07, [16.0, 12.0, 1.0], 590, "490900"),
    ("Advent calendar", "paper", 0.3, [33.0, 25.0, 2.0], 1290, "491000"),
    ("Wall calendar", "paper", 0.35, [34.0, 25.0, 1.0], 1190, "491000"),
];

/// Items of which the sample orders take some: of the others almost nothing is there.
pub(super) const ITEMS_IN_STOCK: usize = 36;
/// The item of which nothing is there.
pub(super) const SOLD_OUT: usize = 38;

pub(super) fn location_key(name: &str) -> String {
    format!("location/{name}")
}

fn item_key(item: usize) -> String {
    format!("item/{:02}", item + 1)
}

pub(super) fn sku(item: usize) -> String {
    format!("SAMPLE-{:02}", item + 1)
}

pub(super) fn locations() -> Vec<Task> {
    let task = |(key, name, street, city, post_code, latitude, longitude): Place| {
        let body = json!({
            "name": name,
            "tags": ["sample"],
            "address": {
                "address": {"line_1": street, "city": city, "post_code": post_code, "country_code": "GB"},
                "contact": {"company": "Sample Shop", "email_address": "warehouse@example.com"},
            },
            "coordinates": {"latitude": latitude, "longitude": longitude},
            "time_zone": "Europe/London",
        });
        Task::new(Kind::Location, location_key(key), body)
    };
    PLACES.into_iter().map(task).collect()
}

pub(super) fn configurations() -> Vec<Task> {
    let task = |(key, name, ..): Place| {
        let location = format!("${}", location_key(key));
        let body =
            json!({"name": name, "locations": {"origin": {"id": location}, "return": {"id": location}}});
        Task::new(Kind::LocationConfiguration, format!("location_configuration/{key}"), body)
    };
    PLACES.into_iter().map(task).collect()
}

pub(super) fn package_types() -> Vec<Task> {
    let task = |(handle, name, [length, width, height], tare, mass_max, cost): Package| {
        let body = json!({
            "name": name,
            "handle": handle,
            "inner_dimensions": {"length": length, "width": width, "height": height},
            "tare_mass": tare,
            "mass_max": mass_max,
            "cost": {"amount": cost, "currency_code": "GBP"},
            // Only there: shipments of other locations go into the packages that they had.
            "location_ids": PLACES.map(|(location, ..)| format!("${}", location_key(location))),
        });
        Task::new(Kind::PackageType, format!("package_type/{handle}"), body)
    };
    PACKAGES.into_iter().map(task).collect()
}

/// What the rules take, and the orders have.
pub(super) const CHANNEL: &str = "sample_shop";
pub(super) const EXPRESS: &str = "Express delivery";

pub(super) fn shipping_rules() -> Vec<Task> {
    let rule = |key: &str, name: &str, conditions: Value, service: &str| {
        let service = json!({"carrier_account": "sandbox", "carrier_service": service});
        let body = json!({"name": name, "conditions": conditions, "action": {"service": service}});
        Task::new(Kind::ShippingRule, format!("shipping_rule/{key}"), body)
    };
    let express = json!({"channels": [CHANNEL], "requested_services": [EXPRESS]});
    vec![
        rule("express", "Sample: express if the customer wants it", express, "express"),
        rule("standard", "Sample: standard for everything else", json!({"channels": [CHANNEL]}), "standard"),
    ]
}

/// Returns the GTIN-13 of an item. Codes that begin with 20 are for use within a shop and belong to no product.
fn gtin(item: usize) -> String {
    let digits = format!("2000000{item:05}");
    let sum: u32 = digits
        .chars()
        .enumerate()
        .map(|(place, digit)| digit.to_digit(10).unwrap_or_default() * if place % 2 == 0 { 1 } else { 3 })
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

pub(super) fn items() -> Vec<Task> {
    let task = |(item, (name, tag, mass, [length, width, height], value, hs_code)): (usize, Item)| {
        let body = json!({
            "sku": sku(item),
            "name": name,
            "mass": mass,
            "dimensions": {"length": length, "width": width, "height": height},
            "barcodes": [gtin(item)],
            "unit_value": value,
            "currency_code": "GBP",
            "hs_code": hs_code,
            "origin_country_code": "GB",
            "customs_description": name,
            "tags": ["sample", tag],
        });
        Task::new(Kind::InventoryItem, item_key(item), body)
    };
    ITEMS.into_iter().enumerate().map(task).collect()
}

/// Every item is in Bristol, every second one in Leeds, and every third one in Glasgow.
pub(super) fn levels() -> Vec<Task> {
    let mut tasks = Vec::new();
    for item in 0..ITEMS.len() {
        for (place, (location, ..)) in PLACES.into_iter().enumerate() {
            if item % (place + 1) != 0 {
                continue;
            }
            let plenty = 40 + (item * 13 + place * 7) % 60;
            let (on_hand, reorder_point) = match item {
                SOLD_OUT => (0, 10),
                ITEMS_IN_STOCK.. => (2 + item % 3, 10),
                // Enough for the orders, and low.
                _ if item % 9 == 4 => (plenty, 110),
                _ => (plenty, 12),
            };
            let bin = format!("{}-{:02}-{}", ["A", "B", "C"][item % 3], item / 3 + 1, item % 4 + 1);
            let body = json!({"on_hand": on_hand, "bin": bin, "reorder_point": reorder_point});
            let key = format!("level/{:02}/{location}", item + 1);
            tasks.push(
                Task::new(Kind::InventoryLevel, key, body).of(&[item_key(item), location_key(location)]),
            );
        }
    }
    tasks
}
