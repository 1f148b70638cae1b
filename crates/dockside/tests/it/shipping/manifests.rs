//! Manifests: which parcels they list together, which they do not, and that no parcel is in two.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::purchase_requests::parcel_to;
use crate::setup::shipping_origin::{ShippingOrigin, lists, statuses, strings};
use crate::setup::stock_requests::refusal;
use crate::setup::world::{World, depot};

const HOME: &str = "BS1 4DJ";

#[tokio::test]
async fn closing_out_a_location_s_day_hands_over_what_was_bought_there() {
    let world = World::rehearsal().await;
    let (origin, other) = (ShippingOrigin::new(&world).await, ShippingOrigin::new(&world).await);
    let bought = [origin.bought(&world, HOME).await, origin.bought(&world, HOME).await];
    let elsewhere = other.bought(&world, HOME).await;
    world.shipment(origin.parcel(HOME)).await;
    let begun = origin.begin(&world).await;
    assert_eq!(begun.status, 202, "{begun}");
    assert_eq!(begun.header("location"), format!("/manifests?location={}", origin.location));
    assert_eq!(begun.header("retry-after"), "1");
    assert_eq!(begun.json()["data"][0]["status"], "creating");
    world.service.manifests.work().await.unwrap();

    let manifest = world.get("/manifests").await.json()["data"][0].clone();
    assert_eq!(strings(&manifest["shipments"]), bought);
    assert!(!manifest.to_string().contains(&elsewhere));
    let shown =
        ["status", "ship_date", "shipments_count", "packages_count"].map(|name| manifest[name].clone());
    assert_eq!(json!(shown), json!(["created", "2026-11-01", 2, 2]));
    assert_eq!(manifest["carrier"]["handle"], "sandbox");
    assert_eq!(manifest["carrier_account"]["handle"], "sandbox");
    assert_eq!((&manifest["location"], &manifest["messages"]), (&json!(origin.location), &json!([])));
    assert_eq!(manifest["origin"]["address"]["city"], "Bristol");
    assert_eq!(manifest["carrier_reference"], format!("manifest.{}", manifest["id"].as_str().unwrap()));
    let id = manifest["id"].as_str().unwrap();
    assert_eq!(world.story(&format!("/manifests/{id}")).await, ["manifest.created"]);
    let event = world.newest_event("manifest.created").await;
    assert_eq!(strings(&event["data"]["object"]["shipments"]), bought);
}

#[tokio::test]
async fn its_paper_can_be_fetched() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    origin.bought(&world, HOME).await;
    let manifest = origin.close(&world).await.remove(0);
    let document = &manifest["documents"][0];
    assert_eq!((&document["type"], &document["file_type"]), (&json!("manifest"), &json!("application/pdf")));
    let link = document["file_url"].as_str().unwrap().trim_start_matches("https://dockside.example.com");
    let (head, body) = world.request("GET", link).anonymous().open().await;
    let bytes = http_body_util::BodyExt::collect(body).await.unwrap().to_bytes();
    assert_eq!((head.status.as_u16(), &bytes[..5]), (200, &b"%PDF-"[..]));
    assert_eq!(document["file_size"], bytes.len());
}

#[tokio::test]
async fn a_manifest_is_of_one_account_one_origin_and_one_day() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    let today = [origin.bought(&world, HOME).await, origin.bought(&world, HOME).await];
    let mut later = origin.parcel(HOME);
    later["options"] = json!({"shipping": {"date": "2026-10-30T23:30:00-02:00"}});
    let dated = world.bought(later.clone()).await;
    later["options"] = json!({"shipping": {"date": "2026-11-02T00:00:00Z"}});
    let tomorrow = world.bought(later).await;
    let account = world.post(
        "/carrier_accounts",
        json!({"carrier": {"handle": "sandbox"}, "name": "Second", "handle": "second"}),
    );
    assert_eq!(account.await.status, 201);
    let path = world.shipment(origin.parcel(HOME)).await;
    let wanted = json!({"carrier_account": "second", "carrier_service": "standard"});
    assert_eq!(world.begin(&format!("{path}/purchase"), Some(wanted)).await.status, 202);
    world.work().await;
    let second = path.trim_start_matches("/shipments/").to_owned();
    // A parcel that leaves on a later day stays for that day's manifest.
    let mut closed = lists(&origin.close(&world).await);
    closed.sort();
    let mut expected = vec![today.to_vec(), vec![dated], vec![second]];
    expected.sort();
    assert_eq!(closed, expected);
    world.advance_seconds(86_400);
    assert_eq!(lists(&origin.close(&world).await), [vec![tomorrow]]);
}

#[tokio::test]
async fn one_day_and_one_account_can_be_closed_alone() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    let today = origin.bought(&world, HOME).await;
    world.advance_seconds(86_400);
    origin.bought(&world, HOME).await;
    let close = |body: Value| {
        let mut body = body;
        body["location"] = json!({"id": origin.location});
        let world = &world;
        async move { world.begin("/manifests", Some(body)).await }
    };
    let reply = close(json!({"date": "2026-11-01", "carrier_account": "sandbox"})).await;
    assert_eq!(lists(reply.json()["data"].as_array().unwrap()), [vec![today]]);
    let none = close(json!({"date": "2026-10-01"})).await;
    assert_eq!((none.status.as_u16(), none.json()["data"].clone()), (200, json!([])));
    let reply = close(json!({"carrier_account": "nobody"})).await;
    assert_eq!(
        (reply.code(), reply.issues()[0].1.as_str()),
        ("carrier_account_not_found".to_owned(), "/carrier_account")
    );
}

#[tokio::test]
async fn a_patch_of_the_location_neither_splits_nor_empties_a_manifest() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    let before = [origin.bought(&world, HOME).await, origin.bought(&world, HOME).await];
    let moved = json!({"address": {"address": {"line_1": "2 New Street"}}});
    assert_eq!(world.patch(format!("/locations/{}", origin.location), moved).await.status, 200);
    let after = origin.bought(&world, HOME).await;
    let manifests = origin.close(&world).await;
    // One manifest has all parcels from the old address, and one those from the new address. The answer shows both.
    assert_eq!(lists(&manifests), [before.to_vec(), vec![after]]);
    let lines: Vec<_> = manifests.iter().map(|one| one["origin"]["address"]["line_1"].clone()).collect();
    assert_eq!(lines, ["1 Quay Street", "2 New Street"]);
    assert_eq!(statuses(&manifests), ["created", "created"]);
}

#[tokio::test]
async fn shipments_whose_origin_was_given_are_grouped_by_their_address() {
    let world = World::rehearsal().await;
    let bristol = [world.bought(parcel_to(HOME)).await, world.bought(parcel_to(HOME)).await];
    let mut body = parcel_to(HOME);
    body["addresses"]["origin"]["address"]["line_1"] = json!("2 Quay Street");
    let other = world.bought(body).await;
    let batch = world.standing_batch("purchased", &[bristol.to_vec(), vec![other.clone()]].concat()).await;
    assert_eq!(world.begin(&format!("/batches/{batch}/manifests"), None).await.status, 202);
    world.service.manifests.work().await.unwrap();
    let manifests = world.get(format!("/batches/{batch}/manifests")).await.json()["data"].clone();
    let mut lists = lists(manifests.as_array().unwrap());
    lists.sort_by_key(Vec::len);
    assert_eq!(lists, [vec![other], bristol.to_vec()]);
    assert_eq!(manifests[0]["location"], Value::Null);
}

#[tokio::test]
async fn a_voided_shipment_is_in_no_manifest_and_what_is_in_one_can_not_be_voided() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    let (voided, voiding) = (origin.bought(&world, HOME).await, origin.bought(&world, HOME).await);
    let kept = origin.bought(&world, HOME).await;
    let void = async |id: &str| world.begin(&format!("/shipments/{id}/void"), None).await;
    assert_eq!(void(&voided).await.status, 202);
    world.work().await;
    assert_eq!(void(&voiding).await.status, 202);
    let begun = origin.begin(&world).await;
    assert_eq!(lists(begun.json()["data"].as_array().unwrap()), [vec![kept.clone()]]);
    // A shipment in a manifest can't be voided while the server asks the carrier, nor afterwards.
    assert_eq!(refusal(&void(&kept).await), (409, "shipment_manifested".to_owned()));
    world.service.manifests.work().await.unwrap();
    assert_eq!(refusal(&void(&kept).await), (409, "shipment_manifested".to_owned()));
    assert_eq!(world.get(format!("/shipments/{kept}")).await.json()["status"], "purchased");
}

#[tokio::test]
async fn asked_again_the_same_manifests_are_given_and_none_is_made() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    let first = origin.bought(&world, HOME).await;
    let created = origin.close(&world).await;
    let again = origin.begin(&world).await;
    assert_eq!(
        (again.status.as_u16(), again.ids()),
        (200, vec![created[0]["id"].as_str().unwrap().to_owned()])
    );
    // A parcel that was bought since is in a second manifest: the first may be signed already.
    let second = origin.bought(&world, HOME).await;
    assert_eq!(lists(&origin.close(&world).await), [vec![first], vec![second]]);
    assert_eq!(world.get("/manifests").await.ids().len(), 2);
}

#[tokio::test]
async fn a_key_gives_the_same_manifests_whatever_was_bought_since() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    let first = origin.bought(&world, HOME).await;
    let ask = async || {
        let request = world.request("POST", "/manifests").header("idempotency-key", "today");
        request.header("prefer", "respond-async").json(json!({"location": origin.location})).send().await
    };
    let begun = ask().await;
    world.service.manifests.work().await.unwrap();
    origin.bought(&world, HOME).await;
    let again = ask().await;
    assert_eq!((again.status.as_u16(), again.header("idempotent-replayed")), (201, "true"));
    assert_eq!(
        (again.ids(), lists(again.json()["data"].as_array().unwrap())),
        (begun.ids(), vec![vec![first]])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn many_requests_at_once_put_each_shipment_into_one_manifest() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    let mut bought = Vec::new();
    for _ in 0..6 {
        bought.push(origin.bought(&world, HOME).await);
    }
    let all =
        tokio::join!(origin.begin(&world), origin.begin(&world), origin.begin(&world), origin.begin(&world));
    for reply in [&all.0, &all.1, &all.2, &all.3] {
        assert!([200, 202].contains(&reply.status.as_u16()), "{reply}");
    }
    world.service.manifests.work().await.unwrap();
    let list = world.get("/manifests").await.json()["data"].clone();
    assert_eq!(lists(list.as_array().unwrap()), [bought]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_voiding_and_closing_out_at_once_one_is_done() {
    for _ in 0..4 {
        let world = World::rehearsal().await;
        let origin = ShippingOrigin::new(&world).await;
        let id = origin.bought(&world, HOME).await;
        let path = format!("/shipments/{id}/void");
        let (void, close) = tokio::join!(world.begin(&path, None), origin.begin(&world));
        let is_voided = void.status == 202;
        assert!(is_voided || refusal(&void).1 == "shipment_manifested", "{void}");
        assert_eq!(close.json()["data"].as_array().unwrap().is_empty(), is_voided, "{close}");
    }
}

#[tokio::test]
async fn what_a_carrier_does_not_take_fails_and_its_shipments_are_free_again() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    let (bad, good) = (origin.bought(&world, "SBX-MANIFEST-FAIL").await, origin.bought(&world, HOME).await);
    let failed = origin.close(&world).await.remove(0);
    assert_eq!((&failed["status"], &failed["documents"]), (&json!("failed"), &json!([])));
    assert_eq!(failed["messages"], json!(["The sandbox does not close out these purchases."]));
    assert_eq!(strings(&failed["shipments"]), [bad.clone(), good.clone()], "the list stays");
    let path = format!("/manifests/{}", failed["id"].as_str().unwrap());
    assert_eq!(world.story(&path).await, ["manifest.failed"]);
    // The same request fails again. Without the parcel that the carrier rejects, it succeeds.
    let again = world.begin(&format!("{path}/retry"), None).await;
    assert_eq!((again.status.as_u16(), again.header("location")), (202, path.as_str()));
    world.service.manifests.work().await.unwrap();
    assert_eq!(world.get(&path).await.json()["status"], "failed");
    assert_eq!(world.begin(&format!("/shipments/{bad}/void"), None).await.status, 202);
    world.work().await;
    assert_eq!(world.begin(&format!("{path}/retry"), None).await.status, 202);
    world.service.manifests.work().await.unwrap();
    let created = world.get(&path).await.json();
    assert_eq!((&created["status"], strings(&created["shipments"])), (&json!("created"), vec![good]));
    assert_eq!((&created["messages"], &created["shipments_count"]), (&json!([]), &json!(1)));
    assert_eq!(world.story(&path).await, ["manifest.failed", "manifest.failed", "manifest.created"]);
    let kept = world.begin(&format!("{path}/retry"), None).await;
    assert_eq!((kept.status.as_u16(), &kept.json()["status"]), (200, &json!("created")));
}

#[tokio::test]
async fn what_failed_may_be_closed_out_anew_and_then_there_is_nothing_to_retry() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    origin.bought(&world, "SBX-MANIFEST-FAIL").await;
    let failed = origin.close(&world).await.remove(0);
    let begun = origin.begin(&world).await;
    assert_eq!(begun.status, 202, "a new manifest");
    assert_ne!(begun.json()["data"][0]["id"], failed["id"]);
    let retry = world.begin(&format!("/manifests/{}/retry", failed["id"].as_str().unwrap()), None).await;
    assert_eq!(refusal(&retry), (409, "manifest_empty".to_owned()));
}

#[tokio::test]
async fn a_slow_carrier_is_asked_again_until_it_is_done() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    origin.bought(&world, "SBX-MANIFEST-SLOW").await;
    let creating = origin.close(&world).await.remove(0);
    assert_eq!((&creating["status"], &creating["documents"]), (&json!("creating"), &json!([])));
    let path = format!("/manifests/{}", creating["id"].as_str().unwrap());
    world.manifest_for(8).await;
    assert_eq!(world.get(&path).await.json()["status"], "creating");
    world.manifest_for(4).await;
    assert_eq!(world.get(&path).await.json()["status"], "created");
    assert_eq!(world.story(&path).await, ["manifest.created"]);
}

#[tokio::test]
async fn a_request_waits_for_a_carrier_that_is_quick() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    origin.bought(&world, HOME).await;
    let jobs = world.service.start_jobs().unwrap();
    let reply = world.post("/manifests", json!({"location": {"id": origin.location}})).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["data"][0]["status"]),
        (201, &json!("created")),
        "{reply}"
    );
    assert_eq!(reply.json()["data"][0]["documents"].as_array().map(Vec::len), Some(1));
    jobs.stop().await;
}

#[tokio::test]
async fn others_manifests_are_not_found_and_others_shipments_not_handed_over() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    origin.bought(&world, HOME).await;
    let id = origin.close(&world).await[0]["id"].as_str().unwrap().to_owned();
    origin.bought(&world, HOME).await;
    for (organisation, mode) in [("Globex", Mode::Test), ("Acme", Mode::Live)] {
        let stranger = world.token_for(organisation, "*", mode).await;
        let ask = async |method: &str, path: &str| world.request(method, path).token(&stranger).send().await;
        assert_eq!(ask("GET", &format!("/manifests/{id}")).await.code(), "not_found");
        assert_eq!(ask("POST", &format!("/manifests/{id}/retry")).await.code(), "not_found");
        assert_eq!(ask("GET", "/manifests").await.json()["data"], json!([]));
        let close = world.request("POST", "/manifests").token(&stranger);
        let reply = close.json(json!({"location": origin.location})).send().await;
        assert_eq!(refusal(&reply), (422, "location_not_found".to_owned()));
    }
    assert_eq!(world.get("/manifests").await.ids().len(), 1);
}

#[tokio::test]
async fn the_list_is_filtered_by_status_and_location() {
    let world = World::rehearsal().await;
    let (one, two) = (ShippingOrigin::new(&world).await, ShippingOrigin::new(&world).await);
    one.bought(&world, HOME).await;
    two.bought(&world, "SBX-MANIFEST-FAIL").await;
    let (good, bad) = (one.close(&world).await.remove(0), two.close(&world).await.remove(0));
    let ids = async |query: &str| world.get(format!("/manifests?{query}")).await.ids();
    let (good, bad) = (good["id"].as_str().unwrap(), bad["id"].as_str().unwrap());
    assert_eq!(ids("").await, [bad, good]);
    assert_eq!(ids("status=created").await, [good]);
    assert_eq!(ids("status=failed").await, [bad]);
    assert_eq!(ids(&format!("location={}", one.location)).await, [good]);
    assert_eq!(ids(&format!("location={}&status=failed", one.location)).await, Vec::<String>::new());
    assert_eq!(world.get("/manifests?status=pending").await.status, 400);
}

#[tokio::test]
async fn own_vehicles_take_what_they_are_given() {
    let world = World::new().await;
    let origin = ShippingOrigin::new(&world).await;
    let account = crate::setup::populated_organisation::account("Acme", Mode::Live);
    let account = world.post("/carrier_accounts", account).await.json();
    let path = world.shipment(origin.parcel(HOME)).await;
    let wanted = json!({"carrier_account": account["id"], "carrier_service": "van-Acme"});
    assert_eq!(world.begin(&format!("{path}/purchase"), Some(wanted)).await.status, 202);
    world.work().await;
    let manifest = origin.close(&world).await.remove(0);
    assert_eq!((&manifest["status"], &manifest["carrier"]["handle"]), (&json!("created"), &json!("own")));
}

#[tokio::test]
async fn an_account_that_a_manifest_waits_for_can_not_be_deleted() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    origin.bought(&world, HOME).await;
    origin.begin(&world).await;
    let account = world.get("/carrier_accounts").await.ids().remove(0);
    world.tamper("UPDATE purchase SET due_at = NULL").await;
    let delete = world.delete(format!("/carrier_accounts/{account}")).await;
    assert_eq!(refusal(&delete), (409, "carrier_account_in_use".to_owned()));
}

#[tokio::test]
async fn a_location_is_named_by_its_id_or_as_it_is_shown() {
    let world = World::rehearsal().await;
    let id = world.location("Ramp").await;
    let whole = world.get(format!("/locations/{id}")).await.json();
    for location in [json!(id), json!({"id": id}), whole] {
        let reply = world.post("/manifests", json!({"location": location})).await;
        assert_eq!((reply.status.as_u16(), reply.json()), (200, json!({"data": []})), "{reply}");
    }
    for (body, field) in [
        (json!({}), "/location"),
        (json!({"location": "ord_01jc0000000000000000000000"}), "/location"),
        (json!({"location": depot("None")}), "/location/id"),
        (json!({"location": id, "date": "2026-02-30"}), "/date"),
        (json!({"location": id, "date": "2026-11-01T00:00:00Z"}), "/date"),
        (json!({"location": id, "day": "2026-11-01"}), "/day"),
    ] {
        let reply = world.post("/manifests", body).await;
        assert_eq!((reply.status.as_u16(), reply.issues()[0].1.as_str()), (422, field), "{reply}");
    }
}
