//! How streams end: with their access token, with the provision, or at once if their token is not valid.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::stream_client::{
    StreamClient, connect_command, connection_token, provision, publish, subscription_token, user,
};
use crate::setup::world::World;

/// Makes an access token, and returns its id and its secret.
async fn access_token(world: &World, scopes: &[&str]) -> (String, String) {
    let made = world.post("/access_tokens", json!({"scopes": scopes})).await.json();
    let text = |name: &str| made[name].as_str().expect("a text").to_owned();
    (text("id"), text("token"))
}

/// Writes an event, and returns whether the listener gets it.
async fn hears(world: &World, listener: &mut StreamClient, token: &str) -> bool {
    let body = crate::setup::world::depot("Marker");
    let made = world.request("POST", "/locations").token(token).json(body).send().await.json();
    publish(world).await;
    let (_, publication) = listener.publication().await;
    publication["data"]["data"]["object"]["id"] == made["id"]
}

#[tokio::test]
async fn revoking_an_access_token_ends_what_it_opened_and_nothing_else() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let (id, secret) = access_token(&world, &["events:read", "locations:read"]).await;
    let (mut ended, _) = StreamClient::connect(&world, &secret).await;
    let (_, other_secret) = access_token(&world, &["events:read", "locations:read"]).await;
    let (mut other, _) = StreamClient::connect(&world, &other_secret).await;
    let kept = connect_command(&world, &secret).await;
    assert_eq!(world.delete(format!("/access_tokens/{id}")).await.status, 204);
    assert_eq!(ended.closed_with().await, (3014, "state invalidated".to_owned()));
    // Its stream token is still good by itself.
    let (mut again, first) = StreamClient::connect_with(&world, kept).await;
    assert_eq!(first["push"]["disconnect"]["code"], 3014, "{first}");
    assert_eq!(again.next_or_end().await, None);
    assert!(hears(&world, &mut other, &world.token).await);
}

#[tokio::test]
async fn revoking_ends_what_was_opened_with_tokens_traded_for_it() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let (id, parent) = access_token(&world, &["events:read"]).await;
    let form = format!("grant_type=client_credentials&client_id={id}&client_secret={parent}");
    let request = world.request("POST", "/oauth/token").anonymous();
    let traded = request.raw("application/x-www-form-urlencoded", form).send().await.json();
    let child = traded["access_token"].as_str().unwrap_or_else(|| panic!("no token: {traded}"));
    let (mut listener, _) = StreamClient::connect(&world, child).await;
    assert_eq!(world.delete(format!("/access_tokens/{id}")).await.status, 204);
    assert_eq!(listener.closed_with().await, (3014, "state invalidated".to_owned()));
}

#[tokio::test]
async fn a_stream_ends_when_its_access_token_does() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let body = json!({"scopes": ["*"], "expires_at": "2026-11-01T09:10:00Z"});
    let made = world.post("/access_tokens", body).await.json();
    let (mut listener, connected) = StreamClient::connect(&world, made["token"].as_str().unwrap()).await;
    assert!((590..=600).contains(&connected["connect"]["ttl"].as_u64().unwrap()), "{connected}");
    let jobs = world.service.start_jobs().unwrap();
    world.advance_seconds(10 * 60);
    assert_eq!(listener.closed_with().await, (3014, "state invalidated".to_owned()));
    jobs.stop().await;
}

#[tokio::test]
async fn deprovisioning_ends_all_streams_of_the_owner_for_good() {
    let world = World::new().await;
    let rival = world.token_for("Rival", "*", Mode::Live).await;
    let test = world.token_for("Acme", "*", Mode::Test).await;
    for token in [&world.token, &rival, &test] {
        provision(&world, token).await;
    }
    let (mut ended, _) = StreamClient::connect(&world, &world.token).await;
    let (mut rivals, _) = StreamClient::connect(&world, &rival).await;
    let (mut tests, _) = StreamClient::connect(&world, &test).await;
    let kept = connect_command(&world, &world.token).await;
    assert_eq!(world.request("POST", "/events/deprovision").send().await.status, 204);
    assert_eq!(ended.closed_with().await, (3503, "force disconnect".to_owned()));
    let (_, first) = StreamClient::connect_with(&world, kept).await;
    assert_eq!(first["push"]["disconnect"]["code"], 3503, "{first}");
    assert!(hears(&world, &mut rivals, &rival).await && hears(&world, &mut tests, &test).await);
}

#[tokio::test]
async fn a_token_that_is_over_or_not_ours_opens_nothing() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let good = connection_token(&world, &world.token).await;
    let channel = format!("orders:{}#{}", world.owner(), user(&world, &world.token).await);
    let for_a_channel = subscription_token(&world, &world.token, &channel).await;
    let forged = format!("{}x", &good[..good.len() - 1]);
    let mut parts: Vec<_> = good.split('.').collect();
    // No signature, and none needed: what a careless verifier accepts. {"alg":"none"}
    parts[0] = "eyJhbGciOiJub25lIn0";
    parts[2] = "";
    let unsigned = parts.join(".");
    for token in ["", "nonsense", "a.b.c", &forged, &unsigned, &for_a_channel, &world.token] {
        let (mut listener, first) =
            StreamClient::connect_with(&world, json!({"id": 1, "connect": {"token": token}})).await;
        let end = &first["push"]["disconnect"];
        assert_eq!(
            (&end["code"], &end["reason"]),
            (&json!(3500), &json!("invalid token")),
            "{token}: {first}"
        );
        assert_eq!(listener.next_or_end().await, None);
    }
    world.advance_seconds(30 * 60);
    let (_listener, first) =
        StreamClient::connect_with(&world, json!({"id": 1, "connect": {"token": good}})).await;
    assert_eq!(first, json!({"id": 1, "error": {"code": 109, "message": "token expired"}}));
}

#[tokio::test]
async fn a_subscription_token_opens_its_channel_for_its_user_alone() {
    let world = World::new().await;
    let rival = world.token_for("Rival", "*", Mode::Live).await;
    provision(&world, &world.token).await;
    provision(&world, &rival).await;
    let channel = format!("locations:{}#{}", world.owner(), user(&world, &world.token).await);
    let token = subscription_token(&world, &world.token, &channel).await;
    let (_, narrow) = access_token(&world, &["events:read"]).await;
    let join = |token: &str, channel: &str| -> Value {
        json!({"id": 2, "subscribe": {"channel": channel, "token": token}})
    };
    // The same user, connected by an access token whose connection does not include the channel.
    let (mut own, connected) = StreamClient::connect(&world, &narrow).await;
    own.send(&world, &connected, &join("", &channel)).await;
    assert_eq!(own.next().await["error"]["code"], 103);
    own.send(&world, &connected, &join(&token, &channel)).await;
    let reply = own.next().await;
    assert_eq!(reply["subscribe"]["expires"], true, "{reply}");
    assert!((895..=900).contains(&reply["subscribe"]["ttl"].as_u64().unwrap()), "{reply}");
    own.send(&world, &connected, &join(&token, &channel)).await;
    assert_eq!(own.next().await["error"]["code"], 105);
    assert!(hears(&world, &mut own, &world.token).await);
    // The server closes the connection on a token for another channel or of another user: it is an attack or a client's bug.
    let (mut listener, connected) = StreamClient::connect(&world, &narrow).await;
    listener.send(&world, &connected, &join(&token, &channel.replace("locations", "orders"))).await;
    assert_eq!(listener.closed_with().await, (3500, "invalid token".to_owned()));
    let (mut listener, connected) = StreamClient::connect(&world, &rival).await;
    listener.send(&world, &connected, &join(&token, &channel)).await;
    assert_eq!(listener.closed_with().await, (3500, "invalid token".to_owned()));
    let (mut listener, connected) = StreamClient::connect(&world, &rival).await;
    listener.send(&world, &connected, &join("", &channel)).await;
    let answer = listener.next().await;
    assert_eq!(answer, json!({"id": 2, "error": {"code": 103, "message": "permission denied"}}));
}

#[tokio::test]
async fn the_channel_joined_with_a_token_ends_with_its_access_token() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let channel = format!("locations:{}#{}", world.owner(), user(&world, &world.token).await);
    let (_, narrow) = access_token(&world, &["events:read"]).await;
    let (id, joining) = access_token(&world, &["events:read", "locations:read"]).await;
    let token = subscription_token(&world, &joining, &channel).await;
    let (mut listener, connected) = StreamClient::connect(&world, &narrow).await;
    let join = json!({"id": 2, "subscribe": {"channel": channel, "token": token}});
    listener.send(&world, &connected, &join).await;
    assert!(listener.next().await["subscribe"].is_object());
    assert!(hears(&world, &mut listener, &world.token).await);
    assert_eq!(world.delete(format!("/access_tokens/{id}")).await.status, 204);
    let push = listener.next().await;
    assert_eq!(push["push"]["unsubscribe"]["code"], 2000, "{push}");
    world.location("Unheard").await;
    publish(&world).await;
    listener
        .send(&world, &connected, &json!({"id": 3, "subscribe": {"channel": "system:announcements"}}))
        .await;
    assert_eq!(listener.next().await["id"], 3, "something came from a channel that was taken away");
}

#[tokio::test]
async fn a_client_may_read_and_never_publish() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let channel = format!("orders:{}#{}", world.owner(), user(&world, &world.token).await);
    let (mut listener, connected) = StreamClient::connect(&world, &world.token).await;
    let publish = json!({"id": 2, "publish": {"channel": channel, "data": {"forged": true}}});
    listener.send(&world, &connected, &publish).await;
    assert_eq!(
        listener.next().await,
        json!({"id": 2, "error": {"code": 103, "message": "permission denied"}})
    );
    listener.send(&world, &connected, &json!({"id": 3, "rpc": {"method": "x", "data": {}}})).await;
    assert_eq!(listener.next().await["error"]["code"], 104);
}

#[tokio::test]
async fn a_server_that_stops_tells_clients_to_come_back() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let (mut listener, _) = StreamClient::connect(&world, &world.token).await;
    world.service.streams.close_streams().await;
    assert_eq!(listener.closed_with().await, (3001, "shutdown".to_owned()));
}
