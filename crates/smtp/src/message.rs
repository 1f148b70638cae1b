//! A message with a text for people and the same as HTML.

use crate::address::Mailbox;
use crate::header::{mailbox, quoted_printable, text};

/// A message to one person. The same message is the same bytes each time, so an attempt that is repeated sends what the first sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    pub from: Mailbox,
    pub to: Mailbox,
    pub subject: String,
    /// Names the message in the whole world. It has the form `left@right`, of letters, digits, hyphens, underscores and full stops.
    pub id: String,
    /// When it was written, as RFC 5322 writes it.
    pub date: String,
    pub text: String,
    pub html: String,
}

impl Message {
    /// Returns the message as it is sent: ASCII, unless an address is not.
    pub fn bytes(&self) -> Vec<u8> {
        let id: String = self.id.chars().filter(|char| is_id(*char)).collect();
        // It can't be in a part, because quoted-printable encodes the equals sign.
        let boundary = format!("=_{}", id.replace(['@', '.'], "_"));
        let (from, to, subject) = (mailbox(&self.from), mailbox(&self.to), text(&self.subject));
        let date = text(&self.date);
        let mut out = format!(
            "Date: {date}\r\nFrom: {from}\r\nTo: {to}\r\nSubject: {subject}\r\nMessage-ID: <{id}>\r\nMIME-Version: 1.0\r\n\
             Auto-Submitted: auto-generated\r\nContent-Type: multipart/alternative;\r\n boundary=\"{boundary}\"\r\n\r\n"
        );
        for (kind, body) in [("plain", &self.text), ("html", &self.html)] {
            out.push_str(&format!(
                "--{boundary}\r\nContent-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{}\r\n",
                quoted_printable(body)
            ));
        }
        out.push_str(&format!("--{boundary}--\r\n"));
        out.into_bytes()
    }
}

fn is_id(char: char) -> bool {
    char.is_ascii_alphanumeric() || "-_.@".contains(char)
}
