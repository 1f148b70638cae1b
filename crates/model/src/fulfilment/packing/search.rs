//! Runs the searches one after the other: a first solution by one rule, the exact search, then further rules.

use super::bounds::LeastPackages;
use super::build::{self, Solution};
use super::exact::{self, EXACT_UNITS_MAX};
use super::holding::Holding;
use super::proposal::PackingLimit;
use super::units_and_rooms::{PackingProblem, total};
use crate::platform::step_budget::StepBudget;

/// The part of the steps that the exact search may spend. The rest is for rules, should it not end.
const EXACT_STEPS_PART: (u64, u64) = (1, 2);
/// The part of the steps for which each package is once more compared with the package types that are preferred to
/// its own.
const EXPLAIN_STEPS_PART: (u64, u64) = (1, 8);

/// What the search found and has proven.
pub(super) struct FoundPacking {
    pub solution: Solution,
    pub is_best: bool,
    pub limits: Vec<PackingLimit>,
    pub steps: u64,
    /// The steps for comparing the package types that are not used.
    pub explaining: StepBudget,
}

/// Finds packages for the units that may share them.
pub(super) fn search<'p>(
    problem: &'p PackingProblem,
    counts: &[u32],
    holding: &mut Holding<'p>,
    steps_max: u64,
) -> FoundPacking {
    let mut found = search_best(problem, counts, holding, steps_max);
    // What an exhausted budget leaves open is only a smaller package type that the rules would find.
    let _ended = build::shrink(holding, &mut found.solution, &mut found.explaining);
    found
}

fn search_best<'p>(
    problem: &'p PackingProblem,
    counts: &[u32],
    holding: &mut Holding<'p>,
    steps_max: u64,
) -> FoundPacking {
    let explaining = StepBudget::new(part(steps_max, EXPLAIN_STEPS_PART));
    let units = total(counts);
    let mut limits = Vec::new();
    if units == 0 {
        let solution = Solution { packages: Vec::new() };
        return FoundPacking { solution, is_best: true, limits, steps: 0, explaining };
    }
    let least = LeastPackages::of(problem, counts);
    if least.by_mass > least.by_volume.max(1) {
        limits.push(PackingLimit::Mass);
    }
    let mut solution = build::build_first(problem, counts);
    let mut is_best = false;
    let mut steps = 0;
    if units <= EXACT_UNITS_MAX {
        let mut exact = StepBudget::new(part(steps_max, EXACT_STEPS_PART));
        is_best = exact::search(problem, counts, holding, &mut solution, &mut exact);
        steps = exact.used;
    }
    if !is_best {
        limits.push(if units > EXACT_UNITS_MAX { PackingLimit::Units } else { PackingLimit::Steps });
        let mut rules = StepBudget::new(steps_max.saturating_sub(steps));
        // An exhausted budget needs no message of its own: the search already says that it is not complete.
        let _ended = build::improve(problem, counts, holding, &mut solution, &mut rules);
        steps += rules.used;
    }
    FoundPacking { solution, is_best, limits, steps, explaining }
}

fn part(steps: u64, (count, of): (u64, u64)) -> u64 {
    steps / of * count
}
