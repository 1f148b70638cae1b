//! An order as Shopify's GraphQL Admin API shows it.

use serde_json::Value;

use super::ids::number;
use crate::address::{known, province};
use crate::decimal::Decimal;
use crate::json::{decimal, is_true, items, quantity, text};
use crate::moment::with_offset;
use crate::order::{Customer, Extent, ShopAddress, ShopLine, ShopOrder, checked};
use crate::shop::Shop;

/// Reads an order. The error is a sentence that says why it can't be read.
pub fn read(shop: &Shop, order: &Value) -> Result<ShopOrder, String> {
    let external_id = number(&order["id"]).ok_or("The order has no id.")?;
    let modified_at = time(&order["updatedAt"]).ok_or("The order does not say when it was changed.")?;
    let currency = text(&order["currencyCode"]);
    let taxes_included = is_true(&order["taxesIncluded"]);
    let lines = order["lineItems"]["nodes"].as_array().ok_or("The order has no list of lines.")?;
    let lines = lines
        .iter()
        .map(|line| read_line(line, currency.as_deref(), taxes_included))
        .collect::<Result<Vec<_>, String>>()?;
    let billing = address(&order["billingAddress"]);
    let payer = billing.clone().unwrap_or_default();
    let status = text(&order["displayFinancialStatus"]).unwrap_or_default().to_lowercase();
    let is_shipped_anywhere = lines.iter().any(|line| line.is_shippable);
    checked(ShopOrder {
        number: text(&order["name"]),
        url: Some(shop.at(&format!("/admin/orders/{external_id}"))),
        modified_at,
        placed_at: time(&order["processedAt"]).or_else(|| time(&order["createdAt"])),
        is_cancelled: time(&order["cancelledAt"]).is_some(),
        refunded: refunded(&status),
        shipped: match order["displayFulfillmentStatus"].as_str() {
            Some("FULFILLED") => Extent::All,
            Some("PARTIALLY_FULFILLED") => Extent::Part,
            _ => Extent::None,
        },
        is_test: is_true(&order["test"]),
        customer: Customer {
            name: payer.name,
            company: payer.company,
            email_address: text(&order["email"]),
            phone_number: text(&order["phone"]).or(payer.phone_number),
        },
        destination: address(&order["shippingAddress"])
            .or_else(|| billing.clone().filter(|_| is_shipped_anywhere)),
        billing,
        lines,
        currency,
        requested_service: text(&order["shippingLine"]["title"]),
        tags: items(&order["tags"]).iter().filter_map(text).collect(),
        note: text(&order["note"]),
        external_id,
        status,
    })
}

/// Returns how much was paid back, by the financial status in small letters.
pub fn refunded(status: &str) -> Extent {
    match status {
        "refunded" => Extent::All,
        "partially_refunded" => Extent::Part,
        _ => Extent::None,
    }
}

fn time(value: &Value) -> Option<model::Timestamp> {
    with_offset(value.as_str()?)
}

fn read_line(line: &Value, currency: Option<&str>, taxes_included: bool) -> Result<ShopLine, String> {
    let external_id = number(&line["id"]).ok_or("A line has no id.")?;
    let ordered = quantity(&line["quantity"]);
    let wanted = quantity(&line["currentQuantity"]).or(ordered);
    let wanted = wanted.ok_or_else(|| format!("The line {external_id} has no whole number of pieces."))?;
    let ordered = ordered.unwrap_or(wanted);
    let unit = decimal(&line["discountedUnitPriceAfterAllDiscountsSet"]["shopMoney"]["amount"]);
    // The taxes of a line are those of all its pieces.
    let taxes = items(&line["taxLines"]).iter().filter(|_| taxes_included);
    let taxes = taxes.filter_map(|tax| decimal(&tax["priceSet"]["shopMoney"]["amount"]));
    let taxes = taxes.fold(Decimal::ZERO, Decimal::plus);
    let total = unit.map(|unit| unit.times(ordered).minus(taxes));
    Ok(ShopLine {
        sku: text(&line["sku"]),
        barcode: text(&line["variant"]["barcode"]),
        product_id: number(&line["variant"]["id"]),
        name: text(&line["name"]),
        quantity: wanted,
        unit_price: total.zip(currency).and_then(|(total, currency)| total.part_in(currency, ordered)),
        is_shippable: line["requiresShipping"] != false,
        external_id,
    })
}

fn address(address: &Value) -> Option<ShopAddress> {
    let country_code = text(&address["countryCodeV2"]).map(|code| code.to_ascii_uppercase());
    let region = text(&address["provinceCode"]).or_else(|| text(&address["province"]));
    known(ShopAddress {
        name: text(&address["name"]),
        company: text(&address["company"]),
        line_1: text(&address["address1"]),
        line_2: text(&address["address2"]),
        city: text(&address["city"]),
        province: province(country_code.as_deref(), region),
        post_code: text(&address["zip"]),
        country_code,
        phone_number: text(&address["phone"]),
    })
}
