//! UPS's units: pounds and inches where the sender's country uses them, kilograms and centimetres elsewhere.

use model::CountryCode;
use model::shipping::shipment::Package;
use serde_json::{Value, json};

const GRAMS_PER_POUND: f64 = 453.592_37;
const MM_PER_INCH: f64 = 25.4;
/// Countries whose shippers UPS bills by the pound.
const IMPERIAL: [&str; 3] = ["US", "PR", "VI"];

/// The units in which UPS weighs and measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    Imperial,
    Metric,
}

impl Units {
    /// Returns the units of a sender's country.
    pub fn of(country: CountryCode) -> Self {
        if IMPERIAL.contains(&country.as_str()) { Units::Imperial } else { Units::Metric }
    }

    pub fn mass_code(self) -> &'static str {
        match self {
            Units::Imperial => "LBS",
            Units::Metric => "KGS",
        }
    }

    fn length_code(self) -> &'static str {
        match self {
            Units::Imperial => "IN",
            Units::Metric => "CM",
        }
    }

    /// Returns a mass as UPS writes it: in tenths, rounded up, because what is declared too light is billed later.
    pub fn mass(self, grams: i64) -> String {
        let whole = match self {
            Units::Imperial => grams as f64 / GRAMS_PER_POUND,
            Units::Metric => grams as f64 / 1000.0,
        };
        // What only the division has added is not there.
        let tenths = ((whole * 10.0 - 1e-9).ceil() as i64).max(1);
        format!("{}.{}", tenths / 10, tenths % 10)
    }

    /// Returns a length in whole units, rounded up.
    fn length(self, millimetres: i64) -> String {
        let whole = match self {
            Units::Imperial => millimetres as f64 / MM_PER_INCH,
            Units::Metric => millimetres as f64 / 10.0,
        };
        ((whole - 1e-9).ceil() as i64).max(1).to_string()
    }

    /// Returns the size of a package, the longest side first, if it is known.
    pub fn dimensions(self, package: &Package) -> Option<Value> {
        let mut sides = package.geometry?.millimetres()?;
        sides.sort_unstable_by(|one, other| other.cmp(one));
        let [length, width, height] = sides.map(|side| self.length(side));
        Some(json!({
            "UnitOfMeasurement": {"Code": self.length_code()},
            "Length": length, "Width": width, "Height": height,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_rounded_up() {
        let imperial = Units::of(CountryCode::parse("US").unwrap());
        let metric = Units::of(CountryCode::parse("GB").unwrap());
        assert_eq!((imperial, metric), (Units::Imperial, Units::Metric));
        for (grams, pounds, kilograms) in
            [(1, "0.1", "0.1"), (454, "1.1", "0.5"), (1000, "2.3", "1.0"), (1001, "2.3", "1.1")]
        {
            assert_eq!((imperial.mass(grams).as_str(), metric.mass(grams).as_str()), (pounds, kilograms));
        }
        assert_eq!(
            (imperial.length(254), imperial.length(255), metric.length(101)),
            ("10".into(), "11".into(), "11".into())
        );
    }
}
