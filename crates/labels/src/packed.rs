//! Compression of a PDF's streams.
//!
//! Allocating and clearing a compressor's tables takes longer than compressing a label. So the process keeps a few
//! compressors and reuses them.

use flate2::{Compress, Compression, FlushCompress, Status};
use std::sync::{Mutex, PoisonError};

/// Maximum number of compressors that are kept, each with its compression level. One takes some hundred kilobytes.
const CACHED_MAX: usize = 8;
static CACHE: Mutex<Vec<(u32, Compress)>> = Mutex::new(Vec::new());

/// Returns a stream's entries and its compressed bytes.
pub(crate) fn packed(entries: &str, bytes: &[u8], effort: u32) -> (String, Vec<u8>) {
    let mut compressor = taken(effort);
    // The fastest level may expand incompressible bytes by an eighth. With this capacity, one call is always enough.
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 8 + 1_024);
    let status = compressor.compress_vec(bytes, &mut out, FlushCompress::Finish);
    give_back(effort, compressor);
    match status {
        Ok(Status::StreamEnd) => (format!("{entries}/Filter/FlateDecode"), out),
        // This cannot happen. If it did, the bytes are written uncompressed.
        _ => (entries.to_owned(), bytes.to_vec()),
    }
}

fn taken(effort: u32) -> Compress {
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let place = cache.iter().position(|(other, _)| *other == effort);
    match place.map(|place| cache.swap_remove(place)) {
        Some((_, compressor)) => compressor,
        None => Compress::new(Compression::new(effort), true),
    }
}

fn give_back(effort: u32, mut compressor: Compress) {
    compressor.reset();
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    if cache.len() < CACHED_MAX {
        cache.push((effort, compressor));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Read as _;

    proptest! {
        #[test]
        fn what_is_packed_reads_back_however_often_a_compressor_is_used(
            parts in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..3_000), 1..6), effort in 1_u32..10
        ) {
            for part in parts {
                let (entries, bytes) = packed("/A 1", &part, effort);
                prop_assert_eq!(entries, "/A 1/Filter/FlateDecode");
                let mut raw = Vec::new();
                flate2::read::ZlibDecoder::new(&bytes[..]).read_to_end(&mut raw).unwrap();
                prop_assert_eq!(raw, part);
            }
        }
    }
}
