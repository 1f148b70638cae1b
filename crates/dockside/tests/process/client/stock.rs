//! `stock`, and `import`, which fills it.

use serde_json::json;
use testkit::load;
use testkit::resources::create;

use super::{Desk, row};

#[test]
fn stock_is_counted_adjusted_and_listed() {
    let desk = Desk::new();
    let mut client = desk.client();
    let item =
        create(&mut client, "/inventory_items", &json!({"sku": "TEE", "name": "T-shirt", "mass": 0.2}));
    for name in ["Bath", "York"] {
        create(&mut client, "/locations", &load::body(name));
    }
    let set = desk.output(&["stock", "set", "TEE", "Bath", "24", "--bin", "A-1", "--reorder-point", "30"]);
    assert_eq!(
        (row(&set, "On hand"), row(&set, "Low stock")),
        (vec!["On", "hand", "24"], vec!["Low", "stock", "yes"])
    );
    desk.output(&["stock", "set", &item, "York", "5"]);
    // What is not named stays, and a negative number is no flag.
    let adjusted = desk.output(&["stock", "adjust", "TEE", "Bath", "-2", "--reason", "damaged"]);
    assert_eq!(
        (row(&adjusted, "On hand"), row(&adjusted, "Bin")),
        (vec!["On", "hand", "22"], vec!["Bin", "A-1"])
    );
    let history =
        client.get(&format!("/inventory_items/{item}/levels/{}/history", location(&desk, "Bath"))).json();
    assert_eq!(history["data"][0]["reason"], "damaged");

    let levels = desk.output(&["stock", "levels"]);
    assert_eq!(row(&levels, "Bath"), ["TEE", "Bath", "22", "0", "22", "A-1", "30", "yes"]);
    assert_eq!(row(&levels, "York"), ["TEE", "York", "5", "0", "5", "-", "-", "no"]);
    // Numbers end in the same column.
    let ends: Vec<usize> = ["22", "5"]
        .map(|number| {
            let line = levels.lines().find(|line| line.contains(&format!(" {number} "))).unwrap();
            line.find(&format!("{number} ")).unwrap() + number.len()
        })
        .to_vec();
    assert_eq!(ends[0], ends[1], "{levels}");
    let low = desk.json(&["stock", "levels", "TEE", "--low-stock"]);
    assert_eq!((low.len(), &low[0]["location"]), (1, &json!("Bath")));
    assert_eq!(desk.json(&["stock", "levels", "--location", "York"]).len(), 1);
    assert_eq!(
        row(&desk.output(&["stock", "items", "--sku", "TEE"]), &item)[1..],
        ["TEE", "T-shirt", "0.2", "-"]
    );
}

fn location(desk: &Desk, name: &str) -> String {
    let listed = desk.client().get("/locations").json();
    let mut locations = listed["locations"].as_array().unwrap().iter();
    locations.find(|location| location["name"] == name).unwrap()["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_change_that_is_refused_says_why() {
    let desk = Desk::new();
    let mut client = desk.client();
    create(&mut client, "/inventory_items", &json!({"sku": "TEE", "name": "T-shirt"}));
    create(&mut client, "/locations", &load::body("Bath"));
    desk.output(&["stock", "set", "TEE", "Bath", "3"]);
    let short = desk.refused(1, &["stock", "adjust", "TEE", "Bath", "-4"]);
    assert!(short.contains("insufficient_stock"), "{short}");
    let changed = desk.refused(1, &["stock", "adjust", "TEE", "Bath", "1", "--expected-on-hand", "9"]);
    assert!(changed.contains("on_hand_changed"), "{changed}");
    let wrong = desk.refused(1, &["stock", "set", "TEE", "Bath", "-1"]);
    assert!(wrong.contains("/on_hand: "), "{wrong}");
    assert!(
        desk.refused(1, &["stock", "set", "MUG", "Bath", "1"])
            .contains("no inventory item with the SKU \"MUG\"")
    );
    assert!(desk.refused(1, &["stock", "set", "TEE", "Hull", "1"]).contains("There are: Bath"));
    assert_eq!(desk.json(&["stock", "levels", "TEE"])[0]["on_hand"], 3);
}

#[test]
fn an_import_lists_the_rows_that_it_refused() {
    let desk = Desk::new();
    std::fs::write(desk.home.path().join("items.csv"), "sku,name,mass\nTEE,T-shirt,0.2\nMUG,Mug,heavy\n")
        .unwrap();
    let imported = desk.run(&["import", "inventory_items", "items.csv"]);
    assert_eq!((imported.code, imported.stderr.as_str()), (1, "dockside: 1 were refused\n"));
    assert!(imported.stdout.starts_with("2 rows: 1 created, "), "{}", imported.stdout);
    assert_eq!(row(&imported.stdout, "heavy")[..3], ["3", "mass", "heavy"]);
    std::fs::write(desk.home.path().join("items.csv"), "sku,name,mass\nTEE,T-shirt,0.2\nMUG,Mug,0.4\n")
        .unwrap();
    let again = desk.output(&["import", "inventory_items", "items.csv"]);
    assert!(again.starts_with("2 rows: 1 created, 0 updated, 0 unchanged, 1 skipped, 0 refused"), "{again}");
}
