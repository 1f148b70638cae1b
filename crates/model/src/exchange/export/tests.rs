use std::collections::HashSet;

use serde_json::{Value, json};

use super::*;
use crate::Scope;
use crate::exchange::import::{ImportInput, ImportType, Layout};
use crate::platform::shape::parse;

fn layout(r#type: ImportType, headers: Vec<String>) -> Layout {
    let input: ImportInput = parse(json!({"type": r#type.as_str()})).unwrap();
    Layout::of(&input, headers).unwrap()
}

fn headers(columns: &[ExportColumn]) -> Vec<String> {
    columns.iter().map(|column| column.name.to_owned()).collect()
}

#[test]
fn an_import_reads_the_columns_that_are_for_it_and_no_others() {
    for r#type in ExportType::ALL {
        let columns = r#type.columns();
        let names: HashSet<&str> = columns.iter().map(|column| column.name).collect();
        assert_eq!(names.len(), columns.len(), "{type:?} names a column twice");
        assert!(Scope::parse(r#type.scope()).is_some(), "{type:?}");
        assert_eq!(ExportType::parse(r#type.as_str()), Some(r#type));
        let Some(import) = r#type.import() else { continue };
        for (column, read) in columns.iter().zip(layout(import, headers(&columns)).uses()) {
            let expected = column.is_imported.then(|| column.name.to_owned());
            assert_eq!(read.column, expected, "{type:?}: {}", column.name);
        }
    }
    assert!(ImportType::ALL.iter().all(|import| ExportType::parse(import.as_str()).is_some()));
}

fn texts(rows: Vec<Vec<Cell>>) -> Vec<Vec<String>> {
    let text = |cell: Cell| match cell {
        Cell::Text(text) | Cell::Plain(text) => text,
    };
    rows.into_iter().map(|row| row.into_iter().map(text).collect()).collect()
}

#[test]
fn an_order_reads_back_from_its_rows() {
    let order = json!({
        "id": "ord_00000000000000000000000001", "reference": "1042", "status": "committed",
        "customer": {"name": "Ann", "email_address": null},
        "destination": {"address": {"line_1": "1 High St", "city": "London", "post_code": "SW1", "country_code": "GB"}},
        "tags": ["gift", "new"],
        "lines": [
            {"id": "line_1", "sku": "A", "quantity": 2, "unit_price": 1250, "is_shippable": true},
            {"id": "line_2", "sku": "B", "quantity": 1, "unit_price": null, "is_shippable": false},
        ],
        "created_at": "2026-11-01T09:30:00Z",
    });
    let columns = ExportType::Orders.columns();
    let made = texts(rows(ExportType::Orders, &columns, &order));
    assert_eq!(made.len(), 2);
    let read = layout(ImportType::Orders, headers(&columns)).body(&made);
    assert!(read.errors.is_empty());
    assert_eq!(
        read.body,
        json!({
            "id": "ord_00000000000000000000000001", "reference": "1042", "status": "committed",
            "tags": ["gift", "new"], "customer": {"name": "Ann"},
            "destination": {"address": {"line_1": "1 High St", "city": "London", "post_code": "SW1", "country_code": "GB"}},
            "lines": [
                {"sku": "A", "quantity": 2, "unit_price": 1250, "is_shippable": true},
                {"sku": "B", "quantity": 1, "is_shippable": false},
            ],
        })
    );
    let at = |name: &str| columns.iter().position(|column| column.name == name).unwrap();
    assert_eq!((made[1][at("reference")].as_str(), made[1][at("city")].as_str()), ("1042", ""));
    let columns = ExportType::OrderLines.columns();
    let flat = texts(rows(ExportType::OrderLines, &columns, &order));
    let at = |name: &str| columns.iter().position(|column| column.name == name).unwrap();
    assert_eq!((flat[1][at("city")].as_str(), flat[1][at("sku")].as_str()), ("London", "B"));
    assert_eq!(record(&columns, &order, 1)["quantity"], json!(1));
}

#[test]
fn words_with_separators_and_small_numbers_read_back() {
    for barcodes in [json!(["1,2", "a|b"]), json!(["12", "34"]), json!(["[1"]), json!(["[\"x\"]"])] {
        let item = json!({"sku": "A", "name": "A", "barcodes": barcodes, "mass": 1e-7});
        let columns = ExportType::InventoryItems.columns();
        let made = texts(rows(ExportType::InventoryItems, &columns, &item));
        let read = layout(ImportType::InventoryItems, headers(&columns)).body(&made);
        assert_eq!(read.body, item);
    }
}

#[test]
fn a_resource_without_entries_has_one_row_and_an_order_without_lines_no_line() {
    let order = json!({"id": "x", "lines": []});
    let count = |r#type: ExportType, resource: &Value| rows(r#type, &r#type.columns(), resource).len();
    assert_eq!(count(ExportType::Orders, &order), 1);
    assert_eq!(count(ExportType::OrderLines, &order), 0);
    assert_eq!(count(ExportType::Locations, &order), 1);
}
