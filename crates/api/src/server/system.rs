//! Paths for operators and tools: liveness, readiness, metrics and the OpenAPI document.

use http::{HeaderValue, StatusCode};
use model::{Code, Result};

use super::metrics;
use crate::access::call::Call;
use crate::access::route::{Access, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::response::{Response, json, with_body};

pub fn routes() -> Vec<HandledRoute> {
    let text = Success::Other("text/plain");
    vec![
        Route::get("/healthz", Access::Public, "check_health", "Tell whether the process lives")
            .success(Success::Other("application/json"))
            .to(check_health),
        Route::get("/readyz", Access::Public, "check_readiness", "Tell whether requests can be served")
            .about("503 while the database does not answer (`store_unavailable`), and while it can't be written to (`store_not_writable`), such as on a full disk. Reads are still served then.")
            .refusals(&[Code::StoreUnavailable, Code::StoreNotWritable])
            .success(Success::Other("application/json"))
            .to(check_readiness),
        Route::get("/metrics", Access::Public, "get_metrics", "Read the metrics")
            .about("Prometheus' text format.")
            .success(text)
            .to(get_metrics),
        Route::get("/openapi.json", Access::Public, "get_openapi", "Read the contract")
            .about("This very document: OpenAPI 3.1.")
            .success(Success::Other("application/json"))
            .to(get_openapi),
    ]
}

async fn check_health(_call: Call) -> Result<Response> {
    Ok(json(r#"{"status":"ok"}"#.to_owned()))
}

async fn check_readiness(call: Call) -> Result<Response> {
    call.service().is_ready().await?;
    Ok(json(r#"{"status":"ok"}"#.to_owned()))
}

async fn get_metrics(call: Call) -> Result<Response> {
    let media_type = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    let text = metrics::text(&call.state.metrics, call.service());
    Ok(with_body(StatusCode::OK, media_type, text))
}

async fn get_openapi(call: Call) -> Result<Response> {
    Ok(call.state.openapi.respond(&call.headers, "application/json"))
}
