//! Packing: proposes which units of an order go into which packages, where each unit lies, and says why.
//!
//! The best packing has the fewest packages, then the lowest cost, then the smallest volume of its packages. Costs are
//! compared only if every package type that can hold a unit has one, because a missing cost is not a cost of zero.
//!
//! Rules of every packing: no two units overlap; each unit is inside its package, and lies on its bottom or on another
//! unit; the mass of a package, with its own, is at most `mass_max`; units that are kept upright only turn around the
//! vertical axis; a unit that ships alone shares its package with no other. A unit without a size counts by its mass
//! alone. In an envelope units lie on their largest face, the inner height is the thickness that it takes, and nothing
//! that must be kept upright goes into it, because an envelope travels in any position.
//!
//! Finding the fewest packages is a bin packing problem, for which no fast exact method is known. The packer first
//! builds packages by a simple rule. It then compares all ways to divide the units (`exact`), with bounds (`bounds`) and
//! a complete search for the places in a package (`arrange`). If the budget of steps ends before, it builds and improves
//! packages by further rules (`build`). The result says which search produced it.
//!
//! Architecture Invariant: the same input gives the same packing, in any order of the input and on any machine. Work is
//! limited in steps, not in seconds.

mod answer;
mod arrange;
mod bounds;
#[cfg(test)]
mod brute_force;
mod build;
#[cfg(test)]
mod container_loading;
mod exact;
mod explain;
mod fill;
mod geometry;
mod holding;
mod packing_input;
#[cfg(test)]
mod properties;
mod proposal;
mod search;
mod settle;
mod spaces;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod timing;
mod units_and_rooms;
mod words;

use answer::PackingAnswer;
use holding::Holding;
use packing_input::PackingInput;

pub use exact::EXACT_UNITS_MAX;
pub use proposal::{
    ItemToPack, PACKED_UNITS_MAX, PackageForm, PackedPackage, PackedUnit, Packing, PackingLimit,
    PackingRefusal, PackingSearch, Placement, UnpackableItem, UnusedPackageType, UnusedReason,
    UsablePackageType,
};

/// The steps for which a packing is searched by default: about ten milliseconds of one processor. A step compares two cuboids.
pub const PACKING_STEPS_MAX: u64 = 1_500_000;

/// Proposes packages for the units of one location.
///
/// `items` may name an item several times. `steps_max` limits the search, usually [`PACKING_STEPS_MAX`].
///
/// # Errors
///
/// Refuses units without a mass, units that no package type can hold, and more than [`PACKED_UNITS_MAX`] units.
pub fn pack<I, P>(
    items: &[ItemToPack<I>],
    package_types: &[UsablePackageType<P>],
    steps_max: u64,
) -> Result<Packing<I, P>, PackingRefusal<I, P>>
where
    I: Ord + Copy,
    P: Ord + Copy,
{
    let input = PackingInput::read(items, package_types)?;
    let mut holding = Holding::new(&input.problem);
    let found = search::search(&input.problem, &input.counts, &mut holding, steps_max);
    Ok(PackingAnswer { input: &input, holding, found }.packing())
}
