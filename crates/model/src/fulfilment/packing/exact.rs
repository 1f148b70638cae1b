//! The exact search: compares all ways to divide the units among one package, then among two, and so on. It skips only
//! divisions that cannot be packed or cannot be better than the solution it has.

use super::bounds::{LeastPackages, least_price};
use super::build::{PackedRoom, Solution};
use super::holding::{Holding, HoldingEffort};
use super::units_and_rooms::{PackingProblem, Price, UnitCounts};
use crate::platform::step_budget::{StepBudget, StepsSpent};

/// Maximum number of units for which an answer is called exact.
pub const EXACT_UNITS_MAX: u64 = 200;

/// A group of units that shall be in one package.
#[derive(Clone)]
struct UnitGroup {
    counts: UnitCounts,
    /// The lowest price of a room that may hold the group. Further units never lower it.
    price_min: Price,
}

struct DivisionSearch<'a, 'p> {
    problem: &'p PackingProblem,
    holding: &'a mut Holding<'p>,
    budget: &'a mut StepBudget,
    solution: &'a mut Solution,
    /// The kind of each unit, equal ones adjacent.
    units: Vec<usize>,
    groups: Vec<UnitGroup>,
    groups_max: usize,
    /// The best rank of a division that is neither packed nor proven to be impossible.
    open: Option<(usize, Price)>,
}

/// Replaces the solution by the best one, and returns whether it is proven to be the best.
pub(super) fn search<'p>(
    problem: &'p PackingProblem,
    counts: &[u32],
    holding: &mut Holding<'p>,
    solution: &mut Solution,
    budget: &mut StepBudget,
) -> bool {
    let all = (0..counts.len()).flat_map(|kind| std::iter::repeat_n(kind, counts[kind] as usize));
    let least = usize::try_from(LeastPackages::of(problem, counts).count()).unwrap_or(usize::MAX);
    let mut search = DivisionSearch {
        problem,
        holding,
        budget,
        solution,
        units: all.collect(),
        groups: Vec::new(),
        groups_max: 0,
        open: None,
    };
    let mut groups_max = least;
    while groups_max <= search.solution.packages.len() {
        search.groups_max = groups_max;
        if search.compare_divisions(counts).is_err() {
            return false;
        }
        groups_max += 1;
    }
    search.open.is_none_or(|open| open >= search.solution.rank(problem))
}

impl DivisionSearch<'_, '_> {
    /// Compares all divisions into at most `groups_max` groups that may be better than the solution.
    fn compare_divisions(&mut self, counts: &[u32]) -> Result<(), StepsSpent> {
        let lowest = least_price(self.problem, counts, self.groups_max, self.budget)?;
        let rank = self.solution.rank(self.problem);
        if lowest.is_none_or(|lowest| (self.groups_max, lowest) >= rank) {
            return Ok(());
        }
        if self.groups_max == 1 { self.compare_single(counts) } else { self.divide(0, 0) }
    }

    /// Compares the rooms for all units together.
    fn compare_single(&mut self, counts: &[u32]) -> Result<(), StepsSpent> {
        let preferred = self.holding.preferred_room(counts, HoldingEffort::Search, self.budget)?;
        let Some(room) = preferred.possible else { return Ok(()) };
        self.groups = vec![UnitGroup { counts: counts.to_vec(), price_min: self.problem.price(room) }];
        let ended = self.compare();
        self.groups.clear();
        ended
    }

    /// Puts the unit and those after it into the groups in all ways. `from` is the first group that the unit may
    /// join.
    fn divide(&mut self, unit: usize, from: usize) -> Result<(), StepsSpent> {
        let Some(kind) = self.units.get(unit).copied() else { return self.compare() };
        // Units of the same kind join groups in order, because exchanging them changes nothing.
        let is_next_equal = self.units.get(unit + 1) == Some(&kind);
        let joinable = (self.groups.len() + 1).min(self.groups_max);
        for at in from..joinable {
            let is_new = at == self.groups.len();
            if !is_new && self.groups[from..at].iter().any(|group| group.counts == self.groups[at].counts) {
                continue;
            }
            let before = self.groups.get(at).cloned();
            let counts = before.as_ref().map(|group| group.counts.clone());
            let mut counts = counts.unwrap_or_else(|| vec![0; self.problem.kinds.len()]);
            counts[kind] += 1;
            let preferred = self.holding.preferred_room(&counts, HoldingEffort::Search, self.budget)?;
            let Some(room) = preferred.possible else { continue };
            let group = UnitGroup { counts, price_min: self.problem.price(room) };
            if is_new {
                self.groups.push(group);
            } else {
                self.groups[at] = group;
            }
            let ended = if self.rank_min() < self.solution.rank(self.problem) {
                self.divide(unit + 1, if is_next_equal { at } else { 0 })
            } else {
                Ok(())
            };
            match before {
                None => drop(self.groups.pop()),
                Some(before) => self.groups[at] = before,
            }
            ended?;
        }
        Ok(())
    }

    /// Returns a rank that no completion of the groups can beat.
    fn rank_min(&self) -> (usize, Price) {
        let price = self.groups.iter().map(|group| group.price_min).fold(Price::default(), Price::plus);
        (self.groups.len(), price)
    }

    /// Takes the groups as the solution if they are better.
    fn compare(&mut self) -> Result<(), StepsSpent> {
        let mut packages = Vec::with_capacity(self.groups.len());
        for group in &self.groups {
            let found = self.holding.preferred_room(&group.counts, HoldingEffort::Search, self.budget)?.found;
            let load = found.and_then(|room| self.holding.load(room, &group.counts));
            packages.extend(found.zip(load).map(|(room, load)| PackedRoom { room, load }));
        }
        let rank_min = self.rank_min();
        let packed = Solution { packages };
        let is_whole = packed.packages.len() == self.groups.len();
        let is_best = is_whole && packed.rank(self.problem) == rank_min;
        if is_whole && packed.rank(self.problem) < self.solution.rank(self.problem) {
            *self.solution = packed;
        }
        if !is_best {
            self.open = Some(self.open.map_or(rank_min, |open| open.min(rank_min)));
        }
        Ok(())
    }
}
