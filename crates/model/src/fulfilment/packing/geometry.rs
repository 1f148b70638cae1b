//! Sizes, rotations and cuboids in whole millimetres. The third axis is the vertical one.

/// Lengths along the three axes.
pub(super) type Size = [u32; 3];

/// Maximum side that is compared: one kilometre. With it a volume fits into 64 bits. A longer item fits into no box,
/// and a longer box counts as one of this side.
pub(super) const SIDE_MM_MAX: u32 = 1_000_000;

pub(super) fn volume(size: Size) -> u64 {
    size.iter().map(|side| u64::from(*side)).product()
}

/// Returns whether no side is longer than that of the space along the same axis.
pub(super) fn fits(size: Size, space: Size) -> bool {
    (0..3).all(|axis| size[axis] <= space[axis])
}

/// Returns the different sizes that an item has in its orientations. An upright one turns around the vertical axis
/// alone.
pub(super) fn rotations(size: Size, is_upright: bool) -> Vec<Size> {
    const TURNS: [[usize; 3]; 6] = [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 0, 1], [1, 2, 0], [2, 1, 0]];
    let turns = if is_upright { &TURNS[..2] } else { &TURNS[..] };
    let mut sizes: Vec<Size> = turns.iter().map(|turn| turn.map(|axis| size[axis])).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// A cuboid whose faces are parallel to the axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cuboid {
    pub min: Size,
    pub max: Size,
}

impl Cuboid {
    pub fn new(position: Size, size: Size) -> Self {
        Self { min: position, max: std::array::from_fn(|axis| position[axis] + size[axis]) }
    }

    pub fn size(&self) -> Size {
        std::array::from_fn(|axis| self.max[axis] - self.min[axis])
    }

    /// Returns whether the two share a volume. Cuboids that only touch do not overlap.
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.overlaps_along(other, axis))
    }

    pub fn overlaps_along(&self, other: &Self, axis: usize) -> bool {
        self.min[axis] < other.max[axis] && other.min[axis] < self.max[axis]
    }

    pub fn contains(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.min[axis] <= other.min[axis] && other.max[axis] <= self.max[axis])
    }
}
