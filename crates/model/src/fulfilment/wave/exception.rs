//! Why an order of a wave could not be processed.

use crate::{Code, Problem};

/// Characters of a message.
const MESSAGE_CHARS_MAX: usize = 1000;
/// Issues of a problem that a message repeats.
const ISSUES_SHOWN: usize = 5;

/// Why an order of a wave could not be processed: a word for programs and a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveException {
    pub code: String,
    pub message: String,
}

impl WaveException {
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }

    /// Another wave has the order.
    pub fn in_other_wave() -> Self {
        Self::new("in_other_wave", "Another wave has this order and has not processed it yet.")
    }

    /// Returns the exception that a refusal means. Where several refusals mean the same to the person who plans the day, they
    /// share a code; all others keep theirs.
    pub fn of(problem: &Problem) -> Self {
        let code = match problem.code {
            Code::InsufficientStock | Code::NothingToAllocate | Code::StockMoved => "no_stock",
            Code::DestinationMissing => "address_invalid",
            Code::OrderOnHold => "on_hold",
            Code::NotFound => "order_not_found",
            code => code.as_str(),
        };
        Self { code: code.to_owned(), message: message_of(problem) }
    }
}

/// Returns what a refusal says to people, in one text.
pub(super) fn message_of(problem: &Problem) -> String {
    let mut messages: Vec<&str> =
        problem.issues.iter().take(ISSUES_SHOWN).map(|issue| issue.message.as_str()).collect();
    messages.dedup();
    let message = match (messages.is_empty(), &problem.detail) {
        (false, _) => messages.join(" "),
        (true, Some(detail)) => detail.to_string(),
        (true, None) => problem.code.title().to_owned(),
    };
    message.chars().take(MESSAGE_CHARS_MAX).collect()
}
