//! Suggestions for misspelt words: the known word that the caller most likely meant.

/// Longest word that is compared, in characters. It limits the cost of a comparison.
const WORD_CHARS_MAX: usize = 64;

/// Words that are often confused although their spelling differs: country codes that are not ISO 3166-1 alpha-2. Each
/// suggests the other word, if that one is known.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("UK", "GB"),
    ("GBR", "GB"),
    ("EN", "GB"),
    ("ENG", "GB"),
    ("EL", "GR"),
    ("USA", "US"),
    ("AUS", "AU"),
    ("AUT", "AT"),
    ("BEL", "BE"),
    ("BRA", "BR"),
    ("CAN", "CA"),
    ("CHE", "CH"),
    ("CHN", "CN"),
    ("DEU", "DE"),
    ("GER", "DE"),
    ("DNK", "DK"),
    ("ESP", "ES"),
    ("FRA", "FR"),
    ("IND", "IN"),
    ("IRL", "IE"),
    ("ITA", "IT"),
    ("JPN", "JP"),
    ("MEX", "MX"),
    ("NLD", "NL"),
    ("NOR", "NO"),
    ("POL", "PL"),
    ("PRT", "PT"),
    ("SWE", "SE"),
];

/// Returns the known word that is most similar to the given one, or `None` if none is close enough to be a
/// misspelling.
///
/// Case and the choice of separator (`-`, `_`, a space) are ignored. Beyond that, a word of three to five characters
/// may differ by one edit, one of up to nine by two, and a longer one by three. An edit inserts, deletes or replaces
/// a character, or swaps two neighbours.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if given.chars().nth(WORD_CHARS_MAX).is_some() {
        return None;
    }
    let wanted = normal(given);
    let alias = ALIASES.iter().find(|(wrong, _)| wrong.eq_ignore_ascii_case(given)).map(|(_, right)| *right);
    let edits_max = match wanted.len() {
        0..=2 => 0,
        3..=5 => 1,
        6..=9 => 2,
        _ => 3,
    };
    let mut best: Option<(usize, &str)> = None;
    for word in known {
        if alias == Some(word) {
            return Some(word);
        }
        let candidate = normal(word);
        if candidate.is_empty() || candidate.len().abs_diff(wanted.len()) > edits_max {
            continue;
        }
        let edits = distance(&wanted, &candidate);
        if edits <= edits_max && best.is_none_or(|(fewest, _)| edits < fewest) {
            best = Some((edits, word));
        }
    }
    best.map(|(_, word)| word)
}

/// Returns the sentence that suggests the nearest word, with a space before it, or an empty text.
pub fn suggestion<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(given, known).map_or_else(String::new, |word| format!(" Did you mean {word}?"))
}

/// Returns a count with its noun in the right form: `1 character`, `2 characters`, `1 entry`, `2 entries`.
pub fn counted(count: usize, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {noun}s"),
    }
}

fn normal(word: &str) -> Vec<char> {
    word.chars().map(|char| if matches!(char, '-' | ' ') { '_' } else { char.to_ascii_lowercase() }).collect()
}

/// Returns the number of edits between two words (optimal string alignment). Three rows of the table are enough.
fn distance(one: &[char], other: &[char]) -> usize {
    let width = other.len() + 1;
    let mut before = vec![0; width];
    let mut above: Vec<usize> = (0..width).collect();
    for (row, char) in one.iter().enumerate() {
        let mut current = vec![row + 1; width];
        for (column, known) in other.iter().enumerate() {
            let replaced = above[column] + usize::from(char != known);
            let mut edits = replaced.min(above[column + 1] + 1).min(current[column] + 1);
            let is_swap = row > 0 && column > 0 && one[row - 1] == *known && *char == other[column - 1];
            if is_swap {
                edits = edits.min(before[column - 1] + 1);
            }
            current[column + 1] = edits;
        }
        before = std::mem::replace(&mut above, current);
    }
    above[width - 1]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_nearest_word_is_what_was_meant() {
        let fields = ["name", "address", "tags", "marketplaces", "coordinates"];
        let cases = [
            ("nmae", Some("name")),
            ("adress", Some("address")),
            ("Marketplaces", Some("marketplaces")),
            ("market-places", Some("marketplaces")),
            ("coordinate", Some("coordinates")),
            ("colour", None),
            ("", None),
            ("x", None),
        ];
        for (given, expected) in cases {
            assert_eq!(nearest(given, fields), expected, "{given}");
        }
        assert_eq!(nearest(&"n".repeat(10_000), fields), None);
    }

    #[test]
    fn a_number_agrees_with_its_noun() {
        assert_eq!(counted(1, "character"), "1 character");
        assert_eq!(counted(0, "character"), "0 characters");
        assert_eq!(
            (counted(1, "entry"), counted(2, "entry")),
            ("1 entry".to_owned(), "2 entries".to_owned())
        );
    }

    proptest! {
        #[test]
        fn distance_is_a_measure(one in "[a-c]{0,6}", other in "[a-c]{0,6}") {
            let (one, other) = (normal(&one), normal(&other));
            let edits = distance(&one, &other);
            prop_assert_eq!(edits, distance(&other, &one));
            prop_assert_eq!(edits == 0, one == other);
            prop_assert!(edits >= one.len().abs_diff(other.len()) && edits <= one.len().max(other.len()));
        }
    }
}
