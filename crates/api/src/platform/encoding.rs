//! Content encoding: texts that are the same for all requests are sent compressed to clients that accept gzip.

use std::io::Write;
use std::sync::OnceLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, header};
use sha2::{Digest, Sha256};

use crate::platform::response::{Body, Response, with_body};

/// Bytes of the hash that an entity tag shows.
const TAG_BYTES: usize = 8;
const GZIP: HeaderValue = HeaderValue::from_static("gzip");

/// A body that is served many times. It is compressed at most once, and hashed once for its `ETag`.
pub struct Encoded {
    plain: Bytes,
    /// Holds `None` if it could not be compressed.
    gzip: OnceLock<Option<Bytes>>,
    hash: String,
}

impl Encoded {
    pub fn new(body: impl Into<Bytes>) -> Self {
        let plain = body.into();
        let hash = Sha256::digest(&plain);
        let hash = hash.iter().take(TAG_BYTES).fold(String::new(), |tag, byte| format!("{tag}{byte:02x}"));
        Self { plain, gzip: OnceLock::new(), hash }
    }

    /// Answers 200 with the body, in an encoding that the request accepts.
    pub fn respond(&self, headers: &HeaderMap, media_type: &'static str) -> Response {
        let packed = self.packed(headers, media_type);
        let is_packed = packed.is_some();
        let body = packed.unwrap_or_else(|| self.plain.clone());
        let mut response = with_body(http::StatusCode::OK, HeaderValue::from_static(media_type), body);
        if is_packed {
            response.headers_mut().insert(header::CONTENT_ENCODING, GZIP);
        }
        vary(&mut response, media_type);
        response
    }

    /// Answers as [`respond`](Self::respond) does, with an `ETag`, or 304 if `If-None-Match` names the current one.
    pub fn respond_tagged(&self, headers: &HeaderMap, media_type: &'static str) -> Response {
        // The encodings are different representations, so their strong tags differ. A client that has either has the
        // current text.
        let (plain, packed) = (format!("\"{}\"", self.hash), format!("\"{}-gzip\"", self.hash));
        let is_known =
            headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|tags| tags.to_str().ok()).any(|tags| {
                let tags = tags.split(',').map(|tag| tag.trim().trim_start_matches("W/"));
                tags.into_iter().any(|tag| tag == "*" || tag == plain || tag == packed)
            });
        let mut response = if is_known {
            let mut response = http::Response::new(Body::default());
            *response.status_mut() = http::StatusCode::NOT_MODIFIED;
            vary(&mut response, media_type);
            response
        } else {
            self.respond(headers, media_type)
        };
        let is_packed = self.packed(headers, media_type).is_some();
        if let Ok(tag) = HeaderValue::try_from(if is_packed { packed } else { plain }) {
            response.headers_mut().insert(header::ETAG, tag);
        }
        response
    }

    /// Returns the compressed body, if the request accepts it and compression pays off.
    fn packed(&self, headers: &HeaderMap, media_type: &str) -> Option<Bytes> {
        if is_compressible(media_type) && accepts_gzip(headers) { self.gzip() } else { None }
    }

    fn gzip(&self) -> Option<Bytes> {
        let pack = || {
            let mut encoder =
                GzEncoder::new(Vec::with_capacity(self.plain.len() / 4), Compression::default());
            encoder.write_all(&self.plain).and_then(|()| encoder.finish()).ok().map(Bytes::from)
        };
        self.gzip.get_or_init(pack).clone()
    }
}

/// Adds `Vary`, so that caches keep the encodings apart.
fn vary(response: &mut Response, media_type: &str) {
    if is_compressible(media_type) {
        response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    }
}

/// Returns whether compression makes this type smaller. Images are compressed already.
fn is_compressible(media_type: &str) -> bool {
    media_type.starts_with("text/") || media_type.starts_with("application/json")
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    accepts_coding(headers, &["gzip", "x-gzip"])
}

/// Returns whether `Accept-Encoding` allows the coding with these names: by name, or by `*` unless it is excluded by
/// name.
pub fn accepts_coding(headers: &HeaderMap, names: &[&str]) -> bool {
    let mut by_name = None;
    let mut by_star = false;
    for value in headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok()) {
        for member in value.split(',') {
            let (name, is_allowed) = weighed(member);
            if names.iter().any(|coding| coding.eq_ignore_ascii_case(name)) {
                by_name = Some(is_allowed);
            } else if name == "*" {
                by_star = is_allowed;
            }
        }
    }
    by_name.unwrap_or(by_star)
}

/// Returns whether `Accept` names HTML. Browsers do when a person opens a URL, other programs do not.
pub fn accepts_html(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(weighed).any(|(name, is_allowed)| {
        is_allowed
            && (name.eq_ignore_ascii_case("text/html") || name.eq_ignore_ascii_case("application/xhtml+xml"))
    })
}

/// Returns the name of a member of an `Accept` header, and whether its weight is above zero.
fn weighed(member: &str) -> (&str, bool) {
    let mut parts = member.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    (name, weight.is_none_or(|weight| weight.trim().parse::<f32>().is_ok_and(|weight| weight > 0.0)))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn headers(pairs: &[(header::HeaderName, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn gzip_is_used_where_it_is_accepted() {
        let accepts = |value| accepts_gzip(&headers(&[(header::ACCEPT_ENCODING, value)]));
        assert!(accepts("gzip, deflate, br"));
        assert!(accepts("br;q=1.0, GZIP;q=0.8"));
        assert!(accepts("*"));
        assert!(!accepts("identity"));
        assert!(!accepts("gzip;q=0, *"));
        assert!(!accepts("*;q=0"));
        assert!(!accepts_gzip(&HeaderMap::new()));
    }

    #[test]
    fn only_clients_that_name_html_get_pages() {
        let accepts = |value| accepts_html(&headers(&[(header::ACCEPT, value)]));
        assert!(accepts("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"));
        assert!(!accepts("*/*"));
        assert!(!accepts("application/json, text/html;q=0"));
        assert!(!accepts_html(&HeaderMap::new()));
    }

    #[test]
    fn what_was_compressed_can_be_read_and_either_tag_is_known() {
        let text = "a long page, a long page, a long page, a long page, a long page".repeat(20);
        let encoded = Encoded::new(text.clone());
        let mut unpacked = String::new();
        flate2::read::GzDecoder::new(&*encoded.gzip().unwrap()).read_to_string(&mut unpacked).unwrap();
        assert_eq!(unpacked, text);
        assert!(encoded.gzip().unwrap().len() * 4 < text.len());
        for accepted in ["gzip", "identity"] {
            let first = encoded.respond_tagged(&headers(&[(header::ACCEPT_ENCODING, accepted)]), "text/html");
            let mut again = headers(&[(header::ACCEPT_ENCODING, "gzip")]);
            again.insert(header::IF_NONE_MATCH, first.headers()[header::ETAG].clone());
            assert_eq!(encoded.respond_tagged(&again, "text/html").status(), 304, "{accepted}");
        }
    }
}
