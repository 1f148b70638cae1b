//! The code column of an operation: its request in each language, and its answer.

use http::{Method, StatusCode};
use model::platform::shape::Shape;
use serde_json::Value;

use super::code::{TOKEN, Within, block, copy_button, json, panel, quote, url, write_json};
use super::example::{self, ID_BODY, Way};
use super::html::Html;
use super::samples;
use crate::access::route::{Body, Route, Success};

/// Writes the request of an operation in each language, one shown at a time. Choosing needs no script: the languages
/// are radio buttons, and the style sheet shows the block behind the chosen one. `place` keeps the ids apart if an
/// operation appears twice.
pub fn request(html: &mut Html, caption: &str, place: &'static str, route: &Route, headers: &[(&str, &str)]) {
    html.tag("figure", &[("class", "panel tabs")], |html| {
        let group = format!("{place}-{}", route.operation);
        for (language, name) in LANGUAGES {
            let id = format!("{group}-{language}");
            let attributes =
                [("type", "radio"), ("name", &*group), ("id", &id), ("class", language), ("checked", "")];
            html.void("input", if *language == "curl" { &attributes } else { &attributes[..4] });
            html.tag("label", &[("for", &id)], |html| html.text(name));
        }
        copy_button(html, caption);
        html.line("p", "caption", caption);
        block(html, &format!("{caption} with curl"), "curl", |html| curl(html, route, headers));
        block(html, &format!("{caption} in JavaScript"), "js", |html| {
            samples::javascript(html, route, headers)
        });
        block(html, &format!("{caption} in Python"), "py", |html| samples::python(html, route, headers));
    });
}

/// The languages of the examples, with the CSS class and the name of each.
const LANGUAGES: &[(&str, &str)] = &[("curl", "curl"), ("js", "JavaScript"), ("py", "Python")];

/// Writes the request and the answer of an operation.
pub fn examples(html: &mut Html, route: &Route) {
    request(html, &format!("{} {}", route.method, route.path), "call", route, &[]);
    if names_an_id(route) {
        html.tag("p", &[("class", "hint")], |html| {
            html.markup("Put ids of your own where they are <span class=\"fill\">underlined</span>.");
        });
    }
    let (status, body) = answer(&route.success);
    let caption = format!("{} {}", status.as_str(), status.canonical_reason().unwrap_or_default());
    match body {
        Some(body) => panel(html, &caption, |html| json(html, &body)),
        None => html.line("p", "bodiless", &caption),
    }
}

/// Returns the status of a success, and an example of its body if that is JSON.
pub fn answer(success: &Success) -> (StatusCode, Option<Value>) {
    match success {
        Success::Resource(shape) | Success::Answer(shape) => {
            (StatusCode::OK, Some(example::value(shape, Way::Answer)))
        }
        Success::Created(shape) => (StatusCode::CREATED, Some(example::value(shape, Way::Answer))),
        Success::Accepted(shape) => (StatusCode::ACCEPTED, Some(example::value(shape, Way::Answer))),
        Success::Many(status, shape) => {
            (*status, Some(serde_json::json!({ "data": [example::value(shape, Way::Answer)] })))
        }
        Success::List(name, shape) => {
            let page = serde_json::json!({
                *name: [example::value(shape, Way::Answer)],
                "next_cursor": null,
                "previous_cursor": null,
                "limit": 20,
            });
            (StatusCode::OK, Some(page))
        }
        Success::Empty | Success::Revoked => (StatusCode::NO_CONTENT, None),
        Success::Other(_) => (StatusCode::OK, None),
    }
}

fn names_an_id(route: &Route) -> bool {
    let in_body = |shape: &Shape| example::value(shape, Way::Request).to_string().contains(ID_BODY);
    let is_in_body = match &route.body {
        Some(Body::Json(shape) | Body::Optional(shape) | Body::JsonOrFile(shape)) => in_body(shape),
        Some(Body::Patch(shape)) => example::patch(shape).to_string().contains(ID_BODY),
        Some(Body::Form(_)) => true,
        Some(Body::Raw { .. } | Body::File) | None => false,
    };
    is_in_body || !route.ids.is_empty()
}

/// Writes the command that calls the operation, with further headers.
pub fn curl(html: &mut Html, route: &Route, headers: &[(&str, &str)]) {
    html.line("span", "command", "curl");
    html.text(" ");
    let is_implied = match route.method {
        Method::GET => route.body.is_none(),
        Method::POST => route.body.is_some(),
        _ => false,
    };
    address(html, route);
    if !is_implied {
        html.text(&format!(" \\\n  -X {}", route.method));
    }
    if route.needs_token() {
        option(html, "-H", |html| {
            html.text("Authorization: Bearer ");
            html.line("span", "token", TOKEN);
        });
    }
    for (name, value) in headers {
        option(html, "-H", |html| html.text(&format!("{name}: {value}")));
    }
    match &route.body {
        Some(Body::Json(shape) | Body::Optional(shape) | Body::JsonOrFile(shape)) => {
            data(html, &example::value(shape, Way::Request))
        }
        Some(Body::Patch(shape)) => data(html, &example::patch(shape)),
        Some(Body::Form(shape)) => form(html, &example::value(shape, Way::Request)),
        Some(Body::Raw { .. } | Body::File) | None => {}
    }
}

/// Writes the URL with an example for each id in the path. It is quoted, because a shell may interpret brackets and
/// question marks.
fn address(html: &mut Html, route: &Route) {
    html.text("'");
    url(html, route);
    html.text("'");
}

fn option(html: &mut Html, flag: &str, inside: impl FnOnce(&mut Html)) {
    html.text(&format!(" \\\n  {flag} '"));
    inside(html);
    html.text("'");
}

fn data(html: &mut Html, body: &Value) {
    option(html, "-H", |html| html.text("Content-Type: application/json"));
    option(html, "-d", |html| write_json(html, body, 1, Within::Command));
}

/// Writes a form. The client's id and secret are sent by HTTP Basic, which needs no encoding.
fn form(html: &mut Html, body: &Value) {
    option(html, "-u", |html| {
        html.line("span", "fill", &example::identifier("tok"));
        html.text(":");
        html.line("span", "token", TOKEN);
    });
    for (name, value) in body.as_object().into_iter().flatten() {
        option(html, "-d", |html| {
            html.text(&quote(&format!("{name}={}", value.as_str().unwrap_or_default())))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes;

    fn command(operation: &str) -> String {
        let routes = routes::all();
        let route = routes.iter().find(|route| route.operation == operation).unwrap();
        samples::copied(|html| curl(html, route, &[]))
    }

    #[test]
    fn commands_can_be_pasted() {
        let list = "curl 'http://host/locations' \\\n  -H 'Authorization: Bearer YOUR_TOKEN'";
        assert_eq!(command("list_locations"), list);
        let delete = format!("curl 'http://host/locations/loc_{ID_BODY}' \\\n  -X DELETE \\\n");
        assert!(command("delete_location").starts_with(&delete));
        let trade = command("create_oauth_token");
        assert!(
            trade.ends_with(&format!(
                "-u 'tok_{ID_BODY}:YOUR_TOKEN' \\\n  -d 'grant_type=client_credentials'"
            ))
        );
    }

    #[test]
    fn the_body_in_a_command_is_the_example() {
        let command = command("create_location");
        let body = command.split_once("-d '").and_then(|(_, body)| body.strip_suffix('\'')).unwrap();
        let parsed: Value = serde_json::from_str(body).unwrap();
        assert_eq!(parsed, example::value(&model::places::location::LOCATION, Way::Request));
    }

    #[test]
    fn an_apostrophe_does_not_end_the_quotation() {
        let mut html = Html::default();
        data(&mut html, &serde_json::json!({"name": "St Mary's"}));
        assert!(html.finish().contains("St Mary&#39;\\&#39;&#39;s"));
    }
}
