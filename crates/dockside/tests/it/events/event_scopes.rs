//! Events follow scopes: a token sees those of the resources that it may read, in the log and through webhook endpoints.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::receiver::Receiver;
use crate::setup::test_endpoint::{ENDPOINTS, TestEndpoint};
use crate::setup::world::{Reply, World};

const READER: &str = "events:read inventory:read";

/// Locations and items in turns, of which a reader of the inventory sees every other one.
async fn mixed(world: &World, rounds: usize) {
    for round in 0..rounds {
        world.location(&format!("Depot {round}")).await;
        world.item(&format!("SKU-{round}")).await;
    }
    world.relay().await;
}

async fn list(world: &World, token: &str, query: &str) -> Reply {
    let page = world.request("GET", &format!("/events{query}")).token(token).send().await;
    assert_eq!(page.status, 200, "{query}: {page}");
    page
}

fn sequences(page: &Reply) -> Vec<i64> {
    let page = page.json();
    page["data"].as_array().unwrap().iter().map(|event| event["sequence"].as_i64().unwrap()).collect()
}

/// All pages from the first on, following a cursor to its end; and the last page.
async fn walk(world: &World, token: &str, query: &str, first: Reply, which: &str) -> (Vec<i64>, Reply) {
    let (mut all, mut page) = (sequences(&first), first);
    while let Some(cursor) = page.json()[which].as_str().map(str::to_owned) {
        assert!(all.len() < 100, "the walk has no end");
        page = list(world, token, &format!("{query}&cursor={cursor}")).await;
        all.extend(sequences(&page));
    }
    (all, page)
}

#[tokio::test]
async fn a_list_has_what_the_token_may_read_and_its_pages_are_full() {
    let world = World::new().await;
    mixed(&world, 5).await;
    let reader = world.token_for("Acme", READER, Mode::Live).await;
    assert_eq!(sequences(&list(&world, &world.token, "?after=0").await), (1..=10).collect::<Vec<_>>());
    for limit in [1, 2, 3, 5, 20] {
        for (query, expected) in [
            (format!("?limit={limit}"), vec![10, 8, 6, 4, 2]),
            (format!("?limit={limit}&after=3"), vec![4, 6, 8, 10]),
            (format!("?limit={limit}&type=inventory_item.created"), vec![10, 8, 6, 4, 2]),
        ] {
            let first = list(&world, &reader, &query).await;
            assert_eq!(
                sequences(&first).len(),
                expected.len().min(limit),
                "a page is full while there is more"
            );
            let (there, last) = walk(&world, &reader, &query, first, "next_cursor").await;
            assert_eq!(there, expected, "{query}");
            // Page back from the last page to the first.
            let (back, _) = walk(&world, &reader, &query, last, "previous_cursor").await;
            let mut seen = back.clone();
            seen.sort_unstable();
            seen.dedup();
            let mut sorted = expected.clone();
            sorted.sort_unstable();
            assert_eq!(seen, sorted, "{query} backwards");
            assert_eq!(back.len(), expected.len(), "{query} backwards, each once");
        }
    }
}

#[tokio::test]
async fn what_a_token_may_not_read_is_not_there() {
    let world = World::new().await;
    mixed(&world, 1).await;
    let all = list(&world, &world.token, "?after=0").await.json()["data"].clone();
    let (hidden, shown) = (&all[0], &all[1]);
    assert_eq!(
        (&hidden["type"], &shown["type"]),
        (&json!("location.created"), &json!("inventory_item.created"))
    );
    let reader = world.token_for("Acme", READER, Mode::Live).await;
    let writer = world.token_for("Acme", "events:write inventory:write", Mode::Live).await;
    let bare = world.token_for("Acme", "events:read", Mode::Live).await;
    let id_of = |event: &Value| event["data"]["object"]["id"].as_str().unwrap().to_owned();
    let path_of = |event: &Value| format!("/events/{}", event["id"].as_str().unwrap());

    for token in [&reader, &writer] {
        let resource = format!("?resource_id={}", id_of(shown));
        assert_eq!(sequences(&list(&world, token, &resource).await), [2]);
        let both = format!("{resource}&type=inventory_item.created");
        assert_eq!(sequences(&list(&world, token, &both).await), [2]);
        assert_eq!(world.request("GET", &path_of(shown)).token(token).send().await.json(), *shown);
    }
    for (token, event) in [(&reader, hidden), (&writer, hidden), (&bare, hidden), (&bare, shown)] {
        let noun = event["type"].as_str().unwrap();
        let of_resource = format!("?resource_id={}", id_of(event));
        for query in [format!("?type={noun}"), of_resource.clone(), format!("{of_resource}&type={noun}")] {
            let page = list(&world, token, &query).await;
            assert_eq!(sequences(&page), Vec::<i64>::new(), "{query}");
            assert_eq!(
                (&page.json()["next_cursor"], &page.json()["previous_cursor"]),
                (&Value::Null, &Value::Null)
            );
        }
        // The answer is the same as for an event that does not exist.
        let one = world.request("GET", &path_of(event)).token(token).send().await;
        let none = world.request("GET", "/events/evt_01jc0000000000000000000000").token(token).send().await;
        assert_eq!((one.status.as_u16(), &one.text), (404, &none.text));
    }
    assert_eq!(sequences(&list(&world, &bare, "").await), Vec::<i64>::new());
    // Types of one resource that has two nouns, such as stock and items, go together.
    let item = id_of(shown);
    let depot = id_of(hidden);
    let level = format!("/inventory_items/{item}/levels/{depot}");
    assert_eq!(world.put(level, json!({"on_hand": 3})).await.status, 200);
    world.relay().await;
    assert_eq!(sequences(&list(&world, &reader, "").await), [3, 2]);
}

async fn create(world: &World, token: &str, body: Value) -> Reply {
    world.request("POST", ENDPOINTS).token(token).json(body).send().await
}

#[tokio::test]
async fn an_endpoint_names_only_types_that_its_maker_may_read() {
    let world = World::new().await;
    world.provision().await;
    let url = "https://shop.example.com/hook";
    let maker = world.token_for("Acme", "webhooks:write inventory:read", Mode::Live).await;
    for types in [
        json!(["order.created"]),
        json!(["inventory.updated", "order.created"]),
        json!(["*", "order.created"]),
    ] {
        let refused = create(&world, &maker, json!({"url": url, "event_types": types})).await;
        assert_eq!(
            (refused.status.as_u16(), refused.code().as_str()),
            (403, "insufficient_scope"),
            "{refused}"
        );
        assert_eq!(refused.json()["detail"], "The token lacks the scope `orders:read`.");
    }
    let types = json!(["inventory.updated", "inventory_item.created"]);
    let made = create(&world, &maker, json!({"url": url, "event_types": types})).await;
    assert_eq!((made.status.as_u16(), &made.json()["event_types"]), (201, &types), "{made}");
    // `*` means all that the token may read. It is refused if the token may read nothing.
    for body in [json!({"url": url}), json!({"url": url, "event_types": ["*"]})] {
        let all = create(&world, &maker, body.clone()).await;
        assert_eq!(all.json()["event_types"], json!(["*"]), "{all}");
        assert_eq!(all.json()["resources"], json!(["inventory", "webhooks"]), "{all}");
        let bare = world.token_for("Acme", "webhooks:write", Mode::Live).await;
        let refused = create(&world, &bare, body).await;
        assert_eq!(
            (refused.status.as_u16(), refused.code().as_str()),
            (403, "insufficient_scope"),
            "{refused}"
        );
        assert!(refused.text.contains("may read none"), "{refused}");
    }
    assert_eq!(world.get(ENDPOINTS).await.ids().len(), 3);
}

#[tokio::test]
async fn all_types_mean_those_that_the_maker_may_read_also_when_its_token_is_gone() {
    let world = World::new().await;
    let everything = TestEndpoint::new(&world).await;
    let scopes = json!({"scopes": ["webhooks:write", "inventory:read"]});
    let maker = world.post("/access_tokens", scopes).await;
    let receiver = Receiver::new().await;
    let made =
        create(&world, maker.json()["token"].as_str().unwrap(), json!({"url": receiver.url("/hook")})).await;
    assert_eq!(made.status, 201, "{made}");
    assert_eq!(world.delete(maker.header("location")).await.status, 204);
    mixed(&world, 2).await;
    world.deliver().await;
    let types = |receiver: &Receiver| -> Vec<String> {
        let bodies = receiver.take().into_iter().map(|received| received.body);
        let read = |body: bytes::Bytes| -> Value { serde_json::from_slice(&body).unwrap() };
        bodies.map(|body| read(body)["type"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(types(&receiver), ["inventory_item.created", "inventory_item.created"]);
    assert_eq!(types(&everything.receiver).len(), 4);
    // A replay sends no other types either.
    let replay = format!("{}/replay", made.header("location"));
    assert_eq!(world.post(replay, json!({"after_sequence": 0})).await.status, 200);
    world.deliver().await;
    assert_eq!(types(&receiver), ["inventory_item.created", "inventory_item.created"]);
}

#[tokio::test]
async fn an_endpoint_is_changed_by_tokens_that_may_read_what_it_gets() {
    let world = World::new().await;
    let wide = TestEndpoint::new(&world).await;
    let narrow = world.token_for("Acme", "webhooks:write inventory:read", Mode::Live).await;
    let patch = async |token: &str, path: &str, body: Value| {
        world.request("PATCH", path).token(token).json(body).send().await
    };
    // Otherwise the narrow token could send the endpoint's events to another address, or choose other types.
    for body in
        [json!({"url": "https://elsewhere.example.com"}), json!({"event_types": ["inventory.updated"]})]
    {
        let refused = patch(&narrow, &wide.path, body).await;
        assert_eq!(
            (refused.status.as_u16(), refused.code().as_str()),
            (403, "insufficient_scope"),
            "{refused}"
        );
    }
    assert_eq!(wide.shown(&world).await["event_types"], json!(["*"]));

    let own = create(&world, &narrow, json!({"url": "https://shop.example.com/hook"})).await;
    let path = own.header("location");
    let resources = json!(["inventory", "webhooks"]);
    // A token that may read more changes another field, or sends back what it read: the meaning of `*` stays.
    for body in [json!({"description": "Stock"}), world.get(path).await.json()] {
        let changed = patch(&world.token, path, body).await;
        assert_eq!((changed.status.as_u16(), &changed.json()["resources"]), (200, &resources), "{changed}");
    }
    assert_eq!(patch(&narrow, path, json!({"event_types": ["order.created"]})).await.status, 403);
    let orders = patch(&world.token, path, json!({"event_types": ["order.created"]})).await;
    assert_eq!((orders.status.as_u16(), &orders.json()["resources"]), (200, &json!(["*"])), "{orders}");
    // Now the narrow token may no longer change it.
    assert_eq!(patch(&narrow, path, json!({"description": "x"})).await.status, 403);
}
