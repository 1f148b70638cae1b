//! Code 128 with the shortest choice of its three character sets, and with FNC1, which makes it GS1-128.
//!
//! Set A has capitals and control characters, B has capitals and small letters, C has pairs of digits. A symbol may
//! change the set, or shift between A and B for one character. Dynamic programming from the end finds the shortest
//! encoding, so a barcode is never wider than necessary.

use super::BarcodeError;

/// Longest text that is encoded. No label has space for more.
pub const MAX_CHARACTERS: usize = 80;

const SHIFT: u8 = 98;
const FNC1: u8 = 102;
const START_A: u8 = 103;
const STOP: u8 = 106;

/// One element to encode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    Character(u8),
    Fnc1,
}

/// An encoded barcode: the values of its symbols, from start to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code128 {
    values: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    A = 0,
    B = 1,
    C = 2,
}

const SETS: [Set; 3] = [Set::A, Set::B, Set::C];

/// The next step of the encoding, in one set at one position.
#[derive(Debug, Clone, Copy)]
enum Step {
    Take(u8, usize),
    Shift(u8),
    Change(Set),
    End,
}

impl Code128 {
    /// Encodes ASCII text.
    pub fn new(text: &str) -> Result<Self, BarcodeError> {
        let mut elements = Vec::with_capacity(text.len());
        for c in text.chars() {
            let byte = u8::try_from(c).ok().filter(u8::is_ascii).ok_or(BarcodeError::Unencodable(c))?;
            elements.push(Element::Character(byte));
        }
        Self::encode(&elements)
    }

    /// Encodes a serial shipping container code (18 digits) as GS1-128, with its application identifier (00).
    pub fn sscc(digits: &str) -> Result<Self, BarcodeError> {
        let characters = b"00".iter().copied().chain(digits.bytes()).map(Element::Character);
        Self::encode(&std::iter::once(Element::Fnc1).chain(characters).collect::<Vec<_>>())
    }

    pub fn encode(elements: &[Element]) -> Result<Self, BarcodeError> {
        if elements.is_empty() {
            return Err(BarcodeError::Empty);
        }
        if elements.len() > MAX_CHARACTERS {
            return Err(BarcodeError::TooLong);
        }
        let plan = plan(elements);
        // Of equal lengths, C is preferred, then B, as most printers do.
        let first = [Set::C, Set::B, Set::A].into_iter().min_by_key(|set| plan[0][*set as usize].0);
        let mut set = first.unwrap_or(Set::B);
        let mut values = vec![START_A + set as u8];
        let mut at = 0;
        loop {
            match plan[at][set as usize].1 {
                Step::Take(value, count) => {
                    values.push(value);
                    at += count;
                }
                Step::Shift(value) => {
                    values.extend([SHIFT, value]);
                    at += 1;
                }
                Step::Change(other) => {
                    values.push(change(other));
                    set = other;
                }
                Step::End => break,
            }
        }
        let weighted =
            values.iter().zip(std::iter::once(1).chain(1_u32..)).map(|(v, weight)| u32::from(*v) * weight);
        let check = weighted.sum::<u32>() % 103;
        values.push(u8::try_from(check).unwrap_or_default());
        values.push(STOP);
        Ok(Self { values })
    }

    /// Returns the width in modules, without quiet zones.
    pub fn width(&self) -> usize {
        11 * self.values.len() + 2
    }

    /// Returns the modules from left to right; `true` is a bar.
    pub fn modules(&self) -> Vec<bool> {
        let mut modules = Vec::with_capacity(self.width());
        for value in &self.values {
            for (index, width) in PATTERNS[usize::from(*value)].bytes().enumerate() {
                modules.extend(std::iter::repeat_n(index % 2 == 0, usize::from(width - b'0')));
            }
        }
        modules
    }
}

/// Returns, for each position and set, the smallest number of symbols for the rest, and its first step.
fn plan(elements: &[Element]) -> Vec<[(usize, Step); 3]> {
    let mut plan = vec![[(0, Step::End); 3]; elements.len() + 1];
    for at in (0..elements.len()).rev() {
        let mut best = [(usize::MAX, Step::End); 3];
        for set in SETS {
            if let Some((value, count)) = take(elements, at, set) {
                best[set as usize] = (1 + plan[at + count][set as usize].0, Step::Take(value, count));
            }
            let other = match set {
                Set::A => Set::B,
                Set::B => Set::A,
                Set::C => continue,
            };
            if let (Element::Character(byte), Some((value, _))) = (elements[at], take(elements, at, other)) {
                let cost = 2 + plan[at + 1][set as usize].0;
                if cost < best[set as usize].0 && byte < 128 {
                    best[set as usize] = (cost, Step::Shift(value));
                }
            }
        }
        // A change of set is never followed by another change, so the best step without a change is enough.
        for set in SETS {
            let unchanged = best;
            for other in SETS {
                let cost = unchanged[other as usize].0.saturating_add(1);
                if other != set
                    && !matches!(unchanged[other as usize].1, Step::Change(_))
                    && cost < best[set as usize].0
                {
                    best[set as usize] = (cost, Step::Change(other));
                }
            }
        }
        plan[at] = best;
    }
    plan
}

/// Returns the value at a position in a set, and the number of elements that it encodes, or `None` if the set lacks
/// it.
fn take(elements: &[Element], at: usize, set: Set) -> Option<(u8, usize)> {
    let byte = match elements[at] {
        Element::Fnc1 => return Some((FNC1, 1)),
        Element::Character(byte) => byte,
    };
    match set {
        Set::A if byte < 32 => Some((byte + 64, 1)),
        Set::A if byte < 96 => Some((byte - 32, 1)),
        Set::B if (32..128).contains(&byte) => Some((byte - 32, 1)),
        Set::C => match elements.get(at + 1) {
            Some(Element::Character(next)) if byte.is_ascii_digit() && next.is_ascii_digit() => {
                Some(((byte - b'0') * 10 + (next - b'0'), 2))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Returns the symbol that changes to a set. It is the same in the two other sets.
fn change(to: Set) -> u8 {
    match to {
        Set::A => 101,
        Set::B => 100,
        Set::C => 99,
    }
}

/// Widths of bars and spaces, alternating, by value (ISO/IEC 15417).
#[rustfmt::skip]
const PATTERNS: [&str; 107] = [
    "212222", "222122", "222221", "121223", "121322", "131222", "122213", "122312", "132212", "221213",
    "221312", "231212", "112232", "122132", "122231", "113222", "123122", "123221", "223211", "221132",
    "221231", "213212", "223112", "312131", "311222", "321122", "321221", "312212", "322112", "322211",
    "212123", "212321", "232121", "111323", "131123", "131321", "112313", "132113", "132311", "211313",
    "231113", "231311", "112133", "112331", "132131", "113123", "113321", "133121", "313121", "211331",
    "231131", "213113", "213311", "213131", "311123", "311321", "331121", "312113", "312311", "332111",
    "314111", "221411", "431111", "111224", "111422", "121124", "121421", "141122", "141221", "112214",
    "112412", "122114", "122411", "142112", "142211", "241211", "221114", "413111", "241112", "134111",
    "111242", "121142", "121241", "114212", "124112", "124211", "411212", "421112", "421211", "212141",
    "214121", "412121", "111143", "111341", "131141", "114113", "114311", "411113", "411311", "113141",
    "114131", "311141", "411131", "211412", "211214", "211232", "2331112",
];

#[cfg(test)]
mod tests;
