//! Royal Mail's formats of parcels, on which prices depend.

use model::shipping::shipment::Package;
use serde::Deserialize;

/// A format of a parcel.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    Letter,
    LargeLetter,
    SmallParcel,
    MediumParcel,
    Parcel,
}

/// Most grams of a parcel that Click & Drop takes. The limits of sizes are those of each service, which Royal Mail checks.
pub const GRAMS_MAX: i64 = 30_000;

/// Sides from the longest to the shortest, in millimetres, and grams, of formats that are found by measure: contracts have letters, large
/// letters and parcels. The other two are prices of the counter.
const MEASURED: [(Format, [i64; 3], i64); 2] =
    [(Format::Letter, [240, 165, 5], 100), (Format::LargeLetter, [353, 250, 25], 750)];

impl Format {
    pub const ALL: [Format; 5] =
        [Format::Letter, Format::LargeLetter, Format::SmallParcel, Format::MediumParcel, Format::Parcel];

    /// Returns what a shipment's `predefined_package_code` calls the format.
    pub fn package_code(self) -> &'static str {
        match self {
            Format::Letter => "royal_mail_letter",
            Format::LargeLetter => "royal_mail_large_letter",
            Format::SmallParcel => "royal_mail_small_parcel",
            Format::MediumParcel => "royal_mail_medium_parcel",
            Format::Parcel => "royal_mail_parcel",
        }
    }

    /// Returns Royal Mail's word.
    pub fn identifier(self) -> &'static str {
        match self {
            Format::Letter => "letter",
            Format::LargeLetter => "largeLetter",
            Format::SmallParcel => "smallParcel",
            Format::MediumParcel => "mediumParcel",
            Format::Parcel => "parcel",
        }
    }

    /// Returns the format that a package names, or that its measures fit. `None` if Royal Mail has no package of that name.
    pub fn of(package: &Package) -> Option<Self> {
        if let Some(code) = package.predefined_package_code.as_deref() {
            return Self::ALL.into_iter().find(|format| format.package_code() == code);
        }
        let geometry = package.geometry?;
        // Without its sides, a package may be of any size.
        let Some(mut sides) = geometry.millimetres() else { return Some(Format::Parcel) };
        sides.sort_unstable_by(|one, other| other.cmp(one));
        let grams = geometry.grams()?;
        let fits = |(_, most, grams_max): &&(Format, [i64; 3], i64)| {
            grams <= *grams_max && sides.iter().zip(most).all(|(side, most)| side <= most)
        };
        Some(MEASURED.iter().find(fits).map_or(Format::Parcel, |(format, ..)| *format))
    }
}

#[cfg(test)]
mod tests {
    use model::shipping::shipment::package::Geometry;

    use super::*;

    fn package(sides: [f64; 3], mass: f64, code: Option<&str>) -> Package {
        let [length, width, height] = sides.map(Some);
        Package {
            name: None,
            geometry: Some(Geometry { length, width, height, mass: Some(mass) }),
            predefined_package_code: code.map(str::to_owned),
            tracking_number: None,
            items: Vec::new(),
            package_type_id: None,
        }
    }

    #[test]
    fn a_format_is_named_or_found_by_sides_and_mass() {
        let of = |sides, mass| Format::of(&package(sides, mass, None));
        assert_eq!(of([16.5, 24.0, 0.5], 0.1), Some(Format::Letter));
        assert_eq!(of([16.5, 24.0, 0.5], 0.101), Some(Format::LargeLetter), "too heavy for a letter");
        assert_eq!(of([35.3, 25.0, 2.5], 0.75), Some(Format::LargeLetter));
        assert_eq!(of([35.3, 25.0, 2.6], 0.75), Some(Format::Parcel));
        let named = |code| Format::of(&package([10.0, 10.0, 10.0], 1.0, Some(code)));
        for format in Format::ALL {
            assert_eq!(named(format.package_code()), Some(format));
        }
        assert_eq!(named("usps_flat_rate_envelope"), None);
        let mut unmeasured = package([1.0; 3], 0.05, None);
        unmeasured.geometry.as_mut().unwrap().length = None;
        assert_eq!(Format::of(&unmeasured), Some(Format::Parcel));
    }
}
