//! An order as Shopify's webhooks have it, which is the form of its former REST API.

use serde_json::Value;

use super::order_graphql::refunded;
use crate::address::{known, province};
use crate::decimal::Decimal;
use crate::json::{decimal, id, is_true, items, joined, quantity, text};
use crate::moment::with_offset;
use crate::order::{Customer, Extent, ShopAddress, ShopLine, ShopOrder, checked};
use crate::shop::Shop;

/// Reads an order. The error is a sentence that says why it can't be read.
pub fn read(shop: &Shop, order: &Value) -> Result<ShopOrder, String> {
    let external_id = id(&order["id"]).ok_or("The order has no id.")?;
    let modified_at = time(&order["updated_at"]).ok_or("The order does not say when it was changed.")?;
    let currency = text(&order["currency"]);
    let taxes_included = is_true(&order["taxes_included"]);
    let lines = order["line_items"].as_array().ok_or("The order has no list of lines.")?;
    let lines = lines
        .iter()
        .map(|line| read_line(line, currency.as_deref(), taxes_included))
        .collect::<Result<Vec<_>, String>>()?;
    let billing = address(&order["billing_address"]);
    let status = text(&order["financial_status"]).unwrap_or_default().to_lowercase();
    let is_shipped_anywhere = lines.iter().any(|line| line.is_shippable);
    checked(ShopOrder {
        number: text(&order["name"]),
        url: Some(shop.at(&format!("/admin/orders/{external_id}"))),
        modified_at,
        placed_at: time(&order["processed_at"]).or_else(|| time(&order["created_at"])),
        is_cancelled: time(&order["cancelled_at"]).is_some(),
        refunded: refunded(&status),
        shipped: match order["fulfillment_status"].as_str() {
            Some("fulfilled") => Extent::All,
            Some("partial") => Extent::Part,
            _ => Extent::None,
        },
        is_test: is_true(&order["test"]),
        customer: customer(order, billing.as_ref()),
        destination: address(&order["shipping_address"])
            .or_else(|| billing.clone().filter(|_| is_shipped_anywhere)),
        billing,
        lines,
        currency,
        requested_service: items(&order["shipping_lines"]).iter().find_map(|line| text(&line["title"])),
        tags: tags(&order["tags"]),
        note: text(&order["note"]),
        external_id,
        status,
    })
}

fn time(value: &Value) -> Option<model::Timestamp> {
    with_offset(value.as_str()?)
}

fn customer(order: &Value, billing: Option<&ShopAddress>) -> Customer {
    let customer = &order["customer"];
    let known_name = billing.and_then(|billing| billing.name.clone());
    Customer {
        name: known_name.or_else(|| joined([&customer["first_name"], &customer["last_name"]])),
        company: billing.and_then(|billing| billing.company.clone()),
        email_address: [&order["email"], &order["contact_email"], &customer["email"]]
            .into_iter()
            .find_map(text),
        phone_number: text(&order["phone"])
            .or_else(|| billing.and_then(|billing| billing.phone_number.clone())),
    }
}

/// Reads tags, which are one text with commas.
fn tags(tags: &Value) -> Vec<String> {
    let parts = tags.as_str().unwrap_or_default().split(',').map(str::trim);
    parts.filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}

fn read_line(line: &Value, currency: Option<&str>, taxes_included: bool) -> Result<ShopLine, String> {
    let external_id = id(&line["id"]).ok_or("A line has no id.")?;
    let ordered = quantity(&line["quantity"]);
    let wanted = quantity(&line["current_quantity"]).or(ordered);
    let wanted = wanted.ok_or_else(|| format!("The line {external_id} has no whole number of pieces."))?;
    let ordered = ordered.unwrap_or(wanted);
    let total = decimal(&line["price"]).map(|price| {
        let price = price.times(ordered).minus(discount(line));
        let taxes = items(&line["tax_lines"]).iter().filter(|_| taxes_included);
        taxes.filter_map(|tax| decimal(&tax["price"])).fold(price, Decimal::minus)
    });
    Ok(ShopLine {
        sku: text(&line["sku"]),
        barcode: None,
        product_id: id(&line["variant_id"]).or_else(|| id(&line["product_id"])),
        name: text(&line["name"]).or_else(|| text(&line["title"])),
        quantity: wanted,
        unit_price: total.zip(currency).and_then(|(total, currency)| total.part_in(currency, ordered)),
        is_shippable: line["requires_shipping"] != false,
        external_id,
    })
}

/// Returns what all pieces of a line were reduced by: its parts of the discounts of the order, or the line's own.
fn discount(line: &Value) -> Decimal {
    match line["discount_allocations"].as_array() {
        Some(parts) => {
            parts.iter().filter_map(|part| decimal(&part["amount"])).fold(Decimal::ZERO, Decimal::plus)
        }
        None => decimal(&line["total_discount"]).unwrap_or_default(),
    }
}

fn address(address: &Value) -> Option<ShopAddress> {
    let country_code = text(&address["country_code"]).map(|code| code.to_ascii_uppercase());
    let region = text(&address["province_code"]).or_else(|| text(&address["province"]));
    known(ShopAddress {
        name: text(&address["name"]).or_else(|| joined([&address["first_name"], &address["last_name"]])),
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
