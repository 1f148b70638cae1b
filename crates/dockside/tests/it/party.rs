//! Somebody who uses the product: a token, and one of everything that there is to touch.
//!
//! The requests are built from the route table. A new operation whose paths, bodies or lists are not known here fails
//! the tests of authorisation until it is added.

use std::collections::BTreeMap;

use api::route::{self, Route, Success};
use model::World as Mode;
use model::access_token::Secret;
use model::shape::{Kind, Shape};
use serde_json::{Value, json};

use crate::world::{Reply, World, depot};

/// Somebody with a token and one of everything, by the prefix of its id. There are at least two of each in their
/// lists, so that these have cursors; and these ones nothing uses, so that they can be deleted.
pub struct Party {
    pub token: String,
    pub ids: BTreeMap<&'static str, String>,
    /// An item that the order wants, and a location that has it.
    item: String,
    depot: String,
}

impl Party {
    /// Who has nothing yet.
    pub fn new(token: String) -> Self {
        Self { token, ids: BTreeMap::new(), item: String::new(), depot: String::new() }
    }

    pub async fn settle(world: &World, organisation: &str, mode: Mode) -> Self {
        let mut party = Self::new(world.token_for(organisation, "*", mode).await);
        party.settle_webhooks(world).await;
        for number in 0..2 {
            let location = party.create(world, "/locations", depot("Depot")).await;
            party.keep("loc", &location);
            let pair = party.body_of("create_location_configuration");
            party.keep("lc", &party.create(world, "/location_configurations", pair).await);
            let token = party.create(world, "/access_tokens", party.body_of("create_access_token")).await;
            party.keep("tok", &token);
            party.keep("usr", &token["user"]);
            let item = json!({"sku": format!("{organisation}-{}-{number}", party.token), "name": "Item"});
            party.keep("inv", &party.create(world, "/inventory_items", item).await);
            (party.item, party.depot) = (party.ids["inv"].clone(), party.ids["loc"].clone());
            party.keep("ord", &party.create(world, "/orders", party.body_of("create_order")).await);
            let path = format!("/allocations/orders/{}", party.ids["ord"]);
            let made = party.create(world, &path, party.body_of("create_order_allocations")).await;
            party.keep("alloc", &made["data"][0]);
        }
        party.settle_spares(world, organisation).await;
        world.relay().await;
        let events = world.request("GET", "/events?limit=1").token(&party.token).send().await.json();
        party.keep("evt", &events["data"][0]);
        party.settle_deliveries(world).await;
        party
    }

    /// Two webhook endpoints where nobody listens, of which the second hears of what is made from here on. Those of
    /// an earlier party of the same organisation go, since there may not be many.
    async fn settle_webhooks(&mut self, world: &World) {
        for path in ["/events/deprovision", "/events/provision"] {
            assert_eq!(world.request("POST", path).token(&self.token).send().await.status, 204);
        }
        world.relay().await;
        let body = self.body_of("create_webhook_endpoint");
        let quiet = self.create(world, "/webhook_endpoints", body).await;
        self.keep("we", &self.create(world, "/webhook_endpoints", json!({"url": quiet["url"]})).await);
    }

    /// What became of the first events on their way there.
    async fn settle_deliveries(&mut self, world: &World) {
        world.service.deliver_webhooks().await.expect("deliveries run");
        let path = format!("/webhook_endpoints/{}/deliveries", self.ids["we"]);
        let list = world.request("GET", &path).token(&self.token).send().await.json();
        self.keep("whd", &list["data"][0]);
    }

    /// A location and an item that nothing uses: the item was there, at two locations, and is gone.
    async fn settle_spares(&mut self, world: &World, organisation: &str) {
        let item = json!({"sku": format!("{organisation}-{}-spare", self.token), "name": "Spare"});
        self.keep("inv", &self.create(world, "/inventory_items", item).await);
        for _ in 0..2 {
            self.keep("loc", &self.create(world, "/locations", depot("Spare")).await);
            let level = format!("/inventory_items/{}/levels/{}", self.ids["inv"], self.ids["loc"]);
            for on_hand in [5, 0] {
                let set = world.request("PUT", &level).token(&self.token).json(json!({"on_hand": on_hand}));
                assert_eq!(set.send().await.status, 200);
            }
        }
    }

    fn keep(&mut self, prefix: &'static str, resource: &Value) {
        let id = resource["id"].as_str().unwrap_or_else(|| panic!("no {prefix}_ in {resource}"));
        self.ids.insert(prefix, id.to_owned());
    }

    async fn create(&self, world: &World, path: &str, body: Value) -> Value {
        let reply = world.request("POST", path).token(&self.token).json(body).send().await;
        assert_eq!(reply.status, 201, "{path}: {reply}");
        reply.json()
    }

    /// The ids in the path of a row.
    pub fn ids(&self, route: &Route) -> Vec<String> {
        let id = |shape: &&'static Shape| {
            let prefix = prefix(shape).expect("a path has ids");
            self.ids.get(prefix).unwrap_or_else(|| panic!("Party makes no {prefix}_: add it")).clone()
        };
        route.ids.iter().map(id).collect()
    }

    /// The path of a row with the ids of this party.
    pub fn path(&self, route: &Route) -> String {
        path(route, &self.ids(route))
    }

    /// A body that a row takes, where it takes one.
    pub fn body(&self, route: &Route) -> Option<Value> {
        route.body.as_ref().map(|_| self.body_of(route.operation))
    }

    fn body_of(&self, operation: &str) -> Value {
        let (ids, item, depot_id) = (&self.ids, &self.item, &self.depot);
        match operation {
            "create_location" => depot("New"),
            "create_location_configuration" => {
                json!({"name": "New", "locations": {"origin": {"id": ids["loc"]}, "return": {"id": ids["loc"]}}})
            }
            "create_access_token" => json!({"scopes": ["access_tokens:read"]}),
            "create_inventory_item" => json!({"sku": "new", "name": "New"}),
            "update_location" | "update_location_configuration" | "update_inventory_item" => {
                json!({"name": "Changed"})
            }
            "set_inventory_level" => json!({"on_hand": 7}),
            "adjust_inventory_level" => json!({"delta": 7}),
            "create_order" => json!({"items": [{"id": item, "quantity": 2}]}),
            "update_order" => json!({"items": [{"id": item, "quantity": 3}]}),
            "create_order_allocations" => json!({"allocations": [
                {"location": {"id": depot_id}, "items": [{"id": item, "quantity": 1}]},
            ]}),
            "update_order_allocations" => json!({"allocations": [
                {"id": ids["alloc"], "location": {"id": depot_id}, "items": [{"id": item, "quantity": 1}]},
            ]}),
            "create_webhook_endpoint" => json!({"url": "http://127.0.0.1:1/hook", "disabled": true}),
            "update_webhook_endpoint" => json!({"description": "Changed"}),
            "replay_webhook_endpoint" => json!({"after_sequence": 0}),
            "get_subscription_token" | "create_subscription_token" => {
                let owner = Secret::owner_of(&self.token).expect("a sound token");
                json!({"channel": format!("events:{owner}#{}", ids["usr"])})
            }
            other => panic!("no body is known for {other}: add one"),
        }
    }

    /// All that the party's lists show.
    pub async fn everything(&self, world: &World) -> Vec<String> {
        let mut lists = Vec::new();
        world.relay().await;
        for route in scoped().iter().filter(|route| matches!(route.success, Success::List(..))) {
            if !route.ids.is_empty() && self.ids.is_empty() {
                continue;
            }
            let path = format!("{}?limit=100", self.path(route));
            lists.push(world.request("GET", &path).token(&self.token).send().await.text);
        }
        lists
    }
}

/// The kind that an id's shape asks for.
pub fn prefix(shape: &Shape) -> Option<&'static str> {
    match shape.kind {
        Kind::Identifier(prefix) => Some(prefix),
        _ => None,
    }
}

/// The row's path with these ids in it.
pub fn path(route: &Route, ids: &[String]) -> String {
    let mut ids = ids.iter().map(String::as_str);
    let step = |step: &'static str| if step.starts_with('{') { ids.next().unwrap() } else { step };
    let steps: Vec<&str> = route.path.split('/').map(step).collect();
    assert!(ids.next().is_none(), "{} declares more ids than its path has", route.path);
    steps.join("/")
}

/// The rows that not everybody may call.
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
