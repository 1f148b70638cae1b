//! Carriers and their services: each world has its own, and all organisations see the same.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::stock_requests::{refusal, texts};
use crate::setup::world::World;

#[tokio::test]
async fn each_world_has_its_carriers() {
    let world = World::new().await;
    let test = world.token_for("Acme", "*", Mode::Test).await;
    let rival = world.token_for("Rival", "*", Mode::Live).await;
    let live = world.get("/carriers").await;
    assert_eq!(
        texts(&live.json()["data"], "/handle"),
        ["dhl_express", "dhl_parcel_de", "easypost", "own", "royal_mail", "ups", "usps"]
    );
    let list = world.request("GET", "/carriers").token(&test).send().await;
    assert_eq!(
        texts(&list.json()["data"], "/handle"),
        ["dhl_express", "dhl_parcel_de", "easypost", "sandbox", "ups", "usps"]
    );
    let theirs = world.request("GET", "/carriers").token(&rival).send().await;
    assert_eq!(theirs.text, live.text);
    for carrier in live.json()["data"].as_array().unwrap() {
        let path = format!("/carriers/{}", carrier["id"].as_str().unwrap());
        let read = world.get(&path).await;
        assert_eq!(&read.json(), carrier);
        let known = world.request("GET", &path).header("if-none-match", read.header("etag")).send().await;
        assert_eq!(known.status, 304);
        let is_in_both = !["own", "royal_mail"].contains(&carrier["handle"].as_str().unwrap());
        for path in [path.clone(), format!("{path}/services")] {
            if is_in_both {
                continue;
            }
            let elsewhere = world.request("GET", &path).token(&test).send().await;
            assert_eq!(refusal(&elsewhere), (404, "not_found".to_owned()));
        }
    }
}

#[tokio::test]
async fn carriers_are_listed_page_by_page() {
    let world = World::new().await;
    let first = world.get("/carriers?limit=1").await.json();
    assert_eq!(
        (first["data"][0]["handle"].as_str(), first["previous_cursor"].clone()),
        (Some("dhl_express"), Value::Null)
    );
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = world.get(format!("/carriers?limit=1&cursor={cursor}")).await.json();
    assert_eq!(
        (second["data"][0]["handle"].as_str(), second["next_cursor"].is_string()),
        (Some("dhl_parcel_de"), true)
    );
    let back = second["previous_cursor"].as_str().unwrap();
    assert_eq!(world.get(format!("/carriers?limit=1&cursor={back}")).await.json()["data"], first["data"]);
    let id = first["data"][0]["id"].as_str().unwrap();
    let foreign = world.get(format!("/carriers/{id}/services?cursor={cursor}")).await;
    assert_eq!(refusal(&foreign), (400, "invalid_cursor".to_owned()));
}

/// The handles of a carrier's services.
async fn services(world: &World, handle: &str) -> Vec<String> {
    let carriers = world.get("/carriers").await.json();
    let carrier = carriers["data"].as_array().unwrap().iter().find(|carrier| carrier["handle"] == handle);
    let path = format!("/carriers/{}/services?limit=100", carrier.unwrap()["id"].as_str().unwrap());
    texts(&world.get(path).await.json()["data"], "/handle")
}

#[tokio::test]
async fn services_are_the_carriers_own_or_those_of_your_tables() {
    let mut world = World::new().await;
    assert!(services(&world, "easypost").await.len() > 20);
    assert_eq!(services(&world, "own").await, Vec::<String>::new());
    for handles in [["van", "bicycle"], ["van", "drone"]] {
        let service = |handle: &str| json!({"handle": handle, "name": handle, "rates": [{"rate": 1}]});
        let table = json!({"currency_code": "GBP", "services": handles.map(service)});
        let body = json!({"carrier": {"handle": "own"}, "name": "Vehicles", "configuration": table});
        assert_eq!(world.post("/carrier_accounts", body).await.status, 201);
    }
    assert_eq!(services(&world, "own").await, ["bicycle", "drone", "van"]);
    let card = json!({"services": [{"handle": "tracked_24", "name": "Tracked 24", "service_code": "TPN24", "rates": [{"rate": 385}]}]});
    let body = json!({"carrier": {"handle": "royal_mail"}, "name": "Royal Mail", "configuration": card, "credentials": {"api_key": "key"}});
    assert_eq!(world.post("/carrier_accounts", body).await.status, 201);
    assert_eq!(services(&world, "royal_mail").await, ["tracked_24"]);
    let mine = std::mem::take(&mut world.token);
    world.token = world.token_for("Rival", "*", Mode::Live).await;
    assert_eq!(services(&world, "own").await, Vec::<String>::new(), "no organisation sees another's tables");
    world.token = mine;
    world.token = world.token_for("Acme", "*", Mode::Test).await;
    assert_eq!(services(&world, "sandbox").await, ["economy", "express", "standard"]);
    assert!(services(&world, "easypost").await.len() > 20);
    assert_eq!(services(&world, "dhl_express").await.len(), 16);
    assert_eq!(services(&world, "dhl_parcel_de").await.len(), 7);
    assert_eq!(services(&world, "ups").await.len(), 13);
    assert_eq!(services(&world, "usps").await.len(), 8);
}
