//! Degrees, and the micro-degrees in which the store keeps them.

const MICRO_DEGREES: f64 = 1_000_000.0;

/// Converts degrees to the stored form. A millionth of a degree is about 11 cm, and integers compare equal on both
/// engines.
pub fn to_micro_degrees(degrees: f64) -> i64 {
    (degrees * MICRO_DEGREES).round() as i64
}

/// Converts stored micro-degrees to degrees.
pub fn to_degrees(micro: i64) -> f64 {
    micro as f64 / MICRO_DEGREES
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn micro_degrees_survive_the_way_there_and_back(micro in -180_000_000_i64..=180_000_000) {
            prop_assert_eq!(to_micro_degrees(to_degrees(micro)), micro);
        }
    }
}
