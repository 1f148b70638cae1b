//! The code column: commands that can be pasted, and JSON, coloured.

use http::{Method, StatusCode};
use model::shape::{Kind, Shape};
use serde_json::Value;

use super::example::{self, ID_BODY, Way};
use super::html::Html;
use crate::route::{Body, Route, Success};

/// What stands for the reader's token until the script knows it.
pub const TOKEN: &str = "YOUR_TOKEN";

/// A panel: a caption, a button that copies, and the code.
pub fn panel(html: &mut Html, caption: &str, code: impl FnOnce(&mut Html)) {
    html.tag("figure", &[("class", "panel")], |html| {
        html.tag("figcaption", &[], |html| {
            html.line("span", "caption", caption);
            html.tag("button", &[("type", "button"), ("class", "copy"), ("hidden", "")], |html| {
                html.text("Copy");
                html.line("span", "unseen", &format!(": {caption}"));
            });
        });
        html.tag("pre", &[("tabindex", "0"), ("aria-label", caption)], |html| html.tag("code", &[], code));
    });
}

/// The command and the answer of an operation.
pub fn examples(html: &mut Html, route: &Route) {
    panel(html, &format!("{} {}", route.method, route.path), |html| curl(html, route, &[]));
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

/// The status of a success, and an example of its body where that is JSON.
pub fn answer(success: &Success) -> (StatusCode, Option<Value>) {
    match success {
        Success::Resource(shape) | Success::Answer(shape) => {
            (StatusCode::OK, Some(example::value(shape, Way::Answer)))
        }
        Success::Created(shape) => (StatusCode::CREATED, Some(example::value(shape, Way::Answer))),
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
        Success::Empty => (StatusCode::NO_CONTENT, None),
        Success::Other(_) => (StatusCode::OK, None),
    }
}

fn names_an_id(route: &Route) -> bool {
    let in_body = |shape: &Shape| example::value(shape, Way::Request).to_string().contains(ID_BODY);
    let is_in_body = match &route.body {
        Some(Body::Json(shape) | Body::Optional(shape)) => in_body(shape),
        Some(Body::Patch(shape)) => example::patch(shape).to_string().contains(ID_BODY),
        Some(Body::Form(_)) => true,
        Some(Body::Raw) | None => false,
    };
    is_in_body || !route.ids.is_empty()
}

/// The command that calls the operation, with further headers.
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
    if route.scope.is_some() {
        option(html, "-H", |html| {
            html.text("Authorization: Bearer ");
            html.line("span", "token", TOKEN);
        });
    }
    for (name, value) in headers {
        option(html, "-H", |html| html.text(&format!("{name}: {value}")));
    }
    match &route.body {
        Some(Body::Json(shape) | Body::Optional(shape)) => data(html, &example::value(shape, Way::Request)),
        Some(Body::Patch(shape)) => data(html, &example::patch(shape)),
        Some(Body::Form(shape)) => form(html, &example::value(shape, Way::Request)),
        Some(Body::Raw) | None => {}
    }
}

/// The address, with an example for each of the path's ids. It is quoted: a shell may take brackets or a
/// question mark for its own.
fn address(html: &mut Html, route: &Route) {
    html.text("'");
    html.base();
    let mut ids = route.ids.iter();
    for step in route.path.split('/').skip(1) {
        html.text("/");
        match step.starts_with('{').then(|| ids.next()).flatten().map(|shape| &shape.kind) {
            Some(Kind::Identifier(prefix)) => html.line("span", "fill", &example::identifier(prefix)),
            Some(_) => html.line("span", "fill", step),
            None => html.text(step),
        }
    }
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

/// A form: the client's id and secret go as HTTP Basic, which needs no encoding.
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

/// Text as it stands between a shell's single quotes.
fn quote(text: &str) -> String {
    text.replace('\'', r"'\''")
}

/// JSON, indented and coloured.
pub fn json(html: &mut Html, value: &Value) {
    write_json(html, value, 0, Within::Answer);
}

/// Where JSON stands. In a command it is quoted for the shell, and the ids are the reader's to put in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Command,
    Answer,
}

fn write_json(html: &mut Html, value: &Value, depth: usize, within: Within) {
    let shown = |text: String| if within == Within::Command { quote(&text) } else { text };
    let indent = |html: &mut Html, depth: usize| html.text(&format!("\n{}", "  ".repeat(depth)));
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            html.text("{");
            for (place, (name, value)) in fields.iter().enumerate() {
                html.text(if place > 0 { "," } else { "" });
                indent(html, depth + 1);
                html.line("span", "key", &shown(Value::from(name.as_str()).to_string()));
                html.text(": ");
                write_json(html, value, depth + 1, within);
            }
            indent(html, depth);
            html.text("}");
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            html.text("[");
            for (place, item) in items.iter().enumerate() {
                html.text(if place > 0 { "," } else { "" });
                indent(html, depth + 1);
                write_json(html, item, depth + 1, within);
            }
            indent(html, depth);
            html.text("]");
        }
        Value::Array(items) => {
            html.text("[");
            for (place, item) in items.iter().enumerate() {
                html.text(if place > 0 { ", " } else { "" });
                write_json(html, item, depth, within);
            }
            html.text("]");
        }
        Value::String(text) if within == Within::Command && text.ends_with(ID_BODY) => {
            html.text("\"");
            html.line("span", "fill", text);
            html.text("\"");
        }
        Value::String(_) => html.line("span", "string", &shown(value.to_string())),
        plain => html.line("span", "literal", &plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route;

    /// The command as a reader copies it.
    fn command(operation: &str) -> String {
        let routes = route::all();
        let route = routes.iter().find(|route| route.operation == operation).unwrap();
        let mut html = Html::default();
        curl(&mut html, route, &[]);
        let mut text = String::new();
        for part in html.finish().split('<') {
            text.push_str(part.split_once('>').map_or(part, |(_, after)| after));
        }
        text.replace("&#39;", "'").replace("&quot;", "\"").replace(super::super::html::HOST, "host")
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
        assert_eq!(parsed, example::value(&model::location::LOCATION, Way::Request));
    }

    #[test]
    fn an_apostrophe_does_not_end_the_quotation() {
        let mut html = Html::default();
        data(&mut html, &serde_json::json!({"name": "St Mary's"}));
        assert!(html.finish().contains("St Mary&#39;\\&#39;&#39;s"));
    }
}
