//! Texts of shops, in the form that the model accepts.

use model::platform::shape::is_visible;

/// Returns a text on one line: control characters become spaces, and it is cut at a number of characters. `None` if
/// nothing visible is left.
pub fn line(text: &str, chars_max: usize) -> Option<String> {
    let text: String = text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    let cut: String = text.trim().chars().take(chars_max).collect();
    let cut = cut.trim_end();
    cut.chars().any(is_visible).then(|| cut.to_owned())
}

/// Returns whether a text has a word, as a whole and in any case: `AB1` is no word of `AB12`.
pub fn has_word(text: &str, word: &str) -> bool {
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    if word.is_empty() {
        return false;
    }
    text.match_indices(&word).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_no_control_characters_and_ends_where_it_must() {
        assert_eq!(line(" a\nb\t", 10).as_deref(), Some("a b"));
        assert_eq!(line("ääää", 3).as_deref(), Some("äää"));
        assert_eq!(line("ab cd", 3).as_deref(), Some("ab"));
        for nothing in ["", " \n", "\u{200b}\u{feff}", "\0"] {
            assert_eq!(line(nothing, 10), None, "{nothing:?}");
        }
    }

    #[test]
    fn a_tracking_number_is_found_as_a_whole() {
        assert!(has_word("Sent, tracking sb123gb.", "SB123GB"));
        assert!(has_word("A-1, A-2", "A-2"));
        for other in ["SB123GBX", "1SB123GB", "SB123"] {
            assert!(!has_word(other, "SB123GB"), "{other}");
        }
        assert!(!has_word("anything", ""));
    }
}
