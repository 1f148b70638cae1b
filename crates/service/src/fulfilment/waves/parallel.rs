//! Work on several orders at once.

use std::sync::Arc;

use model::{Error, Result};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tracing::Instrument;

/// Orders of a wave that a node works on at once. SQLite commits what is written at the same time together, and PostgreSQL
/// answers several connections; more would only delay other requests.
const ORDERS_AT_ONCE: usize = 32;

/// Does the same with each item, several at once, and returns the results in the order of the items. The first failure ends it:
/// tasks that have begun go on until their end.
pub async fn for_each<T, R, F>(items: Vec<T>, work: impl Fn(T) -> F) -> Result<Vec<R>>
where
    R: Send + 'static,
    F: Future<Output = Result<R>> + Send + 'static,
{
    let permits = Arc::new(Semaphore::new(ORDERS_AT_ONCE));
    let mut tasks = JoinSet::new();
    for (place, item) in items.into_iter().enumerate() {
        let (permits, task) = (Arc::clone(&permits), work(item));
        let limited = async move {
            // The permits are never closed.
            let _permit = permits.acquire_owned().await.map_err(Error::fault)?;
            Ok::<_, Error>((place, task.await?))
        };
        tasks.spawn(limited.in_current_span());
    }
    let mut results = Vec::with_capacity(tasks.len());
    let mut failure = None;
    while let Some(ended) = tasks.join_next().await {
        match ended.map_err(Error::fault) {
            Ok(Ok(result)) => results.push(result),
            Ok(Err(error)) | Err(error) => failure = failure.or(Some(error)),
        }
    }
    if let Some(error) = failure {
        return Err(error);
    }
    results.sort_unstable_by_key(|(place, _)| *place);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
