//! Blocks of code: panels, URLs, and coloured JSON.

use model::platform::shape::{Kind, Shape};
use serde_json::Value;

use super::example::{self, ID_BODY, Way};
use super::html::Html;
use crate::access::route::Route;

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

pub fn copy_button(html: &mut Html, caption: &str) {
    html.tag("button", &[("type", "button"), ("class", "copy"), ("hidden", "")], |html| {
        html.text("Copy");
        html.line("span", "unseen", &format!(": {caption}"));
    });
}

pub fn block(html: &mut Html, caption: &str, class: &'static str, code: impl FnOnce(&mut Html)) {
    let label = if caption.is_empty() { "Code" } else { caption };
    let attributes = [("tabindex", "0"), ("aria-label", label), ("class", class)];
    let attributes = if class.is_empty() { &attributes[..2] } else { &attributes };
    html.tag("pre", attributes, |html| html.tag("code", &[], code));
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

/// Escapes text for a shell's single quotes.
pub fn quote(text: &str) -> String {
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
