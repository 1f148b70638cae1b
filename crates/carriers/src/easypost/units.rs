//! EasyPost's units: inches and ounces, in tenths, rounded up.

const MM_PER_INCH: f64 = 25.4;
const GRAMS_PER_OUNCE: f64 = 28.349_523_125;

pub fn inches(millimetres: i64) -> f64 {
    tenths_up(millimetres as f64 / MM_PER_INCH)
}

pub fn ounces(grams: i64) -> f64 {
    tenths_up(grams as f64 / GRAMS_PER_OUNCE)
}

/// To a tenth, rounded up: what is measured too small is billed later.
fn tenths_up(number: f64) -> f64 {
    // What only the division has added is not there.
    ((number * 10.0 - 1e-9).ceil() / 10.0).max(0.1)
}
