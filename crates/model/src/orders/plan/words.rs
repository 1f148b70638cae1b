//! The planner's sentences: why a proposal has its rank, why a location was rejected, and how far the search went.
//! They are separate from the search, so that wording never affects ranking.

use super::cover::amount;
use super::exact::{EXACT_LOCATIONS_MAX, Proof, Stop};
use super::shortlist::Pick;
use crate::places::geo::Distance;

/// The reason for a location that has none of the wanted items.
pub(super) const EMPTY: &str = "Has none of the ordered items in stock.";

/// The facts for the reasons of a proposal.
pub(super) struct Facts {
    pub locations: usize,
    /// The number of its locations that every plan needs.
    pub forced: usize,
    /// Whether it is proven that fewer locations cannot supply as much.
    pub is_fewest: bool,
    pub distance: Option<Distance>,
    pub destination_is_known: bool,
    pub balance: u32,
    pub split_count: usize,
    /// The quantities that no location has.
    pub unallocated: Vec<i64>,
}

pub(super) fn reasons(facts: &Facts) -> Vec<String> {
    let mut reasons = vec![coverage(facts)];
    if !facts.unallocated.is_empty() {
        let units = facts.unallocated.iter().fold(0_i64, |sum, quantity| sum.saturating_add(*quantity));
        let items = counted(facts.unallocated.len(), "item");
        let (noun, verb) = if units == 1 { ("unit", "is") } else { ("units", "are") };
        reasons.push(format!("{units} {noun} of {items} {verb} in stock nowhere."));
    }
    if facts.locations > 1 && facts.is_fewest {
        reasons.push("Fewer locations cannot supply as much.".to_owned());
    }
    if facts.locations > 1 && facts.forced > 0 {
        let forced = if facts.forced == facts.locations {
            "All of its locations are".to_owned()
        } else if facts.forced == 1 {
            "One of its locations is".to_owned()
        } else {
            format!("{} of its locations are", facts.forced)
        };
        reasons
            .push(format!("{forced} needed by every plan, because the others have too little of some item."));
    }
    reasons.push(distance(facts));
    reasons.push(format!("Leaves {}% or more of the stock of each item where it is taken.", facts.balance));
    if facts.split_count > 0 {
        let items = counted(facts.split_count, "item");
        reasons.push(format!("Takes {items} from more than one location, because no single one has enough."));
    }
    reasons
}

fn coverage(facts: &Facts) -> String {
    let all = if facts.unallocated.is_empty() { "everything" } else { "everything that is in stock" };
    match facts.locations {
        1 => format!("One location has {all}."),
        count => format!("{count} locations together have {all}."),
    }
}

fn distance(facts: &Facts) -> String {
    let Some(distance) = facts.distance else {
        return "Distance is not compared, because the order has no destination.".to_owned();
    };
    let farthest = if facts.locations == 1 { "The location" } else { "The location that compares worst" };
    let told = match distance {
        Distance::Kilometres { km, confidence } => return kilometres(km, confidence, facts.locations),
        Distance::SameCountry { shared_prefix: 0 } => {
            format!("{farthest} is in the destination's country, with no shared start of the post code")
        }
        Distance::SameCountry { shared_prefix } => {
            let characters = counted(shared_prefix, "character");
            format!("{farthest} shares the country and the first {characters} of the post code")
        }
        Distance::OtherCountry => format!("{farthest} is in another country than the destination"),
    };
    let whose = if facts.destination_is_known { "that location" } else { "the destination" };
    format!("{told}: by country and post code prefix, because no coordinates are known of {whose}.")
}

fn kilometres(km: f64, confidence: f64, locations: usize) -> String {
    let far = if km < 0.5 { "Less than 1 km".to_owned() } else { format!("{km:.0} km") };
    let confidence = (confidence * 100.0).round() / 100.0;
    match locations {
        1 => format!("{far} from the destination (confidence {confidence})."),
        count => {
            format!("{far} from the destination, summed over {count} locations (confidence {confidence}).")
        }
    }
}

/// Returns the reason for a location that has wanted items and is in no proposal.
pub(super) fn unused(wanted: &[i64], supply: &[(usize, i64)], row: &[(usize, i64)]) -> String {
    if supply.iter().all(|(item, quantity)| amount(row, *item) >= *quantity) {
        return "Could supply it all alone, but ranks below the proposals.".to_owned();
    }
    let enough = row.iter().filter(|(item, quantity)| *quantity >= wanted[*item]).count();
    let (some, all) = (row.len() - enough, wanted.len());
    let has = match (enough, some) {
        (0, some) => format!("Has some, but not enough, of {some} of {}", counted(all, "item")),
        (enough, 0) => format!("Has enough of {enough} of {}", counted(all, "item")),
        (enough, some) => format!("Has enough of {enough} and some of {some} of {}", counted(all, "item")),
    };
    format!("{has}; no proposal needs it.")
}

/// Returns the sentence about the extent of the search.
pub(super) fn note(wanted: &[i64], picks: &[Pick], proof: &Proof, steps: u64) -> String {
    if wanted.is_empty() {
        return "Nothing is left to allocate.".to_owned();
    }
    let Some(best) = picks.first() else {
        return "No location has any of the ordered items in stock.".to_owned();
    };
    let stopped = match proof.stop {
        None => return "Every combination of locations that could rank here was compared.".to_owned(),
        Some(Stop::Steps) => {
            format!("The comparison of all combinations stopped at its limit, after {steps} steps in all")
        }
        Some(Stop::Locations) => {
            format!("Combinations of more than {EXACT_LOCATIONS_MAX} locations are not all compared")
        }
    };
    let count = best.sites.len();
    let proven = if proof.is_best {
        "The first proposal is the best there is, but better ones than those after it may exist".to_owned()
    } else if count == proof.least_count {
        let least = counted(count, "location");
        format!("Fewer than {least} cannot do it, but other combinations of as many may rank higher")
    } else {
        let least = counted(proof.least_count, "location");
        let others = format!("other combinations, also of fewer than {count}, may rank higher");
        format!("Fewer than {least} cannot do it, but {others}")
    };
    format!("{stopped}. {proven}.")
}

fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
