//! Facts from stored documents: of orders with their items, and of shipments.
//!
//! The documents are read with all fields optional: one that was stored before a field existed lacks it, and the fact
//! is then unknown.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::facts::{Facts, Money, Sides};
use crate::orders::order::{Destination, Line};
use crate::platform::time_zone::LocalTime;
use crate::shipping::shipment::package::round_up;
use crate::shipping::shipment::{Customs, ShipmentInput};
use crate::{Id, InventoryItem, Location};

const MASS_DECIMALS: u32 = 3;
const SIDE_DECIMALS: u32 = 1;
const GRAMS_PER_KILOGRAM: f64 = 1000.0;
const MILLIMETRES_PER_CENTIMETRE: f64 = 10.0;

/// The fields of an order's document that rules compare.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct OrderDocument {
    destination: Option<Destination>,
    items: Vec<Line>,
    lines: Option<Vec<OrderLine>>,
    channel: Option<String>,
    requested_service: Option<String>,
    tags: Option<Vec<String>>,
    currency_code: Option<String>,
}

/// What a customer bought, with its price.
#[derive(Deserialize)]
struct OrderLine {
    #[serde(default)]
    item_id: Option<Id<InventoryItem>>,
    quantity: i64,
    #[serde(default)]
    unit_price: Option<i64>,
}

/// The fields of an item's document that rules compare.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct ItemDocument {
    sku: String,
    mass: Option<f64>,
    dimensions: Option<Sides>,
    tags: Option<Vec<String>>,
    unit_value: Option<i64>,
    currency_code: Option<String>,
}

/// Units of an item.
pub type Units = (Id<InventoryItem>, i64);
/// The documents of items.
pub type Items = BTreeMap<Id<InventoryItem>, ItemDocument>;

/// What is shipped from where, and the local time there.
pub struct Shipped {
    pub origin: Option<Id<Location>>,
    pub units: Vec<Units>,
    pub local_time: LocalTime,
}

impl OrderDocument {
    /// Returns the units that the order contains.
    pub fn units(&self) -> Vec<Units> {
        self.items.iter().map(|line| (line.id, line.quantity)).collect()
    }
}

/// Returns the facts about units of an order that are shipped from one location.
pub fn facts_of_order(order: &OrderDocument, items: &Items, shipped: Shipped) -> Facts {
    let mut facts = Facts::at(shipped.local_time);
    facts.origin_location_id = shipped.origin;
    if shipped.origin.is_none() {
        let why = "No allocation says from where the order is shipped.";
        facts.unknown.insert("origin_location_id".to_owned(), why.to_owned());
    }
    if let Some(destination) = &order.destination {
        facts.destination_country = Some(destination.address.country_code);
        facts.post_code = destination.address.post_code.clone();
    }
    facts.channel = order.channel.clone();
    facts.requested_service = order.requested_service.clone();
    facts.order_tags = order.tags.clone().unwrap_or_default();
    measure(&mut facts, items, &shipped.units);
    let mut unknown = None;
    match prices(order, items) {
        Ok(prices) => {
            facts.order_value = Some(prices.total());
            facts.contents_value = prices.of(&shipped.units);
        }
        Err(why) => unknown = Some(why),
    }
    if let Some(why) = unknown {
        facts.unknown.insert("order_value".to_owned(), why);
    }
    facts
}

/// Adds mass, dimensions, SKUs and tags of the units.
fn measure(facts: &mut Facts, items: &Items, units: &[Units]) {
    let (mut grams, mut sides) = (Some(0_i64), Some([0_i64; 3]));
    for (id, quantity) in units {
        let Some(item) = items.get(id) else { continue };
        let mass = item.mass.map(|mass| round_up(mass, MASS_DECIMALS).saturating_mul(*quantity));
        grams = grams.zip(mass).map(|(sum, mass)| sum.saturating_add(mass));
        if mass.is_none() {
            facts
                .unknown
                .entry("mass".to_owned())
                .or_insert_with(|| format!("The item {} has no mass.", item.sku));
        }
        sides = sides.zip(item.dimensions.as_ref().map(sorted)).map(largest);
        if item.dimensions.is_none() {
            let why = || format!("The item {} has no dimensions.", item.sku);
            facts.unknown.entry("dimensions".to_owned()).or_insert_with(why);
        }
    }
    name_items(facts, units.iter().filter_map(|(id, _)| items.get(id)));
    facts.mass = grams.filter(|grams| *grams > 0).map(kilograms);
    facts.dimensions = sides.filter(|sides| sides[0] > 0).map(centimetres);
}

/// Adds the SKUs and tags of items, each once and in order.
fn name_items<'a>(facts: &mut Facts, items: impl Iterator<Item = &'a ItemDocument>) {
    for item in items {
        facts.skus.push(item.sku.clone());
        facts.item_tags.extend(item.tags.iter().flatten().cloned());
    }
    facts.skus.sort_unstable();
    facts.skus.dedup();
    facts.item_tags.sort_unstable();
    facts.item_tags.dedup();
}

/// Returns the sides in millimetres, the longest first.
fn sorted(sides: &Sides) -> [i64; 3] {
    let mut sides = [sides.length, sides.width, sides.height].map(|side| round_up(side, SIDE_DECIMALS));
    sides.sort_unstable_by(|one, other| other.cmp(one));
    sides
}

/// Returns the larger of each pair of sides.
fn largest((one, other): ([i64; 3], [i64; 3])) -> [i64; 3] {
    std::array::from_fn(|side| one[side].max(other[side]))
}

fn kilograms(grams: i64) -> f64 {
    grams as f64 / GRAMS_PER_KILOGRAM
}

fn centimetres(sides: [i64; 3]) -> Sides {
    let [length, width, height] = sides.map(|side| side as f64 / MILLIMETRES_PER_CENTIMETRE);
    Sides { length, width, height }
}

/// What the units of each item are worth, in one currency.
struct Prices {
    currency_code: String,
    /// The price of all units of the order, also of those without an item.
    total: i64,
    /// The price of a number of units of each item.
    items: BTreeMap<Id<InventoryItem>, (i64, i64)>,
}

impl Prices {
    fn total(&self) -> Money {
        Money { amount: self.total, currency_code: self.currency_code.clone() }
    }

    /// Returns what these units are worth, or `None` if an item has no price. If lines of one item have several prices,
    /// each unit has their mean, rounded up in the sum.
    fn of(&self, units: &[Units]) -> Option<Money> {
        let mut amount = 0_i64;
        for (id, quantity) in units {
            let (price, count) = self.items.get(id)?;
            let part = i128::from(*price) * i128::from(*quantity);
            let part = part.checked_add(i128::from(*count) - 1)?.checked_div(i128::from(*count))?;
            amount = amount.saturating_add(i64::try_from(part).unwrap_or(i64::MAX));
        }
        Some(Money { amount, currency_code: self.currency_code.clone() })
    }

    fn add(&mut self, item: Option<Id<InventoryItem>>, unit_price: i64, quantity: i64) {
        let price = unit_price.saturating_mul(quantity);
        self.total = self.total.saturating_add(price);
        if let Some(item) = item {
            let sum = self.items.entry(item).or_insert((0, 0));
            *sum = (sum.0.saturating_add(price), sum.1.saturating_add(quantity));
        }
    }
}

/// Returns what the order is worth: all prices from its lines, else all from the values of its items. The error says
/// why the value is not known.
fn prices(order: &OrderDocument, items: &Items) -> Result<Prices, String> {
    let lines = order.lines.as_deref().unwrap_or_default();
    let are_priced = !lines.is_empty() && lines.iter().all(|line| line.unit_price.is_some());
    if let (Some(currency_code), true) = (&order.currency_code, are_priced) {
        let mut prices = Prices { currency_code: currency_code.clone(), total: 0, items: BTreeMap::new() };
        for line in lines {
            prices.add(line.item_id, line.unit_price.unwrap_or_default(), line.quantity);
        }
        return Ok(prices);
    }
    let mut prices: Option<Prices> = None;
    for line in &order.items {
        let item = items.get(&line.id);
        let value = item.and_then(|item| Some((item.unit_value?, item.currency_code.as_ref()?)));
        let Some((value, currency)) = value else {
            let sku = item.map_or_else(|| line.id.to_string(), |item| item.sku.clone());
            return Err(format!("Not all lines have a price, and the item {sku} has no value."));
        };
        let new = || Prices { currency_code: currency.clone(), total: 0, items: BTreeMap::new() };
        let prices = prices.get_or_insert_with(new);
        if prices.currency_code != *currency {
            return Err("The values of the items are in several currencies.".to_owned());
        }
        prices.add(Some(line.id), value, line.quantity);
    }
    prices.ok_or_else(|| "The order contains no items.".to_owned())
}

/// Returns the facts about a shipment that belongs to no order. `items` are those that its packages name.
pub fn facts_of_shipment(
    shipment: &ShipmentInput,
    items: &Items,
    origin: Option<Id<Location>>,
    local_time: LocalTime,
) -> Facts {
    let mut facts = Facts::at(local_time);
    facts.origin_location_id = origin;
    let destination = &shipment.addresses.destination.address;
    facts.destination_country = Some(destination.country_code);
    facts.post_code = destination.post_code.clone();
    measure_packages(&mut facts, shipment);
    let declared_skus = shipment.customs.iter().flat_map(|customs| &customs.items);
    facts.skus.extend(declared_skus.filter_map(|item| item.sku.clone()));
    name_items(&mut facts, items.values());
    let mut explain = |fact: &str, why: &str| facts.unknown.insert(fact.to_owned(), why.to_owned());
    if origin.is_none() {
        explain("origin_location_id", "The shipment's origin is an address, not a location.");
    }
    if facts.skus.is_empty() {
        explain("skus", "Neither the packages nor the customs items of the shipment name a SKU.");
    }
    if items.is_empty() {
        explain("item_tags", "The packages of the shipment do not say which items they hold.");
    }
    for fact in ["channel", "requested_service", "order_tags"] {
        explain(fact, "The shipment belongs to no order.");
    }
    let shipping = shipment.options.as_ref().and_then(|options| options.shipping.as_ref());
    let currency = shipping.and_then(|shipping| shipping.currency_code.as_deref());
    match shipment
        .customs
        .as_ref()
        .map_or(Err("The shipment declares no customs items."), |customs| declared(customs, currency))
    {
        Ok(value) => {
            facts.order_value = Some(value.clone());
            facts.contents_value = Some(value);
        }
        Err(why) => drop(explain("order_value", why)),
    }
    facts
}

fn measure_packages(facts: &mut Facts, shipment: &ShipmentInput) {
    let (mut grams, mut sides) = (Some(0_i64), Some([0_i64; 3]));
    for package in &shipment.packages {
        let geometry = package.geometry.as_ref();
        grams = grams
            .zip(geometry.and_then(|geometry| geometry.grams()))
            .map(|(sum, mass)| sum.saturating_add(mass));
        let package_sides = geometry.and_then(|geometry| geometry.millimetres()).map(|mut sides| {
            sides.sort_unstable_by(|one, other| other.cmp(one));
            sides
        });
        sides = sides.zip(package_sides).map(largest);
    }
    facts.mass = grams.map(kilograms);
    facts.dimensions = sides.map(centimetres);
    if facts.mass.is_none() {
        facts.unknown.insert("mass".to_owned(), "A package has no mass.".to_owned());
    }
    if facts.dimensions.is_none() {
        facts.unknown.insert("dimensions".to_owned(), "A package has no dimensions.".to_owned());
    }
}

/// Returns the sum of the values that a customs declaration names. The error says why there is none.
fn declared(customs: &Customs, currency: Option<&str>) -> Result<Money, &'static str> {
    let first = customs.items.iter().find_map(|item| item.currency_code.as_deref());
    let fallback = currency.or(first);
    let mut sum: Option<Money> = None;
    for item in &customs.items {
        let currency =
            item.currency_code.as_deref().or(fallback).ok_or("The customs items name no currency.")?;
        let sum = sum.get_or_insert_with(|| Money { amount: 0, currency_code: currency.to_owned() });
        if sum.currency_code != currency {
            return Err("The customs items have several currencies.");
        }
        sum.amount = sum.amount.saturating_add(item.value);
    }
    sum.ok_or("The shipment declares no customs items.")
}
