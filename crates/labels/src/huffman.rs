//! Huffman codes of bounded length, and bits as DEFLATE orders them.

/// The lengths in bits of the codes for symbols that occur so often; 0 where a symbol does not occur. No code is longer
/// than `max` bits. There are always at least two codes, because a lone one is not a complete code.
pub(crate) fn lengths(counts: &[u32], max: u8) -> Vec<u8> {
    let mut weighted: Vec<(u32, usize)> = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(symbol, count)| (*count, symbol))
        .collect();
    let unused = (0..counts.len()).filter(|symbol| counts[*symbol] == 0);
    let lacking = 2_usize.saturating_sub(weighted.len());
    weighted.extend(unused.take(lacking).map(|symbol| (1, symbol)));
    weighted.sort_unstable();
    loop {
        let depths = depths(&weighted);
        if depths.iter().all(|depth| *depth <= max) {
            let mut lengths = vec![0; counts.len()];
            weighted.iter().zip(depths).for_each(|((_, symbol), depth)| lengths[*symbol] = depth);
            return lengths;
        }
        // Weights that differ less make a flatter tree. Their order stays.
        weighted.iter_mut().for_each(|(weight, _)| *weight = weight.div_ceil(2));
    }
}

/// How deep each leaf of the Huffman tree lies, for weights that are sorted.
fn depths(weighted: &[(u32, usize)]) -> Vec<u8> {
    let leaves = weighted.len();
    // Nodes are made in the order of their weights, so that the two lightest are always at the front of one of two queues.
    let mut weights: Vec<u64> = weighted.iter().map(|(weight, _)| u64::from(*weight)).collect();
    let mut parents = vec![0; 2 * leaves];
    let (mut leaf, mut node) = (0, leaves);
    for made in leaves..2 * leaves - 1 {
        let mut lightest = || {
            let is_leaf = leaf < leaves && (node >= made || weights[leaf] <= weights[node]);
            let place = if is_leaf { &mut leaf } else { &mut node };
            *place += 1;
            *place - 1
        };
        let (first, second) = (lightest(), lightest());
        (parents[first], parents[second]) = (made, made);
        weights.push(weights[first] + weights[second]);
    }
    let mut depths = vec![0_u8; 2 * leaves - 1];
    for place in (0..2 * leaves - 2).rev() {
        depths[place] = depths[parents[place]].saturating_add(1);
    }
    depths.truncate(leaves);
    depths
}

/// Canonical codes, ready to be written.
pub(crate) struct Codes(Vec<(u16, u8)>);

impl Codes {
    pub fn new(lengths: &[u8]) -> Self {
        let mut counts = [0_u16; 16];
        lengths.iter().filter(|length| **length > 0).for_each(|length| counts[usize::from(*length)] += 1);
        let mut next = [0_u16; 17];
        for length in 1..16 {
            next[length + 1] = next[length].wrapping_add(counts[length]) << 1;
        }
        let code = |length: &u8| {
            let length = *length;
            if length == 0 {
                return (0, 0);
            }
            let code = next[usize::from(length)];
            next[usize::from(length)] = code.wrapping_add(1);
            // DEFLATE writes codes from their highest bit on, and all else from the lowest.
            (code.reverse_bits() >> (16 - length), length)
        };
        Self(lengths.iter().map(code).collect())
    }

    #[inline]
    pub fn write(&self, bits: &mut BitWriter, symbol: usize) {
        let (code, length) = self.0[symbol];
        bits.write(u64::from(code), u32::from(length));
    }
}

/// Bits on their way to bytes, the lowest first.
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    waiting: u64,
    count: u32,
}

impl BitWriter {
    /// Writes on behind these bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, waiting: 0, count: 0 }
    }

    /// Writes up to 32 bits. Those above the count must be clear.
    #[inline]
    pub fn write(&mut self, bits: u64, count: u32) {
        self.waiting |= bits << self.count;
        self.count += count;
        if self.count >= 32 {
            let low = self.waiting & u64::from(u32::MAX);
            self.bytes.extend_from_slice(&u32::try_from(low).unwrap_or_default().to_le_bytes());
            self.waiting >>= 32;
            self.count -= 32;
        }
    }

    /// Fills the last byte with zeros.
    pub fn finish(mut self) -> Vec<u8> {
        let left = self.count.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.waiting.to_le_bytes()[..left]);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_are_complete_and_no_longer_than_allowed(
            counts in proptest::collection::vec(prop_oneof![2 => Just(0_u32), 1 => 0_u32..4, 1 => any::<u16>().prop_map(u32::from)], 2..286),
            max in 9_u8..16
        ) {
            let lengths = lengths(&counts, max);
            prop_assert!(lengths.iter().all(|length| *length <= max));
            prop_assert!(counts.iter().zip(&lengths).all(|(count, length)| *count == 0 || *length > 0));
            // Kraft's sum: every string of bits begins with exactly one code.
            let sum: u32 = lengths.iter().filter(|length| **length > 0).map(|length| 1 << (15 - length)).sum();
            prop_assert_eq!(sum, 1 << 15);
        }
    }

    #[test]
    fn weights_that_grow_like_rabbits_are_kept_in_bounds() {
        let mut counts = vec![1_u32, 1];
        for n in 2..40 {
            counts.push(counts[n - 1] + counts[n - 2]);
        }
        assert_eq!(lengths(&counts, 15).into_iter().max(), Some(15));
        assert!(lengths(&counts[..19], 7).into_iter().all(|length| length <= 7));
    }
}
