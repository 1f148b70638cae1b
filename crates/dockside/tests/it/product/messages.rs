//! What a person reads when a request is refused: which parameter or field it is about, and what was probably meant.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::world::{Reply, World, depot};

/// The message of the only error of a refusal.
fn message(reply: &Reply) -> String {
    let problem = reply.json();
    assert_eq!(problem["errors"].as_array().map(Vec::len), Some(1), "{problem}");
    problem["errors"][0]["message"].as_str().expect("a message").to_owned()
}

fn detail(reply: &Reply) -> String {
    reply.json()["detail"].as_str().expect("a detail").to_owned()
}

/// A location with another value at one place.
fn depot_with(at: &str, value: Value) -> Value {
    let mut body = depot("Bristol");
    *body.pointer_mut(at).expect("a field") = value;
    body
}

#[tokio::test]
async fn a_misspelt_value_gets_the_nearest_allowed_one() {
    let world = World::new().await;
    for (given, meant) in [("UK", "GB"), ("gb", "GB"), ("USA", "US")] {
        let body = depot_with("/address/address/country_code", json!(given));
        let said = message(&world.post("/locations", body).await);
        assert!(said.ends_with(&format!("Did you mean {meant}?")), "{said}");
    }
    let body = depot_with("/address/address/country_code", json!("ZZ"));
    let said = message(&world.post("/locations", body).await);
    assert!(said.contains("ISO 3166-1") && !said.contains("Did you mean"), "{said}");

    world.provision().await;
    let body = json!({"url": "https://example.com/hook", "event_types": ["order.create"]});
    let said = message(&world.post("/webhook_endpoints", body).await);
    assert!(said.contains("order.cancelled") && said.ends_with("Did you mean order.created?"), "{said}");
    for (path, meant) in [
        ("/orders?status=comitted", "committed"),
        ("/shipments?status=purchase-failed", "purchase_failed"),
        ("/manifests?status=create", "created"),
        ("/location_configurations?include_fields=adress", "address"),
    ] {
        let said = detail(&world.get(path).await);
        assert!(
            said.contains("Must be one of: ") && said.ends_with(&format!("Did you mean {meant}?")),
            "{said}"
        );
    }
}

#[tokio::test]
async fn a_misspelt_field_gets_the_nearest_known_one() {
    let world = World::new().await;
    let mut body = depot("Bristol");
    body["adress"] = body["address"].clone();
    let reply = world.post("/locations", body).await;
    assert_eq!(reply.code(), "unknown_field");
    let said = message(&reply);
    assert!(said.contains("Did you mean address?") && said.contains("Known fields: name, "), "{said}");
    // With many errors there are no more suggestions, so that their cost is bounded.
    let body: Value = (0..500)
        .map(|place| (format!("marketplaces{place}"), json!(1)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let problem = world.post("/locations", body).await.json();
    let errors = problem["errors"].as_array().expect("errors");
    let suggesting =
        |error: &&Value| error["message"].as_str().is_some_and(|said| said.contains("Did you mean"));
    assert_eq!(errors.iter().filter(suggesting).count(), 20);
}

#[tokio::test]
async fn a_bad_parameter_is_named() {
    let world = World::new().await;
    let cases = [
        ("/locations?tgas=a", "tgas: This parameter does not exist. Did you mean tags?"),
        ("/locations?limit=1&limit=2", "limit: This parameter may appear only once."),
        ("/locations?limit=%zz", "query: Must be UTF-8, percent-encoded."),
        ("/organisation?x=1", "x: This parameter does not exist: the operation takes none."),
        ("/events?after=x", "after: Must be a whole number."),
    ];
    for (path, begins) in cases {
        let said = detail(&world.get(path).await);
        assert!(said.starts_with(begins), "{path}: {said}");
    }
    let said = detail(
        &world.request("POST", "/locations").header("idempotency-key", "").json(depot("x")).send().await,
    );
    assert!(said.starts_with("Idempotency-Key: "), "{said}");
}

#[tokio::test]
async fn numbers_agree_with_their_nouns() {
    let world = World::new().await;
    let said = message(&world.post("/locations", depot_with("/name", json!(""))).await);
    assert_eq!(said, "Must have at least 1 character.");
    let said = message(&world.post("/locations", depot_with("/name", json!("x".repeat(256)))).await);
    assert_eq!(said, "Must have at most 255 characters.");
    let said = message(&world.post("/orders", json!({"items": []})).await);
    assert_eq!(said, "Must have at least 1 entry, unless there are `lines`.");
}

#[tokio::test]
async fn a_malformed_id_is_told_from_one_of_another_kind() {
    let world = World::new().await;
    let location = world.location("Bristol").await;
    let batch = world.post("/batches", json!({})).await.json()["id"].as_str().expect("an id").to_owned();
    let is_batch = "is the id of a batch; expected a location's (`loc_…`)";
    let is_none = "is not an id; expected a location's (`loc_…`)";
    for (id, why) in [(batch.as_str(), is_batch), ("loc_1", is_none), ("depot", is_none)] {
        let body = json!({"name": "x", "locations": {"origin": {"id": id}, "return": {"id": location}}});
        let said = message(&world.post("/location_configurations", body).await);
        assert!(said.starts_with(&format!("This {why}")), "{said}");
        let reply = world.get(format!("/locations/{id}")).await;
        assert_eq!(reply.status, 404);
        assert!(detail(&reply).starts_with(&format!("The id in the path {why}")), "{}", reply.text);
        let said = detail(&world.get(format!("/manifests?location={id}")).await);
        assert!(said.starts_with(&format!("location: This {why}")), "{said}");
    }
    // An unknown id of the right kind gets no such message.
    let reply = world.get("/locations/loc_00000000000000000000000000").await;
    assert!(reply.status == 404 && !detail(&reply).contains("expected"), "{}", reply.text);
}

#[tokio::test]
async fn a_carrier_of_the_other_world_is_said_to_be_there() {
    let world = World::new().await;
    let test = world.token_for("Acme", "*", Mode::Test).await;
    let account = |handle: &str| json!({"carrier": {"handle": handle}, "name": "Main", "credentials": {"api_key": "x"}});
    let make = async |token: &str, handle: &str| {
        let reply =
            world.request("POST", "/carrier_accounts").token(token).json(account(handle)).send().await;
        assert_eq!(reply.code(), "carrier_not_found");
        message(&reply)
    };
    let said = make(&test, "own").await;
    assert_eq!(said, "Own vehicles is available in the live world only. Use a live token.");
    let said = make(&world.token, "sandbox").await;
    assert_eq!(said, "Sandbox is available in the test world only. Use a test token.");
    let said = make(&world.token, "easypots").await;
    assert!(said.contains("Did you mean easypost?") && said.contains("easypost, own"), "{said}");

    let service = json!({"carrier": {"handle": "own"}, "carrier_service": {"handle": "van"}});
    let reply = world.request("POST", "/batches").token(&test).json(json!({"service": service})).send().await;
    assert_eq!(message(&reply), "Own vehicles is available in the live world only. Use a live token.");
}
