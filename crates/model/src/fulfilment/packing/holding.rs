//! Answers whether a room holds some units together, and remembers the answers.

use std::collections::BTreeMap;

use super::arrange::{ARRANGED_UNITS_MAX, arrange};
use super::bounds::{SCALED_STEPS, cannot_hold};
use super::fill::{RULES, RoomLoad, fill};
use super::units_and_rooms::{PackingProblem, UnitCounts};
use crate::platform::step_budget::{StepBudget, StepsSpent};

/// The number of rules by which a room is filled before the exact search begins.
const RULES_TRIED: usize = 8;
/// Maximum number of steps of one exact search, so that a single hard question leaves steps for the others.
const ARRANGE_STEPS_MAX: u64 = 400_000;

/// How hard a question may be worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HoldingEffort {
    /// Prove by bounds, or fill by rules.
    Fill,
    /// Also search all arrangements.
    Search,
}

/// The answer to whether a room holds some units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HoldingVerdict {
    Holds,
    Cannot,
    Unknown,
}

struct KnownVerdict {
    verdict: HoldingVerdict,
    effort: HoldingEffort,
    /// The places of the units, if the room holds them.
    load: RoomLoad,
}

/// The preferred room for some units.
#[derive(Clone, Copy, Debug)]
pub(super) struct PreferredRoom {
    /// The first room that is not proven to be unable to hold them.
    pub possible: Option<usize>,
    /// The first room that is known to hold them.
    pub found: Option<usize>,
}

pub(super) struct Holding<'a> {
    problem: &'a PackingProblem,
    known: BTreeMap<(usize, UnitCounts), KnownVerdict>,
}

impl<'a> Holding<'a> {
    pub fn new(problem: &'a PackingProblem) -> Self {
        Self { problem, known: BTreeMap::new() }
    }

    pub fn verdict(
        &mut self,
        room: usize,
        counts: &[u32],
        effort: HoldingEffort,
        budget: &mut StepBudget,
    ) -> Result<HoldingVerdict, StepsSpent> {
        budget.spend(counts.len() as u64)?;
        let key = (room, counts.to_vec());
        let known = self.known.get(&key);
        let is_settled =
            |known: &&KnownVerdict| known.verdict != HoldingVerdict::Unknown || known.effort >= effort;
        if let Some(known) = known.filter(is_settled) {
            return Ok(known.verdict);
        }
        let (verdict, load) = if known.is_some() {
            self.search(room, counts, budget)?
        } else {
            match self.prove_or_fill(room, counts, budget)? {
                (HoldingVerdict::Unknown, _) if effort == HoldingEffort::Search => {
                    self.search(room, counts, budget)?
                }
                answer => answer,
            }
        };
        self.known.insert(key, KnownVerdict { verdict, effort, load });
        Ok(verdict)
    }

    /// Returns the load for units that the room is known to hold.
    pub fn load(&self, room: usize, counts: &[u32]) -> Option<RoomLoad> {
        let known = self.known.get(&(room, counts.to_vec()))?;
        (known.verdict == HoldingVerdict::Holds).then(|| known.load.clone())
    }

    pub fn preferred_room(
        &mut self,
        counts: &[u32],
        effort: HoldingEffort,
        budget: &mut StepBudget,
    ) -> Result<PreferredRoom, StepsSpent> {
        let mut preferred = PreferredRoom { possible: None, found: None };
        for room in 0..self.problem.rooms.len() {
            match self.verdict(room, counts, effort, budget)? {
                HoldingVerdict::Cannot => {}
                HoldingVerdict::Unknown => preferred.possible = preferred.possible.or(Some(room)),
                HoldingVerdict::Holds => {
                    preferred.possible = preferred.possible.or(Some(room));
                    preferred.found = Some(room);
                    break;
                }
            }
        }
        Ok(preferred)
    }

    fn prove_or_fill(
        &self,
        room: usize,
        counts: &[u32],
        budget: &mut StepBudget,
    ) -> Result<(HoldingVerdict, RoomLoad), StepsSpent> {
        let (problem, room) = (self.problem, &self.problem.rooms[room]);
        let kinds = counts.iter().filter(|count| **count > 0).count();
        budget.spend(SCALED_STEPS * kinds as u64)?;
        if cannot_hold(problem, room, counts) {
            return Ok((HoldingVerdict::Cannot, RoomLoad::default()));
        }
        for rule in &RULES[..RULES_TRIED] {
            let load = fill(problem, room, counts, *rule, budget)?;
            if load.counts == counts {
                return Ok((HoldingVerdict::Holds, load));
            }
        }
        Ok((HoldingVerdict::Unknown, RoomLoad::default()))
    }

    /// Searches all arrangements of the sized units. The room holds the mass of all units, or bounds would have
    /// excluded it.
    fn search(
        &self,
        room: usize,
        counts: &[u32],
        budget: &mut StepBudget,
    ) -> Result<(HoldingVerdict, RoomLoad), StepsSpent> {
        let (kinds, room) = (&self.problem.kinds, &self.problem.rooms[room]);
        let sized = (0..kinds.len()).filter(|kind| kinds[*kind].is_sized);
        let units: Vec<usize> = sized
            .flat_map(|kind| std::iter::repeat_n(kind, counts[kind] as usize))
            .take(ARRANGED_UNITS_MAX + 1)
            .collect();
        if units.len() > ARRANGED_UNITS_MAX {
            return Ok((HoldingVerdict::Unknown, RoomLoad::default()));
        }
        let mut part = StepBudget::new(ARRANGE_STEPS_MAX.min(budget.left()));
        let found = arrange(kinds, room, &units, &mut part);
        budget.spend(part.used)?;
        Ok(match found {
            Ok(Some(spots)) => (HoldingVerdict::Holds, RoomLoad { counts: counts.to_vec(), spots }),
            Ok(None) => (HoldingVerdict::Cannot, RoomLoad::default()),
            Err(StepsSpent) => (HoldingVerdict::Unknown, RoomLoad::default()),
        })
    }
}
