//! An order as WooCommerce shows it, in lists, alone and in webhooks.

use serde_json::Value;

use crate::address::{known, province};
use crate::decimal::Decimal;
use crate::json::{decimal, id, items, joined, quantity, text};
use crate::moment::in_utc;
use crate::order::{Customer, Extent, ShopAddress, ShopLine, ShopOrder, checked};
use crate::shop::Shop;

/// Statuses of orders that nothing comes of.
const CANCELLED: [&str; 3] = ["cancelled", "failed", "trash"];

/// Reads an order. The error is a sentence that says why it can't be read.
pub fn read(shop: &Shop, order: &Value) -> Result<ShopOrder, String> {
    let external_id = id(&order["id"]).ok_or("The order has no id.")?;
    let status = text(&order["status"]).ok_or("The order has no status.")?;
    let modified_at = time(order, "date_modified_gmt").or_else(|| time(order, "date_created_gmt"));
    let modified_at = modified_at.ok_or("The order does not say when it was changed.")?;
    let currency = text(&order["currency"]).map(|code| code.to_ascii_uppercase());
    let lines = order["line_items"].as_array().ok_or("The order has no list of lines.")?;
    let lines = lines.iter().map(|line| read_line(line, currency.as_deref())).collect::<Result<_, _>>()?;
    let billing = address(&order["billing"]);
    // An order whose two addresses are the same may have one of them only.
    let destination = address(&order["shipping"]).map(|mut place| {
        place.phone_number = place.phone_number.or_else(|| text(&order["billing"]["phone"]));
        place
    });
    checked(ShopOrder {
        number: text(&order["number"]),
        url: Some(shop.at(&format!("/wp-admin/post.php?post={external_id}&action=edit"))),
        modified_at,
        placed_at: time(order, "date_created_gmt"),
        is_cancelled: CANCELLED.contains(&status.as_str()),
        refunded: refunded(order, &status),
        shipped: if status == "completed" { Extent::All } else { Extent::None },
        is_test: false,
        customer: customer(&order["billing"]),
        destination: destination.or_else(|| billing.clone()),
        billing,
        lines,
        currency,
        requested_service: items(&order["shipping_lines"])
            .iter()
            .find_map(|line| text(&line["method_title"])),
        tags: Vec::new(),
        note: text(&order["customer_note"]),
        external_id,
        status,
    })
}

fn time(order: &Value, field: &str) -> Option<model::Timestamp> {
    in_utc(order[field].as_str()?)
}

/// WooCommerce does not take refunded pieces off the lines of an order; it only lists what was paid back.
fn refunded(order: &Value, status: &str) -> Extent {
    let refunds = items(&order["refunds"]);
    let amounts = refunds.iter().filter_map(|refund| decimal(&refund["total"]));
    let back = amounts.fold(Decimal::ZERO, |sum, amount| sum.plus(amount.magnitude()));
    let is_all = decimal(&order["total"]).is_some_and(|total| total.is_positive() && back >= total);
    match (status, refunds) {
        ("refunded", _) => Extent::All,
        _ if is_all => Extent::All,
        (_, []) => Extent::None,
        _ => Extent::Part,
    }
}

fn read_line(line: &Value, currency: Option<&str>) -> Result<ShopLine, String> {
    let external_id = id(&line["id"]).ok_or("A line has no id.")?;
    let quantity = quantity(&line["quantity"])
        .ok_or_else(|| format!("The line {external_id} has no whole number of pieces."))?;
    // The total is after discount and before tax, whatever the shop shows to customers; the price is rounded.
    let price = decimal(&line["total"]).zip(currency);
    Ok(ShopLine {
        sku: text(&line["sku"]),
        barcode: text(&line["global_unique_id"]),
        product_id: id(&line["variation_id"]).or_else(|| id(&line["product_id"])),
        name: text(&line["name"]),
        quantity,
        unit_price: price.and_then(|(total, currency)| total.part_in(currency, quantity)),
        is_shippable: true,
        external_id,
    })
}

fn customer(billing: &Value) -> Customer {
    Customer {
        name: joined([&billing["first_name"], &billing["last_name"]]),
        company: text(&billing["company"]),
        email_address: text(&billing["email"]),
        phone_number: text(&billing["phone"]),
    }
}

fn address(address: &Value) -> Option<ShopAddress> {
    let country_code = text(&address["country"]).map(|code| code.to_ascii_uppercase());
    known(ShopAddress {
        name: joined([&address["first_name"], &address["last_name"]]),
        company: text(&address["company"]),
        line_1: text(&address["address_1"]),
        line_2: text(&address["address_2"]),
        city: text(&address["city"]),
        province: province(country_code.as_deref(), text(&address["state"])),
        post_code: text(&address["postcode"]),
        country_code,
        phone_number: text(&address["phone"]),
    })
}
