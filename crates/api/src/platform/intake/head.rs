//! Heads of requests: where one ends, whether it is valid, and how its body is framed (RFC 9112).
//!
//! The checks are at least as strict as hyper's, so that both agree on where each message ends. If the standard lets
//! a server choose (two lengths, or a length beside chunks), the request is refused, because proxies choose
//! differently.

use std::mem::MaybeUninit;

use model::{Code, Problem};

/// The most headers of a request.
pub const HEADERS_MAX: usize = 100;
/// The longest path that [`is_plain`] accepts, in bytes.
const PLAIN_BYTES_MAX: usize = 1024;

/// The framing of a request's body. A request without a body has length 0.
#[derive(PartialEq, Eq, Debug)]
pub enum Framing {
    Length(u64),
    Chunked,
}

/// The properties of a valid head that the intake needs.
#[derive(PartialEq, Eq, Debug)]
pub struct Head {
    pub framing: Framing,
    pub asks_for_websocket: bool,
}

/// Finds the end of a head. Each search continues where the last one stopped.
#[derive(Default)]
pub struct Scan {
    /// Bytes that were searched already.
    scanned: usize,
    /// The beginning of the current line.
    line_start: usize,
    /// Whether there was a non-empty line. RFC 9112 makes servers ignore empty lines before a request.
    has_line: bool,
}

#[derive(PartialEq, Eq, Debug)]
pub enum Scanned {
    Partial,
    /// The head has this number of bytes.
    Complete(usize),
}

impl Scan {
    /// Continues the search. `bytes` begins with the bytes of the last call.
    pub fn advance(&mut self, bytes: &[u8]) -> Result<Scanned, Problem> {
        while let Some(offset) = bytes[self.scanned..].iter().position(|byte| *byte == b'\n') {
            let end = self.scanned + offset;
            if end == self.line_start || bytes[end - 1] != b'\r' {
                return Err(malformed(
                    "A line of the head ends with LF alone. Every line must end with CR LF.",
                ));
            }
            let is_empty = end - 1 == self.line_start;
            if is_empty && self.has_line {
                return Ok(Scanned::Complete(end + 1));
            }
            self.check_start(bytes)?;
            self.has_line |= !is_empty;
            (self.scanned, self.line_start) = (end + 1, end + 1);
        }
        self.scanned = bytes.len();
        self.check_start(bytes)?;
        Ok(Scanned::Partial)
    }

    /// Refuses a first line that can't begin a request, such as the first byte of TLS, without waiting for the end of
    /// the line.
    fn check_start(&self, bytes: &[u8]) -> Result<(), Problem> {
        match bytes.get(self.line_start) {
            Some(first) if !self.has_line && !first.is_ascii_graphic() && *first != b'\r' => Err(malformed(
                "The request does not begin with a method. This server speaks HTTP/1.1 without TLS.",
            )),
            _ => Ok(()),
        }
    }
}

/// Checks a complete head.
pub fn check(bytes: &[u8]) -> Result<Head, Problem> {
    // Not cleared: to clear the memory takes as long as to parse a short head.
    let mut headers = [const { MaybeUninit::uninit() }; HEADERS_MAX];
    let mut request = httparse::Request::new(&mut []);
    match request.parse_with_uninit_headers(bytes, &mut headers) {
        Ok(httparse::Status::Complete(length)) if length == bytes.len() => {}
        Ok(_) => return Err(malformed("The head ends in the middle of a line.")),
        Err(httparse::Error::TooManyHeaders) => return Err(Code::HeadersTooLarge.into()),
        Err(error) => return Err(malformed(&format!("The head can't be parsed: {error}."))),
    }
    let is_target = request.path.is_some_and(|path| is_plain(path) || http::Uri::try_from(path).is_ok());
    let is_method = request.method.is_some_and(|method| http::Method::from_bytes(method.as_bytes()).is_ok());
    if !is_target || !is_method {
        return Err(malformed("The first line is not a method, a path and `HTTP/1.1`."));
    }
    let is_http_11 = request.version == Some(1);
    let values = |name: &'static str| {
        request
            .headers
            .iter()
            .filter(move |header| header.name.eq_ignore_ascii_case(name))
            .map(|header| header.value)
    };
    match values("host").count() {
        1 => {}
        0 if !is_http_11 => {}
        0 => return Err(malformed("The header `Host` is missing.")),
        _ => return Err(malformed("The header `Host` is there more than once.")),
    }
    let framing = framing(values("transfer-encoding"), values("content-length"), is_http_11)?;
    let asks_for_websocket = is_http_11 && values("upgrade").any(asks_for_websocket);
    Ok(Head { framing, asks_for_websocket })
}

/// Returns whether a target is a short path of usual characters. `http::Uri` takes all of these, and would copy the path.
pub(super) fn is_plain(path: &str) -> bool {
    let is_usual = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'.' | b'?' | b'=' | b'&')
    };
    path.starts_with('/') && path.len() <= PLAIN_BYTES_MAX && path.bytes().all(is_usual)
}

fn framing<'a>(
    mut encodings: impl Iterator<Item = &'a [u8]>,
    lengths: impl Iterator<Item = &'a [u8]>,
    is_http_11: bool,
) -> Result<Framing, Problem> {
    let mut length = None;
    for value in lengths {
        let digits =
            std::str::from_utf8(value).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        // hyper interprets the largest numbers differently.
        let given =
            digits.and_then(|digits| digits.parse::<u64>().ok()).filter(|given| *given <= u64::MAX / 2);
        match given {
            Some(given) if length.is_none_or(|length| length == given) => length = Some(given),
            _ => return Err(malformed("`Content-Length` must be one whole number.")),
        }
    }
    match (encodings.next(), encodings.next(), length) {
        (None, _, length) => Ok(Framing::Length(length.unwrap_or(0))),
        (Some(encoding), None, None) if is_http_11 && encoding.eq_ignore_ascii_case(b"chunked") => {
            Ok(Framing::Chunked)
        }
        (Some(_), _, Some(_)) => {
            Err(malformed("`Transfer-Encoding` and `Content-Length` exclude each other. Send one of them."))
        }
        _ => Err(malformed("`Transfer-Encoding` must be `chunked`, in a request of HTTP/1.1.")),
    }
}

/// Returns whether the value of an `Upgrade` header names websockets, the only protocol that this server switches to.
pub fn asks_for_websocket(upgrade: &[u8]) -> bool {
    upgrade.split(|byte| *byte == b',').any(|word| word.trim_ascii().eq_ignore_ascii_case(b"websocket"))
}

fn malformed(detail: &str) -> Problem {
    Problem::from(Code::MalformedRequest).with_detail(detail.to_owned())
}
