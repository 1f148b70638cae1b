//! Testing a carrier account: whether the carrier lets it in, without buying anything.

use api::Limits;
use serde_json::{Value, json};
use testkit::easypost_recordings::KEY;

use crate::setup::easypost_server::EasyPostServer;
use crate::setup::populated_organisation::account as own_account;
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;
use crate::shipping::easypost::{RECORDING, account};

async fn test(world: &World, account: &str) -> Value {
    let reply = world.post(format!("/carrier_accounts/{account}/test"), json!({})).await;
    assert_eq!(reply.status, 200, "{reply}");
    assert!(reply.json()["duration_ms"].is_u64(), "{reply}");
    reply.json()
}

async fn with_carrier_at(url: String) -> World {
    let world = World::with(Limits::default(), |settings| {
        settings.carriers.urls.insert("easypost".to_owned(), url);
    });
    let world = world.await;
    world.location("Depot").await;
    world
}

#[tokio::test]
async fn an_account_that_the_carrier_lets_in_is_connected() {
    let server = EasyPostServer::open(RECORDING).await;
    let world = with_carrier_at(server.url()).await;
    let tested = test(&world, &account(&world, KEY).await).await;
    assert_eq!(tested["outcome"], "connected", "{tested}");
    assert!(tested["rate_count"].as_u64().is_some_and(|count| count > 0), "{tested}");
    assert_eq!(server.purchases(), 0, "nothing is bought");
    let tested = test(&world, &account(&world, "EZTKother").await).await;
    assert_eq!(
        (&tested["outcome"], &tested["rate_count"], &tested["message"]),
        (&json!("refused"), &json!(0), &json!("This api key is no longer active."))
    );
    assert_eq!(world.get("/shipments").await.ids().len(), 0, "nothing is kept");
}

#[tokio::test]
async fn a_carrier_that_does_not_answer_is_unreachable() {
    let world = with_carrier_at("http://127.0.0.1:9".to_owned()).await;
    let tested = test(&world, &account(&world, KEY).await).await;
    assert_eq!((&tested["outcome"], &tested["rate_count"]), (&json!("unreachable"), &json!(0)), "{tested}");
    assert!(tested["message"].is_string(), "{tested}");
}

#[tokio::test]
async fn a_test_needs_a_location_and_an_account_of_ones_own() {
    let world = World::new().await;
    let made = world.post("/carrier_accounts", own_account("Acme", model::World::Live)).await;
    assert_eq!(made.status, 201, "{made}");
    let id = made.json()["id"].as_str().expect("an id").to_owned();
    let early = world.post(format!("/carrier_accounts/{id}/test"), json!({})).await;
    assert_eq!(refusal(&early), (409, "location_missing".to_owned()));
    world.location("Depot").await;
    assert_eq!(test(&world, &id).await["outcome"], "connected");
    let rival = world.token_for("Rival", "*", model::World::Live).await;
    let path = format!("/carrier_accounts/{id}/test");
    let foreign = world.request("POST", &path).token(&rival).json(json!({})).send().await;
    assert_eq!(refusal(&foreign), (404, "not_found".to_owned()));
}
