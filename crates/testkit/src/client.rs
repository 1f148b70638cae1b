//! HTTP/1.1 by hand over one kept connection: the tests send what no well-behaved client would, and must see
//! every byte that comes back.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longer than anything here may take: a server that does not answer fails the test.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(90);

pub struct Client {
    stream: BufReader<TcpStream>,
    token: String,
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }

    /// Returns the code of a problem, or an empty text for any other reply.
    pub fn code(&self) -> String {
        let is_problem = self.header("content-type") == Some("application/problem+json");
        let code = self.json()["code"].as_str().map(str::to_owned);
        code.filter(|_| is_problem).unwrap_or_default()
    }
}

impl Client {
    pub fn connect(address: SocketAddr, token: &str) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, RESPONSE_TIMEOUT)?;
        stream.set_read_timeout(Some(RESPONSE_TIMEOUT))?;
        stream.set_write_timeout(Some(RESPONSE_TIMEOUT))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), token: token.to_owned() })
    }

    pub fn get(&mut self, path: &str) -> Reply {
        self.request("GET", path, &[], "").unwrap_or_else(|error| panic!("GET {path}: {error}"))
    }

    pub fn post(&mut self, path: &str, body: &str) -> Reply {
        self.request("POST", path, &[], body).unwrap_or_else(|error| panic!("POST {path}: {error}"))
    }

    pub fn request(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> io::Result<Reply> {
        let mut text = self.head(method, path, headers);
        if !body.is_empty() {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        text.push_str("\r\n");
        text.push_str(body);
        self.send(text.as_bytes())?;
        self.reply_to(method)
    }

    /// Sets the timeout of each answer, instead of the default.
    pub fn waiting_for(self, time: Duration) -> io::Result<Self> {
        self.stream.get_ref().set_read_timeout(Some(time))?;
        Ok(self)
    }

    /// Returns the head of a request without the empty line that ends it.
    pub fn head(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> String {
        let mut text = format!("{method} {path} HTTP/1.1\r\nHost: dockside.example\r\n");
        if !self.token.is_empty() {
            text.push_str(&format!("Authorization: Bearer {}\r\n", self.token));
        }
        if method == "POST" {
            text.push_str("Content-Type: application/json\r\n");
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text
    }

    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Sends a POST without its body, and returns when the server waits for the body: `Expect` makes it say so.
    pub fn begin_post(&mut self, path: &str, body_bytes: usize) {
        let length = body_bytes.to_string();
        let head = self.head("POST", path, &[("Content-Length", &length), ("Expect", "100-continue")]);
        self.send(format!("{head}\r\n").as_bytes()).expect("a server that listens");
        assert_eq!(self.reply().expect("an interim answer").status, 100);
    }

    /// The next reply.
    pub fn reply(&mut self) -> io::Result<Reply> {
        self.reply_to("GET")
    }

    pub fn reply_to(&mut self, method: &str) -> io::Result<Reply> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.ok_or_else(|| io::Error::other(format!("not a status line: {first:?}")))?;
        let mut reply = Reply { status, headers: Vec::new(), body: String::new() };
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(": ").ok_or_else(|| io::Error::other("not a header"))?;
            reply.headers.push((name.to_owned(), value.to_owned()));
        }
        if method != "HEAD" {
            let length = reply.header("content-length").map_or(0, |text| text.parse().unwrap_or(0));
            let mut body = vec![0; length];
            self.stream.read_exact(&mut body)?;
            reply.body = String::from_utf8(body).map_err(io::Error::other)?;
        }
        Ok(reply)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        match line.strip_suffix("\r\n") {
            Some(line) => Ok(line.to_owned()),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Returns whether nothing arrives in this time.
    pub fn is_silent_for(&mut self, time: Duration) -> bool {
        self.stream.get_ref().set_read_timeout(Some(time)).unwrap();
        let outcome = self.stream.fill_buf().map(<[u8]>::len);
        self.stream.get_ref().set_read_timeout(Some(RESPONSE_TIMEOUT)).unwrap();
        outcome
            .is_err_and(|error| matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut))
    }

    /// Waits until the server closes the connection without another byte. Returns how long that took.
    pub fn closed_after(&mut self) -> Duration {
        let began = Instant::now();
        let mut rest = Vec::new();
        self.stream.read_to_end(&mut rest).expect("a connection closed in an orderly way");
        assert_eq!(String::from_utf8_lossy(&rest), "");
        began.elapsed()
    }
}
