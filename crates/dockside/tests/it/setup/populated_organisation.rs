//! An organisation with a token and one resource of every kind.
//!
//! The requests are built from the route table. A new operation whose paths, bodies or lists are not known here fails
//! the tests of authorisation until it is added.

mod printing;
mod webhooks;

use std::collections::BTreeMap;

use api::route::{Route, Success};
use api::routes;
use model::access::access_token::Secret;
use model::orders::order_exception::ExceptionCode;
use model::platform::shape::{Kind, Shape};
use model::{Id, World as Mode};
use serde_json::{Value, json};
use service::NewException;

use crate::setup::authenticator::Authenticator;
use crate::setup::person::Person;
use crate::setup::world::{Reply, World, depot};

/// A token, and one resource of every kind by the prefix of its id. Each list has at least two, so that it has a cursor.
/// Nothing uses the resources in `ids`, so that they can be deleted.
pub struct PopulatedOrganisation {
    pub token: String,
    pub ids: BTreeMap<&'static str, String>,
    /// An item of the order, and the location that its allocation is made from.
    item: String,
    depot: String,
    /// A shipment that was bought. The one in `ids` is rated and can be bought.
    bought: String,
    /// A shipment of the batch. The one in `ids` is in no batch.
    member: String,
    /// A batch that is bought. The one in `ids` is open.
    finalised: String,
    /// All shipping rules, in the order of their positions.
    rules: Vec<String>,
    /// An order with a line that matches no item: the one in `ids`.
    waiting: String,
    /// An order of which something is allocated and in no shipment.
    shippable: String,
    /// A shipment that was made from an order.
    made: String,
    /// A wave that is completed, with a shipment and an exception. The one in `ids` is queued.
    ended_wave: String,
    /// An import that is completed, with two errors. The one in `ids` awaits its file.
    ended_import: String,
    printing: Printing,
    /// The request body for a carrier account in this world.
    account: Value,
}

/// Print jobs in states that some operations need. The one in `ids` is queued.
#[derive(Default)]
struct Printing {
    ended_job: String,
    /// A job that is claimed, and the fence of its claim.
    claimed_job: String,
    fence: i64,
}

impl PopulatedOrganisation {
    /// Returns an organisation without resources.
    pub fn new(token: String) -> Self {
        let none = String::new;
        let (item, depot, bought, member, finalised) = (none(), none(), none(), none(), none());
        let (ids, rules, waiting, account) = (BTreeMap::new(), Vec::new(), none(), Value::Null);
        let (shippable, made, ended_wave, printing) = (none(), none(), none(), Printing::default());
        let ended_import = none();
        Self {
            token,
            ids,
            item,
            depot,
            bought,
            member,
            finalised,
            rules,
            waiting,
            shippable,
            made,
            ended_wave,
            ended_import,
            printing,
            account,
        }
    }

    pub async fn populate(world: &World, organisation: &str, mode: Mode) -> Self {
        let mut tenant = Self::new(world.token_for(organisation, "*", mode).await);
        tenant.populate_webhooks(world).await;
        for number in 0..2 {
            let location = tenant.create(world, "/locations", depot("Depot")).await;
            tenant.keep("loc", &location);
            let pair = tenant.body_of("create_location_configuration");
            tenant.keep("lc", &tenant.create(world, "/location_configurations", pair).await);
            let token = tenant.create(world, "/access_tokens", tenant.body_of("create_access_token")).await;
            tenant.keep("tok", &token);
            tenant.keep("usr", &token["user"]);
            let item = json!({"sku": format!("{organisation}-{}-{number}", tenant.token), "name": "Item", "mass": 0.2});
            tenant.keep("inv", &tenant.create(world, "/inventory_items", item).await);
            (tenant.item, tenant.depot) = (tenant.ids["inv"].clone(), tenant.ids["loc"].clone());
            tenant.keep("ord", &tenant.create(world, "/orders", tenant.body_of("create_order")).await);
            let path = format!("/allocations/orders/{}", tenant.ids["ord"]);
            let made = tenant.create(world, &path, tenant.body_of("create_order_allocations")).await;
            tenant.keep("alloc", &made["data"][0]);
            let mut package_type = tenant.body_of("create_package_type");
            package_type["handle"] = json!(format!("box-{number}-{}", tenant.ids["ord"]));
            tenant.keep("pt", &tenant.create(world, "/package_types", package_type).await);
            let rule = tenant.body_of("create_shipping_rule");
            tenant.keep("rule", &tenant.create(world, "/shipping_rules", rule).await);
            tenant.rules.push(tenant.ids["rule"].clone());
        }
        tenant.populate_waiting(world).await;
        tenant.populate_shippable(world).await;
        tenant.populate_people(world, organisation).await;
        tenant.populate_spares(world, organisation).await;
        tenant.account = account(organisation, mode);
        tenant.populate_shipments(world).await;
        tenant.populate_waves(world).await;
        tenant.populate_imports(world).await;
        tenant.populate_printing(world).await;
        world.relay().await;
        let events = world.request("GET", "/events?limit=1").token(&tenant.token).send().await.json();
        tenant.keep("evt", &events["data"][0]);
        tenant.populate_deliveries(world).await;
        tenant
    }

    /// Makes an order that waits for an item, and an exception of the other order.
    async fn populate_waiting(&mut self, world: &World) {
        let body = json!({"lines": [{"sku": format!("{}-unknown", self.token), "quantity": 1}]});
        let waiting = self.create(world, "/orders", body).await;
        self.keep("line", &waiting["lines"][0]);
        self.waiting = waiting["id"].as_str().expect("an id").to_owned();
        let owner = Secret::owner_of(&self.token).expect("a sound token");
        let order = Id::parse(&self.ids["ord"]).expect("an order's id");
        let new = NewException { code: ExceptionCode::Short, shipment: None, message: "Short".to_owned() };
        world.service.order_exceptions.raise(owner, order, new).await.expect("the order exists");
        let path = format!("/orders/{order}");
        let shown = world.request("GET", &path).token(&self.token).send().await.json();
        self.keep("exc", &shown["exceptions"][0]);
    }

    /// Makes an order that can be shipped, and a shipment from another one. The rules of the organisation hold orders back, unless
    /// a request names a carrier.
    async fn populate_shippable(&mut self, world: &World) {
        for _ in 0..2 {
            let mut body = ordered(&self.item, 1);
            body["destination"] = depot("Recipient")["address"].clone();
            let order = self.create(world, "/orders", body).await;
            self.shippable = order["id"].as_str().expect("an id").to_owned();
            let path = format!("/allocations/orders/{}", self.shippable);
            self.create(world, &path, self.body_of("create_order_allocations")).await;
            if self.made.is_empty() {
                let path = format!("/orders/{}/shipments", self.shippable);
                let made = self.create(world, &path, self.body_of("create_order_shipments")).await;
                self.made = made["data"][0]["id"].as_str().expect("an id").to_owned();
                self.populate_scans(world).await;
            }
        }
    }

    /// Makes a wave that ended and one that is queued, each with two orders. The rules hold the orders back, so they are exceptions.
    async fn populate_waves(&mut self, world: &World) {
        self.ended_wave = self.create(world, "/waves", self.body_of("create_wave")).await["id"]
            .as_str()
            .expect("an id")
            .to_owned();
        world.service.waves.work().await.expect("waves are worked on");
        let (wave, made) = (&self.ended_wave, &self.made);
        world
            .tamper(&format!(
                "UPDATE wave_order SET result = 'done', shipment_ids = '[\"{made}\"]'
                 WHERE wave_id = '{wave}' AND position = 1"
            ))
            .await;
        self.keep("wave", &self.create(world, "/waves", self.body_of("create_wave")).await);
    }

    /// Makes an import that ended, of a file whose two rows are refused, and two that await their files.
    async fn populate_imports(&mut self, world: &World) {
        let request = world.request("POST", "/imports?type=orders").token(&self.token);
        let reply = request.raw("text/csv", "reference,sku\n,A\n,B\n").send().await;
        assert_eq!(reply.status, 201, "{reply}");
        self.ended_import = reply.json()["id"].as_str().expect("an id").to_owned();
        world.service.imports.work().await.expect("imports are worked on");
        for _ in 0..2 {
            self.keep("imp", &self.create(world, "/imports", self.body_of("create_import")).await);
        }
    }

    /// Makes two scans that count nothing, so that units of the shipment are still missing.
    async fn populate_scans(&mut self, world: &World) {
        let path = format!("/shipments/{}/scans", self.made);
        for number in 0..2 {
            let name = format!("{}-{number}", self.made);
            self.create(world, &path, json!({"scan_id": name, "code": "nothing"})).await;
            self.ids.insert("scan", name);
        }
    }

    /// Makes an item and locations that nothing uses. The item was in stock at two locations, and is at zero again.
    async fn populate_spares(&mut self, world: &World, organisation: &str) {
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

    /// Makes shipments: one that was bought, one whose purchase is in review, and two that have rates.
    async fn populate_shipments(&mut self, world: &World) {
        let account = self.create(world, "/carrier_accounts", self.account.clone()).await;
        self.keep("car", &account["carrier"]);
        for _ in 0..2 {
            self.populate_rates(world, &account).await;
            self.bought = self.ids["shp"].clone();
            let path = format!("/shipments/{}/purchase", self.bought);
            let buy = world.request("POST", &path).token(&self.token).header("prefer", "respond-async");
            let reply = buy.json(self.body_of("purchase_shipment")).send().await;
            assert_eq!(reply.status, 202, "{reply}");
        }
        world.service.work_purchases().await.expect("purchases are worked on");
        let list = world.request("GET", "/purchase_attempts").token(&self.token).send().await.json();
        self.keep("pa", &list["data"][1]);
        let attempt = &self.ids["pa"];
        world.tamper(&format!("UPDATE purchase SET state = 'needs_review' WHERE id = '{attempt}'")).await;
        self.populate_manifests(world, &account).await;
        for _ in 0..2 {
            self.populate_batch(world, &account).await;
            self.populate_rates(world, &account).await;
        }
        // An account without purchases, so that it can be deleted.
        self.keep("ca", &self.create(world, "/carrier_accounts", self.account.clone()).await);
    }

    /// Returns whether its token is of the test world.
    pub fn is_test(&self) -> bool {
        Secret::owner_of(&self.token).expect("a sound token").world == Mode::Test
    }

    /// Makes a role, a user, a session and a passkey. They belong to both worlds of the organisation, so another token makes them.
    async fn populate_people(&mut self, world: &World, organisation: &str) {
        let live = Self::new(world.token_for(organisation, "*", Mode::Live).await);
        let mode = if self.is_test() { "test" } else { "live" };
        let role = json!({"name": format!("Desk of {mode}"), "scopes": ["users:read"]});
        self.keep("role", &live.create(world, "/roles", role).await);
        let person = json!({
            "name": "Ada",
            "email_address": format!("ada.{mode}@{}.example", organisation.to_lowercase()),
            "roles": [],
        });
        let link = live.create(world, "/users", person).await["sign_in_link"].clone();
        let token = link.as_str().and_then(|link| link.split_once('#')).expect("a link").1.to_owned();
        let sign_in = world.request("POST", "/sessions").anonymous().json(json!({"link_token": token}));
        let reply = sign_in.send().await;
        assert_eq!(reply.status, 201, "{reply}");
        self.keep("ses", &reply.json());
        // Both worlds share the organisation's users, and a device makes one passkey for each.
        let seed = if self.is_test() { 2 } else { 1 };
        let added = Authenticator::new(seed).add(world, &Person::from(&reply)).await;
        assert_eq!(added.status, 201, "{added}");
        self.keep("pky", &added.json());
    }

    /// Makes a batch with two shipments, to be bought with this account.
    async fn populate_batch(&mut self, world: &World, account: &Value) {
        let mut shipments = Vec::new();
        for _ in 0..2 {
            shipments
                .push(self.create(world, "/shipments", self.body_of("create_shipment")).await["id"].clone());
        }
        self.member = shipments[0].as_str().expect("an id").to_owned();
        let service = account["configuration"]["services"][0]["handle"].as_str().unwrap_or("standard");
        let service =
            json!({"carrier_account": {"id": account["id"]}, "carrier_service": {"handle": service}});
        let body = json!({"shipments": shipments, "service": service});
        self.keep("batch", &self.create(world, "/batches", body).await);
    }

    /// Makes two manifests that failed, so that their shipments are free, and a bought batch with one of these shipments.
    async fn populate_manifests(&mut self, world: &World, account: &Value) {
        for date in ["2026-10-01T12:00:00Z", "2026-10-02T12:00:00Z"] {
            let mut body = self.body_of("create_shipment");
            body["carrier"] = json!({"carrier_accounts": [account["id"]]});
            body["options"] = json!({"shipping": {"date": date}});
            body["addresses"]["origin"] = Value::Null;
            body["addresses"]["location_configuration_id"] = json!(self.ids["lc"]);
            let shipment =
                self.create(world, "/shipments", body).await["id"].as_str().expect("an id").to_owned();
            let ask = async |path: &str, body: Value| {
                let path = format!("/shipments/{shipment}/{path}");
                let request =
                    world.request("POST", &path).token(&self.token).header("prefer", "respond-async");
                request.json(body).send().await
            };
            let rate = ask("rates", json!({})).await.json()["rates"][0]["id"].clone();
            let reply = ask("purchase", json!({"rate": rate})).await;
            assert_eq!(reply.status, 202, "{reply}");
            self.keep("shp", &json!({"id": shipment}));
        }
        world.service.work_purchases().await.expect("purchases are worked on");
        let close = world.request("POST", "/manifests").token(&self.token).header("prefer", "respond-async");
        let reply = close.json(self.body_of("create_manifests")).send().await;
        assert_eq!((reply.status.as_u16(), reply.ids().len()), (202, 2), "{reply}");
        let ids = reply.ids();
        self.keep("mfst", &json!({"id": ids[1]}));
        let batch = self.create(world, "/batches", json!({})).await;
        self.finalised = batch["id"].as_str().expect("an id").to_owned();
        let (batch, shipment) = (&self.finalised, &self.ids["shp"]);
        let all = format!("('{}', '{}')", ids[0], ids[1]);
        world
            .tamper(&format!(
                "BEGIN;
                 UPDATE manifest SET status = 'failed', due_at = NULL WHERE id IN {all};
                 UPDATE manifest_shipment SET is_released = 1 WHERE manifest_id IN {all};
                 UPDATE purchase SET manifest_id = NULL WHERE manifest_id IN {all};
                 UPDATE batch SET status = 'purchased', shipments_count = 1, purchased_count = 1 WHERE id = '{batch}';
                 UPDATE shipment SET batch_id = '{batch}' WHERE id = '{shipment}';
                 COMMIT;"
            ))
            .await;
    }

    /// Makes a shipment, and its rates with this account.
    async fn populate_rates(&mut self, world: &World, account: &Value) {
        let mut body = self.body_of("create_shipment");
        body["carrier"] = json!({"carrier_accounts": [account["id"]]});
        // Replies of tests are texts, and so are labels of this format.
        body["options"] = json!({"label": {"format": "zpl"}});
        self.keep("shp", &self.create(world, "/shipments", body).await);
        let path = format!("/shipments/{}/rates", self.ids["shp"]);
        let rated = world.request("POST", &path).token(&self.token).send().await;
        assert_eq!(rated.json()["status"], "rated", "{rated}");
        self.keep("rate", &rated.json()["rates"][0]);
        self.keep("cs", &rated.json()["rates"][0]["carrier_service"]);
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

    /// Returns the ids for the path of a route.
    pub fn ids(&self, route: &Route) -> Vec<String> {
        let id = |shape: &&'static Shape| {
            let prefix = path_prefix(shape);
            match route.operation {
                "list_shipment_scans"
                | "create_shipment_scan"
                | "get_shipment_scan"
                | "delete_shipment_scan"
                | "create_shipment_short"
                    if prefix == "shp" =>
                {
                    return self.made.clone();
                }
                "void_shipment"
                | "create_shipment_labels"
                | "create_shipment_papers"
                | "hand_over_shipment" => {
                    return self.bought.clone();
                }
                "create_order_shipments" => return self.shippable.clone(),
                "get_shipment_rule_evaluation" => return self.made.clone(),
                "create_batch_labels" | "create_batch_manifests" => return self.finalised.clone(),
                "create_batch_papers" => return self.finalised.clone(),
                "list_import_errors" | "get_import_errors" => return self.ended_import.clone(),
                "retry_wave" | "create_wave_pick_lists" => return self.ended_wave.clone(),
                "match_order_line" => return self.waiting.clone(),
                "reprint_print_job" => return self.printing.ended_job.clone(),
                "get_print_job_content" | "report_print_job" => return self.printing.claimed_job.clone(),
                _ => {}
            }
            self.ids
                .get(prefix)
                .unwrap_or_else(|| panic!("PopulatedOrganisation makes no {prefix}_: add it"))
                .clone()
        };
        route.ids.iter().map(id).collect()
    }

    /// Returns the path of a route with the ids of this tenant.
    pub fn path(&self, route: &Route) -> String {
        path(route, &self.ids(route))
    }

    /// Returns a body that the route accepts, if it takes one.
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
            "update_location"
            | "update_location_configuration"
            | "update_inventory_item"
            | "update_carrier_account" => json!({"name": "Changed"}),
            "update_shipment" => json!({"name": "Changed", "packages": self.filled_parcel()["packages"]}),
            "update_package_type" => json!({"name": "Changed", "location_ids": [depot_id]}),
            "create_carrier_account" => self.account.clone(),
            "create_shipment" => self.filled_parcel(),
            "purchase_shipment" => json!({"rate": ids["rate"]}),
            "create_batch_labels" => json!({"format": "png"}),
            "create_manifests" => json!({"location": {"id": depot_id}}),
            "resolve_purchase_attempt" => json!({"outcome": "not_bought"}),
            "create_batch" | "update_batch" => json!({
                "name": "Changed",
                "service": {
                    "carrier": {"id": ids["car"]},
                    "carrier_service": {"id": ids["cs"]},
                    "carrier_account": {"id": ids["ca"]},
                },
                "shipments": [ids["shp"]],
            }),
            "create_user" => json!({"name": "New", "email_address": "new@acme.example", "roles": []}),
            "create_role" => json!({"name": "New", "scopes": ["users:read"]}),
            "update_user" | "update_role" => json!({"name": "Changed"}),
            "create_passkey" => json!({"name": "New", "client_data": "e30", "attestation_object": "oA"}),
            "set_my_password" => json!({"new_password": "quiet harbour seven lanterns"}),
            "update_organisation" => json!({"unique_order_references": true}),
            "add_batch_shipments" => json!({"shipments": [ids["shp"]]}),
            "remove_batch_shipments" => json!({"shipments": [self.member]}),
            "set_inventory_level" => json!({"on_hand": 7}),
            "update_inventory_level" => json!({"bin": "A-03-2"}),
            "adjust_inventory_level" => json!({"delta": 7}),
            "create_order" => ordered(item, 2),
            "update_order" => ordered(item, 3),
            "match_order_line" => json!({"line_id": ids["line"], "item_id": item}),
            "create_order_note" => json!({"text": "Fragile"}),
            "hold_order" => json!({"reason": "check"}),
            "resolve_order_exception" => json!({"note": "Done"}),
            "create_order_allocations" => json!({"allocations": [
                {"location": {"id": depot_id}, "items": [{"id": item, "quantity": 1}]},
            ]}),
            "update_order_allocations" => json!({"allocations": [
                {"id": ids["alloc"], "location": {"id": depot_id}, "items": [{"id": item, "quantity": 1}]},
            ]}),
            "create_order_shipments" => json!({"carrier": {"carrier_accounts": []}}),
            "create_shipment_scan" => json!({"scan_id": "new", "code": "nothing"}),
            "create_shipment_short" => json!({"item_id": item, "quantity": 1, "reason": "damaged"}),
            "pack_order_allocations" => json!({"allocation_ids": [ids["alloc"]]}),
            "create_package_type" => json!({
                "name": "New",
                "handle": "new",
                "inner_dimensions": {"length": 30, "width": 20, "height": 10},
                "location_ids": [depot_id],
            }),
            "create_shipping_rule" | "update_shipping_rule" => json!({
                "name": "New",
                "conditions": {"origin_location_ids": [depot_id]},
                "action": {"hold": {"reason": "Look"}},
            }),
            word if word.contains("print") => self.printing_body(word),
            "reorder_shipping_rules" => json!({"ids": self.rules}),
            "evaluate_shipping_rules" => json!({"shipment": self.filled_parcel()}),
            "create_shipment_packing_slip" | "create_shipment_papers" => json!({"format": "a4"}),
            "create_batch_packing_slips" | "create_batch_papers" => json!({"format": "4x6"}),
            "create_batch_pick_lists" | "create_wave_pick_lists" => json!({"format": "letter"}),
            "create_import" => json!({"type": "orders"}),
            "set_import_content" => json!({"reference": "any file"}),
            "create_wave" => json!({"order_ids": [self.shippable, ids["ord"]], "location_ids": [depot_id]}),
            "set_branding" => json!({"name": "New", "colour": "#005ca0", "footer": "Thank you"}),
            // An event type that every token may read that may create an endpoint.
            "create_webhook_endpoint" => {
                json!({"url": "http://127.0.0.1:1/hook", "disabled": true, "event_types": ["webhook_endpoint.disabled"]})
            }
            "update_webhook_endpoint" => json!({"description": "Changed"}),
            "replay_webhook_endpoint" => json!({"after_sequence": 0}),
            "get_subscription_token" | "create_subscription_token" => {
                let owner = Secret::owner_of(&self.token).expect("a sound token");
                json!({"channel": format!("events:{owner}#{}", ids["usr"])})
            }
            other => panic!("no body is known for {other}: add one"),
        }
    }

    /// Returns the body of a shipment whose package says what is in it, and of which type it is.
    fn filled_parcel(&self) -> Value {
        let mut body = parcel();
        body["packages"][0]["items"] = json!([{"id": self.item, "quantity": 1}]);
        body["packages"][0]["package_type_id"] = json!(self.ids["pt"]);
        body
    }

    /// Returns everything that the tenant's lists show.
    pub async fn everything(&self, world: &World) -> Vec<String> {
        let mut lists = Vec::new();
        world.relay().await;
        for route in scoped().iter().filter(|route| matches!(route.success, Success::List(..))) {
            if !route.ids.is_empty() && self.ids.is_empty() {
                continue;
            }
            if route.live_only && self.is_test() {
                lists.push(r#"{"data":[]}"#.to_owned());
                continue;
            }
            let path = format!("{}?limit=100", self.path(route));
            lists.push(world.request("GET", &path).token(&self.token).send().await.text);
        }
        lists
    }
}

/// Returns the body of a carrier account that needs no network. Its services have other names in each organisation, so
/// that a test notices if one organisation sees another's.
pub fn account(organisation: &str, mode: Mode) -> Value {
    let service = |kind: &str| json!({"handle": format!("{kind}-{organisation}"), "name": kind, "delivery_days": 1, "rates": [{"rate": 450}]});
    match mode {
        Mode::Test => json!({"carrier": {"handle": "sandbox"}, "name": "Sandbox"}),
        Mode::Live => json!({
            "carrier": {"handle": "own"},
            "name": "Vehicles",
            "configuration": {"currency_code": "GBP", "services": [service("van"), service("bicycle")]},
        }),
    }
}

/// Returns the body of an order that says what is ordered in both ways.
fn ordered(item: &str, quantity: i64) -> Value {
    json!({"items": [{"id": item, "quantity": quantity}], "lines": [{"item_id": item, "quantity": quantity}]})
}

/// Returns the body of a shipment with the required fields only.
pub fn parcel() -> Value {
    let address = depot("Somewhere")["address"].clone();
    json!({
        "addresses": {"origin": address, "destination": address},
        "packages": [{"geometry": {"length": 30, "width": 20, "height": 10, "mass": 1.2}}],
    })
}

/// Returns the prefix of the ids that a path takes in this place. Clients name scans themselves, so these have none.
pub fn path_prefix(shape: &Shape) -> &'static str {
    prefix(shape).unwrap_or("scan")
}

/// Returns the prefix of the ids that a shape accepts.
pub fn prefix(shape: &Shape) -> Option<&'static str> {
    match shape.kind {
        Kind::Identifier(prefix) => Some(prefix),
        Kind::Identified { of, .. } => {
            of.fields().iter().find(|field| field.name == "id").and_then(|field| prefix(field.shape))
        }
        _ => None,
    }
}

/// Returns the route's path with these ids in it.
pub fn path(route: &Route, ids: &[String]) -> String {
    let mut ids = ids.iter().map(String::as_str);
    let step = |step: &'static str| if step.starts_with('{') { ids.next().unwrap() } else { step };
    let steps: Vec<&str> = route.path.split('/').map(step).collect();
    assert!(ids.next().is_none(), "{} declares more ids than its path has", route.path);
    steps.join("/")
}

/// Returns the routes that need a scope.
pub fn scoped() -> Vec<Route> {
    routes::all().into_iter().filter(|route| route.scope().is_some()).collect()
}

/// How a request identifies its caller.
pub enum Caller {
    Anonymous,
    Header(String),
    Token(String),
}

pub async fn send(world: &World, route: &Route, path: &str, body: Option<Value>, caller: &Caller) -> Reply {
    let request = world.request(route.method.as_str(), path);
    let request = match caller {
        Caller::Anonymous => request.anonymous(),
        Caller::Header(value) => request.header("authorization", value),
        Caller::Token(token) => request.token(token),
    };
    // No job runs in these tests, so the request must not wait for one.
    let request = if route.accepts { request.header("prefer", "respond-async") } else { request };
    match body {
        Some(body) => request.json(body).send().await,
        None => request.send().await,
    }
}
