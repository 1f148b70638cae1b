//! USPS's units: pounds and inches, rounded up.

const GRAMS_PER_POUND: f64 = 453.592_37;
const MM_PER_INCH: f64 = 25.4;

/// A mass in pounds, to a hundredth.
pub fn pounds(grams: i64) -> f64 {
    up(grams as f64 / GRAMS_PER_POUND, 100.0)
}

/// A length in inches, to a tenth.
pub fn inches(millimetres: i64) -> f64 {
    up(millimetres as f64 / MM_PER_INCH, 10.0)
}

/// Rounds up to a part: what is measured too small is billed later.
fn up(number: f64, parts: f64) -> f64 {
    // What only the division has added is not there.
    (number * parts - 1e-9).ceil().max(1.0) / parts
}

/// An amount of cents in dollars.
pub fn dollars(cents: i64) -> f64 {
    cents as f64 / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_rounded_up() {
        assert_eq!((pounds(1), pounds(227), pounds(1000)), (0.01, 0.51, 2.21));
        assert_eq!((inches(254), inches(255), inches(1)), (10.0, 10.1, 0.1));
    }
}
