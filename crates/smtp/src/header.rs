//! Texts in headers (RFC 5322, RFC 2047) and in bodies (quoted-printable, RFC 2045).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::address::Mailbox;

/// Bytes of text in one encoded word: with its frame it has at most 75 characters.
const WORD_BYTES_MAX: usize = 45;
/// Longest text that is written as it is. With the header's name and an address it stays far below 998 characters.
const PLAIN_CHARS_MAX: usize = 60;
/// Longest line of a body, without the `=` that continues it.
const LINE_CHARS_MAX: usize = 75;

/// Returns a mailbox as it is written in `From` and `To`.
pub fn mailbox(mailbox: &Mailbox) -> String {
    let address = mailbox.address.as_str();
    match mailbox.name.as_deref().map(one_line).filter(|name| !name.is_empty()) {
        Some(name) if is_plain(&name) => {
            format!("\"{}\" <{address}>", name.replace('\\', "\\\\").replace('"', "\\\""))
        }
        // On a line of its own, an address never makes the line of an encoded word too long.
        Some(name) => format!("{}\r\n <{address}>", encoded_words(&name)),
        None => format!("<{address}>"),
    }
}

/// Returns a text as it is written in a header such as `Subject`.
pub fn text(text: &str) -> String {
    let text = one_line(text);
    if is_plain(&text) { text } else { encoded_words(&text) }
}

/// Returns the text with one space for each run of spaces and controls. Line breaks would end the header.
fn one_line(text: &str) -> String {
    let spaced: String = text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the text can be written as it is. `=?` begins an encoded word.
fn is_plain(text: &str) -> bool {
    text.len() <= PLAIN_CHARS_MAX
        && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
        && !text.contains("=?")
}

fn encoded_words(text: &str) -> String {
    let (mut words, mut word) = (Vec::new(), String::new());
    for char in text.chars() {
        if word.len() + char.len_utf8() > WORD_BYTES_MAX {
            words.push(std::mem::take(&mut word));
        }
        word.push(char);
    }
    words.push(word);
    let words = words.iter().map(|word| format!("=?UTF-8?B?{}?=", STANDARD.encode(word)));
    words.collect::<Vec<_>>().join("\r\n ")
}

/// Returns a body in quoted-printable: ASCII, with lines of at most 76 characters, none of which begins with a full stop.
pub fn quoted_printable(body: &str) -> String {
    let mut out = String::with_capacity(body.len() * 5 / 4);
    for line in body.lines() {
        let mut width = 0;
        for (at, byte) in line.bytes().enumerate() {
            let is_last = at + 1 == line.len();
            let is_plain = match byte {
                b'=' => false,
                // Servers may drop spaces at the end of a line.
                b' ' => !is_last,
                // A full stop that begins a line is doubled on the way.
                b'.' => width != 0,
                byte => byte.is_ascii_graphic(),
            };
            let piece = if is_plain { (byte as char).to_string() } else { format!("={byte:02X}") };
            if width + piece.len() > LINE_CHARS_MAX {
                out.push_str("=\r\n");
                width = 0;
            }
            // The line was broken here, so this character begins one.
            let piece = if width == 0 && piece == "." { "=2E".to_owned() } else { piece };
            width += piece.len();
            out.push_str(&piece);
        }
        out.push_str("\r\n");
    }
    out
}
