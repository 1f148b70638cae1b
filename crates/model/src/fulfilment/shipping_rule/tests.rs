//! Tests of single conditions and actions, and of what a body may say.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::fulfilment::printer::Printer;
use crate::platform::shape::{Input, parse};
use crate::platform::time_zone::LocalTime;
use crate::{CarrierAccount, CountryCode, Error, Id, Location, Timestamp};

/// A Friday.
pub(super) const FRIDAY: &str = "2026-11-06T10:00:00Z";

pub(super) fn local(moment: &str, zone: &str) -> LocalTime {
    LocalTime::at(Timestamp::parse(moment).unwrap(), zone)
}

/// Facts of which everything is known.
fn facts() -> Facts {
    let money = |amount: i64| Some(Money { amount, currency_code: "GBP".to_owned() });
    Facts {
        origin_location_id: Some(Id::from_bits(1)),
        destination_country: CountryCode::parse("FR"),
        post_code: Some("75001".to_owned()),
        mass: Some(2.5),
        dimensions: Some(Sides { length: 60.0, width: 40.0, height: 5.0 }),
        order_value: money(5000),
        contents_value: money(3000),
        skus: vec!["MUG".to_owned()],
        item_tags: vec!["fragile".to_owned()],
        channel: Some("Web".to_owned()),
        requested_service: Some(" express".to_owned()),
        order_tags: vec!["gift".to_owned()],
        ..Facts::at(local(FRIDAY, "Europe/London"))
    }
}

pub(super) fn rule(position: i64, conditions: Value, action: Value) -> ShippingRule {
    let body = json!({"name": format!("Rule {position}"), "conditions": conditions, "action": action});
    let input: ShippingRuleInput = parse(body).unwrap();
    ShippingRule {
        id: Id::from_bits(position as u128),
        name: input.name,
        position,
        is_active: true,
        conditions: input.conditions,
        action: input.action,
        created_at: Timestamp::from_micros(0),
        updated_at: Timestamp::from_micros(0),
    }
}

fn set(rules: &[ShippingRule]) -> RuleSet {
    RuleSet { rules: rules.to_vec(), disabled_accounts: Vec::new() }
}

fn hold() -> Value {
    json!({"hold": {"reason": "Look"}})
}

/// Returns the reasons why a rule with these conditions does not match.
fn reasons(conditions: Value, facts: &Facts) -> Vec<String> {
    let evaluation = evaluate(&set(&[rule(1, conditions, hold())]), facts);
    let [only] = evaluation.rules.as_slice() else { panic!("one rule, one explanation") };
    assert_eq!(only.is_match, only.reasons.is_empty());
    assert_eq!(only.is_match, evaluation.decision.hold.is_some());
    only.reasons.iter().map(|reason| format!("{} {}", reason.field, reason.message)).collect()
}

#[test]
fn every_condition_holds_or_says_why_not() {
    let origin = Id::<Location>::from_bits(1).to_string();
    let other = Id::<Location>::from_bits(2).to_string();
    let cases = [
        (
            json!({"destination_countries": ["FR", "DE"]}),
            json!({"destination_countries": ["DE", "AT"]}),
            "/conditions/destination_countries The destination is FR; the rule is for DE, AT.",
        ),
        (
            json!({"post_code_prefixes": ["10", "75"]}),
            json!({"post_code_prefixes": ["10"]}),
            "/conditions/post_code_prefixes The post code is 75001; the rule is for codes that begin with 10.",
        ),
        (
            json!({"mass": {"min": 2.5, "max": 2.5}}),
            json!({"mass": {"max": 2.499}}),
            "/conditions/mass The total mass is 2.5 kg; the rule is for up to 2.499 kg.",
        ),
        (
            json!({"dimensions": {"length": {"max": 60}}}),
            json!({"dimensions": {"length": {"max": 60}, "height": {"min": 5.1}}}),
            "/conditions/dimensions/height The shortest side is 5 cm; the rule is for 5.1 cm or more.",
        ),
        (
            json!({"order_value": {"min": 5000, "currency_code": "GBP"}}),
            json!({"order_value": {"min": 5001, "max": 6000, "currency_code": "GBP"}}),
            "/conditions/order_value The order value is 50.00 GBP; the rule is for 50.01 to 60.00 GBP.",
        ),
        (
            json!({"order_value": {"max": 5000, "currency_code": "GBP"}}),
            json!({"order_value": {"max": 5000, "currency_code": "EUR"}}),
            "/conditions/order_value The order value is 50.00 GBP, in another currency; the rule is for up to 50.00 EUR.",
        ),
        (
            json!({"item_tags": ["heavy", "fragile"]}),
            json!({"item_tags": ["heavy"]}),
            "/conditions/item_tags No item is known to have one of the tags heavy.",
        ),
        (
            json!({"skus": ["MUG"]}),
            json!({"skus": ["mug"]}),
            "/conditions/skus No item is known to have one of the SKUs mug.",
        ),
        (
            json!({"channels": ["web"]}),
            json!({"channels": ["ebay"]}),
            "/conditions/channels The channel is Web; the rule is for ebay.",
        ),
        (
            json!({"requested_services": ["Express"]}),
            json!({"requested_services": ["Standard"]}),
            "/conditions/requested_services The requested service is express; the rule is for Standard.",
        ),
        (
            json!({"order_tags": ["gift"]}),
            json!({"order_tags": ["vip"]}),
            "/conditions/order_tags The order has the tags gift; the rule is for vip.",
        ),
        (
            json!({"origin_location_ids": [origin]}),
            json!({"origin_location_ids": [other]}),
            "/conditions/origin_location_ids The origin is loc_00000000000000000000000001; the rule is for loc_00000000000000000000000002.",
        ),
        (
            json!({"weekdays": ["fri"]}),
            json!({"weekdays": ["sat", "sun"]}),
            "/conditions/weekdays It is Friday in Europe/London; the rule is for Saturday, Sunday.",
        ),
        (
            json!({"time_window": {"from": "10:00", "until": "10:01"}}),
            json!({"time_window": {"from": "08:00", "until": "10:00"}}),
            "/conditions/time_window It is 10:00 in Europe/London; the rule is for 08:00 to 10:00.",
        ),
    ];
    for (holds, fails, message) in cases {
        assert_eq!(reasons(holds, &facts()), Vec::<String>::new());
        assert_eq!(reasons(fails, &facts()), [message]);
    }
    assert_eq!(reasons(json!({}), &facts()), Vec::<String>::new(), "no conditions match everything");
}

#[test]
fn what_is_unknown_matches_no_condition_and_says_so() {
    let mut nothing = Facts::at(local(FRIDAY, "UTC"));
    nothing.unknown = BTreeMap::from([("mass".to_owned(), "The item MUG has no mass.".to_owned())]);
    let conditions = json!({
        "destination_countries": ["DE"], "post_code_prefixes": ["1"], "mass": {"min": 0},
        "dimensions": {"width": {"min": 0}}, "order_value": {"min": 0, "currency_code": "EUR"}, "item_tags": ["a"],
        "skus": ["A"], "channels": ["web"], "requested_services": ["x"], "order_tags": ["a"],
        "origin_location_ids": [Id::<Location>::from_bits(1).to_string()],
    });
    let found = reasons(conditions.clone(), &nothing);
    assert_eq!(found.len(), conditions.as_object().unwrap().len());
    assert_eq!(
        found[2],
        "/conditions/mass The total mass is unknown; the rule is for 0 kg or more. The item MUG has no mass."
    );
    assert!(found.iter().all(|reason| reason.contains("known") || reason.contains("no tags")), "{found:?}");
}

#[test]
fn post_codes_compare_without_case_and_with_spaces_where_the_prefix_has_one() {
    let holds = |code: &str, prefix: &str| {
        let facts = Facts { post_code: Some(code.to_owned()), ..facts() };
        reasons(json!({"post_code_prefixes": [prefix]}), &facts).is_empty()
    };
    assert!(holds("BS1 4DJ", "bs1") && holds("BS14 9AA", "BS1") && holds("BS1 4DJ", "BS14"));
    assert!(holds("BS1 4DJ", "BS1 ") && !holds("BS14 9AA", "BS1 "));
    assert!(!holds("1010", "10101") && holds("1010", "1010"));
}

#[test]
fn a_window_over_midnight_belongs_to_the_day_on_which_it_begins() {
    let conditions = json!({"weekdays": ["fri"], "time_window": {"from": "22:00", "until": "02:00"}});
    let at = |moment: &str| {
        let facts = Facts { local_time: local(moment, "Europe/London"), ..facts() };
        reasons(conditions.clone(), &facts)
    };
    assert_eq!(at("2026-11-06T22:00:00Z"), Vec::<String>::new());
    assert_eq!(
        at("2026-11-07T01:59:00Z"),
        Vec::<String>::new(),
        "Saturday morning, and still Friday's window"
    );
    assert_eq!(
        at("2026-11-06T01:00:00Z"),
        ["/conditions/weekdays The time window began on Thursday in Europe/London; the rule is for Friday."]
    );
    assert_eq!(at("2026-11-07T02:00:00Z").len(), 2, "after the window, on Saturday");
    assert_eq!(
        at("2026-11-06T21:59:00Z"),
        ["/conditions/time_window It is 21:59 in Europe/London; the rule is for 22:00 to 02:00."]
    );
}

#[test]
fn windows_follow_the_clock_on_the_wall() {
    let conditions = json!({"time_window": {"from": "01:00", "until": "02:00"}});
    let holds = |moment: &str| {
        let facts = Facts { local_time: local(moment, "Europe/London"), ..facts() };
        reasons(conditions.clone(), &facts).is_empty()
    };
    // On 29 March 2026 clocks go from 01:00 to 02:00: the window never opens.
    assert!(!holds("2026-03-29T00:59:59Z") && !holds("2026-03-29T01:00:00Z"));
    // On 25 October 2026 they go from 02:00 to 01:00: the window is open for two hours.
    assert!(!holds("2026-10-24T23:59:59Z") && holds("2026-10-25T00:00:00Z") && holds("2026-10-25T01:59:59Z"));
    assert!(!holds("2026-10-25T02:00:00Z"));
}

#[test]
fn the_first_rule_that_sets_a_field_wins_it() {
    let service = |account: &str| json!({"carrier_account": account, "carrier_service": "standard"});
    let rules = [
        rule(1, json!({"destination_countries": ["DE"]}), json!({"service": service("de")})),
        rule(2, json!({}), json!({"options": {"signature_type": "adult"}})),
        rule(
            3,
            json!({}),
            json!({"choose": {"by": "cheapest"}, "options": {"signature_type": "none", "label_format": "zpl"}}),
        ),
        rule(4, json!({}), json!({"service": service("last"), "hold": {"reason": "Look"}})),
    ];
    let Evaluation { decision, rules: explained, .. } = evaluate(&set(&rules), &facts());
    assert_eq!(decision.service, None);
    assert_eq!(decision.choose.map(|choose| choose.by), Some(Choice::Cheapest));
    assert_eq!(decision.options.shipping.signature_type.as_deref(), Some("adult"));
    let by: Vec<(&str, u128)> =
        decision.set_by.iter().map(|(field, id)| (field.as_str(), id.bits())).collect();
    assert_eq!(by, [("hold", 4), ("label_format", 3), ("service", 3), ("signature_type", 2)]);
    assert_eq!(explained.iter().map(|rule| rule.is_match).collect::<Vec<_>>(), [false, true, true, true]);
    assert_eq!(explained[2].sets, ["service", "label_format"]);
    let shown = |rule: &Explanation| serde_json::to_value(&rule.reasons).unwrap();
    assert_eq!(
        shown(&explained[2]),
        json!([{"field": "/action/options/signature_type",
        "message": "The earlier rule rule_00000000000000000000000002 has set this already."}])
    );
    assert_eq!(
        shown(&explained[3]),
        json!([{"field": "/action/service",
        "message": "The earlier rule rule_00000000000000000000000003 has set this already."}])
    );
}

#[test]
fn the_first_rule_that_names_a_printer_chooses_it() {
    let name = |bits: u128| json!({"printer_id": Id::<Printer>::from_bits(bits).to_string()});
    let rules = [
        rule(1, json!({"destination_countries": ["DE"]}), name(1)),
        rule(2, json!({}), name(2)),
        rule(3, json!({}), name(3)),
    ];
    let Evaluation { decision, rules: explained, .. } = evaluate(&set(&rules), &facts());
    assert_eq!(decision.printer_id, Some(Id::from_bits(2)));
    assert_eq!(decision.set_by.get("printer_id").map(|id| id.bits()), Some(2));
    let sets: Vec<_> = explained.iter().map(|rule| rule.sets.len()).collect();
    assert_eq!((sets, explained[2].reasons[0].field.as_str()), (vec![0, 1, 0], "/action/printer_id"));
    // What was stored before rules had printers is read.
    let mut stored = serde_json::to_value(&decision).unwrap();
    stored.as_object_mut().unwrap().remove("printer_id");
    assert_eq!(serde_json::from_value::<Decision>(stored).unwrap().printer_id, None);
}

#[test]
fn a_rule_that_is_not_active_or_names_only_disabled_accounts_leaves_its_field_to_others() {
    let account = Id::<CarrierAccount>::from_bits(7);
    let service = json!({"service": {"carrier_account": account.to_string(), "carrier_service": "standard"}});
    let choose = json!({"choose": {"by": "fastest", "among": [{"carrier_account": account.to_string()}]}});
    let mut rules = [rule(1, json!({}), hold()), rule(2, json!({}), service), rule(3, json!({}), choose)];
    rules[0].is_active = false;
    let mut set = set(&rules);
    set.disabled_accounts = vec![account];
    let Evaluation { decision, rules: explained, .. } = evaluate(&set, &facts());
    assert_eq!((decision.hold, decision.service, decision.choose), (None, None, None));
    assert_eq!(explained[0].reasons[0].message, "The rule is not active.");
    let disabled = format!("The carrier account {account} is disabled.");
    assert_eq!((&explained[1].reasons[0].message, &explained[2].reasons[0].message), (&disabled, &disabled));
    set.disabled_accounts.clear();
    assert!(evaluate(&set, &facts()).decision.service.is_some());
}

#[test]
fn insurance_covers_what_is_shipped_if_the_order_is_worth_enough() {
    let cover = |value: i64, currency: &str, facts: &Facts| {
        let options = json!({"options": {"insure_from": {"value": value, "currency_code": currency}}});
        let evaluation = evaluate(&set(&[rule(1, json!({}), options)]), facts);
        let reason = evaluation.rules[0].reasons.first().map(|reason| reason.message.clone());
        (evaluation.decision.options.insurance.map(|cover| cover.value), reason.unwrap_or_default())
    };
    assert_eq!(cover(5000, "GBP", &facts()), (Some(3000), String::new()));
    let too_small = "The order value is 50.00 GBP; the rule insures from 50.01 GBP.";
    assert_eq!(cover(5001, "GBP", &facts()), (None, too_small.to_owned()));
    let foreign = "The order value is 50.00 GBP, in another currency; the rule insures from 0 JPY.";
    assert_eq!(cover(0, "JPY", &facts()), (None, foreign.to_owned()));
    let unknown = Facts { order_value: None, ..facts() };
    assert_eq!(
        cover(0, "GBP", &unknown),
        (None, "The order value is unknown; the rule insures from 0.00 GBP.".to_owned())
    );
}

fn issues<T: Input + std::fmt::Debug>(body: Value) -> Vec<String> {
    match parse::<T>(body) {
        Err(Error::Refused(problem)) => {
            problem.issues.iter().map(|issue| format!("{} {}", issue.code, issue.field)).collect()
        }
        Err(error) => panic!("{error}"),
        Ok(_) => Vec::new(),
    }
}

#[test]
fn contradictory_rules_are_refused_by_the_field() {
    let rule = |conditions: Value, action: Value| {
        issues::<ShippingRuleInput>(json!({"name": "x", "conditions": conditions, "action": action}))
    };
    let cases = [
        (json!({"mass": {}}), "required /conditions/mass"),
        (json!({"mass": {"min": 2, "max": 1}}), "out_of_range /conditions/mass/max"),
        (json!({"mass": {"min": -1}}), "out_of_range /conditions/mass/min"),
        (json!({"dimensions": {}}), "required /conditions/dimensions"),
        (json!({"order_value": {"min": 1}}), "required /conditions/order_value/currency_code"),
        (json!({"destination_countries": []}), "too_few /conditions/destination_countries"),
        (json!({"destination_countries": ["UK"]}), "invalid_value /conditions/destination_countries/0"),
        (json!({"weekdays": ["monday"]}), "invalid_value /conditions/weekdays/0"),
        (
            json!({"time_window": {"from": "24:00", "until": "01:00"}}),
            "invalid_format /conditions/time_window/from",
        ),
        (
            json!({"time_window": {"from": "01:00", "until": "01:00"}}),
            "invalid_value /conditions/time_window/until",
        ),
        (json!({"time_window": {"from": "01:00"}}), "required /conditions/time_window/until"),
        (
            json!({"origin_location_ids": ["ord_01jc0000000000000000000000"]}),
            "invalid_id /conditions/origin_location_ids/0",
        ),
        (json!({"colour": "red"}), "unknown_field /conditions/colour"),
        (json!({"skus": vec!["x".repeat(100); 200]}), "too_long /conditions"),
    ];
    for (conditions, issue) in cases {
        assert_eq!(rule(conditions, hold()), [issue]);
    }
    let service = json!({"carrier_account": "a", "carrier_service": "b"});
    let cases = [
        (json!({"service": service, "choose": {"by": "cheapest"}}), "invalid_value /action/choose"),
        (json!({"service": {"carrier_account": "a"}}), "required /action/service/carrier_service"),
        (json!({"choose": {"by": "cheapest_within_days"}}), "required /action/choose/days"),
        (json!({"choose": {"by": "cheapest", "days": 2}}), "invalid_value /action/choose/days"),
        (json!({"hold": {"reason": " "}}), "blank /action/hold/reason"),
        (json!({"printer_id": "ord_01jc0000000000000000000000"}), "invalid_id /action/printer_id"),
        (json!({"colour": "red"}), "unknown_field /action/colour"),
        (
            json!({"options": {"insure_from": {"value": 1}}}),
            "required /action/options/insure_from/currency_code",
        ),
    ];
    for (action, issue) in cases {
        assert_eq!(rule(json!({}), action), [issue]);
    }
}

#[test]
fn a_rule_that_sets_nothing_is_empty() {
    for (action, is_empty) in [
        (json!({}), true),
        (json!({"options": {}}), true),
        (json!({"options": {"saturday_delivery": false}}), false),
        (hold(), false),
    ] {
        let input: ShippingRuleInput = parse(json!({"name": "x", "action": action})).unwrap();
        assert_eq!(input.ensure_not_empty().is_err(), is_empty, "{action}");
    }
}

#[test]
fn an_evaluation_is_for_exactly_one_thing() {
    let order = json!("ord_01jc0000000000000000000000");
    let shipment = json!("shp_01jc0000000000000000000000");
    assert_eq!(issues::<EvaluationInput>(json!({"order_id": order})), Vec::<String>::new());
    assert_eq!(issues::<EvaluationInput>(json!({})), ["required "]);
    assert_eq!(
        issues::<EvaluationInput>(json!({"order_id": order, "shipment_id": shipment})),
        ["invalid_value /order_id", "invalid_value /shipment_id"]
    );
    assert_eq!(issues::<EvaluationInput>(json!({"order_id": order, "at": "noon"})), ["invalid_format /at"]);
}

#[test]
fn a_set_of_rules_reads_back() {
    let rules = [
        rule(
            1,
            json!({"mass": {"max": 0.5}, "weekdays": ["mon"], "order_value": {"max": 7, "currency_code": "JPY"}}),
            hold(),
        ),
        rule(
            2,
            json!({}),
            json!({"choose": {"by": "cheapest_within_days", "days": 3}, "options": {"label_format": "zpl", "incoterm": "DDP"}}),
        ),
    ];
    let set = RuleSet { rules: rules.to_vec(), disabled_accounts: vec![Id::from_bits(5)] };
    let text = serde_json::to_string(&set).unwrap();
    assert_eq!(serde_json::from_str::<RuleSet>(&text).unwrap(), set);
    let evaluation = evaluate(&set, &facts());
    let text = serde_json::to_string(&evaluation).unwrap();
    assert_eq!(serde_json::from_str::<Evaluation>(&text).unwrap(), evaluation);
}
