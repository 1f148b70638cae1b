//! The columns of package types.

use super::cell::{CellKind, Column, cell, text};

pub(super) const COLUMNS: &[Column] = &[
    cell("id", "id", CellKind::Id("pt"), &[], ""),
    text("handle", "handle", &["code"], "small-box"),
    text("name", "name", &["title"], "Small box"),
    text("kind", "kind", &[], "box"),
    cell("length", "inner_dimensions/length", CellKind::Number(1.0), &["innerlength", "lengthcm"], "30"),
    cell("width", "inner_dimensions/width", CellKind::Number(1.0), &["innerwidth", "widthcm"], "20"),
    cell("height", "inner_dimensions/height", CellKind::Number(1.0), &["innerheight", "heightcm"], "15"),
    cell("outer_length", "outer_dimensions/length", CellKind::Number(1.0), &[], ""),
    cell("outer_width", "outer_dimensions/width", CellKind::Number(1.0), &[], ""),
    cell("outer_height", "outer_dimensions/height", CellKind::Number(1.0), &[], ""),
    cell("tare_mass", "tare_mass", CellKind::Number(1.0), &["tare", "emptyweight"], "0.15"),
    cell("mass_max", "mass_max", CellKind::Number(1.0), &["maxweight", "maxmass"], "20"),
    cell("cost_amount", "cost/amount", CellKind::Integer, &[], ""),
    cell("cost_value", "cost/amount", CellKind::Price, &["cost"], ""),
    text("cost_currency_code", "cost/currency_code", &["currency", "currencycode"], ""),
    cell("location_ids", "location_ids", CellKind::Words, &[], ""),
    cell("is_active", "is_active", CellKind::Boolean, &["active"], ""),
];
