//! Code 128 against an independent reader, and against the shortest encoding found by exhaustive search.

use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

/// Decodes symbol values as ISO/IEC 15417 specifies for a scanner. Returns `None` if they are not a barcode.
fn read(values: &[u8]) -> Option<Vec<Element>> {
    let (start, rest) = values.split_first()?;
    let (stop, rest) = rest.split_last()?;
    let (check, body) = rest.split_last()?;
    let sum =
        body.iter().enumerate().fold(u32::from(*start), |sum, (n, v)| sum + (n as u32 + 1) * u32::from(*v));
    if !(103..=105).contains(start) || *stop != 106 || sum % 103 != u32::from(*check) {
        return None;
    }
    let (mut set, mut shifted, mut read) = (b"ABC"[usize::from(start - 103)], None, Vec::new());
    for value in body {
        let now = shifted.take().unwrap_or(set);
        match (now, *value) {
            (b'C', 0..=99) => read.extend([value / 10, value % 10].map(|d| Element::Character(d + b'0'))),
            (_, 102) => read.push(Element::Fnc1),
            (b'A', 0..=63) | (b'B', 0..=95) => read.push(Element::Character(value + 32)),
            (b'A', 64..=95) => read.push(Element::Character(value - 64)),
            (b'A', 98) => shifted = Some(b'B'),
            (b'B', 98) => shifted = Some(b'A'),
            (b'A' | b'B', 99) => set = b'C',
            (b'A' | b'C', 100) => set = b'B',
            (b'B' | b'C', 101) => set = b'A',
            _ => return None,
        }
    }
    shifted.is_none().then_some(read)
}

/// Returns the number of symbols between start and check in the shortest encoding, by breadth-first search.
fn shortest(elements: &[Element]) -> usize {
    let mut reached: HashSet<(usize, u8)> = b"ABC".iter().map(|set| (0, *set)).collect();
    for length in 0.. {
        if reached.iter().any(|(at, _)| *at == elements.len()) {
            return length;
        }
        let mut next = HashSet::new();
        for (at, set) in &reached {
            next.extend(b"ABC".iter().filter(|other| *other != set).map(|other| (*at, *other)));
            // A shift takes two symbols. The state between them is written as a small letter.
            next.extend((b"AB".contains(set)).then(|| (*at, set.to_ascii_lowercase())));
            let in_a = |byte: u8| byte < 96;
            let in_b = |byte: u8| byte >= 32;
            let is_digit = |n: usize| matches!(elements.get(n), Some(Element::Character(b'0'..=b'9')));
            match (set, elements.get(*at)) {
                (b'A' | b'B' | b'C', Some(Element::Fnc1)) => _ = next.insert((at + 1, *set)),
                (b'A', Some(Element::Character(c))) if in_a(*c) => _ = next.insert((at + 1, *set)),
                (b'B', Some(Element::Character(c))) if in_b(*c) => _ = next.insert((at + 1, *set)),
                (b'a', Some(Element::Character(c))) if in_b(*c) => _ = next.insert((at + 1, b'A')),
                (b'b', Some(Element::Character(c))) if in_a(*c) => _ = next.insert((at + 1, b'B')),
                (b'C', _) if is_digit(*at) && is_digit(at + 1) => _ = next.insert((at + 2, *set)),
                _ => {}
            }
        }
        reached = next;
    }
    unreachable!()
}

#[test]
fn examples_have_the_known_values() {
    // From the standard: an SSCC begins with start C and FNC1.
    let sscc = Code128::sscc("376104250021234569").unwrap();
    assert_eq!(sscc.values[..4], [105, 102, 0, 37]);
    assert_eq!(sscc.width(), 156);
    // Wikipedia's PJJ123C. Its check is 54 in set A, and one more in B, whose start symbol is one more.
    let text = Code128::new("PJJ123C").unwrap();
    assert_eq!(text.values, [104, 48, 42, 42, 17, 18, 19, 35, 55, 106]);
}

#[test]
fn every_pattern_is_eleven_modules_and_unique() {
    let unique: HashSet<_> = PATTERNS.iter().collect();
    assert_eq!(unique.len(), 107);
    for (value, pattern) in PATTERNS.iter().enumerate() {
        let widths: Vec<u8> = pattern.bytes().map(|b| b - b'0').collect();
        assert_eq!(widths.iter().sum::<u8>(), if value == 106 { 13 } else { 11 });
        // The widths of a symbol's bars add up to an even number of modules.
        let bars: u8 = widths.iter().step_by(2).sum();
        assert!(value == 106 || bars.is_multiple_of(2), "{value}");
    }
}

#[test]
fn what_it_cannot_hold_is_refused() {
    assert_eq!(Code128::new(""), Err(BarcodeError::Empty));
    assert_eq!(Code128::new("Zoë"), Err(BarcodeError::Unencodable('ë')));
    assert_eq!(Code128::new(&"1".repeat(81)), Err(BarcodeError::TooLong));
}

fn elements() -> impl Strategy<Value = Vec<Element>> {
    let one = prop_oneof![
        4 => (b'0'..=b'9').prop_map(Element::Character),
        2 => (0_u8..128).prop_map(Element::Character),
        1 => prop_oneof![Just(b'a'), Just(b'A'), Just(0_u8)].prop_map(Element::Character),
        1 => Just(Element::Fnc1),
    ];
    proptest::collection::vec(one, 1..12)
}

proptest! {
    #[test]
    fn it_reads_back_and_no_encoding_is_shorter(elements in elements()) {
        let code = Code128::encode(&elements).unwrap();
        prop_assert_eq!(read(&code.values), Some(elements.clone()));
        prop_assert_eq!(code.values.len() - 3, shortest(&elements));
        prop_assert_eq!(code.modules().len(), code.width());
    }

    #[test]
    fn long_texts_read_back(text in "[ -~]{1,80}") {
        let code = Code128::new(&text).unwrap();
        let wanted: Vec<_> = text.bytes().map(Element::Character).collect();
        prop_assert_eq!(read(&code.values), Some(wanted));
    }
}
