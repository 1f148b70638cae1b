//! The contract: the committed OpenAPI document is what the route table says, and is sound.

use std::collections::{BTreeSet, HashSet};

use api::openapi::{document, refusals_of};
use api::parameter::ParameterKind;
use api::route::{Access, Body, Route, Success};
use api::routes;
use model::Code;
use model::platform::shape::{Kind, Shape};
use serde_json::{Value, json};

use crate::setup::world::World;

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi.json");

#[test]
fn the_committed_document_is_the_route_tables() {
    let committed = std::fs::read_to_string(COMMITTED).expect("openapi.json is committed");
    let current = format!("{}\n", serde_json::to_string_pretty(&document(&routes::all())).unwrap());
    let same = committed.lines().zip(current.lines()).take_while(|(old, new)| old == new).count();
    assert!(
        committed == current,
        "openapi.json is stale from line {}: `cargo run -q -p dockside -- openapi > openapi.json`",
        same + 1
    );
}

#[tokio::test]
async fn the_served_document_is_the_committed_one() {
    let world = World::new().await;
    let reply = world.request("GET", "/openapi.json").anonymous().send().await;
    assert_eq!(reply.header("content-type"), "application/json");
    let committed: Value = serde_json::from_str(&std::fs::read_to_string(COMMITTED).unwrap()).unwrap();
    assert_eq!(reply.json(), committed);
}

/// Every value in a document with its JSON pointer.
fn visit<'a>(value: &'a Value, at: &str, see: &mut impl FnMut(&str, &'a Value)) {
    see(at, value);
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                visit(value, &format!("{at}{}", model::platform::pointer::pointer([name.as_str()])), see);
            }
        }
        Value::Array(items) => {
            for (place, value) in items.iter().enumerate() {
                visit(value, &format!("{at}/{place}"), see);
            }
        }
        _ => {}
    }
}

#[test]
fn every_reference_leads_somewhere_and_every_schema_is_used() {
    let document = document(&routes::all());
    let mut used = HashSet::new();
    visit(&document, "", &mut |at, value| {
        if let Some(target) = value.get("$ref").and_then(Value::as_str) {
            let pointer = target.strip_prefix('#').expect("references stay in the document");
            let found = document.pointer(pointer);
            assert!(found.is_some_and(Value::is_object), "{at} refers to {target}");
            used.insert(target.to_owned());
        }
    });
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(used.contains(&format!("#/components/schemas/{name}")), "nothing refers to {name}");
    }
}

#[test]
fn every_route_is_in_the_document_and_nothing_else() {
    let routes = routes::all();
    let document = document(&routes);
    let mut expected = BTreeSet::new();
    for route in &routes {
        let method = route.method.as_str().to_ascii_lowercase();
        let operation = &document["paths"][route.path][&method];
        assert_eq!(operation["operationId"], route.operation, "{method} {}", route.path);
        assert_eq!(operation["summary"], route.summary);
        let security = match route.access {
            Access::Scope(scope) => serde_json::json!([{ "bearer": [scope.to_string()] }]),
            Access::AnyToken => serde_json::json!([{ "bearer": [] }]),
            Access::Public => serde_json::json!([]),
        };
        assert_eq!(operation["security"], security, "{method} {}", route.path);
        expected.insert((route.path.to_owned(), method));
    }
    let paths = document["paths"].as_object().unwrap();
    let written = paths.iter().flat_map(|(path, methods)| {
        methods.as_object().unwrap().keys().map(move |method| (path.clone(), method.clone()))
    });
    assert_eq!(written.collect::<BTreeSet<_>>(), expected);
}

#[test]
fn operations_are_named_by_verb_and_noun_each_once() {
    let verbs = [
        "list",
        "create",
        "get",
        "update",
        "delete",
        "check",
        "set",
        "adjust",
        "commit",
        "cancel",
        "plan",
        "pack",
        "hand",
        "match",
        "hold",
        "release",
        "reorder",
        "evaluate",
        "search",
        "export",
        "audit",
        "provision",
        "deprovision",
        "rotate",
        "test",
        "replay",
        "rate",
        "purchase",
        "void",
        "resolve",
        "retry",
        "add",
        "remove",
        "claim",
        "report",
        "reprint",
        "disable",
        "enable",
        "sign",
    ];
    let mut seen = HashSet::new();
    for route in routes::all() {
        let (verb, noun) = route.operation.split_once('_').unwrap_or((route.operation, ""));
        assert!(verbs.contains(&verb) && !noun.is_empty(), "{}", route.operation);
        assert!(route.operation.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'));
        assert!(seen.insert(route.operation), "{} stands for two routes", route.operation);
        assert!(
            route.summary.starts_with(char::is_uppercase) && !route.summary.ends_with('.'),
            "{}",
            route.summary
        );
    }
}

#[test]
fn paths_declare_their_parameters() {
    let routes = routes::all();
    let document = document(&routes);
    for route in &routes {
        let named: Vec<&str> =
            route.path.split('/').filter_map(|step| step.strip_prefix('{')?.strip_suffix('}')).collect();
        assert_eq!(named.len(), route.ids.len(), "{}", route.path);
        let method = route.method.as_str().to_ascii_lowercase();
        let parameters = document["paths"][route.path][&method]["parameters"].as_array().unwrap();
        let of_place = |place: &str| -> Vec<&str> {
            let here = parameters.iter().filter(|parameter| parameter["in"] == place);
            here.map(|parameter| parameter["name"].as_str().unwrap()).collect()
        };
        assert_eq!(of_place("path"), named, "{}", route.path);
        let query: Vec<&str> = route.parameters.iter().map(|parameter| parameter.name).collect();
        assert_eq!(of_place("query"), query, "{}", route.path);
        assert_eq!(of_place("header").contains(&"Idempotency-Key"), route.writes(), "{}", route.path);
    }
}

/// The shapes that a route shows or takes.
fn shapes(route: &Route) -> Vec<&'static Shape> {
    let mut shapes = route.ids.clone();
    shapes.extend(route.parameters.iter().filter_map(|parameter| match parameter.kind {
        ParameterKind::List(shape) | ParameterKind::One(shape) => Some(shape),
        _ => None,
    }));
    shapes.extend(route.body.iter().filter_map(|body| match body {
        Body::Json(shape)
        | Body::Patch(shape)
        | Body::Form(shape)
        | Body::Optional(shape)
        | Body::JsonOrFile(shape) => Some(*shape),
        Body::Raw { .. } | Body::File => None,
    }));
    match route.success {
        Success::Resource(shape)
        | Success::Answer(shape)
        | Success::Created(shape)
        | Success::Accepted(shape)
        | Success::Many(_, shape)
        | Success::List(_, shape) => shapes.push(shape),
        Success::Empty | Success::Revoked | Success::Other(_) => {}
    }
    shapes
}

/// The shape and all shapes within it.
fn within(shape: &'static Shape, all: &mut Vec<&'static Shape>) {
    if all.iter().any(|known| std::ptr::eq(*known, shape)) {
        return;
    }
    all.push(shape);
    match &shape.kind {
        Kind::List { of, .. } | Kind::Map { of, .. } => within(of, all),
        Kind::Object { fields, .. } => fields.iter().for_each(|field| within(field.shape, all)),
        _ => {}
    }
}

#[test]
fn every_example_passes_its_own_shape() {
    let mut all = Vec::new();
    for shape in routes::all().iter().flat_map(shapes) {
        within(shape, &mut all);
    }
    let mut examples = 0;
    for shape in all {
        assert!(!shape.about.is_empty(), "{:?} is not described", shape.name);
        let Some(text) = shape.example else { continue };
        let mut example: Value = serde_json::from_str(text).expect(text);
        let given = example.clone();
        let mut issues = model::platform::shape::Issues::default();
        shape.check(&mut example, &model::platform::shape::Path::Root(""), &mut issues);
        assert!(issues.is_empty(), "{text}: {issues:?}");
        assert_eq!(example, given, "an example is in its normal form");
        examples += 1;
    }
    assert!(examples >= 10, "only {examples} examples were found");
}

/// A request may name a shipment or a location by the whole resource as it was read. The schema of the request lists the same
/// fields as the server accepts: every field of the resource, and no others.
#[tokio::test]
async fn a_resource_named_by_all_that_was_read_of_it_fits_the_schema() {
    let world = World::rehearsal().await;
    let shipment = world.get(&world.parcels(1).await[0]).await.json();
    let location = world.get(format!("/locations/{}", world.location("Depot").await)).await.json();
    let schemas = document(&routes::all())["components"]["schemas"].take();
    for (name, path, field, read) in [
        ("ShipmentById", "/batches", "shipments", shipment),
        ("LocationById", "/manifests", "location", location),
    ] {
        let schema = &schemas[name];
        assert_eq!(schema["required"], json!(["id"]), "{name}");
        assert_eq!(schema["additionalProperties"], json!(false), "{name}");
        for key in read.as_object().unwrap().keys() {
            assert!(schema["properties"][key].is_object(), "{name} has no {key}");
        }
        let mut every = read;
        for key in schema["properties"].as_object().unwrap().keys().filter(|key| *key != "id") {
            every[key] = json!("ignored");
        }
        let accepted = world.post(path, json!({ field: every })).await;
        assert!(accepted.status.is_success(), "{name}: {accepted}");
        every["colour"] = json!("blue");
        let refused = world.post(path, json!({ field: every })).await;
        assert_eq!(refused.issues()[0].0, "unknown_field", "{name}: {refused}");
    }
}

#[test]
fn every_code_is_documented_where_it_may_be_met() {
    let routes = routes::all();
    let document = document(&routes);
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"], json!(codes));
    for route in &routes {
        let method = route.method.as_str().to_ascii_lowercase();
        let responses = &document["paths"][route.path][&method]["responses"];
        for code in refusals_of(route) {
            let response = &responses[code.status().to_string()];
            let description = response["description"].as_str().unwrap_or_default();
            let (word, place) = (code.as_str(), route.operation);
            assert!(description.contains(&format!("`{word}`")), "{place} does not tell of {word}");
            assert!(response["content"]["application/problem+json"].is_object(), "{place}: {word}");
        }
    }
}

#[test]
fn every_code_of_a_rule_belongs_to_some_operation() {
    let routes = routes::all().into_iter().chain(routes::connections());
    let met: HashSet<&str> = routes.flat_map(|route| refusals_of(&route)).map(Code::as_str).collect();
    // What the server itself may say before or beside any operation.
    let anywhere = ["internal_error", "malformed_request", "headers_too_large", "time_limit"];
    // What the `error` of an import says, and the errors of its rows: its file is read after the answer.
    let in_imports = [
        "import_column_missing",
        "import_empty",
        "import_stopped",
        "import_too_many_errors",
        "ambiguous_key",
        "order_rows_apart",
        "row_too_large",
        "row_not_text",
    ];
    for code in Code::ALL {
        let word = code.as_str();
        let is_met = met.contains(word) || anywhere.contains(&word) || in_imports.contains(&word);
        assert!(is_met, "no operation may answer {word}");
    }
}

#[tokio::test]
async fn the_problem_page_explains_every_code() {
    let world = World::new().await;
    let page = world.request("GET", "/docs/errors").anonymous().send().await;
    assert!(page.header("content-type").starts_with("text/html"));
    for code in Code::ALL {
        assert!(page.text.contains(&format!("id=\"{}\"", code.as_str())), "{} has no place", code.as_str());
    }
}
