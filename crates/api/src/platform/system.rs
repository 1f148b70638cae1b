//! Paths for operators and tools: liveness, readiness, metrics and the OpenAPI document.

use http::{HeaderValue, StatusCode};
use model::{Code, Result};

use crate::platform::call::Call;
use crate::platform::respond::{Response, json, with_body};
use crate::platform::route::{Route, Success};

pub fn routes() -> Vec<Route> {
    let text = Success::Other("text/plain");
    vec![
        Route::get("/healthz", "", "Tell whether the process lives", check_health)
            .success(Success::Other("application/json")),
        Route::get("/readyz", "", "Tell whether requests can be served", check_readiness)
            .about("503 while the database does not answer (`store_unavailable`), and while it can't be written to (`store_not_writable`), such as on a full disk. Reads are still served then.")
            .refusals(&[Code::StoreUnavailable, Code::StoreNotWritable])
            .success(Success::Other("application/json")),
        Route::get("/metrics", "", "Read the metrics", get_metrics)
            .about("Prometheus' text format.")
            .success(text),
        Route::get("/openapi.json", "", "Read the contract", get_openapi)
            .about("This very document: OpenAPI 3.1.")
            .success(Success::Other("application/json")),
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
    let service = call.service();
    let (webhooks, purchases) = (service.delivery.counts(), service.purchasing.counts());
    let text =
        call.app.0.metrics.text(webhooks, purchases, service.streams.hub(), service.context.clock_state());
    Ok(with_body(StatusCode::OK, media_type, text))
}

async fn get_openapi(call: Call) -> Result<Response> {
    Ok(call.app.0.openapi.respond(&call.headers, "application/json"))
}
