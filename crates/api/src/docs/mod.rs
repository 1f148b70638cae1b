//! `/docs`: the documentation, rendered from the route table and the shapes, so that it can't drift from
//! them.
//!
//! It asks nothing of any other server and works without its script. Pages are rendered once; only the host
//! that the examples call differs from request to request.

mod code;
mod errors;
mod example;
mod fields;
mod guide;
mod html;
mod page;
mod reference;

use std::sync::OnceLock;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use model::{Error, Result};
use sha2::{Digest, Sha256};

use crate::call::Call;
use crate::respond::{Body, Response, with_body};
use crate::route::{Route, Success};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Nothing from elsewhere, nothing inline, and no page around ours.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
/// The host of the examples where the request names none that can stand in a command.
const FALLBACK_HOST: &str = "localhost:8080";
/// Longest host that is shown, in bytes: a name of DNS and a port.
const HOST_BYTES_MAX: usize = 253 + 6;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/docs", "", "Read the documentation", get_docs).success(Success::Other("text/html")),
        Route::get("/docs/errors", "", "Read what each problem means", get_docs_errors)
            .success(Success::Other("text/html")),
        Route::get("/docs/style.css", "", "Read the documentation's style", get_docs_style)
            .success(Success::Other("text/css")),
        Route::get("/docs/script.js", "", "Read the documentation's script", get_docs_script)
            .success(Success::Other("text/javascript")),
    ]
}

async fn get_docs(call: Call) -> Result<Response> {
    static PAGE: OnceLock<String> = OnceLock::new();
    let page = PAGE.get_or_init(|| reference::render(&crate::route::all()));
    answer(&call, "text/html; charset=utf-8", page.replace(html::HOST, host(&call.headers)))
}

async fn get_docs_errors(call: Call) -> Result<Response> {
    static PAGE: OnceLock<String> = OnceLock::new();
    let page = PAGE.get_or_init(|| errors::render(&crate::route::all()));
    answer(&call, "text/html; charset=utf-8", page.as_str())
}

async fn get_docs_style(call: Call) -> Result<Response> {
    answer(&call, "text/css; charset=utf-8", STYLE)
}

async fn get_docs_script(call: Call) -> Result<Response> {
    answer(&call, "text/javascript; charset=utf-8", SCRIPT)
}

/// A page or a part of it. Browsers keep it and ask each time whether it is still right, so that none mixes a
/// page with the style of another version.
fn answer(call: &Call, media_type: &'static str, body: impl Into<Bytes>) -> Result<Response> {
    let body = body.into();
    let hash = Sha256::digest(&body);
    let tag = hash.iter().take(8).fold("\"".to_owned(), |tag, byte| format!("{tag}{byte:02x}")) + "\"";
    let is_known = call
        .headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .any(|known| known.to_str().is_ok_and(|known| known.split(',').any(|known| known.trim() == tag)));
    let mut response = if is_known {
        let mut response = http::Response::new(Body::default());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        with_body(StatusCode::OK, HeaderValue::from_static(media_type), body)
    };
    let headers = response.headers_mut();
    headers.insert(header::ETAG, HeaderValue::try_from(tag).map_err(Error::fault)?);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    Ok(response)
}

/// The host that the reader called. It ends up in HTML and, copied, in a shell: only what hosts are made of
/// may pass, and none of that means anything to either.
fn host(headers: &HeaderMap) -> &str {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    let given = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    given
        .filter(|host| (1..=HOST_BYTES_MAX).contains(&host.len()) && host.bytes().all(is_part))
        .unwrap_or(FALLBACK_HOST)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::route;

    fn pages() -> [(&'static str, String); 2] {
        let routes = route::all();
        [("/docs", reference::render(&routes)), ("/docs/errors", errors::render(&routes))]
    }

    fn values<'a>(page: &'a str, attribute: &'a str) -> impl Iterator<Item = &'a str> {
        page.split(attribute).skip(1).filter_map(|rest| rest.split('"').next())
    }

    #[test]
    fn every_link_leads_somewhere() {
        let mut places = HashSet::new();
        for (path, page) in pages() {
            places.insert(path.to_owned());
            for id in values(&page, " id=\"") {
                assert!(places.insert(format!("{path}#{id}")), "{path}#{id} stands twice");
            }
        }
        places.extend(route::all().iter().map(|route| route.path.to_owned()));
        for (path, page) in pages() {
            let links = values(&page, " href=\"").filter(|to| !to.starts_with("data:"));
            for to in links {
                let to = if to.starts_with('#') { format!("{path}{to}") } else { to.to_owned() };
                assert!(places.contains(&to), "{path} links to {to}");
            }
        }
    }

    #[test]
    fn every_operation_and_every_code_is_documented() {
        let [(_, operations), (_, catalogue)] = pages();
        for route in route::all().iter().filter(|route| !reference::is_part_of_a_page(route)) {
            assert!(operations.contains(&format!(" id=\"{}\"", route.operation)), "{}", route.operation);
        }
        for code in model::Code::ALL {
            assert!(catalogue.contains(&format!(" id=\"{}\"", code.as_str())), "{}", code.as_str());
        }
    }

    #[test]
    fn headings_go_down_one_step_at_a_time() {
        for (path, page) in pages() {
            let mut before = 0;
            for (place, _) in page.match_indices("<h") {
                let Some(level) = page[place + 2..].chars().next().and_then(|char| char.to_digit(10)) else {
                    continue;
                };
                assert!(level <= before + 1, "{path}: {}", &page[place..place + 40]);
                before = level;
            }
        }
    }

    #[test]
    fn nothing_is_asked_of_other_servers() {
        for (path, page) in pages() {
            let loaded = values(&page, " src=\"").chain(values(&page, "stylesheet\" href=\""));
            assert!(loaded.into_iter().all(|source| source.starts_with("/docs/")), "{path}");
            assert!(!page.contains(" style=\"") && !page.contains(" onclick"), "{path}");
        }
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import") && !SCRIPT.contains("fetch("));
    }

    #[test]
    fn only_hosts_are_shown_as_hosts() {
        let shown = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static(value));
            host(&headers).to_owned()
        };
        assert_eq!(shown("ship.example.com:8443"), "ship.example.com:8443");
        assert_eq!(shown("[::1]:8080"), "[::1]:8080");
        for hostile in ["<script>", "a\"b", "a'; rm -rf ~; '", "$(id)", "a b", ""] {
            assert_eq!(shown(hostile), FALLBACK_HOST, "{hostile}");
        }
    }
}
