//! Requests that create resources. They are repeated while a busy server refuses them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{Client, Reply};
use crate::load;

/// How long a refused request is repeated.
const TAKEN_WITHIN: Duration = Duration::from_secs(60);
const REST: Duration = Duration::from_millis(20);

/// Sends a request whose body is JSON, whatever its method. A server that has no room for a request, or whose database does not
/// answer in time, answers 503; the request is then sent again under the same key until the server has taken it.
pub fn send(client: &mut Client, method: &str, path: &str, body: &Value) -> Reply {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let key = format!("stock-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let mut headers = vec![("Idempotency-Key", key.as_str())];
    if method != "POST" {
        headers.push(("Content-Type", "application/json"));
    }
    let deadline = Instant::now() + TAKEN_WITHIN;
    loop {
        let reply = client.request(method, path, &headers, &body.to_string());
        let reply = reply.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        let is_under_way = reply.status == 409 && reply.code() == "idempotency_in_progress";
        if (reply.status != 503 && !is_under_way) || Instant::now() > deadline {
            return reply;
        }
        std::thread::sleep(REST);
    }
}

/// Makes a resource, and returns its id.
pub fn create(client: &mut Client, path: &str, body: &Value) -> String {
    let reply = send(client, "POST", path, body);
    assert_eq!(reply.status, 201, "{reply:?}");
    id(&reply.json())
}

pub fn id(resource: &Value) -> String {
    resource["id"].as_str().expect("an id").to_owned()
}

pub fn create_location(client: &mut Client) -> String {
    create(client, "/locations", &load::body("Depot"))
}
