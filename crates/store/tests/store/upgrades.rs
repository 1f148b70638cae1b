//! A database of every earlier schema, with data in it, upgrades to the same schema as a new one.

use store::platform::engine::MIGRATIONS;

use crate::fresh::{Engine, Fresh};
use crate::parity::schema;

const STEPS: &str = "CREATE TABLE IF NOT EXISTS migration (name TEXT NOT NULL PRIMARY KEY)";

/// The rows that an older version of the program wrote, once its schema had this step.
const WRITTEN: &[(&str, &str)] = &[
    (
        "0001_foundation",
        "INSERT INTO organisation (owner, name, created_at) VALUES ('org_1', 'Acme', 5);
         INSERT INTO access_token (owner, id, user_id, hash, scopes, parent_id, created_at) VALUES
             ('org_1', 'tok_1', 'usr_1', '1', '*', NULL, 5), ('org_1', 'tok_2', 'usr_1', '2', '*', 'tok_1', 5);",
    ),
    (
        "0001_foundation",
        r#"INSERT INTO location (owner, id, version, doc) VALUES ('org_1', 'loc_1', 1,
             '{"id":"loc_1","marketplaces":{"created_at":["x"]},"coordinates":null,"created_at":"2026-11-01T09:00:00.000000Z"}');"#,
    ),
    (
        "0002_stock",
        r#"INSERT INTO inventory_item (owner, id, sku, version, doc)
             VALUES ('org_1', 'inv_1', 'TEE', 1, '{"id":"inv_1","sku":"TEE","name":"Blue TEE, Ä","metadata":{"n":"\u0000"},"mass":0.20}');
         INSERT INTO inventory_level (owner, item_id, location_id, on_hand, updated_at) VALUES ('org_1', 'inv_1', 'loc_1', 0, 5);"#,
    ),
    (
        "0002_stock",
        r#"INSERT INTO inventory_item (owner, id, sku, version, doc) VALUES ('org_1', 'inv_2', 'B', 1, '{"id":"inv_2","name":"B"}');
         INSERT INTO orders (owner, id, version, status, doc) VALUES
             ('org_1', 'ord_1', 1, 'committed', '{"id":"ord_1","status":"committed"}'),
             ('org_1', 'ord_2', 1, 'fulfilled', '{"id":"ord_2","status":"fulfilled"}'),
             ('org_1', 'ord_3', 1, 'committed', '{"id":"ord_3","status":"committed"}'),
             ('org_1', 'ord_4', 1, 'draft', '{"id":"ord_4","status":"draft"}'),
             ('org_1', 'ord_5', 1, 'committed', '{"id":"ord_5","status":"committed"}');
         INSERT INTO order_line (owner, order_id, item_id, place, quantity, allocated) VALUES
             ('org_1', 'ord_1', 'inv_1', 0, 3, 2), ('org_1', 'ord_1', 'inv_2', 1, 1, 1), ('org_1', 'ord_2', 'inv_1', 0, 2, 2),
             ('org_1', 'ord_3', 'inv_1', 0, 4, 4), ('org_1', 'ord_4', 'inv_1', 0, 1, 0), ('org_1', 'ord_5', 'inv_1', 0, 5, 1);
         INSERT INTO allocation (owner, id, order_id, item_id, location_id, quantity, completed_at, took_stock) VALUES
             ('org_1', 'alloc_1', 'ord_1', 'inv_1', 'loc_1', 2, NULL, 0), ('org_1', 'alloc_2', 'ord_1', 'inv_2', 'loc_1', 1, 7, 1),
             ('org_1', 'alloc_3', 'ord_2', 'inv_1', 'loc_1', 2, 7, 1), ('org_1', 'alloc_4', 'ord_3', 'inv_1', 'loc_1', 4, NULL, 0),
             ('org_1', 'alloc_5', 'ord_5', 'inv_1', 'loc_1', 1, NULL, 0);"#,
    ),
    (
        "0004_webhooks",
        r#"INSERT INTO webhook_endpoint (owner, id, version, doc, secrets) VALUES ('org_1', 'we_1', 1, '{"url":"u"}', '1');"#,
    ),
    (
        "0006_shipments",
        r#"INSERT INTO carrier_account (owner, id, version, carrier, details, created_at, updated_at)
             VALUES ('org_1', 'ca_2', 1, 'easypost', '{"configuration":{"url":"u"}}', 5, 5);
         INSERT INTO shipment (owner, id, version, status, doc) VALUES
             ('org_1', 'shp_1', 1, 'purchased', '{"id":"shp_1","packages":[1,2],"errors":[],"service":{"carrier":{"handle":"sandbox"},"carrier_service":{"handle":"next_day"},"carrier_account":{"id":"ca_1"}},"cost":{"amount":515,"currency_code":"GBP"}}'),
             ('org_1', 'shp_2', 1, 'draft', '{"id":"shp_2","packages":[1],"errors":[{"code":"customs_required"},{"code":"weight_limit"}],"carrier":{"carrier_code":"sandbox","service_code":"economy"}}'),
             ('org_1', 'shp_3', 1, 'draft', '{"id":"shp_3","packages":[{"name":null,"geometry":{"mass":1.0}},{"name":"B"}],"errors":[],"carrier":null}');
         INSERT INTO purchase (owner, id, shipment_id, account_id, service, reference, state, receipt, created_at, updated_at)
             VALUES ('org_1', 'pur_1', 'shp_1', 'ca_1', 's', 'r', 'bought', '{"charged":515,"currency":"GBP","tracking_numbers":["T1","T2"]}', 5, 5);"#,
    ),
    (
        "0006_shipments",
        r#"INSERT INTO location_version (owner, location_id, version, doc)
             VALUES ('org_1', 'loc_1', 1, '{"updated_at":"2026-11-01T09:00:00.000000Z"}');
         INSERT INTO tracking_event (owner, shipment_id, number, doc)
             VALUES ('org_1', 'shp_1', 1, '{"status":"in_transit","occurred_at":"2026-11-01T09:00:01.000000Z"}');"#,
    ),
    // The old program computed these numbers from the columns of the shipments.
    (
        "0008_batches",
        "UPDATE shipment SET batch_id = 'batch_1' WHERE id <> 'shp_3';
         INSERT INTO batch (owner, id, version, status, details, shipments_count, packages_count, error_count, created_at, updated_at)
             SELECT 'org_1', 'batch_1', 1, 'open', '{}', count(*), sum(packages_count), sum(errors_count), 5, 5
             FROM shipment WHERE batch_id = 'batch_1';",
    ),
    (
        "0015_order_references",
        "INSERT INTO organisation_setting (owner, version, unique_order_references, updated_at) VALUES ('org_1', 2, 1, 5);",
    ),
];

/// The rows that must exist after the upgrade, if the step's data existed before it.
const EXPECTED: &[(&str, &str, &[&str])] = &[
    (
        "0001_foundation",
        "SELECT owner || ' ' || id || ' ' || details FROM carrier_account WHERE carrier = 'sandbox'",
        &[r#"org_1_test ca_1 {"name":"Sandbox","handle":"sandbox"}"#],
    ),
    (
        "0001_foundation",
        "SELECT id || ' ' || coalesce(creator_id, '-') FROM access_token ORDER BY id",
        &["tok_1 -", "tok_2 tok_1"],
    ),
    (
        "0002_stock",
        "SELECT name_key || ' ' || doc FROM inventory_item WHERE id = 'inv_1'",
        &[
            r#"blue tee, Ä {"id":"inv_1","sku":"TEE","name":"Blue TEE, Ä","metadata":{"n":"\u0000"},"mass":0.20,"barcodes":[],"unit_value":null,"currency_code":null,"customs_description":null,"ships_alone":false,"keep_upright":false,"tags":[]}"#,
        ],
    ),
    (
        "0002_stock",
        "SELECT coalesce(bin, '-') || ' ' || coalesce(reorder_point, -1) || ' ' || is_low FROM inventory_level",
        &["- -1 0"],
    ),
    (
        "0001_foundation",
        "SELECT doc FROM location",
        &[
            r#"{"id":"loc_1","marketplaces":{"created_at":["x"]},"coordinates":null,"time_zone":null,"created_at":"2026-11-01T09:00:00.000000Z"}"#,
        ],
    ),
    (
        "0015_order_references",
        "SELECT owner || ' ' || unique_order_references || ' ' || time_zone FROM organisation_setting",
        &["org_1 1 UTC"],
    ),
    (
        "0002_stock",
        "SELECT id || ' ' || fulfilment_status FROM orders ORDER BY id",
        &["ord_1 partially_shipped", "ord_2 shipped", "ord_3 allocated", "ord_4 unallocated", "ord_5 partially_allocated"],
    ),
    (
        "0002_stock",
        "SELECT doc FROM orders WHERE id = 'ord_1'",
        &[r#"{"id":"ord_1","status":"committed","lines":[],"customer":null,"channel":null,"source":null,"placed_at":null,"ship_by":null,"requested_service":null,"currency_code":null,"tags":[],"status_when_matched":null,"hold":null,"notes":[],"exceptions":[],"fulfilment":{"status":"partially_shipped","allocated_quantity":3,"shipped_quantity":1,"delivered_quantity":0,"returned_quantity":0,"shipment_ids":[]}}"#],
    ),
    (
        "0004_webhooks",
        "SELECT doc FROM webhook_endpoint",
        &[r#"{"url":"u","resources":["*"]}"#],
    ),
    (
        "0006_shipments",
        "SELECT id || ' ' || packages_count || ' ' || errors_count || ' ' || coalesce(chosen, '-') || ' ' || label_pending
         FROM shipment ORDER BY id",
        &["shp_1 2 0 sandbox/next_day/ca_1 1", "shp_2 1 2 sandbox/economy/ 0", "shp_3 2 0 - 0"],
    ),
    (
        "0006_shipments",
        "SELECT id || ' ' || coalesce(error_codes, '-') FROM shipment ORDER BY id",
        &["shp_1 -", "shp_2 customs_required weight_limit", "shp_3 -"],
    ),
    (
        "0006_shipments",
        "SELECT substr(doc, 1, 158) FROM shipment WHERE id = 'shp_3'",
        &[
            r#"{"id":"shp_3","packages":[{"name":null,"geometry":{"mass":1.0},"items":[],"package_type_id":null},{"name":"B","items":[],"package_type_id":null}],"errors":[],"#,
        ],
    ),
    (
        "0006_shipments",
        "SELECT replace(details, ' ', '') FROM carrier_account WHERE id = 'ca_2'",
        &[r#"{"configuration":{}}"#],
    ),
    ("0006_shipments", "SELECT id || ' ' || is_follow_up FROM purchase", &["pur_1 1"]),
    ("0006_shipments", "SELECT tracking_number || ' ' || numbers_count FROM purchase", &["T1 2"]),
    (
        "0006_shipments",
        "SELECT 'location ' || replaced_at FROM location_version UNION ALL SELECT 'parcel ' || created_at FROM tracking_event",
        &["location 1793523600000000", "parcel 1793523601000000"],
    ),
    (
        "0006_shipments",
        "SELECT shipment_id || ' ' || facet FROM shipment_facet ORDER BY shipment_id, facet",
        &["shp_1 carrier=sandbox", "shp_1 carrier_account=ca_1", "shp_2 carrier=sandbox"],
    ),
    (
        "0006_shipments",
        "SELECT id || ' ' || coalesce(purchased_at, -1) FROM shipment ORDER BY id",
        &["shp_1 5", "shp_2 -1", "shp_3 -1"],
    ),
    (
        "0006_shipments",
        "SELECT id || ' ' || coalesce(cost_amount, -1) || ' ' || coalesce(cost_currency, '-') FROM shipment ORDER BY id",
        &["shp_1 515 GBP", "shp_2 -1 -", "shp_3 -1 -"],
    ),
    (
        "0006_shipments",
        "SELECT owner || ' ' || kind || ' ' || after_id FROM search_fill WHERE kind <> 'batch' ORDER BY kind",
        &["org_1 inv ", "org_1 loc ", "org_1 ord ", "org_1 shp "],
    ),
    (
        "0006_shipments",
        r#"SELECT id FROM shipment WHERE doc LIKE '%,"packed_at":null%' ORDER BY id"#,
        &["shp_1", "shp_2", "shp_3"],
    ),
    (
        "0008_batches",
        "SELECT shipments_count || ' ' || packages_count || ' ' || error_count || ' ' || labels_pending_count FROM batch",
        &["2 3 2 1"],
    ),
];

/// A connection that runs the statements of an older version.
enum Older {
    Sqlite(rusqlite::Connection),
    Postgres(tokio_postgres::Client),
}

impl Older {
    async fn new(fresh: &Fresh, engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => Older::Sqlite(fresh.sqlite()),
            Engine::Postgres => Older::Postgres(fresh.postgres().await),
        }
    }

    async fn run(&self, sql: &str) {
        match self {
            Older::Sqlite(connection) => connection.execute_batch(sql).unwrap(),
            Older::Postgres(client) => client.batch_execute(sql).await.unwrap(),
        }
    }

    /// Applies one step in a transaction of its own, as did a version without later steps. Before step 0021,
    /// migrations could not see the rows of all organisations.
    async fn step(&self, number: usize) {
        let migration = &MIGRATIONS[number];
        let sql = match self {
            Older::Sqlite(_) => migration.sqlite,
            Older::Postgres(_) => migration.postgres,
        };
        let name = migration.name;
        let sql = format!("INSERT INTO migration (name) VALUES ('{name}'); {sql}");
        match name < "0021" {
            true => self.run(&format!("BEGIN; {sql}; COMMIT")).await,
            false => self.write(&sql).await,
        }
    }

    async fn write(&self, sql: &str) {
        let begin = match self {
            Older::Sqlite(_) => "BEGIN",
            Older::Postgres(_) => "BEGIN; SET LOCAL dockside.owner = '*'",
        };
        self.run(&format!("{begin}; {sql}; COMMIT")).await;
    }

    async fn texts(&mut self, sql: &str) -> Vec<String> {
        match self {
            Older::Sqlite(connection) => {
                let mut statement = connection.prepare(sql).unwrap();
                let rows = statement.query_map([], |row| row.get(0)).unwrap();
                rows.collect::<rusqlite::Result<_>>().unwrap()
            }
            Older::Postgres(client) => {
                let tx = client.transaction().await.unwrap();
                tx.batch_execute("SET LOCAL dockside.owner = '*'").await.unwrap();
                tx.query(sql, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
            }
        }
    }
}

/// Makes the database of the version that had this many steps, with servers that were upgraded at each step.
async fn make_older(fresh: &Fresh, engine: Engine, steps: usize) {
    let older = Older::new(fresh, engine).await;
    older.run(STEPS).await;
    for (number, migration) in MIGRATIONS.iter().enumerate().take(steps) {
        older.step(number).await;
        for (_, sql) in WRITTEN.iter().filter(|(step, _)| *step == migration.name) {
            older.write(sql).await;
        }
    }
}

async fn every_earlier_schema_becomes_the_newest_with_its_data(engine: Engine) {
    let new = Fresh::new(engine).await;
    drop(new.open().await);
    let expected_schema = schema(&new, engine).await;
    for steps in 1..MIGRATIONS.len() {
        let fresh = Fresh::new(engine).await;
        make_older(&fresh, engine, steps).await;
        drop(fresh.open().await);
        let last = MIGRATIONS[steps - 1].name;
        assert_eq!(schema(&fresh, engine).await, expected_schema, "upgraded from {last}");
        let mut upgraded = Older::new(&fresh, engine).await;
        for (_, sql, expected) in EXPECTED.iter().filter(|(step, ..)| *step <= last) {
            assert_eq!(upgraded.texts(sql).await, *expected, "upgraded from {last}: {sql}");
        }
    }
}

on_both_engines!(every_earlier_schema_becomes_the_newest_with_its_data);
