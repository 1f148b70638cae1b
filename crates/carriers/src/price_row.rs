//! The conditions of a row in a merchant's own table of prices.

use model::CountryCode;
use model::places::address::PostalAddress;
use model::shipping::shipment::package::round_up;

/// The shipments that a row applies to. An empty list, or no mass, excludes nothing.
pub struct PriceRow<'a> {
    pub countries: &'a [CountryCode],
    /// Prefixes of post codes.
    pub post_codes: &'a [String],
    /// The most kilograms of all packages together.
    pub mass_max: Option<f64>,
}

impl PriceRow<'_> {
    /// Returns whether the row applies to packages of this mass that go to this address.
    pub fn applies(&self, to: &PostalAddress, grams: i64) -> bool {
        let code: String =
            to.post_code.iter().flat_map(|code| code.chars()).filter(|char| !char.is_whitespace()).collect();
        let begins = |start: &String| {
            let start: String = start.chars().filter(|char| !char.is_whitespace()).collect();
            code.len() >= start.len()
                && code.is_char_boundary(start.len())
                && code[..start.len()].eq_ignore_ascii_case(&start)
        };
        let is_there = self.countries.is_empty() || self.countries.contains(&to.country_code);
        let is_near = self.post_codes.is_empty() || self.post_codes.iter().any(begins);
        is_there && is_near && self.mass_max.is_none_or(|mass| grams <= round_up(mass, 3))
    }
}
