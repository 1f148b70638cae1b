//! The console as a browser gets it: one page at every address, files that may be kept for ever, and a policy under which
//! nothing but these files runs.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use sha2::{Digest, Sha256};

use crate::setup::world::{Reply, World};

async fn get(world: &World, path: &str) -> Reply {
    world.request("GET", path).anonymous().header("accept", "text/html").send().await
}

/// Returns what stands between two marks.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    text.split(start).nth(1).unwrap().split(end).next().unwrap()
}

/// Returns the addresses of the files that the page names.
fn files(page: &str) -> Vec<String> {
    let named = page.split('"').filter(|part| part.starts_with("/console/assets/"));
    // The import map has each module's address without its hash, too.
    let is_hashed = |path: &&str| path.split('.').count() == 3;
    named.filter(is_hashed).map(str::to_owned).collect()
}

#[tokio::test]
async fn every_address_of_the_console_answers_with_the_same_page() {
    let world = World::new().await;
    let page = get(&world, "/console").await;
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    for path in ["/console/", "/console/orders", "/console/orders/ord_unknown", "/console/a/b/c?d=e"] {
        let other = get(&world, path).await;
        assert_eq!((other.status, &other.text), (StatusCode::OK, &page.text), "{path}");
    }
    let missing = get(&world, "/console/assets/app/main.0000000000000000.js").await;
    assert_eq!(missing.code(), "not_found");
    let changed = world.request("POST", "/console/orders").anonymous().send().await;
    assert_eq!(changed.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn the_page_runs_its_own_files_and_nothing_else() {
    let world = World::new().await;
    let page = get(&world, "/console").await;
    let policy = page.header("content-security-policy");
    let map = between(&page.text, "<script type=\"importmap\">", "</script>");
    let hash = STANDARD.encode(Sha256::digest(map.as_bytes()));
    assert!(policy.contains(&format!("script-src 'self' 'sha256-{hash}';")), "{policy}");
    for part in ["default-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert_eq!(page.header("referrer-policy"), "same-origin");
    assert_eq!(page.header("cache-control"), "no-cache");
}

#[tokio::test]
async fn the_files_of_the_console_are_kept_for_ever_and_name_no_other_server() {
    let world = World::new().await;
    let page = get(&world, "/console").await;
    let files = files(&page.text);
    assert!(files.len() > 10, "{files:?}");
    for path in files {
        let file = get(&world, &path).await;
        assert_eq!(file.status, 200, "{path}");
        assert_eq!(file.header("cache-control"), "public, max-age=31536000, immutable", "{path}");
        assert_eq!(file.header("x-content-type-options"), "nosniff", "{path}");
        assert!(file.header("content-security-policy").contains("default-src 'self'"), "{path}");
        let hosts = ["http://", "https://"].into_iter().flat_map(|scheme| file.text.split(scheme).skip(1));
        for host in hosts.filter_map(|rest| rest.split(['/', '"', '`', '$', ' ']).next()) {
            assert!(host == "www.w3.org" || !host.contains('.'), "{path} names {host}");
        }
    }
}

#[tokio::test]
async fn the_console_is_compressed_as_the_browser_asks_and_fetched_once() {
    let world = World::new().await;
    let plain = get(&world, "/console").await;
    assert_eq!(plain.header("vary"), "Accept-Encoding");
    for (accepted, coding) in [("gzip, deflate, br, zstd", "br"), ("gzip", "gzip"), ("br;q=0, *", "gzip")] {
        let packed = world.request("GET", "/console").anonymous().header("accept-encoding", accepted);
        let (head, body) = packed.open().await;
        assert_eq!(head.headers["content-encoding"], coding, "{accepted}");
        let bytes = http_body_util::BodyExt::collect(body).await.unwrap().to_bytes();
        assert!(bytes.len() * 2 < plain.text.len(), "{accepted}: {} bytes", bytes.len());
        if coding == "gzip" {
            let mut unpacked = String::new();
            flate2::read::GzDecoder::new(&*bytes).read_to_string(&mut unpacked).unwrap();
            assert_eq!(unpacked, plain.text);
        }
        let tag = head.headers["etag"].to_str().unwrap();
        let again = world.request("GET", "/console").anonymous().header("if-none-match", tag).send().await;
        assert_eq!((again.status, &*again.text), (StatusCode::NOT_MODIFIED, ""));
        assert!(again.header("content-security-policy").contains("sha256-"));
    }
    let head = world.request("HEAD", "/console").anonymous().send().await;
    assert_eq!((head.status, &*head.text), (StatusCode::OK, ""));
}
