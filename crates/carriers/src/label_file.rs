//! Files that carriers send as text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;

use crate::{FileFormat, Label};

/// Returns a label from Base64, in which line breaks are ignored. `None` if it is none, or in no known format.
pub fn decode_label(text: &[u8]) -> Option<Label> {
    let encoded: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    label_of(STANDARD.decode(encoded).ok()?.into())
}

/// Returns a label in the format that its first bytes show. `None` if they show none.
pub fn label_of(bytes: Bytes) -> Option<Label> {
    let format = match bytes.as_ref() {
        [b'%', b'P', b'D', b'F', ..] => FileFormat::Pdf,
        [0x89, b'P', b'N', b'G', ..] => FileFormat::Png,
        [b'G', b'I', b'F', b'8', ..] => FileFormat::Gif,
        text if text.windows(3).any(|part| part == b"^XA") => FileFormat::Zpl,
        _ => return None,
    };
    Some(Label::File { format, bytes })
}
