//! Replies of a mail server.

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// Longest line of a reply, in bytes. RFC 5321 says 512.
const LINE_BYTES_MAX: u64 = 2048;
/// Most lines of a reply.
const LINES_MAX: usize = 100;
/// Characters of a reply that are shown.
const SHOWN_CHARS_MAX: usize = 200;

/// A reply: a code of three digits, and lines of text.
#[derive(Debug)]
pub struct Reply {
    pub code: u16,
    pub lines: Vec<String>,
}

impl Reply {
    pub fn is_positive(&self) -> bool {
        (200..400).contains(&self.code)
    }

    pub fn is_refusal(&self) -> bool {
        self.code >= 500
    }

    /// Returns the enhanced status code, such as `5.1.1` (RFC 3463), if the reply begins with one.
    pub fn status(&self) -> Option<&str> {
        let word = self.lines.first()?.split(' ').next()?;
        let mut parts = word.split('.');
        let is_number = |part: &str| {
            !part.is_empty() && part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_status = parts.next() == Some(&self.code.to_string()[..1])
            && parts.clone().count() == 2
            && parts.all(is_number);
        is_status.then_some(word)
    }

    /// Returns the code, and the enhanced status code if there is one. It has no text of the server's own.
    pub fn number(&self) -> String {
        match self.status() {
            Some(status) => format!("{} {status}", self.code),
            None => self.code.to_string(),
        }
    }

    /// Returns the code and the text, for a person: one line of printable characters.
    pub fn shown(&self) -> String {
        let text = self.lines.join(" ");
        let printable = text.chars().map(|char| if char.is_control() { ' ' } else { char });
        format!("{} {}", self.code, printable.take(SHOWN_CHARS_MAX).collect::<String>())
    }

    /// Returns what the server says of an extension in its answer to `EHLO`, such as `PLAIN LOGIN` of `AUTH`.
    pub fn extension(&self, name: &str) -> Option<&str> {
        // The first line names the server.
        self.lines.iter().skip(1).find_map(|line| {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            word.eq_ignore_ascii_case(name).then_some(rest)
        })
    }
}

/// Reads a reply. The error says what is wrong with it, or with the connection.
pub async fn read(from: &mut (impl AsyncBufRead + Unpin)) -> Result<Reply, String> {
    let mut lines = Vec::new();
    let mut code = None;
    loop {
        let line = read_line(from).await?;
        let (number, rest) = line.split_at_checked(3).ok_or("the server's reply is no reply of SMTP")?;
        let number: u16 = number.parse().map_err(|_| "the server's reply has no code")?;
        if *code.get_or_insert(number) != number || !(200..600).contains(&number) {
            return Err("the server's reply has no code".to_owned());
        }
        lines.push(rest.get(1..).unwrap_or_default().to_owned());
        match rest.as_bytes().first() {
            Some(b'-') if lines.len() < LINES_MAX => {}
            Some(b'-') => return Err("the server's reply has too many lines".to_owned()),
            Some(b' ') | None => return Ok(Reply { code: number, lines }),
            Some(_) => return Err("the server's reply is no reply of SMTP".to_owned()),
        }
    }
}

async fn read_line(from: &mut (impl AsyncBufRead + Unpin)) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = from.take(LINE_BYTES_MAX).read_until(b'\n', &mut bytes).await;
    read.map_err(|error| format!("the connection broke: {}", error.kind()))?;
    match bytes.last() {
        None => Err("the server closed the connection".to_owned()),
        Some(b'\n') => Ok(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned()),
        Some(_) if bytes.len() as u64 == LINE_BYTES_MAX => {
            Err("the server's reply has too long a line".to_owned())
        }
        Some(_) => Err("the server closed the connection".to_owned()),
    }
}
