//! Access tokens and `/oauth/token`: made, listed, traded, revoked.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::world::{Reply, World, depot};

/// Makes a token; gives its path and the token itself.
async fn create(world: &World, body: Value) -> (String, String) {
    let reply = world.post("/access_tokens", body).await;
    assert_eq!(reply.status, 201, "{reply}");
    (reply.header("location").to_owned(), reply.json()["token"].as_str().unwrap().to_owned())
}

/// Returns the status of a request for locations with this token.
async fn knock(world: &World, token: &str) -> u16 {
    world.request("GET", "/locations").token(token).send().await.status.as_u16()
}

/// Sends a form to `/oauth/token` without an `Authorization` header.
async fn trade(world: &World, form: &[(&str, &str)]) -> Reply {
    let form: Vec<String> =
        form.iter().map(|(name, value)| format!("{name}={}", value.replace(' ', "+"))).collect();
    let call = world.request("POST", "/oauth/token").anonymous();
    call.raw("application/x-www-form-urlencoded", form.join("&")).send().await
}

/// The form of a client, which is a token: its path ends in the client's id.
fn client<'a>(path: &'a str, secret: &'a str) -> [(&'static str, &'a str); 3] {
    let id = path.rsplit('/').next().unwrap();
    [("grant_type", "client_credentials"), ("client_id", id), ("client_secret", secret)]
}

#[tokio::test]
async fn a_token_is_created_listed_read_and_revoked() {
    let world = World::new().await;
    let body = json!({"name": "Scanner", "scopes": ["locations:write", "batches:purchase"]});
    let created = world.post("/access_tokens", body).await;
    assert_eq!(created.status, 201, "{created}");
    let mut shown = created.json();
    let secret = shown.as_object_mut().unwrap().shift_remove("token").unwrap();
    let secret = secret.as_str().unwrap();
    assert!(secret.starts_with("dk_live_") && secret.len() == 58);
    assert_eq!(shown["scopes"], json!(["locations:read", "locations:write", "batches:purchase"]));
    assert_eq!((shown["mode"].as_str(), shown["name"].as_str()), (Some("live"), Some("Scanner")));

    let path = created.header("location").to_owned();
    let read = world.get(&path).await;
    insta::assert_snapshot!(read, @r##"200 {"id":"tok_#1","name":"Scanner","user":{"id":"usr_#1"},"mode":"live","scopes":["locations:read","locations:write","batches:purchase"],"expires_at":null,"created_at":"#time","created_by":"tok_#2"}"##);
    assert_eq!(read.json(), shown);
    let listed = world.get("/access_tokens").await;
    assert_eq!(listed.json()["data"][0], shown);
    assert!(!listed.text.contains("dk_live_"), "a list shows no secret");

    assert_eq!(knock(&world, secret).await, 200);
    assert_eq!(world.delete(&path).await.to_string(), "204 ");
    assert_eq!(knock(&world, secret).await, 401);
    assert_eq!(world.get(&path).await.code(), "not_found");
    assert_eq!(world.delete(&path).await.code(), "not_found");
    assert!(!world.get("/access_tokens").await.ids().iter().any(|id| path.ends_with(id)));
}

#[tokio::test]
async fn what_was_read_may_be_sent_back() {
    let world = World::new().await;
    let (path, _) = create(&world, json!({"name": "Scanner", "scopes": ["locations:read"]})).await;
    let read = world.get(&path).await.json();
    let (copy, _) = create(&world, read.clone()).await;
    assert_ne!(copy, path);
    assert_eq!(world.get(&copy).await.json()["scopes"], read["scopes"]);
}

#[tokio::test]
async fn a_token_hands_out_no_scope_that_it_lacks() {
    let world = World::new().await;
    let scopes = ["access_tokens:write", "locations:write", "shipments:write"];
    let (_, narrow) = create(&world, json!({"scopes": scopes})).await;
    let ask = async |scopes: Value| {
        let call = world.request("POST", "/access_tokens").token(&narrow);
        call.json(json!({"scopes": scopes})).send().await
    };
    for (scope, lacking) in [
        ("orders:read", "orders:read"),
        ("location_configurations:write", "location_configurations:read location_configurations:write"),
        // Writing does not imply buying.
        ("shipments:purchase", "shipments:purchase"),
    ] {
        let refused = ask(json!(["locations:read", scope])).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (422, "scope_not_held"));
        assert_eq!(refused.json()["detail"], format!("The caller lacks: {lacking}."));
    }
    assert_eq!(ask(json!(["*"])).await.code(), "scope_not_held");
    assert_eq!(ask(json!(["locations:read", "shipments:write"])).await.status, 201);
}

#[tokio::test]
async fn scopes_and_users_that_do_not_exist_are_refused() {
    let world = World::new().await;
    for (scopes, field) in [
        (json!(["locations:purchase"]), "/scopes/0"),
        (json!(["locations:read", "reservations:write"]), "/scopes/1"),
        (json!(["locations:read orders:read"]), "/scopes/0"),
        (json!([""]), "/scopes/0"),
    ] {
        let refused = world.post("/access_tokens", json!({"scopes": scopes})).await;
        assert_eq!(refused.status, 422, "{refused}");
        assert_eq!(refused.issues()[0].1, field);
    }
    assert_eq!(world.post("/access_tokens", json!({})).await.issues()[0].1, "/scopes");
    let body = json!({"scopes": ["*"], "user": {"id": "usr_01jc0000000000000000000000"}});
    let refused = world.post("/access_tokens", body).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (422, "user_not_found"));
    assert_eq!(refused.issues(), [("user_not_found".to_owned(), "/user/id".to_owned())]);
}

#[tokio::test]
async fn an_expired_token_is_refused_from_its_moment_on() {
    let world = World::new().await;
    // Any offset is taken; the clock stands at 09:00 UTC.
    let body = json!({"scopes": ["*"], "expires_at": "2026-11-01T11:00:00+01:00"});
    let (path, token) = create(&world, body).await;
    assert_eq!(world.get(&path).await.json()["expires_at"], "2026-11-01T10:00:00.000000Z");
    world.advance_seconds(3590);
    assert_eq!(knock(&world, &token).await, 200);
    world.advance_seconds(10);
    let refused = world.request("GET", "/locations").token(&token).send().await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (401, "unauthenticated"));
    assert!(refused.header("www-authenticate").starts_with("Bearer"));
}

#[tokio::test]
async fn a_test_token_sees_only_the_test_world() {
    let world = World::new().await;
    let test = world.token_for("Acme", "*", Mode::Test).await;
    assert!(test.starts_with("dk_test_"));
    let live = world.location("Live").await;
    let as_test = |method: &str, path: &str| world.request(method, path).token(&test);
    assert_eq!(as_test("GET", "/locations").send().await.ids(), Vec::<String>::new());
    assert_eq!(as_test("GET", &format!("/locations/{live}")).send().await.status, 404);
    assert_eq!(as_test("DELETE", &format!("/locations/{live}")).send().await.status, 404);
    let made = as_test("POST", "/locations").json(depot("Test")).send().await;
    assert_eq!(world.get(made.header("location")).await.status, 404);
    assert_eq!(world.get("/locations").await.ids(), [live]);
    // A token of the test world makes tokens of the test world, and sees and revokes no other.
    let token = as_test("POST", "/access_tokens").json(json!({"scopes": ["*"]})).send().await;
    assert_eq!(token.json()["mode"], "test");
    assert!(token.json()["token"].as_str().unwrap().starts_with("dk_test_"));
    let (theirs, _) = create(&world, json!({"scopes": ["*"]})).await;
    assert_eq!(as_test("DELETE", &theirs).send().await.status, 404);
    assert_eq!(world.get(token.header("location")).await.status, 404);
}

#[tokio::test]
async fn a_token_of_another_organisation_is_not_found() {
    let world = World::new().await;
    let rival = world.token_for("Rival", "*", Mode::Live).await;
    let (path, token) = create(&world, json!({"scopes": ["*"]})).await;
    for method in ["GET", "DELETE"] {
        assert_eq!(world.request(method, &path).token(&rival).send().await.status, 404);
    }
    assert_eq!(knock(&world, &token).await, 200);
}

#[tokio::test]
async fn a_client_trades_its_credentials_by_form() {
    let world = World::new().await;
    let (path, secret) = create(&world, json!({"scopes": ["locations:write"]})).await;
    let traded = trade(&world, &client(&path, &secret)).await;
    assert_eq!(traded.status, 200, "{traded}");
    assert_eq!(traded.header("cache-control"), "no-store");
    let answer = traded.json();
    assert_eq!(
        (answer["token_type"].as_str(), answer["expires_in"].as_i64(), answer["scope"].as_str()),
        (Some("Bearer"), Some(3600), Some("locations:read locations:write"))
    );
    let token = answer["access_token"].as_str().unwrap();
    assert_eq!(knock(&world, token).await, 200);
    // Traded tokens are many and short-lived: the list is of those that people made.
    assert_eq!(world.get("/access_tokens").await.ids().len(), 2);
    world.advance_seconds(3590);
    assert_eq!(knock(&world, token).await, 200);
    world.advance_seconds(10);
    assert_eq!(knock(&world, token).await, 401);
    world.service.cleaning.work().await.unwrap();
    assert_eq!((knock(&world, token).await, knock(&world, &secret).await), (401, 200));
}

#[tokio::test]
async fn a_client_trades_its_credentials_by_basic() {
    let world = World::new().await;
    let (path, secret) = create(&world, json!({"scopes": ["locations:read"]})).await;
    let basic = |id: &str, secret: &str| format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")));
    let send = async |value: String| {
        let call = world.request("POST", "/oauth/token").header("authorization", &value);
        call.raw("application/x-www-form-urlencoded", "grant_type=client_credentials").send().await
    };
    let id = path.rsplit('/').next().unwrap();
    let traded = send(basic(id, &secret)).await;
    assert_eq!(knock(&world, traded.json()["access_token"].as_str().unwrap()).await, 200);
    let refused = send(basic(id, "wrong")).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (401, "invalid_client"));
    assert!(refused.header("www-authenticate").starts_with("Basic"));
    assert_eq!(send("Basic !".to_owned()).await.code(), "invalid_client");
}

#[tokio::test]
async fn a_traded_token_may_carry_fewer_scopes_and_never_more() {
    let world = World::new().await;
    let (path, secret) = create(&world, json!({"scopes": ["locations:write", "orders:read"]})).await;
    let ask = async |scope: &str| {
        let [grant, id, secret] = client(&path, &secret);
        trade(&world, &[grant, id, secret, ("scope", scope)]).await
    };
    let narrow = ask("locations:read").await.json();
    assert_eq!(narrow["scope"], "locations:read");
    let token = narrow["access_token"].as_str().unwrap();
    assert_eq!(knock(&world, token).await, 200);
    let refused = world.request("POST", "/locations").token(token).json(depot("x")).send().await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (403, "insufficient_scope"));
    assert_eq!(ask("").await.json()["scope"], "locations:read locations:write orders:read");
    for scope in ["*", "locations:read batches:read", "nonsense"] {
        let refused = ask(scope).await;
        assert_eq!(refused.status, 400, "{scope}: {refused}");
        assert_eq!(refused.json()["error"], refused.json()["code"]);
    }
}

#[tokio::test]
async fn wrong_credentials_are_refused_alike() {
    let world = World::new().await;
    let (path, secret) = create(&world, json!({"scopes": ["locations:read"]})).await;
    let (other, other_secret) = create(&world, json!({"scopes": ["*"]})).await;
    let (dead, dead_secret) =
        create(&world, json!({"scopes": ["*"], "expires_at": "2026-11-01T08:00:00Z"})).await;
    let id = path.rsplit('/').next().unwrap();
    let grant = ("grant_type", "client_credentials");
    let mut forms: Vec<Vec<(&str, &str)>> = vec![
        client(&path, &other_secret).to_vec(),
        client(&other, &secret).to_vec(),
        client(&path, "wrong").to_vec(),
        client(&path, "").to_vec(),
        client("/nobody", &secret).to_vec(),
        client(&dead, &dead_secret).to_vec(),
        vec![grant],
        vec![grant, ("client_id", id)],
    ];
    let well_formed =
        format!("{}{}", &secret[..secret.len() - 1], if secret.ends_with('0') { '1' } else { '0' });
    forms.push(client(&path, &well_formed).to_vec());
    for form in forms {
        let refused = trade(&world, &form).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (401, "invalid_client"), "{form:?}");
        assert_eq!(refused.json()["error"], "invalid_client");
        assert_eq!(refused.header("content-type"), "application/problem+json");
    }
    let [_, id, secret] = client(&path, &secret);
    let malformed = [
        (vec![("grant_type", "password"), id, secret], "unsupported_grant_type"),
        (vec![grant, id, secret, ("scope", "orders:read")], "invalid_scope"),
        (vec![grant, id, secret, ("scope", "nonsense")], "invalid_scope"),
        (vec![id, secret], "invalid_request"),
        (vec![], "invalid_request"),
    ];
    for (form, error) in malformed {
        let refused = trade(&world, &form).await;
        assert_eq!((refused.status.as_u16(), refused.json()["error"].as_str()), (400, Some(error)));
    }
    let as_json = world.request("POST", "/oauth/token").anonymous().json(json!({"grant_type": "x"}));
    assert_eq!(as_json.send().await.status, 415);
}

#[tokio::test]
async fn what_a_token_makes_cannot_outlive_it() {
    let world = World::new().await;
    let (path, secret) = create(&world, json!({"scopes": ["access_tokens:write"]})).await;
    let traded = trade(&world, &client(&path, &secret)).await.json();
    let traded = traded["access_token"].as_str().unwrap();
    let make = |body| world.request("POST", "/access_tokens").token(traded).json(body).send();
    let made = make(json!({"scopes": ["access_tokens:read"]})).await;
    assert_eq!(made.status, 201, "{made}");
    assert!(made.json()["expires_at"].is_string(), "{made}");
    let late = make(json!({"scopes": ["access_tokens:read"], "expires_at": "2030-01-01T00:00:00Z"})).await;
    assert_eq!(late.issues(), [("out_of_range".to_owned(), "/expires_at".to_owned())]);
}

#[tokio::test]
async fn a_traded_token_dies_with_the_one_it_was_traded_for() {
    let world = World::new().await;
    let (path, secret) = create(&world, json!({"scopes": ["locations:read"]})).await;
    let (other, other_secret) = create(&world, json!({"scopes": ["locations:read"]})).await;
    let token = |reply: Reply| reply.json()["access_token"].as_str().unwrap().to_owned();
    let child = token(trade(&world, &client(&path, &secret)).await);
    let bystander = token(trade(&world, &client(&other, &other_secret)).await);
    assert_eq!((knock(&world, &child).await, knock(&world, &bystander).await), (200, 200));
    assert_eq!(world.delete(&path).await.status, 204);
    assert_eq!((knock(&world, &child).await, knock(&world, &bystander).await), (401, 200));
    assert_eq!(trade(&world, &client(&path, &secret)).await.code(), "invalid_client");
}

#[tokio::test]
async fn a_traded_token_does_not_outlive_the_one_it_was_traded_for() {
    let world = World::new().await;
    let body = json!({"scopes": ["locations:read"], "expires_at": "2026-11-01T09:10:00Z"});
    let (path, secret) = create(&world, body).await;
    let traded = trade(&world, &client(&path, &secret)).await.json();
    assert!((590..=600).contains(&traded["expires_in"].as_i64().unwrap()), "{traded}");
    world.advance_seconds(601);
    assert_eq!(knock(&world, traded["access_token"].as_str().unwrap()).await, 401);
}

#[tokio::test]
async fn a_traded_token_is_no_client() {
    let world = World::new().await;
    let (path, secret) = create(&world, json!({"scopes": ["*"]})).await;
    let traded = trade(&world, &client(&path, &secret)).await.json();
    let child = traded["access_token"].as_str().unwrap();
    // A traded token can't be traded, neither under its parent's id nor under its own, which no answer shows.
    assert_eq!(trade(&world, &client(&path, child)).await.code(), "invalid_client");
    let own = world.service.access_tokens.authenticate(child).await.unwrap().token.to_string();
    assert_eq!(trade(&world, &client(&own, child)).await.code(), "invalid_client");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_trade_slips_past_a_revocation() {
    let world = Arc::new(World::new().await);
    for round in 0..16 {
        let (path, secret) = create(&world, json!({"scopes": ["locations:read"]})).await;
        let mut trades = tokio::task::JoinSet::new();
        for _ in 0..4 {
            let (world, path, secret) = (world.clone(), path.clone(), secret.clone());
            trades.spawn(async move { trade(&world, &client(&path, &secret)).await });
        }
        assert_eq!(world.delete(&path).await.status, 204);
        for traded in trades.join_all().await {
            match traded.json()["access_token"].as_str() {
                Some(token) => assert_eq!(knock(&world, token).await, 401, "round {round}"),
                None => assert_eq!(traded.code(), "invalid_client"),
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_token_stops_at_once_even_while_it_is_in_use() {
    let world = Arc::new(World::new().await);
    for round in 0..32 {
        let (path, token) = create(&world, json!({"scopes": ["locations:read"]})).await;
        let mut uses = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let (world, token) = (world.clone(), token.clone());
            uses.spawn(async move { knock(&world, &token).await });
        }
        assert_eq!(world.delete(&path).await.status, 204);
        assert_eq!(knock(&world, &token).await, 401, "round {round}");
        assert!(uses.join_all().await.iter().all(|status| matches!(status, 200 | 401)));
        assert_eq!(knock(&world, &token).await, 401, "round {round}, when all is quiet");
    }
}
