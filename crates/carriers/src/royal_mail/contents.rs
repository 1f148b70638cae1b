//! The customs declaration as Royal Mail takes it: the contents of a package.

use model::platform::money::decimals;
use model::shipping::shipment::customs::CustomsItem;
use model::shipping::shipment::package::{round_down, round_up};
use model::shipping::shipment::{Customs, ShipmentInput};
use serde_json::{Value, json};

use super::card::CURRENCY;
use super::route::is_home;
use crate::json::without_nulls;

/// Most lines of a declaration, and most pieces of a line.
const ITEMS_MAX: usize = 99;
const PIECES_MAX: i64 = 999_999;
const NAME_CHARS: usize = 800;
const DESCRIPTION_CHARS: usize = 50;
const SKU_CHARS: usize = 100;
const CODE_CHARS: usize = 10;
/// The decimals of the amounts of an order.
const DECIMALS: u32 = 2;

/// Returns whether the parcel goes through customs.
pub fn is_declared(details: &ShipmentInput) -> bool {
    !is_home(&details.addresses.destination)
}

/// The declaration of a parcel that has one.
fn declared(details: &ShipmentInput) -> Option<&Customs> {
    details.customs.as_ref().filter(|customs| is_declared(details) && !customs.items.is_empty())
}

/// The currency of the declaration: that of its lines, which is one, or the shipment's.
pub fn currency(details: &ShipmentInput) -> &str {
    let first = declared(details).and_then(|customs| customs.items.first()?.currency_code.as_deref());
    let shipping = details.options.as_ref().and_then(|options| options.shipping.as_ref());
    first.or_else(|| shipping?.currency_code.as_deref()).unwrap_or(CURRENCY)
}

/// The value of all lines, in the smallest unit of the currency.
pub fn total(details: &ShipmentInput) -> i64 {
    let items = declared(details).map(|customs| customs.items.as_slice()).unwrap_or_default();
    items.iter().fold(0_i64, |sum, item| sum.saturating_add(item.value))
}

/// The lines of a parcel that goes through customs.
pub fn lines(details: &ShipmentInput) -> Option<Vec<Value>> {
    let customs = declared(details)?;
    let grams = details.packages.first()?.geometry?.grams()?;
    Some(customs.items.iter().flat_map(|item| line(customs, item, grams)).collect())
}

/// Writes a line. Royal Mail wants the value of a piece: where the pieces do not cost the same to the penny, they make two lines, so that the
/// sum is exact.
fn line(customs: &Customs, item: &CustomsItem, package_grams: i64) -> Vec<Value> {
    let pieces = item.quantity.max(1);
    let (value, dearer) = (item.value / pieces, item.value % pieces);
    // Rounded down: all pieces together must not weigh more than the package.
    let grams = match item.mass {
        Some(mass) => round_down(mass, 3) / pieces,
        None => package_grams / customs.items.len().max(1) as i64 / pieces,
    };
    let written = |quantity: i64, value: i64| {
        without_nulls(json!({
            "name": start(&item.description, NAME_CHARS),
            "SKU": item.sku.as_deref().map(|sku| start(sku, SKU_CHARS)),
            "quantity": quantity,
            "unitValue": amount(value),
            "unitWeightInGrams": grams,
            "customsDescription": start(&item.description, DESCRIPTION_CHARS),
            "customsCode": item.hs_code.as_deref().map(code),
            "originCountryCode": item.origin_country_code,
            "customsDeclarationCategory": category(customs),
        }))
    };
    let lines = [(dearer, value + 1), (pieces - dearer, value)];
    lines
        .into_iter()
        .filter(|(pieces, _)| *pieces > 0)
        .map(|(pieces, value)| written(pieces, value))
        .collect()
}

/// An amount of pence or cents as a number.
pub fn amount(value: i64) -> Value {
    json!(value as f64 / 100.0)
}

fn category(customs: &Customs) -> &'static str {
    match customs.contents_type.as_deref() {
        Some("documents") => "documents",
        Some("gift") => "gift",
        Some("sample") => "commercialSample",
        Some("returned_goods") => "returnedGoods",
        Some("other" | "humanitarian_donation") => "other",
        _ => "saleOfGoods",
    }
}

/// The digits of a tariff code.
fn code(code: &str) -> String {
    code.chars().filter(char::is_ascii_digit).take(CODE_CHARS).collect()
}

fn start(text: &str, chars: usize) -> String {
    text.trim().chars().take(chars).collect()
}

/// Returns why the declaration can't be sent, if so.
pub fn unfit(details: &ShipmentInput) -> Option<String> {
    if !is_declared(details) {
        return None;
    }
    let Some(customs) = declared(details) else {
        return Some(
            "Royal Mail needs `customs` with items for a parcel that leaves the country.".to_owned(),
        );
    };
    if customs.items.len() > ITEMS_MAX || customs.items.iter().any(|item| item.quantity > PIECES_MAX) {
        return Some(format!(
            "Royal Mail takes {ITEMS_MAX} lines of a declaration, and {PIECES_MAX} pieces in each."
        ));
    }
    if customs.contents_type.as_deref() == Some("dangerous_goods") {
        return Some("Royal Mail takes dangerous goods with data that Dockside does not have.".to_owned());
    }
    let currency = currency(details);
    let other =
        customs.items.iter().filter_map(|item| item.currency_code.as_deref()).find(|code| *code != currency);
    if let Some(other) = other {
        return Some(format!("Royal Mail takes one currency in a declaration, not {currency} and {other}."));
    }
    if decimals(currency) != Some(DECIMALS) {
        return Some(format!(
            "Royal Mail takes amounts with two decimals, so no declarations in {currency}."
        ));
    }
    let grams = details.packages.first().and_then(|package| package.geometry?.grams()).unwrap_or_default();
    let masses = customs.items.iter().filter_map(|item| item.mass);
    let declared = masses.fold(0_i64, |sum, mass| sum.saturating_add(round_up(mass, 3)));
    (declared > grams)
        .then(|| "The customs items weigh more than the package. Correct their masses.".to_owned())
}
