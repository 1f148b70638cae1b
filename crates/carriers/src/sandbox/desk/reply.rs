//! The carrier's answer to a request.

use std::time::Duration;

use bytes::Bytes;
use serde::Serialize;

use super::entry::Entry;
use crate::Answer;
use crate::sandbox::wire::{Failure, FailureBody};

/// An answer, and the new entries of the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub status: u16,
    pub retry_after: Option<Duration>,
    pub body: Bytes,
    /// The delay of the answer.
    pub delay: Duration,
    /// Whether the connection closes without an answer.
    pub is_cut: bool,
    /// Entries to make durable before the answer is sent.
    pub entries: Vec<Entry>,
}

impl Reply {
    pub(super) fn json(status: u16, body: &impl Serialize) -> Self {
        // The body consists of texts and numbers, so serialisation can't fail.
        let body = serde_json::to_vec(body).unwrap_or_default();
        let (delay, entries) = (Duration::ZERO, Vec::new());
        Self { status, retry_after: None, body: body.into(), delay, is_cut: false, entries }
    }

    pub(super) fn failure(status: u16, code: &str, message: String, charged: Option<bool>) -> Self {
        let error = FailureBody { code: code.to_owned(), message, charged, package: None };
        Self::json(status, &Failure { error })
    }

    /// Returns a refusal, of a package if one is named. Nothing was charged.
    pub(super) fn package_refusal(code: &str, message: String, package: Option<u32>) -> Self {
        let error = FailureBody { code: code.to_owned(), message, charged: Some(false), package };
        Self::json(422, &Failure { error })
    }

    /// Returns a refusal. Nothing was charged.
    pub fn refusal(status: u16, code: &str, message: String) -> Self {
        Self::failure(status, code, message, Some(false))
    }

    pub(super) fn unknown_purchase(name: &str) -> Self {
        Self::refusal(404, "not_found", format!("There is no purchase {name}."))
    }

    /// Returns an internal error, which does not say whether the request was executed.
    pub(super) fn broken() -> Self {
        Self::failure(500, "internal_error", "Something went wrong.".to_owned(), None)
    }

    pub(super) fn cut() -> Self {
        Self { is_cut: true, ..Self::json(200, &()) }
    }

    /// Returns the answer as the connector sees it.
    pub fn answer(&self) -> Answer {
        if self.is_cut {
            return Answer::Lost("The connection ended without an answer.".to_owned());
        }
        Answer::Response { status: self.status, retry_after: self.retry_after, body: self.body.clone() }
    }
}
