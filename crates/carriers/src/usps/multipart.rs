//! Answers of several parts: USPS sends the data of a label and its image as parts of one body.
//!
//! A connector sees no headers of an answer, so the boundary is taken from the body: its first line, or the line after which the next
//! part starts.

use bytes::Bytes;

/// Parts of a body. USPS sends six at most.
const PARTS_MAX: usize = 16;

/// A part of a body.
#[derive(Debug, PartialEq)]
pub struct Part {
    /// The `name` of its `Content-Disposition`; empty if there is none.
    pub name: String,
    pub content: Bytes,
}

/// Splits a body into its parts. Returns nothing if it is not made of parts, or does not end with the last of them: a body that was
/// cut says nothing.
pub fn parts(body: &[u8]) -> Vec<Part> {
    let Some(boundary) = boundary(body) else { return Vec::new() };
    let mut rest = body;
    let mut found = Vec::new();
    while let Some(at) = find(rest, boundary) {
        let (before, after) = (&rest[..at], &rest[at + boundary.len()..]);
        found.extend(part(before));
        if let Some(end) = after.strip_prefix(b"--") {
            return if end.trim_ascii().is_empty() { found } else { Vec::new() };
        }
        if found.len() >= PARTS_MAX {
            break;
        }
        rest = after;
    }
    Vec::new()
}

/// The boundary with its two dashes: the first line that starts with them.
fn boundary(body: &[u8]) -> Option<&[u8]> {
    let mut lines = body.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    lines.find(|line| line.len() > 2 && line.starts_with(b"--"))
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    // Each part is much longer than its boundary, so looking at dashes only is fast.
    let mut from = 0;
    while let Some(at) = text.get(from..)?.iter().position(|byte| *byte == b'-') {
        if text[from + at..].starts_with(part) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

/// Reads a part: headers, an empty line, and the content.
fn part(text: &[u8]) -> Option<Part> {
    let text = text.trim_ascii();
    let (headers, content) = split_headers(text)?;
    let headers = String::from_utf8_lossy(headers);
    // A `filename` is a field of its own, so the fields are looked at one by one.
    let name = headers.split([';', '\n']).find_map(|field| field.trim().strip_prefix("name="));
    let name = name.map(|name| name.trim().trim_matches('"').to_owned());
    Some(Part { name: name.unwrap_or_default(), content: Bytes::copy_from_slice(content.trim_ascii()) })
}

fn split_headers(text: &[u8]) -> Option<(&[u8], &[u8])> {
    for end in [&b"\r\n\r\n"[..], &b"\n\n"[..]] {
        if let Some(at) = text.windows(end.len()).position(|part| part == end) {
            return Some((&text[..at], &text[at + end.len()..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(body: &str) -> Vec<(String, String)> {
        let text = |part: &Part| String::from_utf8_lossy(&part.content).into_owned();
        parts(body.as_bytes()).iter().map(|part| (part.name.clone(), text(part))).collect()
    }

    #[test]
    fn parts_have_their_names_and_contents() {
        for end in ["\n", "\r\n"] {
            let body = [
                "--r6-fp",
                "Content-Type: application/json",
                r#"Content-Disposition: form-data; name="labelMetadata""#,
                "",
                r#"{"a-b":1}"#,
                "--r6-fp",
                "Content-Type: application/pdf",
                r#"Content-Disposition: form-data; filename="labelImage.pdf"; name="labelImage""#,
                "",
                "JVBERi0=",
                "--r6-fp--",
                "",
            ]
            .join(end);
            let expected = [("labelMetadata", r#"{"a-b":1}"#), ("labelImage", "JVBERi0=")];
            assert_eq!(named(&body), expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
            // Cut anywhere, or sent twice, it says nothing.
            for at in 0..body.trim_end().len() {
                assert_eq!(named(&body[..at]), [], "{at}");
            }
            assert_eq!(named(&body.repeat(2)), []);
        }
    }

    #[test]
    fn a_body_without_parts_has_none() {
        for body in ["", "{}", "--", "----", "no\nparts", "--b", "--b\n--b\n--b--"] {
            assert_eq!(named(body), [], "{body}");
        }
    }
}
