//! The exchanges of a task: a task is a function that is run again from its beginning with one answer more each time.
//!
//! So a task of several requests is read from top to bottom, and has no state besides the answers. It is pure: with the
//! same answers it makes the same requests.

use std::time::Duration;

use bytes::Bytes;

use crate::connector::{Answer, Request, Step};
use crate::failure::Failure;
use crate::task::Outcome;

/// Maximum number of exchanges of one task.
pub const EXCHANGES_MAX: usize = 48;

/// Why a task stops before its end: a request has no answer yet, or the task failed.
pub(crate) enum Stop {
    Send(Request),
    Fail(Failure),
}

pub(crate) type Run<T> = Result<T, Stop>;

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Fail(failure)
    }
}

/// An answer that the shop, or a server before it, gave.
#[derive(Clone, Copy)]
pub(crate) struct Reply<'a> {
    pub status: u16,
    pub retry_after: Option<Duration>,
    pub total: Option<u64>,
    pub body: &'a Bytes,
    /// Whether the request was to change something.
    pub is_write: bool,
}

impl Reply<'_> {
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// The answers so far, as a task uses them up.
pub(crate) struct Exchanges<'a> {
    answers: &'a [Answer],
    used: usize,
}

impl<'a> Exchanges<'a> {
    /// Returns the answer to a request, or stops the task until it is there.
    pub fn ask(&mut self, request: Request) -> Run<Reply<'a>> {
        let Some(answer) = self.answers.get(self.used) else {
            if self.used >= EXCHANGES_MAX {
                return Err(Failure::later("The task takes too many requests.", None).into());
            }
            return Err(Stop::Send(request));
        };
        self.used += 1;
        match answer {
            Answer::Response { status, retry_after, total, body } => Ok(Reply {
                status: *status,
                retry_after: *retry_after,
                total: *total,
                body,
                is_write: request.is_write,
            }),
            Answer::Unsent(why) => Err(Failure::later(why, None).into()),
            Answer::Lost(why) => {
                Err(Failure { may_be_done: request.is_write, ..Failure::later(why, None) }.into())
            }
        }
    }
}

/// Runs a task with the answers so far.
pub(crate) fn run<'a>(answers: &'a [Answer], task: impl FnOnce(&mut Exchanges<'a>) -> Run<Outcome>) -> Step {
    match task(&mut Exchanges { answers, used: 0 }) {
        Ok(outcome) => Step::Done(outcome),
        Err(Stop::Send(request)) => Step::Send(request),
        Err(Stop::Fail(failure)) => Step::Done(Outcome::Failed(failure)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::FailureKind;

    fn request(url: &str, is_write: bool) -> Request {
        Request { method: "GET", url: url.to_owned(), headers: Vec::new(), body: Bytes::new(), is_write }
    }

    fn two(answers: &[Answer]) -> Step {
        run(answers, |exchanges| {
            let first = exchanges.ask(request("one", false))?;
            exchanges.ask(request(&format!("two-{}", first.status), true))?;
            Ok(Outcome::FulfilmentCancelled)
        })
    }

    #[test]
    fn a_task_goes_on_where_the_answers_end() {
        let answer = Answer::Response { status: 201, retry_after: None, total: None, body: Bytes::new() };
        assert!(matches!(two(&[]), Step::Send(request) if request.url == "one"));
        assert!(
            matches!(two(std::slice::from_ref(&answer)), Step::Send(request) if request.url == "two-201")
        );
        assert!(matches!(two(&[answer.clone(), answer]), Step::Done(Outcome::FulfilmentCancelled)));
    }

    #[test]
    fn what_was_lost_may_be_done_if_it_was_to_change_something() {
        let failed = |answers: &[Answer]| match two(answers) {
            Step::Done(Outcome::Failed(failure)) => failure,
            other => panic!("{other:?}"),
        };
        let answer = Answer::Response { status: 200, retry_after: None, total: None, body: Bytes::new() };
        let lost = Answer::Lost("No answer came.".to_owned());
        assert!(!failed(std::slice::from_ref(&lost)).may_be_done);
        assert!(failed(&[answer.clone(), lost]).may_be_done);
        let unsent = failed(&[answer, Answer::Unsent("No route.".to_owned())]);
        assert_eq!((unsent.kind, unsent.may_be_done), (FailureKind::Later, false));
    }

    #[test]
    fn a_task_that_never_ends_fails() {
        let answer = Answer::Response { status: 200, retry_after: None, total: None, body: Bytes::new() };
        let answers = vec![answer; EXCHANGES_MAX];
        let step = run(&answers, |exchanges| {
            loop {
                exchanges.ask(request("again", false))?;
            }
        });
        assert!(matches!(step, Step::Done(Outcome::Failed(Failure { kind: FailureKind::Later, .. }))));
    }
}
