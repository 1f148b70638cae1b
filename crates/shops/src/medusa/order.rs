//! An order as Medusa shows it.

use model::Timestamp;
use serde_json::Value;

use crate::address::{known, province};
use crate::decimal::Decimal;
use crate::json::{decimal, id, items, joined, quantity, text};
use crate::moment::with_offset;
use crate::order::{Customer, Extent, ShopAddress, ShopLine, ShopOrder, checked};
use crate::shop::Shop;

/// The fields that are asked for. Without the total of the order, Medusa does not compute those of its lines.
pub const FIELDS: &str = "id,display_id,status,email,currency_code,created_at,updated_at,canceled_at,payment_status,\
    fulfillment_status,total,*items,*items.tax_lines,*items.adjustments,*items.detail,*shipping_address,\
    *billing_address,*shipping_methods,*customer";

/// Reads an order. The error is a sentence that says why it can't be read.
pub fn read(shop: &Shop, order: &Value) -> Result<ShopOrder, String> {
    let external_id = id(&order["id"]).ok_or("The order has no id.")?;
    let modified_at = time(&order["updated_at"]).ok_or("The order does not say when it was changed.")?;
    let currency = text(&order["currency_code"]).map(|code| code.to_ascii_uppercase());
    let lines = order["items"].as_array().ok_or("The order has no list of lines.")?;
    let lines =
        lines.iter().map(|line| read_line(line, currency.as_deref())).collect::<Result<Vec<_>, String>>()?;
    let billing = address(&order["billing_address"]);
    let paid = text(&order["payment_status"]);
    let is_shipped_anywhere = lines.iter().any(|line| line.is_shippable);
    checked(ShopOrder {
        number: text(&order["display_id"]),
        url: Some(shop.at(&format!("/app/orders/{external_id}"))),
        modified_at,
        placed_at: time(&order["created_at"]),
        is_cancelled: order["status"] == "canceled" || time(&order["canceled_at"]).is_some(),
        refunded: match paid.as_deref() {
            Some("refunded") => Extent::All,
            Some("partially_refunded") => Extent::Part,
            _ => Extent::None,
        },
        shipped: shipped(order["fulfillment_status"].as_str().unwrap_or_default()),
        is_test: false,
        customer: customer(order, billing.as_ref()),
        destination: address(&order["shipping_address"])
            .or_else(|| billing.clone().filter(|_| is_shipped_anywhere)),
        billing,
        lines,
        currency,
        requested_service: items(&order["shipping_methods"]).iter().find_map(|method| text(&method["name"])),
        tags: Vec::new(),
        note: None,
        external_id,
        status: paid.or_else(|| text(&order["status"])).unwrap_or_default(),
    })
}

pub fn time(value: &Value) -> Option<Timestamp> {
    with_offset(value.as_str()?)
}

fn shipped(status: &str) -> Extent {
    match status {
        "shipped" | "delivered" => Extent::All,
        "partially_shipped" | "partially_delivered" => Extent::Part,
        _ => Extent::None,
    }
}

fn read_line(line: &Value, currency: Option<&str>) -> Result<ShopLine, String> {
    let external_id = id(&line["id"]).ok_or("A line has no id.")?;
    let quantity = quantity(&line["quantity"])
        .ok_or_else(|| format!("The line {external_id} has no whole number of pieces."))?;
    // Without totals the price before discounts is the best there is.
    let total = decimal(&line["total"]).zip(decimal(&line["tax_total"])).map(|(total, tax)| total.minus(tax));
    let total: Option<Decimal> = total.or_else(|| Some(decimal(&line["unit_price"])?.times(quantity)));
    let product = id(&line["variant_id"]).or_else(|| id(&line["product_id"]));
    Ok(ShopLine {
        sku: text(&line["variant_sku"]),
        barcode: text(&line["variant_barcode"]),
        product_id: product,
        name: name(line),
        quantity,
        unit_price: total.zip(currency).and_then(|(total, currency)| total.part_in(currency, quantity)),
        is_shippable: line["requires_shipping"] != false,
        external_id,
    })
}

/// Returns the name of the product, with that of the variant if it tells more.
fn name(line: &Value) -> Option<String> {
    let product = text(&line["product_title"]).or_else(|| text(&line["title"]))?;
    match text(&line["variant_title"]) {
        Some(variant) if variant != product => Some(format!("{product}, {variant}")),
        _ => Some(product),
    }
}

fn customer(order: &Value, billing: Option<&ShopAddress>) -> Customer {
    let customer = &order["customer"];
    let of_billing =
        |field: fn(&ShopAddress) -> &Option<String>| billing.and_then(|billing| field(billing).clone());
    Customer {
        name: joined([&customer["first_name"], &customer["last_name"]])
            .or_else(|| of_billing(|place| &place.name)),
        company: text(&customer["company_name"]).or_else(|| of_billing(|place| &place.company)),
        email_address: text(&order["email"]).or_else(|| text(&customer["email"])),
        phone_number: text(&customer["phone"]).or_else(|| of_billing(|place| &place.phone_number)),
    }
}

fn address(address: &Value) -> Option<ShopAddress> {
    let country_code = text(&address["country_code"]).map(|code| code.to_ascii_uppercase());
    known(ShopAddress {
        name: joined([&address["first_name"], &address["last_name"]]),
        company: text(&address["company"]),
        line_1: text(&address["address_1"]),
        line_2: text(&address["address_2"]),
        city: text(&address["city"]),
        province: province(country_code.as_deref(), text(&address["province"])),
        post_code: text(&address["postal_code"]),
        country_code,
        phone_number: text(&address["phone"]),
    })
}
