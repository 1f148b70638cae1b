//! `orders`, `search` and `waves`.

use serde_json::{Value, json};
use testkit::resources::create;

use super::{Desk, row};

/// Makes an item, and orders of it with these numbers. Returns their ids.
fn orders(desk: &Desk, numbers: &[&str]) -> Vec<String> {
    let mut client = desk.client();
    let item = create(&mut client, "/inventory_items", &json!({"sku": "TEE", "name": "T-shirt"}));
    let order = |number: &&str| {
        let body = json!({
            "reference": number, "items": [{"id": item, "quantity": 3}], "channel": "webshop",
            "customer": {"name": "Zoë 日本"}, "tags": ["gift"],
        });
        create(&mut client, "/orders", &body)
    };
    numbers.iter().map(order).collect()
}

#[test]
fn orders_are_listed_shown_held_and_released() {
    let desk = Desk::new();
    let ids = orders(&desk, &["1001", "1002", "1003"]);
    let listed = desk.output(&["orders", "list"]);
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].starts_with("ID  ") && lines[0].ends_with("ON HOLD"), "{listed}");
    assert_eq!(lines.len(), 4);
    // Newest first, and nothing that a terminal would act on.
    assert!(lines[1].contains("1003") && lines[3].contains("1001") && !listed.contains('\u{1b}'), "{listed}");
    // Each of the two wide characters takes two columns, so the columns behind them still begin below each other.
    let column = |line: &str, word: &str| {
        let before = &line[..line.find(word).unwrap_or_else(|| panic!("{word}: {line}"))];
        before.chars().map(|char| if char == '日' || char == '本' { 2 } else { 1 }).sum::<usize>()
    };
    assert_eq!(column(lines[0], " PLACED"), column(lines[1], " 20"), "{listed}");

    let held = desk.output(&["orders", "hold", "1002", "--reason", "address_check"]);
    assert_eq!(row(&held, "On hold"), ["On", "hold", "address_check"]);
    let on_hold = desk.json(&["orders", "list", "--on-hold", "--tags", "gift"]);
    assert_eq!(on_hold.iter().map(|order| &order["reference"]).collect::<Vec<_>>(), ["1002"]);
    assert!(desk.json(&["orders", "list", "--on-hold", "--channel", "market"]).is_empty());
    let shown = desk.output(&["orders", "show", &ids[1]]);
    assert_eq!(row(&shown, "QUANTITY"), ["ITEM", "QUANTITY"]);
    let released = desk.json(&["orders", "release", &ids[1]]);
    assert_eq!((released.len(), &released[0]["hold"]), (1, &Value::Null));
    let order = desk.client().get(&format!("/orders/{}", ids[1])).json();
    assert_eq!(desk.json(&["orders", "show", "1002"]), [order]);
}

#[test]
fn a_list_is_read_to_the_end_that_was_asked_for() {
    let desk = Desk::new();
    let numbers: Vec<String> = (0..120).map(|number| format!("N-{number}")).collect();
    orders(&desk, &numbers.iter().map(String::as_str).collect::<Vec<_>>());
    let some = desk.run(&["orders", "list", "--json"]);
    assert_eq!((some.code, some.stdout.lines().count()), (0, 50));
    assert!(some.stderr.contains("There are more than 50"), "{}", some.stderr);
    assert_eq!(desk.json(&["orders", "list", "--limit", "105"]).len(), 105);
    let all = desk.run(&["orders", "list", "--all"]);
    assert_eq!((all.stdout.lines().count(), all.stderr.as_str()), (121, ""));
}

#[test]
fn a_search_finds_what_was_made() {
    let desk = Desk::new();
    let ids = orders(&desk, &["S-1001"]);
    let found = desk.output(&["search", "S-1001"]);
    assert!(row(&found, &ids[0]).starts_with(&["order", &ids[0], "S-1001"]), "{found}");
    let shirts = desk.json(&["search", "t-shirt", "--types", "inventory_item"]);
    assert_eq!((shirts.len(), &shirts[0]["title"]), (1, &json!("T-shirt")));
    assert!(desk.json(&["search", "t-shirt", "--types", "order"]).is_empty());
    assert!(desk.refused(2, &["search", "t-shirt", "--types", "lorry"]).contains("inventory_item"));
}

#[test]
fn waves_are_listed_and_shown() {
    let desk = Desk::new();
    let ids = orders(&desk, &["W-1", "W-2"]);
    let wave = create(
        &mut desk.client(),
        "/waves",
        &json!({"name": "Morning", "order_ids": ids, "steps": ["plan"]}),
    );
    let listed = desk.output(&["waves", "list"]);
    assert!(row(&listed, &wave).contains(&"Morning"), "{listed}");
    testkit::server::wait_until("the wave ends", std::time::Duration::from_secs(60), || {
        desk.json(&["waves", "show", &wave])[0]["status"] == "completed"
    });
    // Nothing is in stock.
    let shown = desk.output(&["waves", "show", &wave]);
    assert_eq!(row(&shown, "no_stock"), ["no_stock", "2"]);
    let exceptions = desk.json(&["waves", "orders", &wave, "--result", "exception"]);
    assert_eq!(exceptions.iter().map(|order| &order["code"]).collect::<Vec<_>>(), ["no_stock", "no_stock"]);
}
