//! `/docs`: the documentation, rendered from the route table.

use http::{HeaderValue, StatusCode};
use model::Result;

use crate::call::Call;
use crate::respond::{Response, with_body};
use crate::route::{Route, Success};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/docs", "", "Read the documentation", get_docs).success(Success::Other("text/html")),
        Route::get("/docs/errors", "", "Read what each problem means", get_docs_errors)
            .success(Success::Other("text/html")),
    ]
}

async fn get_docs(_call: Call) -> Result<Response> {
    Ok(with_body(StatusCode::OK, HeaderValue::from_static("text/html; charset=utf-8"), "<!doctype html>"))
}

async fn get_docs_errors(_call: Call) -> Result<Response> {
    Ok(with_body(StatusCode::OK, HeaderValue::from_static("text/html; charset=utf-8"), "<!doctype html>"))
}
