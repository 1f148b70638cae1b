//! The text of a field, without what spreadsheets put around it.

use std::borrow::Cow;

/// Characters with which a spreadsheet takes a text for a formula.
pub(crate) const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Returns the text that a field means: without blanks at its ends, without Excel's `="…"` around codes that must keep their
/// zeros, and without the `'` that keeps a text from being taken for a formula.
pub fn clean(field: &str) -> Cow<'_, str> {
    let mut text = field.trim();
    if let Some(rest) = text.strip_prefix('\'')
        && is_guarded(rest)
    {
        text = rest;
    }
    match quoted(text) {
        Some(code) if code.contains('"') => Cow::Owned(code.replace("\"\"", "\"")),
        Some(code) => Cow::Borrowed(code),
        None => Cow::Borrowed(text),
    }
}

/// Returns what is inside of Excel's `="…"`.
pub(crate) fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"'))
}

/// Returns whether a `'` before this text is none of its own. A text that begins with such a `'` itself gets another one.
pub(crate) fn is_guarded(text: &str) -> bool {
    text.starts_with(FORMULA) || is_code(text) || text.strip_prefix('\'').is_some_and(is_guarded)
}

/// Returns whether a text is a code of digits, which a spreadsheet would take for a number: Shopify writes post codes as `'02134`.
fn is_code(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_spreadsheets_add_is_removed() {
        assert_eq!(clean("=\"00123\""), "00123");
        assert_eq!(clean("=\"a \"\"b\"\"\""), "a \"b\"");
        assert_eq!(clean("'=SUM(A1)"), "=SUM(A1)");
        assert_eq!(clean("'-5"), "-5");
        assert_eq!(clean("'s-Hertogenbosch"), "'s-Hertogenbosch", "an apostrophe of a name stays");
        assert_eq!(clean("  a b\u{a0} "), "a b");
        assert_eq!(clean("'02134-1000"), "02134-1000");
        assert_eq!(clean("'=\"00123\""), "00123", "a file of errors that is sent again");
        assert_eq!(clean("'90s shirt"), "'90s shirt");
        assert_eq!(clean("=A1"), "=A1");
        assert_eq!(clean("=\""), "=\"");
        assert_eq!(clean(""), "");
    }
}
