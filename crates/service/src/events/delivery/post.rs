//! One delivery attempt: a signed POST, and its result.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use model::events::webhook_delivery::{Attempt, RESPONSE_BYTES_MAX, Verdict};
use model::{Error, Event, Id, Result, Timestamp};
use outbound::{Outbound, Request, Target};

use super::Secrets;

/// How long a receiver may take to answer.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(15);
const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// A message on its way to a receiver.
pub struct Post<'a> {
    pub target: &'a Target,
    pub secrets: &'a Secrets,
    /// The same for each attempt, so that a receiver recognises a repetition.
    pub id: Id<Event>,
    pub body: Bytes,
}

/// The result of an attempt, and what follows from it.
pub struct Answer {
    pub attempt: Attempt,
    pub verdict: Verdict,
}

impl Post<'_> {
    /// Signs and sends the message.
    pub async fn send(self, outbound: &Outbound, now: Timestamp) -> Result<Answer> {
        self.send_within(outbound, now, TIME_LIMIT).await
    }

    /// As [`Post::send`], with another time limit for the answer.
    pub async fn send_within(
        self,
        outbound: &Outbound,
        now: Timestamp,
        time_limit: Duration,
    ) -> Result<Answer> {
        let id = self.id.to_string();
        let signature = self.secrets.sign(&id, now, &self.body)?;
        let value = |text: &str| HeaderValue::try_from(text).map_err(Error::fault);
        let request = Request {
            method: Method::POST,
            target: self.target.clone(),
            headers: vec![
                (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
                (WEBHOOK_ID, value(&id)?),
                (WEBHOOK_TIMESTAMP, HeaderValue::from(now.as_seconds())),
                (WEBHOOK_SIGNATURE, value(&signature)?),
            ],
            body: self.body,
            time_limit,
            body_bytes_max: RESPONSE_BYTES_MAX,
        };
        let began = Instant::now();
        let answer = outbound.send(request).await;
        let latency_ms = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
        let attempt =
            Attempt { attempted_at: now, status_code: None, latency_ms, error: None, response_body: None };
        Ok(match answer {
            Ok(response) => Answer {
                verdict: Verdict::of(Some(response.status), retry_after(&response.headers, now)),
                attempt: Attempt {
                    status_code: Some(response.status),
                    response_body: text(&response.body),
                    ..attempt
                },
            },
            Err(failure) => Answer::failed(Attempt { error: Some(failure.to_string()), ..attempt }),
        })
    }
}

impl Answer {
    /// Returns the result of an attempt that got no answer.
    pub fn failed(attempt: Attempt) -> Self {
        Self { attempt, verdict: Verdict::of(None, None) }
    }
}

/// Returns the body that is posted for an event: the text that the API shows, and the event's time under its name in
/// Standard Webhooks. Webhooks and `dockside listen` both use it, so that both sign the same bytes.
pub fn posted_body(mut event_json: String, created_at: Timestamp) -> String {
    event_json.pop();
    event_json.push_str(&format!(",\"timestamp\":\"{created_at}\"}}"));
    event_json
}

/// Returns the pause that an answer asks for in `Retry-After`, in seconds: the header has a number or a date.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<i64> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    match text.parse::<i64>() {
        Ok(seconds) => Some(seconds.max(0)),
        Err(_) => Timestamp::parse_http_date(text).map(|date| (date.as_seconds() - now.as_seconds()).max(0)),
    }
}

/// Returns the stored part of an answer as text, whatever its bytes are.
fn text(body: &[u8]) -> Option<String> {
    if body.is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(body);
    // An invalid byte becomes three bytes: the limit holds for the resulting text, too.
    let mut end = text.len().min(RESPONSE_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Some(text[..end].replace('\0', "\u{fffd}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_takes_seconds_and_dates() {
        let now = Timestamp::parse("2026-11-01T09:00:00Z").unwrap();
        let read = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(text));
            retry_after(&headers, now)
        };
        assert_eq!(read("120"), Some(120));
        assert_eq!(read("-5"), Some(0));
        assert_eq!(read("Sun, 01 Nov 2026 09:02:00 GMT"), Some(120));
        assert_eq!(read("Sun, 01 Nov 2026 08:02:00 GMT"), Some(0));
        assert_eq!(read("soon"), None);
    }

    #[test]
    fn an_answer_of_any_bytes_is_kept_as_text_within_its_limit() {
        assert_eq!(text(b""), None);
        assert_eq!(text(b"ok").as_deref(), Some("ok"));
        let wild = text(&vec![0xff; RESPONSE_BYTES_MAX]).unwrap();
        assert!(wild.len() <= RESPONSE_BYTES_MAX && wild.chars().all(|char| char == '\u{fffd}'));
        assert!(!text(b"a\0b").unwrap().contains('\0'));
    }
}
