//! What is held of the files: their sizes, their addresses, and that they name no other server.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::*;

/// The bytes that a browser loads before the console can be used, compressed.
const FIRST_LOAD_BYTES_MAX: usize = 120_000;
/// The most lines of a file of ours.
const LINES_MAX: usize = 400;
/// Hosts that a file may name: XML namespaces, which are never loaded.
const NAMESPACES: &str = "www.w3.org";

fn text(asset: &Asset) -> &'static str {
    std::str::from_utf8(asset.plain).unwrap()
}

#[test]
fn the_first_page_is_small() {
    let first: Vec<&Asset> = ASSETS.iter().filter(|asset| asset.is_first).chain([&SHELL]).collect();
    let bytes: usize = first.iter().map(|asset| asset.brotli.len()).sum();
    assert!(bytes <= FIRST_LOAD_BYTES_MAX, "{bytes} bytes in {} files", first.len());
    let gzip: usize = first.iter().map(|asset| asset.gzip.len()).sum();
    assert!(gzip <= FIRST_LOAD_BYTES_MAX, "{gzip} bytes with gzip");
}

#[test]
fn each_file_has_the_hash_of_its_content_in_its_address() {
    for asset in ASSETS {
        let hash =
            Sha256::digest(asset.plain).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
        assert!(hash.starts_with(asset.hash), "{}", asset.path);
        assert!(asset.path.contains(asset.hash), "{}", asset.path);
        assert!(std::ptr::eq(super::asset(asset.path).unwrap(), asset), "{}", asset.path);
    }
    assert!(super::asset("app/main.js").is_none());
}

#[test]
fn the_compressed_forms_hold_the_same_text() {
    for asset in ASSETS.iter().chain([&SHELL]) {
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(asset.gzip).read_to_end(&mut unpacked).unwrap();
        assert!(unpacked == asset.plain, "{}", asset.path);
        assert!(!asset.brotli.is_empty() && asset.brotli.len() <= asset.plain.len() + 16, "{}", asset.path);
    }
}

#[test]
fn no_file_names_another_server() {
    for asset in ASSETS.iter().chain([&SHELL]) {
        for scheme in ["http://", "https://", "ws://", "wss://"] {
            for rest in text(asset).split(scheme).skip(1) {
                let host = rest.split(['/', '"', '\'', '`', ' ']).next().unwrap();
                assert!(host == NAMESPACES || !host.contains('.'), "{} names {host}", asset.path);
            }
        }
    }
}

#[test]
fn the_policy_has_the_hash_of_the_import_map_and_allows_no_other_inline_code() {
    let map =
        text(&SHELL).split("<script type=\"importmap\">").nth(1).unwrap().split("</script>").next().unwrap();
    let hash = STANDARD.encode(Sha256::digest(map.as_bytes()));
    assert!(POLICY.contains(&format!("'sha256-{hash}'")), "{POLICY}");
    assert!(!POLICY.contains("unsafe"), "{POLICY}");
    let inline = text(&SHELL).split("<script").skip(1).filter(|tag| !tag.contains("src=")).count();
    assert_eq!(inline, 1);
    for asset in ASSETS.iter().filter(|asset| !asset.name.starts_with("vendor/")) {
        assert!(!text(asset).contains("dangerouslySetInnerHTML"), "{}", asset.name);
        assert!(!text(asset).contains("innerHTML"), "{}", asset.name);
    }
}

#[test]
fn each_file_of_ours_fits_a_reader() {
    for asset in
        ASSETS.iter().filter(|asset| asset.name.ends_with(".js") && !asset.name.starts_with("vendor/"))
    {
        let lines = text(asset).lines().count();
        assert!(lines <= LINES_MAX, "{} has {lines} lines", asset.name);
    }
}
