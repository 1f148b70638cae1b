//! Pipelined requests: sent before the requests in front of them are answered. The server answers in the order of
//! sending.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use model::Error;
use tokio_postgres::error::SqlState;

use super::connection::silent;
use super::error::fault;

/// How long an answer may take. The server's `statement_timeout` is shorter, so a server that works answers in time.
pub const ANSWER_TIME_MAX: Duration = Duration::from_secs(18);

type Answer<T> = Pin<Box<dyn Future<Output = Result<T, tokio_postgres::Error>> + Send>>;

/// A request that was sent. If it is dropped, its answer is read and discarded.
pub enum Sent<T> {
    Answered(Result<T, tokio_postgres::Error>),
    OnItsWay(Answer<T>),
}

/// Why a request did not succeed.
pub enum Unanswered {
    /// The server reported an error, or the connection is lost.
    Failed(tokio_postgres::Error),
    /// The connection is open, but the server did not answer in time.
    Silent,
}

impl Unanswered {
    /// Returns the SQLSTATE code that the server reported, if it reported one.
    pub fn code(&self) -> Option<&SqlState> {
        match self {
            Self::Failed(error) => error.code(),
            Self::Silent => None,
        }
    }

    pub fn is_silent(&self) -> bool {
        matches!(self, Self::Silent)
    }
}

impl From<Unanswered> for Error {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Failed(error) => fault(error),
            Unanswered::Silent => silent(ANSWER_TIME_MAX),
        }
    }
}

impl<T> Sent<T> {
    /// Sends a request. tokio-postgres enqueues a request on first poll, so polling it once fixes its position in the
    /// pipeline.
    pub async fn new(
        request: impl Future<Output = Result<T, tokio_postgres::Error>> + Send + 'static,
    ) -> Self {
        let mut answer: Answer<T> = Box::pin(request);
        match poll_fn(|context| Poll::Ready(answer.as_mut().poll(context))).await {
            Poll::Ready(answer) => Self::Answered(answer),
            Poll::Pending => Self::OnItsWay(answer),
        }
    }

    /// Returns whether the request failed at once, and was never sent.
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Answered(Err(_)))
    }

    pub async fn answer(self) -> Result<T, Unanswered> {
        let answer = match self {
            Self::Answered(answer) => answer,
            Self::OnItsWay(answer) => {
                tokio::time::timeout(ANSWER_TIME_MAX, answer).await.map_err(|_| Unanswered::Silent)?
            }
        };
        answer.map_err(Unanswered::Failed)
    }
}
