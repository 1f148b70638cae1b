//! Turns a solution in whole numbers into packages with ids and reasons.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::bounds::LeastPackages;
use super::build::PackedRoom;
use super::explain::{comparison, misfit, unused};
use super::fill::Spot;
use super::geometry::fits;
use super::holding::{Holding, HoldingEffort, HoldingVerdict};
use super::packing_input::PackingInput;
use super::proposal::{
    PackedPackage, PackedUnit, Packing, PackingSearch, Placement, UnusedPackageType, UnusedReason,
};
use super::search::FoundPacking;
use super::settle::settle;
use super::units_and_rooms::{Price, UnitKind, total};
use super::words::{self, PackageFacts};

/// The inputs of the answer.
pub(super) struct PackingAnswer<'a, I, P> {
    pub input: &'a PackingInput<I, P>,
    pub holding: Holding<'a>,
    pub found: FoundPacking,
}

/// A unit that ships alone, in the room that is preferred for it.
struct AlonePackage<'a, I> {
    kind: &'a UnitKind,
    item: I,
    room: usize,
}

impl<'a, I: Ord + Copy, P: Ord + Copy> PackingAnswer<'a, I, P> {
    pub fn packing(mut self) -> Packing<I, P> {
        let input = self.input;
        let mut shared = std::mem::take(&mut self.found.solution.packages);
        shared.sort_by_cached_key(|package| {
            let counts = &package.load.counts;
            let (volume, mass_g) = (input.problem.volume(counts), input.problem.mass_g(counts));
            (Reverse((volume, mass_g)), package.room, Reverse(counts.clone()))
        });
        let alone = self.alone();
        let mut queues: Vec<VecDeque<I>> = input.items.iter().map(|items| units_of(items)).collect();
        let mut packages = Vec::with_capacity(shared.len() + alone.len());
        for package in &shared {
            packages.push(self.shared_package(package, &mut queues));
        }
        packages.extend(alone.iter().map(|package| self.alone_package(package)));
        let rooms: Vec<usize> =
            shared.iter().map(|package| package.room).chain(alone.iter().map(|alone| alone.room)).collect();
        let price = rooms.iter().fold(Price::default(), |sum, room| sum.plus(input.problem.price(*room)));
        Packing {
            packages,
            unused: self.unused(&shared, &alone, &rooms),
            unsized_items: input.unsized_items.clone(),
            cost: input.is_cost_compared.then_some(price.cost),
            volume_mm3: price.volume,
            search: self.search(shared.len() as u64),
            limits: self.found.limits,
        }
    }

    fn search(&self, packages: u64) -> PackingSearch {
        let (input, found) = (self.input, &self.found);
        let least = LeastPackages::of(&input.problem, &input.counts).count();
        let note = words::note(total(&input.counts), found.is_best, least, packages, found.steps);
        PackingSearch { complete: found.is_best, steps: found.steps, note }
    }

    /// Returns the units that ship alone, each in the most preferred room that holds it.
    fn alone(&self) -> Vec<AlonePackage<'a, I>> {
        let rooms = &self.input.problem.rooms;
        let packages = self.input.alone.iter().flat_map(|(kind, items)| {
            let room = rooms.iter().position(|room| kind.fits_alone(room));
            let units = units_of(items).into_iter();
            units.filter_map(move |item| Some(AlonePackage { kind, item, room: room? }))
        });
        packages.collect()
    }

    fn shared_package(&mut self, package: &PackedRoom, queues: &mut [VecDeque<I>]) -> PackedPackage<I, P> {
        let problem = &self.input.problem;
        let (room, counts) = (package.room, &package.load.counts);
        let mut spots = package.load.spots.clone();
        settle(&mut spots);
        let mut units = Vec::new();
        for Spot { kind, position, size } in spots {
            let placement = Some(Placement { position_mm: position, size_mm: size });
            units.extend(queues[kind].pop_front().map(|item| PackedUnit { item, placement }));
        }
        let is_unsized = |kind: &usize| !problem.kinds[*kind].is_sized;
        for kind in (0..counts.len()).filter(is_unsized) {
            let items = queues[kind].drain(..counts[kind] as usize);
            units.extend(items.map(|item| PackedUnit { item, placement: None }));
        }
        let is_excluded = |answer: &mut Self, room: usize| {
            let verdict =
                answer.holding.verdict(room, counts, HoldingEffort::Fill, &mut answer.found.explaining);
            verdict.is_ok_and(|verdict| verdict == HoldingVerdict::Cannot)
        };
        let is_proven = (0..room).all(|preferred| is_excluded(self, preferred));
        let (volume, mass_g) = (problem.volume(counts), problem.mass_g(counts));
        self.package(room, units, (volume, mass_g), (false, is_proven))
    }

    fn alone_package(&self, package: &AlonePackage<'a, I>) -> PackedPackage<I, P> {
        let room = &self.input.problem.rooms[package.room];
        let size = package.kind.orientations(room).iter().find(|size| fits(**size, room.inner));
        let placement = size.map(|size| Placement { position_mm: [0; 3], size_mm: *size });
        let units = vec![PackedUnit { item: package.item, placement }];
        let measures = (u128::from(package.kind.volume), package.kind.mass_g);
        self.package(package.room, units, measures, (true, true))
    }

    fn package(
        &self,
        room: usize,
        units: Vec<PackedUnit<I>>,
        (volume, mass_g): (u128, u64),
        (ships_alone, is_proven): (bool, bool),
    ) -> PackedPackage<I, P> {
        let package_type = &self.input.package_types[room];
        let inner = u128::from(self.input.problem.rooms[room].volume);
        let facts = PackageFacts {
            ships_alone,
            unsized_count: units.iter().filter(|unit| unit.placement.is_none()).count(),
            is_cost_compared: self.input.is_cost_compared,
            is_proven,
            has_preferred: room > 0,
        };
        PackedPackage {
            package_type: package_type.package_type,
            units,
            mass_g: mass_g.saturating_add(package_type.tare_g),
            fill_permille: u32::try_from((volume * 1000).checked_div(inner).unwrap_or(0)).unwrap_or(1000),
            reasons: words::reasons(&facts),
        }
    }

    fn unused(
        &mut self,
        shared: &[PackedRoom],
        alone: &[AlonePackage<'a, I>],
        used: &[usize],
    ) -> Vec<UnusedPackageType<I, P>> {
        let rooms = (0..self.input.problem.rooms.len()).filter(|room| !used.contains(room));
        let mut unused: Vec<_> = rooms.map(|room| self.reason(room, shared, alone)).collect();
        unused.sort_by_key(|unused| unused.package_type);
        unused
    }

    /// Returns why a room is not used: what it can't hold, or with which package it compares.
    fn reason(
        &mut self,
        room: usize,
        shared: &[PackedRoom],
        alone: &[AlonePackage<'a, I>],
    ) -> UnusedPackageType<I, P> {
        let input = self.input;
        let problem = &input.problem;
        let package_type = input.package_types[room].package_type;
        let holder = shared.iter().find(|package| {
            let verdict = self.holding.verdict(
                room,
                &package.load.counts,
                HoldingEffort::Fill,
                &mut self.found.explaining,
            );
            verdict.is_ok_and(|verdict| verdict == HoldingVerdict::Holds)
        });
        let alone = alone.iter().find(|package| package.kind.fits_alone(&problem.rooms[room]));
        let chosen = holder.map(|package| package.room).or_else(|| alone.map(|package| package.room));
        if let Some(chosen) = chosen {
            return unused(package_type, comparison(problem.price(room), problem.price(chosen)), None);
        }
        let shared_kinds = problem.kinds.iter().zip(&input.items);
        let kinds = shared_kinds.chain(input.alone.iter().map(|(kind, items)| (kind, items)));
        let misfits =
            kinds.filter_map(|(kind, items)| Some((items.first()?.0, misfit(kind, &problem.rooms[room])?)));
        match misfits.min() {
            Some((item, reason)) => unused(package_type, reason, Some(item)),
            None => unused(package_type, UnusedReason::MorePackages, None),
        }
    }
}

/// Returns the item of each unit.
fn units_of<I: Copy>(items: &[(I, u32)]) -> VecDeque<I> {
    items.iter().flat_map(|(item, count)| std::iter::repeat_n(*item, *count as usize)).collect()
}
