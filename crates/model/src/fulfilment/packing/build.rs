//! Builds packages by rules and improves them: it fills one room after the other, moves each package to the preferred
//! room that still holds it, and tries to spread the smallest package over the others.

use super::fill::{FillRule, RULES, RoomLoad, fill_fullest};
use super::holding::{Holding, HoldingEffort, HoldingVerdict};
use super::units_and_rooms::{PackingProblem, Price, UnitCounts, total};
use crate::platform::step_budget::{StepBudget, StepsSpent};

/// One part of a packed quantity in [`fullness`].
const FULLNESS_PARTS: u128 = 1_000_000;

/// The units of one package and the room that holds them.
#[derive(Clone, Debug)]
pub(super) struct PackedRoom {
    pub room: usize,
    pub load: RoomLoad,
}

/// A whole answer: every unit is in one of the packages.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub packages: Vec<PackedRoom>,
}

impl Solution {
    /// Returns the objective: the number of packages, then their price.
    pub fn rank(&self, problem: &PackingProblem) -> (usize, Price) {
        let prices = self.packages.iter().map(|package| problem.price(package.room));
        (self.packages.len(), prices.fold(Price::default(), Price::plus))
    }
}

/// Builds a solution by one rule, however many steps it takes. Each package has at least one unit, because each unit
/// fits into some room alone.
pub(super) fn build_first(problem: &PackingProblem, counts: &[u32]) -> Solution {
    construct(problem, counts, &RULES[..1], &mut StepBudget::unlimited())
        .unwrap_or(Solution { packages: Vec::new() })
}

/// Builds and improves a solution by each rule, and replaces the given one by the best.
pub(super) fn improve(
    problem: &PackingProblem,
    counts: &[u32],
    holding: &mut Holding<'_>,
    solution: &mut Solution,
    budget: &mut StepBudget,
) -> Result<(), StepsSpent> {
    polish(problem, holding, solution, budget)?;
    let single = RULES.iter().map(std::slice::from_ref);
    for rules in std::iter::once(&RULES[..]).chain(single) {
        let mut built = construct(problem, counts, rules, budget)?;
        let polished = polish(problem, holding, &mut built, budget);
        if built.rank(problem) < solution.rank(problem) {
            *solution = built;
        }
        polished?;
    }
    Ok(())
}

fn construct(
    problem: &PackingProblem,
    counts: &[u32],
    rules: &[FillRule],
    budget: &mut StepBudget,
) -> Result<Solution, StepsSpent> {
    let mut left: UnitCounts = counts.to_vec();
    let mut packages = Vec::new();
    while total(&left) > 0 {
        let mut fullest: Option<(u128, PackedRoom)> = None;
        for room in &problem.widest {
            let load = fill_fullest(problem, &problem.rooms[*room], &left, rules, budget)?;
            let fullness = fullness(problem, &load.counts, &left);
            let is_fuller = fullest.as_ref().is_none_or(|(best, _)| fullness > *best);
            if total(&load.counts) > 0 && is_fuller {
                fullest = Some((fullness, PackedRoom { room: *room, load }));
            }
        }
        // The caller has checked that each unit fits into some room alone, so there is always a package.
        let Some((_, package)) = fullest else { break };
        for (left, packed) in left.iter_mut().zip(&package.load.counts) {
            *left -= packed;
        }
        packages.push(package);
    }
    Ok(Solution { packages })
}

/// Returns how much of the units that are left a package takes: its part of the volume plus its part of the mass, so
/// that neither large nor heavy units are left over.
fn fullness(problem: &PackingProblem, packed: &[u32], left: &[u32]) -> u128 {
    let part = |packed: u128, left: u128| (packed * FULLNESS_PARTS).checked_div(left).unwrap_or(0);
    let mass = |counts: &[u32]| u128::from(problem.mass_g(counts));
    part(problem.volume(packed), problem.volume(left)) + part(mass(packed), mass(left))
}

/// Moves each package to its preferred room, and spreads packages over others while that is possible.
fn polish(
    problem: &PackingProblem,
    holding: &mut Holding<'_>,
    solution: &mut Solution,
    budget: &mut StepBudget,
) -> Result<(), StepsSpent> {
    shrink(holding, solution, budget)?;
    while spread_smallest(problem, holding, solution, budget)? {}
    shrink(holding, solution, budget)
}

/// Moves each package to the most preferred room that is found to hold it.
pub(super) fn shrink(
    holding: &mut Holding<'_>,
    solution: &mut Solution,
    budget: &mut StepBudget,
) -> Result<(), StepsSpent> {
    for package in &mut solution.packages {
        for room in 0..package.room {
            let counts = package.load.counts.clone();
            if holding.verdict(room, &counts, HoldingEffort::Fill, budget)? == HoldingVerdict::Holds
                && let Some(load) = holding.load(room, &counts)
            {
                *package = PackedRoom { room, load };
                break;
            }
        }
    }
    Ok(())
}

/// Moves all units of the package with the least volume into the others, and returns whether they found a place.
fn spread_smallest(
    problem: &PackingProblem,
    holding: &mut Holding<'_>,
    solution: &mut Solution,
    budget: &mut StepBudget,
) -> Result<bool, StepsSpent> {
    let size =
        |package: &PackedRoom| (problem.volume(&package.load.counts), problem.mass_g(&package.load.counts));
    let smallest = (0..solution.packages.len()).min_by_key(|at| size(&solution.packages[*at]));
    let Some(smallest) = smallest.filter(|_| solution.packages.len() > 1) else { return Ok(false) };
    let mut others = solution.packages.clone();
    let spread = others.remove(smallest);
    for (kind, count) in spread.load.counts.iter().enumerate() {
        for _ in 0..*count {
            if !add_unit(holding, &mut others, kind, budget)? {
                return Ok(false);
            }
        }
    }
    solution.packages = others;
    Ok(true)
}

fn add_unit(
    holding: &mut Holding<'_>,
    packages: &mut [PackedRoom],
    kind: usize,
    budget: &mut StepBudget,
) -> Result<bool, StepsSpent> {
    for package in packages {
        let mut counts = package.load.counts.clone();
        counts[kind] += 1;
        let found = holding.preferred_room(&counts, HoldingEffort::Fill, budget)?.found;
        if let Some((room, load)) = found.and_then(|room| Some((room, holding.load(room, &counts)?))) {
            *package = PackedRoom { room, load };
            return Ok(true);
        }
    }
    Ok(false)
}
