//! The labels that the sandbox makes itself: GIF pictures in black and white, as some carriers deliver them, with bars that follow
//! from the tracking number.

use std::collections::HashMap;

/// Four by three inches at 203 dpi.
const WIDTH: u16 = 812;
const HEIGHT: u16 = 609;
/// The margin around the bars, and the width of one, in dots.
const MARGIN: u16 = 40;
const BAR: u16 = 4;
const BLACK: u8 = 0;
const WHITE: u8 = 1;
/// Bits of a dot in the compression: GIF has none below two.
const DOT_BITS: u32 = 2;
const CODES_MAX: u16 = 4096;

/// Draws the label of a package.
pub fn label(tracking_number: &str) -> Vec<u8> {
    let mut file = b"GIF89a".to_vec();
    let size = [WIDTH.to_le_bytes(), HEIGHT.to_le_bytes()].concat();
    file.extend_from_slice(&size);
    // A palette of two colours: black and white.
    file.extend_from_slice(&[0x80, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff]);
    file.extend_from_slice(&[0x2c, 0, 0, 0, 0]);
    file.extend_from_slice(&size);
    file.extend_from_slice(&[0, DOT_BITS as u8]);
    let row = row(tracking_number);
    let blank = vec![WHITE; usize::from(WIDTH)];
    let has_bars = |y: u16| (MARGIN..HEIGHT - MARGIN).contains(&y);
    let dots = (0..HEIGHT).flat_map(|y| if has_bars(y) { &row } else { &blank }).copied();
    for block in compressed(dots).chunks(255) {
        file.push(block.len() as u8);
        file.extend_from_slice(block);
    }
    file.extend_from_slice(&[0, 0x3b]);
    file
}

/// Returns a row of dots: a bar for each bit of the text that is set.
fn row(text: &str) -> Vec<u8> {
    let bits: Vec<bool> = text.bytes().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1)).collect();
    let bar = |x: u16| x.checked_sub(MARGIN).is_some_and(|x| bits.get(usize::from(x / BAR)) == Some(&true));
    (0..WIDTH).map(|x| if bar(x) && x < WIDTH - MARGIN { BLACK } else { WHITE }).collect()
}

/// Codes of growing length, the least significant bit first.
#[derive(Default)]
struct Codes {
    bytes: Vec<u8>,
    bits: u32,
    count: u32,
}

impl Codes {
    fn put(&mut self, code: u16, bits: u32) {
        self.bits |= u32::from(code) << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.bytes.push(self.bits.to_le_bytes()[0]);
            self.bits >>= 8;
            self.count -= 8;
        }
    }
}

/// Compresses dots as GIF wants them. A code stands for the dots of an earlier code and one more.
fn compressed(mut dots: impl Iterator<Item = u8>) -> Vec<u8> {
    let clear = 1_u16 << DOT_BITS;
    let (mut codes, mut known, mut bits) = (Codes::default(), HashMap::new(), DOT_BITS + 1);
    let mut next = clear + 2;
    codes.put(clear, bits);
    let mut prefix = u16::from(dots.next().unwrap_or(WHITE));
    for dot in dots {
        if let Some(code) = known.get(&(prefix, dot)) {
            prefix = *code;
            continue;
        }
        codes.put(prefix, bits);
        if next == CODES_MAX {
            codes.put(clear, bits);
            (bits, next) = (DOT_BITS + 1, clear + 2);
            known.clear();
        } else {
            if next == 1 << bits {
                bits += 1;
            }
            known.insert((prefix, dot), next);
            next += 1;
        }
        prefix = u16::from(dot);
    }
    codes.put(prefix, bits);
    if next == 1 << bits && next < CODES_MAX {
        bits += 1;
    }
    codes.put(clear + 1, bits);
    codes.put(0, 7);
    codes.bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_different_labels_and_they_are_small() {
        let (one, other) = (label("SB123456785GB"), label("SB473124829GB"));
        assert!(one != other && one == label("SB123456785GB"));
        assert!(
            one.starts_with(b"GIF89a") && one.ends_with(&[0, 0x3b]) && one.len() < 20_000,
            "{}",
            one.len()
        );
    }
}
