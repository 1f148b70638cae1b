//! Coordinates of post codes: parses GeoNames' postal file into one point per code, and returns the codes under which
//! an address may be looked up, with the confidence of each.

use std::collections::BTreeMap;

use super::degrees::to_micro_degrees;
use crate::CountryCode;

/// Largest distance between the rows of a code that counts as one place, in micro-degrees: about 5 km.
const SPREAD_MAX: i64 = 50_000;
/// Longest post code, in characters, as in GeoNames' own table.
const POST_CODE_CHARS_MAX: usize = 20;
/// A full turn, in micro-degrees.
const TURN: i64 = 360_000_000;

/// One line of the file, with coordinates in micro-degrees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostalRow {
    pub country: CountryCode,
    pub post_code: String,
    pub latitude: i64,
    pub longitude: i64,
}

impl PostalRow {
    /// Parses a line: country code, post code, place name, three pairs of administrative name and code, latitude,
    /// longitude and accuracy, separated by tabs. The error says what is wrong with the line.
    pub fn parse(line: &str) -> Result<Self, &'static str> {
        let fields: Vec<&str> = line.trim_end_matches(['\r', '\n']).split('\t').collect();
        // Some files lack the last field, the accuracy. It is not used.
        let [country, post_code, _, _, _, _, _, _, _, latitude, longitude, ..] = fields[..] else {
            return Err("the line has fewer than 11 fields");
        };
        let country = CountryCode::parse(country).ok_or("the country code is unknown")?;
        let post_code = normalise_key(post_code);
        if post_code.is_empty() {
            return Err("the postal code is empty");
        }
        // Longer codes and control characters do not fit into a key column on every database.
        if post_code.chars().count() > POST_CODE_CHARS_MAX {
            return Err("the postal code is longer than 20 characters");
        }
        if post_code.contains(char::is_control) {
            return Err("the postal code has a control character");
        }
        let latitude = degrees(latitude, 90.0).ok_or("the latitude is not a number from -90 to 90")?;
        let longitude = degrees(longitude, 180.0).ok_or("the longitude is not a number from -180 to 180")?;
        Ok(Self { country, post_code, latitude, longitude })
    }
}

fn degrees(text: &str, max: f64) -> Option<i64> {
    let degrees: f64 = text.trim().parse().ok()?;
    (-max..=max).contains(&degrees).then(|| to_micro_degrees(degrees))
}

/// The place of a post code: the mean of its rows, in micro-degrees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostalArea {
    pub country: CountryCode,
    pub post_code: String,
    pub latitude: i64,
    pub longitude: i64,
    /// The largest distance of a row from the mean, north, south, east or west.
    pub spread: i64,
}

/// Collects rows into areas. It stores sums only, because a country has millions of rows.
#[derive(Default)]
pub struct PostalAreas {
    areas: BTreeMap<(CountryCode, String), Sums>,
}

struct Sums {
    rows: i64,
    latitude: Axis,
    longitude: Axis,
}

/// The sum and the extremes of one coordinate.
struct Axis {
    sum: i64,
    least: i64,
    most: i64,
}

impl Axis {
    fn new(first: i64) -> Self {
        Self { sum: first, least: first, most: first }
    }

    fn add(&mut self, value: i64) {
        self.sum += value;
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    fn mean_and_spread(&self, rows: i64) -> (i64, i64) {
        // Rounded half up, not towards zero, so that adding a whole turn gives the same point.
        let mean = (self.sum + rows / 2).div_euclid(rows);
        (mean, (self.most - mean).max(mean - self.least))
    }
}

impl PostalAreas {
    pub fn add(&mut self, row: PostalRow) {
        let PostalRow { country, post_code, latitude, longitude } = row;
        match self.areas.get_mut(&(country, post_code.clone())) {
            Some(sums) => {
                sums.rows += 1;
                sums.latitude.add(latitude);
                // Measured the short way round from the earlier rows: the mean of 179° and -179° is 180°, not 0°.
                let from = sums.longitude.least;
                sums.longitude.add(from + wrap(longitude - from));
            }
            None => {
                let sums = Sums { rows: 1, latitude: Axis::new(latitude), longitude: Axis::new(longitude) };
                self.areas.insert((country, post_code), sums);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.areas.len()
    }

    pub fn is_empty(&self) -> bool {
        self.areas.is_empty()
    }

    /// Returns one area for each code, sorted by country and code.
    pub fn into_areas(self) -> impl Iterator<Item = PostalArea> {
        self.areas.into_iter().map(|((country, post_code), sums)| {
            let (latitude, north_south) = sums.latitude.mean_and_spread(sums.rows);
            let (longitude, east_west) = sums.longitude.mean_and_spread(sums.rows);
            let spread = north_south.max(east_west);
            PostalArea { country, post_code, latitude, longitude: wrap(longitude), spread }
        })
    }
}

/// Returns the same angle in the range from -180° up to, but not including, 180°.
fn wrap(angle: i64) -> i64 {
    (angle + TURN / 2).rem_euclid(TURN) - TURN / 2
}

/// The part of a post code that a look-up matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The whole code.
    Exact,
    /// The part of the code that names a town or a district.
    Outward,
}

impl Match {
    /// Returns the confidence, from 0 to 1, that an area found this way represents the address.
    pub fn confidence(self, spread: i64) -> f64 {
        match self {
            Self::Exact if spread < SPREAD_MAX => 0.8,
            Self::Exact => 0.6,
            Self::Outward => 0.5,
        }
    }
}

/// A code under which to look up an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookupKey {
    pub post_code: String,
    pub class: Match,
}

/// Returns the codes under which an address may be found, the most precise first. Returns none for an empty post
/// code.
pub fn lookup_keys(country: CountryCode, post_code: &str) -> Vec<LookupKey> {
    let whole = normalise_key(post_code);
    if whole.is_empty() {
        return Vec::new();
    }
    let outward =
        outward(country, &whole).map(|part| LookupKey { post_code: part.to_owned(), class: Match::Outward });
    std::iter::once(LookupKey { post_code: whole, class: Match::Exact }).chain(outward).collect()
}

/// Returns the part of a code that public files contain if the whole code is proprietary or too detailed for them.
fn outward(country: CountryCode, whole: &str) -> Option<&str> {
    let chars = match country.as_str() {
        // The inward part is always the last three characters. British Forces post offices have no coordinates.
        "GB" | "GG" | "JE" | "IM" if whole.starts_with("BFPO") => return None,
        "GB" | "GG" | "JE" | "IM" => whole.len().checked_sub(3).filter(|outward| *outward >= 2)?,
        "CA" | "IE" | "MT" => 3,
        "NL" => 4,
        "AR" | "US" => 5,
        _ => return None,
    };
    whole.get(..chars).filter(|part| part.len() < whole.len())
}

/// Returns a post code in the form in which codes are compared: upper case, without white space.
pub fn normalise_key(post_code: &str) -> String {
    post_code.chars().filter(|char| !char.is_whitespace()).flat_map(char::to_uppercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "GB\tbs1 4dj\tBristol\tEngland\tENG\tBristol\t06\t\t\t51.4494\t-2.597912345\t6\n";

    fn areas(points: &[(f64, f64)]) -> Vec<PostalArea> {
        let mut areas = PostalAreas::default();
        for (latitude, longitude) in points {
            areas.add(PostalRow::parse(&format!("FJ\t1\t\t\t\t\t\t\t\t{latitude}\t{longitude}")).unwrap());
        }
        areas.into_areas().collect()
    }

    fn keys(country: &str, post_code: &str) -> Vec<(String, Match)> {
        let keys = lookup_keys(CountryCode::parse(country).unwrap(), post_code);
        keys.into_iter().map(|key| (key.post_code, key.class)).collect()
    }

    #[test]
    fn a_line_is_read_and_its_code_normalised() {
        let row = PostalRow::parse(LINE).unwrap();
        assert_eq!((row.country.as_str(), row.post_code.as_str()), ("GB", "BS14DJ"));
        assert_eq!((row.latitude, row.longitude), (51_449_400, -2_597_912));
    }

    #[test]
    fn a_line_that_cannot_be_used_says_why() {
        for (line, fault) in [
            ("", "fewer than 11"),
            ("GB\tBS1\tBristol", "fewer than 11"),
            ("UK\tBS1\t\t\t\t\t\t\t\t51\t-2\t", "country"),
            ("GB\t \t\t\t\t\t\t\t\t51\t-2\t", "empty"),
            ("GB\tBS1BS1BS1BS1BS1BS1BS1\t\t\t\t\t\t\t\t51\t-2\t", "longer than 20"),
            ("GB\tBS\0\t\t\t\t\t\t\t\t51\t-2\t", "control"),
            ("GB\tBS1\t\t\t\t\t\t\t\t\t-2\t", "latitude"),
            ("GB\tBS1\t\t\t\t\t\t\t\tNaN\t-2\t", "latitude"),
            ("GB\tBS1\t\t\t\t\t\t\t\t51\t181\t", "longitude"),
        ] {
            let said = PostalRow::parse(line).unwrap_err();
            assert!(said.contains(fault), "{line:?}: {said}");
        }
    }

    #[test]
    fn rows_of_one_code_become_their_mean_and_keep_their_spread() {
        let found = areas(&[(10.0, 20.0), (10.02, 20.01), (10.04, 20.06)]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].latitude, found[0].longitude), (10_020_000, 20_023_333));
        assert_eq!(found[0].spread, 36_667);
        assert_eq!(areas(&[(10.0, 20.0)])[0].spread, 0);
    }

    #[test]
    fn a_code_on_both_sides_of_the_date_line_stays_there_in_either_order() {
        for points in [[(-16.0, 179.9), (-16.0, -179.7)], [(-16.0, -179.7), (-16.0, 179.9)]] {
            let found = areas(&points);
            assert_eq!((found[0].longitude, found[0].spread), (-179_900_000, 200_000));
        }
    }

    #[test]
    fn areas_come_sorted_by_country_and_code() {
        let mut areas = PostalAreas::default();
        assert!(areas.is_empty());
        for line in ["NL\t2\t\t\t\t\t\t\t\t1\t1", "NL\t1\t\t\t\t\t\t\t\t1\t1", "DE\t3\t\t\t\t\t\t\t\t1\t1"] {
            areas.add(PostalRow::parse(line).unwrap());
        }
        assert_eq!(areas.len(), 3);
        let codes: Vec<String> = areas.into_areas().map(|area| area.post_code).collect();
        assert_eq!(codes, ["3", "1", "2"]);
    }

    #[test]
    fn an_exact_match_is_surer_the_closer_its_rows_lie() {
        assert_eq!(Match::Exact.confidence(0), 0.8);
        assert_eq!(Match::Exact.confidence(SPREAD_MAX - 1), 0.8);
        assert_eq!(Match::Exact.confidence(SPREAD_MAX), 0.6);
        assert_eq!(Match::Outward.confidence(0), 0.5);
    }

    #[test]
    fn a_code_is_looked_up_whole_and_then_by_its_outward_part() {
        for (country, post_code, outward) in [
            ("GB", "BS1 4DJ", Some("BS1")),
            ("GB", "sw1a1aa", Some("SW1A")),
            ("JE", "JE2 3AB", Some("JE2")),
            ("GB", "M1", None),
            ("GB", "BFPO 61", None),
            ("CA", "K1A 0B1", Some("K1A")),
            ("CA", "K1A", None),
            ("NL", "1012 AB", Some("1012")),
            ("IE", "A65 F4E2", Some("A65")),
            ("MT", "VLT 1117", Some("VLT")),
            ("AR", "C1070AAM", Some("C1070")),
            ("US", "12345-6789", Some("12345")),
            ("US", "12345", None),
            ("DE", "26133", None),
            ("CA", "äöüß", None),
        ] {
            let mut expected = vec![(normalise_key(post_code), Match::Exact)];
            expected.extend(outward.map(|part| (part.to_owned(), Match::Outward)));
            assert_eq!(keys(country, post_code), expected, "{country} {post_code}");
        }
        assert_eq!(keys("GB", " "), []);
    }
}
