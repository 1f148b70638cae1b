//! Users and roles: who may do what, and who may give it.

use std::collections::BTreeMap;

use api::routes;
use model::World as Mode;
use model::access::role::BuiltInRole;
use serde_json::{Value, json};

use crate::setup::person::{Person, invite, link_token, sign_in};
use crate::setup::populated_organisation::PopulatedOrganisation;
use crate::setup::stock_requests::refusal;
use crate::setup::world::{Reply, World};

async fn user(world: &World, id: &str) -> Value {
    world.get(format!("/users/{id}")).await.json()
}

#[tokio::test]
async fn a_user_is_invited_changed_and_deleted() {
    let world = World::new().await;
    let made = invite(&world, "Ada", &["packer"]).await;
    let id = made["id"].as_str().unwrap();
    insta::assert_snapshot!(
        world.get(format!("/users/{id}")).await,
        @r##"200 {"id":"usr_#1","name":"Ada","email_address":"ada@acme.example","roles":["packer"],"scopes":["locations:read","orders:read","inventory:read","allocations:read","shipments:read","batches:read","events:read","package_types:read","packing:read","packing:write","printers:read","print_jobs:read","print_jobs:write","waves:read"],"has_password":false,"is_disabled":false,"created_at":"#time","updated_at":"#time"}"##
    );
    assert_eq!(world.newest_event("user.created").await["data"]["object"], user(&world, id).await);
    let body = json!({"email_address": "ADA.L@acme.example", "roles": ["viewer", BuiltInRole::Packer.id().to_string()]});
    let changed = world.patch(format!("/users/{id}"), body).await;
    assert_eq!(changed.json()["email_address"], "ada.l@acme.example", "{changed}");
    assert_eq!(changed.json()["roles"], json!(["packer", "viewer"]));
    let taken =
        world.post("/users", json!({"name": "B", "email_address": "Ada.L@acme.example", "roles": []})).await;
    assert_eq!(refusal(&taken), (409, "email_address_taken".to_owned()));
    let unknown = world.patch(format!("/users/{id}"), json!({"roles": ["viewer", "boss"]})).await;
    assert_eq!(unknown.issues(), [("role_not_found".to_owned(), "/roles/1".to_owned())]);
    for (body, field) in [
        (json!({"email_address": "nobody"}), "/email_address"),
        (json!({"roles": ["viewer", "viewer"]}), "/roles/1"),
    ] {
        assert_eq!(world.patch(format!("/users/{id}"), body).await.issues()[0].1, field);
    }
    assert_eq!(world.delete(format!("/users/{id}")).await.status, 204);
    assert_eq!(world.get(format!("/users/{id}")).await.status, 404);
    assert_eq!(world.newest_event("user.deleted").await["data"]["object"]["id"], id);
}

#[tokio::test]
async fn disabling_a_user_ends_sessions_links_and_tokens_in_both_worlds_at_once() {
    let world = World::new().await;
    let ada = Person::with_password(&world, "Ada", &["admin"]).await;
    let mut tokens = Vec::new();
    for mode in ["live", "test"] {
        let request = ada.request(&world, "POST", "/access_tokens").header("dockside-world", mode);
        let made = request.json(json!({"scopes": ["orders:read"]})).send().await;
        assert_eq!((made.status.as_u16(), &made.json()["created_by"]), (201, &Value::Null), "{made}");
        tokens.push(made.json()["token"].as_str().unwrap().to_owned());
    }
    let works = async |token: &str| world.request("GET", "/orders").token(token).send().await.status == 200;
    let link = link_token(&world.post(format!("/users/{}/link", ada.id), json!({})).await.json());
    for token in &tokens {
        assert!(works(token).await);
    }
    invite(&world, "Bea", &["admin"]).await;
    let disabled = world.post(format!("/users/{}/disable", ada.id), json!({})).await;
    assert_eq!(disabled.json()["is_disabled"], true, "{disabled}");
    assert_eq!(ada.get(&world, "/me").await.status, 401);
    for token in &tokens {
        assert!(!works(token).await);
    }
    assert_eq!(sign_in(&world, json!({"link_token": link})).await.status, 401);
    let no_link = world.post(format!("/users/{}/link", ada.id), json!({})).await;
    assert_eq!(refusal(&no_link), (409, "user_disabled".to_owned()));
    assert_eq!(world.newest_event("user.disabled").await["data"]["object"]["id"], ada.id.as_str());
    assert_eq!(world.post(format!("/users/{}/enable", ada.id), json!({})).await.status, 200);
    assert!(works(&tokens[0]).await && works(&tokens[1]).await, "tokens work again");
    assert_eq!(ada.get(&world, "/me").await.status, 401, "a session does not come back");
    assert_eq!(world.delete(format!("/users/{}", ada.id)).await.status, 204);
    assert!(!works(&tokens[0]).await && !works(&tokens[1]).await, "nor does anything of a deleted user");
}

#[tokio::test]
async fn the_last_administrator_stays() {
    let world = World::new().await;
    let ada = Person::invite(&world, "Ada", &["admin"]).await;
    let path = format!("/users/{}", ada.id);
    let last = async || {
        let replies: [Reply; 3] = [
            world.delete(&path).await,
            world.patch(&path, json!({"roles": ["manager"]})).await,
            world.post(format!("{path}/disable"), json!({})).await,
        ];
        replies.iter().all(|reply| refusal(reply) == (409, "last_admin".to_owned()))
    };
    assert!(last().await);
    let bea = invite(&world, "Bea", &["admin"]).await["id"].as_str().unwrap().to_owned();
    assert_eq!(world.post(format!("/users/{bea}/disable"), json!({})).await.status, 200);
    assert!(last().await, "one that is disabled does not count");
    assert_eq!(world.post(format!("/users/{bea}/enable"), json!({})).await.status, 200);
    assert_eq!(world.patch(&path, json!({"roles": ["manager"]})).await.status, 200);
    assert_eq!(refusal(&world.delete(format!("/users/{bea}")).await), (409, "last_admin".to_owned()));
}

#[tokio::test]
async fn callers_give_no_more_than_they_have_or_takes_over_who_has_more() {
    let world = World::new().await;
    let role = json!({"name": "Team lead", "scopes": ["users:write", "orders:write"]});
    let lead = world.post("/roles", role).await.json()["id"].as_str().unwrap().to_owned();
    let eve = Person::invite(&world, "Eve", &[&lead]).await;
    let ada = Person::invite(&world, "Ada", &["admin"]).await;
    let post = async |path: &str, body: Value| eve.send(&world, "POST", path, Some(body)).await;
    let held = (422, "scope_not_held".to_owned());
    for roles in [json!(["admin"]), json!(["viewer"]), json!([&lead, "packer"])] {
        let body = json!({"name": "X", "email_address": "x@acme.example", "roles": roles});
        assert_eq!(refusal(&post("/users", body).await), held);
    }
    let body = json!({"name": "X", "email_address": "x@acme.example", "roles": [&lead]});
    assert_eq!(post("/users", body).await.status, 201);
    assert_eq!(refusal(&post("/roles", json!({"name": "Y", "scopes": ["*"]})).await), held);
    assert_eq!(
        refusal(&post("/roles", json!({"name": "Y", "scopes": ["orders:read", "batches:purchase"]})).await),
        held
    );
    let own = eve
        .send(&world, "PATCH", &format!("/users/{}", eve.id), Some(json!({"roles": [&lead, "admin"]})))
        .await;
    assert_eq!(refusal(&own), held, "nor to oneself");
    let own = eve.send(&world, "PATCH", &format!("/roles/{lead}"), Some(json!({"scopes": ["*"]}))).await;
    assert_eq!(refusal(&own), held, "nor by a role that one has");
    assert_eq!(refusal(&post("/access_tokens", json!({"scopes": ["*"]})).await).0, 403, "nor by a token");
    let short = (403, "insufficient_scope".to_owned());
    for action in ["link", "disable", "enable", "sign_out"] {
        assert_eq!(
            refusal(&post(&format!("/users/{}/{action}", ada.id), json!({})).await),
            short,
            "{action}"
        );
    }
    let path = format!("/users/{}", ada.id);
    assert_eq!(refusal(&eve.send(&world, "DELETE", &path, None).await), short);
    let renamed = eve.send(&world, "PATCH", &path, Some(json!({"email_address": "eve2@acme.example"}))).await;
    assert_eq!(refusal(&renamed), short, "an address is a way in");
    let session = format!("/sessions/{}", ada.session);
    assert_eq!(refusal(&eve.send(&world, "DELETE", &session, None).await), short);
    assert_eq!(ada.get(&world, "/me").await.status, 200);
    let packer = Person::invite(&world, "Pat", &["packer"]).await;
    assert_eq!(packer.send(&world, "DELETE", &session, None).await.status, 404, "not even that it exists");
    let listed = packer.get(&world, &format!("/sessions?user_id={}", ada.id)).await;
    assert_eq!(refusal(&listed), short);
}

#[tokio::test]
async fn a_role_of_ones_own_counts_from_the_next_request_on() {
    let world = World::new().await;
    let made = world.post("/roles", json!({"name": "Desk", "scopes": ["orders:read"]})).await;
    assert_eq!(made.json()["scopes"], json!(["orders:read", "events:read"]), "{made}");
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let path = format!("/roles/{id}");
    let ada = Person::invite(&world, "Ada", &[&id]).await;
    let can = async |path: &str| ada.get(&world, path).await.status == 200;
    assert!(can("/orders").await && can("/events").await && !can("/locations").await);
    let denied = ada.get(&world, "/locations").await;
    assert_eq!(denied.json()["detail"], "Your roles lack the scope `locations:read`.");
    assert_eq!(world.patch(&path, json!({"scopes": ["locations:read"]})).await.status, 200);
    assert!(!can("/orders").await && can("/locations").await);
    assert_eq!(world.newest_event("role.updated").await["data"]["object"]["id"], id.as_str());
    let used = world.delete(&path).await;
    assert_eq!(refusal(&used), (409, "role_in_use".to_owned()));
    assert_eq!(used.json()["errors"][0]["user_id"], ada.id.as_str());
    let taken = world.post("/roles", json!({"name": "Desk", "scopes": []})).await;
    assert_eq!(refusal(&taken), (409, "role_name_taken".to_owned()));
    assert_eq!(world.patch(format!("/users/{}", ada.id), json!({"roles": []})).await.status, 200);
    assert!(!can("/locations").await, "without a role one may do nothing");
    assert_eq!(world.delete(&path).await.status, 204);
    for role in BuiltInRole::ALL {
        let path = format!("/roles/{}", role.id());
        let read = world.get(&path).await.json();
        assert_eq!((&read["name"], &read["is_built_in"]), (&json!(role.name()), &json!(true)));
        for reply in [world.patch(&path, json!({"name": "x"})).await, world.delete(&path).await] {
            assert_eq!(refusal(&reply), (409, "role_built_in".to_owned()));
        }
    }
}

/// Every role × every route that reads or changes: a role may call exactly those whose scope it has.
#[tokio::test]
async fn each_role_may_call_the_routes_of_its_scopes_and_no_others() {
    let world = World::new().await;
    let ours = PopulatedOrganisation::populate(&world, "Acme", Mode::Live).await;
    let mut people = BTreeMap::new();
    for role in BuiltInRole::ALL {
        people.insert(
            role.name(),
            Person::invite(&world, &format!("New-{}", role.name()), &[role.name()]).await,
        );
    }
    let mut denied = 0;
    for role in BuiltInRole::ALL {
        let person = &people[role.name()];
        for route in routes::all() {
            let Some(scope) = route.scope() else { continue };
            let may = role.scopes().contains(scope);
            // What a role may do changes what others find, so only reads are tried where they are allowed.
            if may && (route.method != http::Method::GET || route.acts) {
                continue;
            }
            let mut request = person.request(&world, route.method.as_str(), &ours.path(&route));
            if let Some(body) = ours.body(&route) {
                request = request.json(body);
            }
            let reply = request.send().await;
            let is_denied = reply.code() == "insufficient_scope"
                && reply.json()["detail"] == format!("Your roles lack the scope `{scope}`.");
            assert_eq!(is_denied, !may, "{} by {}: {reply}", route.operation, role.name());
            denied += usize::from(is_denied);
        }
    }
    assert!(denied > 100, "{denied}");
}

#[tokio::test]
async fn the_first_start_and_the_operator_make_an_administrator() {
    let world = World::new().await;
    let invitation = |role| service::onboarding::Invitation {
        organisation: "Acme".to_owned(),
        user: "Boss@acme.example".to_owned(),
        name: None,
        role,
    };
    let invite = async |role| world.service.onboarding.invite(invitation(role)).await.unwrap().unwrap();
    let first = invite(BuiltInRole::Packer).await;
    let link = invite(BuiltInRole::Admin).await;
    let token = |link: &str| link.split_once('#').unwrap().1.to_owned();
    assert_eq!(sign_in(&world, json!({"link_token": token(&first)})).await.status, 401, "the newest only");
    let boss = Person::by_link(&world, &token(&link)).await;
    let me = boss.get(&world, "/me").await.json();
    assert_eq!((&me["roles"], &me["scopes"]), (&json!(["admin"]), &json!(["*"])));
    assert_eq!(me["user"]["email_address"], "boss@acme.example");
    let listed = world.service.onboarding.all_users().await.unwrap();
    let found = listed.iter().find(|user| user.id.to_string() == boss.id).unwrap();
    assert_eq!((found.organisation.as_str(), found.roles.as_slice()), ("Acme", &["admin".to_owned()][..]));
    let nowhere = service::onboarding::Invitation {
        organisation: "Nowhere".to_owned(),
        ..invitation(BuiltInRole::Admin)
    };
    assert!(world.service.onboarding.invite(nowhere).await.unwrap().is_none());
}
