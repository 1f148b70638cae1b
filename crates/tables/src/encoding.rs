//! Encodings of text files, and how to tell them apart.

/// Bytes of the beginning that are kept and looked at.
const HEAD_BYTES: usize = 64 * 1024;
/// Bytes of the beginning in which zero bytes are counted, to recognise UTF-16 without a mark.
const ZEROS_LOOKED_AT: usize = 512;
/// The longest character of UTF-8, in bytes.
const UTF8_BYTES_MAX: usize = 4;

/// How the text of a file is written in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
    Windows1252,
}

impl Encoding {
    const ALL: [Encoding; 4] = [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be, Encoding::Windows1252];

    /// Returns the name of the encoding, in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16Le => "utf-16le",
            Encoding::Utf16Be => "utf-16be",
            Encoding::Windows1252 => "windows-1252",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|encoding| encoding.as_str() == name)
    }

    /// Returns whether each ASCII character is one byte, as in ASCII.
    pub(crate) fn is_ascii_compatible(self) -> bool {
        matches!(self, Encoding::Utf8 | Encoding::Windows1252)
    }

    /// Decodes text that is complete. Bytes that are no text become U+FFFD.
    pub fn decode(self, bytes: &[u8]) -> String {
        let encoding = match self {
            Encoding::Utf8 => encoding_rs::UTF_8,
            Encoding::Utf16Le => encoding_rs::UTF_16LE,
            Encoding::Utf16Be => encoding_rs::UTF_16BE,
            Encoding::Windows1252 => encoding_rs::WINDOWS_1252,
        };
        encoding.decode_without_bom_handling(bytes).0.into_owned()
    }
}

/// What the bytes of a file say of its encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Detected {
    pub encoding: Encoding,
    /// Length of the byte order mark, with which the file begins.
    pub mark_bytes: usize,
}

/// Looks at all bytes of a file, as they come, and says at the end which encoding it has.
///
/// The beginning is not enough: the first name with an umlaut may be in the last row.
#[derive(Default)]
pub struct Detector {
    head: Vec<u8>,
    /// The beginning of a character whose other bytes have not come yet.
    unfinished: Vec<u8>,
    is_other_than_utf8: bool,
}

impl Detector {
    /// Looks at the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let room = HEAD_BYTES - self.head.len();
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if !self.is_other_than_utf8 {
            self.is_other_than_utf8 = !self.is_utf8(bytes);
        }
    }

    fn is_utf8(&mut self, mut bytes: &[u8]) -> bool {
        while !self.unfinished.is_empty() {
            let Some((first, rest)) = bytes.split_first() else { return true };
            self.unfinished.push(*first);
            bytes = rest;
            match std::str::from_utf8(&self.unfinished) {
                Ok(_) => self.unfinished.clear(),
                Err(error) if error.error_len().is_some() => return false,
                Err(_) if self.unfinished.len() >= UTF8_BYTES_MAX => return false,
                Err(_) => {}
            }
        }
        match std::str::from_utf8(bytes) {
            Ok(_) => true,
            Err(error) => {
                self.unfinished.extend_from_slice(&bytes[error.valid_up_to()..]);
                error.error_len().is_none()
            }
        }
    }

    /// Returns the beginning of the file.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Returns the encoding. UTF-8 is what is valid UTF-8; the rest is Windows-1252, which Excel writes in Western Europe and
    /// America.
    pub fn finish(&self) -> Detected {
        let (encoding, mark_bytes) = match self.head.as_slice() {
            [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8, 3),
            [0xFF, 0xFE, ..] => (Encoding::Utf16Le, 2),
            [0xFE, 0xFF, ..] => (Encoding::Utf16Be, 2),
            head => (self.unmarked(head), 0),
        };
        Detected { encoding, mark_bytes }
    }

    fn unmarked(&self, head: &[u8]) -> Encoding {
        let looked_at = &head[..head.len().min(ZEROS_LOOKED_AT)];
        let zeros = |odd: usize| looked_at.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
        let (even, odd) = (zeros(0), zeros(1));
        // Nearly every second byte of a header in UTF-16 is zero.
        let is_many = |zeros: usize| zeros > 1 && zeros * 4 > looked_at.len();
        match (is_many(even), is_many(odd)) {
            (false, true) if even == 0 => Encoding::Utf16Le,
            (true, false) if odd == 0 => Encoding::Utf16Be,
            _ if self.is_other_than_utf8 || !self.unfinished.is_empty() => Encoding::Windows1252,
            _ => Encoding::Utf8,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn detect(bytes: &[u8], piece: usize) -> Detected {
        let mut detector = Detector::default();
        bytes.chunks(piece.max(1)).for_each(|piece| detector.feed(piece));
        detector.finish()
    }

    fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to_bytes).collect()
    }

    #[test]
    fn each_encoding_is_recognised() {
        let found = |bytes: &[u8]| {
            let detected = detect(bytes, 3);
            (detected.encoding.as_str(), detected.mark_bytes)
        };
        assert_eq!(found("sku;name\nA;Größe\n".as_bytes()), ("utf-8", 0));
        assert_eq!(found("\u{FEFF}sku;name".as_bytes()), ("utf-8", 3));
        assert_eq!(found(b"sku;name\nA;Gr\xF6\xDFe\n"), ("windows-1252", 0));
        assert_eq!(found(b"sku;name\nA;Caf\xC3"), ("windows-1252", 0), "cut off, so not UTF-8");
        assert_eq!(found(&utf16("\u{FEFF}sku\tname", u16::to_le_bytes)), ("utf-16le", 2));
        assert_eq!(found(&utf16("\u{FEFF}sku\tname", u16::to_be_bytes)), ("utf-16be", 2));
        assert_eq!(found(&utf16("sku\tname", u16::to_le_bytes)), ("utf-16le", 0));
        assert_eq!(found(&utf16("sku\tname", u16::to_be_bytes)), ("utf-16be", 0));
        assert_eq!(found(b""), ("utf-8", 0));
    }

    proptest! {
        #[test]
        fn text_is_utf8_however_it_is_cut(text in "[a-zäöü€😀;\n]{0,200}", piece in 1usize..9) {
            prop_assert_eq!(detect(text.as_bytes(), piece).encoding, Encoding::Utf8);
        }

        #[test]
        fn pieces_make_no_difference(bytes in proptest::collection::vec(any::<u8>(), 0..200), piece in 1usize..9) {
            prop_assert_eq!(detect(&bytes, piece), detect(&bytes, 1000));
        }
    }
}
