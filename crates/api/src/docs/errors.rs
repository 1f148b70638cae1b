//! `/docs/errors`: the whole catalogue of problems, and which operations may answer each.

use http::StatusCode;
use model::Code;

use super::html::Html;
use super::page;
use crate::openapi::refusals_of;
use crate::route::Route;

/// Most operations that are listed without being asked for.
const SHOWN_MAX: usize = 6;

pub fn render(routes: &[Route]) -> String {
    page::page("Dockside API: problems", "Find a problem", contents, |html| {
        html.tag("div", &[("class", "row opening")], |html| {
            html.tag("div", &[("class", "prose")], |html| {
                html.line("h1", "", "Problems");
                html.tag("p", &[("class", "lead")], |html| {
                    html.prose("Every refusal is a problem document (RFC 9457) with one of these codes. They are stable: programs may match them. See [Errors](/docs#errors) for the document itself.");
                });
            });
        });
        for status in statuses() {
            html.tag("section", &[("class", "statuses"), ("id", &format!("status-{status}"))], |html| {
                html.tag("div", &[("class", "row")], |html| html.line("h2", "", &status_title(status)));
                for code in with_status(status) {
                    problem(html, code, routes);
                }
            });
        }
    })
}

fn statuses() -> Vec<u16> {
    let mut all: Vec<u16> = Code::ALL.iter().map(|code| code.status()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn with_status(status: u16) -> impl Iterator<Item = Code> {
    Code::ALL.iter().copied().filter(move |code| code.status() == status)
}

fn status_title(status: u16) -> String {
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    format!("{status} {}", reason.unwrap_or_default())
}

fn contents(html: &mut Html) {
    page::group(html, "Guide", |html| page::entry(html, "/docs", "Back to the API", "", "docs"));
    for status in statuses() {
        page::group(html, &status_title(status), |html| {
            for code in with_status(status) {
                page::entry(html, &format!("#{}", code.as_str()), code.as_str(), "", code.title());
            }
        });
    }
}

fn problem(html: &mut Html, code: Code, routes: &[Route]) {
    html.tag("section", &[("class", "row"), ("id", code.as_str())], |html| {
        html.tag("div", &[("class", "prose")], |html| {
            html.tag("h3", &[], |html| {
                html.tag("a", &[("class", "anchor"), ("href", &format!("#{}", code.as_str()))], |html| {
                    html.line("code", "", code.as_str());
                });
            });
            html.tag("p", &[("class", "title")], |html| html.prose(code.title()));
            html.paragraph(code.advice());
            answered_by(html, code, routes);
        });
    });
}

/// Which operations may answer the code, in as few words as are true.
fn answered_by(html: &mut Html, code: Code, routes: &[Route]) {
    let (may, not): (Vec<&Route>, Vec<&Route>) =
        routes.iter().partition(|route| refusals_of(route).contains(&code));
    let needs_token = |route: &&Route| route.scope.is_some();
    // What no row declares comes from before or behind the rows, whatever they are.
    if may.is_empty() || not.is_empty() {
        return html.line("p", "by", "Any request may be answered so.");
    }
    if may.iter().all(needs_token) && !not.iter().any(needs_token) {
        return html.line("p", "by", "Any operation that needs an access token may answer so.");
    }
    if may.len() <= SHOWN_MAX {
        return html.tag("p", &[("class", "by")], |html| {
            html.text("May be answered by: ");
            for (place, route) in may.iter().enumerate() {
                html.text(if place > 0 { ", " } else { "" });
                html.link(&format!("/docs#{}", route.operation), route.summary);
            }
            html.text(".");
        });
    }
    html.tag("details", &[("class", "by")], |html| {
        html.line("summary", "", &format!("May be answered by {} operations", may.len()));
        html.tag("ul", &[], |html| {
            for route in may {
                html.tag("li", &[], |html| html.link(&format!("/docs#{}", route.operation), route.summary));
            }
        });
    });
}
