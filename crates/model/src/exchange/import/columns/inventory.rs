//! The columns of inventory items and of their levels.

use super::cell::{CellKind, Column, cell, text};

const GRAM: f64 = 0.001;
const POUND: f64 = 0.453_592_37;
const INCH: f64 = 2.54;

pub(super) const ITEM_COLUMNS: &[Column] = &[
    cell("id", "id", CellKind::Id("inv"), &[], ""),
    text("sku", "sku", &["variantsku", "sellersku", "productsku", "itemsku"], "TEE-BLUE-M"),
    text("name", "name", &["title", "productname", "itemname", "producttitle"], "Blue T-shirt, M"),
    cell("mass", "mass", CellKind::Number(1.0), &["weight", "weightkg", "masskg"], "0.2"),
    cell("mass_g", "mass", CellKind::Number(GRAM), &["variantgrams", "weightg", "grams"], ""),
    cell("mass_lb", "mass", CellKind::Number(POUND), &["weightlbs", "weightlb"], ""),
    cell("length", "dimensions/length", CellKind::Number(1.0), &["lengthcm"], "30"),
    cell("width", "dimensions/width", CellKind::Number(1.0), &["widthcm"], "20"),
    cell("height", "dimensions/height", CellKind::Number(1.0), &["heightcm"], "2"),
    cell("length_in", "dimensions/length", CellKind::Number(INCH), &[], ""),
    cell("width_in", "dimensions/width", CellKind::Number(INCH), &[], ""),
    cell("height_in", "dimensions/height", CellKind::Number(INCH), &[], ""),
    text("hs_code", "hs_code", &["harmonizedsystemcode", "hstariffcode", "tariffnumber"], ""),
    text(
        "origin_country_code",
        "origin_country_code",
        &["countryoforigin", "coo", "countryofmanufacture"],
        "",
    ),
    cell(
        "barcodes",
        "barcodes",
        CellKind::Words,
        &["barcode", "variantbarcode", "ean", "gtin", "upc", "gtinupceanorisbn"],
        "4006381333931",
    ),
    cell("unit_value", "unit_value", CellKind::Integer, &[], ""),
    cell("value", "unit_value", CellKind::Price, &["costperitem"], ""),
    text("currency_code", "currency_code", &["currency"], ""),
    text("customs_description", "customs_description", &[], ""),
    cell("ships_alone", "ships_alone", CellKind::Boolean, &[], ""),
    cell("keep_upright", "keep_upright", CellKind::Boolean, &[], ""),
    cell("tags", "tags", CellKind::Words, &[], ""),
];

pub(super) const LEVEL_COLUMNS: &[Column] = &[
    text("sku", "sku", &["variantsku", "sellersku", "itemsku"], "TEE-BLUE-M"),
    cell("item_id", "item_id", CellKind::Id("inv"), &[], ""),
    text("location", "location", &["locationname", "warehouse", "source", "sourcecode"], "Bristol depot"),
    cell("location_id", "location_id", CellKind::Id("loc"), &[], ""),
    cell(
        "on_hand",
        "on_hand",
        CellKind::Integer,
        &["quantity", "qty", "stock", "stockquantity", "onhandnew", "available"],
        "40",
    ),
    cell("expected_on_hand", "expected_on_hand", CellKind::Integer, &["onhandcurrent"], "38"),
    text("bin", "bin", &["binname", "shelf"], "A-03-2"),
    cell("reorder_point", "reorder_point", CellKind::Integer, &["lowstockamount", "notifystockqty"], ""),
];
