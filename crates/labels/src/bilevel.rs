//! Compresses the rows of a one-bit picture for a PNG.
//!
//! Labels are mostly white, and most of their rows equal the row above. A general compressor looks at every byte of such
//! a picture several times; this one looks at equal rows once, as a whole. Each row is written as it is or as the
//! difference from the row above, whichever has fewer bytes that matter. What remains is runs of a byte, single bytes,
//! and repeated rows, written as one DEFLATE block (RFC 1951) with Huffman codes of its own, in a zlib stream (RFC 1950).

use crate::deflate::{
    ADLER_MODULUS, CODE_BITS_MAX, DISTANCE_MAX, END_OF_BLOCK, MATCH_MAX, SYMBOLS, ZLIB_HEADER,
    distance_symbol, joined, length_symbol, write_header,
};
use crate::huffman::{BitWriter, Codes, lengths};
use crate::raster::Bitmap;

/// The filters of PNG that are used: a row as it is, and its difference from the row above.
const FILTER_NONE: u8 = 0;
const FILTER_UP: u8 = 2;

/// A shorter run costs no more as single bytes.
const RUN_MIN: usize = 5;

/// A byte, or a match: [`MATCH`], perhaps [`FAR`], and a length.
type Token = u32;
const MATCH: Token = 1 << 31;
/// Of the row above. Without it, the match repeats the byte before.
const FAR: Token = 1 << 30;

/// Compresses a bitmap's rows as the data of a PNG in greys of one bit, where 1 is white.
pub(crate) fn compress(bitmap: &Bitmap) -> Vec<u8> {
    let mut rows = Rows::new(bitmap.stride);
    let mut above: Option<&[u8]> = None;
    for row in bitmap.bytes.chunks_exact(bitmap.stride.max(1)) {
        rows.add(above, row);
        above = Some(row);
    }
    rows.finish()
}

/// How many groups of eight bytes differ between a row and the one above, or white.
fn words_that_differ(row: &[u8], above: Option<&[u8]>) -> usize {
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_ne_bytes);
    let words = row.chunks_exact(8);
    let rest = words.remainder();
    match above {
        Some(above) => {
            let others = above.chunks_exact(8);
            let is_rest_changed = usize::from(rest != others.remainder());
            is_rest_changed + words.zip(others).filter(|(a, b)| word(a) != word(b)).count()
        }
        None => {
            let is_rest_black = usize::from(rest.iter().any(|byte| *byte != 0));
            is_rest_black + words.filter(|bytes| word(bytes) != 0).count()
        }
    }
}

/// Rows on their way to tokens.
struct Rows {
    stride: usize,
    tokens: Vec<Token>,
    /// How often each symbol occurs.
    counts: [u32; SYMBOLS],
    /// Rows equal to the last that was written, not written yet.
    equal: usize,
    /// The filtered row, with room to read eight bytes at its end.
    filtered: Vec<u8>,
    /// The two sums of Adler-32.
    sums: (u64, u64),
}

impl Rows {
    fn new(stride: usize) -> Self {
        let tokens = Vec::with_capacity(16 << 10);
        Self { stride, tokens, counts: [0; SYMBOLS], equal: 0, filtered: vec![0; stride + 8], sums: (1, 0) }
    }

    fn add(&mut self, above: Option<&[u8]>, row: &[u8]) {
        if above == Some(row) {
            self.equal += 1;
            return;
        }
        self.write_equal();
        let above = above.filter(|above| words_that_differ(row, Some(above)) <= words_that_differ(row, None));
        // In the picture 1 is white, here it is black.
        match above {
            Some(above) => {
                let bytes = self.filtered.iter_mut().zip(row.iter().zip(above));
                bytes.for_each(|(filtered, (byte, above))| *filtered = above.wrapping_sub(*byte));
                self.row(FILTER_UP);
            }
            None => {
                self.filtered.iter_mut().zip(row).for_each(|(filtered, byte)| *filtered = !byte);
                self.row(FILTER_NONE);
            }
        }
    }

    /// Writes the filtered row.
    fn row(&mut self, filter: u8) {
        self.run(filter, 1);
        let mut at = 0;
        while at < self.stride {
            let byte = self.filtered[at];
            let repeated = u64::from_ne_bytes([byte; 8]);
            let mut end = at + 1;
            while let Some(Ok(bytes)) = self.filtered.get(end..end + 8).map(<[u8; 8]>::try_from) {
                let other = u64::from_le_bytes(bytes) ^ repeated;
                if other != 0 {
                    end += other.trailing_zeros() as usize / 8;
                    break;
                }
                end += 8;
            }
            let end = end.min(self.stride);
            self.run(byte, end - at);
            at = end;
        }
        self.sums.0 %= ADLER_MODULUS;
        self.sums.1 %= ADLER_MODULUS;
    }

    /// Writes rows that equal the one above: the first as zeros, the others as repetitions of it.
    fn write_equal(&mut self) {
        let (count, width) = (std::mem::take(&mut self.equal), self.stride + 1);
        if count == 0 {
            return;
        }
        self.filtered[..self.stride].fill(0);
        let can_repeat = (5..=DISTANCE_MAX).contains(&width);
        let written = if can_repeat { 1 } else { count };
        (0..written).for_each(|_| self.row(FILTER_UP));
        for _ in written..count {
            self.sums.0 = (self.sums.0 + u64::from(FILTER_UP)) % ADLER_MODULUS;
            self.sums.1 = (self.sums.1 + width as u64 * self.sums.0) % ADLER_MODULUS;
        }
        self.matches((count - written) * width, FAR);
    }

    /// Writes a byte several times.
    fn run(&mut self, byte: u8, count: usize) {
        let (value, times) = (u64::from(byte), count as u64);
        self.sums.1 += times * self.sums.0 + value * (times * (times + 1) / 2);
        self.sums.0 += value * times;
        if count < RUN_MIN {
            (0..count).for_each(|_| self.tokens.push(Token::from(byte)));
            self.counts[usize::from(byte)] += u32::try_from(count).unwrap_or_default();
        } else {
            self.tokens.push(Token::from(byte));
            self.counts[usize::from(byte)] += 1;
            self.matches(count - 1, 0);
        }
    }

    /// Writes matches of this length together, none shorter than DEFLATE allows.
    fn matches(&mut self, mut length: usize, flag: Token) {
        while length > 0 {
            let mut part = length.min(MATCH_MAX);
            if (1..3).contains(&(length - part)) {
                part -= 3;
            }
            self.tokens.push(MATCH | flag | Token::try_from(part).unwrap_or_default());
            self.counts[length_symbol(part).0] += 1;
            length -= part;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        self.write_equal();
        self.counts[END_OF_BLOCK] = 1;
        let mut bits = BitWriter::new(ZLIB_HEADER.to_vec());
        // A row that is too narrow or too wide to be repeated has no such match, but its distance needs a valid symbol.
        let (far, far_extra, far_rest) = distance_symbol((self.stride + 1).clamp(5, DISTANCE_MAX));
        let of_symbols = lengths(&self.counts, CODE_BITS_MAX);
        // Distances: the byte before, and the row above.
        let mut of_distances = vec![0; far + 1];
        (of_distances[0], of_distances[far]) = (1, 1);
        write_header(&mut bits, &of_symbols, &of_distances);
        let codes = Codes::new(&of_symbols);
        for token in &self.tokens {
            if token & MATCH == 0 {
                codes.write(&mut bits, *token as usize);
                continue;
            }
            let (symbol, extra, rest) = length_symbol((token & 0xffff) as usize);
            codes.write(&mut bits, symbol);
            bits.write(rest, extra);
            // The two distances have codes of one bit: the nearer comes first.
            if token & FAR == 0 {
                bits.write(0, 1);
            } else {
                bits.write(1, 1);
                bits.write(far_rest, far_extra);
            }
        }
        codes.write(&mut bits, END_OF_BLOCK);
        let mut bytes = bits.finish();
        bytes.extend_from_slice(&joined(self.sums).to_be_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Read as _;

    fn inflated(bytes: &[u8]) -> Vec<u8> {
        let mut raw = Vec::new();
        // It checks the sum, too.
        flate2::read::ZlibDecoder::new(bytes).read_to_end(&mut raw).unwrap();
        raw
    }

    /// The dots of filtered rows, as a reader of PNG undoes them; 1 is black.
    fn unfiltered(raw: &[u8], stride: usize) -> Vec<u8> {
        let mut above = vec![0; stride];
        let mut dots = Vec::new();
        for row in raw.chunks(stride + 1) {
            let bytes = row[1..].iter().zip(&above);
            above = match row[0] {
                FILTER_NONE => row[1..].to_vec(),
                _ => bytes.map(|(byte, above)| byte.wrapping_add(*above)).collect(),
            };
            dots.extend(above.iter().map(|byte| !byte));
        }
        dots
    }

    fn check(stride: usize, bytes: Vec<u8>) {
        let height = u32::try_from(bytes.len() / stride).unwrap();
        let bitmap = Bitmap { width: 8 * u32::try_from(stride).unwrap(), height, stride, bytes };
        assert_eq!(unfiltered(&inflated(&compress(&bitmap)), stride), bitmap.bytes);
    }

    #[test]
    fn equal_rows_of_every_number_and_width_read_back() {
        for stride in [1, 2, 3, 4, 5, 101, 102, 257, 258, 259, 300, 33_000] {
            for count in [1, 2, 3, 4, 5, 1_218] {
                check(stride, [7, 0, 255].repeat(stride).repeat(count.min(2_000_000 / stride))[..].to_vec());
                check(stride, vec![0; stride * count.min(2_000_000 / stride)]);
            }
        }
    }

    proptest! {
        #[test]
        fn every_picture_reads_back(
            stride in 1_usize..260,
            rows in proptest::collection::vec((any::<prop::sample::Index>(), 1_usize..9, any::<u8>(), any::<bool>()), 1..20)
        ) {
            let mut bytes = Vec::new();
            for (place, times, byte, is_noise) in rows {
                let mut row = vec![if is_noise { byte } else { 0 }; stride];
                for n in 0..if is_noise { stride } else { 1 } {
                    row[(place.index(stride) + n * n) % stride] = byte.wrapping_mul(n as u8 | 1);
                }
                bytes.extend(row.repeat(times));
            }
            check(stride, bytes);
        }
    }
}
