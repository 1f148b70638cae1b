//! Fills one room with as much as it finds a place for: it takes the free cuboid nearest to a corner, puts the block of
//! equal units there that its rule prefers, and goes on until nothing fits.

use super::geometry::{Cuboid, Size, fits, volume};
use super::spaces::FreeSpaces;
use super::units_and_rooms::{PackingProblem, Room, UnitCounts, UnitKind, total};
use crate::platform::step_budget::{StepBudget, StepsSpent};

/// What a rule prefers among the blocks that fit into a free cuboid.
#[derive(Clone, Copy, Debug)]
pub(super) enum Preference {
    /// The largest block.
    BlockVolume,
    /// The block that leaves the least room along its best axis.
    Snug,
    /// The largest unit.
    UnitVolume,
    /// The heaviest unit.
    UnitMass,
}

/// One way to fill a room.
#[derive(Clone, Copy, Debug)]
pub(super) struct FillRule {
    /// The free cuboid with the lowest coordinate along the first of these axes comes first. Blocks grow along the
    /// last one first.
    pub axes: [usize; 3],
    pub preference: Preference,
}

const fn rule(axes: [usize; 3], preference: Preference) -> FillRule {
    FillRule { axes, preference }
}

/// All rules. The first ones differ most, because a search with few steps left tries only those.
pub(super) const RULES: [FillRule; 18] = [
    rule([2, 1, 0], Preference::UnitVolume),
    rule([0, 1, 2], Preference::BlockVolume),
    rule([1, 0, 2], Preference::Snug),
    rule([0, 2, 1], Preference::UnitVolume),
    rule([2, 0, 1], Preference::UnitMass),
    rule([0, 2, 1], Preference::Snug),
    rule([1, 2, 0], Preference::UnitVolume),
    rule([2, 0, 1], Preference::Snug),
    rule([0, 2, 1], Preference::BlockVolume),
    rule([0, 1, 2], Preference::UnitVolume),
    rule([0, 1, 2], Preference::Snug),
    rule([1, 2, 0], Preference::BlockVolume),
    rule([1, 0, 2], Preference::BlockVolume),
    rule([2, 1, 0], Preference::BlockVolume),
    rule([2, 0, 1], Preference::BlockVolume),
    rule([1, 2, 0], Preference::Snug),
    rule([2, 1, 0], Preference::Snug),
    rule([2, 0, 1], Preference::UnitVolume),
];

/// A unit in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub kind: usize,
    pub position: Size,
    pub size: Size,
}

/// The contents of a room. Units without a size are counted, and have no spot.
#[derive(Clone, Debug, Default)]
pub(super) struct RoomLoad {
    pub counts: UnitCounts,
    pub spots: Vec<Spot>,
}

/// A block of equal units: `along` units in a row along each axis.
struct Block {
    kind: usize,
    unit: Size,
    along: [u32; 3],
    score: [u64; 4],
}

struct Filling<'a> {
    kinds: &'a [UnitKind],
    room: &'a Room,
    rule: FillRule,
    left: UnitCounts,
    mass_left_g: u64,
    load: RoomLoad,
}

/// Fills the room with the wanted units, as far as the rule finds a place for them.
pub(super) fn fill(
    problem: &PackingProblem,
    room: &Room,
    wanted: &[u32],
    rule: FillRule,
    budget: &mut StepBudget,
) -> Result<RoomLoad, StepsSpent> {
    let load = RoomLoad { counts: vec![0; wanted.len()], spots: Vec::new() };
    let Some(mass_left_g) = room.capacity_g else { return Ok(load) };
    let mut filling = Filling { kinds: &problem.kinds, room, rule, left: wanted.to_vec(), mass_left_g, load };
    let mut spaces = FreeSpaces::new(room.inner);
    let mut side_min = filling.side_min();
    while let Some(space) = spaces.nearest(rule.axes).filter(|_| side_min > 0) {
        let Some(block) = filling.preferred_block(space.size(), budget)? else {
            spaces.discard(&space);
            continue;
        };
        let size = std::array::from_fn(|axis| block.along[axis] * block.unit[axis]);
        filling.place(&block, space.min);
        if filling.left[block.kind] == 0 {
            side_min = filling.side_min();
        }
        spaces.cut(&Cuboid::new(space.min, size), side_min, budget)?;
    }
    filling.add_unsized();
    Ok(filling.load)
}

/// Fills the room by each rule and returns the fullest load, by volume, then by mass.
pub(super) fn fill_fullest(
    problem: &PackingProblem,
    room: &Room,
    wanted: &[u32],
    rules: &[FillRule],
    budget: &mut StepBudget,
) -> Result<RoomLoad, StepsSpent> {
    let mut fullest = RoomLoad { counts: vec![0; wanted.len()], spots: Vec::new() };
    let fullness = |load: &RoomLoad| (problem.volume(&load.counts), problem.mass_g(&load.counts));
    for rule in rules {
        let load = fill(problem, room, wanted, *rule, budget)?;
        if fullness(&load) > fullness(&fullest) || total(&fullest.counts) == 0 {
            fullest = load;
        }
        if fullest.counts == wanted {
            break;
        }
    }
    Ok(fullest)
}

impl Filling<'_> {
    /// Returns the shortest side among the sized units that are left, or zero if none is left.
    fn side_min(&self) -> u32 {
        let left = self.kinds.iter().zip(&self.left).filter(|(kind, count)| kind.is_sized && **count > 0);
        left.flat_map(|(kind, _)| kind.orientations(self.room)).flatten().copied().min().unwrap_or(0)
    }

    fn preferred_block(&self, space: Size, budget: &mut StepBudget) -> Result<Option<Block>, StepsSpent> {
        let mut preferred: Option<Block> = None;
        for (kind, unit_kind) in self.kinds.iter().enumerate() {
            if self.left[kind] == 0 || !unit_kind.is_sized || unit_kind.mass_g > self.mass_left_g {
                continue;
            }
            let orientations = unit_kind.orientations(self.room);
            budget.spend(orientations.len() as u64)?;
            for unit in orientations.iter().filter(|unit| fits(**unit, space)) {
                let block = self.block(kind, *unit, space);
                if preferred.as_ref().is_none_or(|best| block.score > best.score) {
                    preferred = Some(block);
                }
            }
        }
        Ok(preferred)
    }

    /// Returns the largest block of the units that are left, which grows along the last axis of the rule first.
    fn block(&self, kind: usize, unit: Size, space: Size) -> Block {
        let unit_kind = &self.kinds[kind];
        let by_mass = self.mass_left_g.checked_div(unit_kind.mass_g).unwrap_or(u64::MAX);
        let mut count = self.left[kind].min(u32::try_from(by_mass).unwrap_or(u32::MAX));
        let mut along = [1; 3];
        for axis in self.rule.axes.into_iter().rev() {
            along[axis] = (space[axis] / unit[axis]).min(count).max(1);
            count /= along[axis];
        }
        let size: Size = std::array::from_fn(|axis| along[axis] * unit[axis]);
        let mut slack: [u64; 3] = std::array::from_fn(|axis| u64::from(space[axis] - size[axis]));
        slack.sort_unstable();
        let [snug, snug_second, snug_third] = slack.map(|slack| u64::MAX - slack);
        let score = match self.rule.preference {
            Preference::BlockVolume => [volume(size), snug, snug_second, snug_third],
            Preference::Snug => [snug, snug_second, snug_third, volume(size)],
            Preference::UnitVolume => [unit_kind.volume, snug, snug_second, volume(size)],
            Preference::UnitMass => [unit_kind.mass_g, snug, snug_second, volume(size)],
        };
        Block { kind, unit, along, score }
    }

    fn place(&mut self, block: &Block, corner: Size) {
        let [x_count, y_count, z_count] = block.along;
        for x in 0..x_count {
            for y in 0..y_count {
                for z in 0..z_count {
                    let step = [x, y, z];
                    let position = std::array::from_fn(|axis| corner[axis] + step[axis] * block.unit[axis]);
                    self.load.spots.push(Spot { kind: block.kind, position, size: block.unit });
                }
            }
        }
        self.take(block.kind, x_count * y_count * z_count);
    }

    /// Adds the units without a size, the heaviest first, as far as the mass allows.
    fn add_unsized(&mut self) {
        let mut kinds: Vec<usize> =
            (0..self.kinds.len()).filter(|kind| !self.kinds[*kind].is_sized).collect();
        kinds.sort_by_key(|kind| u64::MAX - self.kinds[*kind].mass_g);
        for kind in kinds {
            let by_mass = self.mass_left_g.checked_div(self.kinds[kind].mass_g).unwrap_or(u64::MAX);
            self.take(kind, self.left[kind].min(u32::try_from(by_mass).unwrap_or(u32::MAX)));
        }
    }

    fn take(&mut self, kind: usize, count: u32) {
        self.left[kind] -= count;
        self.load.counts[kind] += count;
        self.mass_left_g -= self.kinds[kind].mass_g * u64::from(count);
    }
}
