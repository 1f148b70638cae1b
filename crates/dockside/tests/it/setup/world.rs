//! A world to test in: the whole product on a fresh store, with a deterministic clock and deterministic randomness.
//!
//! Requests go through everything but the socket. Tests see texts in which values that differ between runs are replaced:
//! ids become `loc_#1`, `loc_#2` in the order of their appearance, times become `#time`.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use api::{App, CutOff, Limits};
use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use model::access::access_token::Secret;
use model::{Owner, Timestamp, World as Mode};
use serde_json::{Value, json};
use service::{Service, Settings};
use store::Db;
use store::events::events::{self, Logged};
use testkit::clock::TestClock;
use testkit::product::{Product, issue_token};
use testkit::storage::{FILE, Storage, connect, run};

/// How long a test waits for a condition before it fails.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long a test rests between two looks. Without a rest, a test that waits would take a whole processor from those that work.
pub const REST: Duration = Duration::from_millis(2);

/// Waits until the condition holds.
pub async fn until(what: &str, is_so: impl AsyncFn() -> bool) {
    let wait = async {
        while !is_so().await {
            tokio::time::sleep(REST).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.unwrap_or_else(|_| panic!("{what}: that never came"));
}

/// The product on a fresh store, and a token to call it with.
pub struct World {
    pub app: App,
    pub service: Service,
    pub db: Db,
    pub clock: Arc<TestClock>,
    /// All scopes, in the live world of the organisation `Acme`.
    pub token: String,
    names: Mutex<HashMap<String, String>>,
    storage: Storage,
    /// Where files are, unless they are in a bucket.
    _files: tempfile::TempDir,
}

impl World {
    pub async fn new() -> Self {
        Self::with_limits(Limits::default()).await
    }

    pub async fn with_limits(limits: Limits) -> Self {
        Self::with(limits, |_| {}).await
    }

    /// Makes a world with changed settings of the service.
    pub async fn with(limits: Limits, change: impl FnOnce(&mut Settings)) -> Self {
        let Product { app, service, db, clock, storage, files } = Product::open(limits, change).await;
        let mut world = Self {
            app,
            service,
            db,
            clock,
            token: String::new(),
            names: Mutex::default(),
            storage,
            _files: files,
        };
        world.token = world.token_for("Acme", "*", Mode::Live).await;
        world
    }

    /// Returns a token for an organisation, made as the command line makes it.
    pub async fn token_for(&self, organisation: &str, scopes: &str, mode: Mode) -> String {
        issue_token(&self.service, organisation, scopes, mode).await
    }

    /// Lets time pass.
    pub fn advance_seconds(&self, seconds: i64) {
        self.clock.advance_seconds(seconds);
    }

    /// Sets the machine's clock forward or back: no time passes.
    pub fn set_clock_by(&self, seconds: i64) {
        self.clock.set_by(seconds);
    }

    /// Sets the database's clock forward or back.
    pub fn set_database_clock_by(&self, seconds: i64) {
        self.clock.set_database_by(seconds);
    }

    /// Returns the owner of what the world's own token makes.
    pub fn owner(&self) -> Owner {
        Secret::owner_of(&self.token).expect("a sound token")
    }

    /// Numbers the events that have no number yet. On SQLite there are none.
    pub async fn relay(&self) {
        if self.db.is_shared() {
            self.service.relay.work().await.expect("the relay runs");
        }
    }

    /// Numbers all events, and returns the whole log of the world's own organisation.
    pub async fn events(&self) -> Vec<Logged> {
        const EVENTS_MAX: usize = 10_000;
        self.relay().await;
        let owner = self.owner();
        let read = self.db.read(owner, async move |tx| events::after(tx, owner, 0, EVENTS_MAX).await);
        read.await.expect("the log")
    }

    /// Changes rows directly in the database.
    pub async fn tamper(&self, sql: &str) {
        match &self.storage {
            Storage::Folder(folder) => {
                let session = rusqlite::Connection::open(folder.path().join(FILE)).expect("the file");
                session.execute_batch(sql).expect("the statement runs");
            }
            Storage::Database { url, .. } => {
                let session = connect(url).await;
                run(&session, &format!("SET dockside.owner = '*'; {sql}")).await;
            }
        }
    }

    /// Returns a new PostgreSQL session that sees the rows of all organisations, or `None` on SQLite.
    pub async fn session(&self) -> Option<tokio_postgres::Client> {
        let Storage::Database { url, .. } = &self.storage else { return None };
        let session = connect(url).await;
        run(&session, "SET dockside.owner = '*'").await;
        Some(session)
    }

    /// Returns everything that the database holds, as bytes.
    pub async fn dump(&self) -> Vec<u8> {
        match &self.storage {
            Storage::Folder(folder) => {
                let files =
                    std::fs::read_dir(folder.path()).expect("the folder").map(|file| file.expect("a file"));
                files.flat_map(|file| std::fs::read(file.path()).expect("its bytes")).collect()
            }
            Storage::Database { url, .. } => {
                let session = connect(url).await;
                run(&session, "SET dockside.owner = '*'; SET bytea_output = 'escape'").await;
                let tables = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema";
                let mut bytes = Vec::new();
                for table in session.query(tables, &[]).await.expect("the tables") {
                    let rows = format!("SELECT kept::text FROM {} AS kept", table.get::<_, String>(0));
                    for row in session.query(&rows, &[]).await.expect("the rows") {
                        bytes.extend(row.get::<_, String>(0).into_bytes());
                    }
                }
                bytes
            }
        }
    }

    /// Returns a request with the world's token, to build on.
    pub fn request(&self, method: &str, path: &str) -> Call<'_> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("authorization", format!("Bearer {}", self.token))
            .header("x-request-id", "test");
        Call { world: self, request, body: Bytes::new() }
    }

    pub async fn get(&self, path: impl AsRef<str>) -> Reply {
        self.request("GET", path.as_ref()).send().await
    }

    pub async fn post(&self, path: impl AsRef<str>, body: Value) -> Reply {
        self.request("POST", path.as_ref()).json(body).send().await
    }

    pub async fn patch(&self, path: impl AsRef<str>, body: Value) -> Reply {
        self.request("PATCH", path.as_ref()).json(body).send().await
    }

    pub async fn put(&self, path: impl AsRef<str>, body: Value) -> Reply {
        self.request("PUT", path.as_ref()).json(body).send().await
    }

    pub async fn delete(&self, path: impl AsRef<str>) -> Reply {
        self.request("DELETE", path.as_ref()).send().await
    }

    /// Makes a location and gives its id.
    pub async fn location(&self, name: &str) -> String {
        let reply = self.post("/locations", depot(name)).await;
        assert_eq!(reply.status, 201, "{reply}");
        reply.json()["id"].as_str().expect("an id").to_owned()
    }

    /// Makes a configuration of two new locations and gives its id and theirs.
    pub async fn configuration(&self, name: &str) -> (String, String, String) {
        let (origin, back) = (self.location("Origin").await, self.location("Return").await);
        let body = serde_json::json!({"name": name, "locations": {"origin": {"id": origin}, "return": {"id": back}}});
        let reply = self.post("/location_configurations", body).await;
        assert_eq!(reply.status, 201, "{reply}");
        (reply.json()["id"].as_str().expect("an id").to_owned(), origin, back)
    }

    /// Replaces values that differ between runs and engines.
    fn steady(&self, text: &str) -> String {
        let mut names = self.names.lock().unwrap();
        let mut out = String::new();
        let mut word = String::new();
        for char in text.chars().chain(['\0']) {
            if char.is_ascii_alphanumeric() || "_-:.".contains(char) {
                word.push(char);
                continue;
            }
            out.push_str(&steady_word(&word, &mut names));
            word.clear();
            if char != '\0' {
                out.push(char);
            }
        }
        out
    }
}

fn steady_word(word: &str, names: &mut HashMap<String, String>) -> String {
    // A full stop or a colon after an id belongs to the sentence.
    let (word, rest) = word.split_at(word.trim_end_matches(['.', ':']).len());
    format!("{}{rest}", steady_name(word, names))
}

fn steady_name(word: &str, names: &mut HashMap<String, String>) -> String {
    let is_moment = word.len() == 27 && word.ends_with('Z') && Timestamp::parse(word).is_some();
    if is_moment {
        return "#time".to_owned();
    }
    let Some((prefix, body)) = word.split_once('_') else { return word.to_owned() };
    let body_is_id = body.len() == 26 && model::platform::id::is_identifier(prefix, word);
    if !body_is_id {
        return word.to_owned();
    }
    let number = names.values().filter(|name| name.starts_with(&format!("{prefix}_#"))).count() + 1;
    names.entry(word.to_owned()).or_insert_with(|| format!("{prefix}_#{number}")).clone()
}

/// Returns the body of a location with the required fields only.
pub fn depot(name: &str) -> Value {
    serde_json::json!({
        "name": name,
        "address": {"address": {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}},
    })
}

/// A location of about so many bytes.
pub fn bulky(name: &str, bytes: usize) -> Value {
    const TEXT_CHARS: usize = 250;
    const LIST_MAX: usize = 95;
    let mut body = depot(name);
    let text = "東".repeat(TEXT_CHARS);
    let texts = bytes / text.len();
    let lists = (0..texts.div_ceil(LIST_MAX)).map(|list| {
        let count = LIST_MAX.min(texts - list * LIST_MAX);
        (format!("shop_{list}"), json!(vec![&text; count]))
    });
    body["marketplaces"] = Value::Object(lists.collect());
    body
}

/// A request under way.
pub struct Call<'a> {
    world: &'a World,
    request: http::request::Builder,
    body: Bytes,
}

impl Call<'_> {
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let name = http::HeaderName::try_from(name).unwrap();
        if let Some(headers) = self.request.headers_mut() {
            headers.insert(name, value.try_into().unwrap());
        }
        self
    }

    /// Without any token.
    pub fn anonymous(mut self) -> Self {
        if let Some(headers) = self.request.headers_mut() {
            headers.remove("authorization");
        }
        self
    }

    pub fn token(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub fn json(self, body: Value) -> Self {
        self.raw("application/json", body.to_string())
    }

    pub fn raw(mut self, media_type: &str, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self.header("content-type", media_type)
    }

    /// Sends the request, and leaves the body of the answer to be read as a stream.
    pub async fn open(self) -> (http::response::Parts, UnsyncBoxBody<Bytes, CutOff>) {
        let request = self.request.body(Full::new(self.body)).expect("a request");
        let (head, body) = self.world.app.handle(request, None).await.into_parts();
        (head, body.boxed_unsync())
    }

    pub async fn send(self) -> Reply {
        let world = self.world;
        let (head, body) = self.open().await;
        let body = body.collect().await.expect("a body").to_bytes();
        let text = String::from_utf8(body.to_vec()).expect("text");
        let shown = world.steady(&text);
        Reply { status: head.status, headers: head.headers, text, shown }
    }
}

/// An answer. It displays as its status and its body, equal between runs.
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// The body as it arrived.
    pub text: String,
    shown: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    /// The stable code of a problem.
    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    /// Returns the invalid fields, each with its code.
    pub fn issues(&self) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let errors = self.json()["errors"].as_array().cloned().unwrap_or_default();
        errors.iter().map(|issue| (text(&issue["code"]), text(&issue["field"]))).collect()
    }

    /// The ids of a page, in its order.
    pub fn ids(&self) -> Vec<String> {
        let page = self.json();
        let lists = page.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_array());
        let items = lists.flatten();
        items.map(|item| item["id"].as_str().expect("an id").to_owned()).collect()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap_or_default())
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.status.as_u16(), self.shown)
    }
}
