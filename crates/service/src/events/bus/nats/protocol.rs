//! What goes over the wire: the part of NATS' client protocol that a hint needs. Pure: bytes in, operations out.

use std::fmt;

use bytes::{Buf as _, BytesMut};
use serde::Deserialize;
use serde_json::json;

use crate::events::bus::nats::url::{Credentials, NatsUrl};

/// The longest line, in bytes, without its end.
pub const LINE_BYTES_MAX: usize = 4 * 1024;
/// The longest message, in bytes.
pub const PAYLOAD_BYTES_MAX: usize = 1024 * 1024;
const END: &[u8] = b"\r\n";

/// What a server says.
#[derive(PartialEq, Eq, Debug)]
pub enum Op {
    Info(Info),
    /// A message on the one subject that we hear.
    Message(Vec<u8>),
    Ping,
    Pong,
    Ok,
    Error(String),
}

/// What of a server's description matters here.
#[derive(PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Info {
    pub tls_required: bool,
}

/// Why bytes are not NATS.
#[derive(PartialEq, Eq, Debug)]
pub struct Malformed(&'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the NATS server sent {}", self.0)
    }
}

impl std::error::Error for Malformed {}

/// Reads operations from bytes, however they are cut.
#[derive(Default)]
pub struct Parser {
    buffer: BytesMut,
    /// The length of the message whose line was read, and which is to follow.
    payload: Option<usize>,
}

impl Parser {
    /// Where bytes that come in are appended. After [`Parser::next`] gave `None` it holds less than the longest thing
    /// there may be.
    pub fn buffer(&mut self) -> &mut BytesMut {
        &mut self.buffer
    }

    /// The next operation; `None` where more bytes are needed. After an error there is no going on.
    pub fn next(&mut self) -> Result<Option<Op>, Malformed> {
        loop {
            if let Some(length) = self.payload {
                return Ok(self.message(length)?.map(Op::Message));
            }
            let Some(line) = self.line()? else { return Ok(None) };
            match operation(&line)? {
                ProtocolLine::Op(op) => return Ok(Some(op)),
                ProtocolLine::Message(length) => self.payload = Some(length),
            }
        }
    }

    fn line(&mut self) -> Result<Option<BytesMut>, Malformed> {
        let window = &self.buffer[..self.buffer.len().min(LINE_BYTES_MAX + END.len())];
        match window.windows(END.len()).position(|end| end == END) {
            Some(length) => {
                let line = self.buffer.split_to(length);
                self.buffer.advance(END.len());
                Ok(Some(line))
            }
            None if self.buffer.len() >= LINE_BYTES_MAX + END.len() => Err(Malformed("a line without end")),
            None => Ok(None),
        }
    }

    fn message(&mut self, length: usize) -> Result<Option<Vec<u8>>, Malformed> {
        let Some(end) = self.buffer.get(length..length + END.len()) else { return Ok(None) };
        if end != END {
            return Err(Malformed("a message that is longer than announced"));
        }
        let message = self.buffer[..length].to_vec();
        self.buffer.advance(length + END.len());
        self.payload = None;
        Ok(Some(message))
    }
}

/// What a line says: all there is to say, or that a message of some length follows.
enum ProtocolLine {
    Op(Op),
    Message(usize),
}

fn operation(line: &[u8]) -> Result<ProtocolLine, Malformed> {
    let line = std::str::from_utf8(line).map_err(|_| Malformed("a line that is not text"))?;
    let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let rest = rest.trim_matches([' ', '\t']);
    let op = match word.to_ascii_uppercase().as_str() {
        "MSG" => return message_length(rest).map(ProtocolLine::Message),
        "INFO" => {
            let info = serde_json::from_str(rest);
            Op::Info(info.map_err(|_| Malformed("a description of itself that can't be read"))?)
        }
        "-ERR" => Op::Error(rest.trim_matches('\'').to_owned()),
        "PING" if rest.is_empty() => Op::Ping,
        "PONG" if rest.is_empty() => Op::Pong,
        "+OK" if rest.is_empty() => Op::Ok,
        _ => return Err(Malformed("a line that is not known")),
    };
    Ok(ProtocolLine::Op(op))
}

/// Reads `subject sid [reply-to] length`.
fn message_length(words: &str) -> Result<usize, Malformed> {
    let words: Vec<&str> = words.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
    let ([_, _, digits] | [_, _, _, digits]) = words[..] else {
        return Err(Malformed("a message whose line has too few or too many words"));
    };
    // Only plain digits: `usize::from_str` would take `+8` too.
    let is_plain = digits.bytes().all(|digit| digit.is_ascii_digit());
    let length = digits.parse().ok().filter(|length| is_plain && *length <= PAYLOAD_BYTES_MAX);
    length.ok_or(Malformed("a message without a sound length"))
}

/// The line by which a client introduces itself. It need not hear itself, and wants no answer to each line.
pub fn connect(url: &NatsUrl) -> String {
    let mut hello = json!({
        "verbose": false, "pedantic": false, "tls_required": false, "echo": false, "headers": false,
        "protocol": 1, "name": "dockside", "lang": "rust", "version": env!("CARGO_PKG_VERSION"),
    });
    match url.credentials() {
        Credentials::None => {}
        Credentials::Token(token) => hello["auth_token"] = token.as_str().into(),
        Credentials::User { name, password } => {
            hello["user"] = name.as_str().into();
            hello["pass"] = password.as_str().into();
        }
    }
    format!("CONNECT {hello}\r\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What comes of bytes that arrive in pieces of these lengths, which repeat.
    fn ops(bytes: &[u8], pieces: &[usize]) -> (Vec<Op>, Option<Malformed>) {
        let (mut parser, mut ops, mut rest) = (Parser::default(), Vec::new(), bytes);
        for piece in pieces.iter().cycle() {
            let (now, later) = rest.split_at((*piece).clamp(1, rest.len().max(1)).min(rest.len()));
            parser.buffer().extend_from_slice(now);
            loop {
                match parser.next() {
                    Ok(Some(op)) => ops.push(op),
                    Ok(None) => break,
                    Err(malformed) => return (ops, Some(malformed)),
                }
            }
            assert!(parser.buffer.len() <= PAYLOAD_BYTES_MAX + END.len(), "it keeps more than it may");
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        (ops, None)
    }

    fn sound(bytes: &[u8]) -> Vec<Op> {
        let (ops, malformed) = ops(bytes, &[usize::MAX]);
        assert_eq!(malformed, None, "{:?}", String::from_utf8_lossy(bytes));
        ops
    }

    #[test]
    fn what_a_server_says_is_understood() {
        let said = b"INFO {\"server_id\":\"N\",\"tls_required\":true,\"max_payload\":1048576} \r\n+OK\r\nPING\r\nping\r\n\
                     PONG\r\nMSG dockside.hints 1 5\r\nhello\r\nMSG dockside.hints 1 _INBOX.x 4\r\n\r\n\r\n\r\nMSG\ta  1\t0\r\n\r\n\
                     -ERR 'Authorization Violation'\r\nINFO {}\r\n";
        let expected = [
            Op::Info(Info { tls_required: true }),
            Op::Ok,
            Op::Ping,
            Op::Ping,
            Op::Pong,
            Op::Message(b"hello".to_vec()),
            Op::Message(b"\r\n\r\n".to_vec()),
            Op::Message(Vec::new()),
            Op::Error("Authorization Violation".to_owned()),
            Op::Info(Info::default()),
        ];
        assert_eq!(sound(said), expected);
    }

    #[test]
    fn what_is_not_nats_is_refused() {
        let cases: [&[u8]; 16] = [
            b"HTTP/1.1 400 Bad Request\r\n",
            b"\r\n",
            b"PING now\r\n",
            b"PIN\r\n",
            b"PING\nPING\r\n",
            b"INFO\r\n",
            b"INFO []x\r\n",
            b"INFO {\"tls_required\":1}\r\n",
            b"\xff\xff\r\n",
            b"MSG a 1\r\n",
            b"MSG a 1 b c 1\r\n",
            b"MSG a 1 +1\r\n",
            b"MSG a 1 -1\r\n",
            b"MSG a 1 1048577\r\n",
            b"MSG a 1 99999999999999999999999\r\n",
            b"MSG a 1 1\r\nabc\r\n",
        ];
        for bytes in cases {
            let (ops, malformed) = ops(bytes, &[usize::MAX]);
            assert!(ops.is_empty() && malformed.is_some(), "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn a_line_may_be_long_and_not_longer() {
        let line = |length| format!("-ERR {}\r\n", "x".repeat(length - 5)).into_bytes();
        assert_eq!(sound(&line(LINE_BYTES_MAX)).len(), 1);
        assert!(ops(&line(LINE_BYTES_MAX + 1), &[1]).1.is_some());
        // One that never ends is refused before it does.
        assert!(ops(&vec![b'x'; LINE_BYTES_MAX + 2], &[100]).1.is_some());
        let largest = [b"MSG a 1 1048576\r\n", &vec![b'x'; PAYLOAD_BYTES_MAX][..], END].concat();
        assert_eq!(sound(&largest), [Op::Message(vec![b'x'; PAYLOAD_BYTES_MAX])]);
    }

    #[test]
    fn a_client_introduces_itself_with_its_credentials() {
        let hello = |url: &str| {
            let line = connect(&url.parse().unwrap());
            let json = line.strip_prefix("CONNECT ").and_then(|line| line.strip_suffix("\r\n")).unwrap();
            serde_json::from_str::<serde_json::Value>(json).unwrap()
        };
        let open = hello("nats://host");
        assert_eq!((&open["verbose"], &open["echo"]), (&json!(false), &json!(false)));
        assert!(open.get("user").is_none() && open.get("auth_token").is_none());
        let user = hello("nats://ada:lo%22ve%0d%0aPING@host");
        assert_eq!((&user["user"], &user["pass"]), (&json!("ada"), &json!("lo\"ve\r\nPING")));
        assert_eq!(hello("nats://s3cret@host")["auth_token"], json!("s3cret"));
        assert_eq!(connect(&"nats://a%0d%0aPING@host".parse().unwrap()).matches("\r\n").count(), 1);
    }

    /// Bytes that are nearly NATS, so that tests get beyond the first line.
    fn nearly() -> impl Strategy<Value = Vec<u8>> {
        let message = prop::collection::vec(any::<u8>(), 0..40).prop_map(|payload| {
            [format!("MSG s 1 {}\r\n", payload.len()).as_bytes(), &payload, END].concat()
        });
        let words = prop::sample::select(vec![
            "PING\r\n",
            "PONG\r\n",
            "+OK\r\n",
            "INFO {}\r\n",
            "-ERR 'x'\r\n",
            "MSG s 1 3\r\n",
            "\r",
            "\n",
            " ",
            "abc",
        ]);
        let part = prop_oneof![
            4 => message,
            4 => words.prop_map(|word| word.as_bytes().to_vec()),
            1 => prop::collection::vec(any::<u8>(), 0..10),
        ];
        prop::collection::vec(part, 0..20).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn no_bytes_are_a_danger(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            ops(&bytes, &[usize::MAX]);
        }

        #[test]
        fn it_does_not_matter_how_bytes_are_cut(
            bytes in nearly(), pieces in prop::collection::vec(1_usize..30, 1..10),
        ) {
            prop_assert_eq!(ops(&bytes, &pieces), ops(&bytes, &[usize::MAX]));
        }

        #[test]
        fn every_message_arrives(messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 0..10)) {
            let mut bytes = Vec::new();
            for message in &messages {
                bytes.extend_from_slice(format!("MSG dockside.hints 1 {}\r\n", message.len()).as_bytes());
                bytes.extend_from_slice(message);
                bytes.extend_from_slice(END);
            }
            let expected: Vec<Op> = messages.into_iter().map(Op::Message).collect();
            prop_assert_eq!(sound(&bytes), expected);
        }
    }
}
