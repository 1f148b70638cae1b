//! The number of bytes that a parser reads of a carrier's PDF, determined within limits before a parser opens it.
//!
//! A parser reads an object from its start to its end, wherever it finds one; if the cross-reference is broken, it
//! tries every position of the file. An object without an end is read up to the end of the file. A file that starts
//! object after object and ends none of them therefore takes time that grows with the square of its size. This module
//! reads each object once, and rejects a file whose objects add up to many times its size.

use memchr::memmem;

use super::error::MergeError;

/// Maximum size of all objects, as a multiple of the file's size. Nested dictionaries are counted once per level.
const TIMES_MAX: usize = 8;
/// Bytes that are always read, so that small files need no regular structure.
const BYTES_MIN: usize = 1 << 20;
/// Maximum nesting of arrays and dictionaries. A parser recurses for each level, and its stack is limited.
const DEPTH_MAX: usize = 256;

/// Rejects a file that takes much longer to read than its size suggests.
pub fn check(file: &[u8]) -> Result<(), MergeError> {
    if memmem::find(&file[..file.len().min(1024)], b"%PDF-").is_none() {
        return Err(MergeError("it does not begin as a PDF does".to_owned()));
    }
    let mut left = file.len().saturating_mul(TIMES_MAX).max(BYTES_MIN);
    let mut walk = |from: usize, is_indirect: bool| {
        let mut extent = object(&file[from..])?;
        if is_indirect {
            extent += stream(&file[from + extent..]);
        }
        left = left.checked_sub(extent).ok_or_else(|| {
            MergeError(format!(
                "its objects lie over each other: they come to more than {TIMES_MAX} times its size"
            ))
        })?;
        Ok(())
    };
    for at in memmem::find_iter(file, b"<<") {
        walk(at, false)?;
    }
    for at in memmem::find_iter(file, b"obj") {
        // An object has its generation number before `obj`. Otherwise this is the end of an `endobj`.
        if file[..at].trim_ascii_end().last().is_some_and(u8::is_ascii_digit) {
            walk(at + b"obj".len(), true)?;
        }
    }
    Ok(())
}

/// Returns the length of the stream that starts here, or zero if none does.
fn stream(bytes: &[u8]) -> usize {
    match bytes.trim_ascii_start().starts_with(b"stream") {
        true => memmem::find(bytes, b"endstream").unwrap_or(bytes.len()),
        false => 0,
    }
}

/// Returns the length of the object that starts here, up to its end or the point where it breaks off. Parsers skip
/// tokens that do not belong into an array or a dictionary, so these do not end one.
fn object(bytes: &[u8]) -> Result<usize, MergeError> {
    // The closing tokens of the arrays and dictionaries that are open.
    let mut open: Vec<&'static [u8]> = Vec::new();
    let mut at = 0;
    loop {
        at += blank(&bytes[at..]);
        let rest = &bytes[at..];
        let Some(first) = rest.first() else { return Ok(at) };
        at += match first {
            b'<' if rest.starts_with(b"<<") => begin(&mut open, b">>")?,
            b'[' => begin(&mut open, b"]")?,
            b'>' | b']' if open.last().is_some_and(|end| rest.starts_with(end)) => {
                open.pop().map_or(0, <[u8]>::len)
            }
            b'/' => 1 + word(&rest[1..]),
            b'(' => text(rest),
            b'<' => memchr::memchr(b'>', rest).map_or(rest.len(), |end| end + 1),
            b'>' | b']' | b')' | b'{' | b'}' => return Ok(at),
            _ => word(rest),
        };
        if open.is_empty() {
            return Ok(at);
        }
    }
}

/// Opens an array or a dictionary. Its opening token is as long as its closing token. Returns that length.
fn begin(open: &mut Vec<&'static [u8]>, end: &'static [u8]) -> Result<usize, MergeError> {
    open.push(end);
    match open.len() <= DEPTH_MAX {
        true => Ok(end.len()),
        false => Err(MergeError(format!("its objects lie more than {DEPTH_MAX} deep in each other"))),
    }
}

/// Returns the length of the white space and comments here.
fn blank(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let rest = &bytes[at..];
        match rest.first() {
            Some(b'%') => at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len()),
            Some(byte) if byte.is_ascii_whitespace() || *byte == 0 => at += 1,
            _ => return at,
        }
    }
}

/// Returns the length of a number, a name or another token: at least one byte.
fn word(bytes: &[u8]) -> usize {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0 || b"()<>[]{}/%".contains(byte);
    bytes.iter().position(is_end).unwrap_or(bytes.len())
}

/// Returns the length of a string in parentheses, which may be nested.
fn text(bytes: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(found) = memchr::memchr3(b'(', b')', b'\\', &bytes[at..]) {
        at += found + 1;
        match bytes[at - 1] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => at = bytes.len().min(at + 1),
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}
