//! Hostile requests: bytes that are no JSON, bodies without end, headers full of garbage. Each is refused with the
//! right problem, and none leaves a trace.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use api::Limits;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

use crate::setup::populated_organisation::PopulatedOrganisation;
use crate::setup::world::World;

/// What a hostile request must be answered: its status, its code, and each field at fault with what is wrong there.
pub struct Refusal {
    pub status: u16,
    pub code: &'static str,
    pub issues: Vec<(String, String)>,
}

pub fn refused(status: u16, code: &'static str) -> Refusal {
    Refusal { status, code, issues: Vec::new() }
}

impl Refusal {
    pub fn at(mut self, code: &str, field: &str) -> Self {
        self.issues.push((code.to_owned(), field.to_owned()));
        self
    }
}

/// A world with one of everything, so that there is something to spoil.
pub struct Target {
    pub world: World,
    pub location: String,
    pub configuration: String,
    before: (Vec<String>, usize),
}

impl Target {
    pub async fn new() -> Self {
        let world = World::new().await;
        let location = world.post("/locations", full_location()).await.header("location").to_owned();
        let (configuration, ..) = world.configuration("Main").await;
        let configuration = format!("/location_configurations/{configuration}");
        let before = everything(&world).await;
        Self { world, location, configuration, before }
    }

    /// Every operation that takes JSON.
    pub fn writes(&self) -> [(&'static str, &str); 5] {
        [
            ("POST", "/locations"),
            ("PATCH", &self.location),
            ("POST", "/location_configurations"),
            ("PATCH", &self.configuration),
            ("POST", "/access_tokens"),
        ]
    }

    /// Returns a raw request with the world's own token.
    pub fn request(&self, method: &str, path: &str) -> http::request::Builder {
        Request::builder()
            .method(method)
            .uri(path)
            .header("authorization", format!("Bearer {}", self.world.token))
            .header("content-type", "application/json")
    }

    pub async fn refuses<B>(&self, request: Request<B>, expected: Refusal, why: &str)
    where
        B: Body<Data = Bytes> + Send + Unpin,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        let why = format!("{} {:.60}: {why:.200}", request.method(), request.uri());
        let (status, headers, body) = answer(&self.world, request).await;
        let issues = body["errors"].as_array().unwrap_or_else(|| panic!("{why}: {status} {body}"));
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let issues: Vec<_> =
            issues.iter().map(|issue| (text(&issue["code"]), text(&issue["field"]))).collect();
        let seen = (status, body["code"].as_str().unwrap_or_default(), issues);
        assert_eq!(seen, (expected.status, expected.code, expected.issues), "{why}: {body}");
        assert_eq!(headers["content-type"], "application/problem+json", "{why}");
        assert_eq!(body["status"], status, "{why}");
        assert_eq!(headers["x-request-id"], text(&body["request_id"]), "{why}");
    }

    pub async fn refuses_body(&self, method: &str, path: &str, body: impl Into<Bytes>, expected: Refusal) {
        let body = body.into();
        let why = String::from_utf8_lossy(&body).into_owned();
        let request = self.request(method, path).body(Full::new(body)).unwrap();
        self.refuses(request, expected, &why).await;
    }

    pub async fn refuses_header(
        &self,
        method: &str,
        path: &str,
        name: &str,
        value: &[u8],
        expected: Refusal,
    ) {
        let mut request = self.request(method, path).body(Full::new(Bytes::from_static(b"{}"))).unwrap();
        let value = HeaderValue::from_bytes(value).unwrap();
        request.headers_mut().insert(HeaderName::try_from(name).unwrap(), value);
        self.refuses(request, expected, name).await;
    }

    /// Asserts that the lists show exactly what they showed before.
    pub async fn is_unharmed(&self) {
        assert_eq!(everything(&self.world).await, self.before);
    }
}

async fn everything(world: &World) -> (Vec<String>, usize) {
    let tenant = PopulatedOrganisation::new(world.token.clone());
    (tenant.everything(world).await, world.events().await.len())
}

async fn answer<B>(world: &World, request: Request<B>) -> (u16, HeaderMap, Value)
where
    B: Body<Data = Bytes> + Send + Unpin,
    B::Error: std::error::Error + Send + Sync + 'static,
{
    let (head, body) = world.app.handle(request, None).await.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    (head.status.as_u16(), head.headers, serde_json::from_slice(&body).unwrap_or(Value::Null))
}

/// A location that has every field there is.
pub fn full_location() -> Value {
    json!({
        "name": "Bristol depot",
        "tags": ["first", "second"],
        "address": {
            "address": {
                "line_1": "1 Quay Street", "line_2": "Unit 2", "line_3": "Floor 3", "city": "Bristol",
                "province": "Avon", "post_code": "BS1 4DJ", "country_code": "GB",
            },
            "contact": {
                "name": "Goods in", "company": "Acme", "email_address": "depot@example.com",
                "phone_number": "+44 117 496 0000",
            },
        },
        "marketplaces": {"shopify": ["68241883417"]},
        "coordinates": {"latitude": 51.4494, "longitude": -2.5979},
        "time_zone": "Europe/London",
    })
}

#[tokio::test]
async fn what_is_not_json_is_refused() {
    let target = Target::new().await;
    let deep = [r#"{"name":"#, "[", r#"{"address":{"address":"#].map(|step| step.repeat(10_000));
    let closed = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let mut bodies: Vec<Vec<u8>> = deep.into_iter().chain([closed]).map(String::into_bytes).collect();
    let plain: [&[u8]; 20] = [
        b"",
        b" ",
        b"{",
        b"}",
        b"{} {}",
        b"nul",
        b"NaN",
        b"-",
        b"01",
        b"{'name':1}",
        b"[1,]",
        b"{\"name\"}",
        b"{\"name\":\"\\ud800\"}",
        b"{\"name\":\"\\udc00\\ud800\"}",
        b"{\"name\":\"\\x\"}",
        b"{\"name\":\"\0\"}",
        b"{\"name\":\"\n\"}",
        b"{\"name\":\"\xff\"}",
        b"{\"name\":\"\xed\xa0\x80\"}",
        b"\xef\xbb\xbf{}",
    ];
    bodies.extend(plain.map(<[u8]>::to_vec));
    let numbers = ["1e400", "-1e400", "1e99999999999999999999"];
    bodies.extend(numbers.map(|number| format!(r#"{{"name":{number}}}"#).into_bytes()));
    for (method, path) in target.writes() {
        for body in &bodies {
            target.refuses_body(method, path, body.clone(), refused(400, "invalid_json")).await;
        }
        let twice = [
            (r#"{"name":"a","name":"a"}"#, "/name"),
            (r#"{"name":"a","n\u0061me":"b"}"#, "/name"),
            (r#"{"address":{"address":{"city":"a","city":"b"}}}"#, "/address/address/city"),
            (r#"{"x":[{},{"a/b~c":1,"a/b~c":2}]}"#, "/x/1/a~1b~0c"),
        ];
        for (body, field) in twice {
            let expected = refused(400, "duplicate_key").at("duplicate_key", field);
            target.refuses_body(method, path, body, expected).await;
        }
        for body in ["[]", "null", "true", "7", "\"text\"", "1e30", "100000000000000000000000", "[{}]"] {
            let expected = refused(422, "validation_failed").at("invalid_type", "");
            target.refuses_body(method, path, body, expected).await;
        }
    }
    target.is_unharmed().await;
}

/// A body in frames, without a length and without an end.
struct Endless {
    frames: usize,
}

const FRAME: Bytes = Bytes::from_static(&[b' '; 64 * 1024]);
/// Bytes beyond the limit that the server reads and discards, so that a client can finish sending.
const DISCARDED_BYTES_MAX: usize = 256 * 1024;

impl Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.frames += 1;
        // A server that reads beyond the limit must fail the test, not hang it.
        let bytes_max = Limits::default().body_bytes_max + DISCARDED_BYTES_MAX;
        assert!(self.frames <= bytes_max / FRAME.len() + 2, "read beyond the limit");
        Poll::Ready(Some(Ok(Frame::data(FRAME))))
    }
}

/// A body whose sender closes the connection in the middle.
struct BrokenOff(Option<Bytes>);

impl Body for BrokenOff {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        Poll::Ready(Some(match self.0.take() {
            Some(data) => Ok(Frame::data(data)),
            None => Err(std::io::ErrorKind::ConnectionReset.into()),
        }))
    }
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused() {
    const TEN_MEGABYTES: usize = 10 * 1000 * 1000;
    let target = Target::new().await;
    let max = Limits::default().body_bytes_max;
    for (method, path) in target.writes() {
        let huge = format!(r#"{{"name":"{}"}}"#, "a".repeat(TEN_MEGABYTES));
        target.refuses_body(method, path, huge, refused(413, "body_too_large")).await;
        target.refuses_body(method, path, " ".repeat(max + 1), refused(413, "body_too_large")).await;
        target.refuses_body(method, path, " ".repeat(max), refused(400, "invalid_json")).await;
        let declared = request_with_length(&target, method, path, TEN_MEGABYTES);
        target.refuses(declared, refused(413, "body_too_large"), "declared").await;
        let endless = target.request(method, path).body(Endless { frames: 0 }).unwrap();
        target.refuses(endless, refused(413, "body_too_large"), "endless").await;
        let whole = Bytes::from(full_location().to_string());
        let broken = target.request(method, path).body(BrokenOff(Some(whole))).unwrap();
        target.refuses(broken, refused(400, "invalid_json"), "broken off").await;
    }
    target.is_unharmed().await;
}

/// Returns a request that announces this length and has a short body.
fn request_with_length(target: &Target, method: &str, path: &str, length: usize) -> Request<Full<Bytes>> {
    let request = target.request(method, path).header("content-length", length);
    request.body(Full::new(Bytes::from_static(b"{}"))).unwrap()
}

#[tokio::test]
async fn another_media_type_is_refused() {
    let target = Target::new().await;
    let types: [&[u8]; 9] = [
        b"text/plain",
        b"application/xml",
        b"",
        b"application/jsonx",
        b"application/json-patch+json",
        b"\xff",
        b"multipart/form-data; boundary=x",
        b"application/x-www-form-urlencoded",
        b"text/json",
    ];
    for (method, path) in target.writes() {
        for media_type in types {
            let expected = refused(415, "unsupported_media_type");
            target.refuses_header(method, path, "content-type", media_type, expected).await;
        }
        let mut request = target.request(method, path).body(Full::<Bytes>::default()).unwrap();
        request.headers_mut().remove("content-type");
        target.refuses(request, refused(415, "unsupported_media_type"), "no type").await;
        for encoding in ["gzip", "br", "nonsense"] {
            let expected = refused(400, "invalid_header").at("invalid_header", "Content-Encoding");
            target.refuses_header(method, path, "content-encoding", encoding.as_bytes(), expected).await;
        }
    }
    let merge = b"application/merge-patch+json";
    let expected = refused(415, "unsupported_media_type");
    target.refuses_header("POST", "/locations", "content-type", merge, expected).await;
    let expected = refused(415, "unsupported_media_type");
    target.refuses_header("POST", "/oauth/token", "content-type", b"application/json", expected).await;
    target.is_unharmed().await;
}

#[tokio::test]
async fn garbage_in_headers_is_refused() {
    let target = Target::new().await;
    let long = "k".repeat(256);
    for (method, path) in target.writes() {
        let keys: [&[u8]; 6] = [b"", b" ", b"\"\"", b"\xff", b"a\tb", long.as_bytes()];
        // The body of a POST is looked at first, and an empty one is at fault itself.
        for key in keys.into_iter().filter(|_| method == "PATCH") {
            let expected = refused(400, "invalid_header").at("invalid_header", "Idempotency-Key");
            target.refuses_header(method, path, "idempotency-key", key, expected).await;
        }
        let versions: [&[u8]; 5] = [b"", b"2020-01-01", b"latest", b"\xff", b"2026-11-01, 2026-11-01"];
        for version in versions {
            let expected = refused(400, "unknown_version");
            target.refuses_header(method, path, "dockside-version", version, expected).await;
        }
        for token in [b"\xff".as_slice(), b"Bearer \xff", b"Bearer a b", b"Bearer"] {
            let expected = refused(401, "unauthenticated");
            target.refuses_header(method, path, "authorization", token, expected).await;
        }
    }
    for path in [target.location.clone(), target.configuration.clone()] {
        for method in ["PATCH", "DELETE"] {
            let expected = refused(400, "invalid_header").at("invalid_header", "If-Match");
            target.refuses_header(method, &path, "if-match", b"\xff", expected).await;
            for tag in ["", ",", "garbage", "1", "\"0\"", "W/\"1\"", "\"1", "\"1\" \"1\"", "*, *"] {
                let expected = refused(412, "precondition_failed");
                target.refuses_header(method, &path, "if-match", tag.as_bytes(), expected).await;
            }
        }
    }
    target.is_unharmed().await;
}

#[tokio::test]
async fn made_up_methods_and_paths_are_refused() {
    let target = Target::new().await;
    for path in ["/locations", "/location_configurations", "/access_tokens", &target.location, "/oauth/token"]
    {
        for method in ["BREW", "get", "PUT", "TRACE", "PROPFIND", &"M".repeat(5000)] {
            let request = target.request(method, path).body(Full::<Bytes>::default()).unwrap();
            target.refuses(request, refused(405, "method_not_allowed"), method).await;
        }
    }
    let (id, kind) = (target.location.strip_prefix("/locations/").unwrap(), "loc_");
    let wrong_ids = [
        id.to_uppercase(),
        id.replace(kind, "lc_"),
        id.replace(kind, ""),
        format!("{id}0"),
        id[..id.len() - 1].to_owned(),
        format!("loc_8{}", &id[5..]),
        format!("{id}%00"),
        format!("%6coc_{}", &id[4..]),
        "%zz".to_owned(),
        "%ff%fe".to_owned(),
        "..".to_owned(),
        "'%20OR%201=1--".to_owned(),
        "a".repeat(10_000),
    ];
    for id in &wrong_ids {
        for list in ["/locations", "/location_configurations", "/access_tokens"] {
            for method in ["GET", "DELETE"] {
                let request = target.request(method, &format!("{list}/{id}")).body(Full::<Bytes>::default());
                target.refuses(request.unwrap(), refused(404, "not_found"), id).await;
            }
        }
        target.refuses_body("PATCH", &format!("/locations/{id}"), "{}", refused(404, "not_found")).await;
    }
    for path in ["//locations", "/locations//", "/LOCATIONS", "/locations/x/y", "/locations%2f", "*"] {
        let request = target.request("GET", path).body(Full::<Bytes>::default()).unwrap();
        target.refuses(request, refused(404, "not_found"), path).await;
    }
    let long = "a".repeat(20_000);
    for path in [format!("/locations/{long}"), format!("/{long}"), format!("/locations?cursor={long}")] {
        let request = target.request("GET", &path).body(Full::<Bytes>::default()).unwrap();
        target.refuses(request, refused(431, "headers_too_large"), "long").await;
    }
    target.is_unharmed().await;
}
