//! Tests of all pages of the documentation.

use std::collections::HashSet;

use super::*;
use crate::routes;

fn pages() -> Vec<(String, String)> {
    let routes = routes::all();
    let mut pages = vec![
        ("/docs".to_owned(), reference::render(&routes)),
        ("/docs/errors".to_owned(), errors::render(&routes)),
    ];
    pages.extend(guide::PAGES.iter().map(|page| (page.address(), guide::render(page))));
    pages
}

/// Returns the possible targets of links: pages, and elements with an id.
fn places(pages: &[(String, String)]) -> HashSet<String> {
    let mut places: HashSet<String> = routes::all().iter().map(|route| route.path.to_owned()).collect();
    for (path, page) in pages {
        places.insert(path.clone());
        for id in values(page, " id=\"") {
            assert!(places.insert(format!("{path}#{id}")), "{path}#{id} is there twice");
        }
    }
    places
}

fn values<'a>(page: &'a str, attribute: &'a str) -> impl Iterator<Item = &'a str> {
    page.split(attribute).skip(1).filter_map(|rest| rest.split('"').next())
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let places = places(&pages);
    for (path, page) in &pages {
        let is_elsewhere = |to: &&str| to.starts_with("data:") || to.starts_with("https://");
        for to in values(page, " href=\"").filter(|to| !is_elsewhere(to)) {
            let to = if to.starts_with('#') { format!("{path}{to}") } else { to.to_owned() };
            assert!(places.contains(&to), "{path} links to {to}");
        }
    }
}

#[test]
fn every_result_of_the_search_leads_somewhere() {
    let places = places(&pages());
    let index: serde_json::Value = serde_json::from_str(&search::index(&routes::all())).unwrap();
    let entries = index["entries"].as_array().unwrap();
    assert!(entries.len() > 500, "only {} entries", entries.len());
    for entry in entries {
        let to = entry["to"].as_str().unwrap();
        assert!(places.contains(to), "{entry}");
    }
}

#[test]
fn the_search_finds_words_of_the_guide_of_fields_and_of_problems() {
    let index: serde_json::Value = serde_json::from_str(&search::index(&routes::all())).unwrap();
    let kinds = |words: &str| {
        let is_found = |entry: &&serde_json::Value| {
            let text = format!("{} {} {}", entry["title"], entry["where"], entry["text"]).to_lowercase();
            words.split(' ').all(|word| text.contains(word))
        };
        let found = index["entries"].as_array().unwrap().iter().filter(is_found);
        found.map(|entry| entry["kind"].as_str().unwrap().to_owned()).collect::<HashSet<_>>()
    };
    for words in ["tracking number", "zpl", "scope", "refund"] {
        let kinds = kinds(words);
        assert!(kinds.contains("Guide"), "no page of the guide has {words}");
        assert!(kinds.contains("Field"), "no field has {words}");
    }
    assert!(kinds("location_in_use").contains("Problem"));
    assert!(kinds("purchase batch").contains("Operation"));
}

#[test]
fn every_operation_and_every_code_is_documented() {
    let pages = pages();
    let (operations, catalogue) = (&pages[0].1, &pages[1].1);
    for route in routes::all().iter().filter(|route| !reference::is_part_of_a_page(route)) {
        assert!(operations.contains(&format!(" id=\"{}\"", route.operation)), "{}", route.operation);
    }
    for code in model::Code::ALL {
        assert!(catalogue.contains(&format!(" id=\"{}\"", code.as_str())), "{}", code.as_str());
    }
}

#[test]
fn every_page_of_the_guide_is_served() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide");
    let files =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> = files.collect();
    let mut served: Vec<String> = guide::PAGES.iter().map(|page| format!("{}.md", page.name)).collect();
    served.extend(["labels.png", "pictures"].map(str::to_owned));
    files.sort_unstable();
    served.sort_unstable();
    assert_eq!(files, served);
    let index = guide::PAGES.iter().find(|page| page.name == guide::INDEX).unwrap();
    let mut before = 0;
    for page in guide::PAGES.iter().filter(|page| page.name != guide::INDEX) {
        let place = index.text.find(&format!("]({}.md)", page.name)).unwrap_or_default();
        assert!(place > before, "the index does not list {} in its order", page.name);
        before = place;
    }
}

#[test]
fn headings_go_down_one_step_at_a_time() {
    for (path, page) in pages() {
        let mut before = 0;
        for (place, _) in page.match_indices("<h") {
            let Some(level) = page[place + 2..].chars().next().and_then(|char| char.to_digit(10)) else {
                continue;
            };
            assert!(level <= before + 1, "{path}: {}", &page[place..place + 40]);
            before = level;
        }
    }
}

#[test]
fn nothing_is_asked_of_other_servers() {
    for (path, page) in pages() {
        let loaded = values(&page, " src=\"").chain(values(&page, "stylesheet\" href=\""));
        assert!(loaded.into_iter().all(|source| source.starts_with("/docs/")), "{path}");
        assert!(!page.contains(" style=\"") && !page.contains(" onclick"), "{path}");
    }
    assert!(!STYLE.contains("url(") && !STYLE.contains("@import") && !SCRIPT.contains("fetch("));
    let fetches: Vec<&str> = SEARCH_SCRIPT.split("fetch(").skip(1).collect();
    assert!(fetches.len() == 1 && fetches[0].starts_with("'/docs/search.json'"), "{fetches:?}");
}

#[test]
fn only_hosts_are_shown_as_hosts() {
    let shown = |value: &'static str| {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static(value));
        host(&headers).to_owned()
    };
    assert_eq!(shown("ship.example.com:8443"), "ship.example.com:8443");
    assert_eq!(shown("[::1]:8080"), "[::1]:8080");
    for hostile in ["<script>", "a\"b", "a'; rm -rf ~; '", "$(id)", "a b", ""] {
        assert_eq!(shown(hostile), FALLBACK_HOST, "{hostile}");
    }
}

#[test]
fn made_up_hosts_do_not_fill_the_memory() {
    let page = Hosted::new(format!("curl http://{}/orders", html::HOST));
    for number in 0..100 {
        page.at(&format!("host-{number}.example"));
    }
    assert_eq!(page.by_host.lock().unwrap().len(), HOSTS_MAX);
    assert!(page.by_host.lock().unwrap().contains_key(FALLBACK_HOST));
}
