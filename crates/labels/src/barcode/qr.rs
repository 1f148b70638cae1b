//! QR codes of versions 1 to 8 with error correction M (ISO/IEC 18004), which hold every payload of a label.
//!
//! Most of the work is to choose a mask: each of eight is tried, and the one with the lowest penalty is taken. Here a row or
//! a column is one number, so a mask is applied to a line at once, and shifts and masks count the penalties of a line. What
//! does not depend on the payload, the [`Frame`] of a version, is made once for the process. A test holds every module
//! to those of an encoder that was written by others.

use std::sync::LazyLock;

const VERSIONS: usize = 8;
const SIDE_MAX: usize = side_of(VERSIONS - 1);
const MASKS: usize = 8;

/// The longest payload in bytes that each version holds, from version 1 up: of digits, of digits, capitals and some
/// signs, and of anything.
const DIGITS: [usize; 5] = [34, 63, 101, 149, 202];
const CAPITALS: [usize; 6] = [20, 38, 61, 90, 122, 154];
const BYTES: [usize; VERSIONS] = [14, 26, 42, 62, 84, 106, 122, 152];

/// The characters of the mode for capitals, in the order of their values.
const ALPHABET: &[u8; 45] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";

/// By version: bytes of error correction in a block, blocks, and bytes of data in all blocks together.
const BLOCKS: [(usize, usize, usize); VERSIONS] = [
    (10, 1, 16),
    (16, 1, 28),
    (26, 1, 44),
    (18, 2, 64),
    (24, 2, 86),
    (16, 4, 108),
    (18, 4, 124),
    (22, 4, 154),
];

/// The format bits of each mask: the mask and the error correction M, with check bits.
const FORMATS: [u32; MASKS] = [0x5412, 0x5125, 0x5e7c, 0x5b4b, 0x45f9, 0x40ce, 0x4f97, 0x4aa0];
/// The version bits from version 7 on, with check bits.
const VERSION_BITS: [u32; 2] = [0x07c94, 0x085bc];

/// Powers of 2 in the field of 256 elements, twice in a row so that a sum of two logarithms needs no remainder; and the
/// logarithms.
static FIELD: ([u8; 510], [u8; 256]) = field();

/// How the characters of a payload are packed.
#[derive(Clone, Copy)]
enum Mode {
    Digits,
    Capitals,
    Bytes,
}

/// First the rows of a square, then its columns. The lowest bit is the leftmost or the topmost module; 1 is dark.
type Lines = [u64; 2 * SIDE_MAX];

const fn side_of(version: usize) -> usize {
    21 + 4 * version
}

const fn field() -> ([u8; 510], [u8; 256]) {
    let (mut powers, mut logarithms) = ([0; 510], [0; 256]);
    let (mut power, mut value) = (0, 1_usize);
    while power < 255 {
        powers[power] = value as u8;
        powers[power + 255] = value as u8;
        logarithms[value] = power as u8;
        value = if value < 128 { value * 2 } else { (value * 2) ^ 0x11d };
        power += 1;
    }
    (powers, logarithms)
}

fn product(a: u8, b: u8) -> u8 {
    let logarithm = |n: u8| usize::from(FIELD.1[usize::from(n)]);
    if a == 0 || b == 0 { 0 } else { FIELD.0[logarithm(a) + logarithm(b)] }
}

/// The mode of a payload and the smallest version that holds it, counted from zero; None where none does.
fn mode_and_version(payload: &str) -> Option<(Mode, usize)> {
    let (mode, lengths) = if payload.bytes().all(|byte| byte.is_ascii_digit()) {
        (Mode::Digits, &DIGITS[..])
    } else if payload.bytes().all(|byte| ALPHABET.contains(&byte)) {
        (Mode::Capitals, &CAPITALS[..])
    } else {
        (Mode::Bytes, &BYTES[..])
    };
    Some((mode, lengths.iter().position(|length| payload.len() <= *length)?))
}

/// Modules on a side of the smallest code that holds a payload; None where none does.
pub(super) fn side(payload: &str) -> Option<usize> {
    mode_and_version(payload).map(|(_, version)| side_of(version))
}

/// The modules of the smallest code that holds a payload, row by row; true is dark.
pub(super) fn modules(payload: &str) -> Option<Vec<bool>> {
    static FRAMES: LazyLock<Vec<Frame>> = LazyLock::new(|| (0..VERSIONS).map(Frame::new).collect());
    let (mode, version) = mode_and_version(payload)?;
    let frame = FRAMES.get(version)?;
    let lines = frame.filled(&frame.corrected(&packed(payload.as_bytes(), mode, BLOCKS[version].2)));
    let mask = (0..MASKS).min_by_key(|mask| frame.penalty(&lines, *mask))?;
    let is_dark = |y: usize, x: usize| (lines[y] ^ frame.masks[mask][y]) >> x & 1 == 1;
    let places = (0..frame.side).flat_map(|y| (0..frame.side).map(move |x| (y, x)));
    let mut modules: Vec<bool> = places.map(|(y, x)| is_dark(y, x)).collect();
    for (bit, y, x) in format_places(frame.side) {
        modules[y * frame.side + x] = FORMATS[mask] >> bit & 1 == 1;
    }
    Some(modules)
}

/// Bits on their way to bytes, the highest first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    count: usize,
}

impl Bits {
    fn push(&mut self, value: usize, count: usize) {
        for shift in (0..count).rev() {
            if self.count.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= u8::from(value >> shift & 1 == 1) << (7 - self.count % 8);
            }
            self.count += 1;
        }
    }
}

/// A payload as the bytes of data of a version, filled up to this size.
fn packed(payload: &[u8], mode: Mode, size: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    let (indicator, count_bits) = match mode {
        Mode::Digits => (0b0001, 10),
        Mode::Capitals => (0b0010, 9),
        Mode::Bytes => (0b0100, 8),
    };
    bits.push(indicator, 4);
    bits.push(payload.len(), count_bits);
    let value = |byte: u8| ALPHABET.iter().position(|other| *other == byte).unwrap_or_default();
    let number = |some: &[u8], base: usize| some.iter().fold(0, |number, byte| number * base + value(*byte));
    match mode {
        Mode::Digits => payload.chunks(3).for_each(|some| bits.push(number(some, 10), 1 + 3 * some.len())),
        Mode::Capitals => payload.chunks(2).for_each(|some| bits.push(number(some, 45), 1 + 5 * some.len())),
        Mode::Bytes => payload.iter().for_each(|byte| bits.push(usize::from(*byte), 8)),
    }
    // The end is marked by four zeros, or by as many as there is room for.
    bits.push(0, (8 * size).saturating_sub(bits.count).min(4));
    let filling = [0xec, 0x11].into_iter().cycle().take(size.saturating_sub(bits.bytes.len()));
    bits.bytes.extend(filling);
    bits.bytes
}

/// What is the same in all codes of a version.
struct Frame {
    side: usize,
    /// The modules that are dark in every code. Those of the format count as light.
    dark: Lines,
    /// The modules that belong to the payload.
    free: Lines,
    /// The modules that each mask inverts: all of them belong to the payload.
    masks: [Lines; MASKS],
    /// Row and column of the payload's modules, in the order of its bits.
    places: Vec<(usize, usize)>,
    /// The polynomial that bytes of data are divided by, without its first coefficient, which is 1.
    generator: Vec<u8>,
    blocks: usize,
}

impl Frame {
    fn new(version: usize) -> Self {
        let side = side_of(version);
        let fixed = fixed(version);
        let lines = |has: &dyn Fn(usize, usize) -> bool| {
            let mut lines: Lines = [0; 2 * SIDE_MAX];
            for (y, x) in (0..side).flat_map(|y| (0..side).map(move |x| (y, x))) {
                lines[y] |= u64::from(has(y, x)) << x;
                lines[side + x] |= u64::from(has(y, x)) << y;
            }
            lines
        };
        let is_free = |y: usize, x: usize| fixed[y * side + x].is_none();
        // Two columns at a time from right to left, up and down in turns. The column of alternating modules is left out.
        let columns = (0..6).chain(7..side).rev().step_by(2).enumerate();
        let places = columns.flat_map(|(turn, x)| {
            let rows = move |n| if turn % 2 == 0 { side - 1 - n } else { n };
            (0..side).map(rows).flat_map(move |y| [(y, x), (y, x - 1)])
        });
        Self {
            side,
            dark: lines(&|y, x| fixed[y * side + x] == Some(true)),
            free: lines(&is_free),
            masks: std::array::from_fn(|mask| lines(&|y, x| is_free(y, x) && is_inverted(mask, y, x))),
            places: places.filter(|(y, x)| is_free(*y, *x)).collect(),
            generator: generator(BLOCKS[version].0),
            blocks: BLOCKS[version].1,
        }
    }

    /// Bytes of data and their error correction: block by block, then a byte of each block in turn.
    fn corrected(&self, data: &[u8]) -> Vec<u8> {
        // Where the blocks can't be equal, the last are longer by one.
        let (short, longer) = (data.len() / self.blocks, data.len() % self.blocks);
        let (shorter, long) = data.split_at(short * (self.blocks - longer));
        let blocks: Vec<&[u8]> = shorter.chunks(short).chain(long.chunks(short + 1)).collect();
        let corrections: Vec<Vec<u8>> =
            blocks.iter().map(|block| remainder(block, &self.generator)).collect();
        let data = (0..=short).flat_map(|n| blocks.iter().filter_map(move |block| block.get(n)));
        let correction = (0..self.generator.len()).flat_map(|n| corrections.iter().map(move |some| &some[n]));
        data.chain(correction).copied().collect()
    }

    /// The frame with the bits of a payload, before masks. Modules beyond the last bit stay light.
    fn filled(&self, bytes: &[u8]) -> Lines {
        let mut lines = self.dark;
        let bits = bytes.iter().flat_map(|byte| (0..8).rev().map(move |shift| u64::from(byte >> shift & 1)));
        for (bit, (y, x)) in bits.zip(&self.places) {
            lines[*y] |= bit << x;
            lines[self.side + x] |= bit << y;
        }
        lines
    }

    /// How hard a code would be to read with a mask: the sum of four penalties. The format is not counted, and of runs
    /// and squares only those within the payload are.
    fn penalty(&self, lines: &Lines, mask: usize) -> u32 {
        let side = self.side;
        let mut masked = *lines;
        masked.iter_mut().zip(&self.masks[mask]).for_each(|(line, mask)| *line ^= mask);
        let of_lines = masked[..2 * side].iter().zip(&self.free);
        let of_lines: u32 = of_lines.map(|(line, free)| runs(*line, *free) + finders(*line)).sum();
        let of_squares: u32 = (1..side).map(|y| squares(&masked[y - 1..=y], &self.free[y - 1..=y])).sum();
        let dark: u32 = masked[..side].iter().map(|row| row.count_ones()).sum();
        let modules = u32::try_from(side * side).unwrap_or(u32::MAX);
        let percent = 100 * dark / modules;
        let steps = if percent < 50 { (49 - percent) / 5 } else { (percent - 50) / 5 };
        of_lines + of_squares + 10 * steps
    }
}

/// The penalty for runs of equal modules: of five or more, their number less two.
fn runs(line: u64, free: u64) -> u32 {
    let of_colour = |modules: u64| {
        // A bit is set for each place that five modules follow from: four fewer than there are in a run.
        let fives = modules & modules >> 1 & modules >> 2 & modules >> 3 & modules >> 4;
        let begins = fives & !(fives << 1);
        fives.count_ones() + 2 * begins.count_ones()
    };
    of_colour(line & free) + of_colour(!line & free)
}

/// The penalty for what resembles a corner: 40 where four light modules stand before it, and where four stand behind it.
fn finders(line: u64) -> u32 {
    // Around the code everything is light.
    let line = line << 4;
    let (dark, light) = (|n: u32| line >> n, |n: u32| !(line >> n));
    let alike = dark(0) & light(1) & dark(2) & dark(3) & dark(4) & light(5) & dark(6);
    let lights = light(0) & light(1) & light(2) & light(3);
    40 * ((alike & lights << 4).count_ones() + (alike & lights >> 7).count_ones())
}

/// The penalty for squares of four equal modules in two rows: 3 each.
fn squares(rows: &[u64], free: &[u64]) -> u32 {
    let both_free = free[0] & free[1];
    let same = !(rows[0] ^ rows[1]);
    let same_as_next = !(rows[0] ^ rows[0] >> 1);
    3 * (both_free & both_free >> 1 & same & same >> 1 & same_as_next).count_ones()
}

/// Whether a mask inverts a module, by its row and column.
fn is_inverted(mask: usize, y: usize, x: usize) -> bool {
    match mask {
        0 => (x + y).is_multiple_of(2),
        1 => y.is_multiple_of(2),
        2 => x.is_multiple_of(3),
        3 => (x + y).is_multiple_of(3),
        4 => (x / 3 + y / 2).is_multiple_of(2),
        5 => x * y % 2 + x * y % 3 == 0,
        6 => (x * y % 2 + x * y % 3).is_multiple_of(2),
        _ => ((x + y) % 2 + x * y % 3).is_multiple_of(2),
    }
}

/// Where each bit of the format goes: the bit, row and column.
fn format_places(side: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    // The first copy goes around a corner, and leaves out row and column 6, which have the timing patterns.
    let first = (0..15).map(|bit| match bit {
        0..=5 => (bit, bit, 8),
        6 | 7 => (bit, bit + 1, 8),
        8 => (bit, 8, 7),
        _ => (bit, 8, 14 - bit),
    });
    let second =
        (0..15).map(move |bit| if bit < 8 { (bit, 8, side - 1 - bit) } else { (bit, side - 15 + bit, 8) });
    first.chain(second)
}

/// The modules that don't belong to the payload, row by row, and whether they are dark. Those of the format are light.
fn fixed(version: usize) -> Vec<Option<bool>> {
    let side = side_of(version);
    let mut modules = vec![None; side * side];
    let mut set = |y: usize, x: usize, is_dark: bool| modules[y * side + x] = Some(is_dark);
    format_places(side).for_each(|(_, y, x)| set(y, x, false));
    set(side - 8, 8, true);
    for n in 0..side {
        set(6, n, n % 2 == 0);
        set(n, 6, n % 2 == 0);
    }
    // Rings around a centre, as far as they lie on the square.
    let mut rings = |y: usize, x: usize, dark: &[bool]| {
        let reach = dark.len() - 1;
        for (dy, dx) in (0..=2 * reach).flat_map(|dy| (0..=2 * reach).map(move |dx| (dy, dx))) {
            let (at_y, at_x) = ((y + dy).wrapping_sub(reach), (x + dx).wrapping_sub(reach));
            if at_y < side && at_x < side {
                set(at_y, at_x, dark[dy.abs_diff(reach).max(dx.abs_diff(reach))]);
            }
        }
    };
    for (y, x) in [(3, 3), (3, side - 4), (side - 4, 3)] {
        rings(y, x, &[true, true, false, true, false]);
    }
    let centres = [vec![], vec![6, side - 7], vec![6, side / 2, side - 7]];
    let centres = &centres[version.min(1) + usize::from(version > 5)];
    let pairs = centres.iter().flat_map(|y| centres.iter().map(move |x| (*y, *x)));
    for (y, x) in pairs.filter(|pair| ![(6, 6), (6, side - 7), (side - 7, 6)].contains(pair)) {
        rings(y, x, &[true, false, true]);
    }
    if let Some(bits) = version.checked_sub(6).and_then(|later| VERSION_BITS.get(later)) {
        for bit in 0..18 {
            let (near, far, is_dark) = (bit / 3, side - 11 + bit % 3, bits >> bit & 1 == 1);
            set(near, far, is_dark);
            set(far, near, is_dark);
        }
    }
    modules
}

/// The polynomial whose roots are the first powers of 2, without its first coefficient.
fn generator(degree: usize) -> Vec<u8> {
    let mut factors = vec![0; degree];
    factors[degree - 1] = 1;
    for root in &FIELD.0[..degree] {
        for n in 0..degree {
            factors[n] = product(factors[n], *root) ^ factors.get(n + 1).copied().unwrap_or_default();
        }
    }
    factors
}

/// What is left when bytes are divided by a polynomial.
fn remainder(bytes: &[u8], generator: &[u8]) -> Vec<u8> {
    let mut rest = vec![0; generator.len()];
    for byte in bytes {
        let factor = byte ^ rest[0];
        rest.rotate_left(1);
        if let Some(last) = rest.last_mut() {
            *last = 0;
        }
        rest.iter_mut().zip(generator).for_each(|(rest, part)| *rest ^= product(*part, factor));
    }
    rest
}

#[cfg(test)]
mod tests;
