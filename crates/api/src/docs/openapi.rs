//! The OpenAPI 3.1 document, generated from the route table.

mod links;

use std::collections::BTreeMap;

use http::{Method, StatusCode};
use model::Code;
use serde_json::{Map, Value, json};

use crate::access::route::{Access, Body, Route, Success};
use crate::docs::schema::{Components, Way};
use crate::platform::parameter::{Parameter, ParameterKind};
use crate::platform::query::values_max;
use crate::platform::version::VERSION;

const ABOUT: &str = "Shipping and fulfilment: locations and location configurations, orders, allocations, shipments, \
batches, events.\n\nEvery request carries `Authorization: Bearer <token>`. Errors are problem documents (RFC 9457) \
with a stable `code`, explained at `/docs/errors`. Lists are paged by cursor, newest first. Changes take an \
`Idempotency-Key`, and `If-Match` with the `ETag` of a read.";

/// The pattern of `Idempotency-Key`: a key, or a key in double quotes. The lengths are part of the pattern because
/// quotes don't count.
const KEY: &str = r#"^([!#-~]([ -~]{0,253}[!-~])?|"([ -~]{0,253}[!#-~]|[ -~]{1,255}")?)$"#;

/// Returns the whole document.
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
        "security": security(route),
    });
    let about = match route.access {
        Access::Scope(scope) => format!("{}\n\nScope: `{scope}`.", route.about),
        Access::AnyToken => format!("{}\n\nScope: none, any valid token.", route.about),
        Access::Public => route.about.to_owned(),
    };
    if !about.is_empty() {
        operation["description"] = about.trim_start().into();
    }
    if let Some(body) = &route.body {
        operation["requestBody"] = request_body(body, components);
    }
    operation
}

fn security(route: &Route) -> Value {
    match route.access {
        Access::Public => json!([]),
        Access::AnyToken => json!([{ "bearer": [] }]),
        Access::Scope(scope) => json!([{ "bearer": [scope.to_string()] }]),
    }
}

/// Returns the media types of a file that is imported.
fn file_content() -> Value {
    let text = json!({ "schema": { "type": "string" } });
    json!({ "text/csv": text, "application/x-ndjson": text })
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
        // Without a schema, some generators of clients leave the operation out.
        Body::Raw { .. } => {
            json!({ "application/octet-stream": { "schema": { "type": "string", "format": "binary" } } })
        }
        Body::File => file_content(),
        Body::JsonOrFile(shape) => {
            let mut content = file_content();
            content["application/json"] = json!({ "schema": components.schema(shape, Way::In) });
            content
        }
    };
    json!({ "required": !matches!(body, Body::Optional(_)), "content": content })
}

/// Returns whether the path is that of a resource with an `ETag`, for which `If-Match` is meaningful.
fn is_tagged(route: &Route, routes: &[Route]) -> bool {
    routes.iter().any(|other| other.path == route.path && other.has_etag())
}

fn parameters(route: &Route, routes: &[Route], components: &mut Components) -> Value {
    let ids = route.path_parameters().map(|(name, shape)| {
        json!({ "name": name, "in": "path", "required": true, "schema": components.schema(shape, Way::In) })
    });
    let mut all: Vec<Value> = ids.collect();
    all.extend(route.parameters.iter().map(|parameter| query_parameter(parameter, components)));
    if route.writes() {
        all.push(json!({
            "name": "Idempotency-Key", "in": "header", "required": false,
            "description": "Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key.",
            "schema": { "type": "string", "pattern": KEY },
        }));
    }
    if is_tagged(route, routes) && matches!(route.method, Method::PATCH | Method::DELETE) {
        all.push(json!({
            "name": "If-Match", "in": "header", "required": false,
            "description": "The `ETag` of the state that the change is meant for; 412 where it has changed since.",
            "schema": { "type": "string" }, "example": "\"1\"",
        }));
    }
    if route.has_etag() && route.method == Method::GET {
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
            json!({ "type": "array", "maxItems": values_max(shape), "items": components.schema(shape, Way::In) })
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
    let (status, mut response) = success(route, components);
    let links = links::links(route, routes);
    if !links.is_empty() {
        response["links"] = links.into();
    }
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
    if route.has_etag() && route.method == Method::GET {
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

/// Returns all codes with which the operation may be refused.
pub fn refusals_of(route: &Route) -> Vec<Code> {
    let mut codes = vec![
        Code::InvalidQuery,
        Code::UnknownVersion,
        Code::MethodNotAllowed,
        Code::HeadersTooLarge,
        Code::Overloaded,
        Code::RequestTimeLimit,
    ];
    if route.needs_token() {
        codes.extend([Code::Unauthenticated, Code::RateLimited, Code::StoreUnavailable]);
    }
    if route.scope().is_some() {
        codes.push(Code::InsufficientScope);
    }
    if !route.ids.is_empty() {
        codes.push(Code::NotFound);
    }
    if route.is_list() {
        codes.extend([Code::InvalidLimit, Code::InvalidCursor]);
    }
    if route.writes() {
        codes.extend([Code::InvalidHeader, Code::IdempotencyInProgress, Code::IdempotencyKeyReused]);
    }
    if matches!(route.method, Method::PATCH | Method::DELETE) {
        codes.push(Code::PreconditionFailed);
    }
    if route.body.is_some() {
        codes.push(Code::UnsupportedMediaType);
    }
    // An endpoint without a body also reads one, to refuse its fields.
    codes.extend([Code::Timeout, Code::BodyTooLarge]);
    if !matches!(route.body, Some(Body::Form(_) | Body::Raw { .. } | Body::File)) {
        codes.extend([Code::InvalidJson, Code::DuplicateKey, Code::ValidationFailed, Code::UnknownField]);
    }
    codes.extend(route.refusals);
    codes
}

/// Returns the headers of a read that name the position in the event log at which its state was read.
fn position_headers() -> Value {
    json!({
        "Stream-Offset": { "description": "How far the event log had come: subscribe from here, and nothing is missed.", "schema": { "type": "integer" } },
        "Stream-Epoch": { "description": "Which log that is.", "schema": { "type": "string" } },
    })
}

fn success(route: &Route, components: &mut Components) -> (&'static str, Value) {
    let json_of = |schema: Value| json!({ "application/json": { "schema": schema } });
    let etag = json!({ "ETag": { "description": "The tag of this state.", "schema": { "type": "string" } } });
    match &route.success {
        Success::Resource(shape) => {
            let content = json_of(components.schema(shape, Way::Out));
            let mut headers = if route.needs_token() { etag } else { json!({}) };
            if route.shows_state() {
                merge(&mut headers, position_headers());
            }
            ("200", json!({ "description": shape.about, "headers": headers, "content": content }))
        }
        Success::Answer(shape) => {
            let content = json_of(components.schema(shape, Way::Out));
            ("200", json!({ "description": shape.about, "content": content }))
        }
        Success::Accepted(shape) => {
            let content = json_of(components.schema(shape, Way::Out));
            ("202", json!({ "description": shape.about, "content": content }))
        }
        Success::Created(shape) => {
            let content = json_of(components.schema(shape, Way::Out));
            let mut headers = etag;
            headers["Location"] = json!({ "description": "Where it lives.", "schema": { "type": "string" } });
            ("201", json!({ "description": shape.about, "headers": headers, "content": content }))
        }
        Success::Many(status, shape) => {
            let items = json!({ "type": "array", "items": components.schema(shape, Way::Out),
                "description": "What was made or changed, in the order of the request." });
            let schema = json!({ "type": "object", "required": ["data"], "properties": { "data": items } });
            let status = if *status == StatusCode::CREATED { "201" } else { "200" };
            let mut response = json!({ "description": shape.about, "content": json_of(schema) });
            if route.tagged {
                response["headers"] = etag;
            }
            (status, response)
        }
        Success::List(name, shape) => {
            let cursor = |about: &str| json!({ "type": ["string", "null"], "description": about });
            let schema = json!({
                "type": "object",
                "required": [name, "next_cursor", "previous_cursor", "limit"],
                "properties": {
                    *name: { "type": "array", "items": components.schema(shape, Way::Out),
                        "description": "The entries of this page, newest first unless the operation says otherwise." },
                    "next_cursor": cursor("Pass it as `cursor` for the page behind this one. Null at the end of the list."),
                    "previous_cursor": cursor("Pass it as `cursor` for the page before this one. Null at the beginning."),
                    "limit": { "type": "integer", "minimum": 1,
                        "description": "The page size that was applied, which may be less than what was asked for." },
                },
            });
            let mut headers = json!({ "Link": { "description": "The pages around this one (RFC 8288).", "schema": { "type": "string" } } });
            merge(&mut headers, position_headers());
            ("200", json!({ "description": "A page.", "headers": headers, "content": json_of(schema) }))
        }
        Success::Empty => ("204", json!({ "description": "Done. The body is empty." })),
        Success::Revoked => {
            let about = "The ids of all tokens that were revoked, the named one first, separated by commas; at most 100.";
            let headers =
                json!({ "Dockside-Revoked": { "description": about, "schema": { "type": "string" } } });
            ("204", json!({ "description": "Done. The body is empty.", "headers": headers }))
        }
        Success::Other(media_type) => {
            ("200", json!({ "description": route.summary, "content": { *media_type: {} } }))
        }
    }
}

/// Returns the headers of a 202 answer, which comes before the operation has finished.
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

fn problem_schema() -> Value {
    let said = |about: &str| json!({ "type": "string", "description": about });
    let entry = json!({
        "type": "object",
        "description": "One thing that is wrong with the request.",
        "required": ["type", "code", "source", "message", "field"],
        "properties": {
            "type": said("`validation_error`, or `state_error` where the request was sound and the state of things forbids it."),
            "code": said("The cause in a word for programs, such as `required` or `out_of_range`. Stable."),
            "source": said("Always `request`: it is the caller's to repair."),
            "message": said("A sentence for people that says what would be right."),
            "field": said("Where: a JSON pointer into the body (`/items/0/quantity`), or the name of a parameter or header."),
        },
    });
    json!({
        "type": "object",
        "description": "Why a request was refused (RFC 9457).",
        "required": ["type", "title", "status", "detail", "code", "request_id", "errors"],
        "properties": {
            "type": said("The address on this server that explains the `code`, and what to do about it."),
            "title": said("What went wrong, the same for every problem with this `code`."),
            "status": { "type": "integer", "description": "The HTTP status of the answer once more, for programs that keep bodies only." },
            "detail": said("What went wrong with this very request, or what to do next."),
            "code": { "type": "string", "description": "Stable: programs may match it.",
                "enum": Code::ALL.iter().map(|code| code.as_str()).collect::<Vec<_>>() },
            "request_id": said("Finds the request in the operator's log: the `X-Request-Id` that you sent, or a new one."),
            "errors": { "type": "array", "items": entry,
                "description": "Every field at fault, all at once, up to 100. If there are more, one last entry with the code `more_errors` says how many in `omitted_count`. Empty where the request as a whole is refused." },
        },
    })
}
