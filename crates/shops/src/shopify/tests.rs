//! Shopify's words, with answers of our own making after its documentation, and with the samples of its former REST API.

mod recorded;
mod stock;
mod writing;

use serde_json::{Value, json};

use super::*;
use crate::connector::Answer;
use crate::failure::FailureKind;
use crate::order::Extent;
use crate::position::Position;
use crate::testing::*;
use crate::webhook::ReceivedWebhook;

/// Returns an order as GraphQL shows it: prices with tax, and a line of which one piece was taken off.
pub fn order() -> Value {
    let address = json!({"name": "Ann Miller", "company": null, "address1": "1 Quay Street", "address2": "Flat 3",
        "city": "Bristol", "province": "England", "provinceCode": null, "zip": "BS1 4DJ", "countryCodeV2": "GB", "phone": null});
    let money = |amount: &str| json!({"shopMoney": {"amount": amount}});
    json!({
        "id": "gid://shopify/Order/13", "name": "#1013", "updatedAt": "2026-11-16T03:26:37Z",
        "createdAt": "2026-11-16T03:26:36Z", "processedAt": "2026-11-16T03:20:00Z", "cancelledAt": null,
        "displayFinancialStatus": "PAID", "displayFulfillmentStatus": "UNFULFILLED", "currencyCode": "GBP",
        "taxesIncluded": true, "test": false, "note": "Ring twice", "tags": ["Gift wrap", "B2B"],
        "email": "ann@example.com", "phone": null, "shippingLine": {"title": "Express"},
        "shippingAddress": address, "billingAddress": address,
        "lineItems": {"nodes": [
            {"id": "gid://shopify/LineItem/1", "sku": "MUG-1", "name": "Mug - blue", "quantity": 3, "currentQuantity": 2,
                "requiresShipping": true, "variant": {"id": "gid://shopify/ProductVariant/77", "barcode": "4006381333931"},
                "discountedUnitPriceAfterAllDiscountsSet": money("12.0"), "taxLines": [{"priceSet": money("6.0")}]},
            {"id": "gid://shopify/LineItem/2", "sku": "", "name": "Card", "quantity": 1, "currentQuantity": 1,
                "requiresShipping": false, "variant": null,
                "discountedUnitPriceAfterAllDiscountsSet": money("20.0"), "taxLines": []},
        ], "pageInfo": {"hasNextPage": false, "endCursor": null}},
    })
}

/// Returns the same order as webhooks have it.
pub fn webhook_order() -> Value {
    let address = json!({"first_name": "Ann", "last_name": "Miller", "name": "Ann Miller", "company": null,
        "address1": "1 Quay Street", "address2": "Flat 3", "city": "Bristol", "province": "England", "province_code": null,
        "zip": "BS1 4DJ", "country_code": "GB", "phone": null});
    json!({
        "id": 13, "name": "#1013", "number": 13, "updated_at": "2026-11-16T04:26:37+01:00",
        "created_at": "2026-11-16T04:26:36+01:00", "processed_at": "2026-11-16T04:20:00+01:00", "cancelled_at": null,
        "financial_status": "paid", "fulfillment_status": null, "currency": "GBP", "presentment_currency": "EUR",
        "taxes_included": true, "test": false, "note": "Ring twice", "tags": "Gift wrap, B2B",
        "email": "ann@example.com", "phone": null, "shipping_lines": [{"title": "Express"}],
        "shipping_address": address, "billing_address": address, "customer": {"first_name": "Bo", "email": "bo@example.com"},
        "line_items": [
            {"id": 1, "sku": "MUG-1", "name": "Mug - blue", "title": "Mug", "quantity": 3, "current_quantity": 2,
                "requires_shipping": true, "variant_id": 77, "price": "13.00", "total_discount": "9.99",
                "discount_allocations": [{"amount": "1.00"}, {"amount": "2.00"}], "tax_lines": [{"price": "6.00"}]},
            {"id": 2, "sku": "", "name": "Card", "quantity": 1, "requires_shipping": false, "variant_id": null,
                "product_id": null, "price": "20.00", "total_discount": "0.00", "tax_lines": []},
        ],
    })
}

fn data(data: Value) -> Answer {
    ok(json!({"data": data}))
}

fn fetch(answers: &[Answer]) -> Played {
    play(&Shopify, &shop(), &Task::Fetch { order: "13" }, answers)
}

fn fetched(played: Played) -> crate::ShopOrder {
    match played.outcome {
        Outcome::Fetched(order) => *order,
        other => panic!("{other:?}"),
    }
}

fn news(topic: &str, body: &Value) -> News {
    let body = body.to_string();
    let headers = [("X-Shopify-Topic", topic)];
    Shopify.read_webhook(&shop(), &ReceivedWebhook { headers: &headers, body: body.as_bytes() })
}

#[test]
fn an_order_is_the_same_by_graphql_and_in_a_webhook() {
    let mut read = fetched(fetch(&[data(json!({"order": order()}))]));
    let News::Order(told) = news("orders/updated", &webhook_order()) else { panic!() };
    assert!(check_body(&read) && check_body(&told));
    assert_eq!(read.lines[0].barcode.take().as_deref(), Some("4006381333931"), "webhooks have none");
    assert_eq!(read, *told);
    assert_eq!(
        (read.external_id.as_str(), read.number.as_deref(), read.status.as_str()),
        ("13", Some("#1013"), "paid")
    );
    assert_eq!(read.url.as_deref(), Some("https://quay.myshopify.com/admin/orders/13"));
    assert_eq!(read.modified_at, time("2026-11-16T03:26:37Z"));
    assert_eq!(read.customer.name.as_deref(), Some("Ann Miller"));
    let [mug, card] = read.lines.as_slice() else { panic!() };
    assert_eq!(
        (mug.external_id.as_str(), mug.quantity, mug.unit_price),
        ("1", 2, Some(1000)),
        "12.00 with 2.00 of tax"
    );
    assert_eq!((mug.product_id.as_deref(), mug.is_shippable), (Some("77"), true));
    assert_eq!(
        (card.sku_or_product().as_str(), card.unit_price, card.is_shippable),
        ("line:2", Some(2000), false)
    );
    assert_eq!(read.body()["tags"], json!(["gift_wrap", "b2b"]));
    assert_eq!(read.body()["destination"]["contact"]["email_address"], "ann@example.com");
}

#[test]
fn states_are_read_in_both_forms() {
    for (graphql, rest, is_off, refunded, shipped) in [
        (
            json!({"cancelledAt": "2026-11-17T00:00:00Z"}),
            json!({"cancelled_at": "2026-11-17T00:00:00Z"}),
            true,
            Extent::None,
            Extent::None,
        ),
        (
            json!({"displayFinancialStatus": "REFUNDED"}),
            json!({"financial_status": "refunded"}),
            true,
            Extent::All,
            Extent::None,
        ),
        (
            json!({"displayFinancialStatus": "PARTIALLY_REFUNDED"}),
            json!({"financial_status": "partially_refunded"}),
            false,
            Extent::Part,
            Extent::None,
        ),
        (
            json!({"displayFulfillmentStatus": "FULFILLED"}),
            json!({"fulfillment_status": "fulfilled"}),
            false,
            Extent::None,
            Extent::All,
        ),
        (
            json!({"displayFulfillmentStatus": "PARTIALLY_FULFILLED"}),
            json!({"fulfillment_status": "partial"}),
            false,
            Extent::None,
            Extent::Part,
        ),
    ] {
        let (mut by_graphql, mut by_webhook) = (order(), webhook_order());
        model::platform::json::merge(&mut by_graphql, graphql.clone());
        model::platform::json::merge(&mut by_webhook, rest);
        let read = fetched(fetch(&[data(json!({"order": by_graphql}))]));
        let News::Order(told) = news("orders/updated", &by_webhook) else { panic!() };
        assert_eq!((read.is_off(), read.refunded, read.shipped), (is_off, refunded, shipped), "{graphql}");
        assert_eq!((told.is_off(), told.refunded, told.shipped), (is_off, refunded, shipped), "{graphql}");
    }
}

#[test]
fn webhooks_that_are_no_whole_order_name_one() {
    for (topic, body, expected) in [
        ("orders/delete", json!({"id": 13}), News::Changed("13".to_owned())),
        (
            "orders/updated",
            json!({"id": 13, "updated_at": "2026-11-16T03:26:37Z"}),
            News::Changed("13".to_owned()),
        ),
        (
            "orders/fulfilled",
            json!({"id": 9, "order_id": 13, "line_items": []}),
            News::Changed("13".to_owned()),
        ),
        ("products/update", webhook_order(), News::Other),
        ("refunds/create", json!({"id": 9, "order_id": 13}), News::Other),
    ] {
        assert_eq!(news(topic, &body), expected, "{topic}");
    }
    assert!(matches!(news("orders/updated", &json!({})), News::Unreadable(_)));
    let mut broken = webhook_order();
    broken["line_items"] = json!("none");
    assert!(matches!(news("orders/updated", &broken), News::Unreadable(_)));
}

#[test]
fn lines_of_a_long_order_are_read_page_by_page() {
    let mut first = order();
    first["lineItems"]["pageInfo"] = json!({"hasNextPage": true, "endCursor": "a"});
    let mut second = order();
    second["lineItems"]["nodes"] = json!([{"id": "gid://shopify/LineItem/3", "sku": "X", "quantity": 1}]);
    let played = fetch(&[data(json!({"order": first})), data(json!({"order": second}))]);
    assert_eq!(sent(&played.requests[1])["variables"], json!({"id": "gid://shopify/Order/13", "after": "a"}));
    assert_eq!(fetched(played).lines.len(), 3);
}

fn poll(position: &Position, answers: &[Answer]) -> Played {
    play(&Shopify, &shop(), &Task::Poll { position, now: time(NOW) }, answers)
}

fn page_of(orders: Value, cursor: Value) -> Answer {
    let info = json!({"hasNextPage": cursor.is_string(), "endCursor": cursor});
    data(json!({"orders": {"nodes": orders, "pageInfo": info}}))
}

#[test]
fn changed_orders_are_read_with_a_cursor() {
    let start = Position::starting_at(time("2026-11-16T00:00:00.5Z"));
    let mut long = order();
    long["id"] = json!("gid://shopify/Order/14");
    long["lineItems"]["pageInfo"] = json!({"hasNextPage": true, "endCursor": "x"});
    let first = poll(&start, &[page_of(json!([order(), long]), json!("a"))]);
    let variables = sent(&first.requests[0])["variables"].clone();
    assert_eq!(variables, json!({"after": null, "query": "updated_at:>='2026-11-16T00:00:00Z'"}));
    let Outcome::Polled(page) = first.outcome else { panic!() };
    assert_eq!(
        (page.orders.len(), page.incomplete.as_slice(), page.is_last),
        (1, &["14".to_owned()][..], false)
    );
    let second = poll(&page.next, &[page_of(json!([]), Value::Null)]);
    assert_eq!(sent(&second.requests[0])["variables"]["after"], "a");
    let Outcome::Polled(last) = second.outcome else { panic!() };
    assert!(last.is_last && !last.next.is_under_way());
    assert_eq!(last.next, Position::starting_at(time("2026-11-16T03:24:37Z")));
    // After a week, say, the cursor is refused.
    let refused = ok(json!({"errors": [{"message": "Invalid cursor for current pagination sort."}]}));
    let again = poll(&page.next, &[refused, page_of(json!([order()]), Value::Null)]);
    assert_eq!(sent(&again.requests[1])["variables"], variables);
}

#[test]
fn errors_come_with_any_status() {
    let of = |answer: Answer| failure(fetch(&[answer]).outcome);
    let cost =
        json!({"requestedQueryCost": 300, "throttleStatus": {"currentlyAvailable": 66, "restoreRate": 50.0}});
    let throttled = of(ok(
        json!({"errors": [{"message": "Throttled", "extensions": {"code": "THROTTLED"}}], "extensions": {"cost": cost}}),
    ));
    assert_eq!(
        (throttled.kind, throttled.retry_after.map(|wait| wait.as_secs())),
        (FailureKind::Later, Some(5))
    );
    let error = |code: &str| {
        ok(json!({"errors": [{"message": "No.", "extensions": {"code": code}}], "data": {"order": null}}))
    };
    for (answer, kind) in [
        (error("ACCESS_DENIED"), FailureKind::Credentials),
        (error("INTERNAL_SERVER_ERROR"), FailureKind::Later),
        (error("MAX_COST_EXCEEDED"), FailureKind::Refused),
        (ok(json!({"errors": "No."})), FailureKind::Refused),
        (answer(401, json!({"errors": "[API] Invalid API key or access token"})), FailureKind::Credentials),
        (answer(402, json!({"errors": "Unavailable Shop"})), FailureKind::Later),
        (answer(404, json!({"errors": "Not Found"})), FailureKind::NotUnderstood),
        (data(json!({"order": null})), FailureKind::Gone),
        (data(json!({"order": 1})), FailureKind::NotUnderstood),
        (ok(json!({"data": null})), FailureKind::NotUnderstood),
        (ok(json!([{"data": {}}])), FailureKind::NotUnderstood),
    ] {
        assert_eq!(of(answer.clone()).kind, kind, "{answer:?}");
    }
}

#[test]
fn permissions_that_are_missing_are_named() {
    let scope = |handle: &str| json!({"handle": handle});
    let scopes = [scope("write_orders"), scope("read_products"), scope("read_inventory")];
    let body = json!({"shop": {"name": "Quay", "currencyCode": "GBP"}, "currentAppInstallation": {"accessScopes": scopes}});
    let Outcome::Tested(details) = play(&Shopify, &shop(), &Task::Test, &[data(body)]).outcome else {
        panic!()
    };
    assert_eq!((details.name.as_deref(), details.currency.as_deref()), (Some("Quay"), Some("GBP")));
    assert_eq!(details.missing_permissions, ["write_inventory", "write_merchant_managed_fulfillment_orders"]);
}

#[test]
fn a_shop_is_named_by_its_address_at_shopify() {
    let other = Shop { url: "https://quay.example".to_owned(), ..shop() };
    assert!(Shopify.check(&other).unwrap_err().contains("myshopify.com"));
    let near = Shop { url: "http://127.0.0.1:8080".to_owned(), allows_plain_http: true, ..shop() };
    assert_eq!(Shopify.check(&near), Ok(()));
    let nowhere = Shop { stock_location: Some("the depot".to_owned()), ..shop() };
    assert!(Shopify.check(&nowhere).is_err());
}
