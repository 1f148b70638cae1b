//! Writing CSV that spreadsheets open as it is meant.

use std::borrow::Cow;

use crate::cell::{FORMULA, is_guarded, quoted};

/// Returns the text with a `'` before it, if a spreadsheet would take it for a formula. Numbers stay as they are.
pub fn guard(text: &str) -> Cow<'_, str> {
    let is_number = text.parse::<f64>().is_ok();
    if text.starts_with(FORMULA) && !is_number { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// Returns the text so that no spreadsheet takes it for a formula, and that [`clean`](crate::clean) returns it as it was. Only blanks
/// at its ends are lost there.
pub fn escape(text: &str) -> Cow<'_, str> {
    if quoted(text).is_some() {
        // Excel's form of a code, which `clean` would open. In the same form once more, it is closed.
        Cow::Owned(format!("'=\"{}\"", text.replace('"', "\"\"")))
    } else if text.starts_with(FORMULA) || text.strip_prefix('\'').is_some_and(is_guarded) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Appends a record. Fields that need quotes get them.
pub fn write_record<'a>(out: &mut String, delimiter: u8, fields: impl IntoIterator<Item = &'a str>) {
    for (place, field) in fields.into_iter().enumerate() {
        if place > 0 {
            out.push(char::from(delimiter));
        }
        let is_special = |byte: u8| byte == delimiter || matches!(byte, b'"' | b'\r' | b'\n');
        if field.bytes().any(is_special) || field.starts_with(' ') || field.ends_with(' ') {
            out.push('"');
            out.push_str(&field.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(field);
        }
    }
    out.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cell::clean;
    use crate::{Csv, Encoding, Step};

    #[test]
    fn formulas_are_guarded_and_numbers_are_not() {
        assert_eq!(guard("=1+1"), "'=1+1");
        assert_eq!(guard("@a"), "'@a");
        assert_eq!(guard("-5"), "-5");
        assert_eq!(guard("-5 kg"), "'-5 kg");
        assert_eq!(guard("Ann"), "Ann");
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(fields in proptest::collection::vec("[-=a-z'\",;\n ]{0,12}", 2..5)) {
            let mut text = String::new();
            write_record(&mut text, b';', fields.iter().map(String::as_str));
            let mut csv = Csv::new(Encoding::Utf8, b';', 0);
            csv.feed(text.as_bytes());
            csv.finish();
            let Step::Record(record) = csv.step() else { panic!("no record") };
            prop_assert_eq!(record.fields, fields);
        }

        #[test]
        fn escaped_text_is_cleaned_to_what_it_was_and_is_no_formula(
            text in prop_oneof!["[-=+@'\"a-z0-9\t\r]{0,8}", "'{0,3}[-=+@]?[0-9 a]{0,3}", "=\"[a\"&]{0,4}\""]
        ) {
            let escaped = escape(&text);
            prop_assert!(!escaped.starts_with(FORMULA), "{}", escaped);
            let has_blank_end = text.ends_with(char::is_whitespace)
                || (text.starts_with(char::is_whitespace) && !text.starts_with(FORMULA));
            if !has_blank_end {
                prop_assert_eq!(clean(&escaped).into_owned(), text);
            }
        }

        #[test]
        fn guarded_text_is_cleaned_to_what_it_was(text in "[-=+@a-z][-=+@a-z']{0,8}") {
            prop_assert_eq!(clean(&guard(&text)).into_owned(), text);
        }
    }
}
