//! What a request can make grow has a bound: the errors of a problem, the bytes of a page.

use serde_json::{Value, json};

use crate::setup::world::{Reply, World, bulky};

/// Bytes of a page's entries; one that is larger comes alone.
const PAGE_BYTES_MAX: usize = 4 << 20;
/// Errors that a problem lists.
const ERRORS_MAX: usize = 100;

#[tokio::test]
async fn a_problem_lists_a_hundred_errors_and_counts_the_rest() {
    let world = World::new().await;
    const KEYS: usize = 100_000;
    let fields: Vec<String> = (0..KEYS).map(|key| format!(r#""key_{key}":0"#)).collect();
    let body = format!("{{{}}}", fields.join(","));
    for (method, path) in
        [("POST", "/locations".to_owned()), ("PATCH", format!("/locations/{}", world.location("A").await))]
    {
        let reply = world.request(method, &path).raw("application/json", body.clone()).send().await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (422, "unknown_field"));
        assert!(reply.text.len() < 64 << 10, "{method}: {} bytes", reply.text.len());
        let problem = reply.json();
        let errors = problem["errors"].as_array().unwrap();
        assert_eq!(errors.len(), ERRORS_MAX + 1);
        let last = &errors[ERRORS_MAX];
        assert_eq!((&last["code"], &last["field"]), (&json!("more_errors"), &json!("")), "{last}");
        let omitted = last["omitted_count"].as_u64().unwrap();
        // A new location also lacks its name and its address.
        let missing = if method == "POST" { 2 } else { 0 };
        assert_eq!(omitted, (KEYS - ERRORS_MAX + missing) as u64);
        let lists = errors.iter().filter(|error| error["message"].as_str().unwrap().contains("Known fields"));
        assert_eq!(lists.count(), 1, "the known fields are listed once");
        assert!(problem["detail"].as_str().unwrap().contains("the first 100"), "{}", problem["detail"]);
    }
    // An endpoint without a body names what it can't take, too.
    let reply = world.request("POST", "/events/provision").raw("application/json", body).send().await;
    assert_eq!((reply.status.as_u16(), reply.issues().len()), (422, ERRORS_MAX + 1));
}

#[tokio::test]
async fn long_keys_inside_each_other_are_named_in_short() {
    let world = World::new().await;
    let long = "~/".repeat(20_000);
    let deep = format!(r#"{{"{long}":"#).repeat(90);
    let body = format!(r#"{deep}{{"a":1,"a":2}}{}"#, "}".repeat(90));
    assert!(body.len() < 4 << 20);
    let reply = world.request("POST", "/locations").raw("application/json", body).send().await;
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (400, "duplicate_key"));
    assert!(reply.text.len() < 8_000, "{}", reply.text.len());
    let body = json!({"name": "A", long: 1}).to_string();
    let reply = world.request("POST", "/locations").raw("application/json", body).send().await;
    assert_eq!(reply.code(), "unknown_field");
    assert!(reply.text.len() < 8_000, "{}", reply.text.len());
}

#[tokio::test]
async fn a_patch_of_what_breaks_todays_rules_in_many_places_is_taken() {
    let world = World::new().await;
    let id = world.location("Old").await;
    // As if texts could once be longer: there are more faults than a problem lists.
    let long = "x".repeat(300);
    let shops: serde_json::Map<String, Value> =
        (0..40).map(|shop| (format!("shop_{shop}"), json!(vec![&long; 5]))).collect();
    let doc = world.get(format!("/locations/{id}")).await.json();
    let mut doc = doc.as_object().unwrap().clone();
    doc.insert("marketplaces".to_owned(), Value::Object(shops));
    world.tamper(&format!("UPDATE location SET doc = '{}'", Value::Object(doc))).await;
    let renamed = world.patch(format!("/locations/{id}"), json!({"name": "New"})).await;
    assert_eq!((renamed.status.as_u16(), &renamed.json()["name"]), (200, &json!("New")), "{renamed}");
    let broken = world.patch(format!("/locations/{id}"), json!({"marketplaces": {"shop_1": [long]}})).await;
    assert_eq!(broken.status, 422);
}

fn cursor(page: &Reply, which: &str) -> Option<String> {
    page.json()[which].as_str().map(str::to_owned)
}

/// Follows a cursor to its end; gives the ids of each page.
async fn walk(world: &World, path: &str, mut page: Reply, which: &str) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    loop {
        assert_eq!(page.status, 200, "{page}");
        let ids = page.ids();
        assert!(!ids.is_empty() && pages.len() < 50);
        assert!(ids.len() == 1 || page.text.len() < PAGE_BYTES_MAX + 4_096, "{} bytes", page.text.len());
        pages.push(ids);
        let Some(next) = cursor(&page, which) else { return pages };
        page = world.get(format!("{path}&cursor={next}")).await;
    }
}

#[tokio::test]
async fn a_page_ends_after_so_many_bytes_and_the_next_goes_on() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for (number, kilobytes) in [900, 1, 1_500, 3_000, 3_000, 1, 1, 2_000, 1_900, 400].into_iter().enumerate()
    {
        let made = world.post("/locations", bulky(&format!("Depot {number}"), kilobytes << 10)).await;
        assert_eq!(made.status, 201, "{made}");
        ids.push(made.json()["id"].as_str().unwrap().to_owned());
    }
    ids.reverse();
    world.relay().await;
    let path = "/locations?limit=100";
    let first = world.get(path).await;
    assert_eq!(first.json()["limit"], 100);
    let pages = walk(&world, path, first, "next_cursor").await;
    assert_eq!(pages.concat(), ids, "forwards, each once");
    assert!(pages.len() >= 4, "{}", pages.len());

    // And back from the last page: what came before it, each once.
    let mut last = world.get(path).await;
    while let Some(next) = cursor(&last, "next_cursor") {
        last = world.get(format!("{path}&cursor={next}")).await;
    }
    let mut back = walk(&world, path, last, "previous_cursor").await;
    back.reverse();
    assert_eq!(back.concat(), ids, "backwards, each once");

    // The log of the same: by sequence, and the newest first.
    let count = world.events().await.len();
    for path in ["/events?limit=100", "/events?limit=100&after=0"] {
        let pages = walk(&world, path, world.get(path).await, "next_cursor").await;
        assert!(pages.len() >= 4 && pages.concat().len() == count, "{path}: {}", pages.len());
    }
}

#[tokio::test]
async fn a_body_that_costs_many_times_its_size_is_refused() {
    let world = World::new().await;
    let location = format!("/locations/{}", world.location("A").await);
    let list = |entry: &str| format!(r#"{{"tags":[{}]}}"#, vec![entry; 600_000].join(","));
    for entry in ["0", "[]", "{}", r#""a""#] {
        for (method, path) in [("POST", "/locations"), ("PATCH", &location), ("POST", "/events/provision")] {
            let reply = world.request(method, path).raw("application/json", list(entry)).send().await;
            let told = (reply.status.as_u16(), reply.code());
            assert_eq!((told.0, told.1.as_str()), (413, "body_too_large"), "{method} {path} of {entry}");
            assert!(reply.json()["detail"].as_str().unwrap().contains("too many values"), "{reply}");
        }
    }
    // The longest list that there is goes through: its ids are read, and not found.
    let ids: Vec<String> = (0..100_000).map(|number| format!("shp_{number:026}")).collect();
    let reply = world.post("/batches", json!({"shipments": ids})).await;
    assert_eq!(reply.status.as_u16(), 422, "{:.300}", reply.text);
}
