//! DEFLATE (RFC 1951) in a zlib stream (RFC 1950), as far as the compressors of this crate share it: symbols, the head of
//! a block, and the checksum.

use crate::huffman::{BitWriter, Codes, lengths};

/// The longest match, and the farthest.
pub(crate) const MATCH_MAX: usize = 258;
pub(crate) const DISTANCE_MAX: usize = 32_768;
/// Symbols for bytes, the end of a block and lengths; and symbols for distances.
pub(crate) const SYMBOLS: usize = 286;
pub(crate) const DISTANCES: usize = 30;
pub(crate) const END_OF_BLOCK: usize = 256;
/// The longest code, in bits; and the longest of the code that describes the codes.
pub(crate) const CODE_BITS_MAX: u8 = 15;
const META_BITS_MAX: u8 = 7;
/// The header of a zlib stream, before its DEFLATE stream: a window of 32 KiB, fast compression.
pub(crate) const ZLIB_HEADER: [u8; 2] = [0x78, 0x01];
pub(crate) const ADLER_MODULUS: u64 = 65_521;
/// Bytes after which the sums of Adler-32 are reduced: long before they overflow.
const ADLER_CHUNK: usize = 5_552;

/// The symbol of a match's length, and its extra bits: how many, and which.
pub(crate) fn length_symbol(length: usize) -> (usize, u32, u64) {
    match length {
        ..=10 => (254 + length, 0, 0),
        MATCH_MAX => (285, 0, 0),
        _ => {
            let rest = length - 3;
            let extra = rest.ilog2() - 2;
            let symbol = 257 + 4 * (extra as usize + 1) + (rest >> extra & 3);
            (symbol, extra, (rest & ((1 << extra) - 1)) as u64)
        }
    }
}

/// The symbol of a match's distance, and its extra bits.
pub(crate) fn distance_symbol(distance: usize) -> (usize, u32, u64) {
    let rest = distance - 1;
    if rest < 4 {
        return (rest, 0, 0);
    }
    let extra = rest.ilog2() - 1;
    (2 * (extra as usize + 1) + (rest >> extra & 1), extra, (rest & ((1 << extra) - 1)) as u64)
}

/// Writes the head of the last block: the lengths of its codes, themselves in code.
pub(crate) fn write_header(bits: &mut BitWriter, of_symbols: &[u8], of_distances: &[u8]) {
    const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    let used = |lengths: &[u8]| lengths.iter().rposition(|length| *length > 0).map_or(0, |last| last + 1);
    let (symbols, distances) = (used(of_symbols).max(257), used(of_distances).max(1));
    let metas = metas(&[&of_symbols[..symbols], &of_distances[..distances]].concat());
    let mut counts = [0_u32; 19];
    metas.iter().for_each(|meta| counts[meta.0] += 1);
    let of_metas = lengths(&counts, META_BITS_MAX);
    let shown = ORDER.iter().rposition(|symbol| of_metas[*symbol] > 0).map_or(4, |last| (last + 1).max(4));
    // The last block, with codes of its own.
    bits.write(0b101, 3);
    bits.write(symbols as u64 - 257, 5);
    bits.write(distances as u64 - 1, 5);
    bits.write(shown as u64 - 4, 4);
    ORDER[..shown].iter().for_each(|symbol| bits.write(u64::from(of_metas[*symbol]), 3));
    let codes = Codes::new(&of_metas);
    for (symbol, extra, rest) in metas {
        codes.write(bits, symbol);
        bits.write(rest, extra);
    }
}

/// Lengths of codes as symbols, with their extra bits: a length, or 16 to repeat it, or 17 or 18 for zeros.
fn metas(all: &[u8]) -> Vec<(usize, u32, u64)> {
    let mut metas = Vec::with_capacity(all.len());
    for run in all.chunk_by(|a, b| a == b) {
        let (value, mut left) = (usize::from(run[0]), run.len());
        if value > 0 {
            metas.push((value, 0, 0));
            left -= 1;
        }
        while left >= 3 {
            let (symbol, extra, least, most) = match (value, left) {
                (0, 11..) => (18, 7, 11, 138),
                (0, _) => (17, 3, 3, 10),
                _ => (16, 2, 3, 6),
            };
            let part = left.min(most);
            metas.push((symbol, extra, (part - least) as u64));
            left -= part;
        }
        metas.extend(std::iter::repeat_n((value, 0, 0), left));
    }
    metas
}

/// Returns the checksum that ends a zlib stream: Adler-32 of the uncompressed bytes.
pub(crate) fn adler(bytes: &[u8]) -> u32 {
    let (mut low, mut high) = (1_u64, 0_u64);
    for chunk in bytes.chunks(ADLER_CHUNK) {
        for byte in chunk {
            low += u64::from(*byte);
            high += low;
        }
        low %= ADLER_MODULUS;
        high %= ADLER_MODULUS;
    }
    joined((low, high))
}

/// The two sums of Adler-32 as one number.
pub(crate) fn joined((low, high): (u64, u64)) -> u32 {
    u32::try_from(((high % ADLER_MODULUS) << 16) | (low % ADLER_MODULUS)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_those_of_deflate() {
        let lengths = [
            (3, 257, 0),
            (10, 264, 0),
            (11, 265, 1),
            (18, 268, 1),
            (19, 269, 2),
            (257, 284, 5),
            (258, 285, 0),
        ];
        for (length, symbol, extra) in lengths {
            assert_eq!((length_symbol(length).0, length_symbol(length).1), (symbol, extra));
        }
        let distances = [
            (1, 0, 0),
            (4, 3, 0),
            (5, 4, 1),
            (8, 5, 1),
            (103, 13, 5),
            (128, 13, 5),
            (129, 14, 6),
            (32_768, 29, 13),
        ];
        for (distance, symbol, extra) in distances {
            assert_eq!((distance_symbol(distance).0, distance_symbol(distance).1), (symbol, extra));
        }
    }

    #[test]
    fn the_checksum_is_adler_32() {
        assert_eq!((adler(b""), adler(b"Wikipedia")), (1, 0x11e6_0398));
        // Sums that grow the fastest, over several chunks; the value is zlib's.
        assert_eq!(adler(&[255; 3 * ADLER_CHUNK + 7]), 0x08b5_d9aa);
    }
}
