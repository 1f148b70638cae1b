//! `/docs`: the documentation. The reference is rendered from the route table and the shapes, so that it can't drift
//! from them. The guide is rendered from the Markdown in `docs/guide`, which is compiled in.
//!
//! The pages load nothing from other servers and work without their scripts. They are rendered and compressed once.
//! Only the host that the reference's examples call differs from request to request.

mod code;
mod errors;
mod example;
mod fields;
mod guide;
mod html;
mod markdown;
pub mod openapi;
mod page;
mod reference;
mod request;
mod samples;
mod schema;
mod search;
mod topics;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use model::{Code, Error, Result};

use crate::access::call::Call;
use crate::access::route::{Access, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::encoding::{Encoded, accepts_html};
use crate::platform::response::{Body, Response, json, with_body};
use crate::platform::version::VERSION;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
const SEARCH_SCRIPT: &str = include_str!("search.js");

const HTML: &str = "text/html; charset=utf-8";
/// Allows no content from other servers, no inline code and no framing. The script may fetch the search index.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
/// The host of the examples if the request names none that is safe in a command.
const FALLBACK_HOST: &str = "localhost:8080";
/// The longest host that is shown, in bytes: a DNS name and a port.
const HOST_BYTES_MAX: usize = 253 + 6;
/// Hosts whose pages are cached. For further hosts the examples show the fallback until the script corrects them, so
/// a client that invents host names costs neither memory nor time.
const HOSTS_MAX: usize = 16;

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::get("/", Access::Public, "get_index", "Find the documentation")
            .about("Browsers are sent to the console at `/console`; programs get the addresses of the documentation as JSON.")
            .success(Success::Other("application/json"))
            .to(get_index),
        Route::get("/docs", Access::Public, "get_docs", "Read the documentation")
            .success(Success::Other("text/html"))
            .to(get_docs),
        Route::get("/docs/errors", Access::Public, "get_docs_errors", "Read what each problem means")
            .success(Success::Other("text/html"))
            .to(get_docs_errors),
        Route::get("/docs/guide", Access::Public, "get_docs_guide", "Read the guide")
            .success(Success::Other("text/html"))
            .to(get_docs_guide),
        Route::get("/docs/guide/{page}", Access::Public, "get_docs_guide_page", "Read a page of the guide")
            .id(&guide::PAGE)
            .success(Success::Other("text/html"))
            .to(get_docs_guide_page),
        Route::get(
            "/docs/guide/labels.png",
            Access::Public,
            "get_docs_labels",
            "See the labels that the guide shows",
        )
        .success(Success::Other("image/png"))
        .to(get_docs_labels),
        Route::get(
            "/docs/guide/pictures/{picture}",
            Access::Public,
            "get_docs_picture",
            "See a picture of the console in the guide",
        )
        .id(&guide::PICTURE)
        .success(Success::Other("image/png"))
        .to(get_docs_picture),
        Route::get("/docs/style.css", Access::Public, "get_docs_style", "Read the documentation's style")
            .success(Success::Other("text/css"))
            .to(get_docs_style),
        Route::get("/docs/script.js", Access::Public, "get_docs_script", "Read the documentation's script")
            .success(Success::Other("text/javascript"))
            .to(get_docs_script),
        Route::get(
            "/docs/search.js",
            Access::Public,
            "get_docs_search_script",
            "Read the script of the search",
        )
        .success(Success::Other("text/javascript"))
        .to(get_docs_search_script),
        Route::get("/docs/search.json", Access::Public, "get_docs_search", "Read the index of the search")
            .about("Every section of the guide, operation, field and problem, with where it is explained.")
            .success(Success::Other("application/json"))
            .to(get_docs_search),
    ]
}

async fn get_index(call: Call) -> Result<Response> {
    let mut response = if accepts_html(&call.headers) {
        let mut response = http::Response::new(Body::default());
        *response.status_mut() = StatusCode::FOUND;
        response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/console"));
        response
    } else {
        let index = serde_json::json!({
            "name": "Dockside",
            "version": VERSION,
            "console": "/console",
            "documentation": "/docs",
            "guide": "/docs/guide",
            "openapi": "/openapi.json",
        });
        json(index.to_string())
    };
    response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept"));
    Ok(response)
}

async fn get_docs(call: Call) -> Result<Response> {
    static PAGE: OnceLock<Hosted> = OnceLock::new();
    let page = PAGE.get_or_init(|| Hosted::new(reference::render(&call.state.routes)));
    Ok(answer(&call, HTML, &page.at(host(&call.headers))))
}

async fn get_docs_errors(call: Call) -> Result<Response> {
    static PAGE: OnceLock<Encoded> = OnceLock::new();
    let page = PAGE.get_or_init(|| Encoded::new(errors::render(&call.state.routes)));
    Ok(answer(&call, HTML, page))
}

async fn get_docs_guide(call: Call) -> Result<Response> {
    let page = guide::rendered(guide::INDEX).ok_or_else(|| Error::fault("the guide has no index"))?;
    Ok(answer(&call, HTML, page))
}

async fn get_docs_guide_page(call: Call) -> Result<Response> {
    let name = call.ids.first().map(String::as_str).filter(|name| *name != guide::INDEX);
    let page = name.and_then(guide::rendered).ok_or(Code::NotFound)?;
    Ok(answer(&call, HTML, page))
}

async fn get_docs_labels(call: Call) -> Result<Response> {
    static IMAGE: OnceLock<Encoded> = OnceLock::new();
    Ok(answer(&call, "image/png", IMAGE.get_or_init(|| Encoded::new(guide::LABELS))))
}

async fn get_docs_picture(call: Call) -> Result<Response> {
    static IMAGES: OnceLock<Vec<Encoded>> = OnceLock::new();
    let images =
        IMAGES.get_or_init(|| guide::PICTURES.iter().map(|(_, bytes)| Encoded::new(*bytes)).collect());
    let name = call.ids.first().map(String::as_str);
    let place = guide::PICTURES.iter().position(|(known, _)| Some(*known) == name).ok_or(Code::NotFound)?;
    Ok(answer(&call, "image/png", &images[place]))
}

async fn get_docs_style(call: Call) -> Result<Response> {
    static FILE: OnceLock<Encoded> = OnceLock::new();
    Ok(answer(&call, "text/css; charset=utf-8", FILE.get_or_init(|| Encoded::new(STYLE))))
}

async fn get_docs_script(call: Call) -> Result<Response> {
    static FILE: OnceLock<Encoded> = OnceLock::new();
    Ok(answer(&call, "text/javascript; charset=utf-8", FILE.get_or_init(|| Encoded::new(SCRIPT))))
}

async fn get_docs_search_script(call: Call) -> Result<Response> {
    static FILE: OnceLock<Encoded> = OnceLock::new();
    Ok(answer(&call, "text/javascript; charset=utf-8", FILE.get_or_init(|| Encoded::new(SEARCH_SCRIPT))))
}

async fn get_docs_search(call: Call) -> Result<Response> {
    static FILE: OnceLock<Encoded> = OnceLock::new();
    let index = FILE.get_or_init(|| Encoded::new(search::index(&call.state.routes)));
    Ok(answer(&call, "application/json", index))
}

/// Returns whether this client gets a problem as a page: a browser that requests something under `/docs`.
pub fn wants_page(method: &Method, path: &str, headers: &HeaderMap) -> bool {
    let is_read = matches!(*method, Method::GET | Method::HEAD);
    let is_ours = path == "/docs" || path.starts_with("/docs/");
    is_read && is_ours && accepts_html(headers)
}

/// Turns a refusal into a page. The problem's status and headers stay.
pub fn show_problem(response: &mut Response, code: Code, request_id: &str) {
    let page = errors::refusal(response.status(), code, request_id);
    let shown = with_body(response.status(), HeaderValue::from_static(HTML), page);
    *response.body_mut() = shown.into_body();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(HTML));
    secure(response.headers_mut());
}

/// Answers with a page or one of its files. Browsers cache it and revalidate each time, so none combines a page with
/// the style sheet of another version.
fn answer(call: &Call, media_type: &'static str, body: &Encoded) -> Response {
    let mut response = body.respond_tagged(&call.headers, media_type);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    secure(response.headers_mut());
    response
}

fn secure(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

/// A page whose examples name the host that the reader called.
struct Hosted {
    template: String,
    by_host: Mutex<HashMap<String, Arc<Encoded>>>,
}

impl Hosted {
    fn new(template: String) -> Self {
        Self { template, by_host: Mutex::default() }
    }

    fn at(&self, host: &str) -> Arc<Encoded> {
        let mut pages = self.by_host.lock().unwrap_or_else(PoisonError::into_inner);
        // The last slot is for the fallback host.
        let is_full = pages.len() + 1 >= HOSTS_MAX && !pages.contains_key(host);
        let host = if is_full { FALLBACK_HOST } else { host };
        let fill = || Arc::new(Encoded::new(self.template.replace(html::HOST, host)));
        Arc::clone(pages.entry(host.to_owned()).or_insert_with(fill))
    }
}

/// Returns the host that the reader called. It is shown in HTML and may be copied into a shell, so only characters of
/// host names pass, none of which is special in either.
fn host(headers: &HeaderMap) -> &str {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    let given = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    given
        .filter(|host| (1..=HOST_BYTES_MAX).contains(&host.len()) && host.bytes().all(is_part))
        .unwrap_or(FALLBACK_HOST)
}

#[cfg(test)]
mod tests;
