//! Exact decimals: amounts as shops write them, which never become a float.

use model::platform::money::{AMOUNT_MAX, decimals};

/// Digits after the point that are kept. Further ones don't change an amount of any currency.
const SCALE_MAX: u32 = 12;
/// Digits before the point that an amount may have.
const WHOLE_DIGITS_MAX: usize = 15;
const ONE: i128 = 10_i128.pow(SCALE_MAX);

/// A decimal, in units of its last digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Decimal(i128);

impl Decimal {
    pub const ZERO: Self = Self(0);

    /// Parses a text such as `-12.990`. `None` if it is no decimal.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || whole.len() > WHOLE_DIGITS_MAX || !is_number(whole) || !is_number(fraction) {
            return None;
        }
        let kept = fraction.get(..fraction.len().min(SCALE_MAX as usize))?;
        let width = SCALE_MAX as usize;
        let units: i128 = format!("{whole}{kept:0<width$}").parse().ok()?;
        Some(Self(sign * units))
    }

    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    pub fn times(self, factor: i64) -> Self {
        Self(self.0.saturating_mul(i128::from(factor)))
    }

    pub fn is_positive(self) -> bool {
        self.0 > 0
    }

    pub fn magnitude(self) -> Self {
        Self(self.0.saturating_abs())
    }

    /// Returns the decimal as a whole number, if it is one.
    pub fn whole(self) -> Option<i64> {
        (self.0 % ONE == 0).then(|| i64::try_from(self.0 / ONE).ok()).flatten()
    }

    /// Returns an equal part of the amount in the smallest unit of its currency, rounded half up, once. `None` if the
    /// amount is negative or too large, or the currency is unknown.
    pub fn part_in(self, currency: &str, parts: i64) -> Option<i64> {
        let minor = self.0.checked_mul(10_i128.pow(decimals(currency)?))?;
        let divisor = ONE.checked_mul(i128::from(parts)).filter(|divisor| *divisor > 0)?;
        let rounded = minor.checked_add(divisor / 2)?.div_euclid(divisor);
        i64::try_from(rounded).ok().filter(|amount| self.0 >= 0 && *amount <= AMOUNT_MAX)
    }
}

#[cfg(test)]
mod tests {
    use model::platform::money::{parse_amount, show_amount};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_part_is_rounded_once() {
        for (text, currency, parts, amount) in [
            ("12.99", "GBP", 1, Some(1299)),
            ("10.00", "GBP", 3, Some(333)),
            ("20", "EUR", 3, Some(667)),
            ("0.0149", "EUR", 3, Some(0)),
            ("0.0150", "EUR", 3, Some(1)),
            ("1299", "JPY", 1, Some(1299)),
            ("1.5", "KWD", 1, Some(1500)),
            ("0.005", "USD", 1, Some(1)),
            ("-1", "USD", 1, None),
            ("1", "XXX", 1, None),
            ("1", "USD", 0, None),
            ("1", "USD", -1, None),
            ("999999999999999", "USD", 1, None),
        ] {
            let decimal = Decimal::parse(text).unwrap();
            assert_eq!(decimal.part_in(currency, parts), amount, "{text} {currency} / {parts}");
        }
        for other in ["", ".", ".5", "1,5", "1e3", "1.2.3", "--1", "0x1", "1234567890123456", "ä.1", "1.ä"]
        {
            assert_eq!(Decimal::parse(other), None, "{other}");
        }
    }

    #[test]
    fn sums_are_exact() {
        let of = |text| Decimal::parse(text).unwrap();
        assert_eq!(of("0.1").plus(of("0.2")), of("0.30"));
        assert_eq!(of("1.10").times(3).minus(of("3.3")), Decimal::ZERO);
        assert_eq!(of("-3").magnitude(), of("3"));
        assert_eq!([of("2.0").whole(), of("2.5").whole(), of("-1").whole()], [Some(2), None, Some(-1)]);
    }

    proptest! {
        #[test]
        fn an_amount_reads_as_the_model_reads_it(
            amount in 0..=AMOUNT_MAX,
            currency in prop::sample::select(&["EUR", "JPY", "KWD"][..]),
        ) {
            let text = show_amount(amount, currency);
            let read = Decimal::parse(&text).and_then(|decimal| decimal.part_in(currency, 1));
            prop_assert_eq!(read, Some(amount));
            prop_assert_eq!(read, parse_amount(&text, currency));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,40}|-?[0-9]{0,40}\\.?[0-9]{0,40}", parts in any::<i64>()) {
            if let Some(decimal) = Decimal::parse(&text) {
                let _ = (decimal.times(parts).plus(decimal).minus(decimal).whole(), decimal.part_in("KWD", parts));
            }
        }
    }
}
