//! Medusa's words, with answers of our own making after its source.

mod writing;

use serde_json::{Value, json};

use super::*;
use crate::failure::FailureKind;
use crate::order::Extent;
use crate::position::Position;
use crate::testing::*;
use crate::webhook::ReceivedWebhook;

/// Returns an order with a product of two pieces and a service.
pub fn order() -> Value {
    let address = json!({"first_name": "Ann", "last_name": "Miller", "company": "", "address_1": "1 Quay Street", "address_2": null,
        "city": "Berlin", "province": "de-be", "postal_code": "10115", "country_code": "de", "phone": "+49 30 1234567"});
    json!({
        "id": "order_01", "display_id": 42, "status": "pending", "payment_status": "captured", "fulfillment_status": "not_fulfilled",
        "currency_code": "eur", "email": "ann@example.com", "total": 36.48, "canceled_at": null,
        "created_at": "2026-11-16T03:26:36.000Z", "updated_at": "2026-11-16T03:26:37.250Z",
        "shipping_address": address, "billing_address": address,
        "customer": {"first_name": "Ann", "last_name": "Miller", "company_name": "Miller Ltd", "email": "ann@example.com", "phone": null},
        "shipping_methods": [{"name": "Express"}],
        "items": [
            {"id": "ordli_1", "title": "Blue", "product_title": "Mug", "variant_title": "Blue", "variant_sku": "MUG-1",
                "variant_barcode": null, "variant_id": "variant_1", "quantity": 2, "unit_price": 12.99, "total": 24.48,
                "tax_total": 0.5, "requires_shipping": true, "detail": {"quantity": 2, "fulfilled_quantity": 0}},
            {"id": "ordli_2", "title": "Engraving", "variant_sku": null, "variant_id": null, "quantity": 1, "unit_price": 12,
                "requires_shipping": false},
        ],
        "fulfillments": [],
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
    assert!(check_body(&read));
    assert_eq!(
        (read.external_id.as_str(), read.number.as_deref(), read.status.as_str()),
        ("order_01", Some("42"), "captured")
    );
    assert_eq!(read.modified_at, time("2026-11-16T03:26:37.25Z"));
    assert_eq!((read.currency.as_deref(), read.requested_service.as_deref()), (Some("EUR"), Some("Express")));
    let place = read.destination.clone().unwrap();
    assert_eq!((place.country_code.as_deref(), place.province.as_deref()), (Some("DE"), Some("BE")));
    let [mug, engraving] = read.lines.as_slice() else { panic!() };
    assert_eq!(
        (mug.name.as_deref(), mug.sku.as_deref(), mug.unit_price),
        (Some("Mug, Blue"), Some("MUG-1"), Some(1199))
    );
    assert_eq!((engraving.unit_price, engraving.is_shippable), (Some(1200), false));
    assert_eq!(engraving.sku_or_product(), "line:ordli_2");
    assert_eq!(read.customer.company.as_deref(), Some("Miller Ltd"));
}

#[test]
fn states_are_read() {
    for (change, is_off, refunded, shipped) in [
        (json!({"status": "canceled"}), true, Extent::None, Extent::None),
        (json!({"canceled_at": "2026-11-17T00:00:00Z"}), true, Extent::None, Extent::None),
        (json!({"payment_status": "refunded"}), true, Extent::All, Extent::None),
        (json!({"payment_status": "partially_refunded"}), false, Extent::Part, Extent::None),
        (json!({"fulfillment_status": "partially_shipped"}), false, Extent::None, Extent::Part),
        (json!({"fulfillment_status": "delivered"}), false, Extent::None, Extent::All),
    ] {
        let read = read(&changed(change.clone()));
        assert_eq!((read.is_off(), read.refunded, read.shipped), (is_off, refunded, shipped), "{change}");
    }
    let mut old = order();
    old.as_object_mut().unwrap().remove("payment_status");
    assert_eq!(read(&old).status, "pending");
}

#[test]
fn events_name_their_order() {
    let news = |body: Value| {
        let body = body.to_string();
        Medusa.read_webhook(&shop(), &ReceivedWebhook { headers: &[], body: body.as_bytes() })
    };
    let changed = News::Changed("order_01".to_owned());
    assert_eq!(news(json!({"name": "order.placed", "data": {"id": "order_01"}})), changed);
    assert_eq!(news(json!({"data": {"order_id": "order_01", "fulfillment_id": "ful_01"}})), changed);
    assert_eq!(news(json!({"name": "product.updated", "data": {"id": "prod_01"}})), News::Other);
    assert!(matches!(news(json!({"id": "order_01"})), News::Unreadable(_)));
}

#[test]
fn changed_orders_are_asked_for_by_their_time() {
    let position = Position::starting_at(time("2026-11-16T00:00:00Z"));
    let page = json!({"orders": [order()], "count": 120, "offset": 0, "limit": 50});
    let task = Task::Poll { position: &position, now: time(NOW) };
    let played = play(&Medusa, &shop(), &task, &[ok(page)]);
    let query = "/admin/orders?updated_at%5B%24gte%5D=2026-11-16T00%3A00%3A00.000000Z&order=updated_at&limit=50&offset=0&fields=";
    assert!(calls(&played)[0].starts_with(&format!("GET {query}")), "{:?}", calls(&played));
    assert!(played.requests[0].url.len() < 2000);
    assert_eq!(played.requests[0].headers[1], ("authorization", "Basic c2tfMTo=".to_owned()));
    let Outcome::Polled(page) = played.outcome else { panic!() };
    assert_eq!(
        (page.orders.len(), page.is_last, page.next.since()),
        (1, false, time("2026-11-16T03:26:37.25Z"))
    );
}

#[test]
fn errors_are_those_of_the_shop() {
    let of = |status, body: Value| {
        let task = Task::Fetch { order: "order_01" };
        failure(play(&Medusa, &shop(), &task, &[answer(status, body)]).outcome).kind
    };
    assert_eq!(of(401, json!({"message": "Unauthorized"})), FailureKind::Credentials);
    assert_eq!(of(404, json!({"type": "not_found", "message": "Order id not found"})), FailureKind::Gone);
    assert_eq!(of(400, json!({"type": "invalid_data", "message": "Bad"})), FailureKind::Refused);
    assert_eq!(of(409, json!({"message": "conflict"})), FailureKind::Later);
    assert_eq!(of(500, json!({"message": "An unknown error occurred."})), FailureKind::Later);
    assert_eq!(of(200, json!({"order": {"id": "order_02"}})), FailureKind::NotUnderstood);
}

#[test]
fn the_store_is_named() {
    let currencies = json!([{"currency_code": "usd"}, {"currency_code": "eur", "is_default": true}]);
    let body = json!({"stores": [{"name": "Quay", "supported_currencies": currencies}]});
    let Outcome::Tested(details) = play(&Medusa, &shop(), &Task::Test, &[ok(body)]).outcome else { panic!() };
    assert_eq!((details.name.as_deref(), details.currency.as_deref()), (Some("Quay"), Some("EUR")));
}
