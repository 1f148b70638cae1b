//! No option is forgotten by a connector, and what is refused is refused before anything is sent.

use model::platform::shape::{Kind, Shape, parse};
use model::shipping::shipment::options::{LabelFormat, OPTIONS};
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use model::{CarrierAccount, Id};
use serde_json::{Map, json};

use super::*;
use crate::conformance::day;
use crate::{ALL, Account, Connector, Outcome, Parcel, Step, Task};

/// The paths of all options that the model knows.
fn known(shape: &'static Shape, path: &str) -> Vec<String> {
    match &shape.kind {
        Kind::Object { fields, .. } => {
            let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            fields.iter().flat_map(|field| known(field.shape, &below(field.name))).collect()
        }
        _ => vec![path.to_owned()],
    }
}

/// A value that asks for an option.
pub fn asking(path: &str) -> Value {
    match path {
        "shipping.access_code" => json!("4711"),
        "shipping.currency_code" | "insurance.currency_code" => json!("USD"),
        "shipping.date" => json!("2026-12-24T00:00:00Z"),
        "shipping.dry_ice_mass" => json!(0.5),
        "shipping.dropoff_type" => json!("retail_location"),
        "shipping.handling_instructions" => json!("This side up"),
        "shipping.invalid_address_handling" => json!("return"),
        "shipping.non_delivery" => json!("abandon"),
        "shipping.restricted_substances" => json!(["batteries_lithium_ion"]),
        "shipping.safe_place" => json!("Behind the shed"),
        "shipping.signature_type" => json!("adult"),
        "label.format" => json!("zpl"),
        "label.size" => json!("4x8"),
        "label.custom_data.text_lines" | "label.custom_data.line_codes" => json!(["PO 7"]),
        "label.custom_data.barcodes" => json!(["BOX-7"]),
        "insurance.value" => json!(10_000),
        _ => json!(true),
    }
}

pub fn options_with(path: &str, value: &Value) -> Value {
    let mut options = json!({});
    // A currency alone insures nothing.
    if path == "insurance.currency_code" {
        options["insurance"] = json!({"value": 10_000});
    }
    let mut place = &mut options;
    for step in path.split('.') {
        place = &mut place[step];
    }
    *place = value.clone();
    options
}

pub fn parcel(options: &Value) -> Parcel {
    // Within the United States, where most of the carriers deliver.
    let address = |name: &str, code: &str| place(name, "Atlanta", "GA", code, "US");
    parcel_between(&address("Dispatch", "30005"), &address("Ada", "30301"), options)
}

/// A parcel that a carrier takes, with these options.
fn parcel_of(connector: &dyn Connector, option: &str, options: &Value) -> Parcel {
    let bonn = || place("Dispatch", "Bonn", "", "53113", "DE");
    let bristol = |name: &str| place(name, "Bristol", "", "BS1 4DJ", "GB");
    match (connector.handle(), option) {
        // What becomes of parcels that can't be delivered is a question abroad.
        ("dhl_parcel_de", "shipping.non_delivery") => {
            parcel_between(&bonn(), &place("Ada", "Bern", "", "3011", "CH"), options)
        }
        ("dhl_parcel_de", _) => parcel_between(&bonn(), &place("Ada", "Berlin", "", "10115", "DE"), options),
        ("royal_mail", _) => parcel_between(&bristol("Dispatch"), &bristol("Ada"), options),
        _ => parcel(options),
    }
}

fn place(name: &str, city: &str, province: &str, code: &str, country: &str) -> Value {
    json!({"address": {"line_1": "1 Quay Street", "city": city, "province": province, "post_code": code, "country_code": country},
        "contact": {"name": name, "phone_number": "5555555555"}})
}

fn parcel_between(origin: &Value, destination: &Value, options: &Value) -> Parcel {
    let details = parse(json!({
        "addresses": {"destination": destination, "origin": origin},
        "packages": [{"geometry": {"length": 20, "width": 15, "height": 10, "mass": 1}}], "options": options,
        "customs": {"contents_type": "merchandise", "items": [{"description": "Shirt", "quantity": 1, "value": 100}]},
    }));
    Parcel::new(Id::from_bits(7), &details.unwrap())
}

fn account() -> Account {
    let credentials = json!({"api_key": "EZTKtest"}).as_object().cloned().unwrap_or_default();
    Account::new(Id::<CarrierAccount>::from_bits(1), Map::new(), credentials)
}

fn account_of(connector: &dyn Connector) -> Account {
    let mut account = account();
    if connector.handle() == "own" {
        let table = json!({"currency_code": "GBP", "services": [{"handle": "van", "name": "Van", "rates": [{"rate": 450}]}]});
        account.configuration = table.as_object().cloned().unwrap_or_default();
    }
    if connector.handle() == "royal_mail" {
        let extras = json!({"signature": 0, "saturday_delivery": 0, "local_collect": 0});
        let card = json!({"services": [{"handle": "van", "name": "Tracked", "service_code": "TPN24", "is_tracked": true,
            "extras": extras, "rates": [{"rate": 450}]}]});
        account.configuration = card.as_object().cloned().unwrap_or_default();
    }
    if connector.handle() == "dhl_parcel_de" {
        let numbers = json!({"billing_numbers": {"V01PAK": "33333333330102", "V53WPAK": "33333333335301"},
            "return_receiver_ids": {"DE": "deu"}});
        account.configuration = numbers.as_object().cloned().unwrap_or_default();
    }
    account
}

/// The handle of a service that takes the parcel.
fn service_of(connector: &dyn Connector, option: &str) -> &'static str {
    match (connector.handle(), option) {
        ("dhl_express", _) => "dhl_express.worldwide",
        ("dhl_parcel_de", "shipping.non_delivery") => "dhl_parcel_de.paket_international",
        ("dhl_parcel_de", "shipping.is_return") => "dhl_parcel_de.retoure",
        ("dhl_parcel_de", _) => "dhl_parcel_de.paket",
        ("ups", _) => "ups.ground",
        ("usps", _) => "usps.ground_advantage",
        _ => "van",
    }
}

fn refused(connector: &dyn Connector, task: &Task<'_>) -> Option<ShipmentError> {
    match connector.begin(&account_of(connector), task) {
        Step::Done(Outcome::Rejected(error)) => Some(error),
        _ => None,
    }
}

#[test]
fn every_connector_says_how_it_treats_every_option() {
    let known = known(&OPTIONS, "");
    assert!(known.len() >= 28, "{known:?}");
    for connector in ALL {
        let rows: Vec<_> = connector.options().iter().map(|(option, _)| (*option).to_owned()).collect();
        assert_eq!(rows, known, "{}", connector.handle());
        for (option, treatment) in connector.options() {
            let reason = treatment.reason();
            assert!(reason.len() > 10 && !reason.contains('|'), "{} {option}: {reason}", connector.handle());
        }
    }
}

#[test]
fn what_a_table_refuses_is_refused_with_its_reason_and_nothing_else_is() {
    for connector in ALL {
        for (option, treatment) in connector.options() {
            let parcel = parcel_of(*connector, option, &options_with(option, &asking(option)));
            let reference = parcel.id.to_string();
            let buy = Task::Buy {
                parcel: &parcel,
                service: service_of(*connector, option),
                reference: &reference,
                prepared: Some("shp_1"),
                format: LabelFormat::Pdf,
                ship_on: day(),
            };
            for (task, r#type) in [(Task::Rate(&parcel), ErrorType::Rate), (buy, ErrorType::Validation)] {
                let error = refused(*connector, &task);
                let Treatment::Refused(reason) = treatment else {
                    // The insured currency comes with a value, which may be refused on its own.
                    let is_insured = *option == "insurance.currency_code";
                    assert!(error.is_none() || is_insured, "{} {option}: {error:?}", connector.handle());
                    continue;
                };
                let error = error.unwrap_or_else(|| panic!("{} takes {option}", connector.handle()));
                assert_eq!((error.r#type, error.source), (r#type, Source::Carrier));
                assert_eq!(error.code, ErrorCode::OptionUnavailable);
                let named = error.message.contains("`options.insurance.") || error.message.contains(option);
                assert!(
                    named && error.message.contains(reason) || option.starts_with("insurance"),
                    "{error:?}"
                );
            }
        }
    }
}

#[test]
fn defaults_and_what_is_false_or_empty_ask_for_nothing() {
    let options = json!({
        "shipping": {"access_code": "", "commercial_address": false, "delivery_confirmation": false, "dry_ice_mass": 0,
            "dropoff_type": "regular_pickup", "handling_instructions": " ", "high_security": false, "hold_for_pickup": false,
            "invalid_address_handling": "forward_or_return", "is_return": false, "leave_safe": false, "machinable": false,
            "non_delivery": "return", "restricted_substances": [], "safe_place": "", "saturday_delivery": false,
            "signature_required": false, "signature_type": "none", "tracked_service": false},
        "label": {"custom_data": {"text_lines": [], "line_codes": null, "barcodes": []}},
        "insurance": {"value": 0, "currency_code": "GBP"},
    });
    for connector in ALL {
        let parcel = parcel_of(*connector, "", &options);
        assert_eq!(asked(parcel.details().options.as_ref().unwrap()), []);
        assert_eq!(refused(*connector, &Task::Rate(&parcel)), None, "{}", connector.handle());
    }
}

#[test]
fn the_guide_publishes_the_table() {
    let carriers: Vec<_> = ALL.iter().map(|connector| (connector.handle(), connector.options())).collect();
    let guide = include_str!("../../../../docs/guide/carriers.md");
    let table = published(&carriers);
    assert!(guide.contains(&table), "docs/guide/carriers.md must contain this table:\n{table}");
}
