//! The size to which a carrier's PDF expands, determined within limits before a parser opens it.
//!
//! While the parser opens a file, it decodes cross-reference and object streams without a limit, and only then is it
//! known which streams these are. So this module inflates every stream of the file, as often as it was deflated, and
//! discards the result. In files that keep their structure in streams, filters that this module cannot decode are
//! rejected.

use std::io::Read as _;

use flate2::read::ZlibDecoder;
use memchr::memmem;

use super::error::MergeError;

/// Maximum number of bytes to which one stream may inflate.
const STREAM_BYTES_MAX: usize = 16 << 20;
/// Maximum number of bytes to which all streams of a file may inflate.
const FILE_BYTES_MAX: usize = 96 << 20;
/// Maximum number of times that a stream may be deflated.
const DEFLATED_MAX: usize = 4;
/// Maximum number of objects in a cross-reference, and of bytes in a row that is stored as the difference from the
/// previous one.
const OBJECTS_MAX: u64 = 1 << 18;
const COLUMNS_MAX: u64 = 1 << 20;

/// Filters that may expand strongly, or hide one that does, with the short names that some readers accept.
const HIDING: [&[u8]; 9] = [
    b"LZWDecode",
    b"LZW",
    b"RunLengthDecode",
    b"RL",
    b"ASCIIHexDecode",
    b"AHx",
    b"ASCII85Decode",
    b"A85",
    b"Crypt",
];
/// Names that occur only in files that keep their structure in streams.
const STRUCTURE: [&[u8]; 3] = [b"XRef", b"XRefStm", b"ObjStm"];

/// Rejects a file that expands beyond the limits.
pub fn check(file: &[u8]) -> Result<(), MergeError> {
    check_names(file)?;
    let mut left = FILE_BYTES_MAX;
    for at in memmem::find_iter(file, b"stream") {
        // This is the end of an `endstream`.
        if file[..at].ends_with(b"end") {
            continue;
        }
        let bytes = &file[at + b"stream".len()..];
        let bytes = bytes.strip_prefix(b"\r").unwrap_or(bytes);
        let bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        left = left.checked_sub(inflated(bytes)?).ok_or_else(too_much)?;
    }
    Ok(())
}

fn too_much() -> MergeError {
    MergeError(format!(
        "it expands to more than {STREAM_BYTES_MAX} bytes in a stream, or {FILE_BYTES_MAX} in all"
    ))
}

/// Returns the largest size to which a stream inflates, if it is deflated once or several times. Other bytes keep
/// their size.
fn inflated(bytes: &[u8]) -> Result<usize, MergeError> {
    let (mut most, mut inner) = (0, inflate(bytes)?);
    for _ in 1..DEFLATED_MAX {
        most = most.max(inner.len());
        inner = inflate(&inner)?;
        if inner.is_empty() {
            return Ok(most);
        }
    }
    Err(MergeError(format!("a stream was deflated {DEFLATED_MAX} times or more")))
}

fn inflate(bytes: &[u8]) -> Result<Vec<u8>, MergeError> {
    let mut out = Vec::new();
    // Bytes that are not a deflated stream give an error, before or after valid ones. The valid bytes count too.
    let _broken = ZlibDecoder::new(bytes).take(STREAM_BYTES_MAX as u64 + 1).read_to_end(&mut out);
    if out.len() > STREAM_BYTES_MAX { Err(too_much()) } else { Ok(out) }
}

/// Rejects names and numbers that would make a parser decode without a limit.
fn check_names(file: &[u8]) -> Result<(), MergeError> {
    let (mut is_structured, mut is_hiding) = (!has_table(file), false);
    for at in memchr::memchr_iter(b'/', file) {
        let (name, after) = name(&file[at + 1..]);
        is_structured |= STRUCTURE.contains(&&*name);
        is_hiding |= HIDING.contains(&&*name);
        let limit = match &*name {
            b"Size" => OBJECTS_MAX,
            b"Columns" => COLUMNS_MAX,
            _ => continue,
        };
        if number(after).is_some_and(|number| number > limit) {
            return Err(MergeError(format!("it expands to more than {limit} objects or columns")));
        }
    }
    match is_structured && is_hiding {
        true => Err(MergeError("its structure may be behind filters other than FlateDecode".to_owned())),
        false => Ok(()),
    }
}

/// Returns whether the last cross-reference is a table, not a stream.
fn has_table(file: &[u8]) -> bool {
    let start = memmem::rfind(file, b"startxref").and_then(|at| number(&file[at + b"startxref".len()..]));
    let start = start.and_then(|start| usize::try_from(start).ok()).and_then(|start| file.get(start..));
    start.is_some_and(|table| table.trim_ascii_start().starts_with(b"xref"))
}

/// Returns a name with its escapes resolved (`#` and two hexadecimal digits), and the bytes after it.
fn name(bytes: &[u8]) -> (Vec<u8>, &[u8]) {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0 || b"()<>[]{}/%".contains(byte);
    let end = bytes.iter().position(is_end).unwrap_or(bytes.len());
    let (mut rest, after) = bytes.split_at(end);
    let mut name = Vec::new();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'#') {
            Some(byte) => {
                name.push(byte);
                rest = &tail[2..];
            }
            None => {
                name.push(*first);
                rest = tail;
            }
        }
    }
    (name, after)
}

/// Returns the number at the start of the bytes, after spaces.
fn number(bytes: &[u8]) -> Option<u64> {
    let text = bytes.trim_ascii_start();
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    // A number with too many digits for the type exceeds every limit.
    (end > 0).then(|| std::str::from_utf8(&text[..end]).ok()?.parse().ok().or(Some(u64::MAX))).flatten()
}
