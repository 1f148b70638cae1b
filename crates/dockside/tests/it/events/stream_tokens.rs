//! `/events/connection_token` and `/events/subscription_token`: which callers get which token, and the claims in it.

use std::collections::HashSet;

use api::routes;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use model::access::access_token::Secret;
use model::access::scope::RESOURCES;
use model::{Scopes, World as Mode};
use serde_json::{Value, json};
use service::onboarding::TokenOrder;
use testkit::clock::BEGIN;

use crate::setup::stream_client::{provision, user};
use crate::setup::world::{Reply, World};

pub const CONNECTION: &str = "/events/connection_token";
pub const SUBSCRIPTION: &str = "/events/subscription_token";
const METHODS: [&str; 2] = ["GET", "POST"];
const BEGIN_SECONDS: i64 = BEGIN / 1_000_000;

/// Returns the claims of a token without checking its signature.
pub fn claims(reply: &Reply) -> Value {
    assert_eq!((reply.status.as_u16(), reply.header("cache-control")), (200, "no-store"), "{reply}");
    let body = reply.json();
    assert_eq!(body.as_object().unwrap().len(), 1, "{reply}");
    let claims = body["token"].as_str().unwrap().split('.').nth(1).unwrap();
    serde_json::from_slice(&BASE64.decode(claims).unwrap()).unwrap()
}

/// How a channel is written in a query.
fn quoted(channel: &str) -> String {
    channel.replace('%', "%25").replace('#', "%23").replace(' ', "%20").replace('&', "%26")
}

#[tokio::test]
async fn a_connection_token_names_its_user_its_end_and_exactly_what_may_be_read() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let (owner, user) = (world.owner(), user(&world, &world.token).await);
    let some = world.token_for("Acme", "events:read orders:read", Mode::Live).await;
    let mut ids = HashSet::new();
    for (token, resources) in [(&world.token, &RESOURCES[..]), (&some, &["orders", "events"])] {
        for method in METHODS {
            let claims = claims(&world.request(method, CONNECTION).token(token).send().await);
            let channels = resources.iter().map(|resource| json!(format!("{resource}:{owner}#{user}")));
            let issued = claims["iat"].as_i64().unwrap();
            assert_eq!(claims["channels"], Value::Array(channels.collect()));
            assert_eq!((&claims["sub"], &claims["own"]), (&json!(user), &json!(owner.to_string())));
            assert_eq!((&claims["aud"], &claims["iss"]), (&json!("realtime"), &json!("dockside")));
            assert!((BEGIN_SECONDS..BEGIN_SECONDS + 10).contains(&issued), "{claims}");
            assert_eq!(claims["exp"], issued + 30 * 60);
            assert!(claims.get("channel").is_none(), "it would not be a token to connect with");
            assert!(ids.insert(claims["jti"].as_str().unwrap().to_owned()), "two tokens have one id");
        }
    }
}

#[tokio::test]
async fn a_subscription_token_is_for_the_channel_that_body_or_query_name() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let (owner, user) = (world.owner(), user(&world, &world.token).await);
    let mut ids = HashSet::new();
    for resource in RESOURCES {
        let channel = format!("{resource}:{owner}#{user}");
        let in_query = format!("{SUBSCRIPTION}?channel={}", quoted(&channel));
        let body = json!({"channel": channel});
        for method in METHODS {
            for reply in [
                world.request(method, &in_query).send().await,
                world.request(method, SUBSCRIPTION).json(body.clone()).send().await,
                world.request(method, &in_query).json(body.clone()).send().await,
                world.request(method, &in_query).json(json!({})).send().await,
            ] {
                let claims = claims(&reply);
                assert_eq!((&claims["channel"], &claims["sub"]), (&json!(channel), &json!(user)));
                assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 15 * 60);
                assert_eq!((&claims["aud"], &claims["iss"]), (&json!("realtime"), &json!("dockside")));
                assert!(claims.get("channels").is_none(), "it would be a token to connect with");
                assert!(ids.insert(claims["jti"].as_str().unwrap().to_owned()));
            }
        }
    }
    let public = world.post(SUBSCRIPTION, json!({"channel": "system:announcements"})).await;
    assert_eq!(claims(&public)["channel"], "system:announcements");
}

#[tokio::test]
async fn a_channel_that_is_not_named_or_named_twice_is_at_fault() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let own = |resource: &str, user: &str| format!("{resource}:{}#{user}", world.owner());
    let user = user(&world, &world.token).await;
    let in_query = format!("{SUBSCRIPTION}?channel={}", quoted(&own("orders", &user)));
    for method in METHODS {
        let missing = world.request(method, SUBSCRIPTION).send().await;
        assert_eq!(
            (missing.status.as_u16(), missing.issues()),
            (422, vec![issue("channel_required")]),
            "{missing}"
        );
        let empty = world.request(method, SUBSCRIPTION).json(json!({})).send().await;
        assert_eq!(
            (empty.status.as_u16(), empty.issues()),
            (422, vec![issue("channel_required")]),
            "{empty}"
        );
        let other = json!({"channel": own("locations", &user)});
        let differs = world.request(method, &in_query).json(other).send().await;
        assert_eq!((differs.status.as_u16(), differs.issues()), (422, vec![issue("channel_mismatch")]));
        for bad in [json!({"channel": 7}), json!({"channel": ""}), json!({"channel": "x".repeat(256)})] {
            let reply = world.request(method, SUBSCRIPTION).json(bad.clone()).send().await;
            let fields: Vec<_> = reply.issues().into_iter().map(|(_, field)| field).collect();
            assert_eq!((reply.status.as_u16(), fields), (422, vec!["/channel".to_owned()]), "{bad}: {reply}");
        }
        let garbage = world.request(method, SUBSCRIPTION).raw("application/json", "{").send().await;
        assert_eq!((garbage.status.as_u16(), garbage.code().as_str()), (400, "invalid_json"), "{garbage}");
        let text = world.request(method, &in_query).raw("text/plain", "{}").send().await;
        assert_eq!(text.status, 415, "{text}");
        let twice = format!("{in_query}&channel=x");
        assert_eq!(world.request(method, &twice).send().await.status, 400);
    }
}

fn issue(code: &str) -> (String, String) {
    (code.to_owned(), "/channel".to_owned())
}

/// Channels of others: of another organisation, user or world, of what does not exist, and names that are none.
async fn foreign(world: &World) -> Vec<String> {
    let (owner, own) = (world.owner(), user(world, &world.token).await);
    let rival = world.token_for("Rival", "*", Mode::Live).await;
    let colleague = TokenOrder {
        organisation: "Acme".to_owned(),
        user: "colleague@acme.example".to_owned(),
        scopes: Scopes::ALL,
        world: Mode::Live,
        expires_in_seconds: None,
    };
    let colleague = world.service.onboarding.issue_token(colleague).await.unwrap();
    let rivals = (Secret::owner_of(&rival).unwrap(), user(world, &rival).await);
    let colleague = user(world, colleague.as_str()).await;
    assert!(rivals.1 != own && colleague != own);
    vec![
        format!("orders:{}#{}", rivals.0, rivals.1),
        format!("orders:{}#{own}", rivals.0),
        format!("orders:{owner}#{}", rivals.1),
        format!("orders:{owner}#{colleague}"),
        format!("orders:{owner}_test#{own}"),
        format!("parcels:{owner}#{own}"),
        format!("order:{owner}#{own}"),
        format!("ORDERS:{owner}#{own}"),
        format!("orders:{owner}#{own},{colleague}"),
        format!("orders:{owner}#{colleague}#{own}"),
        format!("orders:{owner}#{own} "),
        format!("$orders:{owner}#{own}"),
        format!("orders:{owner}"),
        format!("orders:#{own}"),
        format!("orders:{owner}#"),
        format!("orders#{own}"),
        format!("{owner}#{own}"),
        "system:announcements2".to_owned(),
        format!("system:{owner}#{own}"),
        "orders".to_owned(),
        "*".to_owned(),
        "orders:*".to_owned(),
        "é".to_owned(),
    ]
}

#[tokio::test]
async fn channels_of_others_are_forbidden_and_all_alike() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let mut details = HashSet::new();
    for channel in foreign(&world).await {
        for method in METHODS {
            let reply = world.request(method, SUBSCRIPTION).json(json!({"channel": channel})).send().await;
            assert_eq!(
                (reply.status.as_u16(), reply.code().as_str()),
                (403, "forbidden_channel"),
                "{channel}: {reply}"
            );
            details.insert(reply.json()["detail"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(details.len(), 1, "an answer tells what exists elsewhere: {details:?}");
    let in_query = format!("{SUBSCRIPTION}?channel={}", quoted(&foreign(&world).await[0]));
    assert_eq!(world.get(in_query).await.code(), "forbidden_channel");
}

#[tokio::test]
async fn the_worlds_of_an_organisation_don_t_hear_each_other() {
    let world = World::new().await;
    let test = world.token_for("Acme", "*", Mode::Test).await;
    let user = user(&world, &world.token).await;
    // The live channel's name is the plain name of the test world's own, which `organisations.rs` listens to.
    for (token, owner, status) in [
        (&world.token, &world.token, 200),
        (&world.token, &test, 403),
        (&test, &test, 200),
        (&test, &world.token, 200),
    ] {
        provision(&world, token).await;
        let channel = format!("locations:{}#{user}", Secret::owner_of(owner).unwrap());
        let reply = world.request("POST", SUBSCRIPTION).token(token).json(json!({"channel": channel}));
        let reply = reply.send().await;
        assert_eq!(reply.status.as_u16(), status, "{channel}: {reply}");
        if status == 200 {
            let own = Secret::owner_of(token).unwrap().to_string();
            assert_eq!(claims(&reply)["own"], json!(own), "a token is for its own world");
        }
    }
}

#[tokio::test]
async fn what_a_token_may_not_read_it_may_not_join() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let user = user(&world, &world.token).await;
    let narrow = world.token_for("Acme", "events:read orders:read", Mode::Live).await;
    for resource in RESOURCES {
        let body = json!({"channel": format!("{resource}:{}#{user}", world.owner())});
        let reply = world.request("POST", SUBSCRIPTION).token(&narrow).json(body).send().await;
        let expected = if ["orders", "events"].contains(&resource) { 200 } else { 403 };
        assert_eq!(reply.status.as_u16(), expected, "{resource}: {reply}");
    }
    let blind = world.token_for("Acme", "orders:read locations:write", Mode::Live).await;
    for (method, path) in
        METHODS.into_iter().flat_map(|method| [(method, CONNECTION), (method, SUBSCRIPTION)])
    {
        let reply = world.request(method, path).token(&blind).send().await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (403, "insufficient_scope"));
        assert_eq!(world.request(method, path).anonymous().send().await.status, 401);
    }
}

#[tokio::test]
async fn an_organisation_without_a_provision_gets_no_token() {
    let world = World::new().await;
    let channel =
        json!({"channel": format!("orders:{}#{}", world.owner(), user(&world, &world.token).await)});
    let ask = async |method: &str, path: &str| {
        let request = world.request(method, path);
        let has_body = path == SUBSCRIPTION;
        if has_body { request.json(channel.clone()).send().await } else { request.send().await }
    };
    for is_provisioned in [false, true, false] {
        let path = if is_provisioned { "/events/provision" } else { "/events/deprovision" };
        assert_eq!(world.request("POST", path).send().await.status, 204);
        for (method, path) in
            METHODS.into_iter().flat_map(|method| [(method, CONNECTION), (method, SUBSCRIPTION)])
        {
            let reply = ask(method, path).await;
            let expected = if is_provisioned { (200, "") } else { (409, "not_provisioned") };
            assert_eq!((reply.status.as_u16(), reply.code().as_str()), expected, "{method} {path}: {reply}");
            assert_eq!(reply.header("cache-control"), "no-store");
        }
    }
}

#[tokio::test]
async fn no_token_outlives_the_access_token_that_asked_for_it() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let user = user(&world, &world.token).await;
    for (end, connection, subscription) in
        [("09:10:00", 600, 600), ("09:20:00", 1200, 900), ("10:00:00", 1800, 900)]
    {
        let body = json!({"scopes": ["*"], "expires_at": format!("2026-11-01T{end}Z")});
        let made = world.post("/access_tokens", body).await.json();
        let token = made["token"].as_str().expect("a secret");
        let got = claims(&world.request("GET", CONNECTION).token(token).send().await);
        assert!((connection - 5..=connection).contains(&(got["exp"].as_i64().unwrap() - BEGIN_SECONDS)));
        let body = json!({"channel": format!("orders:{}#{user}", world.owner())});
        let got = claims(&world.request("POST", SUBSCRIPTION).token(token).json(body).send().await);
        let left = got["exp"].as_i64().unwrap() - BEGIN_SECONDS;
        assert!((subscription - 5..=subscription + 5).contains(&left), "{end}: {left}");
        assert_eq!(got["tok"], made["id"]);
    }
}

#[tokio::test]
async fn a_key_gives_the_same_token_again_to_a_post_and_says_nothing_to_a_get() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let channel = format!("orders:{}#{}", world.owner(), user(&world, &world.token).await);
    let with_key = async |method: &str, path: &str, body: Option<Value>| {
        let request = world.request(method, path).header("idempotency-key", "k");
        match body {
            Some(body) => request.json(body).send().await,
            None => request.send().await,
        }
    };
    let first = with_key("POST", CONNECTION, None).await;
    assert_eq!((first.status.as_u16(), first.header("idempotent-replayed")), (200, ""), "{first}");
    let again = with_key("POST", CONNECTION, None).await;
    assert_eq!((again.text.as_str(), again.header("idempotent-replayed")), (first.text.as_str(), "true"));
    let other = with_key("POST", SUBSCRIPTION, Some(json!({"channel": channel}))).await;
    assert_eq!(other.code(), "idempotency_key_reused", "{other}");
    for _ in 0..2 {
        let get = with_key("GET", CONNECTION, None).await;
        assert!(get.text != first.text && get.header("idempotent-replayed").is_empty(), "{get}");
    }
    let fresh = world.request("POST", CONNECTION).send().await;
    assert_ne!(fresh.text, first.text);
}

#[test]
fn the_token_rows_are_the_four_that_the_contract_names() {
    let rows = routes::all();
    let rows = rows.iter().filter(|row| row.path.ends_with("_token") && row.path.starts_with("/events/"));
    let mut named: Vec<_> = rows.map(|row| format!("{} {}", row.method, row.path)).collect();
    named.sort();
    let expected =
        METHODS.iter().flat_map(|method| [CONNECTION, SUBSCRIPTION].map(|path| format!("{method} {path}")));
    assert_eq!(named, expected.collect::<Vec<_>>());
}
