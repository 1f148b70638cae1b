//! A ZIP of uncompressed files: PNGs are compressed already.
//!
//! Numbers that exceed the old fields (65,535 files, four gibibytes) are also written in the fields of ZIP64.

use crate::pdf_file::put;
use std::io::Write as _;

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;
/// The version of the format that a reader must support: 2.0, and 4.5 for ZIP64.
const VERSION: u16 = 20;
const VERSION_64: u16 = 45;
/// The flag for names in UTF-8.
const UTF8_NAMES: u16 = 0x0800;
/// The earliest date of a ZIP, 1 January 1980, so that the same labels give the same bytes.
const DATE: u16 = 0x0021;
/// A regular Unix file that its owner may write and everyone may read.
const MODE: u32 = 0o100_644 << 16;
const MADE_ON_UNIX: u16 = 3 << 8;

/// A ZIP that is being written: its central directory, and its length so far.
#[derive(Default)]
pub(super) struct Zip {
    list: Vec<u8>,
    files: u64,
    length: u64,
}

/// Numbers as a ZIP stores them, the lowest byte first.
trait Fields {
    fn u16(&mut self, value: u16);
    fn u32(&mut self, value: u32);
    fn u64(&mut self, value: u64);
    /// Appends a number, or all ones if it is too large. The number is then in a ZIP64 field.
    fn u32_or_ones(&mut self, value: u64) {
        self.u32(u32::try_from(value).unwrap_or(u32::MAX));
    }
    fn u16_or_ones(&mut self, value: u64) {
        self.u16(u16::try_from(value).unwrap_or(u16::MAX));
    }
}

impl Fields for Vec<u8> {
    fn u16(&mut self, value: u16) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn u32(&mut self, value: u32) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.extend_from_slice(&value.to_le_bytes());
    }
}

impl Zip {
    /// Adds a file, and returns its bytes with their header.
    pub fn add(&mut self, name: &str, file: &[u8]) -> Vec<u8> {
        let is_far = self.length >= u64::from(u32::MAX);
        let version = if is_far { VERSION_64 } else { VERSION };
        // The part that both headers share, from the version to the name's length.
        let mut shared = Vec::new();
        shared.u16(version);
        shared.u16(UTF8_NAMES);
        // Stored, at midnight.
        shared.u16(0);
        shared.u16(0);
        shared.u16(DATE);
        shared.u32(crc32fast::hash(file));
        // A label has some megabytes at most.
        shared.u32_or_ones(file.len() as u64);
        shared.u32_or_ones(file.len() as u64);
        shared.u16_or_ones(name.len() as u64);

        let mut head = Vec::with_capacity(30 + name.len() + file.len());
        head.u32(LOCAL);
        head.extend_from_slice(&shared);
        head.u16(0);
        put!(head, "{name}");
        head.extend_from_slice(file);

        let list = &mut self.list;
        list.u32(CENTRAL);
        list.u16(MADE_ON_UNIX | VERSION_64);
        list.extend_from_slice(&shared);
        list.u16(if is_far { 12 } else { 0 });
        // No comment, on the first disk, not text.
        list.extend_from_slice(&[0; 6]);
        list.u32(MODE);
        list.u32(if is_far { u32::MAX } else { u32::try_from(self.length).unwrap_or(u32::MAX) });
        put!(list, "{name}");
        if is_far {
            list.u16(1);
            list.u16(8);
            list.u64(self.length);
        }
        self.files += 1;
        self.length += head.len() as u64;
        head
    }

    /// Returns the central directory and the end record.
    pub fn finish(self) -> Vec<u8> {
        let (mut end, start, files) = (self.list, self.length, self.files);
        let size = end.len() as u64;
        let needs_64 = files >= u64::from(u16::MAX) || start + size >= u64::from(u32::MAX);
        if needs_64 {
            end.u32(END_64);
            // The number of bytes of this record after this field.
            end.u64(44);
            end.u16(MADE_ON_UNIX | VERSION_64);
            end.u16(VERSION_64);
            end.u64(0);
            end.u64(files);
            end.u64(files);
            end.u64(size);
            end.u64(start);
            end.u32(LOCATOR_64);
            end.u32(0);
            end.u64(start + size);
            end.u32(1);
        }
        end.u32(END);
        end.u32(0);
        end.u16_or_ones(files);
        end.u16_or_ones(files);
        end.u32_or_ones(size);
        end.u32_or_ones(start);
        end.u16(0);
        end
    }
}
