//! The secrets that sign webhooks: shown once, sealed in the database, replaced without a gap.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::Id;
use model::events::webhook_endpoint::{OLD_SECRET_SECONDS, SECRETS_MAX};
use serde_json::json;
use store::events::webhook_endpoints;
use store::platform::idempotency;

use crate::setup::receiver::Received;
use crate::setup::test_endpoint::{ENDPOINTS, TestEndpoint};
use crate::setup::world::World;

/// Replaces the secret and gives the new one.
async fn rotate(world: &World, hook: &TestEndpoint) -> String {
    let reply = world.act(&format!("{}/rotate_secret", hook.path)).await;
    assert_eq!(reply.status, 200);
    reply.json()["secret"].as_str().unwrap().to_owned()
}

/// What the next event is delivered as.
async fn next(world: &World, hook: &TestEndpoint) -> Received {
    world.happen(1).await;
    world.deliver().await;
    let mut received = hook.receiver.take();
    assert_eq!(received.len(), 1);
    received.remove(0)
}

#[tokio::test]
async fn a_secret_is_shown_once_and_nowhere_else() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    assert_eq!(STANDARD.decode(hook.secret.strip_prefix("whsec_").unwrap()).unwrap().len(), 32);
    let test = world.act(&format!("{}/test", hook.path)).await;
    world.happen(1).await;
    world.deliver().await;
    let second = rotate(&world, &hook).await;
    assert_ne!(second, hook.secret);
    hook.receiver.take();
    hook.answers(410);
    let bodies = next(&world, &hook).await;
    world.relay().await;
    let replay = world.request("POST", ENDPOINTS).header("idempotency-key", "k").json(json!({"url": ""}));
    let seen = [
        test.text,
        String::from_utf8(bodies.body.to_vec()).unwrap(),
        replay.send().await.text,
        world.get(&hook.path).await.text,
        world.get(ENDPOINTS).await.text,
        world.get(format!("{}/deliveries", hook.path)).await.text,
        world.patch(&hook.path, json!({"description": "x"})).await.text,
        world.get("/events").await.text,
    ];
    assert!(seen[7].contains("webhook_endpoint.disabled"));
    for text in seen {
        assert!(!text.contains("whsec_") && !text.contains("secret\""), "{text}");
    }
}

#[tokio::test]
async fn the_database_holds_no_secret_that_could_be_read() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let secrets = [hook.secret.clone(), rotate(&world, &hook).await];
    let (owner, id) = (world.owner(), Id::parse(&hook.id).unwrap());
    let read = world.db.read(owner, async move |tx| webhook_endpoints::get(tx, owner, id).await);
    let stored = read.await.unwrap().unwrap();
    let holds = |needle: &[u8]| stored.secrets.windows(needle.len()).any(|part| part == needle);
    for secret in secrets {
        let bare = secret.strip_prefix("whsec_").unwrap();
        assert!(!holds(bare.as_bytes()) && !holds(&STANDARD.decode(bare).unwrap()));
        assert!(!stored.doc.contains(bare));
    }
    assert!(!holds(b"whsec_") && stored.secrets.len() > 100);
}

#[tokio::test]
async fn a_replaced_secret_signs_beside_the_new_one_for_a_day() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let first = next(&world, &hook).await;
    assert_eq!(first.signatures(), [first.signature_by(&hook.secret)]);
    let second = rotate(&world, &hook).await;
    world.advance_seconds(OLD_SECRET_SECONDS - 1);
    let both = next(&world, &hook).await;
    assert_eq!(both.signatures(), [both.signature_by(&second), both.signature_by(&hook.secret)]);
    world.advance_seconds(1);
    let alone = next(&world, &hook).await;
    assert_eq!(alone.signatures(), [alone.signature_by(&second)]);
}

#[tokio::test]
async fn secrets_are_not_replaced_without_end() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let mut secrets = vec![hook.secret.clone()];
    while secrets.len() < SECRETS_MAX {
        secrets.insert(0, rotate(&world, &hook).await);
        world.advance_seconds(60);
    }
    let path = format!("{}/rotate_secret", hook.path);
    let refused = world.request("POST", &path).send().await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "too_many_secrets"));
    let all = next(&world, &hook).await;
    assert_eq!(all.signatures(), secrets.iter().map(|secret| all.signature_by(secret)).collect::<Vec<_>>());
    world.advance_seconds(OLD_SECRET_SECONDS - 60 * 3);
    let fifth = rotate(&world, &hook).await;
    assert_eq!(next(&world, &hook).await.signatures().len(), SECRETS_MAX);
    assert!(!secrets.contains(&fifth));
}

#[tokio::test]
async fn a_repeated_request_replaces_a_secret_once() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let path = format!("{}/rotate_secret", hook.path);
    let ask = async || world.request("POST", &path).header("idempotency-key", "k").send().await;
    let (first, again) = (ask().await, ask().await);
    assert_eq!((first.header("etag"), again.header("idempotent-replayed")), ("\"2\"", "true"));
    assert_eq!(first.text, again.text);
    assert_eq!(world.get(&hook.path).await.header("etag"), "\"2\"");
}

#[tokio::test]
async fn an_answer_kept_for_a_repeated_request_holds_no_secret_that_could_be_read() {
    let world = World::new().await;
    world.provision().await;
    let request = world.request("POST", ENDPOINTS).header("idempotency-key", "k");
    let made = request.json(json!({"url": "https://shop.example.com/hook"})).send().await;
    assert_eq!(made.status, 201, "{made}");
    let (owner, since) = (world.owner(), model::Timestamp::default());
    let read = world.db.read(owner, async move |tx| idempotency::get(tx, owner, "k", since).await);
    let kept = read.await.unwrap().expect("an answer is kept");
    let bytes = STANDARD.decode(&kept.answer).expect("base64");
    let text = [kept.answer.into_bytes(), bytes].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(text.iter().all(|text| !text.contains("whsec_") && !text.contains("shop.example.com")));
}

#[tokio::test]
async fn a_secret_is_bound_to_its_endpoint() {
    let world = World::new().await;
    let (hook, other) = (TestEndpoint::new(&world).await, TestEndpoint::new(&world).await);
    world.tamper(&format!(
        "UPDATE webhook_endpoint SET secrets = (SELECT secrets FROM webhook_endpoint WHERE id = '{}') WHERE id = '{}'",
        other.id, hook.id
    )).await;
    world.happen(1).await;
    world.relay().await;
    let delivered = world.service.delivery.work().await;
    assert!(delivered.unwrap_err().to_string().contains("encryption_key"));
    assert_eq!(hook.receiver.seen().len(), 0, "signed with another's secret");
}
