//! The planner's ranking rules and sentences, each on a small network.

use std::collections::BTreeMap;

use serde_json::json;

use super::exact::EXACT_LOCATIONS_MAX;
use super::limits::{EXACT_STEPS_MAX, IMPROVE_STEPS_MAX};
use super::*;
use crate::CountryCode;
use crate::places::geo::Point;
use crate::platform::step_budget::StepBudget;

type Network = BTreeMap<&'static str, Candidate<&'static str>>;

// A step takes nanoseconds. Within this limit a plan takes a fraction of a second on any network.
const _: () = assert!(EXACT_STEPS_MAX + IMPROVE_STEPS_MAX <= 10_000_000);
// All combinations of up to three locations besides the forced ones are compared, unless the budget is exhausted.
const _: () = assert!(EXACT_LOCATIONS_MAX >= 3);

fn country(code: &str) -> CountryCode {
    CountryCode::parse(code).unwrap()
}

fn stock(levels: &[(&'static str, i64)]) -> BTreeMap<&'static str, i64> {
    levels.iter().copied().collect()
}

/// A location this many degrees north of the destination of [`here`]. A degree is 111 km.
fn north(degrees: f64, levels: &[(&'static str, i64)]) -> Candidate<&'static str> {
    let point = Some((Point { latitude: 50.0 + degrees, longitude: 0.0 }, 0.8));
    Candidate { place: Place { country: country("GB"), post_code: None, point }, stock: stock(levels) }
}

fn here() -> Place {
    let point = Some((Point { latitude: 50.0, longitude: 0.0 }, 1.0));
    Place { country: country("GB"), post_code: Some("BS1 4DJ".into()), point }
}

fn addressed(code: &str, post_code: &str, levels: &[(&'static str, i64)]) -> Candidate<&'static str> {
    let place = Place { country: country(code), post_code: Some(post_code.into()), point: None };
    Candidate { place, stock: stock(levels) }
}

fn ranking(plan: &Plan<&'static str, &'static str>) -> Vec<Vec<&'static str>> {
    let locations = |proposal: &Proposal<&'static str, &'static str>| {
        proposal.allocations.iter().map(|allocation| allocation.location).collect()
    };
    plan.proposals.iter().map(locations).collect()
}

#[test]
fn one_location_with_everything_ranks_before_two_that_are_nearer() {
    let network = Network::from([
        ("far", north(5.0, &[("hat", 9), ("mug", 9)])),
        ("hats", north(0.1, &[("hat", 9)])),
        ("mugs", north(0.2, &[("mug", 9)])),
    ]);
    let plan = propose(&[("hat", 1), ("mug", 1)], &network, Some(&here()));
    assert_eq!(ranking(&plan), [vec!["far"], vec!["hats", "mugs"]]);
    assert!(plan.search.complete);
    assert_eq!(plan.search.note, "Every combination of locations that could rank here was compared.");
}

#[test]
fn of_equally_many_locations_the_nearest_ranks_first() {
    let network = Network::from([
        ("a", north(3.0, &[("hat", 5)])),
        ("b", north(1.0, &[("hat", 5)])),
        ("c", north(2.0, &[("hat", 5)])),
    ]);
    let plan = propose(&[("hat", 5)], &network, Some(&here()));
    assert_eq!(ranking(&plan), [["b"], ["c"], ["a"]]);
}

#[test]
fn the_distance_of_several_locations_is_their_sum() {
    // One near and one far location rank below two at the same medium distance.
    let network = Network::from([
        ("near", north(0.1, &[("hat", 1)])),
        ("far", north(4.0, &[("mug", 1)])),
        ("middle", north(1.0, &[("mug", 1), ("pen", 1)])),
        ("other", north(1.0, &[("hat", 1), ("pen", 1)])),
    ]);
    let plan = propose(&[("hat", 1), ("mug", 1), ("pen", 1)], &network, Some(&here()));
    assert_eq!(ranking(&plan)[..3], [vec!["near", "middle"], vec!["middle", "other"], vec!["other", "far"]]);
    let Some(Distance::Kilometres { km, confidence }) = plan.proposals[0].distance else {
        panic!("all are known")
    };
    assert_eq!((km.round(), confidence), (122.0, 0.8));
}

#[test]
fn at_the_same_distance_the_better_balance_ranks_first_and_then_the_id() {
    let network = Network::from([
        ("a", north(1.0, &[("hat", 5)])),
        ("b", north(1.0, &[("hat", 100)])),
        ("c", north(1.0, &[("hat", 5)])),
    ]);
    let plan = propose(&[("hat", 5)], &network, Some(&here()));
    assert_eq!(ranking(&plan), [["b"], ["a"], ["c"]]);
    assert_eq!(plan.proposals.iter().map(|proposal| proposal.balance).collect::<Vec<_>>(), [95, 0, 0]);
}

#[test]
fn known_distances_rank_before_unknown_ones_and_addresses_by_what_they_share() {
    let network = Network::from([
        ("abroad", addressed("FR", "75001", &[("hat", 1)])),
        ("away", addressed("GB", "SW1A 1AA", &[("hat", 1)])),
        ("mapped", north(9.0, &[("hat", 1)])),
        ("street", addressed("GB", "BS1 4XX", &[("hat", 1)])),
        ("town", addressed("GB", "BS9 9XX", &[("hat", 1)])),
    ]);
    let plan = propose(&[("hat", 1)], &network, Some(&here()));
    assert_eq!(ranking(&plan), [["mapped"], ["street"], ["town"], ["away"], ["abroad"]]);
    let told: Vec<&str> = plan.proposals.iter().map(|proposal| proposal.reasons[1].as_str()).collect();
    let because = "by country and post code prefix, because no coordinates are known of that location.";
    assert_eq!(told[0], "1001 km from the destination (confidence 0.8).");
    assert_eq!(
        told[1],
        format!("The location shares the country and the first 4 characters of the post code: {because}")
    );
    assert_eq!(
        told[3],
        format!(
            "The location is in the destination's country, with no shared start of the post code: {because}"
        )
    );
    assert_eq!(told[4], format!("The location is in another country than the destination: {because}"));
}

#[test]
fn an_item_comes_from_where_most_of_it_lies_and_is_split_only_when_it_must_be() {
    let network = Network::from([
        ("a", north(1.0, &[("hat", 6), ("mug", 2), ("pen", 1)])),
        ("b", north(2.0, &[("hat", 8), ("mug", 9)])),
    ]);
    let plan = propose(&[("hat", 10), ("mug", 2), ("pen", 1)], &network, Some(&here()));
    let json = serde_json::to_value(&plan.proposals[0].allocations).unwrap();
    let expected = json!([
        {"location": {"id": "a"}, "items": [{"id": "hat", "quantity": 2}, {"id": "pen", "quantity": 1}]},
        {"location": {"id": "b"}, "items": [{"id": "hat", "quantity": 8}, {"id": "mug", "quantity": 2}]},
    ]);
    assert_eq!(json, expected);
    assert_eq!(
        plan.proposals[0].reasons,
        [
            "2 locations together have everything.",
            "Fewer locations cannot supply as much.",
            "All of its locations are needed by every plan, because the others have too little of some item.",
            "334 km from the destination, summed over 2 locations (confidence 0.8).",
            "Leaves 0% or more of the stock of each item where it is taken.",
            "Takes 1 item from more than one location, because no single one has enough.",
        ]
    );
}

#[test]
fn missing_items_are_listed_and_the_rest_is_planned() {
    let network = Network::from([("a", north(0.0, &[("hat", 3), ("mug", -4), ("pen", 0)]))]);
    let plan = propose(&[("mug", 1), ("hat", 2), ("hat", 3), ("pen", 0)], &network, Some(&here()));
    let short = [ItemQuantity { id: "hat", quantity: 2 }, ItemQuantity { id: "mug", quantity: 1 }];
    assert_eq!(plan.unallocated, short);
    assert_eq!(plan.proposals[0].unallocated, short);
    assert_eq!(
        plan.proposals[0].reasons,
        [
            "One location has everything that is in stock.",
            "3 units of 2 items are in stock nowhere.",
            "Less than 1 km from the destination (confidence 0.8).",
            "Leaves 0% or more of the stock of each item where it is taken.",
        ]
    );
}

#[test]
fn a_plan_without_demand_or_without_stock_says_so() {
    let network = Network::from([("a", north(1.0, &[("hat", 3)]))]);
    let idle = propose(&[("hat", 0)], &network, None);
    assert_eq!((idle.proposals.len(), idle.search.note.as_str()), (0, "Nothing is left to allocate."));
    let bare = propose(&[("mug", 2)], &network, None);
    assert_eq!(bare.proposals.len(), 0);
    assert_eq!(bare.unallocated, [ItemQuantity { id: "mug", quantity: 2 }]);
    assert_eq!(bare.search.note, "No location has any of the ordered items in stock.");
    assert_eq!(bare.rejected, [Rejected { location: "a", reason: words::EMPTY.into() }]);
    assert!(bare.search.complete);
}

#[test]
fn without_a_destination_balance_decides() {
    let network =
        Network::from([("a", north(1.0, &[("hat", 3)])), ("b", addressed("FR", "1", &[("hat", 9)]))]);
    let plan = propose(&[("hat", 3)], &network, None);
    assert_eq!(ranking(&plan), [["b"], ["a"]]);
    assert_eq!(plan.proposals[0].distance, None);
    let told = "Distance is not compared, because the order has no destination.";
    assert_eq!(plan.proposals[0].reasons[1], told);
}

#[test]
fn locations_in_no_proposal_are_rejected_with_a_reason() {
    let network = Network::from([
        ("all_1", north(1.0, &[("hat", 3), ("mug", 3)])),
        ("all_2", north(2.0, &[("hat", 3), ("mug", 3)])),
        ("all_3", north(3.0, &[("hat", 3), ("mug", 3)])),
        ("all_4", north(4.0, &[("hat", 3), ("mug", 3)])),
        ("all_5", north(5.0, &[("hat", 3), ("mug", 3)])),
        ("all_6", north(6.0, &[("hat", 3), ("mug", 3)])),
        ("bare", north(0.0, &[("pen", 7)])),
        ("both", north(7.0, &[("hat", 1), ("mug", 3)])),
        ("half", north(0.0, &[("hat", 3)])),
        ("less", north(0.1, &[("hat", 1)])),
    ]);
    let plan = propose(&[("hat", 3), ("mug", 3)], &network, Some(&here()));
    let rejected: Vec<(&str, &str)> =
        plan.rejected.iter().map(|rejected| (rejected.location, rejected.reason.as_str())).collect();
    let expected = [
        ("half", "Has enough of 1 of 2 items; no proposal needs it."),
        ("less", "Has some, but not enough, of 1 of 2 items; no proposal needs it."),
        ("all_6", "Could supply it all alone, but ranks below the proposals."),
        ("both", "Has enough of 1 and some of 1 of 2 items; no proposal needs it."),
        ("bare", "Has none of the ordered items in stock."),
    ];
    assert_eq!(rejected, expected);
    assert_eq!(plan.rejected_count, 5);
}

/// Locations 0, 1, 2 … in another country, with the stock that `levels` returns for each.
fn numbered(count: u32, levels: impl Fn(u32) -> Vec<(u32, i64)>) -> BTreeMap<u32, Candidate<u32>> {
    let place = Place { country: country("FR"), post_code: None, point: None };
    let candidate = |number| Candidate { place: place.clone(), stock: levels(number).into_iter().collect() };
    (0..count).map(|number| (number, candidate(number))).collect()
}

#[test]
fn no_more_than_the_limits_are_named_but_all_are_counted() {
    let plan = propose(&[(0, 1)], &numbered(500, |_| vec![(0, 1)]), None);
    assert_eq!((plan.proposals.len(), plan.rejected.len()), (PROPOSALS_MAX, REJECTED_MAX));
    assert_eq!(plan.rejected_count, 500 - PROPOSALS_MAX);
}

#[test]
fn a_search_that_stops_says_so_and_still_supplies_everything() {
    // Two of each item at each of 400 locations, and no two locations with the same items: no location is forced, and
    // there are many combinations.
    let levels = |number: u32| (0..6).map(|step| (number * (step + 1) * 7 % 60, 2)).collect();
    let lines: Vec<(u32, i64)> = (0..60).map(|item| (item, 5)).collect();
    let plan = propose(&lines, &numbered(400, levels), Some(&here()));
    assert!(!plan.search.complete);
    assert!(plan.search.steps <= EXACT_STEPS_MAX + IMPROVE_STEPS_MAX);
    assert!(plan.search.note.contains("Fewer than"), "{}", plan.search.note);
    assert!(!plan.proposals.is_empty());
    assert_eq!(plan.unallocated, []);
}

#[test]
fn more_locations_than_are_compared_in_all_combinations_are_said_to_be() {
    let plan = propose(&[(0, 20)], &numbered(30, |_| vec![(0, 1)]), None);
    assert_eq!(plan.proposals[0].locations_count, 20);
    assert_eq!(
        plan.search.note,
        "Combinations of more than 8 locations are not all compared. \
         Fewer than 20 locations cannot do it, but other combinations of as many may rank higher."
    );
    assert_eq!(plan.proposals[0].reasons[1], "Fewer locations cannot supply as much.");
}

#[test]
fn a_single_location_is_always_compared_with_all_others() {
    // Without a destination only the balance differs, so every plan has to be computed.
    let lines: Vec<(u32, i64)> = (0..100).map(|item| (item, 1)).collect();
    let levels = |number: u32| (0..100).map(|item| (item, i64::from(2 + number * 7 % 500))).collect();
    let plan = propose(&lines, &numbered(5000, levels), None);
    assert!(plan.search.complete);
    assert_eq!((plan.proposals[0].locations_count, plan.proposals[0].balance), (1, 99));
}

#[test]
fn quantities_at_the_end_of_their_type_overflow_nothing() {
    let lines = [(0, i64::MAX), (0, i64::MAX), (1, i64::MAX)];
    let plan = propose(&lines, &numbered(3, |_| vec![(0, i64::MAX - 1), (1, i64::MAX / 2)]), None);
    assert_eq!(plan.proposals[0].locations_count, 3);
    assert_eq!(plan.unallocated, []);
}

#[test]
fn a_budget_refuses_all_work_once_it_has_refused_some() {
    let mut budget = StepBudget::new(10);
    assert!(budget.spend(7).is_ok());
    assert!(budget.spend(4).is_err());
    assert!(budget.spend(1).is_err());
    assert_eq!(budget.used, 7);
}
