//! The lines of an address in the order of its country.

use crate::countries;
use crate::label::Party;
use crate::text::clean;
use model::CountryCode;
use std::borrow::Cow;

/// Returns the lines of an address, without empty ones. For an address abroad, the last line is the country's English
/// name.
pub fn lines(party: &Party, is_abroad: bool) -> Vec<String> {
    let code = party.country_code.as_str();
    let is_latin = [&party.city, &party.name].into_iter().chain(&party.lines).all(|text| is_latin(text));
    let (format, upper) = countries::format(code, is_latin);
    let mut lines = Vec::new();
    for pattern in format.split("%n") {
        if pattern == "%A" {
            lines.extend(party.lines.iter().map(|line| clean(line).into_owned()));
        } else {
            lines.push(fill(pattern, party, upper));
        }
        if pattern.contains("%A") {
            lines.extend(unplaced(party, format, upper));
        }
    }
    lines.retain(|line| !line.is_empty());
    // A city that is its own province needs one line.
    lines.dedup();
    if is_abroad {
        lines.push(country_name(party.country_code));
    }
    lines
}

/// Returns a country's name as it is printed on items that go there.
pub fn country_name(code: CountryCode) -> String {
    countries::name(code.as_str())
}

/// Returns the fields of the address that its country's format lacks, so that none is omitted.
fn unplaced(party: &Party, format: &str, upper: &str) -> Option<String> {
    let missing: Vec<String> = ["%C", "%S", "%Z"]
        .into_iter()
        .filter(|field| !format.contains(field))
        .map(|field| fill(field, party, upper))
        .filter(|text| !text.is_empty())
        .collect();
    (!missing.is_empty()).then(|| missing.join(" "))
}

/// Fills one line of a format with the fields of an address. Of the separators around an empty field, the later ones
/// stay.
fn fill(pattern: &str, party: &Party, upper: &str) -> String {
    let mut filled = String::new();
    let mut between = "";
    let mut parts = pattern.split('%');
    // Text before the first field, such as a country's letters, is printed only with that field.
    let mut prefix = parts.next().unwrap_or_default();
    if !pattern.contains('%') {
        return pattern.to_owned();
    }
    for part in parts {
        let (letter, after) = part.split_at(part.chars().next().map_or(0, char::len_utf8));
        let mut value = field(letter, party);
        if upper.contains(letter) {
            value = value.to_uppercase().into();
        }
        // A city that is its own province is named once.
        if !value.is_empty() && !filled.ends_with(&*value) {
            filled.push_str(if filled.is_empty() { prefix } else { between });
            filled.push_str(&value);
            between = after;
        } else if filled.is_empty() {
            // The text before an empty field is omitted with it.
            prefix = "";
        } else if !after.is_empty() {
            between = after;
        }
    }
    filled
}

fn field<'p>(letter: &str, party: &'p Party) -> Cow<'p, str> {
    fn optional(text: Option<&String>) -> Cow<'_, str> {
        clean(text.map(String::as_str).unwrap_or_default())
    }
    match letter {
        "N" => clean(&party.name),
        "O" => optional(party.company.as_ref()),
        "A" => party
            .lines
            .iter()
            .map(|line| clean(line))
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join(", ")
            .into(),
        "C" => clean(&party.city),
        "S" => optional(party.province.as_ref()),
        "Z" => optional(party.post_code.as_ref()),
        _ => Cow::Borrowed(""),
    }
}

fn is_latin(text: &str) -> bool {
    text.chars().all(|c| c < '\u{250}' || !c.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn party(code: &str, name: &str, line: &str, city: &str, province: &str, post_code: &str) -> Party {
        let optional = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Party {
            name: name.into(),
            company: None,
            lines: vec![line.into()],
            city: city.into(),
            province: optional(province),
            post_code: optional(post_code),
            country_code: CountryCode::parse(code).unwrap(),
            phone: None,
        }
    }

    #[test]
    fn each_country_has_its_order() {
        let cases: [(Party, &[&str]); 6] = [
            (
                party("GB", "Ann Lee", "1 Quay Street", "Bristol", "", "BS1 4DJ"),
                &["Ann Lee", "1 Quay Street", "BRISTOL", "BS1 4DJ"],
            ),
            (party("DE", "Jörg Groß", "Weg 1", "Köln", "", "50667"), &["Jörg Groß", "Weg 1", "50667 Köln"]),
            (
                party("US", "Bo Hill", "9 Elm", "Austin", "TX", "73301"),
                &["Bo Hill", "9 Elm", "AUSTIN, TX 73301"],
            ),
            (party("US", "Bo Hill", "9 Elm", "Austin", "", "73301"), &["Bo Hill", "9 Elm", "AUSTIN 73301"]),
            (
                party("JP", "山田 太郎", "神南1-2-3", "渋谷区", "東京都", "150-0041"),
                &["〒150-0041", "東京都渋谷区", "神南1-2-3", "山田 太郎"],
            ),
            (
                party("JP", "Taro Yamada", "1-2-3 Jinnan", "Shibuya", "Tokyo", "150-0041"),
                &["Taro Yamada", "1-2-3 Jinnan", "Shibuya, TOKYO", "150-0041"],
            ),
        ];
        for (party, wanted) in cases {
            assert_eq!(lines(&party, false), wanted, "{party:?}");
        }
    }

    #[test]
    fn abroad_the_country_closes_it() {
        let party = party("CH", "Urs", "Gasse 2", "Zürich", "", "8001");
        assert_eq!(lines(&party, true), ["Urs", "Gasse 2", "CH-8001 Zürich", "SWITZERLAND"]);
    }

    proptest! {
        #[test]
        fn no_country_loses_a_field(code in proptest::sample::select(model::places::country::CODES), province in "|[A-Z]{3}", zip in "|[0-9]{5}") {
            let party = party(code, "Name", "Line", "City", &province, &zip);
            let joined = lines(&party, true).join("|").to_uppercase();
            for wanted in ["NAME", "LINE", "CITY", &province, &zip] {
                prop_assert!(joined.contains(wanted), "{} {}", code, joined);
            }
            prop_assert!(!joined.contains('%') && !joined.contains("||") && !joined.contains("  "), "{}", joined);
        }
    }
}
