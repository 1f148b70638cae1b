//! Responses: their body, and those that are no resource.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_body::{Frame, SizeHint};
use http_body_util::Full;
use tokio::sync::mpsc;

pub const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// Headers that most responses have room for from the beginning, so that they need not move when some are added.
const HEADERS_USUAL: usize = 12;

/// The body of every response.
pub enum Body {
    Whole(Full<Bytes>),
    /// Chunks that are sent as they arrive. The answer ends with its sender, whatever the reason.
    Stream(mpsc::Receiver<Bytes>),
    /// Chunks of a file whose length is not known in advance. If it is cut off, the client must notice.
    Download(mpsc::Receiver<Piece>),
}

/// A piece of a file that is sent while it is made.
pub enum Piece {
    Bytes(Bytes),
    /// The file is complete. Without it, the answer is cut off.
    End,
}

/// A file ended before its end. The connection is closed without the last chunk, which is how a client of HTTP/1.1 notices.
#[derive(Debug)]
pub struct CutOff;

impl fmt::Display for CutOff {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the file was cut off")
    }
}

impl std::error::Error for CutOff {}

impl Default for Body {
    fn default() -> Self {
        Self::Whole(Full::default())
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        match &mut *self {
            Self::Whole(whole) => Pin::new(whole)
                .poll_frame(context)
                .map(|frame| frame.map(|frame| frame.map_err(|never| match never {}))),
            Self::Download(pieces) => pieces.poll_recv(context).map(|piece| match piece {
                Some(Piece::Bytes(bytes)) => Some(Ok(Frame::data(bytes))),
                Some(Piece::End) => None,
                None => Some(Err(CutOff)),
            }),
            Self::Stream(pieces) => {
                pieces.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(whole) => whole.is_end_stream(),
            Self::Stream(_) | Self::Download(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(whole) => whole.size_hint(),
            Self::Stream(_) | Self::Download(_) => SizeHint::default(),
        }
    }
}

/// The type of all responses.
pub type Response = http::Response<Body>;

/// Returns a response with a body of this media type.
pub fn with_body(status: StatusCode, media_type: HeaderValue, body: impl Into<Bytes>) -> Response {
    let mut response = http::Response::new(Body::Whole(Full::new(body.into())));
    *response.status_mut() = status;
    *response.headers_mut() = HeaderMap::with_capacity(HEADERS_USUAL);
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    response
}

/// Returns JSON that is not a resource.
pub fn json(body: String) -> Response {
    with_body(StatusCode::OK, JSON, body)
}
