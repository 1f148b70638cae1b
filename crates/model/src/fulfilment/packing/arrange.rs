//! The exact search for the places of a few units in one room. It is complete: if it ends without an arrangement, there
//! is none.
//!
//! Two units in a room are apart along at least one axis: one of them is left of, in front of or below the other. The
//! search decides such relations for pairs of units, until the units that are pushed into the corner as far as the
//! relations allow no longer overlap. It needs no list of positions. Searches that place one unit after the other at
//! corner points find only a part of all arrangements (den Boef et al. 2005, "Erratum to The three-dimensional bin
//! packing problem: robot-packable and orthogonal variants of packing problems").

use super::fill::Spot;
use super::geometry::Size;
use super::units_and_rooms::{Room, UnitKind};
use crate::platform::step_budget::{StepBudget, StepsSpent};

/// Maximum number of sized units that the exact search arranges. Beyond it its relations are too many for any budget.
pub(super) const ARRANGED_UNITS_MAX: usize = 14;

/// A choice between two units: the first one is before the second one along the axis.
#[derive(Clone, Copy)]
struct Relation {
    axis: usize,
    first: usize,
    second: usize,
}

/// Relations between the units so far, and what follows from them.
#[derive(Clone, Copy)]
struct Arrangement {
    /// The number of units that are already in the room.
    count: usize,
    sizes: [Size; ARRANGED_UNITS_MAX],
    /// For each axis and unit, the units that come after it, as bits. Transitive.
    after: [[u16; ARRANGED_UNITS_MAX]; 3],
    /// For each axis and unit, its lowest coordinate.
    head: [[u32; ARRANGED_UNITS_MAX]; 3],
    /// For each axis and unit, the length from its lowest coordinate to the end of the units after it.
    tail: [[u32; ARRANGED_UNITS_MAX]; 3],
}

struct ArrangementSearch<'a> {
    kinds: &'a [UnitKind],
    room: &'a Room,
    /// The kind of each unit. Units of the same kind are adjacent.
    units: &'a [usize],
    budget: &'a mut StepBudget,
}

/// Returns the places of the units, or `None` if the room has no places for all of them. `units` has the kind of each
/// sized unit, at most [`ARRANGED_UNITS_MAX`] of them; those of the same kind are adjacent.
pub(super) fn arrange(
    kinds: &[UnitKind],
    room: &Room,
    units: &[usize],
    budget: &mut StepBudget,
) -> Result<Option<Vec<Spot>>, StepsSpent> {
    let empty = Arrangement {
        count: 0,
        sizes: [[0; 3]; ARRANGED_UNITS_MAX],
        after: [[0; ARRANGED_UNITS_MAX]; 3],
        head: [[0; ARRANGED_UNITS_MAX]; 3],
        tail: [[0; ARRANGED_UNITS_MAX]; 3],
    };
    let found = ArrangementSearch { kinds, room, units, budget }.extend(empty)?;
    let spot = |found: &Arrangement, unit: usize| Spot {
        kind: units[unit],
        position: std::array::from_fn(|axis| found.head[axis][unit]),
        size: found.sizes[unit],
    };
    Ok(found.map(|found| (0..units.len()).map(|unit| spot(&found, unit)).collect()))
}

impl ArrangementSearch<'_> {
    /// Decides relations until no two units overlap, then adds the next unit.
    fn extend(&mut self, mut state: Arrangement) -> Result<Option<Arrangement>, StepsSpent> {
        let pair = loop {
            self.budget.spend((state.count * state.count + 1) as u64)?;
            if !self.is_canonical(&state) {
                return Ok(None);
            }
            match self.next_decision(&state) {
                Decision::Impossible => return Ok(None),
                Decision::Forced(relation) => state.relate(relation),
                Decision::Open(pair) => break Some(pair),
                Decision::Apart => break None,
            }
        };
        let Some((first, second)) = pair else { return self.add_unit(&state) };
        for relation in self.relations(&state, first, second) {
            let mut next = state;
            next.relate(relation);
            if let Some(found) = self.extend(next)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn add_unit(&mut self, state: &Arrangement) -> Result<Option<Arrangement>, StepsSpent> {
        let unit = state.count;
        let Some(kind) = self.units.get(unit) else { return Ok(Some(*state)) };
        let (kinds, room) = (self.kinds, self.room);
        for size in kinds[*kind].orientations(room) {
            if (0..3).any(|axis| size[axis] > room.inner[axis]) {
                continue;
            }
            let mut next = *state;
            next.count += 1;
            next.sizes[unit] = *size;
            for (tail, side) in next.tail.iter_mut().zip(size) {
                tail[unit] = *side;
            }
            if let Some(found) = self.extend(next)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Returns whether the arrangement may have the first unit in the lower half of the room along each axis. Every
    /// arrangement has a mirror image for which it holds, so the others need no search.
    fn is_canonical(&self, state: &Arrangement) -> bool {
        // Units of the same kind are in order along the first axis, and a mirror image along it would reverse them.
        let is_single = self.units.get(1) != self.units.first();
        let axes = if is_single { 0..3 } else { 1..3 };
        state.count == 0
            || axes.into_iter().all(|axis| {
                2 * state.head[axis][0] <= self.room.inner[axis].saturating_sub(state.sizes[0][axis])
            })
    }

    /// Returns the pair of overlapping units with the fewest relations that are possible.
    fn next_decision(&self, state: &Arrangement) -> Decision {
        let mut open: Option<(usize, (usize, usize))> = None;
        for second in 1..state.count {
            for first in 0..second {
                if state.is_decided(first, second) {
                    continue;
                }
                let mut relations = self.relations(state, first, second);
                let Some(relation) = relations.next() else { return Decision::Impossible };
                let count = 1 + relations.count();
                if count == 1 {
                    return Decision::Forced(relation);
                }
                if state.overlap(first, second) && open.is_none_or(|(fewest, _)| count < fewest) {
                    open = Some((count, (first, second)));
                }
            }
        }
        open.map_or(Decision::Apart, |(_, pair)| Decision::Open(pair))
    }

    /// Returns the relations that two units may have.
    fn relations(
        &self,
        state: &Arrangement,
        one: usize,
        other: usize,
    ) -> impl Iterator<Item = Relation> + use<> {
        let inner = self.room.inner;
        // Of equal units the one with the lower number has the lower coordinate along the first axis.
        let is_ordered = self.units[one] == self.units[other];
        let is_possible: [bool; 6] = std::array::from_fn(|at| {
            let (axis, is_reverse) = (at % 3, at >= 3);
            let (first, second) = if is_reverse { (other, one) } else { (one, other) };
            let is_reordered = is_ordered && axis == 0 && is_reverse;
            let is_cycle = state.after[axis][second] & (1 << first) != 0;
            let length = state.head[axis][first] + state.sizes[first][axis] + state.tail[axis][second];
            !is_reordered && !is_cycle && length <= inner[axis]
        });
        (0..6).filter(move |at| is_possible[*at]).map(move |at| {
            let (first, second) = if at >= 3 { (other, one) } else { (one, other) };
            Relation { axis: at % 3, first, second }
        })
    }
}

/// What the search has to do next.
enum Decision {
    /// Two units can't be apart.
    Impossible,
    /// Only one relation is possible.
    Forced(Relation),
    /// These two units overlap, and several relations are possible.
    Open((usize, usize)),
    /// No units overlap.
    Apart,
}

impl Arrangement {
    fn is_decided(&self, one: usize, other: usize) -> bool {
        let is_before =
            |first: usize, second: usize| self.after.iter().any(|after| after[first] & (1 << second) != 0);
        is_before(one, other) || is_before(other, one)
    }

    fn overlap(&self, one: usize, other: usize) -> bool {
        (0..3).all(|axis| {
            self.head[axis][one] < self.head[axis][other] + self.sizes[other][axis]
                && self.head[axis][other] < self.head[axis][one] + self.sizes[one][axis]
        })
    }

    /// Adds a relation and what follows from it.
    fn relate(&mut self, Relation { axis, first, second }: Relation) {
        let after = &mut self.after[axis];
        let added = after[second] | (1 << second);
        for (unit, after) in after.iter_mut().enumerate().take(self.count) {
            if unit == first || *after & (1 << first) != 0 {
                *after |= added;
            }
        }
        let after = self.after[axis];
        let (head, tail) = (&mut self.head[axis], &mut self.tail[axis]);
        let side = |unit: usize| self.sizes[unit][axis];
        loop {
            let mut is_changed = false;
            for before in 0..self.count {
                for behind in (0..self.count).filter(|unit| after[before] & (1 << unit) != 0) {
                    let (least, length) = (head[before] + side(before), tail[behind] + side(before));
                    is_changed |= head[behind] < least || tail[before] < length;
                    head[behind] = head[behind].max(least);
                    tail[before] = tail[before].max(length);
                }
            }
            if !is_changed {
                break;
            }
        }
    }
}
