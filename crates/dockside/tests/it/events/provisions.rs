//! `/events/provision` and `/events/deprovision`: by POST and by GET, never by HEAD, and repeatable.

use std::sync::Arc;

use model::access::access_token::Secret;
use model::{Error, World as Mode};
use serde_json::json;
use service::events::provisioned::{ensure_provisioned, hold_provision};

use crate::setup::world::{Reply, World};

const PROVISION: &str = "/events/provision";
const DEPROVISION: &str = "/events/deprovision";

/// Returns status and detail with which the service refuses to set up a receiver of events for this token's owner, or
/// `None` if it allows it.
async fn refusal(world: &World, token: &str) -> Option<(u16, String)> {
    let owner = Secret::owner_of(token).unwrap();
    let looked = world.db.read(owner, async move |tx| ensure_provisioned(tx, owner).await).await;
    let held = world.db.write(owner, async move |tx| hold_provision(tx, owner).await).await;
    assert_eq!(format!("{looked:?}"), format!("{held:?}"));
    match held {
        Ok(()) => None,
        Err(Error::Refused(problem)) => {
            assert_eq!(problem.code.as_str(), "not_provisioned");
            Some((problem.code.status(), problem.detail.unwrap()))
        }
        Err(error) => panic!("{error}"),
    }
}

async fn is_provisioned(world: &World) -> bool {
    refusal(world, &world.token).await.is_none()
}

fn is_done(reply: &Reply) -> bool {
    assert_eq!(reply.header("cache-control"), "no-store", "{reply}");
    (reply.status.as_u16(), reply.text.as_str()) == (204, "")
}

#[tokio::test]
async fn both_methods_act_and_acting_again_changes_nothing() {
    let world = World::new().await;
    let (status, detail) =
        refusal(&world, &world.token).await.expect("no organisation is provisioned at first");
    assert!(status == 409 && detail.contains("POST /events/provision"), "{status} {detail}");
    for method in ["POST", "GET"] {
        for (path, expected) in [(DEPROVISION, false), (PROVISION, true), (DEPROVISION, false)] {
            for _ in 0..2 {
                let reply = world.request(method, path).send().await;
                assert!(is_done(&reply), "{method} {path}: {reply}");
                assert_eq!(is_provisioned(&world).await, expected, "{method} {path}");
            }
        }
    }
    assert_eq!(world.events().await.len(), 0, "it is no change of a resource");
}

#[tokio::test]
async fn a_head_never_acts() {
    let world = World::new().await;
    for (path, before) in [(PROVISION, DEPROVISION), (DEPROVISION, PROVISION)] {
        assert!(is_done(&world.request("POST", before).send().await));
        let head = world.request("HEAD", path).send().await;
        assert_eq!((head.status.as_u16(), head.header("allow")), (405, "POST, GET, OPTIONS"));
        assert_eq!(is_provisioned(&world).await, before == PROVISION, "a HEAD acted");
    }
}

#[tokio::test]
async fn reading_is_not_enough() {
    let world = World::new().await;
    let token = world.token_for("Acme", "events:read", Mode::Live).await;
    for method in ["POST", "GET"] {
        for path in [PROVISION, DEPROVISION] {
            let reply = world.request(method, path).token(&token).send().await;
            assert_eq!(reply.code(), "insufficient_scope", "{method} {path}");
        }
    }
    assert!(!is_provisioned(&world).await);
    assert_eq!(world.request("GET", "/events").token(&token).send().await.status, 200);
}

#[tokio::test]
async fn each_world_of_each_organisation_is_provisioned_apart() {
    let world = World::new().await;
    let others =
        [world.token_for("Acme", "*", Mode::Test).await, world.token_for("Rival", "*", Mode::Live).await];
    assert!(is_done(&world.request("POST", PROVISION).send().await));
    for token in &others {
        assert!(refusal(&world, token).await.is_some());
        assert!(is_done(&world.request("POST", PROVISION).token(token).send().await));
        assert!(refusal(&world, token).await.is_none());
    }
    assert!(is_done(&world.request("POST", DEPROVISION).token(&others[0]).send().await));
    assert!(is_provisioned(&world).await && refusal(&world, &others[1]).await.is_none());
}

#[tokio::test]
async fn a_key_answers_a_post_once_and_says_nothing_to_a_get() {
    let world = World::new().await;
    let post = async |path: &str| world.request("POST", path).header("idempotency-key", "k").send().await;
    let first = post(PROVISION).await;
    assert!(is_done(&first) && first.header("idempotent-replayed").is_empty());
    assert!(is_done(&world.request("POST", DEPROVISION).send().await));
    let again = post(PROVISION).await;
    assert!(is_done(&again) && again.header("idempotent-replayed") == "true");
    assert!(!is_provisioned(&world).await, "a repeated request acted again");
    assert_eq!(post(DEPROVISION).await.code(), "idempotency_key_reused");
    for key in ["k", "", &"x".repeat(300)] {
        let get = world.request("GET", PROVISION).header("idempotency-key", key).send().await;
        assert!(is_done(&get) && get.header("idempotent-replayed").is_empty(), "{key}: {get}");
    }
    assert!(is_provisioned(&world).await);
    let bad = world.request("POST", PROVISION).header("idempotency-key", "").send().await;
    assert_eq!(bad.code(), "invalid_header");
}

#[tokio::test]
async fn a_body_and_a_query_that_say_something_are_refused() {
    let world = World::new().await;
    for body in ["", "{}"] {
        let reply = world.request("POST", PROVISION).raw("application/json", body).send().await;
        assert!(is_done(&reply), "{body}: {reply}");
    }
    for (body, code) in [("{", "invalid_json"), ("hello", "invalid_json"), ("{\"x\": 1}", "unknown_field")] {
        let reply = world.request("POST", PROVISION).raw("text/plain", body).send().await;
        assert_eq!(reply.code(), code, "{body}: {reply}");
    }
    let refused = world.post(format!("{PROVISION}?organisation=x"), json!({})).await;
    assert_eq!(refused.code(), "invalid_query");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_all_succeed() {
    let world = Arc::new(World::new().await);
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..32 {
        let world = world.clone();
        calls.spawn(async move {
            let path = if number % 2 == 0 { PROVISION } else { DEPROVISION };
            assert!(is_done(&world.request("POST", path).send().await));
        });
    }
    while let Some(ended) = calls.join_next().await {
        ended.unwrap();
    }
    assert!(is_done(&world.request("POST", PROVISION).send().await));
    assert!(is_provisioned(&world).await);
}
