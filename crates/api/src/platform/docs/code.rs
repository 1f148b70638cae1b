//! The code column: commands to paste, and coloured JSON.

use http::{Method, StatusCode};
use model::platform::shape::{Kind, Shape};
use serde_json::Value;

use super::example::{self, ID_BODY, Way};
use super::html::Html;
use super::samples;
use crate::platform::route::{Body, Route, Success};

/// The placeholder for the reader's token, until the script replaces it.
pub const TOKEN: &str = "YOUR_TOKEN";

/// Writes a panel: a caption, a copy button, and the code.
pub fn panel(html: &mut Html, caption: &str, code: impl FnOnce(&mut Html)) {
    html.tag("figure", &[("class", "panel")], |html| {
        html.tag("figcaption", &[], |html| {
            html.line("span", "caption", caption);
            copy_button(html, caption);
        });
        block(html, caption, "", code);
    });
}

/// Writes the output of a command, or a drawing, without a copy button.
pub fn output(html: &mut Html, caption: &str, text: &str) {
    html.tag("figure", &[("class", "panel output")], |html| {
        if !caption.is_empty() {
            html.tag("figcaption", &[], |html| html.line("span", "caption", caption));
        }
        block(html, if caption.is_empty() { "Drawing" } else { caption }, "", |html| html.text(text));
    });
}

fn copy_button(html: &mut Html, caption: &str) {
    html.tag("button", &[("type", "button"), ("class", "copy"), ("hidden", "")], |html| {
        html.text("Copy");
        html.line("span", "unseen", &format!(": {caption}"));
    });
}

fn block(html: &mut Html, caption: &str, class: &'static str, code: impl FnOnce(&mut Html)) {
    let label = if caption.is_empty() { "Code" } else { caption };
    let attributes = [("tabindex", "0"), ("aria-label", label), ("class", class)];
    let attributes = if class.is_empty() { &attributes[..2] } else { &attributes };
    html.tag("pre", attributes, |html| html.tag("code", &[], code));
}

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
        Some(Body::Json(shape) | Body::Optional(shape)) => in_body(shape),
        Some(Body::Patch(shape)) => example::patch(shape).to_string().contains(ID_BODY),
        Some(Body::Form(_)) => true,
        Some(Body::Raw { .. }) | None => false,
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
        Some(Body::Json(shape) | Body::Optional(shape)) => data(html, &example::value(shape, Way::Request)),
        Some(Body::Patch(shape)) => data(html, &example::patch(shape)),
        Some(Body::Form(shape)) => form(html, &example::value(shape, Way::Request)),
        Some(Body::Raw { .. }) | None => {}
    }
}

/// Writes the URL with an example for each id in the path. It is quoted, because a shell may interpret brackets and
/// question marks.
fn address(html: &mut Html, route: &Route) {
    html.text("'");
    url(html, route);
    html.text("'");
}

/// Writes the URL without quotes.
pub fn url(html: &mut Html, route: &Route) {
    html.base();
    let mut ids = route.ids.iter();
    for step in route.path.split('/').skip(1) {
        html.text("/");
        match step.starts_with('{').then(|| ids.next()).flatten() {
            Some(Shape { kind: Kind::Identifier(prefix), .. }) => {
                html.line("span", "fill", &example::identifier(prefix));
            }
            Some(shape) if shape.example.is_some() => {
                html.line("span", "fill", example::value(shape, Way::Request).as_str().unwrap_or(step));
            }
            Some(_) => html.line("span", "fill", step),
            None => html.text(step),
        }
    }
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

/// Escapes text for a shell's single quotes.
fn quote(text: &str) -> String {
    text.replace('\'', r"'\''")
}

/// Writes indented and coloured JSON.
pub fn json(html: &mut Html, value: &Value) {
    write_json(html, value, 0, Within::Answer);
}

/// Where JSON is shown. In a request the reader inserts the ids. In a command it is quoted for the shell. In Python
/// its literals have other names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Within {
    Answer,
    Command,
    JavaScript,
    Python,
}

impl Within {
    fn shown(self, text: String) -> String {
        if self == Self::Command { quote(&text) } else { text }
    }

    fn literal(self, value: &Value) -> String {
        match (self, value) {
            (Self::Python, Value::Bool(true)) => "True".to_owned(),
            (Self::Python, Value::Bool(false)) => "False".to_owned(),
            (Self::Python, Value::Null) => "None".to_owned(),
            _ => value.to_string(),
        }
    }
}

/// Writes JSON at a level of indentation.
pub fn write_json(html: &mut Html, value: &Value, depth: usize, within: Within) {
    let step = if within == Within::Python { "    " } else { "  " };
    let indent = |html: &mut Html, depth: usize| html.text(&format!("\n{}", step.repeat(depth)));
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            html.text("{");
            for (place, (name, value)) in fields.iter().enumerate() {
                html.text(if place > 0 { "," } else { "" });
                indent(html, depth + 1);
                html.line("span", "key", &within.shown(Value::from(name.as_str()).to_string()));
                html.text(": ");
                write_json(html, value, depth + 1, within);
            }
            indent(html, depth);
            html.text("}");
        }
        Value::Array(items) => {
            let is_tall = items.iter().any(|item| item.is_object() || item.is_array());
            html.text("[");
            for (place, item) in items.iter().enumerate() {
                html.text(if place == 0 {
                    ""
                } else if is_tall {
                    ","
                } else {
                    ", "
                });
                if is_tall {
                    indent(html, depth + 1);
                }
                write_json(html, item, depth + usize::from(is_tall), within);
            }
            if is_tall {
                indent(html, depth);
            }
            html.text("]");
        }
        Value::String(text) if within != Within::Answer && text.ends_with(ID_BODY) => {
            html.text("\"");
            html.line("span", "fill", text);
            html.text("\"");
        }
        Value::String(_) => html.line("span", "string", &within.shown(value.to_string())),
        plain => html.line("span", "literal", &within.literal(plain)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::route;

    fn command(operation: &str) -> String {
        let routes = route::all();
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
