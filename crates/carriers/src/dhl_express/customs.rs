//! The customs declaration as DHL Express takes it.

use model::Day;
use model::platform::money::{decimals, show_amount};
use model::shipping::shipment::customs::CustomsItem;
use model::shipping::shipment::package::{round_down, round_up};
use model::shipping::shipment::{Customs, ShipmentInput};
use serde_json::{Number, Value, json};

use crate::json::without_nulls;

/// Most lines of a declaration.
const ITEMS_MAX: usize = 200;
const DESCRIPTION_CHARS: usize = 75;
const CODE_CHARS: usize = 18;
/// The currency of values that name none.
pub const CURRENCY: &str = "EUR";
/// The duties are the recipient's unless the shipment says otherwise.
const TERM: &str = "DAP";
pub const DUTIES_PAID: &str = "DDP";
const TERMS: [&str; 11] = ["EXW", "FCA", "CPT", "CIP", "DPU", "DAP", "DDP", "FAS", "FOB", "CFR", "CIF"];
/// Countries between which goods are not declared.
const UNION: [&str; 27] = [
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT",
    "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
];

/// Returns whether the goods are declared: not within a country or the European Union, and no documents.
pub fn is_declared(details: &ShipmentInput) -> bool {
    let Some(origin) = &details.addresses.origin else { return false };
    let (from, to) = (origin.address.country_code, details.addresses.destination.address.country_code);
    let is_within = from == to || [from, to].iter().all(|country| UNION.contains(&country.as_str()));
    let contents = details.customs.as_ref().and_then(|customs| customs.contents_type.as_deref());
    !is_within && contents != Some("documents")
}

/// The declaration of a shipment that has one.
fn declared(details: &ShipmentInput) -> Option<&Customs> {
    details.customs.as_ref().filter(|customs| is_declared(details) && !customs.items.is_empty())
}

/// The value of all lines, and its currency.
pub fn total(details: &ShipmentInput) -> Option<(Value, &str)> {
    let customs = declared(details)?;
    let currency = currency(details, customs);
    let sum = customs.items.iter().try_fold(0_i64, |sum, item| sum.checked_add(item.value))?;
    Some((number(sum, currency)?, currency))
}

/// The trade term: who pays the duties.
pub fn term(details: &ShipmentInput) -> &str {
    details.customs.as_ref().and_then(|customs| customs.incoterm.as_deref()).unwrap_or(TERM)
}

/// The declaration. The invoice has the number of our reference and the mailing date, so it is the same in every repetition.
pub fn declaration(details: &ShipmentInput, reference: &str, ship_on: Day) -> Option<Value> {
    let customs = declared(details)?;
    let currency = currency(details, customs);
    let grams = details.packages.iter().filter_map(|package| package.geometry?.grams()).sum::<i64>();
    let share = grams / customs.items.len() as i64;
    let mut lines = Vec::new();
    for item in &customs.items {
        // DHL wants the value of a piece: where the pieces do not cost the same, they make two lines, so that the sum is exact.
        let pieces = item.quantity.max(1);
        let (value, dearer) = (item.value / pieces, item.value % pieces);
        let item_grams = item.mass.map_or(share, |mass| round_down(mass, 3));
        for (count, value) in [(dearer, value + 1), (pieces - dearer, value)] {
            if count > 0 {
                let grams = (item_grams * count / pieces).max(1);
                lines.push(line(customs, item, lines.len() + 1, (count, number(value, currency)?, grams)));
            }
        }
    }
    Some(without_nulls(json!({
        "lineItems": lines,
        "invoice": {"number": reference, "date": ship_on.to_string()},
        "exportReasonType": reason(customs),
        "exportReason": customs.contents_description.as_deref().map(|text| start(text, 30)),
    })))
}

fn line(
    customs: &Customs,
    item: &CustomsItem,
    place: usize,
    (pieces, price, grams): (i64, Value, i64),
) -> Value {
    let kilograms = grams as f64 / 1000.0;
    let code = item.hs_code.as_deref().map(|code| start(&code.replace('.', ""), CODE_CHARS));
    without_nulls(json!({
        "number": place,
        "description": start(&item.description, DESCRIPTION_CHARS),
        "price": price,
        "quantity": {"value": pieces, "unitOfMeasurement": "PCS"},
        "commodityCodes": code.map(|code| json!([{"typeCode": "outbound", "value": code}])),
        "exportReasonType": reason(customs),
        "manufacturerCountry": item.origin_country_code,
        "weight": {"netValue": kilograms, "grossValue": kilograms},
    }))
}

/// An amount as a number with its decimals.
pub fn number(amount: i64, currency: &str) -> Option<Value> {
    let number: f64 = show_amount(amount, currency).parse().ok()?;
    Number::from_f64(number).map(Value::Number)
}

/// Why the goods leave the country.
fn reason(customs: &Customs) -> &'static str {
    match customs.contents_type.as_deref() {
        Some("gift") => "gift",
        Some("sample") => "sample",
        Some("returned_goods") => "return",
        _ => "permanent",
    }
}

/// Returns the currency of the declaration: that of its first line, or the shipment's.
fn currency<'a>(details: &'a ShipmentInput, customs: &'a Customs) -> &'a str {
    let first = customs.items.first().and_then(|item| item.currency_code.as_deref());
    let shipping = details.options.as_ref().and_then(|options| options.shipping.as_ref());
    first.or_else(|| shipping?.currency_code.as_deref()).unwrap_or(CURRENCY)
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
        return Some("DHL Express needs `customs` with items for goods that go through customs.".to_owned());
    };
    if customs.items.len() > ITEMS_MAX {
        return Some(format!("DHL Express takes {ITEMS_MAX} lines of a declaration. Combine some."));
    }
    if customs.contents_type.as_deref() == Some("dangerous_goods") {
        return Some("DHL Express takes dangerous goods with data that Dockside does not have.".to_owned());
    }
    let term = term(details);
    if !TERMS.contains(&term) {
        return Some(format!("DHL Express has no trade term {term}. It knows {}.", TERMS.join(", ")));
    }
    let currency = currency(details, customs);
    let other =
        customs.items.iter().filter_map(|item| item.currency_code.as_deref()).find(|code| *code != currency);
    if let Some(other) = other {
        return Some(format!("DHL Express takes one currency in a declaration, not {currency} and {other}."));
    }
    if decimals(currency).is_none() {
        return Some(format!("{currency} is no currency."));
    }
    let grams: i64 = details.packages.iter().filter_map(|package| package.geometry?.grams()).sum();
    let masses = customs.items.iter().filter_map(|item| item.mass);
    let declared = masses.fold(0_i64, |sum, mass| sum.saturating_add(round_up(mass, 3)));
    (declared > grams)
        .then(|| "The customs items weigh more than the packages. Correct their masses.".to_owned())
}
