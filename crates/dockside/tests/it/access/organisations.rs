//! `/me` and `/organisation`: the caller, and the organisation's settings.

use std::sync::Arc;

use model::{Scopes, World as Mode};
use serde_json::{Value, json};
use service::onboarding::TokenOrder;

use crate::setup::stock_requests::{lines, refusal};
use crate::setup::stream_client::{StreamClient, provision, publish, subscription_token};
use crate::setup::world::{Reply, World, depot};

async fn me(world: &World, token: &str) -> Value {
    let reply = world.request("GET", "/me").token(token).send().await;
    assert_eq!(reply.status, 200, "{reply}");
    reply.json()
}

#[tokio::test]
async fn me_tells_whom_a_token_speaks_for_and_what_it_may_do() {
    let world = World::new().await;
    let live = world.token_for("Acme", "orders:write", Mode::Live).await;
    insta::assert_snapshot!(
        world.request("GET", "/me").token(&live).send().await,
        @r#"200 {"organisation":{"id":"org_#1","name":"Acme"},"user":{"id":"usr_#1","name":"admin@acme.example","email_address":"admin@acme.example","has_password":false},"roles":[],"world":"live","scopes":["orders:read","orders:write"],"expires_at":null,"session":null,"channels":["orders:org_#1#usr_#1"]}"#
    );
    let (live, test) = (
        me(&world, &live).await,
        me(&world, &world.token_for("Acme", "orders:read", Mode::Test).await).await,
    );
    assert_eq!((&test["world"], &test["scopes"]), (&json!("test"), &json!(["orders:read"])));
    assert_eq!(
        (&test["organisation"], &test["user"]),
        (&live["organisation"], &live["user"]),
        "the same in both worlds"
    );
    let owner = world.owner();
    assert_eq!(
        test["channels"],
        json!([format!("orders:{owner}_test#{}", test["user"]["id"].as_str().unwrap())])
    );
    let order = TokenOrder {
        organisation: "Acme".to_owned(),
        user: "colleague@acme.example".to_owned(),
        scopes: Scopes::ALL,
        world: Mode::Live,
        expires_in_seconds: Some(60),
    };
    let token = world.service.onboarding.issue_token(order).await.unwrap();
    let mine = me(&world, token.as_str()).await;
    assert_eq!(
        (&mine["user"]["email_address"], &mine["scopes"]),
        (&json!("colleague@acme.example"), &json!(["*"]))
    );
    assert!(mine["expires_at"].as_str().is_some_and(|end| end.starts_with("2026-11-01T09:01")), "{mine}");
    // Its channels are those that a token to connect with brings.
    provision(&world, &world.token).await;
    let (_, connected) = StreamClient::connect(&world, token.as_str()).await;
    let subs: Vec<&String> = connected["connect"]["subs"].as_object().unwrap().keys().collect();
    let mut channels: Vec<&str> =
        mine["channels"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    channels.sort_unstable();
    assert_eq!(subs, channels);
}

#[tokio::test]
async fn any_valid_token_may_ask_who_it_is_and_no_other() {
    let world = World::new().await;
    for scope in model::Scope::all() {
        let token = world.token_for("Acme", &scope.to_string(), Mode::Live).await;
        assert_eq!(me(&world, &token).await["organisation"]["name"], "Acme");
    }
    let anonymous = world.request("GET", "/me").anonymous().send().await;
    assert_eq!(refusal(&anonymous), (401, "unauthenticated".to_owned()));
    assert_eq!(world.request("GET", "/me").token("nonsense").send().await.status, 401);
}

#[tokio::test]
async fn a_test_world_token_may_name_its_channels_with_the_plain_organisation_id() {
    let world = World::new().await;
    let test = world.token_for("Acme", "*", Mode::Test).await;
    let live = world.token_for("Acme", "*", Mode::Live).await;
    for token in [&test, &live] {
        provision(&world, token).await;
    }
    let mine = me(&world, &test).await;
    let (organisation, user) =
        (mine["organisation"]["id"].as_str().unwrap(), mine["user"]["id"].as_str().unwrap());
    let plain = format!("locations:{organisation}#{user}");
    let suffixed = format!("locations:{organisation}_test#{user}");
    assert!(mine["channels"].as_array().unwrap().contains(&json!(suffixed)), "{mine}");
    // This token's connection joins no channel by itself, so the client can join both names.
    let narrow = world.token_for("Acme", "events:read", Mode::Test).await;
    for channel in [&plain, &suffixed] {
        let (mut listener, connected) = StreamClient::connect(&world, &narrow).await;
        let token = subscription_token(&world, &test, channel).await;
        let join = json!({"id": 2, "subscribe": {"channel": channel, "token": token}});
        assert_eq!(listener.send(&world, &connected, &join).await, 204);
        let joined = listener.next().await;
        assert!(joined["subscribe"].is_object(), "{joined}");
        // The client gets the events of its own world, under the channel name that it joined.
        for (token, name) in [(&live, "Live"), (&test, "Test")] {
            let made = world.request("POST", "/locations").token(token).json(depot(name)).send().await;
            assert_eq!(made.status, 201);
        }
        publish(&world).await;
        let (heard, publication) = listener.publication().await;
        assert_eq!((&heard, &publication["data"]["data"]["object"]["name"]), (channel, &json!("Test")));
        let leave = json!({"id": 3, "unsubscribe": {"channel": channel}});
        assert_eq!(listener.send(&world, &connected, &leave).await, 204);
        assert_eq!(listener.next().await["id"], 3);
    }
    // A token of the live world has no such name.
    let request =
        world.request("POST", "/events/subscription_token").token(&live).json(json!({"channel": suffixed}));
    assert_eq!(request.send().await.code(), "forbidden_channel");
    // Nor with a token of the other world.
    let (mut listener, connected) =
        StreamClient::connect(&world, &world.token_for("Acme", "events:read", Mode::Live).await).await;
    let token = subscription_token(&world, &test, &plain).await;
    let join = json!({"id": 2, "subscribe": {"channel": plain, "token": token}});
    assert_eq!(listener.send(&world, &connected, &join).await, 204);
    assert_eq!(
        listener.closed_with().await.0,
        3500,
        "a token of the test world opens nothing of the live one"
    );
}

async fn order(world: &World, item: &str, reference: &str) -> Reply {
    world.post("/orders", json!({"reference": reference, "items": lines(&[(item, 1)])})).await
}

async fn set_unique(world: &World, is_unique: bool) -> Reply {
    world.patch("/organisation", json!({"unique_order_references": is_unique})).await
}

fn path(made: &Reply) -> String {
    made.header("location").to_owned()
}

#[tokio::test]
async fn order_references_are_unique_where_the_organisation_wants_it() {
    let world = World::new().await;
    let item = world.item("TEE").await;
    insta::assert_snapshot!(
        world.get("/organisation").await,
        @r##"200 {"id":"org_#1","name":"Acme","unique_order_references":false,"time_zone":"UTC","created_at":"#time","updated_at":"#time"}"##
    );
    let (first, second) = (order(&world, &item, "1001").await, order(&world, &item, "1001").await);
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (201, 201), "as ever, while nothing is set");

    let refused = set_unique(&world, true).await;
    assert_eq!(refusal(&refused), (409, "reference_taken".to_owned()), "{refused}");
    let error = &refused.json()["errors"][0];
    assert_eq!(
        (&error["field"], &error["reference"], &error["orders_count"]),
        (&json!("/unique_order_references"), &json!("1001"), &json!(2))
    );
    assert_eq!(world.get("/organisation").await.json()["unique_order_references"], false);
    assert_eq!(world.patch(path(&second), json!({"reference": "1002"})).await.status, 200);
    let set = set_unique(&world, true).await;
    assert_eq!((set.status.as_u16(), &set.json()["unique_order_references"]), (200, &json!(true)), "{set}");

    let taken = order(&world, &item, "1001").await;
    assert_eq!(refusal(&taken), (409, "reference_taken".to_owned()), "{taken}");
    let error = &taken.json()["errors"][0];
    assert_eq!((&error["field"], &error["order_id"]), (&json!("/reference"), &first.json()["id"]));
    let third = order(&world, &item, "1003").await;
    for taken in [
        order(&world, &item, "1003").await,
        world.patch(path(&third), json!({"reference": "1002"})).await,
        world
            .post("/orders", json!({"status": "draft", "reference": "1002", "items": lines(&[(&item, 1)])}))
            .await,
    ] {
        assert_eq!(refusal(&taken), (409, "reference_taken".to_owned()), "{taken}");
    }
    assert_eq!(world.get(path(&third)).await.json()["reference"], "1003", "what was refused changed nothing");
    // Any number of orders may have no reference, and a client may send an order's own reference again.
    for _ in 0..2 {
        world.order(&[(&item, 1)]).await;
    }
    assert_eq!(
        world.patch(path(&third), json!({"reference": "1003", "metadata": {"a": 1}})).await.status,
        200
    );
}

#[tokio::test]
async fn a_reference_is_free_again_once_no_order_has_it() {
    let world = World::new().await;
    let item = world.item("TEE").await;
    assert_eq!(set_unique(&world, true).await.status, 200);
    let made = order(&world, &item, "A").await;
    assert_eq!(world.patch(path(&made), json!({"reference": "B"})).await.status, 200);
    let other = order(&world, &item, "A").await;
    assert_eq!(other.status, 201, "the first order has another by now: {other}");
    assert_eq!(world.patch(path(&made), json!({"reference": null})).await.status, 200);
    assert_eq!(order(&world, &item, "B").await.status, 201);
    assert_eq!(world.delete(path(&other)).await.status, 204);
    assert_eq!(order(&world, &item, "A").await.status, 201);
    // A cancelled order keeps its reference.
    let cancelled = order(&world, &item, "C").await;
    assert_eq!(world.request("POST", &format!("{}/cancel", path(&cancelled))).send().await.status, 200);
    assert_eq!(order(&world, &item, "C").await.code(), "reference_taken");
    // With the setting off, references may repeat. It can't be switched on again while they do.
    assert_eq!(set_unique(&world, false).await.status, 200);
    assert_eq!(order(&world, &item, "C").await.status, 201);
    assert_eq!(set_unique(&world, true).await.code(), "reference_taken");
}

#[tokio::test]
async fn what_an_organisation_sets_is_its_own_in_each_of_its_worlds() {
    let world = World::new().await;
    assert_eq!(set_unique(&world, true).await.status, 200);
    for (organisation, mode) in [("Acme", Mode::Test), ("Rival", Mode::Live)] {
        let token = world.token_for(organisation, "*", mode).await;
        let read = world.request("GET", "/organisation").token(&token).send().await.json();
        assert_eq!((&read["name"], &read["unique_order_references"]), (&json!(organisation), &json!(false)));
        let item =
            world.request("POST", "/inventory_items").token(&token).json(json!({"sku": "x", "name": "x"}));
        let item = item.send().await.json()["id"].clone();
        for _ in 0..2 {
            let body = json!({"reference": "1", "items": [{"id": item, "quantity": 1}]});
            assert_eq!(world.request("POST", "/orders").token(&token).json(body).send().await.status, 201);
        }
    }
}

#[tokio::test]
async fn the_organisation_changes_as_other_resources_do() {
    let world = World::new().await;
    let tag = world.get("/organisation").await.header("etag").to_owned();
    let same = world.patch("/organisation", json!({"unique_order_references": null})).await;
    assert_eq!((same.status.as_u16(), same.header("etag")), (200, tag.as_str()), "nothing changed");
    assert_eq!(set_unique(&world, true).await.status, 200);
    let stale = world
        .request("PATCH", "/organisation")
        .header("if-match", &tag)
        .json(json!({"unique_order_references": false}));
    assert_eq!(stale.send().await.status, 412);
    for (body, field) in
        [(json!({"unique_order_references": "yes"}), "/unique_order_references"), (json!({"x": 1}), "/x")]
    {
        assert_eq!(world.patch("/organisation", body).await.issues()[0].1, field);
    }
    let events = world.events().await;
    assert_eq!(events.len(), 1);
    let event = world.newest_event("organisation.updated").await;
    assert_eq!(event["data"]["object"]["unique_order_references"], true);
    assert_eq!(event["previous_attributes"]["unique_order_references"], false);
}

#[tokio::test]
async fn an_organisation_names_itself_in_the_live_world_and_the_operator_keeps_its_name() {
    let world = World::new().await;
    let test = world.token_for("Acme", "*", Mode::Test).await;
    let read_test = async || world.request("GET", "/organisation").token(&test).send().await;
    let before = read_test().await.header("etag").to_owned();
    let named = world.patch("/organisation", json!({"name": "Acme & Sons"})).await;
    assert_eq!((named.status.as_u16(), &named.json()["name"]), (200, &json!("Acme & Sons")), "{named}");
    let event = world.newest_event("organisation.updated").await;
    assert_eq!(event["previous_attributes"]["name"], "Acme");
    // The test world shows the new name under another tag, and can't change it.
    let shown = read_test().await;
    assert_eq!(shown.json()["name"], "Acme & Sons");
    assert_ne!(shown.header("etag"), before);
    assert_eq!(me(&world, &test).await["organisation"]["name"], "Acme & Sons");
    let change = |body| world.request("PATCH", "/organisation").token(&test).json(body).send();
    assert_eq!(refusal(&change(json!({"name": "Other"})).await), (409, "live_world_only".to_owned()));
    let set = change(json!({"name": "Acme & Sons", "unique_order_references": true})).await;
    assert_eq!((set.status.as_u16(), &set.json()["unique_order_references"]), (200, &json!(true)), "{set}");
    assert_eq!(world.get("/organisation").await.json()["unique_order_references"], false);
    // Two organisations may call themselves the same; the operator still means the one of its own name.
    let rival = world.token_for("Rival", "*", Mode::Live).await;
    let taken = world.request("PATCH", "/organisation").token(&rival).json(json!({"name": "Acme"})).send();
    assert_eq!(taken.await.status, 200);
    let again = world.token_for("Acme", "*", Mode::Live).await;
    assert_eq!(me(&world, &again).await["organisation"]["name"], "Acme & Sons");
    for wrong in [json!({"name": ""}), json!({"name": null}), json!({"name": "x".repeat(256)})] {
        assert_eq!(world.patch("/organisation", wrong).await.issues()[0].1, "/name");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_orders_with_one_reference_at_once_one_is_made() {
    const WRITERS: usize = 24;
    let world = Arc::new(World::new().await);
    let item = world.item("TEE").await;
    assert_eq!(set_unique(&world, true).await.status, 200);
    let drafts = order(&world, &item, "X").await;
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..WRITERS {
        let (world, item, draft) = (world.clone(), item.clone(), path(&drafts));
        writers.spawn(async move {
            // Some make an order with the reference, and some give it to one that is there.
            match number % 8 {
                7 => world.patch(draft, json!({"reference": "1001"})).await,
                _ => order(&world, &item, "1001").await,
            }
        });
    }
    let replies = writers.join_all().await;
    let lost = replies.iter().filter(|reply| reply.code() == "reference_taken").count();
    let list = world.get("/orders?reference=1001").await;
    assert_eq!(list.ids().len(), 1, "{list}");
    // A request that creates the order, or sets the reference that the order already has, succeeds.
    let won = replies.iter().filter(|reply| reply.status == 201 || reply.status == 200).count();
    assert_eq!(won + lost, WRITERS, "every answer is the one or the other");
    assert!((1..=WRITERS / 8).contains(&won));
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_setting_changes_no_reference_slips_through() {
    const ROUNDS: usize = 8;
    const WRITERS: usize = 8;
    let world = Arc::new(World::new().await);
    let item = world.item("TEE").await;
    for round in 0..ROUNDS {
        assert_eq!(set_unique(&world, false).await.status, 200);
        for order in world.get("/orders?limit=100").await.ids() {
            assert_eq!(world.delete(format!("/orders/{order}")).await.status, 204);
        }
        let mut writers = tokio::task::JoinSet::new();
        for number in 0..WRITERS {
            let (world, item) = (world.clone(), item.clone());
            writers.spawn(async move {
                let made = order(&world, &item, &format!("{}", number / 2)).await;
                assert!(made.status == 201 || made.code() == "reference_taken", "{made}");
                if number == 3 && made.status == 201 {
                    world.delete(path(&made)).await;
                }
            });
        }
        let switch = world.clone();
        writers.spawn(async move {
            for _ in 0..round {
                tokio::task::yield_now().await;
            }
            let set = set_unique(&switch, true).await;
            assert!(set.status == 200 || set.code() == "reference_taken", "{set}");
        });
        writers.join_all().await;
        if world.get("/organisation").await.json()["unique_order_references"] == false {
            continue;
        }
        for reference in 0..WRITERS / 2 {
            let holders = world.get(format!("/orders?reference={reference}")).await.ids().len();
            assert!(holders <= 1, "round {round}: {holders} orders have the reference {reference}");
            let again = order(&world, &item, &reference.to_string()).await;
            let expected = if holders == 1 { 409 } else { 201 };
            assert_eq!(again.status.as_u16(), expected, "round {round}: {again}");
        }
    }
}

#[tokio::test]
async fn an_organisation_has_a_time_zone_of_its_own_in_each_world() {
    let world = World::new().await;
    let set = world.patch("/organisation", json!({"time_zone": "europe/berlin"})).await;
    assert_eq!((set.status.as_u16(), &set.json()["time_zone"]), (200, &json!("Europe/Berlin")), "{set}");
    assert_eq!(world.get("/organisation").await.json(), set.json());
    let refused = world.patch("/organisation", json!({"time_zone": "Berlin"})).await;
    assert_eq!(refused.issues(), [("invalid_value".to_owned(), "/time_zone".to_owned())]);
    let both = world.patch("/organisation", json!({"unique_order_references": true})).await.json();
    assert_eq!(
        (&both["time_zone"], &both["unique_order_references"]),
        (&json!("Europe/Berlin"), &json!(true))
    );
    let token = world.token_for("Acme", "*", Mode::Test).await;
    let test_world = world.request("GET", "/organisation").token(&token).send().await.json();
    assert_eq!(test_world["time_zone"], "UTC");
    assert_eq!(world.patch("/organisation", json!({"time_zone": null})).await.json()["time_zone"], "UTC");
}
