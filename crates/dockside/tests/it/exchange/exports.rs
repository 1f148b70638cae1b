//! Exports: their rows are those of the lists, from one moment, and they read back.

use http_body_util::BodyExt;
use model::World as Mode;
use serde_json::{Value, json};

use crate::exchange::imports::{counts, import};
use crate::setup::shipping_origin::ShippingOrigin;
use crate::setup::stock_requests::refusal;
use crate::setup::world::{Reply, World, depot};

/// A table as an export writes it: rows of texts by the names of their columns.
pub struct Table {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn read(text: &str) -> Self {
        let text = text.strip_prefix('\u{FEFF}').expect("a byte order mark");
        let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
        let (mut is_quoted, mut chars) = (false, text.chars().peekable());
        while let Some(char) = chars.next() {
            match char {
                '"' if is_quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
                '"' => is_quoted = !is_quoted,
                ',' if !is_quoted => row.push(std::mem::take(&mut field)),
                '\n' if !is_quoted => {
                    row.push(std::mem::take(&mut field));
                    rows.push(std::mem::take(&mut row));
                }
                '\r' if !is_quoted => {}
                char => field.push(char),
            }
        }
        assert!(row.is_empty() && field.is_empty(), "the table ends with a line break");
        let header = rows.remove(0);
        assert!(rows.iter().all(|row| row.len() == header.len()), "every row has every column");
        Self { header, rows }
    }

    pub fn cell(&self, row: usize, column: &str) -> &str {
        let place = self.header.iter().position(|name| name == column);
        &self.rows[row][place.unwrap_or_else(|| panic!("no column {column}"))]
    }

    pub fn column(&self, column: &str) -> Vec<&str> {
        (0..self.rows.len()).map(|row| self.cell(row, column)).collect()
    }
}

pub async fn table(world: &World, path: &str) -> Table {
    let reply = world.get(path).await;
    assert_eq!(reply.status, 200, "{reply}");
    Table::read(&reply.text)
}

async fn lines(world: &World, path: &str) -> Vec<Value> {
    let reply = world.get(path).await;
    assert_eq!(reply.status, 200, "{reply}");
    assert_eq!(reply.header("content-type"), "application/x-ndjson");
    reply.text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// A list as its pages have it, the oldest first, without the links to files, which are made with each read.
async fn list(world: &World, path: &str) -> Vec<Value> {
    let page =
        world.get(format!("{path}{}limit=100", if path.contains('?') { '&' } else { '?' })).await.json();
    let mut all: Vec<Value> =
        page.as_object().unwrap().values().find_map(Value::as_array).expect("a list").clone();
    all.reverse();
    for resource in &mut all {
        for document in resource.get_mut("documents").and_then(Value::as_array_mut).into_iter().flatten() {
            document["file_url"] = json!("");
        }
    }
    all
}

async fn make(world: &World, path: &str, body: Value) -> Value {
    let reply = world.post(path, body).await;
    assert_eq!(reply.status, 201, "{reply}");
    reply.json()
}

/// Makes items, places and stock with texts that need care.
async fn goods(world: &World) {
    for (sku, name, code) in [("=SUM(A1)", "+44 mug", "1,2|3"), ("A", "quote \" , \"", "5")] {
        let body = json!({"sku": sku, "name": name, "barcodes": [code], "mass": 0.25, "unit_value": 1250,
            "currency_code": "EUR", "tags": ["a_b", "c"], "dimensions": {"length": 1.5, "width": 2, "height": 3}});
        make(world, "/inventory_items", body).await;
    }
    for name in ["-Depot", "'=quoted"] {
        let mut body = depot(name);
        body["tags"] = json!(["x"]);
        body["coordinates"] = json!({"latitude": -33.5, "longitude": 0.25});
        body["address"]["contact"] = json!({"name": "@ann", "phone_number": "+441172345678"});
        make(world, "/locations", body).await;
    }
    let (items, places) = (list(world, "/inventory_items").await, list(world, "/locations").await);
    for (item, place, count) in [(0, 0, 7), (0, 1, 8), (1, 1, 9)] {
        let id = |value: &Value| value["id"].as_str().unwrap().to_owned();
        let path = format!("/inventory_items/{}/levels/{}", id(&items[item]), id(&places[place]));
        let reply = world.put(path, json!({"on_hand": count, "bin": "-A", "reorder_point": 3})).await;
        assert_eq!(reply.status, 200, "{reply}");
    }
}

fn order(reference: &str, sku: &str) -> Value {
    json!({"reference": reference, "channel": "shop", "placed_at": "2026-10-01T09:30:00Z", "tags": ["gift"],
        "currency_code": "EUR", "customer": {"name": "Ann", "email_address": "ann@example.com"},
        "destination": {"address": {"line_1": "10 \"High\" St", "city": "-Köln", "post_code": "02134", "country_code": "DE"},
            "contact": {"name": "@ann"}},
        "lines": [{"sku": sku, "name": "Mug", "quantity": 2, "unit_price": 1250, "external_line_id": "x1"},
            {"sku": "A", "quantity": 1}, {"name": "Gift wrap", "quantity": 1, "is_shippable": false}]})
}

#[tokio::test]
async fn lines_of_json_are_what_the_lists_show() {
    let world = World::rehearsal().await;
    goods(&world).await;
    make(&world, "/orders", order("1", "=SUM(A1)")).await;
    make(&world, "/orders", order("2", "unknown")).await;
    let origin = ShippingOrigin::new(&world).await;
    for _ in 0..2 {
        origin.bought(&world, "BS1 4DJ").await;
    }
    origin.close(&world).await;
    let package_type =
        json!({"name": "Box", "handle": "box", "inner_dimensions": {"length": 1, "width": 2, "height": 3.5}});
    make(&world, "/package_types", package_type).await;
    world.relay().await;
    for r#type in ["orders", "shipments", "inventory_items", "locations", "package_types", "manifests"] {
        let expected = list(&world, &format!("/{type}")).await;
        assert!(!expected.is_empty(), "{type}");
        assert_eq!(lines(&world, &format!("/exports/{type}.ndjson")).await, expected, "{type}");
    }
    let events = list(&world, "/events").await;
    assert_eq!(lines(&world, "/exports/events.ndjson").await, events[..]);
    let csv = table(&world, "/exports/events.csv").await;
    assert_eq!(csv.rows.len(), events.len());
    for (row, event) in events.iter().enumerate() {
        assert_eq!(csv.cell(row, "sequence"), event["sequence"].to_string());
        assert_eq!(csv.cell(row, "type"), event["type"].as_str().unwrap());
        assert_eq!(serde_json::from_str::<Value>(csv.cell(row, "object")).unwrap(), event["data"]["object"]);
    }
    let manifests = table(&world, "/exports/manifests.csv").await;
    assert_eq!((manifests.cell(0, "status"), manifests.cell(0, "shipments_count")), ("created", "2"));
    let shipments = table(&world, "/exports/shipments.csv?status=purchased").await;
    let shown = list(&world, "/shipments?status=purchased").await;
    assert_eq!(shipments.rows.len(), 2);
    for (row, shipment) in shown.iter().enumerate() {
        assert_eq!(shipments.cell(row, "id"), shipment["id"].as_str().unwrap());
        assert_eq!(shipments.cell(row, "tracking_number"), shipment["tracking_number"].as_str().unwrap());
        assert_eq!(shipments.cell(row, "cost_amount"), shipment["cost"]["amount"].to_string());
        assert_eq!(shipments.cell(row, "carrier"), "sandbox");
        assert_eq!(
            shipments.cell(row, "service"),
            shipment["service"]["carrier_service"]["handle"].as_str().unwrap()
        );
    }
}

#[tokio::test]
async fn rows_of_levels_and_lines_are_those_of_their_resources() {
    let world = World::new().await;
    goods(&world).await;
    make(&world, "/orders", order("1", "A")).await;
    let items = list(&world, "/inventory_items").await;
    let mut levels = Vec::new();
    for item in &items {
        let id = item["id"].as_str().unwrap();
        levels.extend(list(&world, &format!("/inventory_items/{id}/levels")).await);
    }
    let exported = lines(&world, "/exports/inventory_levels.ndjson").await;
    let csv = table(&world, "/exports/inventory_levels.csv").await;
    assert_eq!((exported.len(), csv.rows.len(), levels.len()), (3, 3, 3));
    for (row, (line, level)) in exported.iter().zip(&levels).enumerate() {
        assert_eq!(
            (&line["item_id"], &line["location_id"]),
            (&level["item"]["id"], &level["location"]["id"])
        );
        for name in ["on_hand", "allocated", "available", "bin", "reorder_point", "low_stock", "updated_at"] {
            assert_eq!(line[name], level[name], "{name}");
        }
        assert_eq!(csv.cell(row, "on_hand"), level["on_hand"].to_string());
        assert_eq!(csv.cell(row, "bin"), "'-A");
    }
    assert_eq!(csv.column("location"), ["'-Depot", "''=quoted", "''=quoted"]);
    let one = items[0]["id"].as_str().unwrap();
    assert_eq!(table(&world, &format!("/exports/inventory_levels.csv?item_id={one}")).await.rows.len(), 2);
    let place = exported[0]["location_id"].as_str().unwrap();
    assert_eq!(
        table(&world, &format!("/exports/inventory_levels.csv?location_id={place}")).await.rows.len(),
        1
    );

    let history = table(&world, "/exports/level_history.csv").await;
    assert_eq!(history.column("delta"), ["7", "8", "9"]);
    assert_eq!(history.column("sku"), ["'=SUM(A1)", "'=SUM(A1)", "A"]);
    for filters in [format!("item_id={one}"), format!("item_id={one}&created_after=2000-01-01T00:00:00Z")] {
        let rows = table(&world, &format!("/exports/level_history.csv?{filters}")).await;
        assert_eq!(rows.column("on_hand"), ["7", "8"], "{filters}");
    }
    let level = table(&world, &format!("/exports/level_history.csv?item_id={one}&location_id={place}")).await;
    let shown = list(&world, &format!("/inventory_items/{one}/levels/{place}/history")).await;
    assert_eq!(level.cell(0, "id"), shown[0]["id"].as_str().unwrap());
    let none = table(&world, "/exports/level_history.csv?created_before=2000-01-01T00:00:00Z").await;
    assert!(none.rows.is_empty() && none.header[0] == "id");

    let order_lines = table(&world, "/exports/order_lines.csv").await;
    assert_eq!(order_lines.column("reference"), ["1", "1", "1"]);
    assert_eq!(order_lines.column("quantity"), ["2", "1", "1"]);
    assert_eq!(order_lines.column("city"), ["'-Köln"; 3]);
    let orders = table(&world, "/exports/orders.csv").await;
    assert_eq!(orders.column("city"), ["'-Köln", "", ""]);
    let as_json = lines(&world, "/exports/order_lines.ndjson").await;
    assert_eq!((&as_json[0]["unit_price"], &as_json[2]["item_name"]), (&json!(1250), &json!("Gift wrap")));
}

/// Exports a type as a table, and imports that into another organisation, without the ids.
async fn move_to(from: &World, to: &World, r#type: &str, rewrite: &[(String, String)]) -> (String, String) {
    let mut first = from.get(format!("/exports/{type}.csv")).await.text;
    for (old, new) in rewrite {
        first = first.replace(old, new);
    }
    let mapping = json!({"id": "ignore", "item_id": "ignore", "location_id": "ignore"});
    let made = make(to, "/imports", json!({"type": r#type, "mapping": mapping})).await;
    let path = format!("/imports/{}/content", made["id"].as_str().unwrap());
    let sent = to.request("PUT", &path).raw("text/csv", first.clone()).send().await;
    assert!(sent.status.is_success(), "{sent}");
    to.service.imports.work().await.expect("imports are worked on");
    let ended = to.get(format!("/imports/{}", made["id"].as_str().unwrap())).await.json();
    assert_eq!(
        (&ended["status"], &ended["failed_count"]),
        (&json!("completed"), &json!(0)),
        "{type}: {ended}"
    );
    (first, to.get(format!("/exports/{type}.csv")).await.text)
}

#[tokio::test]
async fn what_is_exported_can_be_imported_elsewhere_and_is_the_same_again() {
    let (world, other) = (World::new().await, World::new().await);
    goods(&world).await;
    make(&world, "/orders", order("1", "A")).await;
    make(&world, "/orders", order("=2", "=SUM(A1)")).await;
    let package_type = json!({"name": "=Box", "handle": "box", "inner_dimensions": {"length": 1, "width": 2, "height": 3.5},
        "cost": {"amount": 12, "currency_code": "EUR"}, "mass_max": 2.5});
    make(&world, "/package_types", package_type).await;
    for r#type in ["locations", "inventory_items", "inventory_levels", "package_types", "orders"] {
        let (first, second) = move_to(&world, &other, r#type, &[]).await;
        assert_same(r#type, &first, &second);
    }
    let (old, _, _) = world.configuration("Main").await;
    let (new, _, _) = other.configuration("Main").await;
    let mut parcel = crate::setup::populated_organisation::parcel();
    parcel["name"] = json!("+Parcel");
    let destination = parcel["addresses"]["destination"].clone();
    parcel["addresses"] = json!({"location_configuration_id": old, "destination": destination});
    make(&world, "/shipments", parcel).await;
    let (first, second) = move_to(&world, &other, "shipments", &[(old, new)]).await;
    assert_same("shipments", &first, &second);
}

fn is_own_id(column: &str) -> bool {
    matches!(column, "id" | "item_id" | "location_id" | "location_configuration_id")
}

/// Compares the columns that imports read. Ids differ between organisations.
fn assert_same(r#type: &str, first: &str, second: &str) {
    let columns = model::exchange::export::ExportType::parse(r#type).expect("a type").columns();
    let (first, second) = (Table::read(first), Table::read(second));
    assert!(!first.rows.is_empty(), "{type}");
    for column in columns.iter().filter(|column| column.is_imported && !is_own_id(column.name)) {
        assert_eq!(first.column(column.name), second.column(column.name), "{type}: {}", column.name);
    }
}

#[tokio::test]
async fn an_export_sent_back_changes_nothing() {
    let world = World::new().await;
    goods(&world).await;
    make(&world, "/orders", order("1", "A")).await;
    let named = make(
        &world,
        "/orders",
        json!({"items": [{"id": list(&world, "/inventory_items").await[0]["id"], "quantity": 3}]}),
    )
    .await;
    for r#type in ["locations", "inventory_items", "inventory_levels", "orders"] {
        for format in ["csv", "ndjson"] {
            let told = world.events().await.len();
            let file = world.get(format!("/exports/{type}.{format}")).await.text;
            let filtered = if r#type == "orders" {
                // An order that was made with items alone would get lines.
                world.get(format!("/exports/{type}.{format}?reference=1")).await.text
            } else {
                file
            };
            let back =
                import(&world, &format!("type={type}&format={format}&on_conflict=update"), filtered).await;
            let [_, created, updated, unchanged, _, failed] = counts(&back);
            assert_eq!((created, updated, failed), (0, 0, 0), "{type}.{format}: {back}");
            assert!(unchanged > 0);
            assert!(world.events().await[told..].iter().all(|event| event.r#type.starts_with("import.")));
        }
    }
    let csv = table(&world, "/exports/orders.csv").await;
    assert_eq!(csv.column("id").last(), Some(&named["id"].as_str().unwrap()));
    assert_eq!((csv.cell(3, "sku"), csv.cell(3, "quantity")), ("'=SUM(A1)", "3"));
}

#[tokio::test]
async fn filters_and_worlds_hold_as_in_the_lists() {
    let world = World::new().await;
    goods(&world).await;
    make(&world, "/orders", order("1", "A")).await;
    make(&world, "/orders", order("2", "unknown")).await;
    assert_eq!(table(&world, "/exports/orders.csv?status=draft").await.column("reference")[0], "2");
    assert_eq!(lines(&world, "/exports/orders.ndjson?reference=1&tags=gift").await.len(), 1);
    assert!(lines(&world, "/exports/orders.ndjson?status=cancelled").await.is_empty());
    assert_eq!(table(&world, "/exports/inventory_items.csv?sku=A").await.rows.len(), 1);
    assert_eq!(table(&world, "/exports/locations.csv?tags=x").await.rows.len(), 2);
    for (organisation, mode) in [("Acme", Mode::Test), ("Other", Mode::Live)] {
        let token = world.token_for(organisation, "*", mode).await;
        for r#type in model::exchange::export::ExportType::ALL {
            let path = format!("/exports/{}.csv", r#type.as_str());
            let reply = world.request("GET", &path).token(&token).send().await;
            assert_eq!((reply.status.as_u16(), Table::read(&reply.text).rows.len()), (200, 0), "{path}");
        }
    }
    let readers = world.token_for("Acme", "inventory:read", Mode::Live).await;
    let reply = world.request("GET", "/exports/inventory_levels.csv").token(&readers).send().await;
    assert_eq!(
        Table::read(&reply.text).column("location"),
        ["", "", ""],
        "names of locations need their scope"
    );
    let events = world.token_for("Acme", "events:read", Mode::Live).await;
    world.relay().await;
    let reply = world.request("GET", "/exports/events.csv").token(&events).send().await;
    let seen = Table::read(&reply.text);
    assert!(
        seen.column("type").iter().all(|name| !name.starts_with("order.")),
        "events need the scope of their resource"
    );
}

#[tokio::test]
async fn what_cannot_be_exported_is_refused_with_a_hint() {
    let world = World::new().await;
    for (path, hint) in [("orderz.csv", "orders"), ("orders.xlsx", "csv and ndjson"), ("x", "manifests")] {
        let reply = world.get(format!("/exports/{path}?status=open")).await;
        assert_eq!(refusal(&reply), (404, "not_found".to_owned()));
        let detail = reply.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains(hint), "{detail}");
    }
    for query in ["limit=3", "cursor=x", "stattus=draft", "status=nonsense", "placed_after=yesterday"] {
        let reply = world.get(format!("/exports/orders.csv?{query}")).await;
        assert_eq!(refusal(&reply), (400, "invalid_query".to_owned()), "{query}");
    }
    let location = world.location("Depot").await;
    let reply = world.get(format!("/exports/level_history.csv?location_id={location}")).await;
    assert_eq!(refusal(&reply), (400, "invalid_query".to_owned()));
    assert_eq!(world.post("/exports/orders.csv", json!({})).await.status, 405);
}

#[tokio::test]
async fn an_export_is_a_download_and_head_has_its_headers() {
    let world = World::new().await;
    let check = |reply: &Reply| {
        assert_eq!(reply.status, 200, "{reply}");
        assert_eq!(reply.header("content-disposition"), "attachment; filename=\"orders-2026-11-01.csv\"");
        assert_eq!(reply.header("cache-control"), "no-store");
        assert_eq!(reply.header("content-type"), "text/csv; charset=utf-8");
    };
    check(&world.get("/exports/orders.csv").await);
    let head = world.request("HEAD", "/exports/orders.csv").send().await;
    check(&head);
    assert!(head.text.is_empty() && head.header("content-length").is_empty());
    assert_eq!(world.request("HEAD", "/exports/orders.csv?limit=1").send().await.status, 400);
}

#[tokio::test]
async fn all_pages_are_of_one_moment() {
    let world = World::new().await;
    let places = [world.location("A").await, world.location("B").await];
    let mut items = Vec::new();
    // More levels than a page has.
    for number in 0..220 {
        let item = world.item(&format!("S{number}")).await;
        for place in &places {
            world.count(&item, place, 10).await;
        }
        items.push(item);
    }
    let (_, mut body) = world.request("GET", "/exports/inventory_levels.ndjson").open().await;
    let first = body.frame().await.expect("a first part").expect("it arrives").into_data().expect("data");
    // Pieces move from the last items, which are read later, to the first, which were read already.
    for (from, to) in items.iter().rev().zip(&items).take(20) {
        for (item, delta) in [(from, -10), (to, 10)] {
            let path = format!("/inventory_items/{item}/levels/{}/adjust", places[0]);
            assert_eq!(world.post(path, json!({"delta": delta})).await.status, 200);
        }
    }
    world.item("new").await;
    let rest = body.collect().await.expect("the rest").to_bytes();
    let text = String::from_utf8([&first[..], &rest[..]].concat()).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 440);
    assert!(rows.iter().all(|row| row["on_hand"] == 10), "what changed later is not in it");
    let sum: i64 = lines(&world, "/exports/inventory_levels.ndjson")
        .await
        .iter()
        .map(|row| row["on_hand"].as_i64().unwrap())
        .sum();
    assert_eq!(sum, 4400);
}

/// Columns are part of the API: the guide says which there are.
#[test]
fn the_guide_has_all_columns() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/exports.md");
    let page = std::fs::read_to_string(page).expect("the page");
    for r#type in model::exchange::export::ExportType::ALL {
        let columns = r#type.columns();
        let named = |is_imported: bool| {
            let names: Vec<String> = columns
                .iter()
                .filter(|column| column.is_imported == is_imported)
                .map(|column| format!("`{}`", column.name))
                .collect();
            if names.is_empty() { "–".to_owned() } else { names.join(", ") }
        };
        let row = format!("| `{}` | {} | {} |", r#type.as_str(), named(true), named(false));
        assert!(page.contains(&row), "docs/guide/exports.md lacks the row:\n{row}");
    }
}
