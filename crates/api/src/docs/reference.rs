//! `/docs`: the basics and every operation, from the route table.

use http::Method;
use model::Code;
use model::platform::shape::Shape;

use super::code;
use super::example::Way;
use super::html::Html;
use super::{fields, guide, page, request, topics};
use crate::access::route::{Access, Body, Route, Success};
use crate::docs::openapi::refusals_of;
use crate::platform::parameter::{Parameter, ParameterKind};

/// The group of operations for operators and tools.
const SERVICE: &str = "service";

pub fn render(routes: &[Route]) -> String {
    let groups = groups(routes);
    let explained: Vec<&str> = groups.iter().filter_map(|group| group.object()?.name).collect();
    let contents = |html: &mut Html| contents(html, &groups);
    page::page("Dockside API", contents, |html| {
        html.tag("div", &[("class", "row opening")], |html| {
            html.tag("div", &[("class", "prose")], |html| {
                html.line("h1", "", "Dockside API");
                html.line("p", "lead", "Shipping and fulfilment over HTTP: plain resources, JSON, and answers that say what to do next.");
                html.paragraph("New here? [The guide](/docs/guide) starts with an empty folder and ends with a label in your hand.");
            });
        });
        topics::topics(html, routes);
        for group in &groups {
            if group.name == SERVICE { service(html, group) } else { resource(html, group, &explained) }
        }
    })
}

/// The operations on one resource.
pub struct Group<'a> {
    pub name: &'static str,
    pub routes: Vec<&'a Route>,
}

impl Group<'_> {
    pub fn title(&self) -> String {
        if self.name == "oauth" {
            return "OAuth".to_owned();
        }
        let mut words = self.name.replace('_', " ");
        if let Some(first) = words.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        words
    }

    /// Returns the shape of the resource: the answer to reading a single one.
    pub fn object(&self) -> Option<&'static Shape> {
        self.routes.iter().find_map(|route| match route.success {
            Success::Resource(shape) if route.method == Method::GET => Some(shape),
            _ => None,
        })
    }
}

pub fn groups(routes: &[Route]) -> Vec<Group<'_>> {
    let is_service = |route: &Route| !route.needs_token() && matches!(route.success, Success::Other(_));
    let mut groups: Vec<Group<'_>> = Vec::new();
    let resources = routes.iter().filter(|route| !is_service(route)).map(|route| (route.group(), route));
    let services = routes.iter().filter(|route| is_service(route) && !is_part_of_a_page(route));
    let services = services.map(|route| (SERVICE, route));
    for (name, route) in resources.chain(services) {
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.routes.push(route),
            None => groups.push(Group { name, routes: vec![route] }),
        }
    }
    groups
}

/// Returns whether only the documentation's own pages request it: styles, scripts, images, the search index.
pub fn is_part_of_a_page(route: &Route) -> bool {
    route.path.starts_with("/docs/") && !matches!(route.success, Success::Other("text/html"))
}

fn contents(html: &mut Html, groups: &[Group<'_>]) {
    page::group(html, "Basics", |html| {
        for topic in topics::TOPICS {
            page::entry(html, &format!("#{}", topic.id), topic.title, "", false);
        }
        page::entry(html, "/docs/errors", "Catalogue of problems", "", false);
    });
    guide::links(html, None);
    for group in groups {
        page::group(html, &group.title(), |html| {
            if let Some(name) = group.object().and_then(|shape| shape.name) {
                page::entry(html, &format!("#{}", fields::place_of(name)), &object_title(name), "", false);
            }
            for route in &group.routes {
                let to = format!("#{}", route.operation);
                if group.name == SERVICE {
                    page::entry(html, &to, route.path, "", false);
                } else {
                    page::entry(html, &to, route.summary, route.method.as_str(), false);
                }
            }
        });
    }
}

/// Returns `LocationConfiguration` as "The location configuration".
pub fn object_title(name: &str) -> String {
    let mut title = "The".to_owned();
    for char in name.chars() {
        if char.is_ascii_uppercase() {
            title.push(' ');
        }
        title.push(char.to_ascii_lowercase());
    }
    title
}

fn resource(html: &mut Html, group: &Group<'_>, explained: &[&str]) {
    html.tag("section", &[("class", "resource"), ("id", group.name)], |html| {
        html.tag("div", &[("class", "row")], |html| {
            html.tag("div", &[("class", "prose")], |html| {
                html.line("h2", "", &group.title());
                if let Some(shape) = group.object() {
                    html.paragraph(shape.about);
                }
            });
            html.tag("div", &[("class", "examples")], |html| endpoints(html, group));
        });
        if let Some((shape, name)) = group.object().and_then(|shape| Some((shape, shape.name?))) {
            object(html, shape, name, explained);
        }
        for route in &group.routes {
            operation(html, route, explained);
        }
    });
}

fn endpoints(html: &mut Html, group: &Group<'_>) {
    html.tag("ul", &[("class", "endpoints")], |html| {
        for route in &group.routes {
            html.tag("li", &[], |html| {
                html.tag("a", &[("href", &format!("#{}", route.operation))], |html| {
                    html.line("span", "method", route.method.as_str());
                    html.text(" ");
                    html.text(route.path);
                });
            });
        }
    });
}

fn object(html: &mut Html, shape: &Shape, name: &str, explained: &[&str]) {
    let others: Vec<&str> = explained.iter().copied().filter(|other| *other != name).collect();
    html.tag("section", &[("class", "row"), ("id", &fields::place_of(name))], |html| {
        html.tag("div", &[("class", "prose")], |html| {
            html.line("h3", "", &object_title(name));
            fields::list(html, shape, Way::Answer, &others, &fields::place_of(name));
        });
        html.tag("div", &[("class", "examples")], |html| {
            let value = super::example::value(shape, Way::Answer);
            code::panel(html, &object_title(name), |html| code::json(html, &value));
        });
    });
}

/// Writes the operations for operators and tools, one line each.
fn service(html: &mut Html, group: &Group<'_>) {
    html.tag("section", &[("class", "row"), ("id", group.name)], |html| {
        html.tag("div", &[("class", "prose")], |html| {
            html.line("h2", "", &group.title());
            html.paragraph("For operators and tools. None of these needs a token.");
            html.tag("ul", &[("class", "fields")], |html| {
                for route in &group.routes {
                    html.tag("li", &[("id", route.operation)], |html| {
                        let media_type =
                            if let Success::Other(media_type) = route.success { media_type } else { "" };
                        fields::head(html, route.path, "", |html| html.text(media_type));
                        html.tag("p", &[], |html| {
                            html.prose(&format!("{}. {}", route.summary, route.about));
                        });
                    });
                }
            });
        });
        html.tag("div", &[("class", "examples")], |html| {
            if let Some(route) = group.routes.first() {
                request::examples(html, route);
            }
        });
    });
}

fn operation(html: &mut Html, route: &Route, explained: &[&str]) {
    html.tag("section", &[("class", "row operation"), ("id", route.operation)], |html| {
        html.tag("div", &[("class", "prose")], |html| {
            html.tag("h3", &[], |html| {
                html.tag("a", &[("class", "anchor"), ("href", &format!("#{}", route.operation))], |html| {
                    html.text(route.summary);
                });
            });
            html.tag("p", &[("class", "endpoint")], |html| {
                html.line("span", "method", route.method.as_str());
                html.text(" ");
                html.line("code", "path", route.path);
            });
            if !route.about.is_empty() {
                html.paragraph(route.about);
            }
            needs(html, route);
            parameters(html, route);
            body(html, route);
            answer(html, route, explained);
            problems(html, route);
        });
        html.tag("div", &[("class", "examples")], |html| request::examples(html, route));
    });
}

fn parameters(html: &mut Html, route: &Route) {
    let ids: Vec<_> = route.path_parameters().collect();
    if !ids.is_empty() {
        html.line("h4", "", "Path");
        html.tag("ul", &[("class", "fields")], |html| {
            for (name, shape) in ids {
                html.tag("li", &[("id", &fields::place_in(route.operation, name))], |html| {
                    fields::head(html, name, "required", |html| fields::kind(html, shape, Way::Request, &[]));
                    fields::about(html, shape);
                });
            }
        });
    }
    if !route.parameters.is_empty() {
        html.line("h4", "", "Query");
        html.tag("ul", &[("class", "fields")], |html| {
            for parameter in route.parameters {
                html.tag("li", &[("id", &fields::place_in(route.operation, parameter.name))], |html| {
                    fields::head(html, parameter.name, "", |html| parameter_kind(html, parameter));
                    html.paragraph(parameter.about);
                });
            }
        });
    }
}

fn parameter_kind(html: &mut Html, parameter: &Parameter) {
    match parameter.kind {
        ParameterKind::Limit => html.text("integer, 1 or more"),
        ParameterKind::Cursor => html.text("string"),
        ParameterKind::One(shape) => fields::kind(html, shape, Way::Request, &[]),
        ParameterKind::Flag => html.text("`true` or `false`"),
        ParameterKind::List(shape) => {
            html.text("comma-separated or repeated: ");
            fields::kind(html, shape, Way::Request, &[]);
        }
        ParameterKind::Words(words) => {
            html.text("comma-separated or repeated: ");
            for (place, word) in words.iter().enumerate() {
                html.text(if place > 0 { ", " } else { "" });
                html.line("code", "", word);
            }
        }
    }
}

/// Writes the scope, and the headers that the guide explains, if this operation takes them.
fn needs(html: &mut Html, route: &Route) {
    let scope = match route.access {
        Access::Scope(scope) => format!("Needs the scope `{scope}`."),
        Access::AnyToken => "Needs a valid access token, whatever its scopes.".to_owned(),
        Access::Public => "Needs no access token.".to_owned(),
    };
    let is_one = !route.ids.is_empty();
    let taken = [
        (route.writes(), "[`Idempotency-Key`](#idempotency)"),
        (is_one && matches!(route.method, Method::PATCH | Method::DELETE), "[`If-Match`](#concurrency)"),
        (is_one && route.method == Method::GET, "[`If-None-Match`](#concurrency)"),
    ];
    let taken: Vec<&str> = taken.iter().filter(|(is_taken, _)| *is_taken).map(|(_, text)| *text).collect();
    html.tag("p", &[("class", "needs")], |html| {
        html.prose(&scope);
        if !taken.is_empty() {
            html.prose(&format!(" Takes {}.", taken.join(" and ")));
        }
    });
}

/// Returns the anchor of an operation's body. The anchors of its fields begin with it.
pub fn body_place(route: &Route) -> String {
    fields::place_in(route.operation, "body")
}

pub fn answer_place(route: &Route) -> String {
    fields::place_in(route.operation, "answer")
}

fn body(html: &mut Html, route: &Route) {
    let place = body_place(route);
    match &route.body {
        Some(Body::Raw { .. } | Body::File) | None => {}
        Some(Body::Optional(shape)) => {
            html.line("h4", "", "Body");
            html.paragraph("May be left out, where the query says the same.");
            fields::list(html, shape, Way::Request, &[], &place);
        }
        Some(Body::JsonOrFile(shape)) => {
            html.line("h4", "", "Body");
            html.paragraph("JSON with these fields, or a file of any other media type.");
            fields::list(html, shape, Way::Request, &[], &place);
        }
        Some(Body::Json(shape)) => {
            html.line("h4", "", "Body");
            fields::list(html, shape, Way::Request, &[], &place);
        }
        Some(Body::Form(shape)) => {
            html.line("h4", "", "Body");
            html.paragraph("A form: `application/x-www-form-urlencoded`.");
            fields::list(html, shape, Way::Request, &[], &place);
        }
        Some(Body::Patch(shape)) => {
            html.line("h4", "", "Body");
            html.paragraph(
                "Any of the fields below: what is absent stays, `null` clears what is not required.",
            );
            unfold(html, "Fields", |html| fields::list(html, shape, Way::Request, &[], &place));
        }
    }
}

fn unfold(html: &mut Html, title: &str, inside: impl FnOnce(&mut Html)) {
    html.tag("details", &[], |html| {
        html.line("summary", "", title);
        inside(html);
    });
}

fn answer(html: &mut Html, route: &Route, explained: &[&str]) {
    html.line("h4", "", "Answer");
    let (status, _) = request::answer(&route.success);
    let shown = |html: &mut Html, before: &str, shape: &Shape| {
        let is_explained = shape.name.is_some_and(|name| explained.contains(&name));
        html.tag("p", &[], |html| {
            html.line("span", "status", status.as_str());
            html.prose(before);
            match shape.name.filter(|_| is_explained) {
                Some(name) => html.prose(&format!("[`{name}`](#{}).", fields::place_of(name))),
                None => html.prose(shape.about),
            }
        });
        if !is_explained {
            let place = answer_place(route);
            unfold(html, "Fields", |html| fields::list(html, shape, Way::Answer, explained, &place));
        }
    };
    match &route.success {
        Success::Resource(shape) | Success::Answer(shape) => shown(html, " ", shape),
        Success::Created(shape) => shown(html, " Created: ", shape),
        Success::Accepted(shape) => shown(html, " Taken: ", shape),
        Success::Many(_, shape) => shown(html, " In `data`, each entry: ", shape),
        Success::List(name, shape) => shown(html, &format!(" A page, in `{name}`. Each entry: "), shape),
        Success::Empty | Success::Revoked => html.tag("p", &[], |html| {
            html.line("span", "status", status.as_str());
            html.text(" Done. The body is empty.");
        }),
        Success::Other(media_type) => html.paragraph(media_type),
    }
}

/// Writes first the problems that are special to the operation, then those that many operations may answer.
fn problems(html: &mut Html, route: &Route) {
    html.line("h4", "", "Problems");
    let mut all = refusals_of(route);
    all.sort_by_key(|code| Code::ALL.iter().position(|known| known == code));
    all.dedup();
    let (special, common): (Vec<Code>, Vec<Code>) =
        all.into_iter().partition(|code| route.refusals.contains(code));
    for code in special {
        html.tag("p", &[("class", "problem")], |html| {
            html.line("span", "status", &code.status().to_string());
            html.prose(&format!(" [`{}`](/docs/errors#{}) ", code.as_str(), code.as_str()));
            html.prose(code.title());
        });
    }
    unfold(html, &format!("{} codes that many operations share", common.len()), |html| {
        html.tag("ul", &[("class", "codes")], |html| {
            for code in common {
                html.tag("li", &[], |html| {
                    html.line("span", "status", &code.status().to_string());
                    html.prose(&format!(" [`{}`](/docs/errors#{})", code.as_str(), code.as_str()));
                });
            }
        });
    });
}
