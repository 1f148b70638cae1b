//! The values of digits: what identifiers and secrets are read with, since each request names some.

/// What [`Digits::value`] returns for a byte that is no digit.
const NONE: u8 = u8::MAX;

/// The digits of a number system, by their byte.
pub struct Digits([u8; 256]);

impl Digits {
    /// Makes the table of an alphabet, whose digits are in the order of their values.
    pub const fn new(alphabet: &[u8]) -> Self {
        assert!(alphabet.len() < NONE as usize);
        let mut values = [NONE; 256];
        let mut value = 0;
        while value < alphabet.len() {
            values[alphabet[value] as usize] = value as u8;
            value += 1;
        }
        Self(values)
    }

    /// Returns the value of a digit, or `None` if the byte is none.
    pub fn value(&self, digit: u8) -> Option<u8> {
        let value = self.0[usize::from(digit)];
        (value != NONE).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_digits_have_a_value() {
        let digits = Digits::new(b"01ab");
        for byte in 0..=u8::MAX {
            let place = b"01ab".iter().position(|known| *known == byte);
            assert_eq!(digits.value(byte).map(usize::from), place);
        }
    }
}
