//! Revoking access tokens: which ones a token may revoke, and what goes with them.

use std::sync::Arc;

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::world::{Reply, World};

/// A token: its path and its secret.
struct Made {
    path: String,
    secret: String,
}

impl Made {
    fn id(&self) -> &str {
        self.path.rsplit('/').next().unwrap()
    }
}

async fn create(world: &World, with: &str, scopes: Value) -> Made {
    let call = world.request("POST", "/access_tokens").token(with).json(json!({"scopes": scopes}));
    let reply = call.send().await;
    assert_eq!(reply.status, 201, "{reply}");
    Made {
        path: reply.header("location").to_owned(),
        secret: reply.json()["token"].as_str().unwrap().to_owned(),
    }
}

async fn trade(world: &World, client: &Made) -> String {
    let form =
        format!("grant_type=client_credentials&client_id={}&client_secret={}", client.id(), client.secret);
    let call = world.request("POST", "/oauth/token").anonymous();
    let reply = call.raw("application/x-www-form-urlencoded", form).send().await;
    reply.json()["access_token"].as_str().unwrap().to_owned()
}

async fn revoke(world: &World, with: &str, path: &str) -> Reply {
    world.request("DELETE", path).token(with).send().await
}

async fn is_alive(world: &World, token: &str) -> bool {
    world.request("GET", "/me").token(token).send().await.status == 200
}

/// The ids that an answer names as revoked.
fn revoked(reply: &Reply) -> Vec<String> {
    assert_eq!((reply.status.as_u16(), reply.text.as_str()), (204, ""), "{reply}");
    reply.header("dockside-revoked").split(", ").map(str::to_owned).collect()
}

#[tokio::test]
async fn a_token_revokes_no_token_with_more_rights() {
    let world = World::new().await;
    let narrow = create(&world, &world.token, json!(["access_tokens:write", "orders:read"])).await;
    let wide =
        create(&world, &world.token, json!(["access_tokens:write", "orders:write", "batches:purchase"]));
    let wide = wide.await;
    let refused = revoke(&world, &narrow.secret, &wide.path).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (403, "insufficient_scope"), "{refused}");
    let detail = refused.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.ends_with("Your token lacks: orders:write batches:purchase."), "{detail}");
    let everything = create(&world, &world.token, json!(["*"])).await;
    assert_eq!(revoke(&world, &narrow.secret, &everything.path).await.status, 403);
    for token in [&wide, &everything] {
        assert!(is_alive(&world, &token.secret).await);
    }

    // A token may revoke one with equal rights, whichever token made it, and itself.
    let equal = create(&world, &world.token, json!(["access_tokens:write", "orders:read"])).await;
    assert_eq!(revoked(&revoke(&world, &narrow.secret, &equal.path).await), [equal.id()]);
    assert!(!is_alive(&world, &equal.secret).await);
    assert_eq!(revoked(&revoke(&world, &narrow.secret, &narrow.path).await), [narrow.id()]);
    assert!(!is_alive(&world, &narrow.secret).await);
}

#[tokio::test]
async fn what_a_token_made_is_revoked_with_it() {
    let world = World::new().await;
    let scopes = || json!(["access_tokens:write"]);
    let first = create(&world, &world.token, scopes()).await;
    let second = create(&world, &first.secret, scopes()).await;
    let third = create(&world, &second.secret, scopes()).await;
    // A traded token belongs to its client, and so do the tokens that it makes.
    let session = trade(&world, &second).await;
    let fourth = create(&world, &session, scopes()).await;
    let bystander = create(&world, &world.token, scopes()).await;
    assert_eq!(world.get(&third.path).await.json()["created_by"], second.id());

    let call = || world.request("DELETE", &first.path).header("idempotency-key", "k").send();
    let reply = call().await;
    let mut ids = revoked(&reply);
    assert_eq!(ids.remove(0), first.id(), "the named one comes first");
    ids.sort();
    let mut expected = [second.id(), third.id(), fourth.id()];
    expected.sort_unstable();
    assert_eq!(ids, expected);
    for token in [&first.secret, &second.secret, &third.secret, &session, &fourth.secret] {
        assert!(!is_alive(&world, token).await);
    }
    assert!(is_alive(&world, &bystander.secret).await && is_alive(&world, &world.token).await);
    assert_eq!(call().await.header("dockside-revoked"), reply.header("dockside-revoked"), "repeated");
}

#[tokio::test]
async fn children_that_are_kept_belong_to_the_creator_of_their_creator() {
    let world = World::new().await;
    let scopes = || json!(["access_tokens:write"]);
    let first = create(&world, &world.token, scopes()).await;
    let second = create(&world, &first.secret, scopes()).await;
    let session = trade(&world, &second).await;
    let third = create(&world, &second.secret, scopes()).await;
    let fourth = create(&world, &session, scopes()).await;

    let path = format!("{}?keep_children=true", second.path);
    assert_eq!(revoked(&world.delete(path).await), [second.id()]);
    assert!(!is_alive(&world, &second.secret).await);
    assert!(!is_alive(&world, &session).await, "what was traded for it stands for it");
    for kept in [&third, &fourth] {
        assert!(is_alive(&world, &kept.secret).await);
        assert_eq!(world.get(&kept.path).await.json()["created_by"], first.id());
    }

    let path = format!("{}?keep_children=false", first.path);
    let ids = revoked(&world.delete(path).await);
    assert_eq!((ids.len(), ids[0].as_str()), (3, first.id()));
    for gone in [&first, &third, &fourth] {
        assert!(!is_alive(&world, &gone.secret).await);
    }
    let other = create(&world, &world.token, scopes()).await;
    let refused = world.delete(format!("{}?keep_children=1", other.path)).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, "invalid_query"), "{refused}");
}

#[tokio::test]
async fn the_operator_revokes_what_a_token_made_too() {
    let world = World::new().await;
    let root = world.token_for("Acme", "*", Mode::Live).await;
    let child = create(&world, &root, json!(["*"])).await;
    let id = world.service.access_tokens.authenticate(&root).await.unwrap().token;
    assert_eq!(world.get(format!("/access_tokens/{id}")).await.json()["created_by"], Value::Null);
    let gone = world
        .service
        .revocations
        .revoke_any(id, service::events::revocations::Children::Revoke)
        .await
        .unwrap();
    assert_eq!(
        gone.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [id.to_string().as_str(), child.id()]
    );
    assert!(!is_alive(&world, &root).await && !is_alive(&world, &child.secret).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_token_is_made_past_the_revocation_of_its_creator() {
    let world = Arc::new(World::new().await);
    for round in 0..16 {
        let root = create(&world, &world.token, json!(["access_tokens:write"])).await;
        let child = create(&world, &root.secret, json!(["access_tokens:write"])).await;
        let mut making = tokio::task::JoinSet::new();
        for number in 0..6 {
            let world = world.clone();
            let with = if number % 2 == 0 { root.secret.clone() } else { child.secret.clone() };
            making.spawn(async move {
                let call = world.request("POST", "/access_tokens").token(&with);
                call.json(json!({"scopes": ["access_tokens:read"]})).send().await
            });
        }
        assert_eq!(world.delete(&root.path).await.status, 204);
        for made in making.join_all().await {
            match made.json()["token"].as_str() {
                Some(token) => assert!(!is_alive(&world, token).await, "round {round}"),
                None => assert_eq!(made.status, 401, "round {round}: {made}"),
            }
        }
    }
}
