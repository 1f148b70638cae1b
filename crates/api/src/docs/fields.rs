//! The fields of bodies and answers as nested lists: name, type, limits and description.

use model::platform::shape::{Field, Kind, Need, Shape};

use super::example::Way;
use super::html::Html;

/// The depth limit for shapes that contain themselves.
const DEPTH_MAX: usize = 8;
/// The most words of a closed set that are listed.
const WORDS_MAX: usize = 40;

/// Writes the fields of an object. A named shape in `explained` is linked instead of unfolded again. The anchor of a
/// field is the anchor of the object and the path of names to the field.
pub fn list(html: &mut Html, shape: &Shape, way: Way, explained: &[&str], place: &str) {
    level(html, shape.fields(), way, explained, place, 0);
}

/// Returns the anchor of a named shape.
pub fn place_of(name: &str) -> String {
    format!("object-{name}")
}

/// Returns the anchor of a field or parameter within another anchor.
pub fn place_in(place: &str, name: &str) -> String {
    format!("{place}.{name}")
}

/// Calls a function for each field that [`list`] shows, with its anchor and the path of names to it.
pub fn each(
    shape: &'static Shape,
    way: Way,
    explained: &[&str],
    place: &str,
    call: &mut dyn FnMut(&str, &'static Field),
) {
    each_of(shape.fields(), way, explained, place, 0, call);
}

fn each_of(
    fields: &'static [Field],
    way: Way,
    explained: &[&str],
    place: &str,
    depth: usize,
    call: &mut dyn FnMut(&str, &'static Field),
) {
    for field in shown(fields, way) {
        let place = place_in(place, field.name);
        call(&place, field);
        each_of(unfolded(field, way, explained, depth), way, explained, &place, depth + 1, call);
    }
}

/// Returns the fields that belong to a request, or to an answer.
fn shown(fields: &'static [Field], way: Way) -> impl Iterator<Item = &'static Field> {
    let is_given = |field: &&Field| matches!(field.need, Need::Given | Need::GivenOrNull);
    fields.iter().filter(move |field| way == Way::Answer || !is_given(field))
}

/// Returns the fields of a field, unless they are explained elsewhere.
fn unfolded(field: &Field, way: Way, explained: &[&str], depth: usize) -> &'static [Field] {
    let inner = innermost(field.shape);
    let is_linked = way == Way::Answer && inner.name.is_some_and(|name| explained.contains(&name));
    if is_linked || depth >= DEPTH_MAX { &[] } else { inner.fields() }
}

fn level(html: &mut Html, fields: &'static [Field], way: Way, explained: &[&str], place: &str, depth: usize) {
    html.tag("ul", &[("class", "fields")], |html| {
        for field in shown(fields, way) {
            let place = place_in(place, field.name);
            html.tag("li", &[("id", &place)], |html| {
                head(html, field.name, need(field, way), |html| {
                    kind(html, field.shape, way, explained);
                });
                describe(html, field.description(), field.shape);
                let inner = unfolded(field, way, explained, depth);
                if !inner.is_empty() {
                    level(html, inner, way, explained, &place, depth + 1);
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

/// Writes the first line of a field or parameter.
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

/// Writes a shape's description, and its pattern.
pub fn about(html: &mut Html, shape: &Shape) {
    describe(html, shape.about, shape);
}

fn describe(html: &mut Html, text: &str, shape: &Shape) {
    if !text.is_empty() {
        html.paragraph(text);
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

/// Returns the shape of the items of lists and maps, or the shape itself.
fn innermost(shape: &Shape) -> &Shape {
    match &shape.kind {
        Kind::List { of, .. } => innermost(of),
        Kind::Map { of, .. } if !innermost(of).fields().is_empty() => innermost(of),
        _ => shape,
    }
}

/// Writes the type of a shape and its limits, in a few words.
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
        Kind::List { of, items_min, items_max, .. } => {
            let range = if *items_min == 0 {
                format!("up to {items_max}")
            } else {
                format!("{items_min} to {items_max}")
            };
            html.text(&format!("array ({range}) of "));
            return kind(html, of, way, explained);
        }
        Kind::Identified { of, .. } => {
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
