//! Files that arrive while a request lasts.

use bytes::Bytes;
use model::Result;
use tokio::sync::mpsc;

/// The pieces of a file, in their order. If the last one is an error, the file is not complete.
pub type Content = mpsc::Receiver<Result<Bytes>>;
