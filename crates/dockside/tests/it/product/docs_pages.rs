//! The documentation as a browser gets it: pages, never JSON; compressed; with a search over all of them.

use std::io::Read as _;

use http::StatusCode;
use serde_json::Value;

use crate::setup::world::{Reply, World};

/// What browsers send when a person opens an address.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

async fn browse(world: &World, path: &str) -> Reply {
    world.request("GET", path).anonymous().header("accept", BROWSER).send().await
}

#[tokio::test]
async fn a_browser_never_sees_json_at_the_root_or_in_the_documentation() {
    let world = World::new().await;
    let root = browse(&world, "/").await;
    assert_eq!(
        (root.status, root.header("location"), root.header("vary")),
        (StatusCode::FOUND, "/console", "Accept")
    );
    for (path, status) in [
        ("/docs", 200),
        ("/docs/errors", 200),
        ("/docs/guide", 200),
        ("/docs/guide/first-steps", 200),
        ("/docs/guide/nowhere", 404),
        ("/docs/guide/README", 404),
        ("/docs/nowhere", 404),
        ("/docs/nowhere/at/all", 404),
    ] {
        let page = browse(&world, path).await;
        assert_eq!(page.status.as_u16(), status, "{path}");
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{path}");
        assert!(page.text.starts_with("<!doctype html>"), "{path}");
        assert!(page.header("content-security-policy").contains("default-src 'none'"), "{path}");
    }
    let missing = browse(&world, "/docs/nowhere").await;
    assert!(missing.text.contains("There is no page at this address."), "{missing}");
    assert!(missing.text.contains("href=\"/docs/guide\""), "{missing}");
}

#[tokio::test]
async fn programs_get_json_at_the_root_and_problems_in_the_documentation() {
    let world = World::new().await;
    let root = world.request("GET", "/").anonymous().header("accept", "*/*").send().await;
    assert_eq!(root.status, 200);
    assert_eq!(root.json()["documentation"], "/docs");
    assert_eq!(root.json()["console"], "/console");
    for accept in ["*/*", "application/json"] {
        let missing = world.request("GET", "/docs/nowhere").anonymous().header("accept", accept).send().await;
        assert_eq!(missing.header("content-type"), "application/problem+json");
        assert_eq!(missing.code(), "not_found");
    }
    // Only the documentation speaks HTML: a browser that opens an address of the API sees what a program would.
    assert_eq!(browse(&world, "/locations").await.header("content-type"), "application/problem+json");
}

#[tokio::test]
async fn the_guide_is_served_with_its_links_and_pictures() {
    let world = World::new().await;
    let index = browse(&world, "/docs/guide").await;
    let links = index.text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let pages: Vec<&str> = links.filter(|to| to.starts_with("/docs/guide/")).collect();
    assert!(pages.len() >= 12, "{pages:?}");
    for page in pages {
        let page = browse(&world, page).await;
        assert_eq!(page.status, 200);
        assert!(page.text.contains("<h1>"), "{page}");
    }
    let labels = browse(&world, "/docs/guide/labels").await;
    assert!(labels.text.contains("<img src=\"/docs/guide/labels.png\""), "{labels}");
    let (head, _) = world.request("GET", "/docs/guide/labels.png").anonymous().open().await;
    assert_eq!((head.status.as_u16(), &head.headers["content-type"]), (200, &"image/png".parse().unwrap()));
    let day = browse(&world, "/docs/guide/first-day").await;
    let pictures: Vec<&str> =
        day.text.split("<img src=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(pictures.len() >= 4, "{pictures:?}");
    for picture in pictures {
        let (head, _) = world.request("GET", picture).anonymous().open().await;
        assert_eq!(
            (head.status.as_u16(), &head.headers["content-type"]),
            (200, &"image/png".parse().unwrap())
        );
    }
    assert_eq!(browse(&world, "/docs/guide/pictures/none.png").await.status, 404);
}

#[tokio::test]
async fn one_search_finds_the_guide_and_the_fields() {
    let world = World::new().await;
    let index = world.request("GET", "/docs/search.json").anonymous().send().await.json();
    let found = |words: &str, kind: &str| {
        let has_all = |entry: &&Value| {
            let text = format!("{} {}", entry["title"], entry["text"]).to_lowercase().replace('_', " ");
            words.split(' ').all(|word| text.contains(word))
        };
        let entries = index["entries"].as_array().unwrap().iter();
        entries.filter(|entry| entry["kind"] == kind).filter(has_all).count()
    };
    for words in ["tracking number", "zpl", "scope", "refund"] {
        assert!(found(words, "Guide") > 0, "the guide has no {words}");
        assert!(found(words, "Field") > 0, "no field has {words}");
    }
}

#[tokio::test]
async fn pages_are_compressed_for_clients_that_accept_it_and_fetched_once() {
    let world = World::new().await;
    for path in [
        "/docs",
        "/docs/errors",
        "/docs/guide/orders",
        "/docs/style.css",
        "/docs/search.json",
        "/openapi.json",
    ] {
        let plain = world.request("GET", path).anonymous().send().await;
        assert_eq!(plain.header("vary"), "Accept-Encoding", "{path}");
        let packed = world.request("GET", path).anonymous().header("accept-encoding", "gzip, br");
        let (head, body) = packed.open().await;
        assert_eq!(head.headers["content-encoding"], "gzip", "{path}");
        let bytes = http_body_util::BodyExt::collect(body).await.unwrap().to_bytes();
        let mut unpacked = String::new();
        flate2::read::GzDecoder::new(&*bytes).read_to_string(&mut unpacked).unwrap();
        assert!(unpacked == plain.text, "{path} differs when it is compressed");
        assert!(bytes.len() * 3 < unpacked.len(), "{path}: {} of {} bytes", bytes.len(), unpacked.len());
        if let Some(tag) = head.headers.get("etag") {
            let again = world.request("GET", path).anonymous().header("if-none-match", tag.to_str().unwrap());
            assert_eq!(again.send().await.status, StatusCode::NOT_MODIFIED, "{path}");
        } else {
            assert_eq!(path, "/openapi.json");
        }
    }
}

#[tokio::test]
async fn every_operation_has_examples_in_curl_javascript_and_python() {
    let world = World::new().await;
    let page = browse(&world, "/docs").await.text;
    for route in api::routes::all().iter().filter(|route| route.scope().is_some()) {
        for language in ["curl", "js", "py"] {
            let id = format!(" id=\"call-{}-{language}\"", route.operation);
            assert!(page.contains(&id), "{} has no example in {language}", route.operation);
        }
    }
}
