//! Exports that can't be finished: the client notices, and what they hold is given back.

use std::time::Duration;

use api::{CutOff, Limits};
use bytes::Bytes;
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use model::World as Mode;

use crate::setup::stock_requests::refusal;
use crate::setup::world::{World, depot, until};

/// More than three parts of an export: one is with the client, one waits, and one can't be sent.
const ROWS: usize = 900;
const PATH: &str = "/exports/locations.ndjson";
/// Far longer than a time limit of a test.
const LONG: Duration = Duration::from_secs(60);

async fn filled(limits: Limits) -> World {
    let world = World::with_limits(limits).await;
    for number in 0..ROWS {
        assert_eq!(world.post("/locations", depot(&format!("{number}"))).await.status, 201);
    }
    world
}

type Body = UnsyncBoxBody<Bytes, CutOff>;

async fn begin(world: &World, token: &str) -> Body {
    let (head, body) = world.request("GET", PATH).token(token).open().await;
    assert_eq!(head.status, 200);
    body
}

/// Reads what is left of a body: how many lines, and whether it ended as it should.
async fn rest(mut body: Body) -> (usize, bool) {
    let mut lines = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return (lines, false) };
        lines += frame.into_data().expect("data").iter().filter(|byte| **byte == b'\n').count();
    }
    (lines, true)
}

#[tokio::test]
async fn an_organisation_has_so_many_exports_at_once_and_others_have_theirs() {
    let world = filled(Limits { exports_max: 3, ..Limits::default() }).await;
    let own = world.token.clone();
    let (first, second) = (begin(&world, &own).await, begin(&world, &own).await);
    let refused = world.get(PATH).await;
    assert_eq!(refusal(&refused), (429, "too_many_exports".to_owned()));
    assert_eq!(refused.header("retry-after"), "1");
    let other = world.token_for("Other", "*", Mode::Live).await;
    assert_eq!(world.request("GET", PATH).token(&other).send().await.status, 200);
    drop(first);
    until("the export of a client that is gone ends", async || world.get(PATH).await.status == 200).await;
    assert_eq!(rest(second).await, (ROWS, true));
    assert_eq!(rest(begin(&world, &own).await).await, (ROWS, true));
}

#[tokio::test]
async fn a_server_at_its_limit_says_when_to_come_again() {
    let world = filled(Limits { exports_max: 1, ..Limits::default() }).await;
    let held = begin(&world, &world.token).await;
    let other = world.token_for("Other", "*", Mode::Live).await;
    let refused = world.request("GET", PATH).token(&other).send().await;
    assert_eq!(refused.status, 503, "{refused}");
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(rest(held).await, (ROWS, true));
}

#[tokio::test]
async fn a_client_that_stops_reading_is_cut_off_and_gives_its_permit_back() {
    let limits = Limits { exports_max: 1, write_time: Duration::from_millis(200), ..Limits::default() };
    let world = filled(limits).await;
    let held = begin(&world, &world.token).await;
    until("the export ends by itself", async || world.request("GET", PATH).open().await.0.status == 200)
        .await;
    let (lines, is_whole) = tokio::time::timeout(LONG, rest(held)).await.expect("an end");
    assert!(lines < ROWS && !is_whole, "{lines} lines look like a whole file");
}

#[tokio::test]
async fn an_export_has_a_longest_duration() {
    let limits = Limits { export_time: Duration::from_millis(1500), ..Limits::default() };
    let world = filled(limits).await;
    let mut held = begin(&world, &world.token).await;
    held.frame().await.expect("a part").expect("it arrives");
    tokio::time::sleep(Duration::from_millis(1600)).await;
    let (lines, is_whole) = rest(held).await;
    assert!(lines < ROWS && !is_whole, "{lines}");
}

#[tokio::test]
async fn an_export_ends_soon_after_its_token_is_revoked() {
    let world = filled(Limits::default()).await;
    let made = world.post("/access_tokens", serde_json::json!({"scopes": ["locations:read"]})).await.json();
    let mut held = begin(&world, made["token"].as_str().expect("a token")).await;
    held.frame().await.expect("a part").expect("it arrives");
    let path = format!("/access_tokens/{}", made["id"].as_str().expect("an id"));
    assert_eq!(world.delete(path).await.status, 204);
    // The caller is checked every five seconds.
    tokio::time::sleep(Duration::from_millis(5200)).await;
    let (lines, is_whole) = rest(held).await;
    assert!(lines < ROWS && !is_whole, "{lines}");
}

#[tokio::test]
async fn an_export_whose_database_fails_is_cut_off() {
    let world = filled(Limits::default()).await;
    // A document in the last part that is no JSON: the table can't be written to its end.
    world.tamper("UPDATE location SET doc = '{' WHERE id = (SELECT max(id) FROM location)").await;
    let (head, body) = world.request("GET", "/exports/locations.csv").open().await;
    assert_eq!(head.status, 200);
    let (lines, is_whole) = rest(body).await;
    assert!(lines < ROWS && !is_whole, "{lines}");
    world.tamper("UPDATE location SET doc = '{' WHERE id = (SELECT min(id) FROM location)").await;
    let refused = world.get("/exports/locations.csv").await;
    assert_eq!(refused.status, 500, "what fails before the first byte is answered with a problem: {refused}");
}
