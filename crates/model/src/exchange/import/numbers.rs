//! Numbers as people write them: with a decimal comma or point, and with separators between thousands.

/// Languages that write a decimal comma, by their ISO 639 codes.
const COMMA_LANGUAGES: [&str; 39] = [
    "af", "be", "bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fr", "gl", "hr", "hu",
    "id", "is", "it", "ka", "kk", "lt", "lv", "mk", "nb", "nl", "nn", "no", "pl", "pt", "ro", "ru", "sk",
    "sl", "sr", "sv", "tr", "uk",
];
/// Regions that write a decimal point although their language has a comma elsewhere.
const POINT_REGIONS: [&str; 15] =
    ["CH", "LI", "MX", "US", "GT", "HN", "NI", "PA", "PE", "PR", "SV", "DO", "CU", "IN", "CN"];

/// Which character separates the whole part of a number from its decimals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DecimalMark {
    Point,
    Comma,
}

impl DecimalMark {
    /// Returns the mark of a locale such as `de-AT`. Without one, it is a point.
    pub fn of(locale: Option<&str>) -> Self {
        let mut parts = locale.unwrap_or("en").split(['-', '_']);
        let language = parts.next().unwrap_or_default().to_ascii_lowercase();
        let region = parts.find(|part| part.len() == 2).map(str::to_ascii_uppercase);
        let has_comma = COMMA_LANGUAGES.contains(&language.as_str()) || language == "vi";
        let is_exception = region.is_some_and(|region| POINT_REGIONS.contains(&region.as_str()));
        if has_comma && !is_exception { Self::Comma } else { Self::Point }
    }
}

/// Returns a number as programs write it, or `None` if the text is none. Separators between thousands must be where they belong:
/// `12,5` is no number where a comma separates thousands.
pub(super) fn plain_number(text: &str, mark: DecimalMark) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mark, separator) = match mark {
        DecimalMark::Point => ('.', ','),
        DecimalMark::Comma => (',', '.'),
    };
    let (whole, fraction) = match digits.split_once(mark) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let groups: Vec<&str> = whole.split([separator, ' ', '\u{a0}', '\u{202f}', '\'', '’']).collect();
    let is_grouped = groups.iter().enumerate().all(|(place, group)| {
        is_digits(group) && (groups.len() == 1 || place == 0 && group.len() <= 3 || group.len() == 3)
    });
    if !is_grouped || fraction.is_some_and(|fraction| !is_digits(fraction)) {
        return None;
    }
    let whole = groups.concat();
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(match fraction {
        Some(fraction) => format!("{sign}{whole}.{fraction}"),
        None => format!("{sign}{whole}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_say_which_mark_is_meant() {
        let of = |locale| DecimalMark::of(Some(locale));
        for comma in ["de", "de-DE", "fr_FR", "nl-NL", "pt-BR", "sr-Latn-RS"] {
            assert_eq!(of(comma), DecimalMark::Comma, "{comma}");
        }
        for point in ["en", "en-GB", "de-CH", "es-MX", "ja", "x"] {
            assert_eq!(of(point), DecimalMark::Point, "{point}");
        }
        assert_eq!(DecimalMark::of(None), DecimalMark::Point);
    }

    #[test]
    fn numbers_are_read_by_their_mark() {
        let (point, comma) =
            (|text| plain_number(text, DecimalMark::Point), |text| plain_number(text, DecimalMark::Comma));
        let number = |text: &str| Some(text.to_owned());
        assert_eq!(point("1,234.50"), number("1234.50"));
        assert_eq!(comma("1.234,50"), number("1234.50"));
        assert_eq!(comma("1 234,5"), number("1234.5"));
        assert_eq!(comma("0,5"), number("0.5"));
        assert_eq!(point("-007"), number("-7"));
        assert_eq!(point("0"), number("0"));
        for wrong in ["12,5", "1,23,456", "", ".", "1.", ".5", "1e3", "1.2.3", "--1", "12 5"] {
            assert_eq!(point(wrong), None, "{wrong}");
        }
        assert_eq!(comma("12.5"), None, "a point separates thousands there");
    }
}
