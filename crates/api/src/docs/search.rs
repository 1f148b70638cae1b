//! The search index: every term that a reader may look for, with its description and its link. The script loads it
//! once and searches in the browser.

use serde_json::{Value, json};

use super::example::Way;
use super::html::HOST;
use super::{fields, guide, markdown, reference, topics};
use crate::access::route::{Body, Route, Success};

/// Returns the index as JSON.
pub fn index(routes: &[Route]) -> String {
    let mut entries = Vec::new();
    add_guide(&mut entries);
    add_topics(&mut entries);
    add_reference(&mut entries, routes);
    add_problems(&mut entries);
    json!({ "entries": entries }).to_string().replace(HOST, "")
}

/// Returns one entry: its kind, its title, the part of the documentation it belongs to, its text, and its link.
fn entry(kind: &str, title: &str, place: &str, text: &str, to: &str) -> Value {
    json!({ "kind": kind, "title": title, "where": place, "text": words(text), "to": to })
}

/// Returns the words of a description, without the markup of code and links.
fn words(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, (label, after))) = rest.split_once('[').and_then(|(before, link)| {
        Some((before, link.split_once("](").filter(|(label, _)| !label.contains(']'))?))
    }) {
        words.push_str(before);
        words.push_str(label);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    words.push_str(rest);
    words.replace('`', "").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn add_guide(entries: &mut Vec<Value>) {
    for page in guide::PAGES.iter().filter(|page| page.name != guide::INDEX) {
        for section in markdown::sections(page.text) {
            let is_whole = section.id.is_empty();
            let to = if is_whole { page.address() } else { format!("{}#{}", page.address(), section.id) };
            let place = if is_whole { "Guide" } else { page.title() };
            entries.push(entry("Guide", &section.title, place, &section.text, &to));
        }
    }
}

fn add_topics(entries: &mut Vec<Value>) {
    for topic in topics::TOPICS {
        let to = format!("/docs#{}", topic.id);
        entries.push(entry("Basics", topic.title, "API reference", &topic.text.join(" "), &to));
    }
}

fn add_reference(entries: &mut Vec<Value>, routes: &[Route]) {
    let groups = reference::groups(routes);
    let explained: Vec<&str> = groups.iter().filter_map(|group| group.object()?.name).collect();
    for group in &groups {
        if let Some((shape, name)) = group.object().and_then(|shape| Some((shape, shape.name?))) {
            let place = fields::place_of(name);
            let title = reference::object_title(name);
            entries.push(entry("Object", &title, &group.title(), shape.about, &format!("/docs#{place}")));
            let others: Vec<&str> = explained.iter().copied().filter(|other| *other != name).collect();
            add_fields(entries, shape, Way::Answer, &others, &place, &title);
        }
        for route in &group.routes {
            add_operation(entries, route, &explained);
        }
    }
}

fn add_operation(entries: &mut Vec<Value>, route: &Route, explained: &[&str]) {
    let scope = route.scope().map(|scope| format!("Needs the scope {scope}. ")).unwrap_or_default();
    let text = format!("{scope}{} {}", route.about, route.operation);
    let place = format!("{} {}", route.method, route.path);
    entries.push(entry("Operation", route.summary, &place, &text, &format!("/docs#{}", route.operation)));
    if !route.needs_token() && matches!(route.success, Success::Other(_)) {
        return;
    }
    for parameter in route.parameters {
        let to = format!("/docs#{}", fields::place_in(route.operation, parameter.name));
        entries.push(entry("Field", parameter.name, &place, parameter.about, &to));
    }
    let is_explained =
        |shape: &model::platform::shape::Shape| shape.name.is_some_and(|name| explained.contains(&name));
    // The fields of a resource are indexed once, with the resource.
    if let Some(Body::Json(shape) | Body::Optional(shape) | Body::Form(shape) | Body::JsonOrFile(shape)) =
        &route.body
        && !is_explained(shape)
    {
        add_fields(entries, shape, Way::Request, &[], &reference::body_place(route), &place);
    }
    if let Success::Resource(shape)
    | Success::Answer(shape)
    | Success::Created(shape)
    | Success::Accepted(shape)
    | Success::Many(_, shape)
    | Success::List(_, shape) = &route.success
        && !is_explained(shape)
    {
        add_fields(entries, shape, Way::Answer, explained, &reference::answer_place(route), &place);
    }
}

fn add_fields(
    entries: &mut Vec<Value>,
    shape: &'static model::platform::shape::Shape,
    way: Way,
    explained: &[&str],
    start: &str,
    title: &str,
) {
    fields::each(shape, way, explained, start, &mut |place, field| {
        let name = place.strip_prefix(start).unwrap_or(place).trim_start_matches('.');
        entries.push(entry("Field", name, title, field.description(), &format!("/docs#{place}")));
    });
}

fn add_problems(entries: &mut Vec<Value>) {
    for code in model::Code::ALL {
        let text = format!("{} {}", code.title(), code.advice());
        let to = format!("/docs/errors#{}", code.as_str());
        entries.push(entry("Problem", code.as_str(), &format!("{} problem", code.status()), &text, &to));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_no_marks() {
        assert_eq!(words("Needs `a`, see [the list](/docs#x) and\n- [b"), "Needs a, see the list and - [b");
    }

    #[test]
    fn nothing_is_listed_twice() {
        let index: Value = serde_json::from_str(&index(&crate::routes::all())).unwrap();
        let mut seen = std::collections::HashSet::new();
        for entry in index["entries"].as_array().unwrap() {
            assert!(seen.insert(entry["to"].as_str().unwrap().to_owned()), "{entry}");
            assert!(!entry["title"].as_str().unwrap().is_empty(), "{entry}");
        }
    }
}
