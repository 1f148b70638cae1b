//! What holds for every connector.

use std::collections::BTreeSet;

use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::testing::*;
use crate::*;

/// Returns an order as each connector reads it, with how: alone, or in a webhook.
fn orders() -> Vec<(&'static dyn Connector, Value)> {
    vec![
        (&woocommerce::WooCommerce, woocommerce::tests::order()),
        (&shopify::Shopify, shopify::tests::order()),
        (&medusa::Medusa, medusa::tests::order()),
    ]
}

/// Returns the answer of a shop to the request for an order.
fn fetched(connector: &dyn Connector, order: &Value) -> Answer {
    ok(match connector.kind() {
        woocommerce::KIND => order.clone(),
        shopify::KIND => json!({"data": {"order": order}}),
        _ => json!({"order": order}),
    })
}

/// Returns a page of changed orders.
fn page(connector: &dyn Connector, orders: &[Value]) -> Answer {
    ok(match connector.kind() {
        woocommerce::KIND => json!(orders),
        shopify::KIND => json!({"data": {"orders": {"nodes": orders, "pageInfo": {"hasNextPage": false}}}}),
        _ => json!({"orders": orders, "count": orders.len()}),
    })
}

fn id_of(connector: &dyn Connector) -> &'static str {
    if connector.kind() == medusa::KIND { "order_01" } else { "13" }
}

fn fetch(connector: &dyn Connector, order: &Value) -> Outcome {
    let task = Task::Fetch { order: id_of(connector) };
    play_to_the_end(connector, &shop(), &task, &[fetched(connector, order)])
}

#[test]
fn every_kind_of_shop_is_found_by_its_name() {
    let kinds: BTreeSet<_> = ALL.iter().map(|known| known.kind()).collect();
    assert_eq!(kinds.len(), ALL.len());
    for kind in kinds {
        assert_eq!(connector(kind).map(|found| found.kind()), Some(kind));
    }
    assert!(connector("magento").is_none());
}

#[test]
fn settings_of_a_kind_agree_with_each_other() {
    for known in ALL {
        let can = known.capabilities();
        assert!(can.statuses_to_import.iter().all(|word| can.statuses.contains(word)), "{}", known.kind());
        let signing = known.credentials().iter().filter(|field| field.signs_webhooks);
        assert_eq!(signing.count(), 1, "{}", known.kind());
        assert_eq!(known.check(&shop()), Ok(()), "{}", known.kind());
    }
}

/// Returns one task of each sort.
fn tasks<'a>(
    order: &'a str,
    position: &'a Position,
    shipped: &'a Shipped,
    levels: &'a [StockLevel],
) -> [Task<'a>; 6] {
    [
        Task::Test,
        Task::Poll { position, now: time(NOW) },
        Task::Fetch { order },
        Task::Fulfil(shipped),
        Task::CancelFulfilment(shipped),
        Task::SetStock { key: "job-1", levels },
    ]
}

#[test]
fn credentials_go_over_https_alone_and_into_no_log() {
    let (position, levels) =
        (Position::starting_at(time(NOW)), [StockLevel { sku: "A".to_owned(), sellable: 1 }]);
    for known in ALL {
        let shipped = shipped(id_of(*known), &[("1", 1)]);
        for task in tasks(id_of(*known), &position, &shipped, &levels) {
            let Step::Send(request) = known.step(&shop(), &task, &[]) else { panic!("{}", task.as_str()) };
            assert!(request.url.starts_with("https://quay.myshopify.com/"), "{}", request.url);
            assert!(!request.url.contains("_1"), "{}", request.url);
            let shown = format!("{request:?}");
            assert!(
                !["ck_1", "shpat_1", "sk_1", "Basic"].iter().any(|secret| shown.contains(secret)),
                "{shown}"
            );
            let plain = Shop { url: "http://quay.myshopify.com".to_owned(), ..shop() };
            let Step::Done(outcome) = known.step(&plain, &task, &[]) else { panic!("{}", task.as_str()) };
            assert_eq!(failure(outcome).kind, FailureKind::Refused);
        }
    }
}

#[test]
fn a_failure_is_what_the_shop_proved() {
    let (position, levels) =
        (Position::starting_at(time(NOW)), [StockLevel { sku: "A".to_owned(), sellable: 1 }]);
    for known in ALL {
        let shipped = shipped(id_of(*known), &[("1", 1)]);
        for task in tasks(id_of(*known), &position, &shipped, &levels) {
            for (answer, kind) in [
                (answer(503, "<html>maintenance</html>"), FailureKind::Later),
                (answer(429, ""), FailureKind::Later),
                (answer(403, "<html>firewall</html>"), FailureKind::NotUnderstood),
                (answer(404, "<html>no such page</html>"), FailureKind::NotUnderstood),
                (answer(302, ""), FailureKind::NotUnderstood),
                (answer(200, "<html>another site</html>"), FailureKind::NotUnderstood),
                (Answer::Lost("No answer.".to_owned()), FailureKind::Later),
                (Answer::Unsent("No route.".to_owned()), FailureKind::Later),
            ] {
                let failed = failure(play_to_the_end(*known, &shop(), &task, std::slice::from_ref(&answer)));
                assert_eq!(failed.kind, kind, "{} {} {answer:?}", known.kind(), task.as_str());
                assert!(!failed.may_be_done && !failed.message.is_empty(), "the first request only reads");
            }
        }
    }
}

#[test]
fn an_order_with_unknown_fields_is_the_same() {
    for (known, order) in orders() {
        let expected = fetch(known, &order);
        assert!(matches!(expected, Outcome::Fetched(_)), "{expected:?}");
        for unknown in odd_values() {
            let changed = with_unknown_fields(&order, "field", &unknown);
            assert_eq!(fetch(known, &changed), expected, "{} {unknown}", known.kind());
        }
    }
}

#[test]
fn whatever_a_field_has_the_order_is_read_or_refused_and_the_model_takes_it() {
    for (known, order) in orders() {
        let (mut read, mut refused) = (0, 0);
        for pointer in pointers(&order) {
            for value in odd_values() {
                let mut changed = order.clone();
                *changed.pointer_mut(&pointer).unwrap() = value;
                match fetch(known, &changed) {
                    Outcome::Fetched(order) => {
                        check_body(&order);
                        read += 1;
                    }
                    Outcome::Failed(_) => refused += 1,
                    other => panic!("{other:?}"),
                }
            }
        }
        println!("{}: {read} changed orders read, {refused} refused", known.kind());
        assert!(read > refused && refused > 0);
    }
}

#[test]
fn one_order_that_can_t_be_read_does_not_hide_the_others() {
    let position = Position::starting_at(time("2026-11-01T00:00:00Z"));
    for (known, order) in orders() {
        let task = Task::Poll { position: &position, now: time(NOW) };
        let found = [order.clone(), json!({"id": order["id"]}), json!("order"), order.clone()];
        let played = play(known, &shop(), &task, &[page(known, &found)]);
        let Outcome::Polled(page) = played.outcome else { panic!("{:?}", played.outcome) };
        assert_eq!(
            (page.orders.len(), page.unreadable.len(), page.is_last),
            (2, 2, true),
            "{}",
            known.kind()
        );
        assert_eq!(page.orders[0], page.orders[1], "an order may be there twice");
        assert_eq!(page.unreadable[0].external_id.as_deref(), Some(id_of(known)));
    }
}

/// Sends webhooks with these bodies, signed or not: nothing is trusted without a signature, and each tells something or
/// nothing.
fn check_webhook(body: &[u8]) {
    for known in ALL {
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, b"secret");
        let signature = base64::Engine::encode(
            &base64::engine::general_purpose::STANDARD,
            ring::hmac::sign(&key, body).as_ref(),
        );
        let name = match known.kind() {
            woocommerce::KIND => "X-WC-Webhook-Signature",
            shopify::KIND => "X-Shopify-Hmac-Sha256",
            _ => "X-Dockside-Signature",
        };
        let headers = [(name, signature.as_str())];
        let webhook = ReceivedWebhook { headers: &headers, body };
        assert_eq!(known.check_signature(&["secret"], &webhook), Signature::Valid);
        assert_eq!(known.check_signature(&["other"], &webhook), Signature::Wrong);
        let unsigned = known.check_signature(&["secret"], &ReceivedWebhook { headers: &[], body });
        assert!(matches!(unsigned, Signature::Missing | Signature::UnsignedPing));
        if let News::Order(order) = known.read_webhook(&shop(), &webhook) {
            check_body(&order);
        }
    }
}

#[test]
fn a_webhook_that_breaks_off_tells_nothing_wrong() {
    for body in
        [woocommerce::tests::order(), shopify::tests::webhook_order(), json!({"data": {"id": "order_01"}})]
    {
        let body = body.to_string();
        (0..=body.len()).for_each(|end| check_webhook(&body.as_bytes()[..end]));
    }
}

fn any_answer() -> impl Strategy<Value = Answer> {
    let words = prop::sample::select(vec![
        r#"{"id":13,"status":"processing","meta_data":[],"line_items":[]}"#,
        r#"{"data":{"order":{"id":"gid://shopify/Order/13","fulfillments":[],"fulfillmentOrders":{"nodes":[{"id":"gid://shopify/FulfillmentOrder/1","status":"OPEN"}],"pageInfo":{"hasNextPage":true,"endCursor":"a"}}}}}"#,
        r#"{"data":{"fulfillmentOrder":{"lineItems":{"nodes":[{"id":"a","remainingQuantity":1,"lineItem":{"id":"gid://shopify/LineItem/1"}}],"pageInfo":{}}}}}"#,
        r#"{"data":{"productVariants":{"nodes":[{"sku":"A","inventoryItem":{"id":"a","tracked":true,"inventoryLevel":{}}}]}}}"#,
        r#"{"data":{"inventorySetQuantities":{"userErrors":[{"field":["input","quantities","0"],"message":"No."}]}}}"#,
        r#"{"order":{"id":"order_01","items":[{"id":"1","quantity":2}],"fulfillments":[]}}"#,
        r#"{"inventory_items":[{"id":"a","sku":"A"}],"orders":[],"stores":[]}"#,
        r#"[{"id":1,"sku":"A","manage_stock":true,"note":"SB123GB"}]"#,
        r#"{"code":"rest_no_route","message":"No.","errors":[{"extensions":{"code":"THROTTLED"}}]}"#,
        "[]",
        "{}",
        "null",
    ]);
    let body = prop_oneof![
        words.prop_map(|text| text.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..40),
    ];
    let status = prop::sample::select(vec![200_u16, 201, 204, 301, 400, 401, 404, 409, 429, 500]);
    (status, body, any::<Option<u8>>()).prop_map(|(status, body, total)| Answer::Response {
        status,
        retry_after: None,
        total: total.map(u64::from),
        body: Bytes::from(body),
    })
}

proptest! {
    #[test]
    fn any_answers_end_a_task(answers in prop::collection::vec(any_answer(), 1..6), wide in any::<bool>()) {
        let position = Position::starting_at(time(NOW));
        let lines: &[(&str, i64)] = if wide { &[("1", 5), ("1", 1), ("2", 0)] } else { &[("1", 1)] };
        let levels = [StockLevel { sku: "A".to_owned(), sellable: 3 }, StockLevel { sku: "B,C".to_owned(), sellable: -1 }];
        for known in ALL {
            let shipped = shipped(id_of(*known), lines);
            for task in tasks(id_of(*known), &position, &shipped, &levels) {
                let _ = play_to_the_end(*known, &shop(), &task, &answers);
            }
        }
    }

    #[test]
    fn any_body_of_a_webhook_means_something_or_nothing(body in prop::collection::vec(any::<u8>(), 0..80)) {
        check_webhook(&body);
    }

    #[test]
    fn any_ids_lead_nowhere_else(id in "\\PC{0,30}|[0-9]{1,30}|order_[a-z0-9./]{1,20}") {
        for known in ALL {
            if let Step::Send(request) = known.step(&shop(), &Task::Fetch { order: &id }, &[]) {
                prop_assert!(!request.url.contains("..") && !request.url.contains(' '), "{}", request.url);
            }
        }
    }
}
