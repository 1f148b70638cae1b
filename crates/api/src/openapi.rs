//! The contract, OpenAPI 3.1, written from the route table.

use std::collections::BTreeMap;

use http::{Method, StatusCode};
use model::Code;
use model::shape::Kind;
use serde_json::{Map, Value, json};

use crate::VERSION;
use crate::call::QUERY_IDS_MAX;
use crate::locations::TAGS_MAX;
use crate::route::{Body, Parameter, ParameterKind, Route, Success};
use crate::schema::{Components, Way};

const ABOUT: &str = "Shipping and fulfilment: locations and location configurations, orders, allocations, shipments, \
batches, events.\n\nEvery request carries `Authorization: Bearer <token>`. Errors are problem documents (RFC 9457) \
with a stable `code`, explained at `/docs/errors`. Lists are paged by cursor, newest first. Changes take an \
`Idempotency-Key`, and `If-Match` with the `ETag` of a read.";

/// The whole document.
pub fn document(routes: &[Route]) -> Value {
    let mut components = Components::default();
    components.insert("Problem", problem_schema());
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for route in routes {
        let operation = operation(route, routes, &mut components);
        paths.entry(route.path).or_default().insert(route.method.as_str().to_ascii_lowercase(), operation);
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Dockside", "version": VERSION, "description": ABOUT, "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" } },
        "servers": [{ "url": "/" }],
        "tags": tags(routes),
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer", "description": "An access token: `dk_live_…` or `dk_test_…`." }
            },
            "schemas": components.into_schemas(),
        },
    })
}

fn tags(routes: &[Route]) -> Value {
    let mut names: Vec<&str> = Vec::new();
    for route in routes {
        if !names.contains(&route.group()) {
            names.push(route.group());
        }
    }
    names.into_iter().map(|name| json!({ "name": name })).collect()
}

fn operation(route: &Route, routes: &[Route], components: &mut Components) -> Value {
    let mut operation = json!({
        "operationId": route.operation,
        "summary": route.summary,
        "tags": [route.group()],
        "parameters": parameters(route, routes, components),
        "responses": responses(route, routes, components),
        "security": route.scope.map_or(json!([]), |scope| json!([{ "bearer": [scope.to_string()] }])),
    });
    if let Some(scope) = route.scope {
        let about = format!("{}\n\nScope: `{scope}`.", route.about);
        operation["description"] = about.trim_start().into();
    } else if !route.about.is_empty() {
        operation["description"] = route.about.into();
    }
    if let Some(body) = &route.body {
        operation["requestBody"] = request_body(body, components);
    }
    operation
}

fn request_body(body: &Body, components: &mut Components) -> Value {
    let content = match body {
        Body::Json(shape) | Body::Optional(shape) => {
            json!({ "application/json": { "schema": components.schema(shape, Way::In) } })
        }
        Body::Patch(shape) => {
            let schema = components.schema(shape, Way::Patch);
            json!({
                "application/json": { "schema": schema },
                "application/merge-patch+json": { "schema": schema },
            })
        }
        Body::Form(shape) => {
            json!({ "application/x-www-form-urlencoded": { "schema": components.schema(shape, Way::In) } })
        }
        Body::Raw => json!({ "application/octet-stream": {} }),
    };
    json!({ "required": !matches!(body, Body::Optional(_)), "content": content })
}

/// Whether the path is that of a resource with states to tag: then `If-Match` means something there.
fn is_tagged(route: &Route, routes: &[Route]) -> bool {
    routes.iter().any(|other| other.path == route.path && matches!(other.success, Success::Resource(_)))
}

fn parameters(route: &Route, routes: &[Route], components: &mut Components) -> Value {
    let names = route.path.split('/').filter_map(|step| step.strip_prefix('{')?.strip_suffix('}'));
    let ids = names.zip(&route.ids).map(|(name, shape)| {
        json!({ "name": name, "in": "path", "required": true, "schema": components.schema(shape, Way::In) })
    });
    let mut all: Vec<Value> = ids.collect();
    all.extend(route.parameters.iter().map(|parameter| query_parameter(parameter, components)));
    if route.writes() {
        all.push(json!({
            "name": "Idempotency-Key", "in": "header", "required": false,
            "description": "Makes the request safe to repeat: the first answer is kept for a day and given again.",
            "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!#-~]([ -~]*[!#-~])?$" },
        }));
    }
    if is_tagged(route, routes) && matches!(route.method, Method::PATCH | Method::DELETE) {
        all.push(json!({
            "name": "If-Match", "in": "header", "required": false,
            "description": "The `ETag` of the state that the change is meant for; 412 where it has changed since.",
            "schema": { "type": "string" }, "example": "\"1\"",
        }));
    }
    if matches!(route.success, Success::Resource(_)) && route.method == Method::GET {
        all.push(json!({
            "name": "If-None-Match", "in": "header", "required": false,
            "description": "The `ETag` of the state that the caller has; 304 where it is still the same.",
            "schema": { "type": "string" }, "example": "\"1\"",
        }));
    }
    all.into()
}

fn query_parameter(parameter: &Parameter, components: &mut Components) -> Value {
    let schema = match parameter.kind {
        ParameterKind::Limit => json!({ "type": "integer", "minimum": 1, "default": 20 }),
        ParameterKind::Cursor => json!({ "type": "string" }),
        ParameterKind::List(shape) => {
            let most = if matches!(shape.kind, Kind::Identifier(_)) { QUERY_IDS_MAX } else { TAGS_MAX };
            json!({ "type": "array", "maxItems": most, "items": components.schema(shape, Way::In) })
        }
        ParameterKind::One(shape) => components.schema(shape, Way::In),
        ParameterKind::Flag => json!({ "type": "boolean" }),
        ParameterKind::Words(words) => {
            json!({ "type": "array", "items": { "type": "string", "enum": words } })
        }
    };
    let mut value = json!({
        "name": parameter.name, "in": "query", "required": false, "description": parameter.about, "schema": schema,
    });
    if matches!(parameter.kind, ParameterKind::List(_) | ParameterKind::Words(_)) {
        value["style"] = "form".into();
        value["explode"] = false.into();
    }
    value
}

fn responses(route: &Route, routes: &[Route], components: &mut Components) -> Value {
    let mut all: BTreeMap<String, Value> = BTreeMap::new();
    let (status, response) = success(route, routes, components);
    if route.accepts {
        let mut accepted = response.clone();
        accepted["description"] =
            "It takes longer. Read the resource at `Location` again, or wait for its event.".into();
        let mut headers = accepted.get("headers").cloned().unwrap_or_else(|| json!({}));
        merge(&mut headers, accepted_headers());
        accepted["headers"] = headers;
        all.insert("202".to_owned(), accepted);
    }
    if route.repeats {
        let mut repeated = response.clone();
        repeated["description"] = "It was done before: nothing is new.".into();
        all.insert("200".to_owned(), repeated);
    }
    all.insert(status.to_owned(), response);
    if matches!(route.success, Success::Resource(_)) && route.method == Method::GET {
        all.insert("304".to_owned(), json!({ "description": "The caller has this state already." }));
    }
    let mut refusals: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in refusals_of(route) {
        refusals.entry(code.status()).or_default().push(code);
    }
    for (status, codes) in refusals {
        let lines: Vec<_> =
            codes.iter().map(|code| format!("`{}`: {}", code.as_str(), code.title())).collect();
        let schema = json!({ "$ref": "#/components/schemas/Problem" });
        let mut response = json!({
            "description": lines.join("\n\n"),
            "content": { "application/problem+json": { "schema": schema } },
        });
        if matches!(status, 429 | 503) {
            response["headers"] = json!({ "Retry-After": { "description": "Seconds to wait.", "schema": { "type": "integer" } } });
        }
        all.insert(status.to_string(), response);
    }
    json!(all)
}

/// Everything that may refuse the operation, so that a client knows each code it may meet.
pub fn refusals_of(route: &Route) -> Vec<Code> {
    let mut codes = vec![
        Code::InvalidQuery,
        Code::UnknownVersion,
        Code::MethodNotAllowed,
        Code::HeadersTooLarge,
        Code::Overloaded,
        Code::RequestTimeLimit,
    ];
    if route.scope.is_some() {
        codes.extend([
            Code::Unauthenticated,
            Code::InsufficientScope,
            Code::RateLimited,
            Code::StoreUnavailable,
        ]);
    }
    if !route.ids.is_empty() {
        codes.push(Code::NotFound);
    }
    if matches!(route.success, Success::List(..)) {
        codes.extend([Code::InvalidLimit, Code::InvalidCursor]);
    }
    if route.writes() {
        codes.extend([Code::InvalidHeader, Code::IdempotencyInProgress, Code::IdempotencyKeyReused]);
    }
    if matches!(route.method, Method::PATCH | Method::DELETE) {
        codes.push(Code::PreconditionFailed);
    }
    if route.body.is_some() {
        codes.extend([Code::Timeout, Code::BodyTooLarge, Code::UnsupportedMediaType]);
    }
    if matches!(route.body, Some(Body::Json(_) | Body::Patch(_) | Body::Optional(_))) {
        codes.extend([Code::InvalidJson, Code::DuplicateKey, Code::ValidationFailed, Code::UnknownField]);
    }
    codes.extend(route.refusals);
    codes
}

/// The headers of a read that tell where in the event log its state was.
fn position_headers() -> Value {
    json!({
        "Stream-Offset": { "description": "How far the event log had come: subscribe from here, and nothing is missed.", "schema": { "type": "integer" } },
        "Stream-Epoch": { "description": "Which log that is.", "schema": { "type": "string" } },
    })
}

fn success(route: &Route, routes: &[Route], components: &mut Components) -> (&'static str, Value) {
    let json_of = |schema: Value| json!({ "application/json": { "schema": schema } });
    let etag = json!({ "ETag": { "description": "The tag of this state.", "schema": { "type": "string" } } });
    match &route.success {
        Success::Resource(shape) => {
            let content = json_of(components.schema(shape, Way::Out));
            let mut headers = if route.scope.is_some() { etag } else { json!({}) };
            if route.shows_state() {
                merge(&mut headers, position_headers());
            }
            ("200", json!({ "description": shape.about, "headers": headers, "content": content }))
        }
        Success::Answer(shape) => {
            let content = json_of(components.schema(shape, Way::Out));
            ("200", json!({ "description": shape.about, "content": content }))
        }
        Success::Created(shape) => {
            let content = json_of(components.schema(shape, Way::Out));
            let mut headers = etag;
            headers["Location"] = json!({ "description": "Where it lives.", "schema": { "type": "string" } });
            let links = links(route, routes);
            (
                "201",
                json!({ "description": shape.about, "headers": headers, "content": content, "links": links }),
            )
        }
        Success::Many(status, shape) => {
            let items = json!({ "type": "array", "items": components.schema(shape, Way::Out) });
            let schema = json!({ "type": "object", "required": ["data"], "properties": { "data": items } });
            let status = if *status == StatusCode::CREATED { "201" } else { "200" };
            (status, json!({ "description": shape.about, "content": json_of(schema) }))
        }
        Success::List(name, shape) => {
            let cursor = json!({ "type": ["string", "null"] });
            let schema = json!({
                "type": "object",
                "required": [name, "next_cursor", "previous_cursor", "limit"],
                "properties": {
                    *name: { "type": "array", "items": components.schema(shape, Way::Out) },
                    "next_cursor": cursor,
                    "previous_cursor": cursor,
                    "limit": { "type": "integer", "minimum": 1 },
                },
            });
            let mut headers = json!({ "Link": { "description": "The pages around this one (RFC 8288).", "schema": { "type": "string" } } });
            merge(&mut headers, position_headers());
            ("200", json!({ "description": "A page.", "headers": headers, "content": json_of(schema) }))
        }
        Success::Empty => ("204", json!({ "description": "Done. The body is empty." })),
        Success::Other(media_type) => {
            ("200", json!({ "description": route.summary, "content": { *media_type: {} } }))
        }
    }
}

/// The headers of an answer that comes before the end.
fn accepted_headers() -> Value {
    json!({
        "Location": { "description": "Where to look again.", "schema": { "type": "string" } },
        "Retry-After": { "description": "In how many seconds.", "schema": { "type": "integer" } },
    })
}

fn merge(headers: &mut Value, more: Value) {
    if let (Value::Object(headers), Value::Object(more)) = (headers, more) {
        headers.extend(more);
    }
}

/// From a new resource to what can be done with it.
fn links(route: &Route, routes: &[Route]) -> Value {
    let mut links = Map::new();
    for other in routes.iter().filter(|other| other.ids.len() == 1) {
        let rest = other.path.strip_prefix(route.path).and_then(|rest| rest.strip_prefix("/{"));
        if let Some(name) = rest.and_then(|rest| rest.split('}').next()) {
            let link =
                json!({ "operationId": other.operation, "parameters": { name: "$response.body#/id" } });
            links.insert(other.operation.to_owned(), link);
        }
    }
    Value::Object(links)
}

fn problem_schema() -> Value {
    let text = json!({ "type": "string" });
    let entry = json!({
        "type": "object",
        "description": "One thing that is wrong with the request.",
        "required": ["type", "code", "source", "message", "field"],
        "properties": { "type": text, "code": text, "source": text, "message": text,
            "field": { "type": "string", "description": "A JSON pointer into the body, or a parameter's name." } },
    });
    json!({
        "type": "object",
        "description": "Why a request was refused (RFC 9457).",
        "required": ["type", "title", "status", "detail", "code", "request_id", "errors"],
        "properties": {
            "type": { "type": "string", "description": "Where the code is explained." },
            "title": text,
            "status": { "type": "integer" },
            "detail": text,
            "code": { "type": "string", "description": "Stable: programs may match it.",
                "enum": Code::ALL.iter().map(|code| code.as_str()).collect::<Vec<_>>() },
            "request_id": text,
            "errors": { "type": "array", "items": entry },
        },
    })
}
