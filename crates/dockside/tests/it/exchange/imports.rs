//! Imports of orders: files as people have them, sent twice, corrected, cancelled, and of whom.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::stock_requests::refusal;
use crate::setup::world::{Reply, World};

const HEADER: &str = "reference,recipient_name,line_1,city,post_code,country_code,sku,quantity\n";

/// Makes the item of the orders.
async fn shop() -> World {
    let world = World::new().await;
    for sku in ["A", "B"] {
        let reply = world.post("/inventory_items", json!({"sku": sku, "name": sku})).await;
        assert_eq!(reply.status, 201, "{reply}");
    }
    world
}

/// A row of an order.
fn row(reference: &str, sku: &str, quantity: &str) -> String {
    format!("{reference},Ann Miller,1 High St,London,SW1A 1AA,GB,{sku},{quantity}\n")
}

pub async fn send(world: &World, query: &str, file: impl Into<bytes::Bytes>) -> Reply {
    world.request("POST", &format!("/imports?{query}")).raw("text/csv", file).send().await
}

/// Imports a file, works it off, and gives what the import is then.
pub async fn import(world: &World, query: &str, file: impl Into<bytes::Bytes>) -> Value {
    let reply = send(world, query, file).await;
    assert_eq!(reply.status, 201, "{reply}");
    assert_eq!(reply.json()["status"], "queued", "{reply}");
    world.service.imports.work().await.expect("imports are worked on");
    world.get(reply.header("location")).await.json()
}

/// The counts of an import: rows, created, updated, unchanged, skipped, failed.
pub fn counts(import: &Value) -> [i64; 6] {
    ["rows", "created", "updated", "unchanged", "skipped", "failed"]
        .map(|name| import[format!("{name}_count")].as_i64().expect("a count"))
}

async fn orders(world: &World) -> Vec<Value> {
    let mut orders = world.get("/orders?limit=100").await.json()["data"].as_array().expect("orders").clone();
    orders.reverse();
    orders
}

async fn errors(world: &World, import: &Value) -> Vec<(i64, Value, String)> {
    let path = format!("/imports/{}/errors?limit=100", import["id"].as_str().expect("an id"));
    let errors = world.get(&path).await.json();
    let error = |error: &Value| {
        (error["row"].as_i64().unwrap(), error["column"].clone(), error["code"].as_str().unwrap().to_owned())
    };
    errors["data"].as_array().expect("errors").iter().map(error).collect()
}

#[tokio::test]
async fn rows_become_orders_and_the_same_file_changes_nothing() {
    let world = shop().await;
    let file = format!("{HEADER}{}{}{}", row("1", "A", "2"), row("1", "B", "1"), row("2", "A", "1"));
    let first = import(&world, "type=orders", file.clone()).await;
    assert_eq!(
        (first["status"].clone(), counts(&first)),
        (json!("completed"), [3, 2, 0, 0, 0, 0]),
        "{first}"
    );
    assert_eq!(first["bytes_read"], file.len());
    assert_eq!(first["file"], json!({"size": file.len(), "encoding": "utf-8", "delimiter": ","}));
    let made = orders(&world).await;
    assert_eq!(made.len(), 2);
    assert_eq!((&made[0]["reference"], &made[0]["lines"][1]["sku"]), (&json!("1"), &json!("B")));
    assert_eq!(made[0]["destination"]["address"]["post_code"], "SW1A 1AA");
    let told = world.events().await.len();
    for (query, expected) in
        [("type=orders", [3, 0, 0, 0, 2, 0]), ("type=orders&on_conflict=update", [3, 0, 0, 2, 0, 0])]
    {
        let again = import(&world, query, file.clone()).await;
        assert_eq!(counts(&again), expected, "{again}");
        assert_eq!(orders(&world).await, made);
    }
    let events = world.events().await;
    assert!(events[told..].iter().all(|event| event.r#type.starts_with("import.")), "nothing else is told");
}

#[tokio::test]
async fn updates_change_what_the_file_says_and_nothing_else() {
    let world = shop().await;
    import(&world, "type=orders", format!("{HEADER}{}{}", row("1", "A", "2"), row("1", "B", "1"))).await;
    let before = orders(&world).await;
    let changed =
        import(&world, "type=orders&on_conflict=update", "reference,sku,quantity\n1,B,5\n1,A,2\n").await;
    assert_eq!(counts(&changed), [2, 0, 1, 0, 0, 0], "{changed}");
    let after = orders(&world).await;
    assert_eq!(after[0]["destination"], before[0]["destination"]);
    assert_eq!(after[0]["lines"][0]["id"], before[0]["lines"][1]["id"], "a line is recognised by its SKU");
    assert_eq!(
        (&after[0]["lines"][0]["quantity"], &after[0]["lines"][1]["quantity"]),
        (&json!(5), &json!(2))
    );
}

#[tokio::test]
async fn files_of_spreadsheets_are_read_in_every_encoding() {
    let text = "Order Number;Notes;Shipping Name;Address 1;City;Zip;Country;SKU;Qty;Price;Currency\r\n\
        =\"007\";\"two\r\nlines; here\";Jürgen Größe;\"Haus \"\"Sonne\"\"; Hof 2\";Köln;'50667;DE;A;1.000;12,50;EUR\r\n";
    let utf16 = |to_bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        format!("\u{FEFF}{text}").encode_utf16().flat_map(to_bytes).collect()
    };
    let windows: Vec<u8> = text.chars().map(|char| u8::try_from(u32::from(char)).expect("Latin")).collect();
    let files = [
        ("utf-8", text.as_bytes().to_vec()),
        ("utf-8", format!("\u{FEFF}{text}").into_bytes()),
        ("utf-8", format!("sep=;\r\n{text}").into_bytes()),
        ("utf-16le", utf16(u16::to_le_bytes)),
        ("utf-16be", utf16(u16::to_be_bytes)),
        ("windows-1252", windows),
    ];
    for (encoding, file) in files {
        let world = shop().await;
        let import = import(&world, "type=orders&locale=de-DE", file).await;
        assert_eq!(counts(&import), [1, 1, 0, 0, 0, 0], "{encoding}: {import}");
        assert_eq!(
            (&import["file"]["encoding"], &import["file"]["delimiter"]),
            (&json!(encoding), &json!(";"))
        );
        let order = orders(&world).await.remove(0);
        assert_eq!(order["reference"], "007");
        assert_eq!(order["destination"]["contact"]["name"], "Jürgen Größe");
        assert_eq!(order["destination"]["address"]["line_1"], "Haus \"Sonne\"; Hof 2");
        assert_eq!(order["destination"]["address"]["post_code"], "50667");
        assert_eq!(
            (&order["lines"][0]["quantity"], &order["lines"][0]["unit_price"]),
            (&json!(1000), &json!(1250))
        );
    }
}

#[tokio::test]
async fn refused_rows_are_named_corrected_and_sent_again() {
    let world = shop().await;
    let file = format!(
        "{HEADER}{}{}{}{}",
        row("1", "A", "2"),
        row("2", "A", "two"),
        row("3", "A", "1"),
        row("", "A", "1")
    );
    let first = import(&world, "type=orders", file).await;
    assert_eq!(counts(&first), [4, 2, 0, 0, 0, 2], "{first}");
    let found = errors(&world, &first).await;
    assert_eq!(
        found,
        [(3, json!("quantity"), "invalid_type".to_owned()), (5, json!("reference"), "required".to_owned()),]
    );
    let path = format!("/imports/{}/errors.csv", first["id"].as_str().unwrap());
    let table = world.get(&path).await;
    assert_eq!((table.status.as_u16(), table.header("content-type")), (200, "text/csv; charset=utf-8"));
    assert!(table.text.contains("import_error"), "{}", table.text);
    let corrected = table.text.replace(",two,", ",2,").replace("\r\n,Ann", "\r\n4,Ann");
    let second = import(&world, "type=orders", corrected).await;
    assert_eq!(counts(&second), [2, 2, 0, 0, 0, 0], "{second}");
    let references: Vec<_> = orders(&world).await.iter().map(|order| order["reference"].clone()).collect();
    assert_eq!(references, ["1", "3", "2", "4"]);
}

#[tokio::test]
async fn a_refused_write_leaves_the_rows_around_it() {
    let world = shop().await;
    let on = world.patch("/organisation", json!({"settings": {"unique_order_references": true}})).await;
    let file = format!("{HEADER}{}{}{}", row("1", "A", "1"), row("2", "A", "1"), row("1", "A", "1"));
    let import = import(&world, "type=orders", file).await;
    assert_eq!(counts(&import), [3, 2, 0, 0, 0, 1], "{import} {on}");
    assert_eq!(errors(&world, &import).await, [(4, Value::Null, "order_rows_apart".to_owned())]);
    let status = "reference,status,sku,quantity\n7,fulfilled,A,1\n8,draft,A,1\n";
    let second = super::imports::import(&world, "type=orders", status).await;
    assert_eq!(counts(&second), [2, 1, 0, 0, 0, 1], "{second}");
    assert_eq!(errors(&world, &second).await[0].2, "status_not_writable");
}

#[tokio::test]
async fn a_key_of_several_resources_is_refused() {
    let world = shop().await;
    for _ in 0..2 {
        let body = json!({"reference": "1", "lines": [{"sku": "A", "quantity": 1}]});
        assert_eq!(world.post("/orders", body).await.status, 201);
    }
    let import = import(&world, "type=orders", format!("{HEADER}{}", row("1", "A", "1"))).await;
    assert_eq!(errors(&world, &import).await, [(2, json!("reference"), "ambiguous_key".to_owned())]);
    assert_eq!(orders(&world).await.len(), 2);
}

#[tokio::test]
async fn an_import_stops_at_an_error_if_it_is_to() {
    let world = shop().await;
    let file = format!("{HEADER}{}{}{}", row("1", "A", "1"), row("2", "A", "x"), row("3", "A", "1"));
    let import = import(&world, "type=orders&on_error=stop", file).await;
    assert_eq!(
        (import["status"].clone(), counts(&import)),
        (json!("failed"), [2, 1, 0, 0, 0, 1]),
        "{import}"
    );
    assert_eq!(import["error"]["code"], "import_stopped");
    assert_eq!(orders(&world).await.len(), 1);
}

#[tokio::test]
async fn a_dry_run_keeps_nothing() {
    let world = shop().await;
    let file = format!("{HEADER}{}{}", row("1", "A", "1"), row("2", "A", "x"));
    let import = import(&world, "type=orders&dry_run=true", file).await;
    assert_eq!(
        (import["status"].clone(), counts(&import)),
        (json!("completed"), [2, 1, 0, 0, 0, 1]),
        "{import}"
    );
    assert_eq!(errors(&world, &import).await[0].0, 3);
    assert!(orders(&world).await.is_empty());
    assert!(world.events().await.iter().all(|event| !event.r#type.starts_with("order.")));
}

#[tokio::test]
async fn a_file_without_a_key_or_a_header_fails() {
    let world = shop().await;
    for (file, code) in [("a,b\n1,2\n", "import_column_missing"), ("", "import_empty")] {
        let import = import(&world, "type=orders", file).await;
        assert_eq!(
            (&import["status"], &import["error"]["code"]),
            (&json!("failed"), &json!(code)),
            "{import}"
        );
    }
    let headers: Vec<String> = (0..40).map(|n| format!("\u{1}{n}{}", "x".repeat(200))).collect();
    let wide = import(&world, "type=orders", format!("{}\n1\n", headers.join(","))).await;
    let message = wide["error"]["message"].as_str().expect("a message");
    assert!(message.chars().count() <= 2000 && !message.contains('\u{1}'), "{message}");
    let mapped = json!({"type": "orders", "mapping": {"a": "reference", "b": "sku", "c": "quantity"}});
    let made = world.post("/imports", mapped).await;
    assert_eq!(made.status, 201, "{made}");
    let path = made.header("location").to_owned();
    let sent =
        world.request("PUT", &format!("{path}/content")).raw("text/csv", "a,b,c,d\n1,A,2,x\n").send().await;
    assert_eq!(sent.status, 200, "{sent}");
    world.service.imports.work().await.expect("imports are worked on");
    let import = world.get(&path).await.json();
    assert_eq!(counts(&import), [1, 1, 0, 0, 0, 0], "{import}");
    assert_eq!(import["columns"][3], json!({"header": "d", "column": null}));
    let again = world.request("PUT", &format!("{path}/content")).raw("text/csv", "a\n").send().await;
    assert_eq!(refusal(&again), (409, "import_has_content".to_owned()));
}

#[tokio::test]
async fn an_import_is_cancelled_by_a_request_or_for_want_of_a_file() {
    let world = shop().await;
    let queued = send(&world, "type=orders", format!("{HEADER}{}", row("1", "A", "1"))).await;
    let path = queued.header("location").to_owned();
    let cancelled = world.post(format!("{path}/cancel"), json!({})).await;
    assert_eq!((cancelled.status.as_u16(), &cancelled.json()["status"]), (200, &json!("cancelled")));
    world.service.imports.work().await.expect("imports are worked on");
    assert!(orders(&world).await.is_empty());
    assert_eq!(world.post(format!("{path}/cancel"), json!({})).await.status, 200, "again changes nothing");
    let waiting = world.post("/imports", json!({"type": "orders"})).await.header("location").to_owned();
    world.advance_seconds(24 * 60 * 60 + 1);
    world.service.imports.work().await.expect("imports are worked on");
    assert_eq!(world.get(&waiting).await.json()["status"], "cancelled");
    let late = world.request("PUT", &format!("{waiting}/content")).raw("text/csv", "a\n").send().await;
    assert_eq!(refusal(&late), (409, "import_ended".to_owned()));
    let done = import(&world, "type=orders", format!("{HEADER}{}", row("2", "A", "1"))).await;
    let ended = world.post(format!("/imports/{}/cancel", done["id"].as_str().unwrap()), json!({})).await;
    assert_eq!(refusal(&ended), (409, "import_ended".to_owned()));
}

#[tokio::test]
async fn many_rows_go_through_several_groups_and_turns() {
    let world = shop().await;
    let rows: String = (0..3000).map(|number| format!("O-{number},A,1\n")).collect();
    let import = import(&world, "type=orders", format!("reference,sku,quantity\n{rows}")).await;
    assert_eq!(counts(&import), [3000, 3000, 0, 0, 0, 0], "{import}");
    let apart = "reference,sku,quantity\n".to_owned()
        + &(0..200).map(|number| format!("X-{number},A,1\n")).collect::<String>()
        + "X-0,A,1\n";
    let import = super::imports::import(&world, "type=orders", apart).await;
    assert_eq!(counts(&import), [201, 200, 0, 0, 0, 1], "{import}");
    assert_eq!(errors(&world, &import).await, [(202, Value::Null, "order_rows_apart".to_owned())]);
}

#[tokio::test]
async fn lines_of_json_are_bodies() {
    let world = shop().await;
    let file =
        "{\"reference\":\"1\",\"lines\":[{\"sku\":\"A\",\"quantity\":2}]}\n{\"reference\":\"2\"}\n{broken\n";
    let import = import(&world, "type=orders&format=ndjson", file).await;
    assert_eq!(counts(&import), [3, 1, 0, 0, 0, 2], "{import}");
    let codes: Vec<_> = errors(&world, &import).await.into_iter().map(|(row, _, code)| (row, code)).collect();
    assert_eq!(codes, [(2, "required".to_owned()), (3, "invalid_json".to_owned())]);
}

#[tokio::test]
async fn imports_need_two_scopes_and_are_their_owners() {
    let world = shop().await;
    let file = format!("{HEADER}{}", row("1", "A", "1"));
    let weak = world.token_for("Acme", "imports:write", Mode::Live).await;
    let request = world.request("POST", "/imports?type=orders").token(&weak);
    assert_eq!(
        refusal(&request.raw("text/csv", file.clone()).send().await),
        (403, "insufficient_scope".to_owned())
    );
    let json = world.request("POST", "/imports").token(&weak).json(json!({"type": "locations"}));
    assert_eq!(refusal(&json.send().await), (403, "insufficient_scope".to_owned()));
    let import = import(&world, "type=orders", file).await;
    let stranger = world.token_for("Globex", "*", Mode::Live).await;
    let path = format!("/imports/{}", import["id"].as_str().unwrap());
    for path in [path.clone(), format!("{path}/errors"), format!("{path}/errors.csv")] {
        let reply = world.request("GET", &path).token(&stranger).send().await;
        assert_eq!(refusal(&reply), (404, "not_found".to_owned()), "{path}");
    }
    let orders = world.request("GET", "/orders").token(&stranger).send().await.json();
    assert_eq!(orders["data"], json!([]));
}

#[tokio::test]
async fn characters_that_no_database_takes_refuse_their_rows_alone() {
    let world = shop().await;
    let file = "reference,a\0b,sku,quantity\n1\0,x,A,1\n2,\0,A\0,1\n3,\0,A,1\n";
    let import = import(&world, "type=orders", file).await;
    assert_eq!(
        (import["status"].clone(), counts(&import)),
        (json!("completed"), [3, 1, 0, 0, 0, 2]),
        "{import}"
    );
    let codes: Vec<_> = errors(&world, &import).await.into_iter().map(|(_, _, code)| code).collect();
    assert_eq!(codes, ["invalid_text", "invalid_text"]);
}

#[tokio::test]
async fn what_the_query_of_a_file_lacks_is_named() {
    let world = shop().await;
    assert_eq!(refusal(&send(&world, "format=csv", "a\n").await), (400, "invalid_query".to_owned()));
    assert_eq!(refusal(&send(&world, "type=parcels", "a\n").await), (400, "invalid_query".to_owned()));
    let untyped = world.request("POST", "/imports?type=orders").send().await;
    assert_eq!(refusal(&untyped), (415, "unsupported_media_type".to_owned()));
    let neither = "type=orders&dry_run=1";
    assert_eq!(refusal(&send(&world, neither, "a\n").await), (400, "invalid_query".to_owned()));
    let both = world.post("/imports?type=orders", json!({"type": "orders"})).await;
    assert_eq!(refusal(&both), (400, "invalid_query".to_owned()));
    let wrong = world.post("/imports", json!({"type": "orders", "mapping": {"a": "nothing"}})).await;
    assert_eq!(refusal(&wrong), (422, "validation_failed".to_owned()));
}
