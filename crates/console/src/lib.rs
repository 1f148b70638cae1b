//! The console: web pages for people, as a client of the public API (decision 47).
//!
//! This crate holds the files that a browser loads, prepared by its build script: each under an address with the hash of
//! its content, and compressed. It has no code that runs in the server but the look-up of a file.

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// A file that browsers load.
pub struct Asset {
    /// Its path in `web/`, or in `vendor/` with that word in front.
    pub name: &'static str,
    /// Its path below `/console/assets/`, which has the hash of its content.
    pub path: &'static str,
    pub media_type: &'static str,
    /// The beginning of the content's SHA-256 in hexadecimal digits.
    pub hash: &'static str,
    /// Whether the first page of the console needs it.
    pub is_first: bool,
    pub plain: &'static [u8],
    pub gzip: &'static [u8],
    pub brotli: &'static [u8],
}

/// Returns the file at this path below `/console/assets/`.
pub fn asset(path: &str) -> Option<&'static Asset> {
    ASSETS.binary_search_by_key(&path, |asset| asset.path).ok().map(|place| &ASSETS[place])
}

#[cfg(test)]
mod tests;
