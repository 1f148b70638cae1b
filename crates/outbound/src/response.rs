//! What the outside world answered.

use bytes::Bytes;
use http::HeaderMap;

/// An answer, whatever its status: a redirect is an answer like any other.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Whether there was more of the body than was kept.
    pub is_truncated: bool,
}
