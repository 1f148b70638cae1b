//! Requests to carriers: by the HTTP client or, to the sandbox carrier, in this process.

use std::time::Duration;

use ::carriers::sandbox;
use ::carriers::sandbox::desk::{Asked, Desk, Entry, serve};
use ::carriers::{Account, Answer, Request};
use http::{HeaderName, HeaderValue, Method};
use model::{Error, Owner, Result};
use outbound::{Failure, Outbound, Phase};
use store::shipping::sandbox_entries;
use tokio::time::Instant;
use tracing::{Instrument, debug, debug_span, warn};

use crate::platform::context::Context;
use crate::platform::lookups::party;

/// Largest answer of a carrier, in bytes. Answers may contain labels.
const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Sends requests to carriers.
#[derive(Clone)]
pub struct CarrierRequests {
    context: Context,
    outbound: Outbound,
}

/// What a request is sent for.
#[derive(Clone, Copy)]
pub struct Sending<'a> {
    pub owner: Owner,
    pub account: &'a Account,
    /// The words for it in the log: the task, and which exchange of it.
    pub task: &'static str,
    pub exchange: usize,
    /// When the answer must be there.
    pub end: Instant,
    /// Is checked immediately before anything is sent.
    pub is_wanted: &'a (dyn Fn() -> bool + Sync),
}

impl CarrierRequests {
    pub fn new(context: &Context, outbound: &Outbound) -> Self {
        Self { context: context.clone(), outbound: outbound.clone() }
    }

    /// Sends a request, and returns its answer.
    pub async fn exchange(&self, of: Sending<'_>, request: Request) -> Answer {
        let Sending { owner, account, task, exchange, end, is_wanted } = of;
        let span = debug_span!("outbound", carrier_account = %account.id, task, exchange);
        let began = Instant::now();
        let answer = self.answer(owner, account, request, end, is_wanted).instrument(span.clone()).await;
        let (answered, status) = answer_word(&answer);
        let latency_ms = began.elapsed().as_millis() as u64;
        debug!(parent: &span, answered, status, latency_ms, "carrier called");
        answer
    }

    async fn answer(
        &self,
        owner: Owner,
        account: &Account,
        request: Request,
        end: Instant,
        is_wanted: &(dyn Fn() -> bool + Sync),
    ) -> Answer {
        match request.url.strip_prefix(sandbox::IN_PROCESS) {
            Some(path) => {
                let desk = Desk::of(&sandbox::Settings::read(account).unwrap_or_default());
                match tokio::time::timeout_at(end, self.ask_sandbox(owner, desk, &request, path)).await {
                    Ok(Ok(answer)) => answer,
                    Ok(Err(error)) => {
                        warn!(%error, "the sandbox carrier could not record what it sold");
                        Answer::Lost("The sandbox could not write its books.".to_owned())
                    }
                    Err(_) => Answer::Lost("No answer came in time.".to_owned()),
                }
            }
            None => self.send(owner, request, end, is_wanted).await,
        }
    }

    /// Sends a request over the network.
    async fn send(
        &self,
        owner: Owner,
        request: Request,
        end: Instant,
        is_wanted: &(dyn Fn() -> bool + Sync),
    ) -> Answer {
        let target = match self.outbound.parse_private_url(&request.url) {
            Ok(target) => target,
            Err(refusal) => return Answer::Unsent(refusal.to_string()),
        };
        let Ok(method) = Method::from_bytes(request.method.as_bytes()) else {
            return Answer::Unsent("There is no such method.".to_owned());
        };
        let mut headers = Vec::with_capacity(request.headers.len());
        for (name, value) in request.headers {
            match HeaderValue::try_from(value) {
                Ok(value) => headers.push((HeaderName::from_static(name), value)),
                // For example a key that was pasted with a line break in it.
                Err(_) => return Answer::Unsent(format!("The header {name} can't be written.")),
            }
        }
        let time_limit = end.saturating_duration_since(Instant::now());
        if time_limit.is_zero() {
            return Answer::Unsent("There was no time left.".to_owned());
        }
        let request = outbound::Request {
            method,
            target,
            headers,
            body: request.body,
            time_limit,
            body_bytes_max: ANSWER_BYTES_MAX,
        };
        match self.outbound.of(party(owner)).send_if(request, is_wanted).await {
            Ok(response) if response.is_truncated => {
                Answer::Lost("The answer is larger than an answer may be.".to_owned())
            }
            Ok(response) => {
                let retry_after = response.headers.get(http::header::RETRY_AFTER);
                let retry_after = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
                let retry_after = retry_after.map(Duration::from_secs);
                Answer::Response { status: response.status, retry_after, body: response.body }
            }
            Err(failure) if is_unsent(&failure) => Answer::Unsent(failure.to_string()),
            Err(failure) => Answer::Lost(failure.to_string()),
        }
    }

    /// Asks the sandbox carrier in this process. It records what it sold in rows of its own before it answers.
    async fn ask_sandbox(&self, owner: Owner, desk: Desk, request: &Request, path: &str) -> Result<Answer> {
        let asked = match Asked::read(request.method, path, &request.body) {
            Ok(asked) => asked,
            Err(reply) => return Ok(reply.answer()),
        };
        let now = self.context.now();
        let served = self.context.db().write(owner, async move |tx| {
            let Some(reference) = asked.reference() else { return Ok(serve(&desk, &asked, &[], now)) };
            let mut earlier = Vec::new();
            for doc in sandbox_entries::all(tx, owner, reference).await? {
                earlier.push(serde_json::from_str::<Entry>(&doc).map_err(Error::fault)?);
            }
            let reply = serve(&desk, &asked, &earlier, now);
            for (place, entry) in reply.entries.iter().enumerate() {
                let number = (earlier.len() + place + 1) as i64;
                let doc = serde_json::to_string(entry).map_err(Error::fault)?;
                sandbox_entries::insert(tx, owner, reference, number, &doc).await?;
            }
            Ok(reply)
        });
        let reply = served.await?;
        if !reply.delay.is_zero() {
            tokio::time::sleep(reply.delay).await;
        }
        Ok(reply.answer())
    }
}

/// Returns what became of a request, and the status of the answer, for the log.
fn answer_word(answer: &Answer) -> (&'static str, Option<u16>) {
    match answer {
        Answer::Response { status, .. } => ("answered", Some(*status)),
        Answer::Unsent(_) => ("unsent", None),
        Answer::Lost(_) => ("lost", None),
    }
}

/// Whether the request was provably never sent.
fn is_unsent(failure: &Failure) -> bool {
    match failure {
        Failure::Refused { .. }
        | Failure::Unencrypted { .. }
        | Failure::Unresolved { .. }
        | Failure::Outside { .. }
        | Failure::Connect { .. }
        | Failure::Tls { .. }
        | Failure::Withdrawn => true,
        Failure::Timeout { phase, .. } => {
            matches!(phase, Phase::Lookup | Phase::Connect | Phase::Handshake)
        }
        Failure::Broken { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_never_left_may_be_sent_again() {
        let limit = Duration::from_secs(1);
        let host = || "carrier.example".to_owned();
        assert!(is_unsent(&Failure::Unresolved { host: host() }));
        assert!(is_unsent(&Failure::Connect { host: host(), port: 1, cause: "refused".to_owned() }));
        assert!(is_unsent(&Failure::Timeout { phase: Phase::Handshake, limit }));
        assert!(is_unsent(&Failure::Withdrawn));
        assert!(!is_unsent(&Failure::Timeout { phase: Phase::Head, limit }));
        assert!(!is_unsent(&Failure::Timeout { phase: Phase::Body, limit }));
        assert!(!is_unsent(&Failure::Broken { cause: "cut".to_owned() }));
    }
}
