//! `/docs/errors`: the whole catalogue of problems, and the operations that may answer each.

use http::StatusCode;
use model::Code;

use super::html::Html;
use super::reference::is_part_of_a_page;
use super::{guide, page};
use crate::access::route::Route;
use crate::docs::openapi::refusals_of;

/// The most operations that are listed without unfolding.
const SHOWN_MAX: usize = 6;

pub fn render(routes: &[Route]) -> String {
    page::page("Problems – Dockside", contents, |html| {
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

/// Renders a problem as a page for a browser. Other clients get it as JSON.
pub fn refusal(status: StatusCode, code: Code, request_id: &str) -> String {
    let title = status_title(status.as_u16());
    let contents = |html: &mut Html| {
        guide::links(html, None);
        page::group(html, "Reference", |html| {
            page::entry(html, "/docs", "API reference", "", false);
            page::entry(html, "/docs/errors", "Catalogue of problems", "", false);
        });
    };
    page::page(&format!("{title} – Dockside"), contents, |html| {
        html.tag("div", &[("class", "article")], |html| {
            html.line("h1", "", &title);
            if code == Code::NotFound {
                html.paragraph("There is no page at this address. It may have moved: search for it, or start from [the guide](/docs/guide) or [the reference](/docs).");
            } else {
                html.paragraph(code.title());
                html.paragraph(code.advice());
            }
            html.tag("p", &[("class", "needs")], |html| {
                html.prose(&format!("The code is [`{0}`](/docs/errors#{0}), the request `{request_id}`.", code.as_str()));
            });
        });
    })
}

fn contents(html: &mut Html) {
    page::group(html, "Reference", |html| {
        page::entry(html, "/docs", "API reference", "", false);
        page::entry(html, "/docs/errors", "Catalogue of problems", "", true);
    });
    guide::links(html, None);
    for status in statuses() {
        page::group(html, &status_title(status), |html| {
            for code in with_status(status) {
                page::entry(html, &format!("#{}", code.as_str()), code.as_str(), "", false);
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

/// Writes which operations may answer the code, as briefly as possible.
fn answered_by(html: &mut Html, code: Code, routes: &[Route]) {
    let shown = routes.iter().filter(|route| !is_part_of_a_page(route));
    let (may, not): (Vec<&Route>, Vec<&Route>) = shown.partition(|route| refusals_of(route).contains(&code));
    let needs_token = |route: &&Route| route.needs_token();
    // A code that no route declares comes from the pipeline, so any operation may answer it.
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
