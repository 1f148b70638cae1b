//! The packer's sentences: why a package is as it is, why a package type is not used, and how far the search went. They
//! are separate from the search, so that wording never affects the packing.

use super::exact::EXACT_UNITS_MAX;
use super::proposal::UnusedReason;

/// The facts for the reasons of a package.
pub(super) struct PackageFacts {
    pub ships_alone: bool,
    pub unsized_count: usize,
    pub is_cost_compared: bool,
    /// Whether every package type that is preferred to this one is proven to be unable to hold the units.
    pub is_proven: bool,
    pub has_preferred: bool,
}

pub(super) fn reasons(facts: &PackageFacts) -> Vec<String> {
    let mut reasons = Vec::new();
    if facts.ships_alone {
        reasons.push("The unit ships alone.".to_owned());
    }
    let better = if facts.is_cost_compared { "cheaper, or equally cheap and smaller," } else { "smaller" };
    reasons.push(match (facts.has_preferred, facts.is_proven) {
        (false, _) if facts.is_cost_compared => "No package type costs less.".to_owned(),
        (false, _) => "No package type is smaller.".to_owned(),
        (true, true) => format!("No {better} package type can hold these units together."),
        (true, false) => format!("No {better} package type was found to hold these units together."),
    });
    match facts.unsized_count {
        0 => {}
        1 => reasons.push(
            "The dimensions of 1 unit are not known: it counts by its mass alone, and may need a larger package."
                .to_owned(),
        ),
        count => reasons.push(format!(
            "The dimensions of {count} units are not known: they count by their mass alone, and may need a larger \
             package."
        )),
    }
    reasons
}

pub(super) fn unused(reason: UnusedReason) -> &'static str {
    match reason {
        UnusedReason::TooSmall => {
            "The item does not fit into this package type in any orientation it may have."
        }
        UnusedReason::TooHeavy => {
            "The item and the empty package together are heavier than this package type allows."
        }
        UnusedReason::NotUpright => "The item must be kept upright, and an envelope travels in any position.",
        UnusedReason::MorePackages => {
            "It was not found to hold the units of any package together, so using it would take more packages."
        }
        UnusedReason::Dearer => "It costs more than the package type that was chosen for the same units.",
        UnusedReason::Larger => "It is larger than the package type that was chosen for the same units.",
        UnusedReason::Later => {
            "It is as good as the package type that was chosen for the same units, and comes after it in order."
        }
    }
}

/// Returns the sentence about the extent of the search.
pub(super) fn note(units: u64, is_best: bool, least_packages: u64, packages: u64, steps: u64) -> String {
    if units == 0 {
        return "No units share a package, so there was nothing to compare.".to_owned();
    }
    if is_best {
        return "Every packing that could be better was compared or excluded.".to_owned();
    }
    let stopped = if units > EXACT_UNITS_MAX {
        format!("More than {EXACT_UNITS_MAX} units are packed by rules, without comparing all packings")
    } else {
        format!("The comparison of all packings stopped at its limit, after {steps} steps in all")
    };
    let proven = if packages == least_packages {
        "Fewer packages cannot hold the units, but others of as many may cost less or be smaller"
    } else {
        "Another packing may have fewer packages, cost less or be smaller"
    };
    format!("{stopped}. {proven}.")
}
