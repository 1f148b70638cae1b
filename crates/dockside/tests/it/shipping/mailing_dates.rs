//! The mailing date of a purchase: decided with the intent to buy, by the calendar of the place that the parcel leaves from, and the
//! same in every repetition.

use serde_json::{Value, json};

use crate::setup::purchase_requests::parcel_to;
use crate::setup::shipping_origin::ShippingOrigin;
use crate::setup::token_server::TokenServer;
use crate::setup::world::World;

const FINE: &str = "BS1 4DJ";
/// How long the carrier is away, and in which time a purchase is looked up after that. In the test world a person is asked after
/// twenty seconds.
const AWAY_SECONDS: usize = 5;
const REPEATED_SECONDS: usize = 14;
/// Fourteen hours ahead of UTC, and eleven hours behind it: never on the same day.
const EAST: &str = "Pacific/Kiritimati";
const WEST: &str = "Pacific/Pago_Pago";

fn service() -> Value {
    json!({"carrier_account": "tokens", "carrier_service": "standard"})
}

async fn open() -> (World, TokenServer) {
    let server = TokenServer::open().await;
    let world = World::rehearsal_with(|settings| settings.carriers.call_seconds = 1).await;
    let made = world.post("/carrier_accounts", server.account("hushed")).await;
    assert_eq!(made.status, 201, "{made}");
    (world, server)
}

/// The mailing dates in the requests to buy.
fn dates(server: &TokenServer) -> Vec<String> {
    let date = |body| {
        let body: Value = serde_json::from_slice(body).expect("JSON");
        body["ship_on"].as_str().expect("a day").to_owned()
    };
    server.bodies().iter().map(|body| date(body)).collect()
}

/// The calendar day in a zone that is this many hours ahead of UTC.
fn day(world: &World, hours: i64) -> String {
    let moment = world.service.context.now().plus_seconds(hours * 3600);
    moment.to_string()[..10].to_owned()
}

async fn buy(world: &World, path: &str) -> Value {
    let begun = world.begin(&format!("{path}/purchase"), Some(service())).await;
    assert_eq!(begun.status, 202, "{begun}");
    world.work().await;
    world.get(path).await.json()
}

/// Lets time pass until it is almost midnight in UTC.
fn wait_for_midnight(world: &World) {
    let second = world.service.context.now().as_seconds().rem_euclid(86_400);
    world.advance_seconds(86_400 - second - 2);
}

#[tokio::test]
async fn a_purchase_that_is_repeated_after_midnight_has_the_same_bytes() {
    let (world, server) = open().await;
    wait_for_midnight(&world);
    let today = day(&world, 0);
    server.lose(true);
    let path = world.shipment(parcel_to(FINE)).await;
    let shown = buy(&world, &path).await;
    assert_eq!(shown["status"], "purchasing", "{shown}");
    world.work_for(AWAY_SECONDS).await;
    assert_ne!(day(&world, 0), today);
    server.lose(false);
    world.work_for(REPEATED_SECONDS).await;
    assert_eq!(world.get(&path).await.json()["status"], "purchased");
    let bodies = server.bodies();
    assert!(bodies.len() == 2 && bodies[0] == bodies[1], "{bodies:?}");
    assert_eq!(dates(&server)[0], today);
    assert_eq!(server.charges(), 1);
    // A new purchase is of the new day.
    let path = world.shipment(parcel_to(FINE)).await;
    assert_eq!(buy(&world, &path).await["status"], "purchased");
    assert_eq!(dates(&server).pop(), Some(day(&world, 0)));
}

#[tokio::test]
async fn the_day_is_that_of_the_location_else_of_the_organisation() {
    let (world, server) = open().await;
    let origin = ShippingOrigin::new(&world).await;
    let settings = world.patch("/organisation", json!({"time_zone": EAST})).await;
    assert_eq!(settings.status, 200, "{settings}");
    let path = world.shipment(origin.parcel(FINE)).await;
    assert_eq!(buy(&world, &path).await["status"], "purchased");
    let changed = world.patch(format!("/locations/{}", origin.location), json!({"time_zone": WEST})).await;
    assert_eq!(changed.status, 200, "{changed}");
    let path = world.shipment(origin.parcel(FINE)).await;
    assert_eq!(buy(&world, &path).await["status"], "purchased");
    // A batch decides as a single purchase does.
    let path = world.shipment(origin.parcel(FINE)).await;
    let id = path.rsplit('/').next().expect("an id");
    let service = json!({"carrier_account": {"handle": "tokens"}, "carrier_service": {"handle": "standard"}});
    let batch = world.post("/batches", json!({"service": service, "shipments": [id]})).await;
    assert_eq!(batch.status, 201, "{batch}");
    let begun = world.begin(&format!("{}/purchase", batch.header("location")), None).await;
    assert_eq!(begun.status, 202, "{begun}");
    world.work().await;
    assert_eq!(world.get(&path).await.json()["status"], "purchased");
    // One that is to be sent later has that day, and one whose day is over has today.
    for (date, expected) in
        [("2031-05-06T00:00:00Z", "2031-05-06".to_owned()), ("2020-01-01T00:00:00Z", day(&world, -11))]
    {
        let mut body = origin.parcel(FINE);
        body["options"] = json!({"shipping": {"date": date}});
        let path = world.shipment(body).await;
        assert_eq!(buy(&world, &path).await["status"], "purchased");
        assert_eq!(dates(&server).pop(), Some(expected));
    }
    assert_eq!(dates(&server)[..3], [day(&world, 14), day(&world, -11), day(&world, -11)]);
}
