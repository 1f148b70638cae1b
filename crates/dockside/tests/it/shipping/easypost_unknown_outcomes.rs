//! Unknown outcomes with EasyPost: after a backup was restored, and if its answers lack fields.

use serde_json::{Value, json};
use testkit::easypost_recordings::failure;

use crate::setup::easypost_server::PurchaseFault;
use crate::shipping::easypost::EasyPostSetup;

/// The pause between two rounds of work, in seconds, and the number of rounds until every look-up has ended.
const LONG_SECONDS: i64 = 3600;
const ROUNDS: usize = 12;

/// Works on purchases until nothing more happens without a person.
async fn settle(setup: &EasyPostSetup) {
    for _ in 0..ROUNDS {
        setup.work().await;
        setup.world.advance_seconds(LONG_SECONDS);
    }
    setup.work().await;
}

async fn restore(setup: &EasyPostSetup) {
    setup.world.service.nodes.record_restoration().await.expect("a restoration is written down");
}

fn bought_by_us(setup: &EasyPostSetup) -> (usize, usize) {
    let buys = setup.server.take().iter().filter(|seen| seen.ends_with("/buy")).count();
    (buys, setup.server.purchases())
}

async fn assert_needs_review(setup: &EasyPostSetup) {
    let attempt = setup.attempt().await;
    assert_eq!(attempt["state"], "needs_review", "{attempt}");
    assert_eq!(attempt["error"]["code"], "outcome_unknown", "{attempt}");
    assert_eq!(setup.shown().await["status"], "purchasing");
}

#[tokio::test]
async fn what_a_lost_database_may_have_bought_is_not_bought_again() {
    for is_begun_later in [false, true] {
        let setup = EasyPostSetup::open().await;
        if !is_begun_later {
            setup.order().await;
        }
        restore(&setup).await;
        if is_begun_later {
            setup.order().await;
        }
        settle(&setup).await;
        assert_eq!(bought_by_us(&setup), (0, 0));
        assert_needs_review(&setup).await;
        // A person finds that it was not bought, and then it is bought after all.
        let id = setup.attempt().await["id"].as_str().unwrap().to_owned();
        let path = format!("/purchase_attempts/{id}/resolve");
        let resolved = setup.world.post(&path, json!({"outcome": "not_bought"})).await;
        assert_eq!(resolved.status, 200, "{resolved}");
        setup.order().await;
        settle(&setup).await;
        assert_eq!(
            setup.shown().await["status"],
            "purchased",
            "it was found out: there is no doubt any more"
        );
        assert_eq!(bought_by_us(&setup), (1, 1));
    }
}

#[tokio::test]
async fn what_a_person_said_before_a_backup_was_restored_says_nothing_of_what_followed() {
    let setup = EasyPostSetup::open().await;
    setup.order().await;
    restore(&setup).await;
    settle(&setup).await;
    let id = setup.attempt().await["id"].as_str().unwrap().to_owned();
    let resolved =
        setup.world.post(&format!("/purchase_attempts/{id}/resolve"), json!({"outcome": "not_bought"})).await;
    assert_eq!(resolved.status, 200, "{resolved}");
    setup.world.advance_seconds(1);
    restore(&setup).await;
    setup.order().await;
    settle(&setup).await;
    assert_eq!(bought_by_us(&setup), (0, 0));
    assert_needs_review(&setup).await;
}

#[tokio::test]
async fn what_a_running_node_held_and_forgot_is_free_after_a_restoration() {
    let setup = EasyPostSetup::open().await;
    setup.buy().await;
    setup.ask("void", None).await;
    // As in a promoted replica: the purchase is still claimed by a node that had finished it in the lost database.
    setup.world.tamper("UPDATE purchase SET holder = (SELECT id FROM node LIMIT 1)").await;
    let refunds = || setup.server.take().iter().filter(|seen| seen.ends_with("/refund")).count();
    setup.work().await;
    assert_eq!(refunds(), 0, "a node that lives keeps what it holds");
    restore(&setup).await;
    setup.work().await;
    assert_eq!(refunds(), 1);
}

#[tokio::test]
async fn what_a_lost_database_bought_is_found_by_the_shipments_reference() {
    let setup = EasyPostSetup::open().await;
    setup.order().await;
    setup.server.sell(&setup.shipment);
    restore(&setup).await;
    setup.work().await;
    let shown = setup.shown().await;
    assert_eq!((&shown["status"], &shown["errors"]), (&json!("purchased"), &json!([])));
    assert_eq!(shown["tracking_number"], setup.server.bought()["tracking_code"]);
    assert_eq!(bought_by_us(&setup), (0, 1));
}

#[tokio::test]
async fn what_a_lost_database_bought_under_another_name_is_found() {
    for state in ["ready", "checking"] {
        let setup = EasyPostSetup::open().await;
        setup.order().await;
        setup.server.sell(&setup.shipment);
        let columns = format!("state = '{state}', prepared = 'shp_of_before', unknown_at = created_at");
        setup.world.tamper(&format!("UPDATE purchase SET {columns}")).await;
        restore(&setup).await;
        settle(&setup).await;
        assert_eq!(setup.shown().await["status"], "purchased", "{state}");
        assert_eq!(bought_by_us(&setup), (0, 1), "{state}");
    }
}

#[tokio::test]
async fn a_purchase_that_was_refunded_is_not_taken_for_the_one_in_doubt() {
    let setup = EasyPostSetup::open().await;
    setup.order().await;
    setup.server.sell(&setup.shipment);
    setup.server.say("refund_status", &json!("refunded"));
    restore(&setup).await;
    settle(&setup).await;
    assert_eq!(bought_by_us(&setup), (0, 1));
    assert_needs_review(&setup).await;
}

#[tokio::test]
async fn a_purchase_without_a_number_or_a_readable_price_is_bought() {
    let fees = json!([{"type": "PostageFee", "amount": "?", "charged": true}]);
    for (field, value) in [("tracking_code", Value::Null), ("selected_rate", json!({"id": 7}))] {
        let setup = EasyPostSetup::open().await;
        let service = setup.recorded_service();
        setup.server.say("fees", &fees);
        setup.server.say(field, &value);
        setup.order_service(&service).await;
        settle(&setup).await;
        let shown = setup.shown().await;
        assert_eq!((&shown["status"], &shown["errors"]), (&json!("purchased"), &json!([])), "{field}");
        assert_eq!(shown["tracking_number"], setup.server.bought()["tracking_code"], "{field}");
        let attempt = setup.attempt().await;
        assert_eq!(attempt["state"], "bought");
        assert_eq!(attempt["amount"].is_null(), field == "selected_rate", "{attempt}");
        assert_eq!(bought_by_us(&setup), (1, 1), "{field}");
    }
}

#[tokio::test]
async fn postage_that_exists_and_is_not_shown_needs_review() {
    let setup = EasyPostSetup::open().await;
    let exists = failure("SHIPMENT.POSTAGE.EXISTS", "Postage already exists for this shipment.");
    setup.server.trouble(vec![PurchaseFault::Refuses(422, exists); 20]);
    setup.order().await;
    settle(&setup).await;
    assert_needs_review(&setup).await;
    assert_eq!(bought_by_us(&setup), (1, 0), "it is not tried again and again");
}

#[tokio::test]
async fn a_charge_that_a_rate_limit_hides_is_found_after_any_number_of_failures() {
    let limited = || PurchaseFault::Refuses(429, failure("RATE_LIMITED", "Too many requests"));
    for failures in 0..=8 {
        let setup = EasyPostSetup::open().await;
        setup.server.trouble(vec![limited(); failures]);
        setup.server.trouble([PurchaseFault::FailsAfter(429)]);
        setup.order().await;
        settle(&setup).await;
        let (shown, charges) = (setup.shown().await, setup.server.purchases());
        let expected = if charges == 1 { "purchased" } else { "purchase_failed" };
        assert_eq!(shown["status"], expected, "after {failures} failures and {charges} charges: {shown}");
        assert_eq!(charges == 1, failures < 4, "after {failures} failures");
    }
}

#[tokio::test]
async fn a_charge_that_a_rate_limit_hides_for_a_day_needs_review() {
    let setup = EasyPostSetup::open().await;
    setup.server.trouble([PurchaseFault::FailsAfter(429)]);
    setup.server.limit_looks();
    setup.order().await;
    for _ in 0..3 {
        settle(&setup).await;
    }
    assert_needs_review(&setup).await;
    assert_eq!(bought_by_us(&setup), (1, 1));
}

/// Has the server give up a purchase that EasyPost does not show, whether it was charged or not.
async fn give_up(setup: &EasyPostSetup, is_charged: bool) {
    let limited = || PurchaseFault::Refuses(429, failure("RATE_LIMITED", "Too many requests"));
    setup.server.trouble(vec![limited(); 3]);
    setup.server.trouble([if is_charged { PurchaseFault::FailsAfter(429) } else { limited() }]);
    setup.server.set_looks_stale(true);
    setup.order().await;
    settle(setup).await;
    assert_eq!(setup.shown().await["status"], "purchase_failed");
    assert_eq!(setup.server.purchases(), usize::from(is_charged));
    setup.server.set_looks_stale(false);
}

fn created(seen: &[String]) -> usize {
    seen.iter().filter(|seen| *seen == "POST /v2/shipments").count()
}

#[tokio::test]
async fn a_charge_that_was_given_up_is_found_when_the_shipment_is_bought_again() {
    let setup = EasyPostSetup::open().await;
    give_up(&setup, true).await;
    setup.order().await;
    settle(&setup).await;
    let shown = setup.shown().await;
    assert_eq!((&shown["status"], &shown["errors"]), (&json!("purchased"), &json!([])));
    assert_eq!(setup.server.purchases(), 1);
    assert_eq!(created(&setup.server.take()), 1, "the next attempt buys the same shipment at EasyPost");
}

#[tokio::test]
async fn a_charge_that_was_given_up_needs_review_when_the_shipment_was_changed() {
    let setup = EasyPostSetup::open().await;
    give_up(&setup, true).await;
    setup.change().await;
    setup.order().await;
    settle(&setup).await;
    assert_needs_review(&setup).await;
    let seen = setup.server.take();
    assert_eq!((setup.server.purchases(), created(&seen)), (1, 1), "{seen:?}");
    // A person voids it at EasyPost, and says that it was not bought.
    let id = setup.attempt().await["id"].as_str().unwrap().to_owned();
    let path = format!("/purchase_attempts/{id}/resolve");
    let resolved = setup.world.post(&path, json!({"outcome": "not_bought"})).await;
    assert_eq!(resolved.status, 200, "{resolved}");
    setup.order().await;
    settle(&setup).await;
    assert_eq!(created(&setup.server.take()), 1, "it is prepared anew");
}

#[tokio::test]
async fn what_an_older_version_has_prepared_is_looked_up_before_it_is_prepared_anew() {
    let setup = EasyPostSetup::open().await;
    give_up(&setup, true).await;
    setup.world.tamper("UPDATE purchase SET prepared_digest = NULL").await;
    setup.order().await;
    settle(&setup).await;
    assert_needs_review(&setup).await;
    assert_eq!(setup.server.purchases(), 1);
}

#[tokio::test]
async fn what_was_given_up_and_not_charged_is_bought_with_its_changes() {
    let setup = EasyPostSetup::open().await;
    give_up(&setup, false).await;
    setup.change().await;
    setup.order().await;
    settle(&setup).await;
    assert_eq!(setup.shown().await["status"], "purchased");
    let seen = setup.server.take();
    assert_eq!((setup.server.purchases(), created(&seen)), (1, 2), "{seen:?}");
}

#[tokio::test]
async fn what_easypost_refused_is_prepared_anew() {
    let setup = EasyPostSetup::open().await;
    let refusal = failure("SHIPMENT.INVALID_PARAMS", "The rate is too old.");
    setup.server.trouble([PurchaseFault::Refuses(422, refusal)]);
    setup.order().await;
    settle(&setup).await;
    assert_eq!(setup.shown().await["status"], "purchase_failed");
    setup.order().await;
    settle(&setup).await;
    assert_eq!(setup.shown().await["status"], "purchased");
    assert_eq!((setup.server.purchases(), created(&setup.server.take())), (1, 2));
}
