//! Compresses the commands that draw a page of a PDF, as a zlib stream with one DEFLATE block.
//!
//! A page has a few kilobytes of short commands that resemble each other. For so little, a general compressor spends its
//! time on clearing large tables and on matches of three or four bytes, of which there are thousands. Here only matches
//! of [`MATCH_MIN`] bytes and more are looked for. Single bytes take no more room than the shorter matches would, because
//! numbers and operators use few different bytes, whose codes are short.

use crate::deflate::{
    CODE_BITS_MAX, DISTANCE_MAX, DISTANCES, END_OF_BLOCK, MATCH_MAX, SYMBOLS, ZLIB_HEADER, adler,
    distance_symbol, length_symbol, write_header,
};
use crate::huffman::{BitWriter, Codes, lengths};

/// The shortest match that is looked for, in bytes.
const MATCH_MIN: usize = 6;
/// Earlier places that are compared, at most. With 3, some pages are larger than a general compressor makes them.
const PROBES: usize = 8;
/// Bytes that are compared at once.
const WORD: usize = 8;
/// A page has about as many places as the hash has values.
const HASH_BITS: u32 = 12;
/// Spreads words over the values of the hash: 2⁶⁴ divided by the golden ratio.
const HASH_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// A repetition of the bytes that are `distance` bytes before.
#[derive(Clone, Copy)]
struct Match {
    length: usize,
    distance: usize,
}

enum Token {
    Byte(u8),
    Match(Match),
}

/// Compresses bytes as a zlib stream.
pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    let (mut finder, mut tokens) = (Finder::new(bytes), Tokens::new());
    let mut at = 0;
    while at < bytes.len() {
        let Some(mut found) = finder.find(at) else {
            tokens.byte(bytes[at]);
            at += 1;
            continue;
        };
        // A longer match that begins one byte later is worth that byte.
        while let Some(next) = finder.find(at + 1).filter(|next| next.length > found.length) {
            tokens.byte(bytes[at]);
            at += 1;
            found = next;
        }
        tokens.repeat(found);
        // The place behind the first was entered above.
        (at + 2..at + found.length).for_each(|place| _ = finder.enter(place));
        at += found.length;
    }
    tokens.write(adler(bytes))
}

/// Returns the eight bytes from a place on, or `None` if fewer are left.
#[inline]
fn word_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk::<WORD>().map(|word| u64::from_le_bytes(*word))
}

/// Finds earlier places that begin with the same bytes. Places are kept plus one; zero is none.
struct Finder<'a> {
    bytes: &'a [u8],
    /// By hash: the last place that was entered.
    last: Vec<u32>,
    /// By place: the place with the same hash that was entered before it.
    before: Vec<u32>,
}

impl<'a> Finder<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, last: vec![0; 1 << HASH_BITS], before: vec![0; bytes.len()] }
    }

    /// Enters a place, so that later ones find it. Returns the place with the same hash before it.
    #[inline]
    fn enter(&mut self, at: usize) -> u32 {
        // Within the last few bytes there is nothing to gain.
        let Some(word) = word_at(self.bytes, at) else { return 0 };
        let first = word << (8 * (WORD - MATCH_MIN));
        let hash = usize::try_from(first.wrapping_mul(HASH_FACTOR) >> (64 - HASH_BITS)).unwrap_or_default();
        // A place beyond the range counts as none, so it is never found.
        let place = u32::try_from(at + 1).unwrap_or_default();
        let before = std::mem::replace(&mut self.last[hash], place);
        self.before[at] = before;
        before
    }

    /// Enters a place. Returns the longest match of the last few places with the same hash.
    fn find(&mut self, at: usize) -> Option<Match> {
        let mut best: Option<Match> = None;
        let mut next = self.enter(at) as usize;
        for _ in 0..PROBES {
            let Some(place) = next.checked_sub(1).filter(|place| at - place <= DISTANCE_MAX) else { break };
            let length = self.common(place, at);
            if length >= best.map_or(MATCH_MIN, |best| best.length + 1) {
                best = Some(Match { length, distance: at - place });
            }
            next = self.before[place] as usize;
        }
        best
    }

    /// How many bytes are equal from two places on, up to the longest match.
    fn common(&self, early: usize, late: usize) -> usize {
        let most = MATCH_MAX.min(self.bytes.len() - late);
        let (early, late) = (&self.bytes[early..early + most], &self.bytes[late..]);
        let mut length = 0;
        while let (Some(one), Some(other)) = (word_at(early, length), word_at(late, length)) {
            if one != other {
                return length + (one ^ other).trailing_zeros() as usize / 8;
            }
            length += WORD;
        }
        length + early[length..].iter().zip(&late[length..]).take_while(|(one, other)| one == other).count()
    }
}

/// Bytes and matches in order, and how often each symbol occurs.
struct Tokens {
    all: Vec<Token>,
    symbols: [u32; SYMBOLS],
    distances: [u32; DISTANCES],
}

impl Tokens {
    fn new() -> Self {
        let mut symbols = [0; SYMBOLS];
        symbols[END_OF_BLOCK] = 1;
        Self { all: Vec::with_capacity(2_048), symbols, distances: [0; DISTANCES] }
    }

    fn byte(&mut self, byte: u8) {
        self.symbols[usize::from(byte)] += 1;
        self.all.push(Token::Byte(byte));
    }

    fn repeat(&mut self, found: Match) {
        self.symbols[length_symbol(found.length).0] += 1;
        self.distances[distance_symbol(found.distance).0] += 1;
        self.all.push(Token::Match(found));
    }

    /// Writes the stream. The checksum is that of the bytes that the tokens stand for.
    fn write(self, checksum: u32) -> Vec<u8> {
        let mut bits = BitWriter::new(ZLIB_HEADER.to_vec());
        let [of_symbols, of_distances] =
            [&self.symbols[..], &self.distances[..]].map(|counts| lengths(counts, CODE_BITS_MAX));
        write_header(&mut bits, &of_symbols, &of_distances);
        let [symbols, distances] = [&of_symbols, &of_distances].map(|lengths| Codes::new(lengths));
        for token in &self.all {
            match token {
                Token::Byte(byte) => symbols.write(&mut bits, usize::from(*byte)),
                Token::Match(Match { length, distance }) => {
                    let (symbol, extra, rest) = length_symbol(*length);
                    symbols.write(&mut bits, symbol);
                    bits.write(rest, extra);
                    let (symbol, extra, rest) = distance_symbol(*distance);
                    distances.write(&mut bits, symbol);
                    bits.write(rest, extra);
                }
            }
        }
        symbols.write(&mut bits, END_OF_BLOCK);
        let mut bytes = bits.finish();
        bytes.extend_from_slice(&checksum.to_be_bytes());
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
        // The decoder checks the checksum, too.
        flate2::read::ZlibDecoder::new(bytes).read_to_end(&mut raw).unwrap();
        raw
    }

    /// Bytes without any repetition worth the name: a linear congruential generator.
    fn noise(count: usize) -> Vec<u8> {
        let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        std::iter::successors(Some(1), next).map(|state| state.to_be_bytes()[0]).take(count).collect()
    }

    #[test]
    fn texts_of_every_length_and_distance_read_back() {
        for text in [&b""[..], b"a", b"aaaaaaa", b"aaaaaaaa", &[7; 257], &[7; 258], &[7; 259], &[7; 100_000]]
        {
            assert_eq!(inflated(&compress(text)), text);
        }
        // The same words again, as far away as a match reaches and beyond.
        for between in [32_700, 32_759, 32_760, 32_761, 40_000, 70_000] {
            let text = [b"as far as it reaches", &noise(between)[..], b"as far as it reaches"].concat();
            assert_eq!(inflated(&compress(&text)), text);
        }
    }

    #[test]
    fn repeated_commands_become_a_small_part() {
        let text: String = (0..200).map(|n| format!("{} 206 8 8 re\n", 652 + 8 * n)).collect();
        assert!(compress(text.as_bytes()).len() * 6 < text.len());
        assert_eq!(inflated(&compress(text.as_bytes())), text.as_bytes());
    }

    proptest! {
        #[test]
        fn every_text_reads_back(
            words in proptest::collection::vec("[ -~]{0,12}", 1..20),
            order in proptest::collection::vec(any::<prop::sample::Index>(), 0..600),
            end in proptest::collection::vec(any::<u8>(), 0..300)
        ) {
            let mut text: Vec<u8> = order.iter().flat_map(|n| words[n.index(words.len())].bytes()).collect();
            text.extend(end);
            prop_assert_eq!(inflated(&compress(&text)), text);
        }
    }
}
