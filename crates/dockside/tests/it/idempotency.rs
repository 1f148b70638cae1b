//! Idempotency keys: a request that is repeated is done once, and answered the same.

use std::sync::Arc;

use model::World as Mode;
use serde_json::{Value, json};

use crate::world::{Call, Reply, World, depot};

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

/// What a client sees of an answer, but for the mark that it is a repetition.
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
    // The resource has changed since; the answer has not.
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
    // The refusals have not taken the place of the answer.
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
    world.service.clean().await.unwrap();
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
async fn a_body_that_was_refused_may_be_corrected_under_the_same_key() {
    let world = World::new().await;
    let wrong: [(u16, &str); 4] = [
        (400, "{"),
        (400, r#"{"name":"a","name":"b"}"#),
        (422, r#"{"nmae":"Depot"}"#),
        (422, r#"{"name":"Depot"}"#),
    ];
    for (status, body) in wrong {
        let call = keyed(&world, "POST", "/locations", "make").raw("application/json", body);
        assert_eq!(call.send().await.status.as_u16(), status, "{body}");
    }
    let made = create(&world, "make", "Depot").await;
    assert_eq!((made.status.as_u16(), is_replayed(&made)), (201, false), "{made}");

    let patch = |body: Value| keyed(&world, "PATCH", made.header("location"), "change").json(body).send();
    for body in [json!({"name": null}), json!({"nmae": "x"}), json!({"name": 7}), json!([])] {
        assert_eq!(patch(body).await.status, 422);
    }
    let changed = patch(json!({"name": "Renamed"})).await;
    assert_eq!((changed.status.as_u16(), is_replayed(&changed)), (200, false), "{changed}");
}

#[tokio::test]
async fn who_was_not_let_in_leaves_no_answer() {
    let world = World::new().await;
    let reader = world.token_for("Acme", "locations:read", Mode::Live).await;
    let request = || keyed(&world, "POST", "/locations", "key").json(depot("Depot"));
    assert_eq!(request().token(&reader).send().await.status, 403);
    assert_eq!(request().anonymous().send().await.status, 401);
    let made = request().send().await;
    assert_eq!((made.status.as_u16(), is_replayed(&made)), (201, false));
    // And a kept answer is not for those who could not have asked.
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

#[tokio::test]
async fn keys_have_one_to_255_printable_characters() {
    let world = World::new().await;
    for key in ["", "\"\"", " ", "clé", "a\tb", &"k".repeat(256), &format!("\"{}\"", "k".repeat(256))] {
        let refused = create(&world, key, "Depot").await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, "invalid_header"), "{key:?}");
        assert_eq!(refused.issues(), [("invalid_header".to_owned(), "Idempotency-Key".to_owned())]);
    }
    for key in ["k", "two words", "~!@#$%^&*()", &"k".repeat(255)] {
        assert_eq!(create(&world, key, "Depot").await.status, 201, "{key:?}");
    }
    assert_eq!(world.get("/locations").await.ids().len(), 4);
}
