//! `/console`: the web pages of the crate `console`. Every address below it answers with the same page, which then shows
//! what the address names; only files have addresses of their own.

use console::Asset;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::route::{Access, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::encoding::accepts_coding;
use crate::platform::response::{Body, Response, with_body};

/// The address of a file has the hash of its content, so it never changes.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// The page names the files of this version, so browsers ask for it each time.
const REVALIDATED: HeaderValue = HeaderValue::from_static("no-cache");

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::get("/console", Access::Public, "get_console", "Open the console")
            .success(Success::Other("text/html"))
            .to(get_console),
        Route::get("/console/{*path}", Access::Public, "get_console_page", "Open a page of the console")
            .success(Success::Other("text/html"))
            .to(get_console_page),
    ]
}

async fn get_console(call: Call) -> Result<Response> {
    Ok(answer(&call.headers, &console::SHELL, REVALIDATED))
}

async fn get_console_page(call: Call) -> Result<Response> {
    let path = call.ids.first().map_or("", String::as_str);
    match path.strip_prefix("assets/") {
        Some(path) => {
            let asset = console::asset(path).ok_or(Code::NotFound)?;
            Ok(answer(&call.headers, asset, IMMUTABLE))
        }
        None => get_console(call).await,
    }
}

/// Answers with a file in the best encoding that the request accepts, or with 304 if the client has it.
fn answer(request: &HeaderMap, asset: &'static Asset, caching: HeaderValue) -> Response {
    let (coding, content) = if accepts_coding(request, &["br"]) {
        (Some("br"), asset.brotli)
    } else if accepts_coding(request, &["gzip", "x-gzip"]) {
        (Some("gzip"), asset.gzip)
    } else {
        (None, asset.plain)
    };
    let mut response = if is_known(request, asset) {
        let mut response = http::Response::new(Body::default());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        let mut response = with_body(StatusCode::OK, HeaderValue::from_static(asset.media_type), content);
        if let Some(coding) = coding {
            response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
        }
        response
    };
    let headers = response.headers_mut();
    // Each encoding is a representation of its own, so its strong tag differs.
    if let Ok(tag) = HeaderValue::try_from(format!("\"{}-{}\"", asset.hash, coding.unwrap_or("plain"))) {
        headers.insert(header::ETAG, tag);
    }
    headers.insert(header::CACHE_CONTROL, caching);
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(console::POLICY));
    // Pages of other sites get neither the address nor a handle to this window.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    response
}

/// Returns whether `If-None-Match` names this content, in any encoding.
fn is_known(request: &HeaderMap, asset: &Asset) -> bool {
    let values = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|tags| tags.to_str().ok());
    let mut tags = values.flat_map(|tags| tags.split(',')).map(|tag| tag.trim().trim_start_matches("W/"));
    tags.any(|tag| tag == "*" || tag.trim_matches('"').split('-').next() == Some(asset.hash))
}
