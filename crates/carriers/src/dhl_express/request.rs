//! What DHL Express is told: the bodies of rates and of shipments.

use model::Day;
use model::shipping::shipment::options::LabelFormat;
use model::shipping::shipment::{Package, ShipmentInput};
use serde_json::{Value, json};

use super::customs::{self, is_declared};
use super::options::{self, wants_duties_paid};
use super::party::{address, party};
use super::services::Service;
use crate::Parcel;
use crate::json::without_nulls;

/// DHL's name of its label of 4 by 8 inches.
const TEMPLATE: &str = "ECOM26_84_001";
const DESCRIPTION_CHARS: usize = 70;
/// The time of the hand-over, by the clock of the place that the shipment leaves from. DHL refuses days that are past, not times.
const TIME: &str = "12:00:00";

/// The body that asks for the prices of all products.
pub fn rate(parcel: &Parcel, number: &str) -> Option<Value> {
    let details = parcel.details();
    let value = customs::total(details);
    Some(without_nulls(json!({
        "customerDetails": {
            "shipperDetails": address(details.addresses.origin.as_ref()?),
            "receiverDetails": address(&details.addresses.destination),
        },
        "accounts": [{"typeCode": "shipper", "number": number}],
        "plannedShippingDateAndTime": parcel.ship_on().map(|day| format!("{day}T{TIME}GMT+00:00")),
        "unitOfMeasurement": "metric",
        "isCustomsDeclarable": is_declared(details),
        "monetaryAmount": value.map(|(value, currency)| {
            json!([{"typeCode": "declaredValue", "value": value, "currency": currency}])
        }),
        "nextBusinessDay": true,
        "productTypeCode": "all",
        "packages": details.packages.iter().map(package).collect::<Option<Vec<_>>>()?,
    })))
}

/// A purchase, as far as DHL is told.
pub struct Purchase<'a> {
    pub number: &'a str,
    pub service: &'a Service,
    pub reference: &'a str,
    pub format: LabelFormat,
    pub ship_on: Day,
}

/// The body that makes a shipment. Nothing in it depends on the time of the request.
pub fn shipment(parcel: &Parcel, purchase: &Purchase<'_>) -> Option<Value> {
    let details = parcel.details();
    let services = options::services(details);
    let mut accounts = vec![json!({"typeCode": "shipper", "number": purchase.number})];
    if wants_duties_paid(details) {
        accounts.push(json!({"typeCode": "duties-taxes", "number": purchase.number}));
    }
    let mut references = vec![json!({"value": purchase.reference, "typeCode": "CU"})];
    references.extend(options::line(details).map(|line| json!({"value": line, "typeCode": "CU"})));
    Some(without_nulls(json!({
        "plannedShippingDateAndTime": format!("{}T{TIME} GMT+00:00", purchase.ship_on),
        "pickup": {"isRequested": false},
        "productCode": purchase.service.code,
        "getRateEstimates": true,
        "accounts": accounts,
        "valueAddedServices": (!services.is_empty()).then_some(services),
        "customerReferences": references,
        "outputImageProperties": image(purchase.format),
        "customerDetails": {
            "shipperDetails": party(details.addresses.origin.as_ref()?),
            "receiverDetails": party(&details.addresses.destination),
        },
        "content": content(details, purchase)?,
    })))
}

/// The goods.
fn content(details: &ShipmentInput, purchase: &Purchase<'_>) -> Option<Value> {
    let value = customs::total(details);
    let description = description(details);
    Some(without_nulls(json!({
        "packages": details.packages.iter().map(package).collect::<Option<Vec<_>>>()?,
        "isCustomsDeclarable": is_declared(details),
        "declaredValue": value.as_ref().map(|(value, _)| value),
        "declaredValueCurrency": value.as_ref().map(|(_, currency)| currency),
        "exportDeclaration": customs::declaration(details, purchase.reference, purchase.ship_on),
        "description": description.chars().take(DESCRIPTION_CHARS).collect::<String>(),
        "incoterm": customs::term(details),
        "unitOfMeasurement": "metric",
    })))
}

/// What is in the packages, which DHL always wants to know.
fn description(details: &ShipmentInput) -> String {
    let customs = details.customs.as_ref();
    let given = customs.and_then(|customs| customs.contents_description.clone());
    let first = || customs.and_then(|customs| Some(customs.items.first()?.description.clone()));
    given.or_else(first).map(|text| text.trim().to_owned()).unwrap_or_else(|| "Goods".to_owned())
}

/// Mass and sides in kilograms and centimetres, the longest side first.
fn package(package: &Package) -> Option<Value> {
    let geometry = package.geometry?;
    let mut sides = geometry.millimetres()?;
    sides.sort_unstable_by(|one, other| other.cmp(one));
    let [length, width, height] = sides.map(|side| side as f64 / 10.0);
    Some(json!({
        "weight": geometry.grams()? as f64 / 1000.0,
        "dimensions": {"length": length, "width": width, "height": height},
    }))
}

/// One file with the labels of all packages, and nothing else.
fn image(format: LabelFormat) -> Value {
    // DHL calls 203 dots an inch 200.
    let (encoding, dots) = match format {
        LabelFormat::Zpl => ("zpl", 200),
        LabelFormat::Pdf | LabelFormat::Png => ("pdf", 300),
    };
    json!({
        "printerDPI": dots,
        "encodingFormat": encoding,
        "imageOptions": [{"typeCode": "label", "templateName": TEMPLATE, "isRequested": true}],
        "splitTransportAndWaybillDocLabels": true,
        "allDocumentsInOneImage": false,
        "splitDocumentsByPages": false,
    })
}
