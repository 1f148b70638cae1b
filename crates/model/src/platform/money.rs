//! Money: whole numbers of a currency's smallest unit. `1299` with `GBP` is £12.99, with `JPY` ¥1299.

use crate::platform::shape::{Kind, Shape};

/// The largest amount, in the smallest unit: larger than any postage, and small enough that sums do not overflow.
pub const AMOUNT_MAX: i64 = 1_000_000_000_000;

/// Currencies (ISO 4217), with the number of decimals of their smallest unit.
const CURRENCIES: &[(&str, u32)] = &[
    ("AED", 2),
    ("AFN", 2),
    ("ALL", 2),
    ("AMD", 2),
    ("AOA", 2),
    ("ARS", 2),
    ("AUD", 2),
    ("AWG", 2),
    ("AZN", 2),
    ("BAM", 2),
    ("BBD", 2),
    ("BDT", 2),
    ("BHD", 3),
    ("BIF", 0),
    ("BMD", 2),
    ("BND", 2),
    ("BOB", 2),
    ("BRL", 2),
    ("BSD", 2),
    ("BTN", 2),
    ("BWP", 2),
    ("BYN", 2),
    ("BZD", 2),
    ("CAD", 2),
    ("CDF", 2),
    ("CHF", 2),
    ("CLP", 0),
    ("CNY", 2),
    ("COP", 2),
    ("CRC", 2),
    ("CUP", 2),
    ("CVE", 2),
    ("CZK", 2),
    ("DJF", 0),
    ("DKK", 2),
    ("DOP", 2),
    ("DZD", 2),
    ("EGP", 2),
    ("ERN", 2),
    ("ETB", 2),
    ("EUR", 2),
    ("FJD", 2),
    ("FKP", 2),
    ("GBP", 2),
    ("GEL", 2),
    ("GHS", 2),
    ("GIP", 2),
    ("GMD", 2),
    ("GNF", 0),
    ("GTQ", 2),
    ("GYD", 2),
    ("HKD", 2),
    ("HNL", 2),
    ("HTG", 2),
    ("HUF", 2),
    ("IDR", 2),
    ("ILS", 2),
    ("INR", 2),
    ("IQD", 3),
    ("IRR", 2),
    ("ISK", 0),
    ("JMD", 2),
    ("JOD", 3),
    ("JPY", 0),
    ("KES", 2),
    ("KGS", 2),
    ("KHR", 2),
    ("KMF", 0),
    ("KPW", 2),
    ("KRW", 0),
    ("KWD", 3),
    ("KYD", 2),
    ("KZT", 2),
    ("LAK", 2),
    ("LBP", 2),
    ("LKR", 2),
    ("LRD", 2),
    ("LSL", 2),
    ("LYD", 3),
    ("MAD", 2),
    ("MDL", 2),
    ("MGA", 2),
    ("MKD", 2),
    ("MMK", 2),
    ("MNT", 2),
    ("MOP", 2),
    ("MRU", 2),
    ("MUR", 2),
    ("MVR", 2),
    ("MWK", 2),
    ("MXN", 2),
    ("MYR", 2),
    ("MZN", 2),
    ("NAD", 2),
    ("NGN", 2),
    ("NIO", 2),
    ("NOK", 2),
    ("NPR", 2),
    ("NZD", 2),
    ("OMR", 3),
    ("PAB", 2),
    ("PEN", 2),
    ("PGK", 2),
    ("PHP", 2),
    ("PKR", 2),
    ("PLN", 2),
    ("PYG", 0),
    ("QAR", 2),
    ("RON", 2),
    ("RSD", 2),
    ("RUB", 2),
    ("RWF", 0),
    ("SAR", 2),
    ("SBD", 2),
    ("SCR", 2),
    ("SDG", 2),
    ("SEK", 2),
    ("SGD", 2),
    ("SHP", 2),
    ("SLE", 2),
    ("SOS", 2),
    ("SRD", 2),
    ("SSP", 2),
    ("STN", 2),
    ("SVC", 2),
    ("SYP", 2),
    ("SZL", 2),
    ("THB", 2),
    ("TJS", 2),
    ("TMT", 2),
    ("TND", 3),
    ("TOP", 2),
    ("TRY", 2),
    ("TTD", 2),
    ("TWD", 2),
    ("TZS", 2),
    ("UAH", 2),
    ("UGX", 0),
    ("USD", 2),
    ("UYU", 2),
    ("UZS", 2),
    ("VED", 2),
    ("VES", 2),
    ("VND", 0),
    ("VUV", 0),
    ("WST", 2),
    ("XAF", 0),
    ("XCD", 2),
    ("XOF", 0),
    ("XPF", 0),
    ("YER", 2),
    ("ZAR", 2),
    ("ZMW", 2),
    ("ZWG", 2),
];

const fn codes() -> [&'static str; CURRENCIES.len()] {
    let mut codes = [""; CURRENCIES.len()];
    let mut place = 0;
    while place < CURRENCIES.len() {
        codes[place] = CURRENCIES[place].0;
        place += 1;
    }
    codes
}

static CODES: [&str; CURRENCIES.len()] = codes();

/// Returns the number of decimals of a currency's smallest unit.
pub fn decimals(currency: &str) -> Option<u32> {
    CURRENCIES.iter().find(|(code, _)| *code == currency).map(|(_, decimals)| *decimals)
}

/// Parses an amount as carriers write it, such as `6.07`, into the smallest unit of its currency. Finer digits are
/// rounded half up, once. Returns `None` if the text is not an amount.
pub fn parse_amount(text: &str, currency: &str) -> Option<i64> {
    let decimals = decimals(currency)? as usize;
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let (kept, rest) = fraction.split_at(fraction.len().min(decimals));
    let mut amount = format!("{whole}{kept:0<decimals$}").parse::<i64>().ok()?;
    if rest.as_bytes().first().is_some_and(|digit| *digit >= b'5') {
        amount = amount.checked_add(1)?;
    }
    (amount <= AMOUNT_MAX).then_some(if is_negative { -amount } else { amount })
}

/// Formats an amount for people and carriers: `12.99`.
pub fn show_amount(amount: i64, currency: &str) -> String {
    let decimals = decimals(currency).unwrap_or(2) as usize;
    let sign = if amount < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", amount.unsigned_abs(), width = decimals + 1);
    match decimals {
        0 => format!("{sign}{digits}"),
        _ => {
            let (whole, fraction) = digits.split_at(digits.len() - decimals);
            format!("{sign}{whole}.{fraction}")
        }
    }
}

/// A currency's code.
pub static CURRENCY: Shape = Shape::new(
    Kind::OneOf(&CODES),
    "ISO 4217, in capitals. It says what the smallest unit of an amount is: pence, cents, yen.",
)
.example(r#""GBP""#);
/// An amount that is not negative.
pub static AMOUNT: Shape = Shape::new(
    Kind::Amount { max: AMOUNT_MAX },
    "A whole number of the currency's smallest unit: `1299` with `GBP` is £12.99, with `JPY` ¥1299. A fraction is refused.",
)
.example("1299");

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts_are_read_exactly() {
        for (text, currency, amount) in [
            ("6.07", "USD", Some(607)),
            ("6.07000", "USD", Some(607)),
            ("6", "USD", Some(600)),
            ("0.005", "USD", Some(1)),
            ("0.0049", "USD", Some(0)),
            ("1299", "JPY", Some(1299)),
            ("1.5", "KWD", Some(1500)),
            ("-2.50", "GBP", Some(-250)),
            ("", "USD", None),
            ("1,5", "EUR", None),
            ("1.5.0", "EUR", None),
            ("1e3", "EUR", None),
            ("6.07", "XYZ", None),
            ("99999999999999999999", "USD", None),
        ] {
            assert_eq!(parse_amount(text, currency), amount, "{text} {currency}");
        }
        assert_eq!(show_amount(1299, "GBP"), "12.99");
        assert_eq!(show_amount(5, "KWD"), "0.005");
        assert_eq!(show_amount(-7, "JPY"), "-7");
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back(amount in -AMOUNT_MAX..AMOUNT_MAX, place in 0..CURRENCIES.len()) {
            let (currency, _) = CURRENCIES[place];
            prop_assert_eq!(parse_amount(&show_amount(amount, currency), currency), Some(amount));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,30}") {
            let _ = parse_amount(&text, "EUR");
        }
    }

    #[test]
    fn currencies_are_sorted_and_none_is_there_twice() {
        assert!(CURRENCIES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
