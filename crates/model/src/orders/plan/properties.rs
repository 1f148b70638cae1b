//! Properties of every plan, tested on small random networks for which brute force finds the right answer.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::CountryCode;
use crate::places::geo::Point;

/// An order and the locations that may supply it.
#[derive(Clone, Debug)]
struct Case {
    lines: Vec<(u8, i64)>,
    candidates: Vec<(u16, Candidate<u8>)>,
    destination: Option<Place>,
}

impl Case {
    fn plan(&self) -> Plan<u16, u8> {
        propose(&self.lines, &self.candidates.iter().cloned().collect(), self.destination.as_ref())
    }

    fn demand(&self) -> BTreeMap<u8, i64> {
        sums(self.lines.iter().copied())
    }

    fn stock(&self, location: u16) -> &BTreeMap<u8, i64> {
        &self.candidates.iter().find(|(known, _)| *known == location).unwrap().1.stock
    }

    /// Returns how much of the demand a set of locations can supply.
    fn supply(&self, locations: &[u16]) -> i64 {
        let of = |item: &u8| -> i64 {
            locations
                .iter()
                .map(|location| self.stock(*location).get(item).copied().unwrap_or(0).max(0))
                .sum()
        };
        self.demand().iter().map(|(item, quantity)| of(item).min(*quantity)).sum()
    }

    fn locations(&self) -> Vec<u16> {
        self.candidates.iter().map(|(location, _)| *location).collect()
    }
}

fn sums(quantities: impl Iterator<Item = (u8, i64)>) -> BTreeMap<u8, i64> {
    let mut sums = BTreeMap::new();
    for (item, quantity) in quantities {
        *sums.entry(item).or_default() += quantity;
    }
    sums
}

fn place() -> impl Strategy<Value = Place> {
    let country = prop_oneof![Just("GB"), Just("FR")].prop_map(|code| CountryCode::parse(code).unwrap());
    // Only a few different points, so that distances are often equal and the later ranking rules are tested too.
    let point = (0..4_u8, 0..2_u8).prop_map(|(north, sure)| {
        (Point { latitude: 50.0 + f64::from(north), longitude: 0.0 }, 0.5 + f64::from(sure) * 0.3)
    });
    (country, proptest::option::of("[AB]{1,3}"), proptest::option::weighted(0.8, point))
        .prop_map(|(country, post_code, point)| Place { country, post_code, point })
}

fn case(locations_max: usize, items: u8) -> impl Strategy<Value = Case> {
    let stock = proptest::collection::btree_map(0..items + 2, -1..7_i64, 0..=usize::from(items));
    let candidate = (place(), stock).prop_map(|(place, stock)| Candidate { place, stock });
    let candidates = proptest::collection::btree_map(any::<u16>(), candidate, 0..=locations_max);
    let lines = proptest::collection::vec((0..items, 1..9_i64), 0..=usize::from(items) + 1);
    (lines, candidates, proptest::option::weighted(0.8, place())).prop_map(
        |(lines, candidates, destination)| Case {
            lines,
            candidates: candidates.into_iter().collect(),
            destination,
        },
    )
}

/// Returns every set of locations that supplies as much as all of them and has no superfluous location.
fn minimal_sets(case: &Case) -> Vec<Vec<u16>> {
    let locations = case.locations();
    let most = case.supply(&locations);
    let pick = |bits: u32| -> Vec<u16> {
        (0..locations.len()).filter(|at| bits >> at & 1 == 1).map(|at| locations[at]).collect()
    };
    let supplies = |bits: u32| case.supply(&pick(bits)) == most;
    let is_minimal = |bits: u32| {
        let needs = |at: usize| bits >> at & 1 == 0 || !supplies(bits & !(1_u32 << at));
        supplies(bits) && (0..locations.len()).all(needs)
    };
    (0..1 << locations.len()).filter(|bits| is_minimal(*bits)).map(pick).collect()
}

/// Returns the number of locations and their distance, the first two ranking criteria.
fn rank(case: &Case, locations: &[u16]) -> (usize, Option<Distance>) {
    let distance = |location: &u16| {
        let place = &case.candidates.iter().find(|(known, _)| known == location).unwrap().1.place;
        Some(Distance::between(place, case.destination.as_ref()?))
    };
    (locations.len(), total(locations.iter().map(distance)).map(surely))
}

/// Returns the distance without its confidence, which does not affect the ranking.
fn surely(distance: Distance) -> Distance {
    match distance {
        Distance::Kilometres { km, .. } => Distance::Kilometres { km, confidence: 1.0 },
        other => other,
    }
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let plan = case.plan();
    let all = case.locations();
    let demand = case.demand();
    for proposal in &plan.proposals {
        prop_assert_eq!(&proposal.unallocated, &plan.unallocated);
        prop_assert_eq!(proposal.locations_count, proposal.allocations.len());
        for allocation in &proposal.allocations {
            prop_assert!(!allocation.items.is_empty());
            for drawn in &allocation.items {
                let available = case.stock(allocation.location)[&drawn.id];
                prop_assert!((1..=available).contains(&drawn.quantity), "{drawn:?} of {available}");
            }
        }
        let drawn = proposal.allocations.iter().flat_map(|allocation| &allocation.items);
        let accounted = drawn.chain(&proposal.unallocated).map(|part| (part.id, part.quantity));
        prop_assert_eq!(&sums(accounted), &demand);
        let used: Vec<u16> = proposal.allocations.iter().map(|allocation| allocation.location).collect();
        let most = case.supply(&all);
        prop_assert_eq!(case.supply(&used), most);
        for spared in &used {
            let rest: Vec<u16> = used.iter().copied().filter(|location| location != spared).collect();
            prop_assert!(case.supply(&rest) < most, "{spared} is not needed in {used:?}");
        }
    }
    prop_assert_eq!(plan.proposals.is_empty(), case.supply(&all) == 0);
    let short: i64 = plan.unallocated.iter().map(|part| part.quantity).sum();
    prop_assert_eq!(short, demand.values().sum::<i64>() - case.supply(&all));
    check_ranking(&plan)
}

fn check_ranking(plan: &Plan<u16, u8>) -> Result<(), TestCaseError> {
    let key = |proposal: &Proposal<u16, u8>| {
        let mut ids: Vec<u16> = proposal.allocations.iter().map(|allocation| allocation.location).collect();
        ids.sort_unstable();
        (proposal.locations_count, proposal.distance.map(surely), std::cmp::Reverse(proposal.balance), ids)
    };
    prop_assert!(plan.proposals.is_sorted_by(|a, b| key(a) < key(b)), "{:?}", plan.proposals);
    prop_assert!(plan.proposals.len() <= PROPOSALS_MAX);
    let mut used: Vec<u16> = plan.proposals.iter().flat_map(|proposal| key(proposal).3).collect();
    used.sort_unstable();
    used.dedup();
    prop_assert!(plan.rejected.iter().all(|rejected| !used.contains(&rejected.location)));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn every_proposal_draws_what_is_there_and_needs_all_its_locations(case in case(12, 6)) {
        check(&case)?;
    }

    #[test]
    fn the_proposals_are_the_best_that_brute_force_finds(case in case(8, 5)) {
        let plan = case.plan();
        prop_assert!(plan.search.complete);
        let mut best: Vec<_> = minimal_sets(&case).iter().map(|set| rank(&case, set)).collect();
        best.sort_unstable();
        best.retain(|(count, _)| *count > 0);
        best.truncate(PROPOSALS_MAX);
        let found: Vec<_> = plan
            .proposals
            .iter()
            .map(|proposal| (proposal.locations_count, proposal.distance.map(surely)))
            .collect();
        prop_assert_eq!(found, best);
    }

    #[test]
    fn the_order_of_the_input_changes_nothing(
        (case, shuffled) in case(10, 5).prop_flat_map(|case| {
            let lines = Just(case.lines.clone()).prop_shuffle();
            let candidates = Just(case.candidates.clone()).prop_shuffle();
            let destination = Just(case.destination.clone());
            let shuffled = (lines, candidates, destination)
                .prop_map(|(lines, candidates, destination)| Case { lines, candidates, destination });
            (Just(case), shuffled)
        }),
    ) {
        let text = |case: &Case| serde_json::to_string(&case.plan()).unwrap();
        prop_assert_eq!(text(&case), text(&shuffled));
    }
}

/// Returns the problem without ids, and the plans that the heuristic search alone finds for it.
fn built(case: &Case) -> (Cover, Shortlist) {
    let (items, demand): (Vec<u8>, Vec<i64>) = case.demand().into_iter().unzip();
    let site = |(rank, (_, candidate)): (usize, &(u16, Candidate<u8>))| {
        let distance = case.destination.as_ref().map(|place| Distance::between(place, &candidate.place));
        Site { rank, cost: Cost::of(distance), row: stocked(&items, &candidate.stock) }
    };
    let sites = case.candidates.iter().enumerate().map(site).filter(|site| !site.row.is_empty());
    let cover = Cover::new(&demand, sites.collect());
    let mut shortlist = Shortlist::default();
    greedy::search(&cover, &mut shortlist, &mut StepBudget::new(IMPROVE_STEPS_MAX)).unwrap();
    (cover, shortlist)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn plans_that_are_only_built_supply_everything_with_no_fewer_than_the_fewest(case in case(10, 6)) {
        let Some(best) = case.plan().proposals.first().map(|best| best.locations_count) else {
            return Ok(());
        };
        let (cover, shortlist) = built(&case);
        prop_assert!(!shortlist.picks.is_empty());
        for pick in &shortlist.picks {
            let ranks = pick.sites.iter().map(|site| cover.sites[*site].rank);
            let used: Vec<u16> = ranks.map(|rank| case.candidates[rank].0).collect();
            prop_assert_eq!(case.supply(&used), case.supply(&case.locations()));
        }
        let built = shortlist.picks[0].sites.len();
        prop_assert!(best <= built, "{built}, not {best}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_network_too_large_to_compare_in_full_is_held_to_the_same_rules(case in case(60, 40)) {
        check(&case)?;
    }
}
