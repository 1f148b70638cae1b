//! Fields of bodies and answers, as nested lists: name, type, limits, and what it is.

use model::shape::{Field, Kind, Need, Shape};

use super::example::Way;
use super::html::Html;

/// How deep fields are unfolded, should a shape contain itself.
const DEPTH_MAX: usize = 8;
/// Most words of a closed set that are written out.
const WORDS_MAX: usize = 40;

/// The fields of an object. A named shape of `explained` is linked instead of being unfolded again.
pub fn list(html: &mut Html, shape: &Shape, way: Way, explained: &[&str]) {
    level(html, shape.fields(), way, explained, 0);
}

/// The place on the page where a named shape is explained.
pub fn place_of(name: &str) -> String {
    format!("object-{name}")
}

fn level(html: &mut Html, fields: &[Field], way: Way, explained: &[&str], depth: usize) {
    let is_given = |field: &&Field| matches!(field.need, Need::Given | Need::GivenOrNull);
    let shown: Vec<&Field> = fields.iter().filter(|field| way == Way::Answer || !is_given(field)).collect();
    html.tag("ul", &[("class", "fields")], |html| {
        for field in shown {
            html.tag("li", &[], |html| {
                head(html, field.name, need(field, way), |html| {
                    kind(html, field.shape, way, explained);
                });
                about(html, field.shape);
                let inner = innermost(field.shape);
                let is_linked =
                    way == Way::Answer && inner.name.is_some_and(|name| explained.contains(&name));
                if !inner.fields().is_empty() && !is_linked && depth < DEPTH_MAX {
                    level(html, inner.fields(), way, explained, depth + 1);
                }
            });
        }
    });
}

fn need(field: &Field, way: Way) -> &'static str {
    match (way, field.need) {
        (Way::Request, Need::Required) => "required",
        (Way::Answer, Need::Optional | Need::GivenOrNull) => "may be null",
        _ => "",
    }
}

/// The first line of a field or parameter.
pub fn head(html: &mut Html, name: &str, need: &'static str, kind: impl FnOnce(&mut Html)) {
    html.tag("p", &[("class", "field")], |html| {
        html.line("code", "name", name);
        html.text(" ");
        html.tag("span", &[("class", "type")], kind);
        if !need.is_empty() {
            html.text(" ");
            html.line("span", if need == "required" { "need required" } else { "need" }, need);
        }
    });
}

/// What a shape says of itself, and the pattern it is held to.
pub fn about(html: &mut Html, shape: &Shape) {
    if !shape.about.is_empty() {
        html.paragraph(shape.about);
    }
    let pattern = match &innermost(shape).kind {
        Kind::Text { pattern: Some(pattern), .. } => ("Matches ", pattern.regex),
        Kind::Map { key, .. } => ("Keys match ", key.regex),
        _ => return,
    };
    html.tag("p", &[("class", "pattern")], |html| {
        html.text(pattern.0);
        html.line("code", "", pattern.1);
    });
}

/// What lists and maps are made of, or the shape itself.
fn innermost(shape: &Shape) -> &Shape {
    match &shape.kind {
        Kind::List { of, .. } => innermost(of),
        Kind::Map { of, .. } if !innermost(of).fields().is_empty() => innermost(of),
        _ => shape,
    }
}

/// The type of a shape and its limits, in a few words.
pub fn kind(html: &mut Html, shape: &Shape, way: Way, explained: &[&str]) {
    let words = match &shape.kind {
        Kind::Text { chars_min, chars_max, .. } => match chars_min {
            0 => format!("string, up to {chars_max} characters"),
            _ => format!("string, {chars_min} to {chars_max} characters"),
        },
        Kind::OneOf(words) if words.len() > WORDS_MAX => format!("string, one of {} values", words.len()),
        Kind::OneOf(words) => {
            html.text("string: ");
            for (place, word) in words.iter().enumerate() {
                html.text(if place > 0 { ", " } else { "" });
                html.line("code", "", word);
            }
            return;
        }
        Kind::Number { min, max } => format!("number, {min} to {max}"),
        Kind::Integer { min, max } => format!("integer, {min} to {max}"),
        Kind::Amount { .. } => "integer, the currency's smallest unit".to_owned(),
        Kind::Boolean => "boolean".to_owned(),
        Kind::Moment => "timestamp".to_owned(),
        Kind::Identifier(prefix) => {
            html.text("id, ");
            html.line("code", "", &format!("{prefix}_…"));
            return;
        }
        Kind::List { of, items_min, items_max } => {
            let range = if *items_min == 0 {
                format!("up to {items_max}")
            } else {
                format!("{items_min} to {items_max}")
            };
            html.text(&format!("array ({range}) of "));
            return kind(html, of, way, explained);
        }
        Kind::Identified(of) => {
            html.text(if way == Way::Answer { "" } else { "id, or " });
            return kind(html, of, way, explained);
        }
        Kind::Map { of, entries_max, .. } => {
            html.text(&format!("map (up to {entries_max}) of "));
            return kind(html, of, way, explained);
        }
        Kind::Open => "object, any".to_owned(),
        Kind::Object { .. } => match shape.name.filter(|name| way == Way::Answer && explained.contains(name))
        {
            Some(name) => return html.link(&format!("#{}", place_of(name)), name),
            None => "object".to_owned(),
        },
    };
    html.text(&words);
}
