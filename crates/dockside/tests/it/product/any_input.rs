//! Whatever JSON is sent, nothing fails; and whatever is accepted reads back as it was sent.

use model::places::location::LocationInput;
use model::platform::shape;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;

use crate::product::bad_input::full_location;
use crate::setup::world::{Reply, World};

pub const CASES: u32 = 300;

/// The names of a location's fields, so that arbitrary objects come near to one.
const NAMES: &str = "name|tags|address|contact|marketplaces|coordinates|time_zone|latitude|longitude|confidence|line_1|line_2|\
                     city|province|post_code|country_code|email_address|company|id|created_at|shopify|[a-z]{0,3}|.{0,2}";
/// Where a valid location is spoilt.
const PLACES: &[&str] = &[
    "",
    "/name",
    "/tags",
    "/tags/0",
    "/address",
    "/address/address",
    "/address/address/line_1",
    "/address/address/line_2",
    "/address/address/city",
    "/address/address/province",
    "/address/address/post_code",
    "/address/address/country_code",
    "/address/contact",
    "/address/contact/name",
    "/address/contact/email_address",
    "/marketplaces",
    "/marketplaces/shopify",
    "/marketplaces/shopify/0",
    "/time_zone",
    "/coordinates",
    "/coordinates/latitude",
    "/coordinates/longitude",
];

pub fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,8}",
        "\\PC{0,300}",
        "[a-z0-9_]{1,50}",
        "[A-Z]{2}",
        "[0-9]{4,6}",
        "[ -~]{1,9}@[ -~]{1,9}",
        any::<String>(),
    ]
}

pub fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        2 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<u64>().prop_map(Value::from),
        2 => any::<f64>().prop_map(Value::from),
        2 => (-200.0..200.0).prop_map(Value::from),
        5 => any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let object = prop::collection::btree_map(NAMES, inner.clone(), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            object.prop_map(|map| Value::Object(Map::from_iter(map))),
        ]
    })
}

/// Anything at all, or a valid location with a few things in it replaced.
fn any_location() -> impl Strategy<Value = Value> {
    let edits = prop::collection::vec((prop::sample::select(PLACES), any_json()), 0..4);
    let near = edits.prop_map(|edits| {
        let mut body = full_location();
        for (at, value) in edits {
            if let Some(slot) = body.pointer_mut(at) {
                *slot = value;
            }
        }
        body
    });
    let only_texts = prop::collection::vec((prop::sample::select(PLACES), any_text()), 0..4);
    let renamed = only_texts.prop_map(|edits| {
        let mut body = full_location();
        for (at, text) in edits {
            if let Some(slot @ Value::String(_)) = body.pointer_mut(at) {
                *slot = json!(text);
            }
        }
        body
    });
    prop_oneof![1 => any_json(), 2 => near, 2 => renamed]
}

/// A location's fields that a client sets.
fn details(mut location: Value) -> Value {
    if let Value::Object(fields) = &mut location {
        for given in ["id", "created_at", "updated_at"] {
            fields.remove(given);
        }
    }
    location
}

/// Returns what the product should store of an accepted body.
fn expected(body: Value) -> Result<Value, TestCaseError> {
    let input: LocationInput = shape::parse(body)
        .map_err(|error| TestCaseError::fail(format!("accepted, and no location: {error}")))?;
    Ok(serde_json::to_value(input).unwrap())
}

/// Checks that the location in an answer is stored as shown, and is accepted again.
async fn reads_back(world: &World, reply: &Reply) -> Result<(), TestCaseError> {
    let shown = reply.json();
    let read = world.get(format!("/locations/{}", shown["id"].as_str().unwrap_or_default())).await;
    prop_assert_eq!((read.status.as_u16(), &read.text), (200, &reply.text));
    prop_assert_eq!(read.header("etag"), reply.header("etag"));
    prop_assert_eq!(expected(shown.clone())?, details(shown));
    Ok(())
}

async fn create(world: &World, body: Value) -> Result<bool, TestCaseError> {
    let reply = world.post("/locations", body.clone()).await;
    prop_assert!(!reply.status.is_server_error(), "{}: {}", body, reply);
    if reply.status != 201 {
        prop_assert!(matches!(reply.status.as_u16(), 400 | 422), "{}: {}", body, reply);
        prop_assert!(shape::parse::<LocationInput>(body).is_err(), "refused, and a location: {}", reply);
        return Ok(false);
    }
    prop_assert_eq!(expected(body)?, details(reply.json()));
    reads_back(world, &reply).await?;
    Ok(true)
}

async fn update(world: &World, path: &str, patch: Value) -> Result<bool, TestCaseError> {
    let before = world.get(path).await;
    let reply = world.patch(path, patch.clone()).await;
    prop_assert!(!reply.status.is_server_error(), "{}: {}", patch, reply);
    if reply.status != 200 {
        prop_assert!(matches!(reply.status.as_u16(), 400 | 422), "{}: {}", patch, reply);
        prop_assert_eq!(world.get(path).await.text, before.text, "a refused patch changed something");
        return Ok(false);
    }
    reads_back(world, &reply).await?;
    Ok(true)
}

pub fn runner() -> TestRunner {
    // Without a file of seeds: what it finds becomes a test of its own.
    TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() })
}

#[test]
fn any_body_is_refused_or_kept_as_it_is() {
    let runtime = Runtime::new().unwrap();
    let world = runtime.block_on(World::new());
    let accepted = std::cell::Cell::new(0);
    let result = runner().run(&any_location(), |body| {
        let is_accepted = runtime.block_on(create(&world, body))?;
        accepted.set(accepted.get() + u32::from(is_accepted));
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!((CASES / 20..CASES).contains(&accepted.get()), "{} of {CASES} were accepted", accepted.get());
}

#[test]
fn any_patch_is_refused_or_kept_as_it_is() {
    let runtime = Runtime::new().unwrap();
    let world = runtime.block_on(World::new());
    let made = runtime.block_on(world.post("/locations", full_location()));
    let path = made.header("location").to_owned();
    let accepted = std::cell::Cell::new(0);
    let result = runner().run(&any_location(), |patch| {
        let is_accepted = runtime.block_on(update(&world, &path, patch))?;
        accepted.set(accepted.get() + u32::from(is_accepted));
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!((CASES / 20..CASES).contains(&accepted.get()), "{} of {CASES} were accepted", accepted.get());
}
