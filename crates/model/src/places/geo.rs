//! Distances between places: in kilometres if both have coordinates, otherwise by what their addresses share. The
//! planner can therefore always compare two places, and can say how.

mod degrees;
mod postal;

use std::cmp::Ordering;

use serde::Serialize;

use crate::CountryCode;

pub use degrees::{to_degrees, to_micro_degrees};
pub use postal::{LookupKey, Match, PostalArea, PostalAreas, PostalRow, lookup_keys, normalise_key};

/// The mean radius of the earth, in kilometres. The earth is not a sphere; the error of up to half a per cent is
/// smaller than the difference between a road and a straight line.
const EARTH_RADIUS_KM: f64 = 6371.0088;

/// A point on earth, in degrees north and east.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub latitude: f64,
    pub longitude: f64,
}

/// The known location of an address.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub country: CountryCode,
    pub post_code: Option<String>,
    /// The point, with a confidence from 0 to 1 that it represents the address.
    pub point: Option<(Point, f64)>,
}

/// The distance between two places, and its precision.
///
/// The order is total. Kilometres come first, the shortest before the rest. Then follow distances that are known only
/// from addresses: the same country, with the longest shared prefix of the post code first, then another country.
/// Measured distances come first because an unknown distance is no reason to prefer a place.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "basis", rename_all = "snake_case")]
pub enum Distance {
    /// Straight-line distance, rounded to the metre. The confidence is the lower one of the two points.
    Kilometres {
        km: f64,
        confidence: f64,
    },
    /// The number of leading characters that both post codes share, ignoring white space and case.
    SameCountry {
        shared_prefix: usize,
    },
    OtherCountry,
}

impl Distance {
    pub fn between(a: &Place, b: &Place) -> Self {
        if let (Some((from, sure_from)), Some((to, sure_to))) = (a.point, b.point) {
            // Rounded to the metre, so that the last bits of a sine, in which processors differ, do not affect the
            // ranking.
            let km = (haversine_km(from, to) * 1000.0).round() / 1000.0;
            return Self::Kilometres { km, confidence: sure_from.min(sure_to) };
        }
        if a.country != b.country {
            return Self::OtherCountry;
        }
        let [a, b] = [a, b].map(|place| normalise_key(place.post_code.as_deref().unwrap_or_default()));
        let shared_prefix = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
        Self::SameCountry { shared_prefix }
    }

    /// Returns whether the distance is in kilometres, not only a comparison of addresses.
    pub fn is_measured(&self) -> bool {
        matches!(self, Self::Kilometres { .. })
    }
}

impl Ord for Distance {
    fn cmp(&self, other: &Self) -> Ordering {
        use Distance::{Kilometres, OtherCountry, SameCountry};
        match (self, other) {
            (Kilometres { km: a, confidence: sure_a }, Kilometres { km: b, confidence: sure_b }) => {
                a.total_cmp(b).then_with(|| sure_b.total_cmp(sure_a))
            }
            (SameCountry { shared_prefix: a }, SameCountry { shared_prefix: b }) => b.cmp(a),
            (OtherCountry, OtherCountry) => Ordering::Equal,
            (Kilometres { .. }, _) | (SameCountry { .. }, OtherCountry) => Ordering::Less,
            (_, Kilometres { .. }) | (OtherCountry, SameCountry { .. }) => Ordering::Greater,
        }
    }
}

// Equality follows the order. A derived `PartialEq` would disagree with it on floats.
impl PartialOrd for Distance {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Distance {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Distance {}

/// Returns the length of the great circle between two points, in kilometres.
pub fn haversine_km(a: Point, b: Point) -> f64 {
    let [from, to] = [a.latitude.to_radians(), b.latitude.to_radians()];
    let north = ((to - from) / 2.0).sin();
    let east = ((b.longitude - a.longitude).to_radians() / 2.0).sin();
    let half_chord_squared = north * north + from.cos() * to.cos() * east * east;
    // For opposite points, rounding may exceed 1, where the arc sine is undefined.
    2.0 * EARTH_RADIUS_KM * half_chord_squared.clamp(0.0, 1.0).sqrt().asin()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BRISTOL: Point = Point { latitude: 51.4545, longitude: -2.5879 };
    const LONDON: Point = Point { latitude: 51.5074, longitude: -0.1278 };

    fn place(country: &str, post_code: &str, point: Option<(Point, f64)>) -> Place {
        let country = CountryCode::parse(country).unwrap();
        Place { country, post_code: (!post_code.is_empty()).then(|| post_code.to_owned()), point }
    }

    #[test]
    fn distances_on_earth_are_those_of_the_map() {
        assert!((haversine_km(BRISTOL, LONDON) - 170.5).abs() < 0.5);
        assert_eq!(haversine_km(LONDON, LONDON), 0.0);
        let poles = [90.0, -90.0].map(|latitude| Point { latitude, longitude: 0.0 });
        assert!((haversine_km(poles[0], poles[1]) - std::f64::consts::PI * EARTH_RADIUS_KM).abs() < 0.001);
        // Across the date line, the short way counts.
        let [west, east] = [179.9, -179.9].map(|longitude| Point { latitude: 0.0, longitude });
        assert!((haversine_km(west, east) - 22.24).abs() < 0.01);
    }

    #[test]
    fn kilometres_need_both_points_and_take_the_smaller_confidence() {
        let (depot, shop) =
            (place("GB", "BS1 4DJ", Some((BRISTOL, 1.0))), place("GB", "", Some((LONDON, 0.5))));
        let Distance::Kilometres { km, confidence } = Distance::between(&depot, &shop) else {
            panic!("both points are known")
        };
        assert_eq!((km.round(), confidence), (170.0, 0.5));
        let unknown = place("GB", "bs1 4XX", None);
        assert_eq!(Distance::between(&depot, &unknown), Distance::SameCountry { shared_prefix: 4 });
    }

    #[test]
    fn without_points_the_addresses_are_compared() {
        let depot = place("GB", "BS1 4DJ", None);
        for (country, post_code, expected) in [
            ("GB", "bs14dj", Distance::SameCountry { shared_prefix: 6 }),
            ("GB", "SW1A 1AA", Distance::SameCountry { shared_prefix: 0 }),
            ("GB", "", Distance::SameCountry { shared_prefix: 0 }),
            ("FR", "BS1 4DJ", Distance::OtherCountry),
        ] {
            assert_eq!(Distance::between(&depot, &place(country, post_code, None)), expected, "{post_code}");
        }
    }

    #[test]
    fn the_order_puts_the_known_before_the_unknown() {
        let km = |km| Distance::Kilometres { km, confidence: 0.5 };
        let sorted = [
            Distance::Kilometres { km: 1.0, confidence: 0.8 },
            km(1.0),
            km(9000.0),
            Distance::SameCountry { shared_prefix: 3 },
            Distance::SameCountry { shared_prefix: 0 },
            Distance::OtherCountry,
        ];
        assert!(sorted.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn json_says_how_the_distance_is_known() {
        let text = |distance: Distance| serde_json::to_string(&distance).unwrap();
        let km = Distance::Kilometres { km: 1.5, confidence: 0.8 };
        assert_eq!(text(km), r#"{"basis":"kilometres","km":1.5,"confidence":0.8}"#);
        let prefix = Distance::SameCountry { shared_prefix: 2 };
        assert_eq!(text(prefix), r#"{"basis":"same_country","shared_prefix":2}"#);
        assert_eq!(text(Distance::OtherCountry), r#"{"basis":"other_country"}"#);
    }

    proptest! {
        #[test]
        fn a_distance_is_the_same_both_ways_and_never_longer_than_half_the_earth(
            a in (-90.0..=90.0, -180.0..=180.0), b in (-90.0..=90.0, -180.0..=180.0),
        ) {
            let [a, b] = [a, b].map(|(latitude, longitude)| Point { latitude, longitude });
            let km = haversine_km(a, b);
            prop_assert!((0.0..=20_016.0).contains(&km));
            prop_assert!((km - haversine_km(b, a)).abs() < 1e-6);
        }
    }
}
