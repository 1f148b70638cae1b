//! Finds out why a package type is not used.

use super::proposal::{UnusedPackageType, UnusedReason};
use super::units_and_rooms::{Price, Room, UnitKind};
use super::words;

/// Returns why the room can't hold a unit of the kind alone, or `None` if it can.
pub(super) fn misfit(kind: &UnitKind, room: &Room) -> Option<UnusedReason> {
    if kind.fits_alone(room) {
        None
    } else if kind.has_place(room) {
        Some(UnusedReason::TooHeavy)
    } else if room.is_envelope && kind.in_envelope.is_empty() {
        Some(UnusedReason::NotUpright)
    } else {
        Some(UnusedReason::TooSmall)
    }
}

/// Returns why a room that holds a package's units is not used for it.
pub(super) fn comparison(unused: Price, chosen: Price) -> UnusedReason {
    if unused.cost > chosen.cost {
        UnusedReason::Dearer
    } else if unused.volume > chosen.volume {
        UnusedReason::Larger
    } else {
        UnusedReason::Later
    }
}

pub(super) fn unused<I, P>(
    package_type: P,
    reason: UnusedReason,
    item: Option<I>,
) -> UnusedPackageType<I, P> {
    UnusedPackageType { package_type, reason, item, message: words::unused(reason).to_owned() }
}
