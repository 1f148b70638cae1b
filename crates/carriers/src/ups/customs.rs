//! The customs declaration as data of UPS's paperless invoice: UPS makes the invoice of it and hands it to customs.

use model::platform::money::{decimals, show_amount};
use model::shipping::shipment::customs::CustomsItem;
use model::shipping::shipment::{Customs, ShipmentInput};
use serde_json::{Value, json};

use super::json::without_nulls;
use super::party::{party, start};
use super::purchase::{Purchase, compact};
use super::route::Route;

/// The form that UPS calls invoice.
const INVOICE: &str = "01";
/// Most lines of an invoice.
pub const ITEMS_MAX: usize = 100;
/// Characters of a line of a description, and lines.
const DESCRIPTION_CHARS: usize = 35;
const DESCRIPTION_LINES: usize = 3;
/// Decimals of the price of one piece.
const PRICE_DECIMALS: u32 = 6;
/// The currency of values without one.
const CURRENCY: &str = "USD";
/// Countries for which UPS wants the total of a shipment from the United States beside the invoice.
const TOTAL_WANTED: [&str; 2] = ["CA", "PR"];
/// Registers of sellers who collect the buyer's tax themselves.
const VENDORS: [(&str, &str); 2] = [("ioss", "0356"), ("voec", "0357")];

/// The international forms of a shipment. `None` if none are needed.
pub fn forms(route: &Route<'_>, purchase: &Purchase<'_>) -> Option<Value> {
    let customs = declared(route)?;
    // A return's recipient is the merchant, and UPS fills in its invoice itself.
    if route.details.is_return() {
        return None;
    }
    let currency = currency(route.details, customs);
    let comments = customs.restriction_description.as_deref().map(|text| start(text, 150));
    Some(without_nulls(json!({
        "FormType": [INVOICE],
        "InvoiceNumber": purchase.reference,
        "InvoiceDate": compact(purchase.ship_on),
        "TermsOfShipment": customs.incoterm,
        "ReasonForExport": reason(customs),
        "Comments": comments,
        "DeclarationStatement": customs.declaration_message.as_deref().map(|text| start(text, 550)),
        "CurrencyCode": currency,
        "Contacts": {"SoldTo": party(route.to)},
        "Product": customs.items.iter().map(|item| product(item, currency)).collect::<Vec<_>>(),
    })))
}

/// Trade terms that UPS prints.
const TERMS: [&str; 13] =
    ["CFR", "CIF", "CIP", "CPT", "DAF", "DDP", "DAP", "DEQ", "DES", "EXW", "FAS", "FCA", "FOB"];

fn product(item: &CustomsItem, currency: &str) -> Value {
    let currency = item.currency_code.as_deref().unwrap_or(currency);
    let identifiers: Vec<Value> = [
        ("0100", item.sku.as_deref()),
        ("0200", item.manufacturer_product_id.as_deref()),
        ("0300", item.standardized_product_id.as_deref()),
    ]
    .into_iter()
    .filter_map(|(kind, id)| Some(json!({"ProductID": id?, "ProductIDTypeCode": kind})))
    .collect();
    without_nulls(json!({
        "Description": description_lines(&item.description),
        "Unit": {
            "Number": item.quantity.to_string(),
            "UnitOfMeasurement": {"Code": "PCS"},
            "Value": price(item.value, item.quantity, currency),
        },
        "CommodityCode": item.hs_code.as_deref().map(|code| code.replace('.', "")),
        "PartNumber": item.sku.as_deref().map(|sku| start(sku, DESCRIPTION_CHARS)),
        "OriginCountryCode": item.origin_country_code,
        "ProductIdentifier": (!identifiers.is_empty()).then_some(identifiers),
    }))
}

/// Returns a text in lines that UPS prints. What has no room is left out.
fn description_lines(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.trim().chars().collect();
    chars.chunks(DESCRIPTION_CHARS).take(DESCRIPTION_LINES).map(|line| line.iter().collect()).collect()
}

/// Returns the price of one piece of a line, whose value is that of all its pieces, rounded half up.
pub fn price(value: i64, quantity: i64, currency: &str) -> String {
    let scale = 10_i128.pow(PRICE_DECIMALS - decimals(currency).unwrap_or(2).min(PRICE_DECIMALS));
    let quantity = i128::from(quantity.max(1));
    let units = (i128::from(value) * scale * 2 + quantity) / (quantity * 2);
    let base = 10_i128.pow(PRICE_DECIMALS);
    let text = format!("{}.{:0width$}", units / base, units % base, width = PRICE_DECIMALS as usize);
    let trimmed = text.trim_end_matches('0').trim_end_matches('.');
    trimmed.to_owned()
}

/// Why the goods leave the country.
fn reason(customs: &Customs) -> String {
    let word = match customs.contents_type.as_deref() {
        Some("gift") => "GIFT",
        Some("sample") => "SAMPLE",
        Some("returned_goods") => "RETURN",
        Some("documents") => "DOCUMENTS",
        Some("humanitarian_donation") => "DONATION",
        Some("other") => return start(customs.contents_description.as_deref().unwrap_or("OTHER"), 20),
        _ => "SALE",
    };
    word.to_owned()
}

/// The value of all lines, if there is one currency.
pub fn total(route: &Route<'_>) -> Option<Value> {
    let (amount, currency) = amount(route)?;
    Some(json!({"CurrencyCode": currency, "MonetaryValue": show_amount(amount, &currency)}))
}

/// The total that UPS wants of shipments from the United States to some countries, in whole units and at least 1.
pub fn line_total(route: &Route<'_>) -> Option<Value> {
    let is_wanted = route.from.address.country_code.as_str() == "US"
        && TOTAL_WANTED.contains(&route.to.address.country_code.as_str())
        && !route.details.is_return();
    let (amount, currency) = amount(route).filter(|_| is_wanted)?;
    let scale = 10_i64.pow(decimals(&currency).unwrap_or(2));
    let whole = (amount + scale / 2) / scale;
    Some(json!({"CurrencyCode": currency, "MonetaryValue": whole.max(1).to_string()}))
}

fn amount(route: &Route<'_>) -> Option<(i64, String)> {
    let customs = declared(route)?;
    let currency = currency(route.details, customs).to_owned();
    let is_same =
        customs.items.iter().all(|item| item.currency_code.as_deref().unwrap_or(&currency) == currency);
    let sum = customs.items.iter().try_fold(0_i64, |sum, item| sum.checked_add(item.value))?;
    is_same.then_some((sum, currency))
}

/// The declaration of an international shipment that has lines.
fn declared<'a>(route: &Route<'a>) -> Option<&'a Customs> {
    let customs = route.details.customs.as_ref().filter(|_| route.is_international())?;
    (!customs.items.is_empty()).then_some(customs)
}

/// Returns the currency of the invoice: that of its first line, or the shipment's.
fn currency<'a>(details: &'a ShipmentInput, customs: &'a Customs) -> &'a str {
    let first = customs.items.first().and_then(|item| item.currency_code.as_deref());
    let shipping = details.options.as_ref().and_then(|options| options.shipping.as_ref());
    first.or_else(|| shipping?.currency_code.as_deref()).unwrap_or(CURRENCY)
}

/// Returns why the declaration can't be sent, if so.
pub fn unfit(route: &Route<'_>) -> Option<String> {
    let customs = declared(route)?;
    if customs.items.len() > ITEMS_MAX {
        return Some(format!("UPS takes {ITEMS_MAX} lines of a declaration. Combine some."));
    }
    let term = customs.incoterm.as_deref().filter(|term| !TERMS.contains(term));
    if let Some(term) = term {
        return Some(format!("UPS has no trade term {term}. It knows {}.", TERMS.join(", ")));
    }
    let currency = currency(route.details, customs);
    let other =
        customs.items.iter().filter_map(|item| item.currency_code.as_deref()).find(|code| *code != currency);
    other.map(|other| format!("UPS takes one currency in a declaration, not {currency} and {other}."))
}

/// Adds the number under which the sender collects the buyer's tax.
pub fn with_vendor(route: &Route<'_>, mut sender: Value) -> Value {
    let of_sender = route.details.tax_identifiers.iter();
    let mut of_sender = of_sender.filter(|identifier| identifier.taxable_entity_type != "recipient");
    let found = of_sender.find_map(|identifier| {
        let (_, code) = VENDORS.iter().find(|(kind, _)| *kind == identifier.identifier_type)?;
        Some(json!({"VendorCollectIDTypeCode": code, "VendorCollectIDNumber": identifier.value}))
    });
    if let Some(vendor) = found {
        sender["VendorInfo"] = vendor;
    }
    sender
}
