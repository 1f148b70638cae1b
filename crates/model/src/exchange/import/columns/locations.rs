//! The columns of locations.

use super::cell::{CellKind, Column, cell, text};

pub(super) const COLUMNS: &[Column] = &[
    cell("id", "id", CellKind::Id("loc"), &[], ""),
    text("name", "name", &["location", "locationname", "warehouse", "sourcename"], "Bristol depot"),
    cell("tags", "tags", CellKind::Words, &[], ""),
    text("company", "address/contact/company", &[], "Acme Ltd"),
    text("contact_name", "address/contact/name", &["contact"], ""),
    text("email_address", "address/contact/email_address", &["email"], ""),
    text("phone_number", "address/contact/phone_number", &["phone"], "+441172345678"),
    text("line_1", "address/address/line_1", &["address1", "addressline1", "street"], "1 Quay Street"),
    text("line_2", "address/address/line_2", &["address2", "addressline2"], ""),
    text("line_3", "address/address/line_3", &["address3", "addressline3"], ""),
    text("city", "address/address/city", &["town"], "Bristol"),
    text("province", "address/address/province", &["state", "region"], ""),
    text("post_code", "address/address/post_code", &["postcode", "postalcode", "zip", "zipcode"], "BS1 4DB"),
    text("country_code", "address/address/country_code", &["country"], "GB"),
    cell("latitude", "coordinates/latitude", CellKind::Number(1.0), &[], ""),
    cell("longitude", "coordinates/longitude", CellKind::Number(1.0), &[], ""),
    text("time_zone", "time_zone", &[], "Europe/London"),
];
