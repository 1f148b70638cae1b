//! Authorisation as a matrix: every route of the route table × every token that is not enough.
//!
//! The requests are built from the table itself: see [`PopulatedOrganisation`].

use std::collections::BTreeMap;

use api::route::{Access, Route, Success};
use api::routes;
use http::Method;
use model::access::access_token::{SECRET_BYTES, Secret};
use model::{Id, Owner, Scope, Scopes, World as Mode};
use serde_json::json;
use service::onboarding::TokenOrder;

use crate::setup::populated_organisation::{Caller, PopulatedOrganisation, scoped, send};
use crate::setup::world::World;

/// What the sample shop needs beside the scope of its route, because it is made as by requests of the caller.
const SAMPLE_DATA_SCOPES: &str = "locations:write location_configurations:write package_types:write shipping_rules:write \
    inventory:write orders:write allocations:write shipments:write waves:write batches:write batches:purchase manifests:write";

/// What any valid token may call, whatever its scopes.
const UNSCOPED: &[(&str, &str)] = &[
    ("GET", "/search"),
    ("GET", "/summary"),
    ("GET", "/sessions"),
    ("DELETE", "/sessions/current"),
    ("DELETE", "/sessions/{session_id}"),
    ("PUT", "/me/password"),
    ("GET", "/passkeys"),
    ("POST", "/passkeys/challenge"),
    ("POST", "/passkeys"),
    ("DELETE", "/passkeys/{passkey_id}"),
    ("GET", "/me"),
];

/// What may be called without a token. Every addition is a deliberate decision.
const OPEN: &[(&str, &str)] = &[
    ("GET", "/"),
    ("GET", "/docs"),
    ("GET", "/docs/errors"),
    ("GET", "/docs/guide"),
    ("GET", "/docs/guide/labels.png"),
    ("GET", "/docs/guide/pictures/{picture}"),
    ("GET", "/docs/guide/{page}"),
    ("GET", "/docs/script.js"),
    ("GET", "/docs/search.js"),
    ("GET", "/docs/search.json"),
    ("GET", "/docs/style.css"),
    ("GET", "/files/{token}"),
    ("GET", "/healthz"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
    ("GET", "/readyz"),
    ("GET", "/sign_in_methods"),
    ("POST", "/carrier_accounts/{carrier_account_id}/webhook"),
    ("POST", "/oauth/token"),
    ("POST", "/password_resets"),
    ("POST", "/sessions"),
    ("POST", "/sessions/challenge"),
];

#[test]
fn the_routes_that_need_no_token_are_a_fixed_list() {
    let routes = routes::all();
    let open = routes.iter().filter(|route| route.access == Access::Public);
    let mut open: Vec<_> = open.map(|route| (route.method.as_str(), route.path)).collect();
    open.sort_unstable();
    assert_eq!(open, OPEN);
    let unscoped = routes.iter().filter(|route| route.access == Access::AnyToken);
    let unscoped: Vec<_> = unscoped.map(|route| (route.method.as_str(), route.path)).collect();
    assert_eq!(unscoped, UNSCOPED);
}

#[tokio::test]
async fn the_scope_of_an_operation_is_enough_for_it() {
    let world = World::new().await;
    for route in scoped() {
        // Populate an organisation per route: a resource that was deleted or used can't be used again, and an organisation
        // may have only few of some resources.
        let mode = if route.operation == "create_sample_data" { Mode::Test } else { Mode::Live };
        let ours = PopulatedOrganisation::populate(&world, route.operation, mode).await;
        let mut scope = route.scope().unwrap().to_string();
        if matches!(route.operation, "get_event" | "update_webhook_endpoint") {
            // A token sees an event only if it may also read the event's resource.
            let reads = Scope::all().map(|scope| scope.to_string()).filter(|scope| scope.ends_with(":read"));
            scope = reads.fold(scope, |all, read| format!("{all} {read}"));
        }
        if route.operation == "pack_order_allocations" {
            // It shows package types, too.
            scope = format!("{scope} package_types:read");
        }
        match route.operation {
            // The document belongs to a shipment.
            "create_print_job" | "reprint_print_job" => scope = format!("{scope} shipments:read"),
            // The answer shows a shipment.
            "get_shipment_rule_evaluation" | "hand_over_shipment" => {
                scope = format!("{scope} shipments:read")
            }
            // The scans, and what is short, are a shipment's.
            "list_shipment_scans"
            | "create_shipment_scan"
            | "get_shipment_scan"
            | "delete_shipment_scan"
            | "create_shipment_short" => scope = format!("{scope} shipments:read"),
            // It shows printers, too.
            "claim_print_jobs" => scope = format!("{scope} printers:read"),
            // It shows what the order and its allocations are.
            "create_order_shipments" => scope = format!("{scope} orders:read allocations:read"),
            // An import writes what its rows become.
            "create_import" | "set_import_content" => scope = format!("{scope} orders:write"),
            // A wave does what its steps say.
            "create_wave" | "retry_wave" => {
                scope = format!("{scope} orders:read allocations:write shipments:write batches:write");
            }
            // It is made as by requests of the caller.
            "create_sample_data" => scope = format!("{scope} {SAMPLE_DATA_SCOPES}"),
            _ => {}
        }
        let token = world.token_for(route.operation, &scope, mode).await;
        let caller = Caller::Token(token);
        let reply = send(&world, &route, &ours.path(&route), ours.body(&route), &caller).await;
        let expected = match route.success {
            // The label is there already.
            _ if route.operation == "create_shipment_labels" => 200,
            _ if route.accepts => 202,
            Success::Created(_) => 201,
            Success::Accepted(_) => 202,
            Success::Empty | Success::Revoked => 204,
            Success::Many(status, _) => status.as_u16(),
            Success::Resource(_) | Success::Answer(_) | Success::List(..) | Success::Other(_) => 200,
        };
        assert_eq!(reply.status, expected, "{} with {scope}: {reply}", route.operation);
    }
}

#[tokio::test]
async fn without_a_valid_token_nothing_is_answered() {
    let world = World::new().await;
    let ours = PopulatedOrganisation::populate(&world, "Acme", Mode::Live).await;
    let callers = invalid_callers(&world).await;
    let (before, log) = (ours.everything(&world).await, world.events().await.len());
    for route in routes::all().into_iter().filter(Route::needs_token) {
        for (name, caller) in &callers {
            let reply = send(&world, &route, &ours.path(&route), ours.body(&route), caller).await;
            let seen = (reply.status.as_u16(), reply.code(), reply.header("www-authenticate"));
            let how = "Bearer realm=\"dockside\", error=\"invalid_token\"";
            assert_eq!(seen, (401, "unauthenticated".to_owned(), how), "{} with {name}", route.operation);
        }
        if route.method == Method::GET {
            // A GET that acts has no HEAD, even for callers without a token.
            let expected = if route.acts { 405 } else { 401 };
            let head = world.request("HEAD", &ours.path(&route)).anonymous().send().await;
            assert_eq!((head.status.as_u16(), head.text.as_str()), (expected, ""), "{}", route.operation);
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
    let expired = world.service.onboarding.issue_token(order).await.unwrap().as_str().to_owned();
    let made = world.post("/access_tokens", json!({"scopes": ["*"]})).await.json();
    let (id, revoked) = (made["id"].as_str().unwrap(), made["token"].as_str().unwrap());
    let form = format!("grant_type=client_credentials&client_id={id}&client_secret={revoked}");
    let trade = world.request("POST", "/oauth/token").raw("application/x-www-form-urlencoded", form).send();
    let traded = trade.await.json()["access_token"].as_str().unwrap().to_owned();
    // Use each once while it is valid, so that the server caches it: the cache must not outlive the token.
    for good in [expired.as_str(), revoked, &traded] {
        assert_eq!(world.request("GET", "/locations").token(good).send().await.status, 200);
    }
    assert_eq!(world.delete(format!("/access_tokens/{id}")).await.status, 204);
    world.advance_seconds(60);
    vec![
        ("no token", Caller::Anonymous),
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
    let ours = PopulatedOrganisation::populate(&world, "Acme", Mode::Live).await;
    let mut tokens = BTreeMap::new();
    for route in scoped() {
        let scope = route.scope().unwrap();
        // Writing implies reading, so a token that must not read gets no write scope either.
        let grants = |other: &Scope| Scopes::default().with(*other).contains(scope);
        let others: Vec<String> =
            Scope::all().filter(|other| !grants(other)).map(|other| other.to_string()).collect();
        assert!(others.len() > 20);
        tokens.insert(scope.to_string(), world.token_for("Acme", &others.join(" "), Mode::Live).await);
    }
    let (before, log) = (ours.everything(&world).await, world.events().await.len());
    for route in scoped() {
        let scope = route.scope().unwrap().to_string();
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
