//! Headers that every answer has, and the paths for operators and tools.

use api::Limits;
use serde_json::json;

use crate::setup::world::{Call, Reply, World, depot};

/// Returns answers of every kind: a success, refusals at each stage, empty, not found, not a resource.
async fn answers(world: &World) -> Vec<Reply> {
    let path = format!("/locations/{}", world.location("Depot").await);
    let known = world.request("GET", &path).header("if-none-match", "*");
    vec![
        world.get("/locations").await,
        world.get(&path).await,
        known.send().await,
        world.request("HEAD", &path).send().await,
        world.request("OPTIONS", "/locations").send().await,
        world.request("GET", "/locations").anonymous().send().await,
        world.get("/locations?limit=0").await,
        world.get("/nowhere").await,
        world.request("PUT", "/locations").send().await,
        world.post("/locations", json!({})).await,
        world.get("/healthz").await,
        world.get("/metrics").await,
        world.get("/openapi.json").await,
        world.delete(&path).await,
    ]
}

#[tokio::test]
async fn every_answer_says_its_version_and_request_and_is_not_stored_or_sniffed() {
    let world = World::new().await;
    for reply in answers(&world).await {
        let names = ["dockside-version", "x-request-id", "x-content-type-options", "cache-control"];
        assert_eq!(
            names.map(|name| reply.header(name)),
            ["2026-11-01", "test", "nosniff", "no-store"],
            "{reply}"
        );
    }
}

#[tokio::test]
async fn every_refusal_is_a_problem() {
    let world = World::new().await;
    for reply in answers(&world).await.into_iter().filter(|reply| reply.status.is_client_error()) {
        assert_eq!(reply.header("content-type"), "application/problem+json");
        let problem = reply.json();
        assert_eq!(problem["status"], reply.status.as_u16());
        assert_eq!(problem["request_id"], "test");
        assert_eq!(problem["type"], format!("/docs/errors#{}", reply.code()));
        assert!(
            problem["title"].is_string() && problem["detail"].is_string() && problem["errors"].is_array()
        );
    }
    insta::assert_snapshot!(world.get("/locations?limit=0").await, @r#"400 {"type":"/docs/errors#invalid_limit","title":"The page limit is not a whole number of 1 or more.","status":400,"detail":"Must be a whole number of 1 or more.","code":"invalid_limit","request_id":"test","errors":[{"type":"validation_error","code":"invalid_limit","source":"request","message":"Must be a whole number of 1 or more.","field":"limit"}]}"#);
}

#[tokio::test]
async fn a_valid_request_id_is_kept_and_an_invalid_one_replaced() {
    let world = World::new().await;
    let send = async |id: &str| world.request("GET", "/nowhere").header("x-request-id", id).send().await;
    for id in ["a", "7b3c.4-f_9", &"x".repeat(128)] {
        let reply = send(id).await;
        assert_eq!((reply.header("x-request-id"), reply.json()["request_id"].as_str()), (id, Some(id)));
    }
    let mut made = Vec::new();
    for id in ["", "two words", "\"quoted\"", "{}", "é", &"x".repeat(129)] {
        let reply = send(id).await;
        let given = reply.header("x-request-id").to_owned();
        assert!(given.starts_with("req_") && given.len() == 28, "{given}");
        assert_eq!(reply.json()["request_id"], given.as_str());
        assert!(!made.contains(&given), "each request has its own");
        made.push(given);
    }
}

#[tokio::test]
async fn a_known_version_is_taken_and_an_unknown_one_refused() {
    let world = World::new().await;
    let send = async |version: &str| {
        world.request("GET", "/locations").header("dockside-version", version).send().await
    };
    assert_eq!(send("2026-11-01").await.status, 200);
    for version in ["2026-11-02", "", "latest", "é"] {
        let refused = send(version).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, "unknown_version"), "{version}");
        assert!(refused.json()["detail"].as_str().unwrap().contains("2026-11-01"));
    }
}

#[tokio::test]
async fn a_trace_header_is_accepted_valid_or_not() {
    let world = World::new().await;
    for trace in ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "nonsense", "", "é"] {
        let reply = world.request("GET", "/locations").header("traceparent", trace).send().await;
        assert_eq!(reply.status, 200, "{trace}");
    }
}

#[tokio::test]
async fn no_page_may_call_unless_the_operator_allows_its_origin() {
    let world = World::new().await;
    let reply = world.request("GET", "/locations").header("origin", "https://shop.example").send().await;
    assert_eq!((reply.status.as_u16(), cors(&reply)), (200, ["", "", ""]));
    assert_eq!(reply.header("vary"), "");
}

fn cors(reply: &Reply) -> [&str; 3] {
    ["access-control-allow-origin", "access-control-allow-methods", "access-control-allow-headers"]
        .map(|name| reply.header(name))
}

async fn open_world() -> World {
    let origins = vec!["https://shop.example".to_owned(), "http://localhost:3000".to_owned()];
    World::with_limits(Limits { cors_origins: origins, ..Limits::default() }).await
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_may_read_every_answer() {
    let world = open_world().await;
    let requests: [Call<'_>; 4] = [
        world.request("GET", "/locations"),
        world.request("GET", "/locations").anonymous(),
        world.request("GET", "/nowhere"),
        world.request("POST", "/locations").json(depot("Depot")),
    ];
    for request in requests {
        let reply = request.header("origin", "https://shop.example").send().await;
        assert_eq!(cors(&reply)[0], "https://shop.example", "{reply}");
        assert_eq!(reply.header("vary"), "Origin");
        let exposed = reply.header("access-control-expose-headers");
        for name in ["ETag", "Link", "Location", "X-Request-Id", "Idempotent-Replayed", "Retry-After"] {
            assert!(exposed.split(", ").any(|shown| shown == name), "{name} is not in {exposed}");
        }
    }
    for origin in ["https://evil.example", "https://shop.example.evil", "null", "https://shop.example:8443"] {
        let reply = world.request("GET", "/locations").header("origin", origin).send().await;
        assert_eq!((reply.status.as_u16(), cors(&reply)), (200, ["", "", ""]), "{origin}");
        assert_eq!(reply.header("vary"), "Origin", "a cache must not mix up origins");
    }
}

#[tokio::test]
async fn a_preflight_is_answered_without_a_token() {
    let world = open_world().await;
    for path in ["/locations", "/locations/loc_01jc0000000000000000000000", "/oauth/token"] {
        let preflight = world
            .request("OPTIONS", path)
            .anonymous()
            .header("origin", "http://localhost:3000")
            .header("access-control-request-method", "PATCH")
            .header("access-control-request-headers", "authorization,content-type,if-match,idempotency-key");
        let reply = preflight.send().await;
        assert_eq!((reply.status.as_u16(), reply.text.as_str()), (204, ""));
        let [origin, methods, headers] = cors(&reply);
        assert_eq!(origin, "http://localhost:3000");
        for method in ["GET", "POST", "PATCH", "DELETE"] {
            assert!(methods.split(", ").any(|known| known == method), "{methods}");
        }
        for header in ["Authorization", "Content-Type", "If-Match", "If-None-Match", "Idempotency-Key"] {
            assert!(headers.split(", ").any(|known| known == header), "{headers}");
        }
        assert_eq!(reply.header("access-control-max-age"), "600");
    }
    let stranger =
        world.request("OPTIONS", "/locations").anonymous().header("origin", "https://evil.example");
    assert_eq!(cors(&stranger.send().await), ["", "", ""]);
}

#[tokio::test]
async fn rates_are_not_limited_unless_configured() {
    let world = World::new().await;
    let reply = world.get("/locations").await;
    assert_eq!([reply.header("ratelimit"), reply.header("ratelimit-policy")], ["", ""]);
}

#[tokio::test]
async fn an_organisation_that_asks_too_often_is_held_back_alone() {
    const BURST: u32 = 5;
    let limits = Limits { rate_per_second: 1, rate_burst: BURST, ..Limits::default() };
    let world = World::with_limits(limits).await;
    let first = world.get("/locations").await;
    assert_eq!(first.header("ratelimit-policy"), "\"default\";q=5;w=5");
    assert_eq!(first.header("ratelimit"), "\"default\";r=4;t=1");
    for _ in 1..BURST {
        assert_eq!(world.get("/locations").await.status, 200);
    }
    // The token bucket refills by the machine's clock, so on a slow machine a few more requests may pass.
    let mut refused = world.get("/locations").await;
    for _ in 0..50 {
        if refused.status != 200 {
            break;
        }
        refused = world.get("/locations").await;
    }
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (429, "rate_limited"));
    assert_eq!(refused.header("retry-after"), "1");
    assert!(refused.header("ratelimit").starts_with("\"default\";r=0;t="), "{}", refused.header("ratelimit"));
    let sibling = world.token_for("Acme", "*", model::World::Live).await;
    let mut refused = world.request("GET", "/locations").token(&sibling).send().await;
    for _ in 0..50 {
        if refused.status != 200 {
            break;
        }
        refused = world.request("GET", "/locations").token(&sibling).send().await;
    }
    assert_eq!(refused.status, 429, "another token of the organisation has no bucket of its own");
    let other = world.token_for("Another", "*", model::World::Live).await;
    assert_eq!(world.request("GET", "/locations").token(&other).send().await.status, 200);
    assert_eq!(world.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn a_server_with_too_much_to_do_turns_requests_away() {
    let world = World::with_limits(Limits { requests_max: 0, ..Limits::default() }).await;
    let refused = world.get("/locations").await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (503, "overloaded"));
    assert_eq!(refused.header("retry-after"), "1");
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let world = World::new().await;
    let location = format!("/locations/{}", world.location("Depot").await);
    for path in ["/locations", &location, "/nowhere", "/locations?limit=0", "/healthz", "/openapi.json"] {
        let get = world.get(path).await;
        let head = world.request("HEAD", path).send().await;
        assert_eq!((head.status, head.text.as_str()), (get.status, ""), "{path}");
        assert_eq!(head.header("content-length"), get.text.len().to_string(), "{path}");
        for name in ["content-type", "etag", "link", "dockside-version"] {
            assert_eq!(head.header(name), get.header(name), "{path}: {name}");
        }
    }
}

#[tokio::test]
async fn a_path_tells_which_methods_it_takes() {
    let world = World::new().await;
    let cases = [
        ("/locations", "GET, POST, HEAD, OPTIONS"),
        ("/locations/loc_01jc0000000000000000000000", "GET, PATCH, DELETE, HEAD, OPTIONS"),
        ("/location_configurations", "GET, POST, HEAD, OPTIONS"),
        ("/access_tokens/tok_01jc0000000000000000000000", "GET, DELETE, HEAD, OPTIONS"),
        ("/oauth/token", "POST, OPTIONS"),
        ("/events", "GET, HEAD, OPTIONS"),
        ("/events/provision", "POST, GET, OPTIONS"),
        ("/events/deprovision", "POST, GET, OPTIONS"),
        ("/healthz", "GET, HEAD, OPTIONS"),
    ];
    for (path, allow) in cases {
        let options = world.request("OPTIONS", path).anonymous().send().await;
        assert_eq!((options.to_string().as_str(), options.header("allow")), ("204 ", allow));
        for method in ["PUT", "TRACE", "BREW"] {
            let refused = world.request(method, path).send().await;
            assert_eq!((refused.status.as_u16(), refused.code().as_str()), (405, "method_not_allowed"));
            assert_eq!(refused.header("allow"), allow, "{path}");
        }
    }
    assert_eq!(world.request("HEAD", "/oauth/token").send().await.status, 405);
    assert_eq!(world.request("OPTIONS", "/nowhere").send().await.status, 404);
}

#[tokio::test]
async fn paths_are_exact() {
    let world = World::new().await;
    for path in ["//locations", "/locations//", "/Locations", "/v1/locations", "/locations/a/b"] {
        assert_eq!(world.get(path).await.code(), "not_found", "{path}");
    }
}

#[tokio::test]
async fn a_slash_at_the_end_of_a_path_makes_no_difference() {
    let world = World::new().await;
    let made = world.post("/locations/", crate::setup::world::depot("Depot")).await;
    assert_eq!(made.status, 201, "{made}");
    let path = made.header("location").to_owned();
    assert_eq!(world.get(format!("{path}/")).await.text, world.get(&path).await.text);
    assert_eq!(world.get("/locations/?limit=1").await.ids().len(), 1);
    assert_eq!(world.request("GET", "/docs/").anonymous().send().await.status, 200);
    assert_eq!(world.request("PUT", "/locations/").send().await.header("allow"), "GET, POST, HEAD, OPTIONS");
    assert_eq!(world.delete(format!("{path}/")).await.status, 204);
}

#[tokio::test]
async fn pages_and_probes_take_whatever_parameters_a_link_brings() {
    let world = World::new().await;
    let paths = [
        "/docs",
        "/docs/errors",
        "/docs/style.css",
        "/docs/script.js",
        "/openapi.json",
        "/healthz",
        "/readyz",
        "/metrics",
    ];
    for path in paths {
        for query in ["x=y", "utm_source=mail&utm_medium", "%zz"] {
            let reply = world.request("GET", &format!("{path}?{query}")).anonymous().send().await;
            assert_eq!(reply.status, 200, "{path}?{query}");
        }
    }
    // Of the API's own parameters a misspelt one is still told.
    assert_eq!(world.get("/locations?x=y").await.code(), "invalid_query");
    assert_eq!(world.get("/me?x=y").await.code(), "invalid_query");
}

#[tokio::test]
async fn probes_need_no_token() {
    let world = World::new().await;
    for path in ["/healthz", "/readyz"] {
        let reply = world.request("GET", path).anonymous().send().await;
        assert_eq!(reply.to_string(), r#"200 {"status":"ok"}"#);
        assert_eq!(reply.header("content-type"), "application/json");
    }
}

#[tokio::test]
async fn metrics_count_by_route_and_never_name_an_id() {
    let world = World::new().await;
    let id = world.location("Depot").await;
    for _ in 0..3 {
        world.get(format!("/locations/{id}")).await;
    }
    world.get("/locations/nonsense").await;
    world.get("/secret-path").await;
    let reply = world.request("GET", "/metrics").anonymous().send().await;
    assert_eq!(reply.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    let route = r#"method="GET",route="/locations/{location_id}""#;
    for line in [
        format!("dockside_requests_total{{{route},status=\"2xx\"}} 3"),
        format!("dockside_requests_total{{{route},status=\"4xx\"}} 1"),
        r#"dockside_requests_total{method="POST",route="/locations",status="2xx"} 1"#.to_owned(),
        r#"dockside_requests_total{method="",route="(none)",status="4xx"} 1"#.to_owned(),
        format!("dockside_request_seconds_count{{{route}}} 4"),
        format!("dockside_request_seconds_bucket{{{route},le=\"+Inf\"}} 4"),
    ] {
        assert!(reply.text.lines().any(|known| known == line), "no line {line} in\n{}", reply.text);
    }
    assert!(!reply.text.contains(&id) && !reply.text.contains("secret-path") && !reply.text.contains("dk_"));
}
