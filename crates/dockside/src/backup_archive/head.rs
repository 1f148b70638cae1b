//! Heads of entries in a tar archive, in the one form in which a backup has them: plain files, as POSIX (ustar) writes them.

/// Heads and contents begin at multiples of this.
pub const BLOCK: usize = 512;
/// Zeros at the end of an archive.
pub const END_BYTES: usize = 2 * BLOCK;
const MODE: &[u8] = b"0000600\0";
const NAME_BYTES_MAX: usize = 100;
const PREFIX_BYTES_MAX: usize = 155;
const PREFIX_AT: usize = 345;
const SIZE_AT: usize = 124;
const TIME_AT: usize = 136;
const CHECKSUM_AT: usize = 148;
/// Sizes from here on have no octal form with eleven digits. GNU tar and others write them in base 256.
const OCTAL_SIZE_END: u64 = 1 << 33;
/// Marks a size in base 256.
const BASE_256: u8 = 0x80;

/// What a head says of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub name: String,
    pub size: u64,
    /// In seconds since 1970.
    pub made_at: u64,
}

impl Head {
    /// Returns the head as bytes, or `None` if its name is too long for a tar archive.
    pub fn write(&self) -> Option<[u8; BLOCK]> {
        let (prefix, name) = split(&self.name)?;
        let mut head = [0; BLOCK];
        let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, name.as_bytes());
        put(100, MODE);
        put(108, b"0000000\0");
        put(116, b"0000000\0");
        if self.size < OCTAL_SIZE_END {
            put(SIZE_AT, format!("{:011o}\0", self.size).as_bytes());
        } else {
            put(SIZE_AT, &[BASE_256]);
            put(SIZE_AT + 4, &self.size.to_be_bytes());
        }
        put(TIME_AT, format!("{:011o}\0", self.made_at).get(..12)?.as_bytes());
        put(CHECKSUM_AT, b"        ");
        put(156, b"0");
        put(257, b"ustar\x0000");
        put(329, b"0000000\0");
        put(337, b"0000000\0");
        put(PREFIX_AT, prefix.as_bytes());
        let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
        head[CHECKSUM_AT..CHECKSUM_AT + 8].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        Some(head)
    }

    /// Reads a head. Returns `None` for bytes that [`Head::write`] would not have written.
    pub fn read(block: &[u8; BLOCK]) -> Option<Self> {
        let (name, prefix) = (text(&block[..NAME_BYTES_MAX])?, text(&block[PREFIX_AT..500])?);
        let name = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") };
        let size = match block[SIZE_AT] {
            BASE_256 => u64::from_be_bytes(block[SIZE_AT + 4..SIZE_AT + 12].try_into().ok()?),
            _ => octal(&block[SIZE_AT..SIZE_AT + 12])?,
        };
        let head = Self { name, size, made_at: octal(&block[TIME_AT..TIME_AT + 12])? };
        head.write().filter(|written| written == block).map(|_| head)
    }
}

/// Returns how many zeros follow a content of this size.
pub fn padding(size: u64) -> usize {
    let over = (size % BLOCK as u64) as usize;
    if over == 0 { 0 } else { BLOCK - over }
}

/// Splits a name into its prefix, which may be empty, and the rest.
fn split(name: &str) -> Option<(&str, &str)> {
    if name.len() <= NAME_BYTES_MAX {
        return Some(("", name));
    }
    let at = name.rmatch_indices('/').map(|(at, _)| at).find(|at| *at <= PREFIX_BYTES_MAX)?;
    let rest = &name[at + 1..];
    (rest.len() <= NAME_BYTES_MAX && !rest.is_empty()).then_some((&name[..at], rest))
}

fn text(field: &[u8]) -> Option<&str> {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    std::str::from_utf8(&field[..end]).ok()
}

fn octal(field: &[u8]) -> Option<u64> {
    u64::from_str_radix(text(field)?, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(name: &str, size: u64) -> Head {
        Head { name: name.to_owned(), size, made_at: 1_793_664_000 }
    }

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let long = format!("files/{}/{}", "o".repeat(120), "d".repeat(90));
        for name in ["dockside.db", "files/org_1_test/pack-doc_1", &"n".repeat(100), &long] {
            for size in [0, 1, 511, OCTAL_SIZE_END - 1, OCTAL_SIZE_END, 1 << 50] {
                let head = head(name, size);
                assert_eq!(Head::read(&head.write().unwrap()), Some(head), "{name} {size}");
            }
        }
        for name in ["n".repeat(101), format!("{}/{}", "o".repeat(156), "d".repeat(99))] {
            assert_eq!(head(&name, 1).write(), None, "{name}");
        }
    }

    #[test]
    fn a_head_with_any_other_byte_is_refused() {
        let block = head("files/org_1_test/doc_1", 12_345).write().unwrap();
        for at in 0..BLOCK {
            for change in [1, 0x80] {
                let mut other = block;
                other[at] ^= change;
                assert_eq!(Head::read(&other), None, "byte {at}");
            }
        }
    }

    #[test]
    fn contents_end_at_a_block() {
        assert_eq!([0, 1, 511, 512, 513].map(padding), [0, 511, 1, 0, 511]);
    }
}
