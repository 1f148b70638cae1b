//! Lets the units of a package sink, so that each one lies on the bottom or on another unit.

use super::fill::Spot;
use super::geometry::Cuboid;

/// Lowers each unit until it meets the bottom or a unit below it, and sorts the units from the bottom to the top.
pub(super) fn settle(spots: &mut [Spot]) {
    let order = |spot: &Spot| {
        let [x, y, z] = spot.position;
        (z, y, x, spot.kind, spot.size)
    };
    spots.sort_unstable_by_key(order);
    for at in 0..spots.len() {
        let cuboid = Cuboid::new(spots[at].position, spots[at].size);
        let is_below = |other: &Cuboid| {
            other.max[2] <= cuboid.min[2]
                && other.overlaps_along(&cuboid, 0)
                && other.overlaps_along(&cuboid, 1)
        };
        let below = spots[..at].iter().map(|spot| Cuboid::new(spot.position, spot.size));
        spots[at].position[2] = below.filter(is_below).map(|other| other.max[2]).max().unwrap_or(0);
    }
    spots.sort_unstable_by_key(order);
}
