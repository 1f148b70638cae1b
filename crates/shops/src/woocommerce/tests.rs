//! WooCommerce's words, with answers of our own making, and with all that was recorded.

mod paging;
mod recorded;
mod writing;

use serde_json::{Value, json};

use super::*;
use crate::order::{Customer, Extent, ShopAddress};
use crate::testing::*;
use crate::webhook::ReceivedWebhook;

/// Returns an order with two lines, one of them without a SKU.
pub fn order() -> Value {
    let billing = json!({"first_name": "Ann", "last_name": "Miller", "company": "", "address_1": "1 Quay Street",
        "address_2": "", "city": "Bristol", "state": "", "postcode": "BS1 4DJ", "country": "GB",
        "email": "ann@example.com", "phone": "+44 117 496 0000"});
    json!({
        "id": 13, "number": "A-13", "status": "processing", "currency": "GBP", "total": "36.00",
        "date_created_gmt": "2026-11-16T03:26:36", "date_modified_gmt": "2026-11-16T03:26:37",
        "date_modified": "2026-11-16T04:26:37", "billing": billing,
        "shipping": {"first_name": "Ann", "last_name": "Miller", "company": "Goods in", "address_1": "2 Quay Street",
            "city": "Bristol", "state": "", "postcode": "BS1 4DJ", "country": "GB", "phone": ""},
        "customer_note": "Leave it at\nthe door", "refunds": [], "meta_data": [],
        "line_items": [
            {"id": 4, "name": "Mug", "product_id": 11, "variation_id": 12, "quantity": 3, "total": "10.00",
                "price": 3.3333, "sku": "MUG-1", "global_unique_id": "4006381333931"},
            {"id": 5, "name": "", "product_id": 0, "variation_id": 0, "quantity": 1, "total": "26", "sku": null},
        ],
        "shipping_lines": [{"id": 6, "method_title": "Express"}],
    })
}

fn changed(change: Value) -> Value {
    let mut order = order();
    model::platform::json::merge(&mut order, change);
    order
}

fn read(order: &Value) -> crate::ShopOrder {
    order::read(&shop(), order).unwrap()
}

#[test]
fn an_order_reads_with_its_lines_and_addresses() {
    let read = read(&order());
    assert_eq!(
        (read.external_id.as_str(), read.number.as_deref(), read.status.as_str()),
        ("13", Some("A-13"), "processing")
    );
    assert_eq!(read.modified_at, time("2026-11-16T03:26:37Z"));
    assert_eq!(read.placed_at, Some(time("2026-11-16T03:26:36Z")));
    assert_eq!(read.url.as_deref(), Some("https://quay.myshopify.com/wp-admin/post.php?post=13&action=edit"));
    assert_eq!(read.requested_service.as_deref(), Some("Express"));
    assert_eq!(read.note_text().as_deref(), Some("Leave it at the door"));
    let customer = Customer {
        name: Some("Ann Miller".to_owned()),
        company: None,
        email_address: Some("ann@example.com".to_owned()),
        phone_number: Some("+44 117 496 0000".to_owned()),
    };
    assert_eq!(read.customer, customer);
    let place = read.destination.clone().unwrap();
    assert_eq!(place.line_1.as_deref(), Some("2 Quay Street"));
    assert_eq!(place.phone_number, customer.phone_number, "that of the billing address");
    let [mug, unknown] = read.lines.as_slice() else { panic!("{:?}", read.lines) };
    assert_eq!((mug.external_id.as_str(), mug.sku_or_product().as_str(), mug.quantity), ("4", "MUG-1", 3));
    assert_eq!(
        (mug.unit_price, mug.barcode.as_deref(), mug.product_id.as_deref()),
        (Some(333), Some("4006381333931"), Some("12"))
    );
    assert_eq!((unknown.sku_or_product().as_str(), unknown.unit_price), ("line:5", Some(2600)));
    assert!(check_body(&read));
    assert!(!read.is_off());
}

#[test]
fn the_billing_address_takes_the_place_of_an_empty_one() {
    let empty = json!({"shipping": {"first_name": "", "company": null, "address_1": "", "city": "", "country": "GB"}});
    let read = read(&changed(empty));
    assert_eq!(read.destination, read.billing);
    let nowhere = ShopAddress { country_code: Some("GB".to_owned()), ..ShopAddress::default() };
    assert_eq!(crate::address::known(nowhere), None);
}

#[test]
fn what_was_cancelled_or_paid_back_is_off() {
    for (change, is_off, refunded) in [
        (json!({"status": "cancelled"}), true, Extent::None),
        (json!({"status": "failed"}), true, Extent::None),
        (json!({"status": "trash"}), true, Extent::None),
        (json!({"status": "refunded"}), true, Extent::All),
        (json!({"refunds": [{"id": 1, "total": "-36.00"}]}), true, Extent::All),
        (json!({"refunds": [{"id": 1, "total": "-30.00"}, {"id": 2, "total": "-6"}]}), true, Extent::All),
        (json!({"refunds": [{"id": 1, "total": "-8.00"}]}), false, Extent::Part),
        (json!({"status": "completed"}), false, Extent::None),
    ] {
        let read = read(&changed(change.clone()));
        assert_eq!((read.is_off(), read.refunded), (is_off, refunded), "{change}");
        assert_eq!(read.shipped, if change["status"] == "completed" { Extent::All } else { Extent::None });
    }
}

#[test]
fn an_order_that_lacks_what_it_needs_is_refused() {
    for change in [
        json!({"id": null}),
        json!({"id": 0}),
        json!({"status": null}),
        json!({"date_modified_gmt": null, "date_created_gmt": null}),
        json!({"line_items": null}),
        json!({"line_items": [{"id": 1, "quantity": 1.5}]}),
        json!({"line_items": [{"id": 1, "quantity": -1}]}),
        json!({"line_items": [{"id": 1, "quantity": 1_000_001}]}),
        json!({"line_items": [{"quantity": 1}]}),
        json!({"line_items": (0..1001).map(|id| json!({"id": id + 1, "quantity": 1})).collect::<Vec<_>>()}),
    ] {
        assert!(order::read(&shop(), &changed(change.clone())).is_err(), "{change}");
    }
    let gone = json!({"line_items": [{"id": 1, "quantity": 0}, {"id": 2, "quantity": "2"}]});
    assert_eq!(read(&changed(gone)).lines.len(), 1, "nothing is wanted of the first line");
}

fn news(topic: &str, body: &Value) -> News {
    let body = body.to_string();
    let headers = [("x-wc-webhook-topic", topic)];
    WooCommerce.read_webhook(&shop(), &ReceivedWebhook { headers: &headers, body: body.as_bytes() })
}

#[test]
fn webhooks_tell_of_orders() {
    assert_eq!(news("order.updated", &order()), News::Order(Box::new(read(&order()))));
    assert_eq!(news("order.deleted", &json!({"id": 13})), News::Changed("13".to_owned()));
    assert_eq!(news("product.updated", &order()), News::Other);
    let error = json!({"code": "woocommerce_rest_cannot_view", "message": "No.", "data": {"status": 401}});
    for body in [error, json!({}), json!([]), json!({"id": 0})] {
        assert!(matches!(news("order.updated", &body), News::Unreadable(_)), "{body}");
    }
}

#[test]
fn the_ping_is_told_from_a_message_without_a_signature() {
    let signature = |body: &str| {
        WooCommerce.check_signature(&["s"], &ReceivedWebhook { headers: &[], body: body.as_bytes() })
    };
    assert_eq!(signature("webhook_id=1"), Signature::UnsignedPing);
    for body in
        ["webhook_id=", "webhook_id=1&x=2", "webhook_id=x", "", "{}", "webhook_id=123456789012345678901"]
    {
        assert_eq!(signature(body), Signature::Missing, "{body}");
    }
    let headers = [("X-WC-Webhook-Signature", "AAAA")];
    let signed = ReceivedWebhook { headers: &headers, body: b"webhook_id=1" };
    assert_eq!(WooCommerce.check_signature(&["s"], &signed), Signature::Wrong);
}

#[test]
fn a_key_that_may_not_write_is_noticed() {
    let tested = |answers: &[crate::Answer]| play(&WooCommerce, &shop(), &Task::Test, answers);
    let played = tested(&[ok(json!([])), ok(json!({}))]);
    assert_eq!(played.outcome, Outcome::Tested(ShopDetails::default()));
    assert_eq!(
        calls(&played),
        ["GET /wp-json/wc/v3/orders?per_page=1", "POST /wp-json/wc/v3/products/batch"]
    );
    assert!(played.requests.iter().all(|request| !request.is_write), "nothing is changed");
    let refusal =
        json!({"code": "woocommerce_rest_authentication_error", "message": "No write permissions."});
    let Outcome::Tested(details) = tested(&[ok(json!([])), answer(401, refusal)]).outcome else { panic!() };
    assert_eq!(details.missing_permissions, ["write"]);
    let basic = &played.requests[0].headers[1];
    assert_eq!(basic, &("authorization", "Basic Y2tfMTpjc18x".to_owned()));
}
