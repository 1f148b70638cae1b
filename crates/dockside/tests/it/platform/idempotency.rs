//! Idempotency keys: a request that is repeated is done once, and answered the same.

use std::sync::Arc;

use model::World as Mode;
use serde_json::json;

use crate::setup::world::{Call, Reply, World, depot};

const HOUR: i64 = 3600;

fn keyed<'a>(world: &'a World, method: &str, path: &str, key: &str) -> Call<'a> {
    world.request(method, path).header("idempotency-key", key)
}

async fn create(world: &World, key: &str, name: &str) -> Reply {
    keyed(world, "POST", "/locations", key).json(depot(name)).send().await
}

fn is_replayed(reply: &Reply) -> bool {
    reply.header("idempotent-replayed") == "true"
}

/// Returns what a client sees of an answer, without the header that marks a repetition.
fn seen(reply: &Reply) -> (u16, &str, [&str; 3]) {
    let headers = ["location", "etag", "content-type"].map(|name| reply.header(name));
    (reply.status.as_u16(), &reply.text, headers)
}

#[tokio::test]
async fn a_repeated_request_is_done_once_and_answered_the_same() {
    let world = World::new().await;
    let first = create(&world, "make", "Depot").await;
    assert_eq!((first.status.as_u16(), is_replayed(&first)), (201, false));
    let path = first.header("location").to_owned();
    let rename = || keyed(&world, "PATCH", &path, "rename").json(json!({"name": "Renamed"})).send();
    let delete = || keyed(&world, "DELETE", &path, "delete").send();

    let renamed = rename().await;
    // The resource has changed since. The stored answer has not.
    let again = create(&world, "make", "Depot").await;
    assert_eq!(seen(&again), seen(&first));
    assert!(is_replayed(&again) && !is_replayed(&renamed));
    let again = rename().await;
    assert_eq!((seen(&again), is_replayed(&again)), (seen(&renamed), true));

    let deleted = delete().await;
    assert_eq!((deleted.status.as_u16(), is_replayed(&deleted)), (204, false));
    let again = delete().await;
    assert_eq!((seen(&again), is_replayed(&again)), (seen(&deleted), true));
    assert_eq!(world.get("/locations").await.ids(), Vec::<String>::new());
    assert_eq!(world.events().await.len(), 3);
}

#[tokio::test]
async fn without_a_key_each_request_counts() {
    let world = World::new().await;
    assert_ne!(world.location("Depot").await, world.location("Depot").await);
}

#[tokio::test]
async fn a_key_serves_one_request_only() {
    let world = World::new().await;
    let made = create(&world, "key", "Depot").await;
    let path = made.header("location").to_owned();
    let others = [
        keyed(&world, "POST", "/locations", "key").json(depot("Other")),
        keyed(&world, "POST", "/location_configurations", "key")
            .json(json!({"name": "x", "locations": {"origin": made.json(), "return": made.json()}})),
        keyed(&world, "PATCH", &path, "key").json(depot("Depot")),
        keyed(&world, "DELETE", &path, "key"),
    ];
    for other in others {
        let refused = other.send().await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (422, "idempotency_key_reused"));
        assert!(!is_replayed(&refused));
    }
    // The refusals have not replaced the stored answer.
    assert_eq!(seen(&create(&world, "key", "Depot").await), seen(&made));
    assert_eq!(world.get("/locations").await.ids().len(), 1);
}

#[tokio::test]
async fn an_answer_is_kept_for_a_day() {
    let world = World::new().await;
    let first = create(&world, "key", "Depot").await;
    world.advance_seconds(24 * HOUR - 1);
    let kept = create(&world, "key", "Depot").await;
    assert_eq!((seen(&kept), is_replayed(&kept)), (seen(&first), true));
    world.advance_seconds(2);
    let free = create(&world, "key", "Other").await;
    assert_eq!((free.status.as_u16(), is_replayed(&free)), (201, false));
    // A new day begins with the new answer.
    world.advance_seconds(24 * HOUR - 1);
    assert_eq!(seen(&create(&world, "key", "Other").await), seen(&free));
    assert_eq!(world.get("/locations").await.ids().len(), 2);
}

#[tokio::test]
async fn cleaning_takes_only_what_is_a_day_old() {
    let world = World::new().await;
    let old = create(&world, "old", "Depot").await;
    world.advance_seconds(12 * HOUR);
    let young = create(&world, "young", "Depot").await;
    world.advance_seconds(13 * HOUR);
    world.service.cleaning.work().await.unwrap();
    assert_eq!(seen(&create(&world, "young", "Depot").await), seen(&young));
    assert_ne!(create(&world, "old", "Depot").await.text, old.text);
}

#[tokio::test]
async fn a_key_belongs_to_the_organisation_not_to_the_token() {
    let world = World::new().await;
    let first = create(&world, "key", "Depot").await;
    let send = async |token: &str| {
        keyed(&world, "POST", "/locations", "key").token(token).json(depot("Depot")).send().await
    };
    let colleague = send(&world.token_for("Acme", "locations:write", Mode::Live).await).await;
    assert_eq!((seen(&colleague), is_replayed(&colleague)), (seen(&first), true));
    for (organisation, mode) in [("Acme", Mode::Test), ("Rival", Mode::Live), ("Rival", Mode::Test)] {
        let stranger = send(&world.token_for(organisation, "*", mode).await).await;
        assert_eq!((stranger.status.as_u16(), is_replayed(&stranger)), (201, false));
        assert_ne!(stranger.text, first.text);
    }
}

#[tokio::test]
async fn refusals_by_rule_are_repeated_even_when_the_rule_would_now_allow_it() {
    let world = World::new().await;
    let (configuration, origin, back) = world.configuration("Main").await;
    let (at, location) =
        (format!("/location_configurations/{configuration}"), format!("/locations/{origin}"));
    let spare = world.location("Spare").await;
    world.delete(format!("/locations/{spare}")).await;
    let pair = |id: &str| json!({"origin": {"id": id}, "return": {"id": back}});
    let requests = || {
        let unknown = json!({"name": "x", "locations": pair(&spare)});
        [
            (409, keyed(&world, "DELETE", &location, "in use")),
            (404, keyed(&world, "DELETE", &format!("/locations/{spare}"), "gone")),
            (422, keyed(&world, "POST", "/location_configurations", "unknown").json(unknown)),
            (
                412,
                keyed(&world, "PATCH", &at, "stale").header("if-match", "\"9\"").json(json!({"name": "x"})),
            ),
        ]
    };
    let mut first = Vec::new();
    for (status, request) in requests() {
        let refused = request.send().await;
        assert_eq!((refused.status.as_u16(), is_replayed(&refused)), (status, false), "{refused}");
        first.push(refused);
    }
    assert_eq!(world.delete(&at).await.status, 204);
    for ((_, request), first) in requests().into_iter().zip(&first) {
        let again = request.send().await;
        assert_eq!((seen(&again), is_replayed(&again)), (seen(first), true));
    }
    assert_eq!(keyed(&world, "DELETE", &location, "another key").send().await.status, 204);
}

#[tokio::test]
async fn a_refusal_by_validation_is_kept_like_other_answers() {
    let world = World::new().await;
    let made = create(&world, "make", "Depot").await;
    let path = made.header("location").to_owned();
    let item = world.item("TEE").await;
    // Refused by the body's shape, by a patch that does not fit, by the service before and within its transaction.
    let bodies = [
        ("POST", "/locations", json!({"name": "Depot"})),
        ("POST", "/locations", json!({"nmae": "Depot"})),
        ("PATCH", path.as_str(), json!({"name": null})),
        ("PATCH", path.as_str(), json!({"nmae": "x"})),
        ("POST", "/access_tokens", json!({"scopes": ["locations:fly"]})),
        ("POST", "/orders", json!({"status": "fulfilled", "items": [{"id": item, "quantity": 1}]})),
        (
            "POST",
            "/orders",
            json!({"items": [{"id": item, "quantity": 600_000}, {"id": item, "quantity": 600_000}]}),
        ),
        ("DELETE", "/batches/batch_01jc0000000000000000000000/shipments", json!({"shipments": 7})),
    ];
    for (number, (method, path, body)) in bodies.iter().enumerate() {
        let key = format!("key {number}");
        let send = || keyed(&world, method, path, &key).json(body.clone()).send();
        let first = send().await;
        assert_eq!((first.status.as_u16(), is_replayed(&first)), (422, false), "{first}");
        let again = send().await;
        assert_eq!((seen(&again), is_replayed(&again)), (seen(&first), true), "{again}");
        // Corrected, it is another request.
        let other = keyed(&world, "POST", "/locations", &key).json(depot("Depot")).send().await;
        assert_eq!(
            (other.status.as_u16(), other.code().as_str()),
            (422, "idempotency_key_reused"),
            "{other}"
        );
    }
    // A wrong body under the key of a request that was right is another request too.
    let wrong = keyed(&world, "POST", "/locations", "make").json(json!({"nmae": "x"})).send().await;
    assert_eq!(wrong.code(), "idempotency_key_reused");
    assert_eq!(seen(&create(&world, "make", "Depot").await), seen(&made));
}

#[tokio::test]
async fn what_is_no_json_may_be_corrected_under_the_same_key() {
    let world = World::new().await;
    for (body, code) in [("{", "invalid_json"), (r#"{"name":"a","name":"b"}"#, "duplicate_key")] {
        let call = keyed(&world, "POST", "/locations", "make").raw("application/json", body);
        let refused = call.send().await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, code), "{body}");
    }
    let made = create(&world, "make", "Depot").await;
    assert_eq!((made.status.as_u16(), is_replayed(&made)), (201, false), "{made}");
}

#[tokio::test]
async fn a_kept_answer_is_not_shown_to_a_caller_that_is_refused() {
    let world = World::new().await;
    let send = async |token: &str| {
        let body = json!({"scopes": ["locations:write"]});
        keyed(&world, "POST", "/access_tokens", "key").token(token).json(body).send().await
    };
    let made = send(&world.token).await;
    assert_eq!(made.status, 201);
    let narrow = world.token_for("Acme", "access_tokens:write", Mode::Live).await;
    let refused = send(&narrow).await;
    assert_eq!(
        (refused.status.as_u16(), refused.code().as_str()),
        (422, "idempotency_key_reused"),
        "{refused}"
    );
    assert_eq!(seen(&send(&world.token).await), seen(&made), "the answer stays");
}

#[tokio::test]
async fn an_answer_with_credentials_is_repeated_to_its_own_token_alone() {
    let world = World::new().await;
    assert_eq!(world.request("POST", "/events/provision").send().await.status, 204);
    let endpoint = world.post("/webhook_endpoints", json!({"url": "https://hooks.example.com"})).await;
    let rotate = format!("{}/rotate_secret", endpoint.header("location"));
    let me = world.get("/me").await.json();
    let channel = &me["channels"][0];
    let requests = [
        ("/access_tokens", json!({"scopes": ["locations:read"]}), "token"),
        ("/webhook_endpoints", json!({"url": "https://other.example.com"}), "secret"),
        (rotate.as_str(), json!({}), "secret"),
        ("/events/connection_token", json!({}), "token"),
        ("/events/subscription_token", json!({"channel": channel}), "token"),
    ];
    // A token of the same user, with the same scopes.
    let other = world.token_for("Acme", "*", Mode::Live).await;
    for (path, body, credential) in requests {
        let send = async |token: &str| {
            keyed(&world, "POST", path, path).token(token).json(body.clone()).send().await
        };
        let first = send(&world.token).await;
        assert!(first.status.is_success() && first.json()[credential].is_string(), "{path}: {first}");
        for _ in 0..2 {
            let refused = send(&other).await;
            let code = refused.code();
            assert_eq!((refused.status.as_u16(), code.as_str()), (422, "idempotency_key_reused"), "{path}");
            assert!(!refused.text.contains(first.json()[credential].as_str().unwrap()), "{path}");
        }
        let again = send(&world.token).await;
        assert_eq!((seen(&again), is_replayed(&again)), (seen(&first), true), "{path}");
    }
    assert_eq!(world.get("/webhook_endpoints").await.ids().len(), 2, "none was made twice");
}

#[tokio::test]
async fn a_refusal_carries_no_credentials_and_is_repeated_to_every_token() {
    let world = World::new().await;
    let send = async |token: &str| {
        let body = json!({"scopes": ["locations:fly"]});
        keyed(&world, "POST", "/access_tokens", "key").token(token).json(body).send().await
    };
    let first = send(&world.token).await;
    assert_eq!((first.status.as_u16(), is_replayed(&first)), (422, false));
    let again = send(&world.token_for("Acme", "*", Mode::Live).await).await;
    assert_eq!((seen(&again), is_replayed(&again)), (seen(&first), true));
}

#[tokio::test]
async fn a_slash_at_the_end_makes_no_other_request() {
    let world = World::new().await;
    let made = create(&world, "key", "Depot").await;
    let again = keyed(&world, "POST", "/locations/", "key").json(depot("Depot")).send().await;
    assert_eq!((seen(&again), is_replayed(&again)), (seen(&made), true));
}

#[tokio::test]
async fn a_caller_without_access_leaves_no_stored_answer() {
    let world = World::new().await;
    let reader = world.token_for("Acme", "locations:read", Mode::Live).await;
    let request = || keyed(&world, "POST", "/locations", "key").json(depot("Depot"));
    assert_eq!(request().token(&reader).send().await.status, 403);
    assert_eq!(request().anonymous().send().await.status, 401);
    let made = request().send().await;
    assert_eq!((made.status.as_u16(), is_replayed(&made)), (201, false));
    // A token without the scope does not get the stored answer either.
    assert_eq!(request().token(&reader).send().await.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_equal_requests_at_once_make_one_location() {
    const REQUESTS: usize = 64;
    let world = Arc::new(World::new().await);
    let mut requests = tokio::task::JoinSet::new();
    for _ in 0..REQUESTS {
        let world = world.clone();
        requests.spawn(async move { create(&world, "key", "Depot").await });
    }
    let replies = requests.join_all().await;
    let made: Vec<_> = replies.iter().filter(|reply| reply.status == 201).collect();
    assert_eq!(made.iter().filter(|reply| !is_replayed(reply)).count(), 1);
    assert!(made.iter().all(|reply| seen(reply) == seen(made[0])));
    for busy in replies.iter().filter(|reply| reply.status != 201) {
        assert_eq!((busy.status.as_u16(), busy.code().as_str()), (409, "idempotency_in_progress"), "{busy}");
        assert_eq!(busy.header("retry-after"), "1");
    }
    assert_eq!(world.get("/locations").await.ids().len(), 1);
    assert_eq!(world.events().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_answer_stays_when_equal_requests_end_differently() {
    const REQUESTS: usize = 8;
    let world = Arc::new(World::new().await);
    for round in 0..12 {
        let (configuration, origin, _) = world.configuration("Main").await;
        let (path, key) = (format!("/locations/{origin}"), format!("key {round}"));
        let mut requests = tokio::task::JoinSet::new();
        for number in 0..REQUESTS {
            let (world, path, key) = (world.clone(), path.clone(), key.clone());
            let configuration = format!("/location_configurations/{configuration}");
            requests.spawn(async move {
                if number == REQUESTS / 2 {
                    assert_eq!(world.delete(configuration).await.status, 204);
                }
                keyed(&world, "DELETE", &path, &key).send().await;
            });
        }
        requests.join_all().await;
        let is_gone = world.get(&path).await.status == 404;
        let again = keyed(&world, "DELETE", &path, &key).send().await;
        let status = if is_gone { 204 } else { 409 };
        assert_eq!((again.status.as_u16(), is_replayed(&again)), (status, true), "round {round}: {again}");
    }
}

#[tokio::test]
async fn a_quoted_key_is_the_same_key() {
    let world = World::new().await;
    let bare = create(&world, "8e03978e-40d5-43dd-bc93-6894a57f9324", "Depot").await;
    let quoted = create(&world, "\"8e03978e-40d5-43dd-bc93-6894a57f9324\"", "Depot").await;
    assert_eq!((seen(&quoted), is_replayed(&quoted)), (seen(&bare), true));
}

/// Whether the document allows the key. A change that the server refuses for its key is one that the document forbids.
fn is_documented(key: &str) -> bool {
    let document = api::openapi::document(&api::routes::all());
    let parameters = document["paths"]["/locations"]["post"]["parameters"].as_array().unwrap();
    let parameter = parameters.iter().find(|parameter| parameter["name"] == "Idempotency-Key").unwrap();
    let schema = &parameter["schema"];
    let is_as_long = key.len() as u64 <= schema["maxLength"].as_u64().unwrap_or(u64::MAX);
    is_as_long && regex_lite::Regex::new(schema["pattern"].as_str().unwrap()).unwrap().is_match(key)
}

#[tokio::test]
async fn keys_have_one_to_255_printable_characters() {
    let world = World::new().await;
    let (most, quoted) = ("k".repeat(255), format!("\"{}\"", "k".repeat(255)));
    let (long, long_quoted) = (format!("{most}k"), format!("\"{most}k\""));
    for key in ["", "\"\"", " ", "clé", "a\tb", &long, &long_quoted] {
        let refused = create(&world, key, "Depot").await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, "invalid_header"), "{key:?}");
        assert_eq!(refused.issues(), [("invalid_header".to_owned(), "Idempotency-Key".to_owned())]);
        assert!(!is_documented(key), "{key:?}");
    }
    let accepted = ["k", "two words", "~!@#$%^&*()", "\"", "\"open", "open\"", "\" \"", "\"q\"", &most];
    for key in accepted {
        assert_eq!(create(&world, key, "Depot").await.status, 201, "{key:?}");
        assert!(is_documented(key), "{key:?}");
    }
    assert_eq!(world.get("/locations").await.ids().len(), accepted.len());
    // The quotes are not part of the key, so they don't count as its characters.
    assert!(is_replayed(&create(&world, &quoted, "Depot").await));
    assert!(is_documented(&quoted));
}
