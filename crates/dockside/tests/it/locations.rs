//! Locations.

use crate::world::{World, depot};

#[tokio::test]
async fn a_location_is_created_read_and_deleted() {
    let world = World::new().await;
    let created = world.post("/locations", depot("Depot")).await;
    insta::assert_snapshot!(created, @"");
    let path = created.header("location").to_owned();
    let read = world.get(&path).await;
    assert_eq!((read.status.as_u16(), &read.text), (200, &created.text));
    assert_eq!(world.delete(&path).await.to_string(), "204 ");
    assert_eq!(world.get(&path).await.code(), "not_found");
}
