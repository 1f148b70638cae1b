//! Any bytes as a carrier's answer or message: whatever was asked, they mean something or nothing.
#![no_main]

use std::time::Duration;

use bytes::Bytes;
use carriers::easypost::{EasyPost, is_signed, message};
use carriers::sandbox::Sandbox;
use carriers::{Account, Answer, Connector, Parcel, Receipt, Step, Task};
use libfuzzer_sys::fuzz_target;
use model::Id;
use model::shipping::shipment::LabelFormat;
use serde_json::{Map, json};

/// Exchanges after which a task must have come to an end.
const EXCHANGES_MAX: usize = 8;

fuzz_target!(|bytes: &[u8]| {
    let [kind, status, body @ ..] = bytes else { return };
    let _ = message(body);
    let _ = is_signed("secret", &String::from_utf8_lossy(body), body);
    let credentials = json!({"api_key": "EZTK"}).as_object().cloned().unwrap_or_default();
    let account = Account { id: Id::from_bits(1), configuration: Map::new(), credentials, url: None };
    let shipment = model::platform::shape::parse(json!({
        "addresses": {"destination": {"address":
            {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}},
            "origin": {"address":
            {"line_1": "2 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}}},
        "packages": [{"geometry": {"mass": 1}}],
    }))
    .expect("a shipment");
    let parcel = Parcel::new(Id::from_bits(7), &shipment);
    let receipt = Receipt {
        purchase: "shp_1".to_owned(),
        tracking_numbers: vec!["EZ1".to_owned()],
        charged: 1,
        currency: "USD".to_owned(),
        label: None,
    };
    let (format, purchases) = (LabelFormat::Pdf, ["shp_1".to_owned()]);
    let service = "usps_ground_advantage";
    let task = match kind % 8 {
        0 => Task::Rate(&parcel),
        1 => Task::Prepare(&parcel),
        2 => Task::Buy { parcel: &parcel, service, reference: "shp_7", prepared: Some("shp_1"), format },
        3 => Task::LookUp { reference: "shp_7", prepared: Some("shp_1") },
        4 => Task::Void(&receipt),
        5 => Task::Track(&receipt),
        6 => Task::Label { receipt: &receipt, format },
        _ => Task::Manifest { reference: "mf_1", purchases: &purchases },
    };
    let status = [200, 201, 400, 401, 404, 409, 422, 429, 500, 503][usize::from(*status) % 10];
    for connector in [&EasyPost as &dyn Connector, &Sandbox] {
        let mut step = connector.begin(&account, &task);
        for exchange in 1.. {
            let Step::Send(_) = step else { break };
            assert!(exchange <= EXCHANGES_MAX, "the carrier is asked without end");
            let retry_after = Some(Duration::from_secs(1));
            let answer = Answer::Response { status, retry_after, body: Bytes::copy_from_slice(body) };
            step = connector.resume(&account, &task, exchange, answer);
        }
    }
});
