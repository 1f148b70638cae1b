//! Lists: cursors, limits, links and filters; and that paging is stable while rows come and go.

use std::sync::Arc;

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::populated_organisation::{account, parcel};
use crate::setup::world::{Reply, World, depot};

async fn locations(world: &World, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for number in 0..count {
        ids.push(world.location(&format!("Depot {number}")).await);
    }
    ids.reverse();
    ids
}

async fn tagged(world: &World, tags: &[&str]) -> String {
    let mut body = depot("Tagged");
    body["tags"] = json!(tags);
    world.post("/locations", body).await.json()["id"].as_str().unwrap().to_owned()
}

fn cursor(page: &Reply, which: &str) -> Option<String> {
    let page = page.json();
    let value = page.as_object().unwrap().get(which).expect("both cursors are always there");
    value.as_str().map(str::to_owned)
}

/// The pages from a first one on, following a cursor to its end.
async fn walk(world: &World, path: &str, mut page: Reply, which: &str) -> Vec<Reply> {
    let mut pages = Vec::new();
    let join = if path.contains('?') { '&' } else { '?' };
    loop {
        assert_eq!(page.status, 200, "{page}");
        assert!(pages.len() < 500, "the walk has no end");
        let next = cursor(&page, which);
        pages.push(page);
        match next {
            Some(cursor) => page = world.get(format!("{path}{join}cursor={cursor}")).await,
            None => return pages,
        }
    }
}

fn all_ids(pages: &[Reply]) -> Vec<String> {
    pages.iter().flat_map(Reply::ids).collect()
}

#[tokio::test]
async fn an_empty_list_has_no_cursors() {
    let world = World::new().await;
    let empty =
        |name: &str| format!(r#"200 {{"{name}":[],"next_cursor":null,"previous_cursor":null,"limit":20}}"#);
    assert_eq!(world.get("/locations").await.to_string(), empty("locations"));
    assert_eq!(world.get("/location_configurations").await.to_string(), empty("location_configurations"));
    for list in ["/shipments", "/carrier_accounts", "/purchase_attempts"] {
        assert_eq!(world.get(list).await.to_string(), empty("data"), "{list}");
    }
    assert_eq!(world.get("/locations").await.header("link"), "");
}

#[tokio::test]
async fn twenty_by_default_and_a_hundred_at_most() {
    let world = World::new().await;
    let ids = locations(&world, 101).await;
    for (query, count) in [
        ("", 20),
        ("?limit=1", 1),
        ("?limit=99", 99),
        ("?limit=100", 100),
        ("?limit=101", 100),
        ("?limit=18446744073709551615", 100),
        ("?limit=99999999999999999999999", 100),
    ] {
        let page = world.get(format!("/locations{query}")).await;
        assert_eq!(
            (page.json()["limit"].as_u64(), page.ids().len()),
            (Some(count), count as usize),
            "{query}"
        );
        assert_eq!(page.ids(), ids[..count as usize], "newest first");
    }
}

#[tokio::test]
async fn a_limit_that_is_no_number_of_one_or_more_is_refused() {
    let world = World::new().await;
    let lists =
        ["/locations", "/location_configurations", "/access_tokens", "/carriers", "/carrier_accounts"];
    for path in lists.into_iter().chain(["/shipments", "/purchase_attempts"]) {
        for limit in ["0", "-1", "ten", "1.5", "", "1e2", "0x10", "%20", "10,20", "000"] {
            let refused = world.get(format!("{path}?limit={limit}")).await;
            assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, "invalid_limit"), "{limit}");
            assert_eq!(refused.issues(), [("invalid_limit".to_owned(), "limit".to_owned())]);
        }
    }
}

#[tokio::test]
async fn parameters_that_do_not_exist_are_refused() {
    let world = World::new().await;
    for query in ["tgas=a", "limit=1&limit=2", "cursor=a&cursor=b", "page=2", "tags=%ff"] {
        let refused = world.get(format!("/locations?{query}")).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, "invalid_query"), "{query}");
    }
}

#[tokio::test]
async fn an_empty_cursor_is_the_first_page_of_every_list() {
    let world = World::new().await;
    let tenant =
        crate::setup::populated_organisation::PopulatedOrganisation::populate(&world, "Acme", Mode::Live)
            .await;
    let lists = crate::setup::populated_organisation::scoped();
    let lists: Vec<_> = lists.iter().filter(|route| route.is_list()).collect();
    assert!(lists.len() > 15, "{}", lists.len());
    for route in lists {
        let get = async |query: &str| {
            let path = format!("{}?{query}", tenant.path(route));
            world.request("GET", &path).token(&tenant.token).send().await.json()
        };
        let (first, empty) = (get("limit=1").await, get("limit=1&cursor=").await);
        assert_eq!(empty["limit"], 1, "{}: {empty}", route.path);
        assert_eq!(empty["previous_cursor"], Value::Null, "{}", route.path);
        let ids = |page: &Value| {
            page.as_object()
                .unwrap()
                .values()
                .find(|value| value.is_array())
                .map(|items| items[0]["id"].clone())
        };
        assert_eq!(ids(&empty), ids(&first), "{}", route.path);
    }
}

#[tokio::test]
async fn array_parameters_may_be_indexed() {
    let world = World::new().await;
    let item = world.item("TEE").await;
    let (one, two) = (world.order(&[(&item, 1)]).await, world.order(&[(&item, 2)]).await);
    world.order(&[(&item, 3)]).await;
    for query in [
        format!("order_id[0]={one}&order_id[1]={two}"),
        format!("order_id%5B0%5D={one}&order_id%5B7%5D={two}"),
        format!("order_id[]={one}&order_id[]={two}"),
        format!("order_id={one},{two}"),
    ] {
        let page = world.get(format!("/reservations?{query}")).await;
        let orders: Vec<_> = page.json()["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|found| found["order"]["id"].clone())
            .collect();
        assert_eq!(orders, [json!(two), json!(one)], "{query}: {page}");
        assert_eq!(world.get(format!("/allocations?{query}")).await.status, 200);
    }
    let spare = tagged(&world, &["a", "b"]).await;
    tagged(&world, &["a"]).await;
    assert_eq!(world.get("/locations?tags[0]=a&tags[1]=b").await.ids(), [spare]);
    assert_eq!(world.get("/location_configurations?include_fields[0]=address").await.status, 200);
    for query in ["tags[x]=a", "tags[-1]=a", "limit[0]=1"] {
        assert_eq!(world.get(format!("/locations?{query}")).await.code(), "invalid_query", "{query}");
    }
}

#[tokio::test]
async fn walking_forwards_and_back_meets_every_row_once() {
    const COUNT: usize = 11;
    let world = World::new().await;
    locations(&world, COUNT).await;
    for _ in 0..COUNT {
        let (origin, back) = (world.location("a").await, world.location("b").await);
        let body = json!({"name": "x", "locations": {"origin": {"id": origin}, "return": {"id": back}}});
        assert_eq!(world.post("/location_configurations", body).await.status, 201);
        assert_eq!(world.post("/access_tokens", json!({"scopes": ["*"]})).await.status, 201);
        assert_eq!(world.post("/carrier_accounts", account("Acme", Mode::Live)).await.status, 201);
        world.shipment(parcel()).await;
    }
    for list in
        ["/locations", "/location_configurations", "/access_tokens", "/carrier_accounts", "/shipments"]
    {
        let expected = world.get(format!("{list}?limit=100")).await.ids();
        assert!(expected.len() >= COUNT && expected.is_sorted_by(|newer, older| newer > older));
        for limit in [1, 2, 5, 11, 12, 50] {
            let path = format!("{list}?limit={limit}");
            let forwards = walk(&world, &path, world.get(&path).await, "next_cursor").await;
            assert_eq!(all_ids(&forwards), expected, "{path}");
            assert!(forwards.iter().all(|page| page.ids().len() <= limit && !page.ids().is_empty()));
            assert_eq!(cursor(&forwards[0], "previous_cursor"), None);
            let last = forwards.into_iter().next_back().unwrap();
            let mut backwards = walk(&world, &path, last, "previous_cursor").await;
            backwards.reverse();
            assert_eq!(all_ids(&backwards), expected, "{path} backwards");
        }
    }
}

#[tokio::test]
async fn rows_that_come_and_go_shift_nothing() {
    let world = World::new().await;
    let ids = locations(&world, 9).await;
    let first = world.get("/locations?limit=3").await;
    assert_eq!(first.ids(), ids[..3]);
    let next = format!("/locations?limit=3&cursor={}", cursor(&first, "next_cursor").unwrap());
    // Delete the row that the cursor points at, and add rows before it.
    world.delete(format!("/locations/{}", ids[2])).await;
    let newer = locations(&world, 2).await;
    let second = world.get(&next).await;
    assert_eq!(second.ids(), ids[3..6]);
    // Paging back shows the current rows.
    let back = format!("/locations?limit=3&cursor={}", cursor(&second, "previous_cursor").unwrap());
    let before = world.get(&back).await;
    assert_eq!(before.ids(), [&newer[1], &ids[0], &ids[1]].map(String::clone));
    let front = format!("/locations?limit=3&cursor={}", cursor(&before, "previous_cursor").unwrap());
    let front = world.get(&front).await;
    assert_eq!((front.ids(), cursor(&front, "previous_cursor")), (vec![newer[0].clone()], None));
    assert_eq!(walk(&world, "/locations?limit=3", front, "next_cursor").await.len(), 4);
}

#[tokio::test]
async fn a_page_behind_which_all_has_gone_leads_back() {
    let world = World::new().await;
    let ids = locations(&world, 4).await;
    let first = world.get("/locations?limit=2").await;
    let next = cursor(&first, "next_cursor").unwrap();
    let second = world.get(format!("/locations?limit=2&cursor={next}")).await;
    let previous = cursor(&second, "previous_cursor").unwrap();
    for id in &ids[2..] {
        world.delete(format!("/locations/{id}")).await;
    }
    let empty = world.get(format!("/locations?limit=2&cursor={next}")).await;
    assert_eq!((empty.ids().len(), cursor(&empty, "next_cursor")), (0, None));
    let back = cursor(&empty, "previous_cursor").unwrap();
    assert_eq!(world.get(format!("/locations?limit=2&cursor={back}")).await.ids(), ids[..2]);
    for id in &ids[..2] {
        world.delete(format!("/locations/{id}")).await;
    }
    let nothing = world.get(format!("/locations?limit=2&cursor={previous}")).await;
    assert_eq!(
        (nothing.ids().len(), cursor(&nothing, "next_cursor"), cursor(&nothing, "previous_cursor")),
        (0, None, None)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_walk_beside_writers_meets_every_lasting_row_once() {
    let world = Arc::new(World::new().await);
    let mut lasting = Vec::new();
    let mut passing = Vec::new();
    for _ in 0..20 {
        lasting.push(world.location("Lasting").await);
        passing.push(world.location("Passing").await);
    }
    let beside = world.clone();
    let writer = tokio::spawn(async move {
        for id in passing {
            assert_eq!(beside.delete(format!("/locations/{id}")).await.status, 204);
            beside.location("New").await;
        }
    });
    let mut walks = 0;
    while walks < 2 || !writer.is_finished() {
        let first = world.get("/locations?limit=3").await;
        let forwards = walk(&world, "/locations?limit=3", first, "next_cursor").await;
        let mut met = all_ids(&forwards);
        let last = forwards.into_iter().next_back().unwrap();
        let backwards = all_ids(&walk(&world, "/locations?limit=3", last, "previous_cursor").await);
        let count = |ids: &[String], id: &String| ids.iter().filter(|met| *met == id).count();
        assert!(lasting.iter().all(|id| count(&met, id) == 1 && count(&backwards, id) == 1));
        let all = met.len();
        met.sort_unstable();
        met.dedup();
        assert_eq!(met.len(), all, "a row came twice");
        walks += 1;
    }
    writer.await.unwrap();
}

#[tokio::test]
async fn a_cursor_serves_the_list_it_was_made_for_only() {
    let world = World::new().await;
    for _ in 0..3 {
        tagged(&world, &["a", "b"]).await;
    }
    let page = world.get("/locations?limit=1").await;
    let sound = cursor(&page, "next_cursor").unwrap();
    let filtered = cursor(&world.get("/locations?limit=1&tags=a").await, "next_cursor").unwrap();
    let mut altered = sound.clone().into_bytes();
    let middle = altered.len() / 2;
    altered[middle] = if altered[middle] == b'A' { b'B' } else { b'A' };
    let altered = String::from_utf8(altered).unwrap();
    let cases = [
        format!("/locations?cursor={altered}"),
        format!("/locations?cursor={sound}x"),
        format!("/locations?cursor={}", &sound[1..]),
        "/locations?cursor=loc_01jc0000000000000000000000".to_owned(),
        format!("/location_configurations?cursor={sound}"),
        format!("/access_tokens?cursor={sound}"),
        format!("/shipments?cursor={sound}"),
        format!("/carriers?cursor={sound}"),
        format!("/carrier_accounts?cursor={sound}"),
        format!("/purchase_attempts?cursor={sound}"),
        format!("/locations?tags=a&cursor={sound}"),
        format!("/locations?cursor={filtered}"),
        format!("/locations?tags=a,b&cursor={filtered}"),
    ];
    for path in cases {
        let refused = world.get(&path).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, "invalid_cursor"), "{path}");
    }
    for (organisation, mode) in [("Acme", Mode::Test), ("Rival", Mode::Live)] {
        let token = world.token_for(organisation, "*", mode).await;
        let call = world.request("GET", &format!("/locations?cursor={sound}")).token(&token);
        assert_eq!(call.send().await.code(), "invalid_cursor");
    }
    // A cursor stays valid with another limit, with another spelling of the same filter, and for another token of the owner.
    let colleague = world.token_for("Acme", "locations:read", Mode::Live).await;
    let call = world.request("GET", &format!("/locations?limit=50&cursor={sound}")).token(&colleague);
    assert_eq!(call.send().await.ids().len(), 2);
    assert_eq!(world.get(format!("/locations?tags[]=a&cursor={filtered}")).await.ids().len(), 2);
}

#[tokio::test]
async fn links_lead_to_the_pages_around() {
    let world = World::new().await;
    for _ in 0..5 {
        tagged(&world, &["a", "b"]).await;
    }
    tagged(&world, &["a"]).await;
    let expected = world.get("/locations?tags=a,b").await.ids();
    let mut path = "/locations?tags=a,b&limit=2".to_owned();
    let mut met = Vec::new();
    for (has_next, has_previous) in [(true, false), (true, true), (false, true)] {
        let page = world.get(&path).await;
        met.extend(page.ids());
        assert_eq!(page.json()["limit"], 2);
        let (next, previous) = (link(&page, "next"), link(&page, "prev"));
        assert_eq!((next.is_some(), previous.is_some()), (has_next, has_previous));
        path = next.or(previous).unwrap();
    }
    assert_eq!(met, expected);
    assert_eq!(world.get(&path).await.ids(), expected[2..4], "back from the last page");
}

/// The target of a `Link` header's relation.
fn link(page: &Reply, relation: &str) -> Option<String> {
    let wanted = format!("; rel=\"{relation}\"");
    let entry = page.header("link").split(", ").find(|entry| entry.ends_with(&wanted))?;
    Some(entry.strip_prefix('<')?.split_once('>')?.0.to_owned())
}

#[tokio::test]
async fn tags_filter_by_all_of_them_in_every_spelling() {
    let world = World::new().await;
    let both = tagged(&world, &["a", "b", "c"]).await;
    let one = tagged(&world, &["a"]).await;
    tagged(&world, &["b"]).await;
    world.location("Untagged").await;
    for query in [
        "tags=a,b",
        "tags=a&tags=b",
        "tags[]=a&tags[]=b",
        "tags%5B%5D=a&tags%5B%5D=b",
        "tags=b,a",
        "tags=a,b,a",
        "tags[]=a,b",
    ] {
        assert_eq!(world.get(format!("/locations?{query}")).await.ids(), [both.as_str()], "{query}");
    }
    assert_eq!(world.get("/locations?tags=a").await.ids(), [one.as_str(), &both]);
    assert_eq!(world.get("/locations?tags=a,nobody_has_this").await.ids(), Vec::<String>::new());
    let many: Vec<String> = (0..51).map(|number| format!("t{number}")).collect();
    let refused = world.get(format!("/locations?tags={}", many.join(","))).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, "invalid_query"));
}

#[tokio::test]
async fn the_filter_follows_changes_of_tags() {
    let world = World::new().await;
    let id = tagged(&world, &["a", "b"]).await;
    let path = format!("/locations/{id}");
    let found = async |tag: &str| !world.get(format!("/locations?tags={tag}")).await.ids().is_empty();
    let steps = [
        (json!(["b", "c"]), [false, true, true]),
        (json!(["a", "a"]), [true, false, false]),
        (Value::Null, [false, false, false]),
    ];
    for (tags, expected) in steps {
        assert_eq!(world.patch(&path, json!({"tags": tags})).await.status, 200);
        assert_eq!([found("a").await, found("b").await, found("c").await], expected, "{tags}");
    }
    world.patch(&path, json!({"tags": ["a"]})).await;
    world.delete(&path).await;
    assert!(!found("a").await);
}
