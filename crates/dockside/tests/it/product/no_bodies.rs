//! Endpoints that take no body refuse one by its fields, so that nothing that a client says is lost silently.

use api::route::Route;
use api::routes;
use http::Method;
use model::World as Mode;
use serde_json::json;

use crate::setup::populated_organisation::PopulatedOrganisation;
use crate::setup::world::World;

/// Returns every route that takes no body and that a populated organisation can call.
fn without_body() -> Vec<Route> {
    let is_it =
        |route: &Route| route.body.is_none() && (route.scope().is_some() || !route.path.contains('{'));
    let rows: Vec<Route> = routes::all().into_iter().filter(is_it).collect();
    assert!(rows.len() > 40, "{} rows", rows.len());
    rows
}

#[tokio::test]
async fn a_body_on_an_endpoint_that_takes_none_is_refused_by_its_fields() {
    let world = World::new().await;
    let ours = PopulatedOrganisation::populate(&world, "Acme", Mode::Live).await;
    let (before, log) = (ours.everything(&world).await, world.events().await.len());
    for route in without_body() {
        let path = ours.path(&route);
        let send = |body: &str| {
            let request = world.request(route.method.as_str(), &path);
            request.raw("application/json", body.to_owned()).send()
        };
        let refused = send(r#"{"format": "zpl", "a/b": 1}"#).await;
        let fields: Vec<String> = refused.json()["errors"]
            .as_array()
            .map(|errors| errors.iter().map(|error| error["field"].as_str().unwrap().to_owned()).collect())
            .unwrap_or_default();
        let seen = (refused.status.as_u16(), refused.code());
        assert_eq!(seen, (422, "unknown_field".to_owned()), "{} {path}: {refused}", route.method);
        assert!(fields.contains(&"/format".to_owned()) && fields.contains(&"/a~1b".to_owned()), "{fields:?}");
        let list = send("[1]").await;
        assert_eq!((list.status.as_u16(), list.code().as_str()), (422, "validation_failed"), "{path}");
        let broken = send("{").await;
        assert_eq!((broken.status.as_u16(), broken.code().as_str()), (400, "invalid_json"), "{path}");
    }
    assert_eq!(ours.everything(&world).await, before);
    assert_eq!(world.events().await.len(), log);
}

#[tokio::test]
async fn an_empty_body_says_nothing_and_is_taken() {
    let world = World::new().await;
    let ours = PopulatedOrganisation::populate(&world, "Acme", Mode::Live).await;
    for route in without_body() {
        // A reply of a test is text, and a picture is not.
        if route.method != Method::GET || route.acts || route.path.ends_with(".png") {
            continue;
        }
        let path = ours.path(&route);
        let plain = world.get(&path).await.status;
        for body in ["", " \n", "{}", "null"] {
            let reply = world.request("GET", &path).raw("application/json", body.to_owned()).send().await;
            assert_eq!(reply.status, plain, "{path} with {body:?}");
        }
    }
    // A request with an empty object still acts.
    assert_eq!(world.post("/events/provision", json!({})).await.status, 204);
}
