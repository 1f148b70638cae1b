//! The packing problem in whole numbers: kinds of units and rooms that hold them. It contains no ids, so that the
//! searches compare small integers only.

use super::geometry::{Size, fits, rotations, volume};

/// Units that are the same to the search: equal size, mass and rules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UnitKind {
    /// The sizes that a unit may have in a box. Empty if the size is not known.
    pub in_box: Vec<Size>,
    /// The sizes that a unit may have in an envelope.
    pub in_envelope: Vec<Size>,
    /// Cubic millimetres. Zero if the size is not known.
    pub volume: u64,
    pub mass_g: u64,
    pub is_sized: bool,
}

impl UnitKind {
    /// Returns the kind of units with this size. In an envelope a unit lies on its largest face, and a unit that must
    /// be kept upright has no place there, because an envelope travels in any position.
    pub fn sized(size: Size, mass_g: u64, is_upright: bool) -> Self {
        Self::oriented(rotations(size, is_upright), mass_g, is_upright)
    }

    /// Returns the kind of units with these orientations.
    pub fn oriented(in_box: Vec<Size>, mass_g: u64, is_upright: bool) -> Self {
        let lies_flat = |size: &&Size| !is_upright && size[2] == size[0].min(size[1]).min(size[2]);
        let in_envelope = in_box.iter().filter(lies_flat).copied().collect();
        let volume = in_box.first().map_or(0, |size| volume(*size));
        Self { in_box, in_envelope, volume, mass_g, is_sized: true }
    }

    /// Returns the kind of units without a size. They count by their mass alone.
    pub fn unsized_unit(mass_g: u64) -> Self {
        Self { in_box: Vec::new(), in_envelope: Vec::new(), volume: 0, mass_g, is_sized: false }
    }

    /// Returns the sizes that a unit may have in the room.
    pub fn orientations(&self, room: &Room) -> &[Size] {
        if room.is_envelope { &self.in_envelope } else { &self.in_box }
    }

    /// Returns whether a unit has a place in the empty room, whatever its mass.
    pub fn has_place(&self, room: &Room) -> bool {
        !self.is_sized || self.orientations(room).iter().any(|size| fits(*size, room.inner))
    }

    /// Returns whether the room can hold a unit alone.
    pub fn fits_alone(&self, room: &Room) -> bool {
        self.has_place(room) && room.capacity_g.is_some_and(|capacity| self.mass_g <= capacity)
    }
}

/// The inside of a package type.
#[derive(Clone, Debug)]
pub(super) struct Room {
    pub inner: Size,
    pub volume: u64,
    /// The mass that it holds besides its own. `None` if its own mass is above the limit already.
    pub capacity_g: Option<u64>,
    pub is_envelope: bool,
    /// Zero in all rooms if costs are not compared.
    pub cost: u64,
}

impl Room {
    /// Returns whether everything that the other room holds has a place here too.
    fn holds_all_of(&self, other: &Self) -> bool {
        let [length, width, height] = other.inner;
        let is_as_large = fits(other.inner, self.inner) || fits([width, length, height], self.inner);
        is_as_large && self.capacity_g >= other.capacity_g && (other.is_envelope || !self.is_envelope)
    }
}

/// The price of packages, in the order in which it is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Price {
    pub cost: u64,
    pub volume: u64,
}

impl Price {
    pub fn plus(self, other: Self) -> Self {
        Self { cost: self.cost.saturating_add(other.cost), volume: self.volume.saturating_add(other.volume) }
    }
}

/// How many units of each kind. Its length is the number of kinds.
pub(super) type UnitCounts = Vec<u32>;

pub(super) fn total(counts: &[u32]) -> u64 {
    counts.iter().map(|count| u64::from(*count)).sum()
}

/// Kinds and rooms. Rooms are in the order of preference: the lowest cost, then the smallest volume.
pub(super) struct PackingProblem {
    pub kinds: Vec<UnitKind>,
    pub rooms: Vec<Room>,
    /// Rooms of which none holds all that another one holds. Filling these is enough: each package then moves to the
    /// room that is preferred among those that hold it.
    pub widest: Vec<usize>,
}

impl PackingProblem {
    pub fn new(kinds: Vec<UnitKind>, rooms: Vec<Room>) -> Self {
        let is_spared = |at: usize| {
            let covers = |other: usize| {
                let mutual = rooms[at].holds_all_of(&rooms[other]);
                other != at && rooms[other].holds_all_of(&rooms[at]) && (!mutual || other < at)
            };
            (0..rooms.len()).any(covers)
        };
        let widest = (0..rooms.len()).filter(|at| !is_spared(*at)).collect();
        Self { kinds, rooms, widest }
    }

    pub fn price(&self, room: usize) -> Price {
        Price { cost: self.rooms[room].cost, volume: self.rooms[room].volume }
    }

    pub fn mass_g(&self, counts: &[u32]) -> u64 {
        let masses =
            counts.iter().zip(&self.kinds).map(|(count, kind)| kind.mass_g.saturating_mul(u64::from(*count)));
        masses.fold(0, u64::saturating_add)
    }

    pub fn volume(&self, counts: &[u32]) -> u128 {
        let each = |(count, kind): (&u32, &UnitKind)| u128::from(*count) * u128::from(kind.volume);
        counts.iter().zip(&self.kinds).map(each).sum()
    }
}
