//! Who may do what, as a matrix: every row of the route table × every token that is not enough.
//!
//! The requests are built from the table itself. A new operation whose paths, bodies or lists are not known here
//! fails these tests until it is added to [`Party`].

use std::collections::BTreeMap;

use api::route::{self, Route, Success};
use http::Method;
use model::access_token::{SECRET_BYTES, Secret};
use model::shape::{Kind, Shape};
use model::{Id, Owner, Scope, Scopes, World as Mode};
use serde_json::{Value, json};
use service::access_tokens::TokenOrder;

use crate::world::{Reply, World, depot};

/// What anybody may call. Whoever adds to it has thought about it.
const OPEN: &[(&str, &str)] = &[
    ("GET", "/docs"),
    ("GET", "/docs/errors"),
    ("GET", "/docs/script.js"),
    ("GET", "/docs/style.css"),
    ("GET", "/healthz"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
    ("GET", "/readyz"),
    ("POST", "/oauth/token"),
];

/// Somebody with a token and one of everything, by the prefix of its id. There are at least two of each in their
/// lists, so that these have cursors.
pub struct Party {
    pub token: String,
    pub ids: BTreeMap<&'static str, String>,
}

impl Party {
    pub async fn settle(world: &World, organisation: &str, mode: Mode) -> Self {
        let mut party = Self { token: world.token_for(organisation, "*", mode).await, ids: BTreeMap::new() };
        for _ in 0..2 {
            let location = party.create(world, "/locations", depot("Depot")).await;
            party.ids.insert("loc", location["id"].as_str().unwrap().to_owned());
            let pair = body("create_location_configuration", &party.ids);
            let configuration = party.create(world, "/location_configurations", pair).await;
            party.ids.insert("lc", configuration["id"].as_str().unwrap().to_owned());
            let scopes = body("create_access_token", &party.ids);
            let token = party.create(world, "/access_tokens", scopes).await;
            party.ids.insert("tok", token["id"].as_str().unwrap().to_owned());
            party.ids.insert("usr", token["user"]["id"].as_str().unwrap().to_owned());
            party.order(world).await;
        }
        // One that nothing uses, so that it can be deleted.
        let spare = party.create(world, "/locations", depot("Spare")).await;
        let used = party.ids.insert("loc", spare["id"].as_str().unwrap().to_owned()).unwrap();
        party.stock(world, &used).await;
        party
    }

    /// Orders a new item and allocates some of it.
    async fn order(&mut self, world: &World) {
        let item = self.create(world, "/inventory_items", body("create_inventory_item", &self.ids)).await;
        self.ids.insert(ORDERED, item["id"].as_str().unwrap().to_owned());
        let order = json!({"items": [{"id": self.ids[ORDERED], "quantity": 5}]});
        let order = self.create(world, "/orders", order).await;
        self.ids.insert("ord", order["id"].as_str().unwrap().to_owned());
        let path = format!("/allocations/orders/{}", self.ids["ord"]);
        let made = self.create(world, &path, body("create_order_allocations", &self.ids)).await;
        self.ids.insert("alloc", made["data"][0]["id"].as_str().unwrap().to_owned());
    }

    /// Two items that nobody orders; the last has levels at two locations, with a history, but nothing on hand.
    async fn stock(&mut self, world: &World, used: &str) {
        for sku in [used, &self.ids["loc"].clone()] {
            let item = json!({"sku": format!("SPARE-{sku}"), "name": "Spare"});
            let item = self.create(world, "/inventory_items", item).await;
            self.ids.insert("inv", item["id"].as_str().unwrap().to_owned());
        }
        for location in [used, self.ids["loc"].as_str()] {
            let path = format!("/inventory_items/{}/levels/{location}/adjust", self.ids["inv"]);
            for delta in [1, -1] {
                let adjust = world.request("POST", &path).token(&self.token).json(json!({"delta": delta}));
                assert_eq!(adjust.send().await.status, 200, "{path}");
            }
        }
    }

    async fn create(&self, world: &World, path: &str, body: Value) -> Value {
        let reply = world.request("POST", path).token(&self.token).json(body).send().await;
        assert_eq!(reply.status, 201, "{path}: {reply}");
        reply.json()
    }

    /// The path of a row with the ids of this party.
    pub fn path(&self, route: &Route) -> String {
        let ids = route.ids.iter().map(|shape| {
            let prefix = prefix(shape).expect("a path has ids");
            self.ids.get(prefix).unwrap_or_else(|| panic!("Party makes no {prefix}_: add it")).as_str()
        });
        path(route, ids)
    }

    pub fn body(&self, route: &Route) -> Option<Value> {
        route.body.as_ref().map(|_| body(route.operation, &self.ids))
    }

    /// All that the party's lists show.
    pub async fn everything(&self, world: &World) -> Vec<String> {
        let mut lists = Vec::new();
        for route in scoped().iter().filter(|route| matches!(route.success, Success::List(..))) {
            let reply =
                world.request("GET", &format!("{}?limit=100", self.path(route))).token(&self.token).send();
            lists.push(reply.await.text);
        }
        lists
    }
}

/// The key of the item that the party's order wants; the one under `inv` can be deleted.
const ORDERED: &str = "ordered";

/// A body that a row takes.
fn body(operation: &str, ids: &BTreeMap<&'static str, String>) -> Value {
    match operation {
        "create_location" => depot("New"),
        "create_location_configuration" => {
            json!({"name": "New", "locations": {"origin": {"id": ids["loc"]}, "return": {"id": ids["loc"]}}})
        }
        "create_access_token" => json!({"scopes": ["access_tokens:read"]}),
        "update_location" | "update_location_configuration" | "update_inventory_item" => {
            json!({"name": "Changed"})
        }
        "create_inventory_item" => json!({"sku": format!("NEW-{}", ids["loc"]), "name": "New"}),
        "set_inventory_level" => json!({"on_hand": 7}),
        "adjust_inventory_level" => json!({"delta": 7}),
        "create_order" => json!({"items": [{"id": ids["inv"], "quantity": 2}]}),
        "update_order" => json!({"items": [{"id": ids[ORDERED], "quantity": 6}]}),
        "create_order_allocations" => json!({"allocations": [
            {"location": {"id": ids["loc"]}, "items": [{"id": ids[ORDERED], "quantity": 1}]},
        ]}),
        "update_order_allocations" => json!({"allocations": [
            {"id": ids["alloc"], "location": {"id": ids["loc"]}, "items": [{"id": ids[ORDERED], "quantity": 2}]},
        ]}),
        other => panic!("no body is known for {other}: add one"),
    }
}

pub fn prefix(shape: &Shape) -> Option<&'static str> {
    match shape.kind {
        Kind::Identifier(prefix) => Some(prefix),
        _ => None,
    }
}

/// The row's path with these ids in it.
pub fn path<'a>(route: &Route, ids: impl Iterator<Item = &'a str>) -> String {
    let mut ids = ids;
    let step = |step: &'static str| if step.starts_with('{') { ids.next().unwrap() } else { step };
    let steps: Vec<&str> = route.path.split('/').map(step).collect();
    assert!(ids.next().is_none(), "{} declares more ids than its path has", route.path);
    steps.join("/")
}

pub fn scoped() -> Vec<Route> {
    route::all().into_iter().filter(|route| route.scope.is_some()).collect()
}

/// What a request says of who sends it.
pub enum Caller {
    Nobody,
    Header(String),
    Token(String),
}

pub async fn send(world: &World, route: &Route, path: &str, body: Option<Value>, caller: &Caller) -> Reply {
    let request = world.request(route.method.as_str(), path);
    let request = match caller {
        Caller::Nobody => request.anonymous(),
        Caller::Header(value) => request.header("authorization", value),
        Caller::Token(token) => request.token(token),
    };
    match body {
        Some(body) => request.json(body).send().await,
        None => request.send().await,
    }
}

#[test]
fn what_anybody_may_call_is_a_fixed_list() {
    let routes = route::all();
    let open = routes.iter().filter(|route| route.scope.is_none());
    let mut open: Vec<_> = open.map(|route| (route.method.as_str(), route.path)).collect();
    open.sort_unstable();
    assert_eq!(open, OPEN);
}

#[tokio::test]
async fn the_scope_of_an_operation_is_enough_for_it() {
    let world = World::new().await;
    for route in scoped() {
        // One of everything for each, because what was deleted or taken into use can't be used again.
        let ours = Party::settle(&world, "Acme", Mode::Live).await;
        let scope = route.scope.unwrap().to_string();
        let token = world.token_for("Acme", &scope, Mode::Live).await;
        let caller = Caller::Token(token);
        let reply = send(&world, &route, &ours.path(&route), ours.body(&route), &caller).await;
        let expected = match route.success {
            Success::Created(_) => 201,
            Success::Empty => 204,
            Success::Many(status, _) => status.as_u16(),
            Success::Resource(_) | Success::List(..) | Success::Other(_) => 200,
        };
        assert_eq!(reply.status, expected, "{} with {scope}: {reply}", route.operation);
    }
}

#[tokio::test]
async fn without_a_valid_token_nothing_is_answered() {
    let world = World::new().await;
    let ours = Party::settle(&world, "Acme", Mode::Live).await;
    let callers = invalid_callers(&world).await;
    let (before, log) = (ours.everything(&world).await, world.events().await.len());
    for route in scoped() {
        for (name, caller) in &callers {
            let reply = send(&world, &route, &ours.path(&route), ours.body(&route), caller).await;
            let seen = (reply.status.as_u16(), reply.code(), reply.header("www-authenticate"));
            let how = "Bearer realm=\"dockside\", error=\"invalid_token\"";
            assert_eq!(seen, (401, "unauthenticated".to_owned(), how), "{} with {name}", route.operation);
        }
        if route.method == Method::GET {
            let head = world.request("HEAD", &ours.path(&route)).anonymous().send().await;
            assert_eq!((head.status.as_u16(), head.text.as_str()), (401, ""), "{}", route.operation);
        }
    }
    assert_eq!(ours.everything(&world).await, before);
    assert_eq!(world.events().await.len(), log);
}

async fn invalid_callers(world: &World) -> Vec<(&'static str, Caller)> {
    let token = |token: &str| Caller::Token(token.to_owned());
    let (body, last) = world.token.split_at(world.token.len() - 1);
    let mistyped = format!("{body}{}", if last == "0" { "1" } else { "0" });
    let nowhere = Owner { organisation: Id::from_bits(77), world: Mode::Live };
    let order = TokenOrder {
        organisation: "Acme".to_owned(),
        user: "admin@acme.example".to_owned(),
        scopes: Scopes::ALL,
        world: Mode::Live,
        expires_in_seconds: Some(60),
    };
    let expired = world.service.issue_token(order).await.unwrap().as_str().to_owned();
    let made = world.post("/access_tokens", json!({"scopes": ["*"]})).await.json();
    let (id, revoked) = (made["id"].as_str().unwrap(), made["token"].as_str().unwrap());
    let form = format!("grant_type=client_credentials&client_id={id}&client_secret={revoked}");
    let trade = world.request("POST", "/oauth/token").raw("application/x-www-form-urlencoded", form).send();
    let traded = trade.await.json()["access_token"].as_str().unwrap().to_owned();
    // Each is used once while it is good, so that what is remembered of it is forgotten in time.
    for good in [expired.as_str(), revoked, &traded] {
        assert_eq!(world.request("GET", "/locations").token(good).send().await.status, 200);
    }
    assert_eq!(world.delete(format!("/access_tokens/{id}")).await.status, 204);
    world.advance_seconds(60);
    vec![
        ("no token", Caller::Nobody),
        ("an empty header", Caller::Header(String::new())),
        ("no scheme", Caller::Header(world.token.clone())),
        ("the wrong scheme", Caller::Header(format!("Basic {}", world.token))),
        ("a scheme alone", Caller::Header("Bearer".to_owned())),
        ("an empty token", token("")),
        ("a malformed token", token("nonsense")),
        ("a bad checksum", token(&mistyped)),
        ("another world's letters", token(&world.token.replace("_live_", "_test_"))),
        ("an unknown token", token(Secret::new(world.owner(), [9; SECRET_BYTES]).as_str())),
        ("an unknown organisation", token(Secret::new(nowhere, [9; SECRET_BYTES]).as_str())),
        ("an expired token", token(&expired)),
        ("a revoked token", token(revoked)),
        ("a token traded for a revoked one", token(&traded)),
    ]
}

#[tokio::test]
async fn every_scope_but_the_right_one_is_not_enough() {
    let world = World::new().await;
    let ours = Party::settle(&world, "Acme", Mode::Live).await;
    let mut tokens = BTreeMap::new();
    for route in scoped() {
        let scope = route.scope.unwrap();
        // Writing implies reading, so whoever must not read must not write either.
        let grants = |other: &Scope| Scopes::default().with(*other).contains(scope);
        let others: Vec<String> =
            Scope::all().filter(|other| !grants(other)).map(|other| other.to_string()).collect();
        assert!(others.len() > 20);
        tokens.insert(scope.to_string(), world.token_for("Acme", &others.join(" "), Mode::Live).await);
    }
    let (before, log) = (ours.everything(&world).await, world.events().await.len());
    for route in scoped() {
        let scope = route.scope.unwrap().to_string();
        let caller = Caller::Token(tokens[&scope].clone());
        let reply = send(&world, &route, &ours.path(&route), ours.body(&route), &caller).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str(), reply.json()["detail"].as_str().unwrap()),
            (403, "insufficient_scope", format!("The token lacks the scope `{scope}`.").as_str()),
            "{}",
            route.operation
        );
    }
    assert_eq!(ours.everything(&world).await, before);
    assert_eq!(world.events().await.len(), log);
}
