//! The free space of a box while it is filled, as a list of maximal cuboids. Such a cuboid touches a wall or a placed
//! unit on each side, and overlaps others (Parreño et al. 2008, "A Maximal-Space Algorithm for the Container Loading
//! Problem").

use super::geometry::{Cuboid, Size, volume};
use crate::platform::step_budget::{StepBudget, StepsSpent};

/// Maximum number of free cuboids that are kept. Beyond it the smallest are forgotten: a unit may then find no place
/// although there is one, which costs space and never correctness.
const SPACES_MAX: usize = 200;

pub(super) struct FreeSpaces {
    spaces: Vec<Cuboid>,
}

impl FreeSpaces {
    pub fn new(inner: Size) -> Self {
        Self { spaces: vec![Cuboid::new([0; 3], inner)] }
    }

    /// Returns the free cuboid nearest to the origin, by the first of the axes, then by the others.
    pub fn nearest(&self, axes: [usize; 3]) -> Option<Cuboid> {
        let distance = |space: &Cuboid| (axes.map(|axis| space.min[axis]), u64::MAX - volume(space.size()));
        self.spaces.iter().copied().min_by_key(distance)
    }

    /// Removes a cuboid into which nothing fits.
    pub fn discard(&mut self, space: &Cuboid) {
        self.spaces.retain(|known| known != space);
    }

    /// Takes the volume of a placed block out of the free space. Cuboids with a side below `side_min` are dropped,
    /// because no unit that is left fits into them.
    pub fn cut(&mut self, block: &Cuboid, side_min: u32, budget: &mut StepBudget) -> Result<(), StepsSpent> {
        budget.spend(self.spaces.len() as u64)?;
        let mut parts = Vec::new();
        self.spaces.retain(|space| {
            let is_cut = space.overlaps(block);
            if is_cut {
                parts.extend(around(space, block, side_min));
            }
            !is_cut
        });
        budget.spend((parts.len() * (self.spaces.len() + parts.len())) as u64)?;
        let untouched = self.spaces.len();
        for (at, part) in parts.iter().enumerate() {
            // Of two equal parts the first one stays.
            let is_in_part = |(other, cuboid): (usize, &Cuboid)| {
                other != at && cuboid.contains(part) && (cuboid != part || other < at)
            };
            let is_in_space = self.spaces[..untouched].iter().any(|space| space.contains(part));
            if !is_in_space && !parts.iter().enumerate().any(is_in_part) {
                self.spaces.push(*part);
            }
        }
        self.forget_smallest();
        Ok(())
    }

    fn forget_smallest(&mut self) {
        if self.spaces.len() > SPACES_MAX {
            self.spaces.sort_by_key(|space| (u64::MAX - volume(space.size()), space.min, space.max));
            self.spaces.truncate(SPACES_MAX);
        }
    }
}

/// Returns the maximal cuboids of a space on the six sides of a block that overlaps it.
fn around(space: &Cuboid, block: &Cuboid, side_min: u32) -> Vec<Cuboid> {
    let mut parts = Vec::new();
    for axis in 0..3 {
        if block.min[axis].saturating_sub(space.min[axis]) >= side_min.max(1) {
            let mut part = *space;
            part.max[axis] = block.min[axis];
            parts.push(part);
        }
        if space.max[axis].saturating_sub(block.max[axis]) >= side_min.max(1) {
            let mut part = *space;
            part.min[axis] = block.max[axis];
            parts.push(part);
        }
    }
    parts
}
