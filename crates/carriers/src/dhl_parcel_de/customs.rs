//! The customs declaration as DHL takes it. DHL wants the value and the mass of one piece, where our lines have those of all pieces: a line
//! whose value can't be divided becomes two, so that nothing is lost to rounding.

use model::shipping::shipment::Customs;
use model::shipping::shipment::customs::CustomsItem;
use model::shipping::shipment::package::round_down;
use serde_json::{Value, json};

use super::account::postal_charge;
use super::country::alpha_3;
use super::json::without_nulls;
use super::options::money;
use super::route::Route;
use super::services::Service;
use crate::Account;

/// Most lines of a declaration: of a parcel, and of a return.
const LINES_MAX: usize = 99;
const RETURN_LINES_MAX: usize = 20;
/// Characters of a description, which DHL prints 50 of.
const DESCRIPTION_CHARS: usize = 256;
const RETURN_DESCRIPTION_CHARS: usize = 50;
const EXPORT_CHARS: usize = 80;
const REFERENCE_CHARS: usize = 35;
/// The currency of a declaration that names none.
const CURRENCY: &str = "EUR";
const RETURN_CURRENCIES: [&str; 3] = ["EUR", "GBP", "CHF"];
/// Contents that DHL has no word for, and that say nothing of themselves.
const OTHER: &str = "OTHER";

/// A line of the declaration: pieces that are alike.
struct Line<'a> {
    item: &'a CustomsItem,
    quantity: i64,
    /// The value of a piece, in the smallest unit of the currency.
    value: i64,
    /// The mass of a piece, in milligrams.
    milligrams: i64,
}

/// The declaration of a parcel. `None` if it needs none.
pub fn declaration(account: &Account, route: &Route<'_>, service: &Service) -> Option<Value> {
    let customs = route.details.customs.as_ref().filter(|_| route.is_declared())?;
    let currency = currency(route, customs);
    let export_type = export_type(customs);
    let terms = (service.product == "V54EPAK").then(|| match customs.incoterm.as_deref() {
        Some("DDP") => "DDP",
        _ => "DAP",
    });
    let description = customs.contents_description.as_deref().unwrap_or("Goods");
    Some(without_nulls(json!({
        "exportType": export_type,
        "exportDescription": (export_type == OTHER).then(|| start(description, EXPORT_CHARS)),
        "shippingConditions": terms,
        "shipperCustomsRef": reference(route, "sender"),
        "consigneeCustomsRef": reference(route, "recipient"),
        "postalCharges": money(postal_charge(account, currency), currency),
        "items": items(route, customs, DESCRIPTION_CHARS),
    })))
}

/// The declaration of a return. `None` if it needs none.
pub fn return_declaration(route: &Route<'_>) -> Option<Value> {
    let customs = route.details.customs.as_ref().filter(|_| route.is_declared())?;
    Some(json!({"items": items(route, customs, RETURN_DESCRIPTION_CHARS)}))
}

fn items(route: &Route<'_>, customs: &Customs, chars: usize) -> Vec<Value> {
    let currency = currency(route, customs);
    let item = |line: Line<'_>| {
        without_nulls(json!({
            "itemDescription": start(&line.item.description, chars),
            "countryOfOrigin": line.item.origin_country_code.and_then(alpha_3),
            "hsCode": line.item.hs_code,
            "packagedQuantity": line.quantity,
            "itemValue": money(line.value, currency),
            "itemWeight": {"uom": "g", "value": line.milligrams as f64 / 1000.0},
        }))
    };
    lines(route, customs).into_iter().map(item).collect()
}

fn lines<'a>(route: &Route<'_>, customs: &'a Customs) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for item in &customs.items {
        let (quantity, value) = (item.quantity.max(1), item.value);
        let milligrams = (grams(route, customs, item).saturating_mul(1000) / quantity).max(1);
        // So many pieces have one unit more than the others.
        let dearer = value % quantity;
        let mut add = |quantity, value| {
            if quantity > 0 {
                lines.push(Line { item, quantity, value, milligrams });
            }
        };
        add(quantity - dearer, value / quantity);
        add(dearer, value / quantity + 1);
    }
    lines
}

/// The mass of a line, rounded down: all lines together must not be heavier than the parcel.
fn grams(route: &Route<'_>, customs: &Customs, item: &CustomsItem) -> i64 {
    let known = item.mass.map(|mass| round_down(mass, 3)).filter(|grams| *grams > 0);
    known.unwrap_or_else(|| {
        let all: i64 = route.grams().unwrap_or_default().iter().sum();
        all / i64::try_from(customs.items.len()).unwrap_or(i64::MAX).max(1)
    })
}

/// The currency of all items: DHL takes one.
fn currency<'a>(route: &Route<'a>, customs: &'a Customs) -> &'a str {
    let shipping = route.details.options.as_ref().and_then(|options| options.shipping.as_ref());
    let usual = shipping.and_then(|shipping| shipping.currency_code.as_deref());
    customs.items.iter().find_map(|item| item.currency_code.as_deref()).or(usual).unwrap_or(CURRENCY)
}

fn export_type(customs: &Customs) -> &'static str {
    match customs.contents_type.as_deref() {
        Some("documents") => "DOCUMENT",
        Some("gift") => "PRESENT",
        Some("sample") => "COMMERCIAL_SAMPLE",
        Some("returned_goods") => "RETURN_OF_GOODS",
        None | Some("merchandise") => "COMMERCIAL_GOODS",
        Some(_) => OTHER,
    }
}

/// The number under which customs know a party.
fn reference(route: &Route<'_>, party: &str) -> Option<String> {
    let own = route.details.customs.as_ref()?.identifiers.iter();
    let own = own.map(|known| (&known.entity_type, &known.identifier_type, &known.value));
    let tax = route.details.tax_identifiers.iter();
    let tax = tax.map(|known| (&known.taxable_entity_type, &known.identifier_type, &known.value));
    let all: Vec<_> = own.chain(tax).filter(|(entity, ..)| *entity == party).collect();
    let of = |kind: &str| all.iter().find(|(_, known, _)| *known == kind).map(|(.., value)| value.trim());
    let number = of("eori").or_else(|| of("voec"))?;
    Some(start(number, REFERENCE_CHARS))
}

fn start(text: &str, chars: usize) -> String {
    text.trim().chars().take(chars).collect()
}

/// Returns why the declaration can't be sent, if so.
pub fn unfit(route: &Route<'_>) -> Option<String> {
    if !route.is_declared() {
        return None;
    }
    let Some(customs) = route.details.customs.as_ref().filter(|customs| !customs.items.is_empty()) else {
        return Some("DHL needs `customs` with items for a parcel that goes through customs.".to_owned());
    };
    if route.packages().len() > 1 {
        return Some("DHL declares each parcel by itself: make a shipment of each package.".to_owned());
    }
    let is_return = route.details.is_return();
    let most = if is_return { RETURN_LINES_MAX } else { LINES_MAX };
    if lines(route, customs).len() > most {
        return Some(format!("DHL takes {most} lines of a declaration. Combine some."));
    }
    let currency = currency(route, customs);
    let mut currencies = customs.items.iter().filter_map(|item| item.currency_code.as_deref());
    if currencies.any(|other| other != currency) {
        return Some("DHL takes declarations in one currency.".to_owned());
    }
    (is_return && !RETURN_CURRENCIES.contains(&currency))
        .then(|| format!("DHL takes declarations of returns in {}.", RETURN_CURRENCIES.join(", ")))
}
