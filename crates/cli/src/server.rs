//! A server and the token to call it with: requests of the public API, and what their answers mean.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use outbound::{Failure as Unanswered, Network, Outbound, Request, Response, Target};
use serde_json::Value;
use tokio::time::sleep;

use crate::failure::{Exit, Failure};
use crate::operation::Operation;
use crate::problem;

/// How long the server may take to answer, or to send the next part of a file.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// Room for an answer: a page of the largest resources there are.
const ANSWER_BYTES_MAX: usize = 256 << 20;
/// The server is where its user says, on a machine that reaches it anyway.
const EVERYWHERE: [&str; 2] = ["0.0.0.0/0", "::/0"];
/// How often a request is sent if the server is busy, or its connection broke.
const TRIES_MAX: u32 = 3;
/// The pause before a repetition, and the longest that a server may ask for.
const PAUSE: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// Bytes of the key that makes a repeated request count once.
const KEY_BYTES: usize = 16;

/// A server, and the token to call it with.
pub struct Server {
    outbound: Outbound,
    url: String,
    authorization: HeaderValue,
}

/// A request of the API.
pub struct Call {
    operation: &'static Operation,
    ids: Vec<String>,
    query: Vec<(Cow<'static, str>, String)>,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
    time_limit: Duration,
    is_repeatable: bool,
}

/// The body of a successful answer.
pub struct Answer {
    pub body: Bytes,
    pub json: Value,
}

/// Returns the client that reaches every address.
pub fn everywhere() -> Result<Outbound, Failure> {
    let networks: Result<Vec<Network>, _> = EVERYWHERE.iter().map(|network| network.parse()).collect();
    let networks = networks.map_err(Failure::refused)?;
    Outbound::new(&networks).map_err(|error| Failure::refused(error.to_string()))
}

impl Call {
    pub fn new(operation: &'static Operation) -> Self {
        Self {
            operation,
            ids: Vec::new(),
            query: Vec::new(),
            headers: Vec::new(),
            body: Bytes::new(),
            time_limit: TIME_LIMIT,
            is_repeatable: true,
        }
    }

    /// Fills the next parameter of the path.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.ids.push(id.into());
        self
    }

    pub fn query(mut self, name: impl Into<Cow<'static, str>>, value: impl ToString) -> Self {
        self.query.push((name.into(), value.to_string()));
        self
    }

    pub fn queries(mut self, query: &[(&'static str, String)]) -> Self {
        self.query.extend(query.iter().map(|(name, value)| (Cow::Borrowed(*name), value.clone())));
        self
    }

    pub fn json(self, body: &Value) -> Self {
        self.file(body.to_string().into(), "application/json")
    }

    pub fn file(mut self, content: Bytes, media_type: &'static str) -> Self {
        self.body = content;
        self.headers.push((CONTENT_TYPE, HeaderValue::from_static(media_type)));
        self
    }

    /// Lets the server take this long to answer.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// Asks the server to wait this long for the outcome.
    pub fn wait(mut self, seconds: u64) -> Self {
        let value = HeaderValue::try_from(format!("wait={seconds}"));
        self.headers.extend(value.map(|value| (HeaderName::from_static("prefer"), value)));
        self
    }

    /// Sends it once, whatever happens, and without a key.
    pub fn once(mut self) -> Self {
        self.is_repeatable = false;
        self
    }

    fn address(&self) -> String {
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        self.operation.address(&ids, &self.query)
    }
}

impl Server {
    pub fn new(url: &str, token: &str) -> Result<Self, Failure> {
        let mut authorization = HeaderValue::try_from(format!("Bearer {token}"))
            .map_err(|_| Failure::usage("there are characters in the token that no token has"))?;
        authorization.set_sensitive(true);
        let server = Self { outbound: everywhere()?, url: trimmed(url), authorization };
        server.target("")?;
        Ok(server)
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Sends a request, and returns what the server answers. A request that the server was too busy for, or whose answer was lost, is
    /// sent again under the same key, so that it is done once.
    pub async fn call(&self, call: Call) -> Result<Answer, Failure> {
        let target = self.target(&call.address())?;
        let method = method(call.operation)?;
        let mut headers = vec![
            (AUTHORIZATION, self.authorization.clone()),
            (ACCEPT, HeaderValue::from_static("application/json")),
        ];
        headers.extend(call.headers);
        if method != Method::GET && call.is_repeatable {
            headers.push((HeaderName::from_static("idempotency-key"), key()?));
        }
        let tries = if call.is_repeatable { TRIES_MAX } else { 1 };
        let mut tried = 1;
        loop {
            let request = Request {
                method: method.clone(),
                target: target.clone(),
                headers: headers.clone(),
                body: call.body.clone(),
                time_limit: call.time_limit,
                body_bytes_max: ANSWER_BYTES_MAX,
            };
            let outcome = self.outbound.send(request).await;
            let Some(pause) = pause(&outcome).filter(|_| tried < tries) else {
                return self.answer(outcome);
            };
            sleep(pause).await;
            tried += 1;
        }
    }

    fn answer(&self, outcome: Result<Response, Unanswered>) -> Result<Answer, Failure> {
        let response = outcome.map_err(|failure| self.unanswered(&failure))?;
        if response.status >= 300 {
            return Err(problem::failure(&self.url, response.status, &response.body));
        }
        if response.is_truncated {
            return Err(Failure::refused(format!("{} answers more than this command can take", self.url)));
        }
        let json = match response.body.is_empty() {
            true => Value::Null,
            false => serde_json::from_slice(&response.body).map_err(|_| self.foreign())?,
        };
        Ok(Answer { body: response.body, json })
    }

    /// Writes the body of an answer while it arrives, and returns its size in bytes.
    pub async fn download(
        &self,
        call: Call,
        sink: &mut (dyn FnMut(&[u8]) -> std::io::Result<()> + Send),
    ) -> Result<u64, Failure> {
        let target = self.target(&call.address())?;
        self.receive(target, vec![(AUTHORIZATION, self.authorization.clone())], sink).await
    }

    /// Fetches a file by the link that the server gave. The link opens it, so the token is not sent along: it may lead elsewhere.
    pub async fn fetch(
        &self,
        link: &str,
        sink: &mut (dyn FnMut(&[u8]) -> std::io::Result<()> + Send),
    ) -> Result<u64, Failure> {
        let target = match link.strip_prefix('/') {
            Some(_) => self.target(link)?,
            None => self
                .outbound
                .parse_url(link)
                .map_err(|refusal| Failure::refused(format!("the link to the file: {refusal}")))?,
        };
        self.receive(target, Vec::new(), sink).await
    }

    async fn receive(
        &self,
        target: Target,
        headers: Vec<(HeaderName, HeaderValue)>,
        sink: &mut (dyn FnMut(&[u8]) -> std::io::Result<()> + Send),
    ) -> Result<u64, Failure> {
        let mut bytes = 0;
        let mut counted = |data: &[u8]| {
            bytes += data.len() as u64;
            sink(data)
        };
        let request = Request {
            method: Method::GET,
            target,
            headers,
            body: Bytes::new(),
            time_limit: TIME_LIMIT,
            body_bytes_max: ANSWER_BYTES_MAX,
        };
        let received = self.outbound.download(request, &mut counted).await;
        let response = received.map_err(|failure| self.unanswered(&failure))?;
        match response.status {
            200 => Ok(bytes),
            status => Err(problem::failure(&self.url, status, &response.body)),
        }
    }

    fn target(&self, path: &str) -> Result<Target, Failure> {
        self.outbound
            .parse_url(&format!("{}{path}", self.url))
            .map_err(|refusal| Failure::usage(format!("--url {}: {refusal}", self.url)))
    }

    fn unanswered(&self, failure: &Unanswered) -> Failure {
        let message = match failure {
            // The client's own words are for the operator of a server.
            Unanswered::Unresolved { host } => format!("the host name {host} is not found"),
            Unanswered::Connect { .. } => {
                "nothing takes connections there; is the server running?".to_owned()
            }
            other => other.to_string(),
        };
        Failure::new(Exit::Connection, format!("{}: {message}", self.url))
    }

    fn foreign(&self) -> Failure {
        Failure::refused(format!(
            "{} answers with something other than JSON. Is a Dockside server there?",
            self.url
        ))
    }
}

/// Returns a URL without the slash at its end.
pub fn trimmed(url: &str) -> String {
    url.trim_end_matches('/').to_owned()
}

/// Returns how long to wait before a request is sent again, or `None` if that is of no use.
fn pause(outcome: &Result<Response, Unanswered>) -> Option<Duration> {
    match outcome {
        Ok(response) if matches!(response.status, 429 | 503) => {
            Some(retry_after(&response.headers)).filter(|pause| *pause <= PAUSE_MAX)
        }
        Err(Unanswered::Broken { .. }) => Some(PAUSE),
        _ => None,
    }
}

fn retry_after(headers: &HeaderMap) -> Duration {
    let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    seconds.map_or(PAUSE, Duration::from_secs)
}

fn method(operation: &Operation) -> Result<Method, Failure> {
    Method::try_from(operation.method).map_err(|error| Failure::refused(error.to_string()))
}

#[expect(clippy::disallowed_methods, reason = "a command has no context to pass randomness in")]
fn key() -> Result<HeaderValue, Failure> {
    let mut bytes = [0; KEY_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| Failure::refused(error.to_string()))?;
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::try_from(text).map_err(|error| Failure::refused(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: u16, retry_after: Option<&'static str>) -> Result<Response, Unanswered> {
        let mut headers = HeaderMap::new();
        headers.extend(retry_after.map(|value| (RETRY_AFTER, HeaderValue::from_static(value))));
        Ok(Response { status, headers, body: Bytes::new(), is_truncated: false })
    }

    #[test]
    fn a_busy_server_is_asked_again_after_the_pause_that_it_names() {
        assert_eq!(pause(&response(503, Some("3"))), Some(Duration::from_secs(3)));
        assert_eq!(pause(&response(429, None)), Some(PAUSE));
        assert_eq!(pause(&response(429, Some("60"))), None);
        assert_eq!(pause(&response(500, Some("1"))), None);
        assert_eq!(pause(&response(200, None)), None);
        assert_eq!(pause(&Err(Unanswered::Broken { cause: String::new() })), Some(PAUSE));
        assert_eq!(pause(&Err(Unanswered::Withdrawn)), None);
    }

    #[test]
    fn keys_differ() {
        assert_ne!(key().unwrap(), key().unwrap());
    }
}
