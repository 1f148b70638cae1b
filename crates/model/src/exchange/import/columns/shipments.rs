//! The columns of shipments. Rows with the same name are the packages of one shipment.

use super::cell::{CellKind, Column, cell, text};

pub(super) const COLUMNS: &[Column] = &[
    cell("id", "id", CellKind::Id("shp"), &[], ""),
    text("name", "name", &["reference", "ordernumber", "orderid", "shipmentname"], "Order 1042"),
    text("location_configuration_id", "addresses/location_configuration_id", &[], ""),
    text(
        "recipient_name",
        "addresses/destination/contact/name",
        &["shippingname", "shiptoname", "recipient"],
        "Ann Miller",
    ),
    text("recipient_company", "addresses/destination/contact/company", &["shippingcompany", "company"], ""),
    text(
        "recipient_email",
        "addresses/destination/contact/email_address",
        &["email", "emailaddress", "shippingemail"],
        "ann@example.com",
    ),
    text(
        "recipient_phone",
        "addresses/destination/contact/phone_number",
        &["phone", "phonenumber", "shippingphone", "shipphonenumber"],
        "",
    ),
    text(
        "line_1",
        "addresses/destination/address/line_1",
        &["address1", "addressline1", "shippingaddress1", "shipaddress1", "street"],
        "10 Downing Street",
    ),
    text(
        "line_2",
        "addresses/destination/address/line_2",
        &["address2", "addressline2", "shippingaddress2", "shipaddress2"],
        "",
    ),
    text("line_3", "addresses/destination/address/line_3", &["address3", "addressline3", "shipaddress3"], ""),
    text("city", "addresses/destination/address/city", &["shippingcity", "shipcity", "town"], "London"),
    text(
        "province",
        "addresses/destination/address/province",
        &["state", "shippingprovince", "shipstate", "region"],
        "",
    ),
    text(
        "post_code",
        "addresses/destination/address/post_code",
        &["postcode", "postalcode", "zip", "zipcode", "shippingzip", "shippostalcode"],
        "SW1A 2AA",
    ),
    text(
        "country_code",
        "addresses/destination/address/country_code",
        &["country", "shippingcountry", "shipcountry"],
        "GB",
    ),
    text("carrier_code", "carrier/carrier_code", &["carrier"], ""),
    text("service_code", "carrier/service_code", &["service"], ""),
    text("package_name", "packages/*/name", &["package"], ""),
    cell("mass", "packages/*/geometry/mass", CellKind::Number(1.0), &["weight", "weightkg", "masskg"], "1.2"),
    cell("length", "packages/*/geometry/length", CellKind::Number(1.0), &["lengthcm"], "30"),
    cell("width", "packages/*/geometry/width", CellKind::Number(1.0), &["widthcm"], "20"),
    cell("height", "packages/*/geometry/height", CellKind::Number(1.0), &["heightcm"], "10"),
    text("predefined_package_code", "packages/*/predefined_package_code", &[], ""),
    text("package_type_id", "packages/*/package_type_id", &["packagetype"], ""),
];
