//! Futures behind a pointer, for traits whose implementations are chosen at run time.

use std::pin::Pin;

/// A future that a trait object returns.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
