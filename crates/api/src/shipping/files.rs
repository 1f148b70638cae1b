//! `/files/{token}`: the bytes of a document, for every client that has a link to it.
//!
//! A link is a capability: browsers and printers fetch it without an access token. The file's content is not trusted:
//! browsers save it instead of showing it, don't guess its type, and run no script in it if they show it all the
//! same.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use model::platform::shape::Shape;
use model::{Code, Error, Result};
use service::Service;
use service::shipping::documents::StoredDocument;
use tokio::sync::mpsc;
use tracing::{Instrument, error};

use crate::access::call::Call;
use crate::access::route::{Access, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::response::{Body, Response, with_body};

const PATH: &str = "/files/{token}";
/// Chunks of a file that wait to be sent, in addition to the one that is being read.
const PIECES_WAITING: usize = 1;

static TOKEN: Shape = Shape::text(
    1,
    2048,
    "What `file_url` ends with: signed, and valid for an hour unless the operator set another time.",
)
.example(r#""Zm9v""#);

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::get(PATH, Access::Public, "get_file", "Download a file")
            .about("The address that a document has in `file_url`. It needs no access token and ends after an hour; read the document again for a new one.")
            .id(&TOKEN)
            .success(Success::Other("*/*"))
            .refusals(&[
                Code::FileLinkInvalid,
                Code::FileLinkExpired,
                Code::StoreUnavailable,
                Code::FilesUnavailable,
            ])
            .to(get_file),
    ]
}

async fn get_file(call: Call) -> Result<Response> {
    let token = call.ids.first().map(String::as_str).unwrap_or_default();
    let service = call.service();
    let document = service.documents.linked_document(token).await?;
    let size = document.file.file_size;
    let mut response = if call.method == Method::HEAD {
        service.documents.ensure_file(&document).await?;
        http::Response::new(Body::default())
    } else {
        let first = service.documents.file_piece(&document, 0).await?;
        let is_whole = first.len() as u64 == size.unsigned_abs();
        if is_whole {
            with_body(StatusCode::OK, HeaderValue::from_static("application/octet-stream"), first)
        } else {
            http::Response::new(stream(service.clone(), document.clone(), first))
        }
    };
    add_headers(response.headers_mut(), &document)?;
    Ok(response)
}

/// Streams a file as fast as the client reads. If reading fails, the connection is closed: the client notices,
/// because it knows the length.
fn stream(service: Service, document: StoredDocument, first: Bytes) -> Body {
    let (pieces, body) = mpsc::channel(PIECES_WAITING);
    let reader = async move {
        let mut sent = 0;
        let mut piece = first;
        while !piece.is_empty() {
            sent += i64::try_from(piece.len()).unwrap_or(i64::MAX);
            if pieces.send(piece).await.is_err() || sent >= document.file.file_size {
                return;
            }
            piece = match service.documents.file_piece(&document, sent).await {
                Ok(piece) => piece,
                Err(error) => {
                    error!(%error, document = %document.file.id, "file cut off: its next piece can't be read");
                    return;
                }
            };
        }
    };
    tokio::spawn(reader.in_current_span());
    Body::Stream(body)
}

/// Adds the headers of a file that is sent: its type, its name, and how little it is trusted.
pub(crate) fn add_headers(headers: &mut HeaderMap, document: &StoredDocument) -> Result<()> {
    let file = &document.file;
    let media_type = HeaderValue::try_from(&file.file_type)
        .unwrap_or_else(|_| HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_TYPE, media_type);
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(file.file_size));
    let disposition = HeaderValue::try_from(disposition(&file.file_name)).map_err(Error::fault)?;
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    let policy = HeaderValue::from_static("sandbox; default-src 'none'");
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(())
}

/// Returns `Content-Disposition` (RFC 6266): the name in ASCII, and if that is not exact, also in UTF-8.
fn disposition(name: &str) -> String {
    let is_plain = |char: char| matches!(char, ' '..='~') && !matches!(char, '"' | '\\' | '/' | '%');
    let plain: String = name.chars().map(|char| if is_plain(char) { char } else { '_' }).collect();
    let mut value = format!("attachment; filename=\"{plain}\"");
    if plain != name {
        value.push_str("; filename*=UTF-8''");
        for byte in name.bytes() {
            // RFC 8187: characters that need no escape.
            if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
                value.push(char::from(byte));
            } else {
                value.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_written_for_every_browser() {
        assert_eq!(disposition("label.pdf"), "attachment; filename=\"label.pdf\"");
        assert_eq!(disposition("my label (2).pdf"), "attachment; filename=\"my label (2).pdf\"");
        assert_eq!(
            disposition("€ rates.pdf"),
            "attachment; filename=\"_ rates.pdf\"; filename*=UTF-8''%E2%82%AC%20rates.pdf"
        );
        assert_eq!(
            disposition("a\"\\\r\n;b/%41.pdf"),
            "attachment; filename=\"a____;b__41.pdf\"; filename*=UTF-8''a%22%5C%0D%0A%3Bb%2F%2541.pdf"
        );
    }

    /// Decodes the escapes of `filename*`.
    fn unescape(text: &str) -> String {
        let mut bytes = Vec::new();
        let mut rest = text.bytes();
        while let Some(byte) = rest.next() {
            if byte == b'%' {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
            } else {
                bytes.push(byte);
            }
        }
        String::from_utf8(bytes).unwrap()
    }

    proptest! {
        #[test]
        fn every_name_is_a_sound_header_and_reads_back(name in any::<String>()) {
            let value = disposition(&name);
            prop_assert!(HeaderValue::try_from(&value).is_ok());
            prop_assert!(value.bytes().all(|byte| matches!(byte, b' '..=b'~')));
            let rest = value.strip_prefix("attachment; filename=\"").unwrap();
            let (plain, rest) = rest.split_once('"').unwrap();
            prop_assert!(!plain.contains(['\\', '/', '%']));
            match rest.strip_prefix("; filename*=UTF-8''") {
                Some(escaped) => prop_assert_eq!(unescape(escaped), name),
                None => prop_assert_eq!((plain, rest), (name.as_str(), "")),
            }
        }
    }
}
