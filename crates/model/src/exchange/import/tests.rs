use serde_json::{Value, json};

use super::*;
use crate::Error;
use crate::orders::order::OrderInput;
use crate::platform::shape::{Kind, Shape, parse};

fn input(r#type: &str, mapping: Value, locale: Option<&str>) -> ImportInput {
    parse(json!({"type": r#type, "mapping": mapping, "options": {"locale": locale}})).unwrap()
}

fn rows(rows: &[&[&str]]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
}

fn layout(r#type: &str, headers: &[&str], mapping: Value, locale: Option<&str>) -> Result<Layout> {
    let headers = headers.iter().map(|header| (*header).to_owned()).collect();
    Layout::of(&input(r#type, mapping, locale), headers)
}

fn uses(layout: &Layout) -> Vec<String> {
    layout.uses().into_iter().map(|column| column.column.unwrap_or_else(|| "-".to_owned())).collect()
}

/// Returns the shape at a path of columns.
fn shape_at(shape: &'static Shape, path: &str) -> Option<&'static Shape> {
    path.split('/').try_fold(shape, |shape, step| match (&shape.kind, step) {
        (Kind::List { of, .. }, "*") => Some(*of),
        (Kind::Object { fields, .. }, step) => {
            fields.iter().find(|field| field.name == step).map(|field| field.shape)
        }
        _ => None,
    })
}

#[test]
fn every_column_is_a_field_of_its_shape() {
    use crate::fulfilment::package_type::PACKAGE_TYPE;
    use crate::orders::order::ORDER;
    use crate::places::location::LOCATION;
    use crate::shipping::shipment::SHIPMENT;
    use crate::stock::inventory_item::INVENTORY_ITEM;
    use columns::{CellKind, LEVEL_ROW};
    for r#type in ImportType::ALL {
        let shape = match r#type {
            ImportType::Orders => &ORDER,
            ImportType::InventoryItems => &INVENTORY_ITEM,
            ImportType::InventoryLevels => &LEVEL_ROW,
            ImportType::Locations => &LOCATION,
            ImportType::PackageTypes => &PACKAGE_TYPE,
            ImportType::Shipments => &SHIPMENT,
        };
        for column in r#type.columns() {
            let found = shape_at(shape, column.path)
                .unwrap_or_else(|| panic!("{}: {}", r#type.as_str(), column.path));
            let is_right = matches!(
                (column.kind, &found.kind),
                (CellKind::Number(_), Kind::Number { .. })
                    | (CellKind::Integer, Kind::Integer { .. } | Kind::Amount { .. })
                    | (CellKind::Price, Kind::Amount { .. })
                    | (CellKind::Boolean, Kind::Boolean)
                    | (CellKind::Moment, Kind::Moment)
                    | (CellKind::Words, Kind::List { .. })
                    | (CellKind::Id(_), Kind::Identifier(_))
                    | (CellKind::Part, Kind::Text { .. })
                    | (CellKind::Text, Kind::Text { .. } | Kind::OneOf(_) | Kind::Identifier(_))
            );
            assert!(is_right, "{} {:?}", column.name, column.kind);
            let names = r#type.columns().iter().filter(|other| other.name == column.name).count();
            assert_eq!(names, 1, "{}", column.name);
        }
        let keys = r#type.key_columns();
        assert!(keys.iter().all(|key| r#type.columns().iter().any(|column| column.name == *key)));
    }
}

#[test]
fn headers_of_shops_are_recognised() {
    let shopify = layout(
        "orders",
        &[
            "Name",
            "Email",
            "Financial Status",
            "Currency",
            "Lineitem quantity",
            "Lineitem sku",
            "Shipping Name",
            "Shipping Zip",
            "Id",
        ],
        json!({}),
        None,
    );
    let expected = [
        "reference",
        "customer_email",
        "-",
        "currency_code",
        "quantity",
        "sku",
        "recipient_name",
        "post_code",
        "id",
    ];
    assert_eq!(uses(&shopify.unwrap()), expected);
    let amazon = layout(
        "orders",
        &["order-id", "order-item-id", "ship-postal-code", "quantity-purchased"],
        json!({}),
        None,
    );
    assert_eq!(uses(&amazon.unwrap()), ["reference", "external_line_id", "post_code", "quantity"]);
    let woocommerce = layout(
        "orders",
        &["Order Number", "First Name (Shipping)", "Last Name (Shipping)", "Postcode (Shipping)", "SKU"],
        json!({}),
        None,
    );
    let expected = ["reference", "recipient_first_name", "recipient_last_name", "post_code", "sku"];
    assert_eq!(uses(&woocommerce.unwrap()), expected);
    let magento = layout("orders", &["Increment_ID", "Ship-to Name", "Purchase Date"], json!({}), None);
    assert_eq!(uses(&magento.unwrap()), ["reference", "recipient_name", "placed_at"]);
}

#[test]
fn a_mapping_wins_and_names_are_compared_without_case_and_signs() {
    let mapping = json!({"Bestellnummer": "reference", "sku": "ignore"});
    let found =
        layout("orders", &["bestell-nummer", "SKU", "Line_1", "reference", "import_error"], mapping, None);
    assert_eq!(uses(&found.unwrap()), ["reference", "-", "line_1", "-", "-"]);
    let Err(Error::Refused(problem)) = layout("orders", &["a", "b"], json!({}), None) else { panic!() };
    assert_eq!(problem.code, Code::ImportColumnMissing);
    let wrong = parse::<ImportInput>(json!({"type": "orders", "mapping": {"a": "referense"}}));
    let Err(Error::Refused(problem)) = wrong else { panic!() };
    assert_eq!(problem.issues[0].field, "/mapping/a");
    assert!(problem.issues[0].message.contains("Did you mean reference?"), "{}", problem.issues[0].message);
}

#[test]
fn rows_of_an_order_become_one_body() {
    let headers = [
        "reference",
        "currency",
        "First Name (Shipping)",
        "Last Name (Shipping)",
        "placed_at",
        "sku",
        "quantity",
        "price",
        "tags",
    ];
    let layout = layout("orders", &headers, json!({}), Some("de-DE")).unwrap();
    let made = layout.body(&rows(&[
        &["1042", "EUR", "Ann", "Miller", "2026-11-01 09:30", "A", "1.000", "12,5", "gift|new"],
        &["1042", "", "", "", "", "", "", "", ""],
        &["1042", "EUR", "", "", "", "B", "zwei", "", ""],
    ]));
    assert_eq!(
        made.body,
        json!({
            "reference": "1042", "currency_code": "EUR", "destination": {"contact": {"name": "Ann Miller"}},
            "placed_at": "2026-11-01T09:30:00Z",
            "lines": [{"sku": "A", "quantity": 1000, "unit_price": 1250}, {"sku": "B", "quantity": "zwei"}],
            "tags": ["gift", "new"],
        })
    );
    assert_eq!((made.line_rows.as_slice(), made.errors.len()), (&[0, 2][..], 0));
    let Err(Error::Refused(problem)) = parse::<OrderInput>(made.body.clone()) else { panic!() };
    let errors = layout.errors_of(&made, &problem);
    let of = |column: &str| errors.iter().find(|error| error.column.as_deref() == Some(column)).unwrap();
    assert_eq!((of("quantity").row, of("quantity").value.as_deref()), (2, Some("zwei")));
    assert_eq!((of("line_1").row, of("line_1").code.as_str()), (0, "required"));
}

#[test]
fn rows_of_an_order_that_differ_are_named() {
    let layout = layout("orders", &["reference", "City", "sku", "quantity"], json!({}), None).unwrap();
    let made = layout.body(&rows(&[&["1", "Bath", "A", "1"], &["1", "York", "B", "1"]]));
    assert_eq!(made.errors.len(), 1);
    assert_eq!((made.errors[0].row, made.errors[0].column.as_deref()), (1, Some("City")));
}

#[test]
fn units_of_shops_are_converted_and_other_ids_left_out() {
    let layout =
        layout("inventory_items", &["ID", "SKU", "Name", "Variant Grams", "length_in"], json!({}), None)
            .unwrap();
    let made = layout.body(&rows(&[&["4711", "A", "Tee", "250", "10"]]));
    assert_eq!(made.body, json!({"sku": "A", "name": "Tee", "mass": 0.25, "dimensions": {"length": 25.4}}));
}

#[test]
fn an_import_goes_through_its_states() {
    let now = Timestamp::from_micros(1);
    let mut import = Import::new(Id::from_bits(1), input("orders", json!({}), None), now);
    let file = ImportFile { size: 1, encoding: "utf-8".to_owned(), delimiter: None };
    import.receive(file.clone(), now).unwrap();
    assert_eq!(
        import.receive(file, now).unwrap_err().to_string(),
        "import_has_content: The import has its file already."
    );
    import.start(Vec::new(), now);
    assert!(import.cancel(now).unwrap() && !import.cancel(now).unwrap());
    let mut failed = import.clone();
    failed.fail(&Code::ImportEmpty.into(), now);
    assert!(failed.cancel(now).is_err());
    assert_eq!(failed.error.unwrap().code, "import_empty");
}
