//! `/webhook_endpoints`: made, read, changed and deleted; what may be said of one; and how many there may be.

use std::sync::Arc;

use model::events::webhook_endpoint::ENDPOINTS_MAX;
use model::{Id, World as Mode};
use serde_json::{Value, json};
use store::events::webhook_deliveries;

use crate::setup::populated_organisation::{Caller, PopulatedOrganisation, scoped, send};
use crate::setup::test_endpoint::{ENDPOINTS, TestEndpoint};
use crate::setup::world::World;

const URL: &str = "https://shop.example.com/hook";

/// What an endpoint's answer says beside its secret.
fn without_secret(mut endpoint: Value) -> Value {
    endpoint.as_object_mut().unwrap().shift_remove("secret");
    endpoint
}

#[tokio::test]
async fn an_endpoint_is_made_read_and_listed() {
    let world = World::new().await;
    let made = world.endpoint(json!({"url": URL, "description": "Shop"})).await;
    let names: Vec<&String> = made.as_object().unwrap().keys().collect();
    let expected = [
        "id",
        "url",
        "event_types",
        "resources",
        "description",
        "disabled",
        "disabled_reason",
        "created_at",
        "updated_at",
        "secret",
    ];
    assert_eq!(names, expected);
    let path = format!("{ENDPOINTS}/{}", made["id"].as_str().unwrap());
    let read = world.get(&path).await;
    insta::assert_snapshot!(read, @r##"200 {"id":"we_#1","url":"https://shop.example.com/hook","event_types":["*"],"resources":["*"],"description":"Shop","disabled":false,"disabled_reason":null,"created_at":"#time","updated_at":"#time"}"##);
    assert_eq!(read.header("etag"), "\"1\"");
    assert_eq!(read.json(), without_secret(made));
    let other = without_secret(world.endpoint(json!({"url": URL, "disabled": true})).await);
    let list = world.get(ENDPOINTS).await.json();
    assert_eq!(list["data"], json!([other, read.json()]));
    assert_eq!((&other["description"], &other["disabled"]), (&Value::Null, &json!(true)));
    assert_eq!(world.events().await.len(), 0, "endpoints are no news");
}

#[tokio::test]
async fn without_a_provision_every_route_is_refused() {
    let world = World::new().await;
    let ours = PopulatedOrganisation::populate(&world, "Acme", Mode::Live).await;
    world.act("/events/deprovision").await;
    let routes: Vec<_> = scoped().into_iter().filter(|route| route.path.starts_with(ENDPOINTS)).collect();
    assert!(routes.len() >= 11);
    for route in routes {
        let caller = Caller::Token(ours.token.clone());
        let reply = send(&world, &route, &ours.path(&route), ours.body(&route), &caller).await;
        let seen = (reply.status.as_u16(), reply.code());
        assert_eq!(seen, (409, "not_provisioned".to_owned()), "{}: {reply}", route.operation);
        assert!(reply.json()["detail"].as_str().unwrap().contains("POST /events/provision"), "{reply}");
    }
}

/// How many deliveries are stored for an endpoint, be it there or not.
async fn stored_deliveries(world: &World, hook: &TestEndpoint) -> usize {
    let (owner, id) = (world.owner(), Id::parse(&hook.id).unwrap());
    let start = store::Start::First;
    let read = world
        .db
        .read(owner, async move |tx| webhook_deliveries::page(tx, owner, id, None, &start, 100).await);
    read.await.unwrap().items.len()
}

#[tokio::test]
async fn deprovisioning_deletes_the_endpoints_and_later_their_deliveries() {
    let world = World::new().await;
    let (hook, spare) = (TestEndpoint::new(&world).await, TestEndpoint::new(&world).await);
    world.happen(3).await;
    world.deliver().await;
    let delivery = hook.path_of(&hook.deliveries(&world).await[0]);
    world.act("/events/deprovision").await;
    world.happen(1).await;
    world.deliver().await;
    world.provision().await;
    assert_eq!(world.get(ENDPOINTS).await.ids(), Vec::<String>::new());
    for path in [&hook.path, &spare.path, &delivery, &format!("{}/deliveries", hook.path)] {
        assert_eq!(world.get(path).await.code(), "not_found", "{path}");
    }
    assert_eq!((stored_deliveries(&world, &hook).await, stored_deliveries(&world, &spare).await), (3, 3));
    world.service.cleaning.work().await.unwrap();
    assert_eq!((stored_deliveries(&world, &hook).await, stored_deliveries(&world, &spare).await), (0, 0));
    world.happen(1).await;
    world.deliver().await;
    assert_eq!((hook.receiver.seen().len(), spare.receiver.seen().len()), (3, 3), "who is gone gets nothing");
}

#[tokio::test]
async fn deleting_one_leaves_the_others() {
    let world = World::new().await;
    let (gone, left) = (TestEndpoint::new(&world).await, TestEndpoint::new(&world).await);
    world.happen(1).await;
    world.deliver().await;
    let stale = world.request("DELETE", &gone.path).header("if-match", "\"7\"").send().await;
    assert_eq!(stale.code(), "precondition_failed");
    assert_eq!(world.delete(&gone.path).await.status, 204);
    assert_eq!(world.delete(&gone.path).await.code(), "not_found");
    world.happen(1).await;
    world.deliver().await;
    world.service.cleaning.work().await.unwrap();
    assert_eq!((gone.receiver.seen().len(), left.receiver.seen().len()), (1, 2));
    assert_eq!((stored_deliveries(&world, &gone).await, stored_deliveries(&world, &left).await), (0, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_that_make_endpoints_at_once_only_so_many_succeed() {
    const AT_ONCE: usize = 64;
    let world = Arc::new(World::new().await);
    let test = world.token_for("Acme", "*", Mode::Test).await;
    world.provision().await;
    assert_eq!(world.request("POST", "/events/provision").token(&test).send().await.status, 204);
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..AT_ONCE {
        let world = world.clone();
        calls.spawn(async move { world.post(ENDPOINTS, json!({"url": URL})).await });
    }
    let replies = calls.join_all().await;
    let made = replies.iter().filter(|reply| reply.status == 201).count();
    let refused = replies.iter().filter(|reply| reply.code() == "too_many_webhook_endpoints").count();
    let max = usize::try_from(ENDPOINTS_MAX).unwrap();
    assert_eq!((made, refused), (max, AT_ONCE - max));
    let list = world.get(format!("{ENDPOINTS}?limit=100")).await.ids();
    assert_eq!(list.len(), max);
    let elsewhere = world.request("POST", ENDPOINTS).token(&test).json(json!({"url": URL})).send().await;
    assert_eq!(elsewhere.status, 201, "the test world counts for itself: {elsewhere}");
    assert_eq!(world.delete(format!("{ENDPOINTS}/{}", list[7])).await.status, 204);
    assert_eq!(world.post(ENDPOINTS, json!({"url": URL})).await.status, 201);
    assert_eq!(world.post(ENDPOINTS, json!({"url": URL})).await.status, 409);
}

#[tokio::test]
async fn an_address_that_can_not_be_called_is_refused_where_it_stands() {
    let world = World::new().await;
    let made = world.endpoint(json!({"url": URL})).await;
    let path = format!("{ENDPOINTS}/{}", made["id"].as_str().unwrap());
    let before = world.get(&path).await.text;
    let bad = [
        "http://10.1.2.3/hook",
        "http://[::1]/hook",
        "http://169.254.169.254/latest/meta-data",
        "https://user:password@shop.example.com/hook",
        "ftp://shop.example.com/hook",
        "javascript:alert(1)",
        "shop.example.com/hook",
        "https://",
        "no address",
    ];
    for url in bad {
        for reply in [
            world.post(ENDPOINTS, json!({"url": url})).await,
            world.patch(&path, json!({"url": url, "description": "new"})).await,
        ] {
            assert_eq!(
                (reply.status.as_u16(), reply.code().as_str()),
                (422, "url_not_allowed"),
                "{url}: {reply}"
            );
            assert_eq!(reply.issues(), [("url_not_allowed".to_owned(), "/url".to_owned())], "{url}");
            assert!(!reply.json()["errors"][0]["message"].as_str().unwrap().is_empty());
        }
    }
    assert_eq!((world.get(&path).await.text, world.get(ENDPOINTS).await.ids().len()), (before, 1));
}

#[tokio::test]
async fn what_is_said_of_an_endpoint_is_checked() {
    let world = World::new().await;
    world.provision().await;
    let types = |types: Value| json!({"url": URL, "event_types": types});
    let cases = [
        (json!({}), "/url"),
        (json!({"url": null}), "/url"),
        (json!({"url": ""}), "/url"),
        (json!({"url": format!("{URL}/{}", "x".repeat(2048))}), "/url"),
        (types(json!([])), "/event_types"),
        (types(json!(["order.created", "order.eaten"])), "/event_types/1"),
        (types(json!("order.created")), "/event_types"),
        (types(json!(["webhook_endpoint.test"])), "/event_types/0"),
        (json!({"url": URL, "disabled": "yes"}), "/disabled"),
        (json!({"url": URL, "secret": "whsec_mine"}), "/secret"),
    ];
    for (body, place) in cases {
        let reply = world.post(ENDPOINTS, body.clone()).await;
        assert_eq!(reply.status, 422, "{body}: {reply}");
        assert_eq!(reply.issues()[0].1, place, "{body}: {reply}");
    }
    assert_eq!(world.get(ENDPOINTS).await.ids().len(), 0);
}

#[tokio::test]
async fn a_patch_merges_and_null_takes_back_what_was_said() {
    let world = World::new().await;
    let body = json!({"url": URL, "description": "Shop", "event_types": ["order.created"], "disabled": true});
    let made = without_secret(world.endpoint(body).await);
    let path = format!("{ENDPOINTS}/{}", made["id"].as_str().unwrap());
    let renamed = world.patch(&path, json!({"description": "Store"})).await;
    let mut expected = made.clone();
    expected["description"] = json!("Store");
    expected["updated_at"] = renamed.json()["updated_at"].clone();
    assert_eq!((renamed.json(), renamed.header("etag")), (expected, "\"2\""));
    assert_ne!(renamed.json()["updated_at"], made["updated_at"]);
    let bare = world.patch(&path, json!({"description": null, "event_types": null, "disabled": null})).await;
    assert_eq!(
        (&bare.json()["description"], &bare.json()["event_types"], &bare.json()["disabled"]),
        (&Value::Null, &json!(["*"]), &json!(false))
    );
    assert_eq!(world.patch(&path, json!({"url": null})).await.issues()[0].1, "/url");
    assert_eq!(world.get(&path).await.text, bare.text);

    let stale = world.request("PATCH", &path).header("if-match", "\"2\"").json(json!({"disabled": true}));
    assert_eq!(stale.send().await.code(), "precondition_failed");
    let current = world.request("PATCH", &path).header("if-match", "\"3\"").json(json!({"disabled": true}));
    let current = current.send().await;
    assert_eq!((current.status.as_u16(), current.header("etag")), (200, "\"4\""));
    // What was said of itself can be said back to it.
    assert_eq!(world.patch(&path, current.json()).await.json()["disabled"], json!(true));
}

#[tokio::test]
async fn a_repeated_request_makes_one_endpoint() {
    let world = World::new().await;
    world.provision().await;
    let create = async |description: &str| {
        let request = world.request("POST", ENDPOINTS).header("idempotency-key", "k");
        request.json(json!({"url": URL, "description": description})).send().await
    };
    let (first, again) = (create("Shop").await, create("Shop").await);
    assert_eq!((first.status.as_u16(), again.status.as_u16()), (201, 201));
    assert_eq!((first.header("idempotent-replayed"), again.header("idempotent-replayed")), ("", "true"));
    assert_eq!(first.text, again.text);
    assert_eq!(create("Other").await.code(), "idempotency_key_reused");
    assert_eq!(world.get(ENDPOINTS).await.ids().len(), 1);
}
