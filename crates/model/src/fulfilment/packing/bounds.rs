//! Proofs that a room cannot hold some units, without a search for their places.

use super::units_and_rooms::{PackingProblem, Price, Room};
use crate::platform::step_budget::{StepBudget, StepsSpent};

/// The functions with which the sides along an axis are scaled, by their parameter. Zero leaves a side as it is.
const SCALES: [u64; 3] = [0, 1, 2];
/// The steps for each kind of units in [`cannot_hold`].
pub(super) const SCALED_STEPS: u64 = 27;

/// Maximum number of steps for the bound of the price, which many packages and package types would exceed.
const PRICE_STEPS_MAX: u64 = 20_000;

/// The lower bounds for the number of packages.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeastPackages {
    pub by_volume: u64,
    pub by_mass: u64,
}

impl LeastPackages {
    pub fn of(problem: &PackingProblem, counts: &[u32]) -> Self {
        let volume_max = problem.rooms.iter().map(|room| u128::from(room.volume)).max().unwrap_or(1);
        let mass_max = problem.rooms.iter().filter_map(|room| room.capacity_g).max().unwrap_or(1).max(1);
        let by_volume = problem.volume(counts).div_ceil(volume_max.max(1));
        Self {
            by_volume: u64::try_from(by_volume).unwrap_or(u64::MAX),
            by_mass: problem.mass_g(counts).div_ceil(mass_max),
        }
    }

    pub fn count(&self) -> u64 {
        self.by_volume.max(self.by_mass).max(1)
    }
}

/// Returns the lowest price of so many packages whose volumes and masses suffice for all units together, or `None` if
/// those of no packages do.
pub(super) fn least_price(
    problem: &PackingProblem,
    counts: &[u32],
    packages: usize,
    budget: &mut StepBudget,
) -> Result<Option<Price>, StepsSpent> {
    let need = RoomNeed { volume: problem.volume(counts), mass_g: problem.mass_g(counts) };
    let mut lowest = None;
    let mut part = StepBudget::new(PRICE_STEPS_MAX.min(budget.left()));
    let compared = need.compare(problem, packages, 0, Price::default(), &mut lowest, &mut part);
    budget.spend(part.used)?;
    // A price of zero is always a bound.
    Ok(if compared.is_ok() { lowest } else { Some(Price::default()) })
}

/// What packages must hold.
#[derive(Clone, Copy)]
struct RoomNeed {
    volume: u128,
    mass_g: u64,
}

impl RoomNeed {
    /// Compares all choices of rooms for the packages that are left, with the rooms from `from` on.
    fn compare(
        self,
        problem: &PackingProblem,
        packages: usize,
        from: usize,
        price: Price,
        lowest: &mut Option<Price>,
        budget: &mut StepBudget,
    ) -> Result<(), StepsSpent> {
        budget.spend(1)?;
        if packages == 0 {
            if self.volume == 0 && self.mass_g == 0 && lowest.is_none_or(|lowest| price < lowest) {
                *lowest = Some(price);
            }
            return Ok(());
        }
        for (at, room) in problem.rooms.iter().enumerate().skip(from) {
            let Some(capacity_g) = room.capacity_g else { continue };
            let price = price.plus(problem.price(at));
            // Further rooms cost at least as much, because rooms are in the order of their prices.
            if lowest.is_some_and(|lowest| price >= lowest) {
                break;
            }
            let left = Self {
                volume: self.volume.saturating_sub(u128::from(room.volume)),
                mass_g: self.mass_g.saturating_sub(capacity_g),
            };
            left.compare(problem, packages - 1, at, price, lowest, budget)?;
        }
        Ok(())
    }
}

/// Returns whether it is proven that the room cannot hold the units together.
pub(super) fn cannot_hold(problem: &PackingProblem, room: &Room, counts: &[u32]) -> bool {
    let present = || counts.iter().zip(&problem.kinds).filter(|(count, _)| **count > 0);
    let is_too_heavy = room.capacity_g.is_none_or(|capacity| problem.mass_g(counts) > capacity);
    if is_too_heavy || problem.volume(counts) > u128::from(room.volume) {
        return true;
    }
    if !present().all(|(_, kind)| kind.has_place(room)) {
        return true;
    }
    let is_exceeded = |scales: [u64; 3]| {
        let capacity: u128 = (0..3).map(|axis| scaled_room(scales[axis], room.inner[axis])).product();
        let units = present().filter(|(_, kind)| kind.is_sized).map(|(count, kind)| {
            let orientations = kind
                .orientations(room)
                .iter()
                .filter(|size| (0..3).all(|axis| size[axis] <= room.inner[axis]));
            let volumes = orientations.map(|size| {
                let side = |axis: usize| scaled(scales[axis], size[axis], room.inner[axis]);
                (0..3).map(side).product::<u128>()
            });
            u128::from(*count) * volumes.min().unwrap_or(0)
        });
        units.sum::<u128>() > capacity
    };
    SCALES.iter().any(|x| SCALES.iter().any(|y| SCALES.iter().any(|z| is_exceeded([*x, *y, *z]))))
}

/// Returns the side after the dual feasible function u(k) of Fekete and Schepers (2001): units that can stand in a row
/// before it can also do so afterwards, so the volume that it yields is a bound too. It counts a side of more than
/// half of the room as the whole of it, for example.
fn scaled(k: u64, side: u32, room: u32) -> u128 {
    let (side, room) = (u64::from(side), u64::from(room).max(1));
    let scaled = match k {
        0 => side,
        k if side * (k + 1) % room == 0 => side * k,
        k => side * (k + 1) / room * room,
    };
    u128::from(scaled)
}

/// Returns the length of the room in the units of [`scaled`].
fn scaled_room(k: u64, room: u32) -> u128 {
    u128::from(u64::from(room).max(1) * k.max(1))
}
