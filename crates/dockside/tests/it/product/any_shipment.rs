//! Whatever is sent as a shipment, nothing fails; and whatever is accepted reads back as it was sent.

use model::platform::shape;
use model::shipping::shipment::ShipmentInput;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::product::any_input::{CASES, any_json, any_text, runner};
use crate::setup::world::{Reply, World};
use crate::shipping::shipments::full_shipment;

/// Every place in a body.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| places(value, &format!("{at}/{name}"), all));
        }
        Value::Array(items) => {
            let below = items.iter().enumerate();
            below.for_each(|(place, value)| places(value, &format!("{at}/{place}"), all));
        }
        _ => {}
    }
}

fn remove_nulls(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|_, value| !value.is_null());
        fields.values_mut().for_each(remove_nulls);
    }
}

/// A whole shipment with a few things in it replaced, by anything or by something like it.
fn any_shipment() -> impl Strategy<Value = Value> {
    let mut all = Vec::new();
    places(&full_shipment(), "", &mut all);
    let near = prop_oneof![
        1 => any_json(),
        2 => any_text().prop_map(Value::from),
        2 => (-1.0..1200.0).prop_map(Value::from),
        2 => (-5i64..5000).prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    prop::collection::vec((prop::sample::select(all), near), 0..4).prop_map(|edits| {
        let mut body = full_shipment();
        for (at, value) in edits {
            if let Some(slot) = body.pointer_mut(&at) {
                *slot = value;
            }
        }
        // A null that is sent back in a merge patch removes its field (RFC 7396), and so can't be kept as it is.
        for place in ["destination", "origin", "return"] {
            if let Some(metadata) = body.pointer_mut(&format!("/addresses/{place}/metadata")) {
                remove_nulls(metadata);
            }
        }
        body
    })
}

/// Returns the fields of a shipment that a client sets, as they are stored.
fn details(body: Value) -> Result<Value, TestCaseError> {
    let input: ShipmentInput = shape::parse(body)
        .map_err(|error| TestCaseError::fail(format!("accepted, and no shipment: {error}")))?;
    Ok(serde_json::to_value(input).unwrap())
}

/// Checks that the shipment in an answer is stored as shown, and is accepted again.
async fn reads_back(world: &World, reply: &Reply) -> Result<(), TestCaseError> {
    let shown = reply.json();
    let read = world.get(format!("/shipments/{}", shown["id"].as_str().unwrap_or_default())).await;
    prop_assert_eq!((read.status.as_u16(), &read.text), (200, &reply.text));
    let again = world.patch(format!("/shipments/{}", shown["id"].as_str().unwrap()), shown.clone()).await;
    prop_assert_eq!(again.status.as_u16(), 200, "{}", again);
    prop_assert_eq!(details(again.json())?, details(shown)?);
    Ok(())
}

async fn send(world: &World, method: &str, path: &str, body: Value) -> Result<bool, TestCaseError> {
    let reply = world.request(method, path).json(body.clone()).send().await;
    prop_assert!(!reply.status.is_server_error(), "{}: {}", body, reply);
    if !reply.status.is_success() {
        prop_assert!(matches!(reply.status.as_u16(), 400 | 422), "{}: {}", body, reply);
        return Ok(false);
    }
    if method == "POST" {
        prop_assert_eq!(details(body)?, details(reply.json())?);
    }
    reads_back(world, &reply).await?;
    Ok(true)
}

fn run(method: &str) {
    let runtime = Runtime::new().unwrap();
    let world = runtime.block_on(World::rehearsal());
    let made = runtime.block_on(world.shipment(full_shipment()));
    let path = if method == "POST" { "/shipments" } else { &made };
    let accepted = std::cell::Cell::new(0);
    let result = runner().run(&any_shipment(), |body| {
        let is_accepted = runtime.block_on(send(&world, method, path, body))?;
        accepted.set(accepted.get() + u32::from(is_accepted));
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!((CASES / 20..CASES).contains(&accepted.get()), "{} of {CASES} were accepted", accepted.get());
}

#[test]
fn any_shipment_is_refused_or_kept_as_it_is() {
    run("POST");
}

#[test]
fn any_patch_of_a_shipment_is_refused_or_kept_as_it_is() {
    run("PATCH");
}
