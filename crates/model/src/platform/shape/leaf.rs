//! Validation of texts and numbers.

use serde_json::{Map, Number, Value};

use super::{Path, Pattern};
use crate::platform::nearest::counted;
use crate::platform::problem::{Issue, Issues, Result};

/// The error of a number that is not whole.
pub struct Fraction;

/// Returns the number if it is whole in any notation: `2`, `2.0` and `2e0` are the same. A number outside of the
/// range becomes its nearest end, which exceeds every limit.
pub fn whole(number: &Number) -> Result<i64, Fraction> {
    match (number.as_i64(), number.as_f64()) {
        (Some(whole), _) => Ok(whole),
        (None, Some(float)) if float.fract() == 0.0 => Ok(float as i64),
        _ => Err(Fraction),
    }
}

/// Returns the error of a text as a code and a sentence, or `None` if the text is valid.
pub fn check_text(
    text: &str,
    chars_min: usize,
    chars_max: usize,
    pattern: Option<&Pattern>,
) -> Result<(), (&'static str, String)> {
    let chars = text.chars().count();
    if chars < chars_min {
        return Err(("too_short", format!("Must have at least {}.", counted(chars_min, "character"))));
    }
    if chars > chars_max {
        return Err(("too_long", format!("Must have at most {}.", counted(chars_max, "character"))));
    }
    // PostgreSQL cannot store a NUL, and other control characters would be printed on labels.
    if text.chars().any(char::is_control) {
        return Err((
            "invalid_text",
            "Must not contain control characters, such as line breaks or tabs.".to_owned(),
        ));
    }
    if chars_min > 0 && !text.chars().any(is_visible) {
        return Err(("blank", "Must contain a visible character.".to_owned()));
    }
    match pattern {
        Some(pattern) if !(pattern.matches)(text) => {
            Err(("invalid_format", format!("Must match the pattern `{}`.", pattern.regex)))
        }
        _ => Ok(()),
    }
}

/// Rejects texts for printing without a visible character, in these fields and in the arrays that they hold. An empty
/// text counts as absent, because forms send their empty fields.
pub fn refuse_blank(object: &Map<String, Value>, fields: &[&str], at: &Path<'_>, issues: &mut Issues) {
    let is_blank = |text: &str| !text.is_empty() && !text.chars().any(is_visible);
    let blank = |place: &Path<'_>| Issue::new("blank", place, "Must contain a visible character.");
    for field in fields {
        let place = Path::Key(at, field);
        match object.get(*field) {
            Some(Value::String(text)) if is_blank(text) => issues.push(blank(&place)),
            Some(Value::Array(list)) => {
                let texts = list.iter().enumerate();
                let wrong = texts.filter(|(_, text)| text.as_str().is_some_and(is_blank));
                wrong.for_each(|(number, _)| issues.push(blank(&Path::Item(&place, number))));
            }
            _ => {}
        }
    }
}

/// Returns whether a character is visible on paper: it is not a space, a control character, or an invisible character
/// that people paste by accident, such as a zero-width space or a filler.
pub fn is_visible(char: char) -> bool {
    let is_shapeless = matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}');
    !char.is_whitespace() && !char.is_control() && !is_shapeless
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_needed_has_something_to_see() {
        for blank in
            [" ", "\u{200b}", "\u{a0}\u{3000}", "\u{feff} \u{2060}", "\u{3164}", "\u{2800}", "\u{202e}"]
        {
            assert_eq!(check_text(blank, 1, 255, None).map_err(|(code, _)| code), Err("blank"), "{blank:?}");
            assert_eq!(check_text(blank, 0, 255, None), Ok(()), "an optional text may be blank: {blank:?}");
        }
        for text in ["1", " a ", "東", "\u{200f}ש", "🏠\u{fe0f}", "-"] {
            assert_eq!(check_text(text, 1, 255, None), Ok(()), "{text:?}");
        }
    }
}
