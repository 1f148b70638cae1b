//! The allocation planner: proposes from which locations an order's items should come, and says why.
//!
//! Every proposal supplies as much as stock allows, and has no superfluous location. Proposals are ranked by
//!
//! 1. the number of locations, the fewest first,
//! 2. the distance to the destination: the sum of the kilometres of all locations, or, if any of them lacks
//!    coordinates, the worst result of comparing addresses,
//! 3. the balance: the lowest percentage of stock that remains at any location,
//! 4. the locations' ids, so that the order is always the same.
//!
//! Finding the fewest locations is a set cover problem, for which no fast exact method is known. The planner first
//! fixes the locations that every plan needs. It then compares all combinations of one, two, three and more locations,
//! and skips those that cannot rank (`exact`). When the budget of steps is exhausted, it builds and improves plans one
//! location at a time (`greedy`). The result says which search produced it.
//!
//! Architecture Invariant: the same input gives the same bytes, in any order of the input and on any machine. Work is
//! limited in steps, not in seconds.

mod cover;
mod exact;
mod greedy;
mod limits;
#[cfg(test)]
mod properties;
mod shortlist;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::places::geo::{Distance, Place};
use crate::platform::step_budget::StepBudget;
use cover::{Cost, Cover, Row, Site};
use exact::Proof;
use limits::{EXACT_STEPS_MAX, IMPROVE_STEPS_MAX};
use shortlist::{Pick, Shortlist};

pub use shortlist::PROPOSALS_MAX;

/// Maximum number of rejected locations that a plan lists.
pub const REJECTED_MAX: usize = 100;

/// A location that may supply items.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate<I> {
    pub place: Place,
    /// The available quantity of each item. Zero and negative quantities count as none. Items that are not in the
    /// order are ignored.
    pub stock: BTreeMap<I, i64>,
}

/// The locations from which an order's items could come.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan<L: Serialize, I> {
    /// The proposals, the best first. Empty if nothing is wanted or nothing of it is in stock.
    pub proposals: Vec<Proposal<L, I>>,
    /// Locations that are in no proposal. Those with stock come first, the nearest before the rest.
    pub rejected: Vec<Rejected<L>>,
    /// The number of locations that are in no proposal, including those that are not listed.
    pub rejected_count: usize,
    /// The quantities that all locations together cannot supply.
    pub unallocated: Vec<ItemQuantity<I>>,
    pub search: Search,
}

/// One way to supply the order as far as stock allows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proposal<L: Serialize, I> {
    /// The allocations, the nearest location first.
    pub allocations: Vec<Allocation<L, I>>,
    pub locations_count: usize,
    /// The sum of the kilometres of all locations, with the lowest confidence, if all have coordinates. Otherwise the
    /// worst of the others. Null without a destination.
    pub distance: Option<Distance>,
    /// The lowest percentage of stock that remains at any location that the proposal draws from.
    pub balance: u32,
    pub unallocated: Vec<ItemQuantity<I>>,
    /// The reasons, as sentences for a person.
    pub reasons: Vec<String>,
}

/// The items that one location supplies, in the form in which allocations are created.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Allocation<L: Serialize, I> {
    #[serde(serialize_with = "as_reference")]
    pub location: L,
    pub items: Vec<ItemQuantity<I>>,
}

/// An item and its quantity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItemQuantity<I> {
    pub id: I,
    pub quantity: i64,
}

/// A location that is in no proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rejected<L: Serialize> {
    #[serde(serialize_with = "as_reference")]
    pub location: L,
    pub reason: String,
}

/// The extent of the planner's search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Search {
    /// Whether the first proposal is proven to be the best.
    pub complete: bool,
    pub steps: u64,
    /// What was proven, and when the planner stopped searching, as a sentence for a person.
    pub note: String,
}

fn as_reference<L: Serialize, S: Serializer>(id: &L, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Reference<'a, L> {
        id: &'a L,
    }
    Reference { id }.serialize(serializer)
}

/// Proposes the locations from which the open demand of an order should come.
///
/// `lines` are the items and the quantities that are still wanted; lines of the same item are summed. `candidates`
/// are all locations, including those without stock, which are rejected with a reason.
pub fn propose<L, I>(
    lines: &[(I, i64)],
    candidates: &BTreeMap<L, Candidate<I>>,
    destination: Option<&Place>,
) -> Plan<L, I>
where
    L: Ord + Copy + Serialize,
    I: Ord + Copy + Serialize,
{
    let mut demand: BTreeMap<I, i64> = BTreeMap::new();
    for (item, quantity) in lines.iter().filter(|(_, quantity)| *quantity > 0) {
        let sum = demand.entry(*item).or_default();
        *sum = sum.saturating_add(*quantity);
    }
    let (items, wanted): (Vec<I>, Vec<i64>) = demand.into_iter().unzip();
    let (locations, distances): (Vec<L>, Vec<Option<Distance>>) = candidates
        .iter()
        .map(|(location, candidate)| {
            (*location, destination.map(|place| Distance::between(&candidate.place, place)))
        })
        .unzip();
    let rows = candidates.values().map(|candidate| stocked(&items, &candidate.stock));
    let sites = rows
        .enumerate()
        .filter(|(_, row)| !row.is_empty())
        .map(|(rank, row)| Site { rank, cost: Cost::of(distances[rank]), row })
        .collect();
    let cover = Cover::new(&wanted, sites);
    let found = search(&cover);
    let destination_is_known = destination.is_some_and(|place| place.point.is_some());
    Scene { items, wanted, locations, distances, destination_is_known, cover, found }.plan()
}

/// Returns a location's stock of the items, by their numbers. Both inputs are sorted, so one pass is enough.
fn stocked<I: Ord>(items: &[I], stock: &BTreeMap<I, i64>) -> Row {
    let mut row = Row::with_capacity(items.len().min(stock.len()));
    let mut at = 0;
    for (item, quantity) in stock {
        while items.get(at).is_some_and(|wanted| wanted < item) {
            at += 1;
        }
        if items.get(at) == Some(item) && *quantity > 0 {
            row.push((at, *quantity));
        }
    }
    row
}

/// The plans that the search found, and what it has proven.
struct Found {
    picks: Vec<Pick>,
    proof: Proof,
    steps: u64,
}

fn search(cover: &Cover) -> Found {
    let mut shortlist = Shortlist::default();
    let mut exact = StepBudget::new(EXACT_STEPS_MAX);
    let mut improve = StepBudget::new(IMPROVE_STEPS_MAX);
    if cover.supply.is_empty() {
        let proof = Proof { least_count: 0, is_best: true, stop: None, unlimited_steps: 0 };
        return Found { picks: Vec::new(), proof, steps: 0 };
    }
    let proof = exact::search(cover, &mut shortlist, &mut exact);
    if proof.stop.is_some() {
        // An exhausted budget needs no message of its own: the proof already says that not all combinations were
        // compared.
        let _ended = greedy::search(cover, &mut shortlist, &mut improve);
    }
    let steps = proof.unlimited_steps.saturating_add(exact.used).saturating_add(improve.used);
    Found { picks: shortlist.picks, proof, steps }
}

/// The inputs of the answer. Locations are identified by their rank, items by their number.
struct Scene<L, I> {
    items: Vec<I>,
    wanted: Vec<i64>,
    locations: Vec<L>,
    distances: Vec<Option<Distance>>,
    destination_is_known: bool,
    cover: Cover,
    found: Found,
}

impl<L: Ord + Copy + Serialize, I: Ord + Copy + Serialize> Scene<L, I> {
    fn plan(&self) -> Plan<L, I> {
        let Found { picks, proof, steps } = &self.found;
        let (rejected, rejected_count) = self.rejected();
        let note = words::note(&self.wanted, picks, proof, *steps);
        Plan {
            proposals: picks.iter().map(|pick| self.proposal(pick)).collect(),
            rejected,
            rejected_count,
            unallocated: self.unallocated(),
            search: Search { complete: proof.is_best, steps: *steps, note },
        }
    }

    fn proposal(&self, pick: &Pick) -> Proposal<L, I> {
        let ranks = || pick.sites.iter().map(|site| self.cover.sites[*site].rank);
        let allocations = ranks().zip(&pick.draw.rows).map(|(rank, row)| Allocation {
            location: self.locations[rank],
            items: row.iter().map(|(item, quantity)| self.quantity(*item, *quantity)).collect(),
        });
        let distance = total(ranks().map(|rank| self.distances[rank]));
        let unallocated = self.unallocated();
        let facts = words::Facts {
            locations: pick.sites.len(),
            forced: self.cover.forced.len(),
            is_fewest: pick.sites.len() == self.found.proof.least_count,
            distance,
            destination_is_known: self.destination_is_known,
            balance: pick.draw.balance,
            split_count: pick.draw.split_count,
            unallocated: unallocated.iter().map(|short| short.quantity).collect(),
        };
        Proposal {
            allocations: allocations.collect(),
            locations_count: pick.sites.len(),
            distance,
            balance: pick.draw.balance,
            unallocated,
            reasons: words::reasons(&facts),
        }
    }

    fn quantity(&self, item: usize, quantity: i64) -> ItemQuantity<I> {
        ItemQuantity { id: self.items[item], quantity }
    }

    fn unallocated(&self) -> Vec<ItemQuantity<I>> {
        let short = (0..self.items.len())
            .map(|item| self.quantity(item, self.wanted[item] - cover::amount(&self.cover.supply, item)));
        short.filter(|short| short.quantity > 0).collect()
    }

    fn rejected(&self) -> (Vec<Rejected<L>>, usize) {
        let mut is_site = vec![false; self.locations.len()];
        for site in &self.cover.sites {
            is_site[site.rank] = true;
        }
        let mut is_picked = vec![false; self.cover.sites.len()];
        for site in self.found.picks.iter().flat_map(|pick| &pick.sites) {
            is_picked[*site] = true;
        }
        let unused = self.cover.sites.iter().enumerate().filter(|(site, _)| !is_picked[*site]);
        let unused =
            unused.map(|(_, site)| (site.rank, words::unused(&self.wanted, &self.cover.supply, &site.row)));
        let empty = (0..self.locations.len())
            .filter(|rank| !is_site[*rank])
            .map(|rank| (rank, words::EMPTY.to_owned()));
        let rejected = unused
            .chain(empty)
            .take(REJECTED_MAX)
            .map(|(rank, reason)| Rejected { location: self.locations[rank], reason });
        let picked_count = is_picked.iter().filter(|picked| **picked).count();
        (rejected.collect(), self.locations.len() - picked_count)
    }
}

/// Returns the combined distance of a proposal's locations from the destination.
fn total(distances: impl Iterator<Item = Option<Distance>>) -> Option<Distance> {
    let join = |a: Distance, b: Distance| match (a, b) {
        (
            Distance::Kilometres { km: a, confidence: sure_a },
            Distance::Kilometres { km: b, confidence: sure_b },
        ) => {
            // Rounded again, because sums of thousandths accumulate floating-point errors.
            let km = ((a + b) * 1000.0).round() / 1000.0;
            Distance::Kilometres { km, confidence: sure_a.min(sure_b) }
        }
        (a, b) => a.max(b),
    };
    distances.flatten().reduce(join)
}
