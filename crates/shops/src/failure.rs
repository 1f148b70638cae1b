//! Why a task failed, and what follows from it.

use std::time::Duration;

use crate::text::line;

/// Longest message, in characters.
const MESSAGE_CHARS_MAX: usize = 500;

/// Why a task failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    /// A sentence for people, with the shop's own words if it has some.
    pub message: String,
    /// How long the shop asks to wait.
    pub retry_after: Option<Duration>,
    /// Whether the request may have been carried out. The task may be begun again all the same, but not at once: the
    /// shop must have had the time to finish, so that the look at what it has shows it.
    pub may_be_done: bool,
}

/// What follows from a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The same task may succeed later.
    Later,
    /// The shop refuses the credentials, or they lack a permission. A person must change them.
    Credentials,
    /// The shop does not have the order.
    Gone,
    /// The shop refuses, and would do so again.
    Refused,
    /// The answer is none of this kind of shop: a page of a proxy, a wrong address, or a version that answers
    /// differently.
    NotUnderstood,
}

impl Failure {
    pub(crate) fn new(kind: FailureKind, message: &str) -> Self {
        let message = line(message, MESSAGE_CHARS_MAX).unwrap_or_default();
        Self { kind, message, retry_after: None, may_be_done: false }
    }

    pub(crate) fn later(message: &str, retry_after: Option<Duration>) -> Self {
        Self { retry_after, ..Self::new(FailureKind::Later, message) }
    }

    /// Returns what a status means. `words` are the shop's own, if the answer is one of the shop's errors: a status
    /// alone may come from a proxy, which refuses nothing in the shop's name.
    pub(crate) fn of_status(
        shop: &str,
        status: u16,
        retry_after: Option<Duration>,
        words: Option<&str>,
        is_write: bool,
    ) -> Self {
        let said = match words {
            Some(words) => format!("{shop} answered {status}: {words}"),
            None => format!("{shop}, or a server before it, answered {status}."),
        };
        let kind = match (status, words) {
            (402 | 408 | 409 | 423 | 425 | 429 | 500.., _) => FailureKind::Later,
            (401 | 403, Some(_)) => FailureKind::Credentials,
            (404 | 410, Some(_)) => FailureKind::Gone,
            (400..=499, Some(_)) => FailureKind::Refused,
            _ => FailureKind::NotUnderstood,
        };
        let may_be_done = is_write && matches!(status, 408 | 500..);
        let retry_after = retry_after.filter(|_| kind == FailureKind::Later);
        Self { retry_after, may_be_done, ..Self::new(kind, &said) }
    }

    pub(crate) fn unreadable(shop: &str) -> Self {
        let message = format!("The answer can't be read. Check that the address is that of a {shop} shop.");
        Self::new(FailureKind::NotUnderstood, &message)
    }
}

/// Refuses to send anything for a shop that was not checked, such as credentials without encryption.
pub(crate) fn refuse_unchecked(checked: Result<(), String>) -> Result<(), Failure> {
    checked.map_err(|why| Failure::new(FailureKind::Refused, &why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_shop_s_own_words_refuse_for_good() {
        use FailureKind::*;
        for (status, own, of_a_proxy) in [
            (400, Refused, NotUnderstood),
            (401, Credentials, NotUnderstood),
            (403, Credentials, NotUnderstood),
            (404, Gone, NotUnderstood),
            (410, Gone, NotUnderstood),
            (422, Refused, NotUnderstood),
            (301, NotUnderstood, NotUnderstood),
            (402, Later, Later),
            (409, Later, Later),
            (429, Later, Later),
            (500, Later, Later),
            (503, Later, Later),
        ] {
            let wait = Some(Duration::from_secs(7));
            let kind = |words| Failure::of_status("A", status, wait, words, false);
            assert_eq!([kind(Some("No.")).kind, kind(None).kind], [own, of_a_proxy], "{status}");
            assert_eq!(kind(None).retry_after.is_some(), of_a_proxy == Later, "{status}");
            assert!(!kind(None).may_be_done);
        }
    }

    #[test]
    fn an_error_of_the_server_does_not_prove_that_nothing_was_written() {
        let of = |status| Failure::of_status("A", status, None, None, true).may_be_done;
        assert_eq!([of(500), of(504), of(408), of(429), of(400)], [true, true, true, false, false]);
    }

    #[test]
    fn a_message_is_short_and_on_one_line() {
        let failure = Failure::new(FailureKind::Refused, &"a\n".repeat(1000));
        assert!(failure.message.chars().count() <= 500 && !failure.message.contains('\n'));
    }
}
