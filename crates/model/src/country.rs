//! The country code: a two-letter code that was checked once at the edge, so no later code checks it again.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Every accepted code, sorted, because `CountryCode::parse` searches it by halves and the OpenAPI document
/// lists it as it stands.
///
/// These are the 249 officially assigned codes of ISO 3166-1 alpha-2, and `XK`. ISO has assigned no code to
/// Kosovo, but carriers use `XK` for it, so without it a parcel could not be sent there.
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
/// It holds the entry of the table rather than its own bytes: the text is then always valid and lives for
/// ever, so that a copy costs nothing and reading it back cannot fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountryCode(&'static str);

impl CountryCode {
    /// Takes exact capitals only: a client that sends `gb` is told so, instead of getting back a different
    /// text from the one it stored.
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

/// Reads the code from borrowed text, because `try_from = "String"` would allocate for every address read.
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
    use super::{CODES, CountryCode};
    use proptest::prelude::*;

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
    fn json_carries_the_bare_text() {
        let code: CountryCode = serde_json::from_str("\"XK\"").unwrap();
        assert_eq!(serde_json::to_string(&code).unwrap(), "\"XK\"");
        // Text with an escape, and text inside a value, reach serde by other ways than plain borrowed text.
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
