//! Turns items and package types with ids into a problem in whole numbers.

use std::collections::{BTreeMap, BTreeSet};

use super::explain::{misfit, unused};
use super::geometry::{SIDE_MM_MAX, Size, volume};
use super::proposal::{
    ItemToPack, PACKED_UNITS_MAX, PackageForm, PackingRefusal, UnpackableItem, UsablePackageType,
};
use super::units_and_rooms::{PackingProblem, Room, UnitCounts, UnitKind};

/// A problem and the ids that belong to its numbers.
pub(super) struct PackingInput<I, P> {
    pub problem: PackingProblem,
    /// The units of each kind that may share a package.
    pub counts: UnitCounts,
    /// The items of each kind of those units, with their quantities.
    pub items: Vec<Vec<(I, u32)>>,
    /// The units that ship alone, as kinds with their items.
    pub alone: Vec<(UnitKind, Vec<(I, u32)>)>,
    /// The package type of each room.
    pub package_types: Vec<UsablePackageType<P>>,
    pub unsized_items: Vec<I>,
    pub is_cost_compared: bool,
}

/// The items of each kind of units, in the order of preference for placing them.
type Kinds<I> = BTreeMap<(std::cmp::Reverse<u64>, std::cmp::Reverse<u64>, UnitKind), BTreeMap<I, u32>>;

impl<I: Ord + Copy, P: Ord + Copy> PackingInput<I, P> {
    pub fn read(
        items: &[ItemToPack<I>],
        package_types: &[UsablePackageType<P>],
    ) -> Result<Self, PackingRefusal<I, P>> {
        let items: Vec<&ItemToPack<I>> = items.iter().filter(|item| item.quantity > 0).collect();
        let units = items.iter().map(|item| u64::from(item.quantity)).sum();
        if units > PACKED_UNITS_MAX {
            return Err(PackingRefusal::TooManyUnits { units });
        }
        let massless: BTreeSet<I> =
            items.iter().filter(|item| item.mass_g.is_none()).map(|item| item.item).collect();
        if !massless.is_empty() {
            return Err(PackingRefusal::MassMissing { items: massless.into_iter().collect() });
        }
        let (mut shared, mut alone) = (Kinds::new(), Kinds::new());
        for item in &items {
            let kind = unit_kind(item);
            let kinds = if item.ships_alone { &mut alone } else { &mut shared };
            let key = (std::cmp::Reverse(kind.volume), std::cmp::Reverse(kind.mass_g), kind);
            *kinds.entry(key).or_default().entry(item.item).or_default() += item.quantity;
        }
        let list = |kinds: Kinds<I>| -> Vec<(UnitKind, Vec<(I, u32)>)> {
            kinds.into_iter().map(|((_, _, kind), items)| (kind, items.into_iter().collect())).collect()
        };
        let (shared, alone) = (list(shared), list(alone));
        let all: Vec<&UnitKind> = shared.iter().chain(&alone).map(|(kind, _)| kind).collect();
        let (package_types, rooms, is_cost_compared) = rooms(package_types, &all);
        refuse_unpackable(shared.iter().chain(&alone), &rooms, &package_types)?;
        let unsized_items: BTreeSet<I> =
            items.iter().filter(|item| item.size_mm.is_none()).map(|item| item.item).collect();
        let counts = shared.iter().map(|(_, items)| items.iter().map(|(_, count)| count).sum()).collect();
        let (kinds, items) = shared.into_iter().unzip();
        Ok(Self {
            problem: PackingProblem::new(kinds, rooms),
            counts,
            items,
            alone,
            package_types,
            unsized_items: unsized_items.into_iter().collect(),
            is_cost_compared,
        })
    }
}

fn unit_kind<I>(item: &ItemToPack<I>) -> UnitKind {
    let mass_g = item.mass_g.unwrap_or(0);
    match item.size_mm {
        Some(size) => {
            UnitKind::sized(size.map(|side| side.clamp(1, SIDE_MM_MAX + 1)), mass_g, item.keep_upright)
        }
        None => UnitKind::unsized_unit(mass_g),
    }
}

/// Returns the package types in the order of preference, their rooms, and whether costs are compared.
fn rooms<P: Ord + Copy>(
    package_types: &[UsablePackageType<P>],
    kinds: &[&UnitKind],
) -> (Vec<UsablePackageType<P>>, Vec<Room>, bool) {
    let mut package_types = package_types.to_vec();
    package_types.sort_unstable();
    let mut both: Vec<(UsablePackageType<P>, Room)> = package_types
        .into_iter()
        .map(|package_type| {
            let room = room(&package_type);
            (package_type, room)
        })
        .collect();
    let is_usable = |room: &Room| kinds.iter().any(|kind| kind.fits_alone(room));
    let mut usable = both.iter().filter(|(_, room)| is_usable(room)).peekable();
    let is_cost_compared =
        usable.peek().is_some() && usable.all(|(package_type, _)| package_type.cost.is_some());
    if is_cost_compared {
        for (package_type, room) in &mut both {
            room.cost = package_type.cost.unwrap_or(0);
        }
    }
    // The sort is stable, so equal types keep the order of their ids.
    both.sort_by_key(|(_, room)| (room.cost, room.volume));
    let (package_types, rooms) = both.into_iter().unzip();
    (package_types, rooms, is_cost_compared)
}

fn room<P>(package_type: &UsablePackageType<P>) -> Room {
    let inner: Size = package_type.inner_mm.map(|side| side.min(SIDE_MM_MAX));
    Room {
        inner,
        volume: volume(inner),
        capacity_g: package_type.mass_max_g.unwrap_or(u64::MAX).checked_sub(package_type.tare_g),
        is_envelope: package_type.form == PackageForm::Envelope,
        cost: 0,
    }
}

fn refuse_unpackable<'a, I: Ord + Copy + 'a, P: Ord + Copy>(
    kinds: impl Iterator<Item = &'a (UnitKind, Vec<(I, u32)>)>,
    rooms: &[Room],
    package_types: &[UsablePackageType<P>],
) -> Result<(), PackingRefusal<I, P>> {
    let mut unpackable = BTreeMap::new();
    for (kind, items) in kinds.filter(|(kind, _)| !rooms.iter().any(|room| kind.fits_alone(room))) {
        for (item, _) in items {
            let mut reasons: Vec<_> = package_types
                .iter()
                .zip(rooms)
                .filter_map(|(package_type, room)| {
                    Some(unused(package_type.package_type, misfit(kind, room)?, Some(*item)))
                })
                .collect();
            reasons.sort_by_key(|reason| reason.package_type);
            unpackable.insert(*item, UnpackableItem { item: *item, reasons });
        }
    }
    if unpackable.is_empty() {
        return Ok(());
    }
    Err(PackingRefusal::PackageTypeMissing { items: unpackable.into_values().collect() })
}
