//! Country codes: validated when a request is parsed, so that later code need not check them.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// All accepted codes, sorted: `CountryCode::parse` uses a binary search, and the OpenAPI document lists them in this
/// order.
///
/// These are the 249 officially assigned codes of ISO 3166-1 alpha-2, and `XK`. ISO has assigned no code to Kosovo,
/// but carriers use `XK`, so without it a parcel could not be sent there.
pub const CODES: &[&str] = &[
    "AD", "AE", "AF", "AG", "AI", "AL", "AM", "AO", "AQ", "AR", "AS", "AT", "AU", "AW", "AX", "AZ", "BA",
    "BB", "BD", "BE", "BF", "BG", "BH", "BI", "BJ", "BL", "BM", "BN", "BO", "BQ", "BR", "BS", "BT", "BV",
    "BW", "BY", "BZ", "CA", "CC", "CD", "CF", "CG", "CH", "CI", "CK", "CL", "CM", "CN", "CO", "CR", "CU",
    "CV", "CW", "CX", "CY", "CZ", "DE", "DJ", "DK", "DM", "DO", "DZ", "EC", "EE", "EG", "EH", "ER", "ES",
    "ET", "FI", "FJ", "FK", "FM", "FO", "FR", "GA", "GB", "GD", "GE", "GF", "GG", "GH", "GI", "GL", "GM",
    "GN", "GP", "GQ", "GR", "GS", "GT", "GU", "GW", "GY", "HK", "HM", "HN", "HR", "HT", "HU", "ID", "IE",
    "IL", "IM", "IN", "IO", "IQ", "IR", "IS", "IT", "JE", "JM", "JO", "JP", "KE", "KG", "KH", "KI", "KM",
    "KN", "KP", "KR", "KW", "KY", "KZ", "LA", "LB", "LC", "LI", "LK", "LR", "LS", "LT", "LU", "LV", "LY",
    "MA", "MC", "MD", "ME", "MF", "MG", "MH", "MK", "ML", "MM", "MN", "MO", "MP", "MQ", "MR", "MS", "MT",
    "MU", "MV", "MW", "MX", "MY", "MZ", "NA", "NC", "NE", "NF", "NG", "NI", "NL", "NO", "NP", "NR", "NU",
    "NZ", "OM", "PA", "PE", "PF", "PG", "PH", "PK", "PL", "PM", "PN", "PR", "PS", "PT", "PW", "PY", "QA",
    "RE", "RO", "RS", "RU", "RW", "SA", "SB", "SC", "SD", "SE", "SG", "SH", "SI", "SJ", "SK", "SL", "SM",
    "SN", "SO", "SR", "SS", "ST", "SV", "SX", "SY", "SZ", "TC", "TD", "TF", "TG", "TH", "TJ", "TK", "TL",
    "TM", "TN", "TO", "TR", "TT", "TV", "TW", "TZ", "UA", "UG", "UM", "US", "UY", "UZ", "VA", "VC", "VE",
    "VG", "VI", "VN", "VU", "WF", "WS", "XK", "YE", "YT", "ZA", "ZM", "ZW",
];

/// An officially assigned ISO 3166-1 alpha-2 code in capitals, or `XK` (see [`CODES`]).
///
/// The type holds a reference to the table's entry. The text is therefore always valid and `'static`, so that a copy
/// costs nothing and reading it cannot fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountryCode(&'static str);

/// Countries that form one customs territory: no declaration is needed between them.
///
/// The European Union with Monaco; the United Kingdom with the Isle of Man; Switzerland with Liechtenstein; the
/// United States with Puerto Rico. Territories that need declarations although they are in a customs union, such as
/// Jersey and the overseas departments of France, are not listed.
const CUSTOMS_TERRITORIES: [&[&str]; 4] = [
    &[
        "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT",
        "LU", "LV", "MC", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
    ],
    &["GB", "IM"],
    &["CH", "LI"],
    &["PR", "US"],
];

/// Returns whether a parcel between these countries crosses a customs border.
pub fn is_customs_border(from: CountryCode, to: CountryCode) -> bool {
    let holds_both = |territory: &&[&str]| territory.contains(&from.0) && territory.contains(&to.0);
    from != to && !CUSTOMS_TERRITORIES.iter().any(holds_both)
}

impl CountryCode {
    /// Parses a code in capitals. Other spellings such as `gb` are rejected, so that the API never returns a text
    /// that differs from the one that the client sent.
    pub fn parse(text: &str) -> Option<Self> {
        let at = CODES.binary_search(&text).ok()?;
        CODES.get(at).copied().map(Self)
    }

    pub fn as_str(&self) -> &'static str {
        self.0
    }
}

impl fmt::Display for CountryCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.0)
    }
}

impl Serialize for CountryCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for CountryCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(CodeVisitor)
    }
}

/// Deserializes the code from borrowed text, because `try_from = "String"` would allocate for every address.
struct CodeVisitor;

impl Visitor<'_> for CodeVisitor {
    type Value = CountryCode;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an ISO 3166-1 alpha-2 country code in capitals")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<CountryCode, E> {
        CountryCode::parse(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::{CODES, CUSTOMS_TERRITORIES, CountryCode, is_customs_border};
    use crate::platform::nearest::{ALIASES, nearest};
    use proptest::prelude::*;

    #[test]
    fn usual_mistakes_in_country_codes_are_known() {
        let codes = CODES.iter().copied();
        for (given, expected) in
            [("UK", Some("GB")), ("uk", Some("GB")), ("usa", Some("US")), ("de", Some("DE")), ("ZZ", None)]
        {
            assert_eq!(nearest(given, codes.clone()), expected, "{given}");
        }
        for (_, right) in ALIASES {
            assert!(CODES.contains(right), "{right}");
        }
        assert_eq!(nearest("UK", ["live", "test"]), None);
    }

    #[test]
    fn the_table_is_sorted_and_complete() {
        assert_eq!(CODES.len(), 250);
        assert!(CODES.is_sorted_by(|a, b| a < b));
        assert!(CODES.iter().all(|code| code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase())));
    }

    #[test]
    fn every_code_is_parsed_to_itself() {
        for code in CODES {
            let parsed = CountryCode::parse(code).unwrap();
            assert_eq!(parsed.as_str(), *code);
            assert_eq!(parsed.to_string(), *code);
        }
    }

    #[test]
    fn what_is_not_an_assigned_code_in_capitals_is_refused() {
        // UK, EU and AC are reserved but not assigned; AN was withdrawn; ZZ is for private use.
        for text in ["", "G", "gb", "Gb", "GBR", " GB", "GB ", "UK", "EU", "AC", "AN", "ZZ", "ÄÖ", "12"] {
            assert_eq!(CountryCode::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn customs_borders_are_between_customs_territories() {
        let border = |from: &str, to: &str| {
            let [from, to] = [from, to].map(|code| CountryCode::parse(code).unwrap());
            assert_eq!(is_customs_border(from, to), is_customs_border(to, from));
            is_customs_border(from, to)
        };
        for (from, to) in [("GB", "GB"), ("DE", "FR"), ("FR", "MC"), ("GB", "IM"), ("CH", "LI"), ("US", "PR")]
        {
            assert!(!border(from, to), "{from} {to}");
        }
        for (from, to) in [("GB", "IE"), ("GB", "US"), ("DE", "CH"), ("GB", "JE"), ("FR", "RE"), ("FI", "AX")]
        {
            assert!(border(from, to), "{from} {to}");
        }
        assert!(
            CUSTOMS_TERRITORIES.iter().flat_map(|all| *all).all(|code| CountryCode::parse(code).is_some())
        );
    }

    #[test]
    fn json_carries_the_bare_text() {
        let code: CountryCode = serde_json::from_str("\"XK\"").unwrap();
        assert_eq!(serde_json::to_string(&code).unwrap(), "\"XK\"");
        // Text with an escape, and text inside a JSON value, reach serde by other methods than borrowed text.
        assert_eq!(serde_json::from_str::<CountryCode>("\"\\u0047B\"").unwrap().as_str(), "GB");
        assert_eq!(serde_json::from_value::<CountryCode>("GB".into()).unwrap().as_str(), "GB");
        let refusal = serde_json::from_str::<CountryCode>("\"gb\"").unwrap_err().to_string();
        assert!(refusal.contains("ISO 3166-1 alpha-2"), "{refusal}");
        assert!(serde_json::from_str::<CountryCode>("7").is_err());
    }

    proptest! {
        #[test]
        fn parse_accepts_the_table_and_nothing_else(text in "[A-Za-z]{2}|.{0,4}") {
            let parsed = CountryCode::parse(&text).map(|code| code.as_str());
            prop_assert_eq!(parsed, CODES.contains(&text.as_str()).then_some(text.as_str()));
        }
    }
}
