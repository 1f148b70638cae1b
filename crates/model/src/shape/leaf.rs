//! Texts and numbers: what they are held to, whatever they are part of.

use serde_json::Number;

use super::Pattern;
use crate::problem::Result;

/// A number that is not whole.
pub struct Fraction;

/// The number, if it is whole, however it is written: `2`, `2.0` and `2e0` are the same. What does not fit is brought to
/// the ends of the range, which no limit reaches.
pub fn whole(number: &Number) -> Result<i64, Fraction> {
    match (number.as_i64(), number.as_f64()) {
        (Some(whole), _) => Ok(whole),
        (None, Some(float)) if float.fract() == 0.0 => Ok(float as i64),
        _ => Err(Fraction),
    }
}

/// What is wrong with a text, where something is: a code and a sentence.
pub fn check_text(
    text: &str,
    chars_min: usize,
    chars_max: usize,
    pattern: Option<&Pattern>,
) -> Result<(), (&'static str, String)> {
    let chars = text.chars().count();
    if chars < chars_min {
        return Err(("too_short", format!("Must have at least {chars_min} characters.")));
    }
    if chars > chars_max {
        return Err(("too_long", format!("Must have at most {chars_max} characters.")));
    }
    // PostgreSQL can't keep a NUL, and other control characters end up on labels.
    if text.chars().any(char::is_control) {
        return Err(("invalid_text", "Must not contain control characters.".to_owned()));
    }
    match pattern {
        Some(pattern) if !(pattern.matches)(text) => {
            Err(("invalid_format", format!("Must match {}.", pattern.regex)))
        }
        _ => Ok(()),
    }
}
