//! What commands show, compared with the contract: a field that is renamed there fails here.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::list::Listing;
use crate::operation::{
    GET_BATCH, GET_ORDER, GET_SHIPMENT, GET_WAVE, LIST_IMPORT_ERRORS, LIST_SHIPMENT_DOCUMENTS, Operation,
    SET_INVENTORY_LEVEL,
};
use crate::view::Field;
use crate::{batches, import, orders, print, search, shipments, stock, waves};

fn contract() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Returns the shapes that a schema stands for: itself, or what it refers to.
fn shapes<'a>(document: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    if let Some(reference) = schema["$ref"].as_str() {
        return shapes(document, document.pointer(reference.strip_prefix('#').unwrap()).unwrap());
    }
    let choices = ["anyOf", "oneOf", "allOf"].into_iter().find_map(|name| schema[name].as_array());
    match choices {
        Some(choices) => choices.iter().flat_map(|choice| shapes(document, choice)).collect(),
        None => vec![schema],
    }
}

/// Returns whether a JSON pointer leads to a field that the schema has.
fn leads(document: &Value, schema: &Value, pointer: &str) -> bool {
    let Some(rest) = pointer.strip_prefix('/') else { return pointer.is_empty() };
    let (name, rest) = rest.find('/').map_or((rest, ""), |end| rest.split_at(end));
    shapes(document, schema).into_iter().any(|shape| {
        let field = &shape["properties"][name];
        !field.is_null() && leads(document, field, rest)
    })
}

/// Returns the schema of a successful answer.
fn answer<'a>(document: &'a Value, operation: &Operation) -> &'a Value {
    let responses = &document["paths"][operation.path][operation.method.to_lowercase()]["responses"];
    let success = ["200", "201"].into_iter().map(|status| &responses[status]).find(|found| !found.is_null());
    &success.unwrap()["content"]["application/json"]["schema"]
}

/// Returns the schema of what is below a name: the entries of an array.
fn entries<'a>(document: &'a Value, schema: &'a Value, name: &str) -> &'a Value {
    let found = shapes(document, schema).into_iter().map(|shape| &shape["properties"][name]);
    let array = found.into_iter().find(|field| !field.is_null()).unwrap();
    &shapes(document, array)[0]["items"]
}

fn check(document: &Value, schema: &Value, fields: &[Field]) {
    for field in fields {
        for pointer in field.pointers {
            assert!(leads(document, schema, pointer), "{} shows {pointer}, which is not there", field.title);
        }
    }
}

fn check_list<L: Listing>(document: &Value) {
    let name = L::OPERATION.entries.expect("pages");
    check(document, entries(document, answer(document, L::OPERATION), name), L::FIELDS);
    for given in L::GIVEN {
        assert!(L::OPERATION.query.iter().any(|parameter| parameter.name == *given), "{given}");
    }
}

#[test]
fn lists_show_fields_that_are_there() {
    let document = contract();
    check_list::<orders::OrderList>(&document);
    check_list::<stock::ItemList>(&document);
    check_list::<shipments::ShipmentList>(&document);
    check_list::<batches::BatchList>(&document);
    check_list::<waves::WaveList>(&document);
    check_list::<waves::OrderList>(&document);
    check_list::<search::Results>(&document);
    let errors = entries(&document, answer(&document, &LIST_IMPORT_ERRORS), "data");
    check(&document, errors, import::ERRORS);
}

#[test]
fn resources_show_fields_that_are_there() {
    let document = contract();
    let show = |operation: &Operation, fields: &[Field], parts: &[(&str, &[Field])]| {
        let schema = answer(&document, operation);
        check(&document, schema, fields);
        for (name, fields) in parts {
            check(&document, entries(&document, schema, name), fields);
        }
    };
    let (lines, items) = (("lines", orders::LINES), ("items", orders::ITEMS));
    show(&GET_ORDER, orders::ORDER, &[lines, items, ("exceptions", orders::EXCEPTIONS)]);
    let packages = ("packages", shipments::PACKAGES);
    let documents = ("documents", shipments::DOCUMENTS);
    show(&GET_SHIPMENT, shipments::SHIPMENT, &[packages, documents, ("errors", shipments::ERRORS)]);
    show(&GET_BATCH, batches::BATCH, &[("errors", batches::ERRORS)]);
    show(&GET_WAVE, waves::WAVE, &[("exceptions", waves::EXCEPTIONS), ("errors", waves::ERRORS)]);
    show(&SET_INVENTORY_LEVEL, stock::LEVEL, &[]);
    show(&crate::operation::CREATE_PRINT_JOB, print::JOB, &[]);
    let label = entries(&document, answer(&document, &LIST_SHIPMENT_DOCUMENTS), "data");
    assert!(
        ["/id", "/type", "/file_name", "/file_url"].iter().all(|pointer| leads(&document, label, pointer))
    );
}

/// Lines of levels have the columns of the table that an export writes.
#[test]
fn levels_show_columns_of_the_export() {
    let columns = model::exchange::export::ExportType::InventoryLevels.columns();
    let columns: BTreeSet<&str> = columns.iter().map(|column| column.name).collect();
    for pointer in stock::LEVEL_ROWS.iter().flat_map(|field| field.pointers) {
        assert!(columns.contains(pointer.strip_prefix('/').unwrap()), "{pointer}");
    }
}

#[test]
fn a_field_that_is_not_there_is_found() {
    let document = contract();
    let order = answer(&document, &GET_ORDER);
    assert!(leads(&document, order, "/destination/address/city"));
    assert!(!leads(&document, order, "/destination/address/town"));
    assert!(!leads(&document, order, "/references"));
}
