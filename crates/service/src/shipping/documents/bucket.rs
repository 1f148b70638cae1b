//! A bucket of a store that speaks S3, reached through our own HTTP client.
//!
//! `object_store` signs, repeats and reads answers; it brings no HTTP client of its own, which would be a second one
//! with a second TLS. The operator named the store, so wherever it is, it may be reached.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::BodyExt;
use model::{Error, Result};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::client::{
    ClientOptions, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpService,
};
use object_store::{BackoffConfig, RetryConfig};
use outbound::{Failure, Outbound, Request};

/// How long one request may take, and how often it is repeated for how long.
const TIME_LIMIT: Duration = Duration::from_secs(60);
const REPEATS_MAX: usize = 3;
const REPEAT_LIMIT: Duration = Duration::from_secs(15);
/// How much of an answer is read: more than is ever asked for at once.
const ANSWER_BYTES_MAX: usize = 16 << 20;
/// Where no region is named. Stores that are not Amazon's mostly don't care.
pub const DEFAULT_REGION: &str = "us-east-1";

/// A bucket, and how to get into it.
#[derive(Clone)]
pub struct Bucket {
    pub name: String,
    /// What all keys begin with; may be empty.
    pub prefix: String,
    /// Where the store is, where it is not Amazon's.
    pub endpoint: Option<String>,
    pub region: Option<String>,
    pub key_id: String,
    pub secret: String,
    /// Whether the bucket is named in the path, and not in the host name.
    pub is_in_path: bool,
}

/// Reads `s3://bucket/prefix`; says what is wrong with it.
pub fn bucket_and_prefix(text: &str) -> std::result::Result<(String, String), &'static str> {
    let rest = text.strip_prefix("s3://").ok_or("does not begin with s3://")?;
    let (name, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte);
    if !(3..=63).contains(&name.len()) || !name.bytes().all(is_name) {
        return Err("has no name of a bucket, such as s3://labels/dockside");
    }
    let prefix = prefix.trim_end_matches('/');
    // Nothing that would be written one way in the request and another in its signature.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
    let is_step = |step: &str| !matches!(step, "" | "." | "..");
    let is_prefix = prefix.bytes().all(is_plain) && prefix.split('/').all(is_step);
    if !prefix.is_empty() && !is_prefix {
        return Err("may have only letters, digits, `.`, `_`, `-` and `/` after the bucket");
    }
    Ok((name.to_owned(), prefix.to_owned()))
}

impl Bucket {
    pub(super) fn open(&self) -> Result<AmazonS3> {
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&self.name)
            .with_region(self.region.as_deref().unwrap_or(DEFAULT_REGION))
            .with_access_key_id(&self.key_id)
            .with_secret_access_key(&self.secret)
            .with_virtual_hosted_style_request(!self.is_in_path)
            .with_retry(RetryConfig {
                backoff: BackoffConfig::default(),
                max_retries: REPEATS_MAX,
                retry_timeout: REPEAT_LIMIT,
            })
            .with_http_connector(Connector(Client::new()?));
        if let Some(endpoint) = &self.endpoint {
            let endpoint = endpoint.trim_end_matches('/');
            let is_plain = endpoint.starts_with("http://");
            builder = builder.with_endpoint(self.address_at(endpoint)).with_allow_http(is_plain);
        }
        builder.build().map_err(Error::fault)
    }

    /// The endpoint as `object_store` wants it: with the bucket in the host name, where it belongs there.
    fn address_at(&self, endpoint: &str) -> String {
        match endpoint.split_once("://") {
            Some((scheme, host)) if !self.is_in_path => format!("{scheme}://{}.{host}", self.name),
            _ => endpoint.to_owned(),
        }
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the bucket {} at {}", self.name, self.endpoint.as_deref().unwrap_or("Amazon"))
    }
}

/// Our HTTP client, as `object_store` asks for one.
#[derive(Clone)]
struct Client(Outbound);

#[derive(Debug)]
struct Connector(Client);

impl Client {
    fn new() -> Result<Self> {
        let everywhere = ["0.0.0.0/0", "::/0"].map(str::parse);
        let networks = everywhere.into_iter().collect::<Result<Vec<_>, _>>().map_err(Error::fault)?;
        Ok(Self(Outbound::new(&networks).map_err(Error::fault)?))
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Client")
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

#[async_trait]
impl HttpService for Client {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (head, body) = request.into_parts();
        let url = head.uri.to_string();
        let target =
            self.0.parse_url(&url).map_err(|refusal| HttpError::new(HttpErrorKind::Unknown, refusal))?;
        let body = body.collect().await?.to_bytes();
        let headers = head.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let request = Request {
            method: head.method,
            target,
            headers,
            body,
            time_limit: TIME_LIMIT,
            body_bytes_max: ANSWER_BYTES_MAX,
        };
        let answer = self.0.send(request).await.map_err(|failure| HttpError::new(kind(&failure), failure))?;
        if answer.is_truncated {
            let cause = format!("the answer has more than {ANSWER_BYTES_MAX} bytes");
            return Err(HttpError::new_boxed(HttpErrorKind::Decode, cause.into()));
        }
        let mut response = HttpResponse::new(Bytes::into(answer.body));
        *response.status_mut() = http::StatusCode::from_u16(answer.status)
            .map_err(|error| HttpError::new(HttpErrorKind::Decode, error))?;
        *response.headers_mut() = answer.headers;
        Ok(response)
    }
}

/// What may be repeated: all that we send may, since a file is written whole to its own place.
fn kind(failure: &Failure) -> HttpErrorKind {
    match failure {
        Failure::Unresolved { .. } | Failure::Connect { .. } => HttpErrorKind::Connect,
        Failure::Timeout { .. } => HttpErrorKind::Timeout,
        Failure::Broken { .. } => HttpErrorKind::Interrupted,
        Failure::Refused { .. }
        | Failure::Unencrypted { .. }
        | Failure::Outside { .. }
        | Failure::Tls { .. }
        | Failure::Withdrawn => HttpErrorKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_and_its_prefix_are_read() {
        let read = |text| bucket_and_prefix(text).ok();
        let pair = |name: &str, prefix: &str| Some((name.to_owned(), prefix.to_owned()));
        assert_eq!(read("s3://labels"), pair("labels", ""));
        assert_eq!(read("s3://labels/"), pair("labels", ""));
        assert_eq!(read("s3://my.labels-1/a/b_c/"), pair("my.labels-1", "a/b_c"));
        for wrong in ["", "labels", "s3://", "s3://ab", "s3://Labels", "s3://a_b", "s3://labels//a"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        for wrong in
            ["s3://labels/a b", "s3://labels/a%20b", "s3://labels/../a", "s3://labels/a?b", "s3://labels/é"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_bucket_is_named_where_the_store_looks_for_it() {
        let bucket = |is_in_path| Bucket {
            name: "labels".to_owned(),
            prefix: String::new(),
            endpoint: Some("https://s3.example.com".to_owned()),
            region: None,
            key_id: "key".to_owned(),
            secret: "secret".to_owned(),
            is_in_path,
        };
        assert_eq!(bucket(true).address_at("http://[::1]:9000"), "http://[::1]:9000");
        assert_eq!(bucket(false).address_at("https://s3.example.com"), "https://labels.s3.example.com");
        for is_in_path in [true, false] {
            assert!(bucket(is_in_path).open().is_ok());
        }
    }
}
