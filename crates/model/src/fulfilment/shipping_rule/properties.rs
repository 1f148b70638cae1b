//! Properties of the evaluation: it is deterministic, only positions decide, and every rule is explained.

use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use serde_json::{Value, json};

use super::tests::{local, rule};
use super::*;
use crate::platform::time_zone::{DAYS, LocalTime};
use crate::{CountryCode, Id, Timestamp};

fn conditions() -> impl Strategy<Value = Value> {
    let countries = subsequence(vec!["DE", "FR", "GB"], 0..=3);
    let masses = proptest::option::of((0_u32..4, 0_u32..4));
    let days = subsequence(DAYS.to_vec(), 0..=7);
    let window = proptest::option::of((0_u8..24, 0_u8..24));
    (countries, masses, days, window).prop_map(|(countries, masses, days, window)| {
        let mut conditions = json!({});
        if !countries.is_empty() {
            conditions["destination_countries"] = json!(countries);
        }
        if let Some((one, other)) = masses {
            conditions["mass"] = json!({"min": one.min(other), "max": one.max(other)});
        }
        if !days.is_empty() {
            conditions["weekdays"] = json!(days);
        }
        if let Some((from, until)) = window.filter(|(from, until)| from != until) {
            conditions["time_window"] =
                json!({"from": format!("{from:02}:00"), "until": format!("{until:02}:00")});
        }
        conditions
    })
}

fn action() -> impl Strategy<Value = Value> {
    let service = json!({"service": {"carrier_account": "a", "carrier_service": "b"}});
    select(vec![
        service,
        json!({"choose": {"by": "cheapest"}}),
        json!({"hold": {"reason": "Look"}}),
        json!({"printer_id": "prn_01jc0000000000000000000000"}),
        json!({"printer_id": "prn_01jc0000000000000000000001", "choose": {"by": "fastest"}}),
        json!({"options": {"signature_type": "adult", "saturday_delivery": true}}),
        json!({"options": {"label_format": "zpl", "incoterm": "DDP"}, "hold": {"reason": "Ask"}}),
        json!({"options": {"insure_from": {"value": 100, "currency_code": "EUR"}, "contents_type": "gift"}}),
    ])
}

fn rules() -> impl Strategy<Value = Vec<ShippingRule>> {
    proptest::collection::vec((conditions(), action(), any::<bool>()), 0..8).prop_map(|parts| {
        let make = |(place, (conditions, action, is_active)): (usize, (Value, Value, bool))| ShippingRule {
            is_active,
            ..rule(place as i64 + 1, conditions, action)
        };
        parts.into_iter().enumerate().map(make).collect()
    })
}

fn facts() -> impl Strategy<Value = Facts> {
    let country = proptest::option::of(select(vec!["DE", "FR", "US"]));
    let zone = select(vec!["Europe/London", "America/St_Johns", "Pacific/Apia", "UTC"]);
    (country, proptest::option::of(0_u32..5), 0_i64..4_000_000_000, zone).prop_map(
        |(country, mass, seconds, zone)| {
            let moment = Timestamp::from_micros(seconds * 1_000_000);
            Facts {
                destination_country: country.and_then(CountryCode::parse),
                mass: mass.map(f64::from),
                order_value: mass
                    .map(|mass| Money { amount: i64::from(mass) * 60, currency_code: "EUR".to_owned() }),
                contents_value: mass
                    .map(|mass| Money { amount: i64::from(mass) * 60, currency_code: "EUR".to_owned() }),
                ..Facts::at(LocalTime::at(moment, zone))
            }
        },
    )
}

fn set(rules: Vec<ShippingRule>) -> RuleSet {
    RuleSet { rules, disabled_accounts: Vec::new() }
}

/// Returns the decision without the ids of the rules.
fn decided(set: &RuleSet, facts: &Facts) -> Decision {
    Decision { set_by: std::collections::BTreeMap::new(), ..evaluate(set, facts).decision }
}

proptest! {
    #[test]
    fn only_positions_decide(rules in rules(), facts in facts(), shuffle in any::<u64>()) {
        let first = evaluate(&set(rules.clone()), &facts);
        let mut shuffled = rules;
        shuffled.sort_by_key(|rule| (rule.position as u64).wrapping_mul(shuffle | 1) % 97);
        prop_assert_eq!(evaluate(&set(shuffled), &facts), first);
    }

    #[test]
    fn every_rule_is_explained_once_in_the_order_of_positions(rules in rules(), facts in facts()) {
        let evaluation = evaluate(&set(rules.clone()), &facts);
        let positions: Vec<i64> = evaluation.rules.iter().map(|rule| rule.position).collect();
        prop_assert_eq!(positions, (1..=rules.len() as i64).collect::<Vec<_>>());
        for explained in &evaluation.rules {
            prop_assert!(explained.is_match || explained.sets.is_empty());
            prop_assert!(explained.is_match || !explained.reasons.is_empty(), "no reason given");
            for field in &explained.sets {
                prop_assert_eq!(evaluation.decision.set_by.get(field), Some(&explained.rule_id));
            }
        }
        let set_fields: usize = evaluation.rules.iter().map(|rule| rule.sets.len()).sum();
        prop_assert_eq!(set_fields, evaluation.decision.set_by.len());
    }

    #[test]
    fn a_rule_that_does_not_match_changes_nothing(rules in rules(), facts in facts(), place in any::<Index>()) {
        let evaluation = evaluate(&set(rules.clone()), &facts);
        let without_effect = |rule: &&ShippingRule| {
            evaluation.rules.iter().any(|explained| explained.rule_id == rule.id && explained.sets.is_empty())
        };
        let idle: Vec<&ShippingRule> = rules.iter().filter(without_effect).collect();
        prop_assume!(!idle.is_empty());
        let removed = idle[place.index(idle.len())].id;
        let fewer: Vec<_> = rules.iter().filter(|rule| rule.id != removed).cloned().collect();
        prop_assert_eq!(evaluate(&set(fewer), &facts).decision, evaluation.decision);
    }

    #[test]
    fn neighbours_that_set_different_fields_may_change_places(rules in rules(), facts in facts(), place in any::<Index>()) {
        prop_assume!(rules.len() > 1);
        let first = place.index(rules.len() - 1);
        let fields = |rule: &ShippingRule| {
            let mut alone = evaluate(&set(vec![rule.clone()]), &facts);
            std::mem::take(&mut alone.rules[0].sets)
        };
        let (one, other) = (fields(&rules[first]), fields(&rules[first + 1]));
        prop_assume!(one.iter().all(|field| !other.contains(field)));
        let mut swapped = rules.clone();
        (swapped[first].position, swapped[first + 1].position) = (rules[first + 1].position, rules[first].position);
        prop_assert_eq!(decided(&set(swapped), &facts), decided(&set(rules), &facts));
    }

    #[test]
    fn a_window_and_the_rest_of_the_day_are_a_whole_day(from in 0_u16..1440, until in 0_u16..1440, minute in 0_u16..1440) {
        prop_assume!(from != until);
        let time = |minutes: u16| format!("{:02}:{:02}", minutes / 60, minutes % 60);
        let window = |from: u16, until: u16| TimeWindow { from: time(from), until: time(until) };
        let now = time(minute);
        prop_assert!(window(from, until).contains(&now) != window(until, from).contains(&now));
    }
}

#[test]
fn the_earliest_rule_by_id_wins_if_two_have_one_position() {
    let mut rules = vec![
        rule(1, json!({}), json!({"hold": {"reason": "b"}})),
        rule(1, json!({}), json!({"hold": {"reason": "a"}})),
    ];
    rules[0].id = Id::from_bits(9);
    let facts = Facts::at(local("2026-11-06T10:00:00Z", "UTC"));
    assert_eq!(evaluate(&set(rules), &facts).decision.hold.map(|hold| hold.reason).as_deref(), Some("a"));
}
