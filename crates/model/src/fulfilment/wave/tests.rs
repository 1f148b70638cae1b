//! Tests of waves: how they change, which input they take, and how rates and batches are chosen.

use serde_json::{Value, json};

use super::*;
use crate::fulfilment::shipping_rule::Choose;
use crate::platform::shape;
use crate::shipping::rate::Rate;
use crate::{Error, Location};

fn input(body: Value) -> Result<WaveInput> {
    shape::parse(body)
}

fn fields(refused: Result<WaveInput>) -> Vec<String> {
    match refused.unwrap_err() {
        Error::Refused(problem) => problem.issues.iter().map(|issue| issue.field.to_string()).collect(),
        Error::Fault(_) => panic!("not a refusal"),
    }
}

fn wave(orders: usize) -> Wave {
    let details = input(json!({"filter": {}})).unwrap();
    Wave::queued(Id::from_bits(1), details, orders, &[], Timestamp::from_micros(1))
}

#[test]
fn an_empty_filter_takes_the_usual_steps_and_groups() {
    let input = input(json!({"filter": {}})).unwrap();
    assert_eq!(input.steps, [Step::Plan, Step::Ship, Step::Batch]);
    assert_eq!(input.group_by, [GroupBy::Location, GroupBy::CarrierAccount]);
    assert!(!input.allow_partial);
}

#[test]
fn orders_are_named_or_filtered_but_not_both() {
    assert_eq!(fields(input(json!({}))), ["/order_ids"]);
    let order = Id::<Order>::from_bits(5).to_string();
    assert_eq!(fields(input(json!({"order_ids": [order], "filter": {}}))), ["/filter"]);
    assert_eq!(fields(input(json!({"order_ids": []}))), ["/order_ids"]);
    assert!(input(json!({"order_ids": [order], "filter": null})).is_ok());
}

#[test]
fn steps_have_one_order_and_need_each_other() {
    let steps = |steps: Value| input(json!({"filter": {}, "steps": steps}));
    assert!(steps(json!(["plan"])).is_ok());
    assert!(steps(json!(["plan", "ship", "rate", "batch", "purchase"])).is_ok());
    for wrong in [
        json!(["ship", "plan"]),
        json!(["plan", "plan"]),
        json!(["rate"]),
        json!(["batch"]),
        json!(["plan", "ship", "purchase"]),
        json!([]),
    ] {
        assert_eq!(fields(steps(wrong.clone())), ["/steps"], "{wrong}");
    }
}

#[test]
fn a_filter_that_no_order_can_pass_is_refused_by_its_field() {
    let filter = |filter: Value| input(json!({"filter": filter}));
    let range = json!({"placed_after": "2026-02-01T00:00:00Z", "placed_before": "2026-01-01T00:00:00Z"});
    assert_eq!(fields(filter(range)), ["/filter/placed_after"]);
    assert_eq!(fields(filter(json!({"fulfilment_status": "shipped"}))), ["/filter/fulfilment_status"]);
    assert!(filter(json!({"fulfilment_status": "partially_shipped"})).is_ok());
}

#[test]
fn counts_add_up_and_the_most_frequent_exception_is_first() {
    let mut wave = wave(6);
    let now = Timestamp::from_micros(2);
    wave.start(now);
    let (rare, frequent) = (WaveException::new("no_rule", "a"), WaveException::new("no_stock", "b"));
    wave.count(2, 3, &[rare, frequent.clone(), frequent], now);
    assert_eq!(
        wave.counts,
        Counts { orders: 6, pending: 1, done: 2, exceptions: 3, cancelled: 0, shipments: 3 }
    );
    let codes: Vec<_> = wave.exceptions.iter().map(|one| (one.code.as_str(), one.orders_count)).collect();
    assert_eq!(codes, [("no_stock", 2), ("no_rule", 1)]);
    assert!(wave.cancel(now).unwrap());
    assert!(!wave.cancel(now).unwrap(), "it is asked for already");
    wave.count_cancelled(1, now);
    wave.end(now);
    assert_eq!((wave.status, wave.counts.pending, wave.counts.cancelled), (Status::Cancelled, 0, 1));
    assert!(wave.ensure_retryable().is_err(), "a cancelled wave stays so");
}

#[test]
fn a_completed_wave_tries_its_exceptions_again() {
    let mut wave = wave(3);
    let now = Timestamp::from_micros(2);
    wave.start(now);
    assert!(wave.ensure_retryable().is_err(), "it runs");
    wave.count(1, 1, &[WaveException::new("no_stock", "b"), WaveException::new("no_rule", "a")], now);
    wave.end(now);
    assert_eq!(wave.status, Status::Completed);
    assert!(wave.cancel(now).is_err(), "it is over");
    wave.ensure_retryable().unwrap();
    wave.retry(1, &[WaveException::in_other_wave()], now);
    assert_eq!((wave.status, wave.ended_at), (Status::Running, None));
    assert_eq!((wave.counts.pending, wave.counts.exceptions, wave.counts.done), (1, 1, 1));
    assert_eq!(wave.exceptions[0].code, "in_other_wave");
    wave.count(1, 1, &[], now);
    wave.end(now);
    wave.counts.exceptions = 0;
    assert!(wave.ensure_retryable().is_err(), "nothing is left to retry");
}

fn rate(number: u128, account: u128, service: &str, price: i64, days: Option<i64>) -> Rate {
    let part = |id: String, handle: &str| json!({"id": id, "name": handle, "handle": handle});
    let mut rate = json!({
        "id": Id::<Rate>::from_bits(number).to_string(),
        "carrier": part(Id::<crate::Carrier>::from_bits(1).to_string(), "sandbox"),
        "carrier_service": part(Id::<crate::CarrierService>::from_bits(2).to_string(), service),
        "carrier_account": part(Id::<crate::CarrierAccount>::from_bits(account).to_string(), "account"),
        "rate": price, "currency_code": "GBP", "delivery_days": days, "ship_date": null,
        "delivery_date": null, "guaranteed_delivery_date": null, "expires_at": "2026-11-01T09:30:00Z",
    });
    serde_json::from_value(rate.take()).unwrap()
}

fn choose(body: Value) -> Choose {
    serde_json::from_value(body).unwrap()
}

#[test]
fn rates_are_chosen_by_price_by_days_or_by_both() {
    let rates = [
        rate(1, 7, "slow", 300, Some(5)),
        rate(2, 7, "express", 900, Some(1)),
        rate(3, 8, "express", 800, Some(1)),
        rate(4, 8, "vague", 100, None),
    ];
    let chosen = |body: Value| choose_rate(&choose(body), &rates).map(|rate| rate.id.bits());
    assert_eq!(chosen(json!({"by": "cheapest"})), Some(4));
    assert_eq!(chosen(json!({"by": "fastest"})), Some(3), "of two equally fast ones the cheaper");
    assert_eq!(chosen(json!({"by": "cheapest_within_days", "days": 5})), Some(1), "days must be known");
    assert_eq!(chosen(json!({"by": "cheapest_within_days", "days": 0})), None);
    let account = Id::<crate::CarrierAccount>::from_bits(7).to_string();
    assert_eq!(chosen(json!({"by": "fastest", "among": [{"carrier_account": account}]})), Some(2));
    let slow = json!({"by": "fastest", "among": [{"carrier_account": account, "carrier_service": "slow"}]});
    assert_eq!(chosen(slow), Some(1));
    let unknown = json!({"by": "cheapest", "among": [{"carrier_account": "ca_none"}]});
    assert_eq!(chosen(unknown), None);
}

#[test]
fn prices_in_another_currency_are_not_compared() {
    let mut rates = vec![rate(1, 7, "slow", 300, Some(5)), rate(2, 8, "other", 2, Some(5))];
    rates[1].currency_code = "JPY".to_owned();
    assert_eq!(choose_rate(&choose(json!({"by": "cheapest"})), &rates).unwrap().id.bits(), 1);
}

#[test]
fn the_choice_does_not_depend_on_the_order_of_equal_rates() {
    let mut rates = vec![rate(1, 9, "b", 300, Some(2)), rate(2, 8, "a", 300, Some(2))];
    let first = choose_rate(&choose(json!({"by": "cheapest"})), &rates).unwrap().id;
    rates.reverse();
    assert_eq!(choose_rate(&choose(json!({"by": "cheapest"})), &rates).unwrap().id, first);
}

#[test]
fn a_batch_is_named_by_what_its_shipments_have_in_common() {
    let group = BatchGroup {
        location: Some(Id::<Location>::from_bits(3)),
        carrier_account: None,
        service: Some("standard".to_owned()),
    };
    let names = GroupNames { location: Some("Bristol".to_owned()), carrier_account: None };
    assert_eq!(group.batch_name(Some("Morning"), &names, 1).unwrap(), "Morning, Bristol, standard");
    assert_eq!(group.batch_name(None, &names, 2).unwrap(), "Bristol, standard (2)");
    let none = BatchGroup { location: None, carrier_account: None, service: None };
    assert_eq!(none.batch_name(None, &GroupNames::default(), 2), None);
    assert_ne!(group.key(), none.key());
}

#[test]
fn stored_words_are_the_shown_ones() {
    for word in STATUS_WORDS {
        assert_eq!(serde_json::to_value(Status::parse(word).unwrap()).unwrap(), word);
    }
    for word in RESULT_WORDS {
        assert_eq!(serde_json::to_value(OrderResult::parse(word).unwrap()).unwrap(), word);
    }
    for word in STEP_WORDS {
        assert_eq!(serde_json::to_value(Step::parse(word).unwrap()).unwrap(), word);
    }
}

#[test]
fn a_batch_that_is_gone_is_not_called_an_order() {
    let mut wave = wave(1);
    wave.refuse_purchase(Id::from_bits(7), &Code::NotFound.into());
    assert_eq!(wave.errors[0].code, "not_found");
    assert_eq!(WaveException::of(&Code::NotFound.into()).code, "order_not_found");
}
