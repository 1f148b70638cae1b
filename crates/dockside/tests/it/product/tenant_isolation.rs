//! A valid token of another organisation, or of the other world, finds nothing of ours: the answers for our ids equal,
//! byte for byte, those for ids that were never issued.

use api::parameter::ParameterKind;
use api::route::{Body, Success};
use model::World as Mode;
use model::platform::shape::{Kind, Need, Shape};
use serde_json::{Value, json};

use crate::setup::populated_organisation::{
    Caller, PopulatedOrganisation, path, path_prefix, prefix, scoped, send,
};
use crate::setup::world::{Reply, World, depot};

/// Returns everything by which a caller could distinguish two answers.
fn bytes(reply: &Reply) -> (u16, &http::HeaderMap, &str) {
    (reply.status.as_u16(), &reply.headers, &reply.text)
}

/// Returns an id of this kind that was never issued.
fn unknown(prefix: &str) -> String {
    format!("{prefix}_{}", "7".repeat(26))
}

/// Returns whether our resource of a kind is also the stranger's: both worlds of an organisation share its users, and all
/// organisations of a world share its carriers.
fn is_everybodys(ours: &PopulatedOrganisation, stranger: &PopulatedOrganisation, prefix: &str) -> bool {
    let is_same = stranger.ids[prefix] == ours.ids[prefix];
    assert!(!is_same || ["usr", "car"].contains(&prefix), "a stranger shares our {prefix}");
    is_same
}

/// Returns our organisation, and every kind of stranger with a valid token.
async fn with_strangers(
    world: &World,
) -> (PopulatedOrganisation, Vec<(&'static str, PopulatedOrganisation)>) {
    let ours = PopulatedOrganisation::populate(world, "Acme", Mode::Live).await;
    let strangers = vec![
        ("another organisation", PopulatedOrganisation::populate(world, "Globex", Mode::Live).await),
        ("our test world", PopulatedOrganisation::populate(world, "Acme", Mode::Test).await),
        (
            "another organisation's test world",
            PopulatedOrganisation::populate(world, "Globex", Mode::Test).await,
        ),
    ];
    (ours, strangers)
}

#[tokio::test]
async fn to_strangers_our_ids_are_like_unknown_ids() {
    let world = World::new().await;
    let (ours, strangers) = with_strangers(&world).await;
    let (before, log) = (ours.everything(&world).await, world.events().await.len());
    for (name, stranger) in &strangers {
        let caller = Caller::Token(stranger.token.clone());
        for route in scoped().iter().filter(|route| !route.ids.is_empty()) {
            if route.live_only && stranger.is_test() {
                // Nothing of it is in the test world, whatever the id.
                let reply = send(&world, route, &ours.path(route), stranger.body(route), &caller).await;
                assert_eq!(reply.code(), "live_world_only", "{} by {name}", route.operation);
                continue;
            }
            let whole = 0..route.ids.len();
            let is_everybodys =
                |place: &usize| is_everybodys(&ours, stranger, path_prefix(route.ids[*place]));
            if whole.clone().all(|place| is_everybodys(&place)) {
                continue;
            }
            for places in whole.clone().map(|place| place..place + 1).chain(std::iter::once(whole)) {
                // The stranger's ids, with ours in these places, or with ids that were never issued.
                let (mut ids, mut none) = (stranger.ids(route), stranger.ids(route));
                for place in places {
                    ids[place] = ours.ids(route)[place].clone();
                    none[place] = unknown(path_prefix(route.ids[place]));
                }
                let reply = send(&world, route, &path(route, &ids), stranger.body(route), &caller).await;
                let none = send(&world, route, &path(route, &none), stranger.body(route), &caller).await;
                assert_eq!(none.status, 404, "{} by {name}: {none}", route.operation);
                assert_eq!(bytes(&reply), bytes(&none), "{} by {name}", route.operation);
            }
        }
    }
    assert_eq!(ours.everything(&world).await, before);
    assert_eq!(world.events().await.len(), log);
}

/// Returns the ids in a text, without those of users and carriers, which others share.
fn ids_in(text: &str) -> Vec<String> {
    let words = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    let is_id = |word: &&str| {
        let prefix = word.split('_').next().unwrap_or_default();
        // The built-in roles have the same ids in every organisation.
        let is_built_in = word.starts_with("role_0000000000000000000000");
        !["usr", "car"].contains(&prefix) && !is_built_in && model::platform::id::is_identifier(prefix, word)
    };
    words.filter(is_id).map(str::to_owned).collect()
}

#[tokio::test]
async fn strangers_lists_show_only_what_is_theirs() {
    let world = World::new().await;
    let (ours, strangers) = with_strangers(&world).await;
    let before = ours.everything(&world).await;
    for (name, stranger) in &strangers {
        for (list, our_list) in stranger.everything(&world).await.iter().zip(&before) {
            let list: Value = serde_json::from_str(list).unwrap();
            let items = list.as_object().unwrap().values().find_map(Value::as_array).unwrap();
            let ids = ids_in(&list.to_string());
            if list["data"][0]["roles"].is_array() {
                // Users: only the two worlds of an organisation share them, and the test world lists none.
                for user in items {
                    assert!(!our_list.contains(user["id"].as_str().unwrap()), "{name} sees {user}");
                }
                continue;
            }
            if items.is_empty() && stranger.is_test() {
                continue;
            }
            // Carriers are the same for all, and the errors of an import name rows of its file.
            let is_carrier = list["data"][0]["id"].as_str().is_some_and(|id| id.starts_with("car_"));
            let has_no_ids = is_carrier || list["data"][0]["row"].is_number();
            assert_eq!(ids.is_empty(), has_no_ids, "{name}: {list}");
            assert!(items.len() >= 2 || ids.is_empty(), "{name}: {list}");
            for id in ids {
                assert!(!our_list.contains(&id), "{name} sees {id}");
            }
        }
        for route in scoped().iter().filter(|route| matches!(route.success, Success::List(..))) {
            if route.live_only && stranger.is_test() {
                continue;
            }
            let first = world.request("GET", &format!("{}?limit=1", ours.path(route))).token(&ours.token);
            let page = first.send().await.json();
            let cursor = page["next_cursor"].as_str().expect("PopulatedOrganisation makes two of each");
            let path = format!("{}?limit=1&cursor={cursor}", stranger.path(route));
            let reply = world.request("GET", &path).token(&stranger.token).send().await;
            let seen = (reply.status.as_u16(), reply.code());
            assert_eq!(seen, (400, "invalid_cursor".to_owned()), "{} by {name}", route.operation);
            let path = format!("{}?limit=1&cursor={cursor}", ours.path(route));
            let ours = world.request("GET", &path).token(&ours.token).send().await;
            assert_eq!(ours.status, 200, "{ours}");
        }
    }
}

/// The places in a body that name a resource by its id, each with the prefix it must have.
fn references(shape: &Shape, at: &str, found: &mut Vec<(String, &'static str)>) {
    for field in shape.fields().iter().filter(|field| matches!(field.need, Need::Required | Need::Optional)) {
        let place = format!("{at}/{}", field.name);
        match (&field.shape.kind, prefix(field.shape)) {
            (_, Some(prefix)) => found.push((place, prefix)),
            // Bodies here have one of each list.
            (Kind::List { of, .. }, None) => match prefix(of) {
                Some(prefix) => found.push((format!("{place}/0"), prefix)),
                None => references(of, &format!("{place}/0"), found),
            },
            (_, None) => references(field.shape, &place, found),
        }
    }
}

/// Writes a value into a body, where there may be nothing yet.
fn set(body: &mut Value, place: &str, value: Value) {
    let mut at = body;
    for step in place.split('/').skip(1) {
        at = match at {
            Value::Array(items) => &mut items[step.parse::<usize>().unwrap()],
            other => &mut other[step],
        };
    }
    *at = value;
}

#[tokio::test]
async fn strangers_can_not_refer_to_our_resources() {
    let world = World::new().await;
    let (ours, strangers) = with_strangers(&world).await;
    let mut tried = 0;
    for (name, stranger) in &strangers {
        let caller = Caller::Token(stranger.token.clone());
        for route in scoped() {
            let Some(Body::Json(shape) | Body::Patch(shape)) = route.body else { continue };
            let mut places = Vec::new();
            references(shape, "", &mut places);
            for (place, prefix) in places {
                if is_everybodys(&ours, stranger, prefix) {
                    continue;
                }
                let mut replies = Vec::new();
                for id in [ours.ids[prefix].clone(), unknown(prefix)] {
                    let mut body = stranger.body(&route).unwrap();
                    set(&mut body, &place, json!(id));
                    // Orders are named or filtered, but not both.
                    if place.starts_with("/filter/") {
                        body["order_ids"] = Value::Null;
                    }
                    replies.push(send(&world, &route, &stranger.path(&route), Some(body), &caller).await);
                }
                assert_eq!(replies[1].status, 422, "{}{place} by {name}: {}", route.operation, replies[1]);
                assert_eq!(replies[1].issues()[0].1, place, "{}", replies[1]);
                assert_eq!(bytes(&replies[0]), bytes(&replies[1]), "{}{place} by {name}", route.operation);
                tried += 1;
            }
        }
    }
    assert!(tried >= 35, "fewer references were tried than there are");
}

#[tokio::test]
async fn strangers_keys_are_not_ours() {
    let world = World::new().await;
    let (ours, strangers) = with_strangers(&world).await;
    let create = async |tenant: &PopulatedOrganisation| {
        let request = world.request("POST", "/locations").token(&tenant.token);
        request.header("idempotency-key", "the same").json(depot("Depot")).send().await
    };
    let first = create(&ours).await;
    assert_eq!((first.status.as_u16(), first.header("idempotent-replayed")), (201, ""));
    for (name, stranger) in &strangers {
        let theirs = create(stranger).await;
        assert_eq!((theirs.status.as_u16(), theirs.header("idempotent-replayed")), (201, ""), "{name}");
        assert_ne!(theirs.json()["id"], first.json()["id"], "{name}");
    }
    assert_eq!(create(&ours).await.header("idempotent-replayed"), "true");
}

#[tokio::test]
async fn strangers_can_not_filter_by_our_resources() {
    let world = World::new().await;
    let (ours, strangers) = with_strangers(&world).await;
    let mut tried = 0;
    for (name, stranger) in &strangers {
        for route in scoped() {
            for parameter in route.parameters {
                let (ParameterKind::One(shape) | ParameterKind::List(shape)) = parameter.kind else {
                    continue;
                };
                let Some(prefix) = prefix(shape) else { continue };
                // A level is an item at a location, so its history is filtered by both.
                let is_level =
                    route.operation.starts_with("export_level_history") && parameter.name == "location_id";
                let item = if is_level { format!("&item_id={}", stranger.ids["inv"]) } else { String::new() };
                let ask = async |id: &str| {
                    let path = format!("{}?{}={id}{item}", stranger.path(&route), parameter.name);
                    world.request("GET", &path).token(&stranger.token).send().await
                };
                let (reply, none) = (ask(&ours.ids[prefix]).await, ask(&unknown(prefix)).await);
                assert_eq!(none.status, 200, "{} by {name}: {none}", route.operation);
                assert_eq!(bytes(&reply), bytes(&none), "{} by {name}", route.operation);
                tried += 1;
            }
        }
    }
    assert!(tried >= 9, "fewer filters were tried than there are");
}

#[tokio::test]
async fn strangers_can_not_ship_with_our_accounts() {
    let world = World::new().await;
    let (ours, strangers) = with_strangers(&world).await;
    for (name, stranger) in &strangers {
        let path = format!("/shipments/{}", stranger.ids["shp"]);
        let (mut purchases, mut rates) = (Vec::new(), Vec::new());
        // Accounts are named by texts, since they have handles too.
        for account in [ours.ids["ca"].clone(), unknown("ca")] {
            let limit = json!({"carrier": {"carrier_accounts": [account]}});
            let limited = world.request("PATCH", &path).token(&stranger.token).json(limit).send().await;
            assert_eq!(limited.status, 200, "{limited}");
            let rated =
                world.request("POST", &format!("{path}/rates")).token(&stranger.token).send().await.json();
            rates.push((rated["status"].clone(), rated["rates"].clone(), rated["errors"].clone()));
            let wanted = json!({"carrier_account": account, "carrier_service": "economy"});
            let buy = world.request("POST", &format!("{path}/purchase")).token(&stranger.token).json(wanted);
            purchases.push(buy.send().await);
        }
        assert_eq!(purchases[0].code(), "carrier_account_not_found", "{name}");
        assert_eq!(bytes(&purchases[0]), bytes(&purchases[1]), "{name}");
        assert_eq!((rates[0].1.clone(), &rates[0]), (json!([]), &rates[1]), "{name}");
    }
}
