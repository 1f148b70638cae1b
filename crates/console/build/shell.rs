//! The page that every address of the console answers with, and its content security policy.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::imports::{EARLY, MAIN, PACKAGES};
use crate::{Files, PREFIX};

/// Returns the page and its policy. The import map is the only inline script: browsers accept no other form of it, so
/// its hash is in the policy.
pub fn render(files: &Files, first: &BTreeSet<String>) -> (String, String) {
    let map = import_map(files);
    let hash = STANDARD.encode(Sha256::digest(map.as_bytes()));
    let url = |name: &str| files.get(name).map_or_else(String::new, crate::File::url);
    let mut head = String::new();
    for name in EARLY {
        let tag = match name.rsplit_once('.') {
            Some((_, "css")) => format!("<link rel=\"stylesheet\" href=\"{}\">", url(name)),
            Some((_, "svg")) => format!("<link rel=\"icon\" href=\"{}\" type=\"image/svg+xml\">", url(name)),
            _ => format!("<script src=\"{}\"></script>", url(name)),
        };
        let _ = writeln!(head, "{tag}");
    }
    let _ = writeln!(head, "<script type=\"importmap\">{map}</script>");
    for name in first.iter().filter(|name| name.ends_with("js") && !EARLY.contains(&name.as_str())) {
        let _ = writeln!(head, "<link rel=\"modulepreload\" href=\"{}\">", url(name));
    }
    let page = format!(
        "<!doctype html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Dockside</title>\n{head}\
         <script type=\"module\" src=\"{}\"></script>\n</head>\n<body>\n<div id=\"app\"></div>\n\
         <noscript>The console needs JavaScript. The <a href=\"/docs\">documentation</a> works without it.</noscript>\n\
         </body>\n</html>\n",
        url(MAIN)
    );
    let policy = format!(
        "default-src 'self'; script-src 'self' 'sha256-{hash}'; style-src 'self'; img-src 'self' blob: data:; \
         connect-src 'self'; font-src 'none'; object-src 'none'; base-uri 'none'; form-action 'self'; \
         frame-ancestors 'none'"
    );
    (page, policy)
}

/// Maps the name of each package, and the address of each module without its hash, to the address with it. So modules
/// import each other by the names of their files.
fn import_map(files: &Files) -> String {
    let packages = PACKAGES.iter().map(|(package, name)| ((*package).to_owned(), *name));
    let own = files.keys().filter(|name| name.ends_with(".js") && !name.starts_with("vendor/"));
    let own = own.map(|name| (format!("{PREFIX}{name}"), name.as_str()));
    let rows: Vec<String> = packages
        .chain(own)
        .filter_map(|(specifier, name)| Some(format!("\"{specifier}\":\"{}\"", files.get(name)?.url())))
        .collect();
    format!("{{\"imports\":{{{}}}}}", rows.join(","))
}
