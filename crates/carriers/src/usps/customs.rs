//! The customs declaration as USPS takes it, for its form on the label.

use model::shipping::shipment::Customs;
use model::shipping::shipment::package::round_up;
use serde_json::{Value, json};

use super::options::CURRENCY;
use super::party::is_domestic;
use super::route::Route;
use super::units::{dollars, pounds};
use crate::json::without_nulls;

/// Most lines of a declaration.
const ITEMS_MAX: usize = 30;
const DESCRIPTION_CHARS: usize = 30;
const COMMENT_CHARS: usize = 25;
const PIECES_MAX: i64 = 9_999;
/// The most cents of one kind of goods that may be exported without a filing.
const UNFILED_MAX: i64 = 250_000;
/// The exemptions from a filing: for goods of low value, and to Canada.
const LOW_VALUE: &str = "NO EEI 30.37(a)";
const TO_CANADA: &str = "NO EEI 30.36";
/// Provinces of military post, which goes through customs.
const MILITARY: [&str; 3] = ["AA", "AE", "AP"];

/// Returns whether the parcel goes through customs.
fn is_declared(route: &Route<'_>) -> bool {
    let to = &route.to.address;
    let is_military = to.province.as_deref().is_some_and(|province| MILITARY.contains(&province));
    let is_territory = to.country_code.as_str() != "US" && is_domestic(route.to);
    !route.details.is_return() && (route.is_international() || is_military || is_territory)
}

/// The form. `None` if the parcel has no declaration, or needs none.
pub fn form(route: &Route<'_>) -> Option<Value> {
    let customs = route.details.customs.as_ref().filter(|_| is_declared(route))?;
    let exemption = if route.to.address.country_code.as_str() == "CA" { TO_CANADA } else { LOW_VALUE };
    let contents: Vec<Value> = customs
        .items
        .iter()
        .map(|item| {
            let grams = item.mass.map(|mass| round_up(mass, 3));
            without_nulls(json!({
                "itemDescription": start(&item.description, DESCRIPTION_CHARS),
                "itemQuantity": item.quantity,
                "itemTotalValue": dollars(item.value),
                "weightUOM": "lb",
                "itemTotalWeight": grams.or_else(|| share(route, customs)).map(pounds),
                "HSTariffNumber": item.hs_code,
                "countryofOrigin": item.origin_country_code,
            }))
        })
        .collect();
    Some(without_nulls(json!({
        "AESITN": exemption,
        "customsContentType": content_type(customs),
        "contentComments": customs.contents_description.as_deref().map(|text| start(text, COMMENT_CHARS)),
        "restrictionType": restriction(customs),
        "restrictionComments": customs.restriction_description.as_deref().map(|text| start(text, COMMENT_CHARS)),
        "contents": contents,
    })))
}

/// The mass of a line that names none: an equal part of what the package weighs, in grams.
fn share(route: &Route<'_>, customs: &Customs) -> Option<i64> {
    let grams = route.package.geometry?.grams()?;
    Some((grams / customs.items.len() as i64).max(1))
}

fn content_type(customs: &Customs) -> &'static str {
    match customs.contents_type.as_deref() {
        Some("documents") => "DOCUMENT",
        Some("gift") => "GIFT",
        Some("sample") => "COMMERCIAL_SAMPLE",
        Some("returned_goods") => "RETURNED_GOODS",
        Some("dangerous_goods") => "DANGEROUS_GOODS",
        Some("humanitarian_donation") => "HUMANITARIAN_DONATIONS",
        Some("other") => "OTHER",
        _ => "MERCHANDISE",
    }
}

fn restriction(customs: &Customs) -> Option<&'static str> {
    match customs.restriction_type.as_deref()? {
        "quarantine" => Some("QUARANTINE"),
        "sanitary_phytosanitary_inspection" => Some("SANITARY_INSPECTION"),
        "other" => Some("OTHER"),
        _ => None,
    }
}

fn start(text: &str, chars: usize) -> String {
    text.trim().chars().take(chars).collect()
}

/// Returns why the declaration can't be sent, if so.
pub fn unfit(route: &Route<'_>) -> Option<String> {
    if !is_declared(route) {
        return None;
    }
    let Some(customs) = route.details.customs.as_ref().filter(|customs| !customs.items.is_empty()) else {
        return Some("USPS needs `customs` with items for a parcel that goes through customs.".to_owned());
    };
    if customs.items.len() > ITEMS_MAX {
        return Some(format!("USPS takes {ITEMS_MAX} lines of a declaration. Combine some."));
    }
    let shipping = route.details.options.as_ref().and_then(|options| options.shipping.as_ref());
    let usual = shipping.and_then(|shipping| shipping.currency_code.as_deref()).unwrap_or(CURRENCY);
    let mut currencies = customs.items.iter().map(|item| item.currency_code.as_deref().unwrap_or(usual));
    if let Some(other) = currencies.find(|currency| *currency != CURRENCY) {
        return Some(format!("USPS takes declarations in dollars, not in {other}."));
    }
    if customs.items.iter().any(|item| item.quantity > PIECES_MAX) {
        return Some(format!("USPS takes up to {PIECES_MAX} pieces in a line of a declaration."));
    }
    let is_canada = route.to.address.country_code.as_str() == "CA";
    let is_costly = customs.items.iter().any(|item| item.value > UNFILED_MAX);
    (is_costly && !is_canada).then(|| {
        "Goods of more than $2,500 need a filing with the authorities, whose number Dockside does not have.".to_owned()
    })
}
