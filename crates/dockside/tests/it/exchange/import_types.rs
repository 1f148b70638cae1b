//! Imports of what is not an order: each type is created, found again by its key, and updated.

use serde_json::{Value, json};

use crate::exchange::imports::{counts, import};
use crate::setup::world::World;

/// Imports the template of a type three times: it creates, then skips, then finds nothing to change.
async fn template_thrice(world: &World, r#type: &str) -> Value {
    let template = world.get(format!("/imports/templates/{type}.csv")).await;
    assert_eq!(template.status, 200, "{template}");
    let first = import(world, &format!("type={type}"), template.text.clone()).await;
    assert_eq!(counts(&first), [1, 1, 0, 0, 0, 0], "{first}");
    let unread: Vec<_> =
        first["columns"].as_array().unwrap().iter().filter(|column| column["column"].is_null()).collect();
    assert!(unread.is_empty(), "{unread:?}");
    let skipped = import(world, &format!("type={type}"), template.text.clone()).await;
    assert_eq!(counts(&skipped), [1, 0, 0, 0, 1, 0], "{skipped}");
    let told = world.events().await.len();
    let equal = import(world, &format!("type={type}&on_conflict=update"), template.text.clone()).await;
    assert_eq!(counts(&equal), [1, 0, 0, 1, 0, 0], "{equal}");
    let events = world.events().await;
    assert!(
        events[told..].iter().all(|event| event.r#type.starts_with("import.")),
        "an equal update tells nothing"
    );
    let list = world.get(format!("/{type}")).await.json();
    let items = list.as_object().unwrap().values().find_map(Value::as_array).unwrap();
    items[0].clone()
}

#[tokio::test]
async fn orders_follow_their_template() {
    let world = World::new().await;
    let order = template_thrice(&world, "orders").await;
    assert_eq!((&order["reference"], &order["lines"][0]["unit_price"]), (&json!("1042"), &json!(1500)));
}

#[tokio::test]
async fn items_follow_their_template_and_are_updated_by_their_sku() {
    let world = World::new().await;
    let item = template_thrice(&world, "inventory_items").await;
    assert_eq!((&item["mass"], &item["barcodes"]), (&json!(0.2), &json!(["4006381333931"])));
    let changed =
        import(&world, "type=inventory_items&on_conflict=update", "SKU,Variant Grams\nTEE-BLUE-M,250\n")
            .await;
    assert_eq!(counts(&changed), [1, 0, 1, 0, 0, 0], "{changed}");
    let item = world.get(format!("/inventory_items/{}", item["id"].as_str().unwrap())).await.json();
    assert_eq!((&item["mass"], &item["name"]), (&json!(0.25), &json!("Blue T-shirt, M")));
    let unknown = import(&world, "type=inventory_items&on_conflict=update", "SKU,mass\nNEW,1\n").await;
    assert_eq!(counts(&unknown), [1, 0, 0, 0, 0, 1], "a new item needs a name: {unknown}");
}

#[tokio::test]
async fn locations_follow_their_template() {
    let world = World::new().await;
    let location = template_thrice(&world, "locations").await;
    assert_eq!(
        (&location["name"], &location["time_zone"]),
        (&json!("Bristol depot"), &json!("Europe/London"))
    );
}

#[tokio::test]
async fn package_types_follow_their_template() {
    let world = World::new().await;
    let box_type = template_thrice(&world, "package_types").await;
    assert_eq!((&box_type["handle"], &box_type["tare_mass"]), (&json!("small-box"), &json!(0.15)));
}

#[tokio::test]
async fn shipments_follow_their_template_and_have_a_package_for_each_row() {
    let world = World::new().await;
    let (configuration, _, _) = world.configuration("Main").await;
    let header = "name,location_configuration_id,recipient_name,line_1,city,post_code,country_code,mass,length,width,height\n";
    let row = |mass: &str| format!("P-1,{configuration},Ann,1 High St,London,SW1A 1AA,GB,{mass},30,20,10\n");
    let file = format!("{header}{}{}", row("1.2"), row("2"));
    let first = import(&world, "type=shipments", file.clone()).await;
    assert_eq!(counts(&first), [2, 1, 0, 0, 0, 0], "{first}");
    let shipment = world.get("/shipments").await.json()["data"][0].clone();
    assert_eq!(
        (&shipment["name"], &shipment["packages"][1]["geometry"]["mass"]),
        (&json!("P-1"), &json!(2.0))
    );
    let equal = import(&world, "type=shipments&on_conflict=update", file.clone()).await;
    assert_eq!(counts(&equal), [2, 0, 0, 1, 0, 0], "{equal}");
    let changed = import(&world, "type=shipments&on_conflict=update", file.replace(",2,30", ",3,30")).await;
    assert_eq!(counts(&changed), [2, 0, 1, 0, 0, 0], "{changed}");
}

#[tokio::test]
async fn levels_are_counts_that_may_expect_what_was_there() {
    let world = World::new().await;
    world.location("Depot").await;
    let made = world.post("/inventory_items", json!({"sku": "A", "name": "A"})).await.json();
    let file = "sku,location,on_hand,bin\nA,Depot,40,A-1\nB,Depot,1,\nA,Nowhere,1,\n";
    let first = import(&world, "type=inventory_levels", file).await;
    assert_eq!(counts(&first), [3, 1, 0, 0, 0, 2], "{first}");
    let again = import(&world, "type=inventory_levels", file).await;
    assert_eq!(counts(&again), [3, 0, 0, 1, 0, 2], "{again}");
    let wrong =
        import(&world, "type=inventory_levels", "sku,location,on_hand,expected_on_hand\nA,Depot,50,39\n")
            .await;
    assert_eq!(counts(&wrong), [1, 0, 0, 0, 0, 1], "{wrong}");
    let counted = "sku,location,on_hand,expected_on_hand\nA,Depot,50,40\n";
    for expected in [[1, 0, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0]] {
        assert_eq!(counts(&import(&world, "type=inventory_levels", counted).await), expected);
    }
    let levels = world.get(format!("/inventory_items/{}/levels", made["id"].as_str().unwrap())).await.json();
    assert_eq!((&levels["data"][0]["on_hand"], &levels["data"][0]["bin"]), (&json!(50), &json!("A-1")));
}
