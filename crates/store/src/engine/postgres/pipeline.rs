//! Requests that are on their way while others before them are not answered yet. A server answers them in their order.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

type Answer<T> = Pin<Box<dyn Future<Output = Result<T, tokio_postgres::Error>> + Send>>;

/// A request that was sent. Where it is dropped, its answer is read and thrown away.
pub enum Sent<T> {
    Answered(Result<T, tokio_postgres::Error>),
    OnItsWay(Answer<T>),
}

impl<T> Sent<T> {
    /// Sends a request: being asked for its answer once is what makes it put itself behind those that were sent before.
    pub async fn new(
        request: impl Future<Output = Result<T, tokio_postgres::Error>> + Send + 'static,
    ) -> Self {
        let mut answer: Answer<T> = Box::pin(request);
        match poll_fn(|context| Poll::Ready(answer.as_mut().poll(context))).await {
            Poll::Ready(answer) => Self::Answered(answer),
            Poll::Pending => Self::OnItsWay(answer),
        }
    }

    /// Whether it failed at once, and was never sent.
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Answered(Err(_)))
    }

    pub async fn answer(self) -> Result<T, tokio_postgres::Error> {
        match self {
            Self::Answered(answer) => answer,
            Self::OnItsWay(answer) => answer.await,
        }
    }
}
