//! SCAN forms: USPS's close-out, one barcode for the parcels of a day.

use model::Day;
use model::shipping::shipment::{AddressRecord, ErrorCode};
use serde_json::{Value, json};

use super::answer::{Purpose, rejected, success, unreadable};
use super::http::{LABELS, request};
use super::multipart::parts;
use super::party::{domestic, zip};
use crate::json::text;
use crate::label_file::decode_label;
use crate::{Account, Answer, Manifested, Outcome, Step};

/// Asks for the form of these parcels.
pub fn begin(account: &Account, purchases: &[String], ship_on: Day, origin: Option<&AddressRecord>) -> Step {
    let Some((origin, (zip, _))) = origin.and_then(|origin| Some((origin, zip(origin)?))) else {
        let message = "USPS's SCAN form needs the address and the ZIP code from which the parcels leave.";
        return Step::Done(rejected(Purpose::Manifesting, ErrorCode::AddressInvalid, message.to_owned()));
    };
    let body = json!({
        "form": "5630",
        "imageType": "PDF",
        "labelType": "8.5x11LABEL",
        "mailingDate": ship_on.to_string(),
        "overwriteMailingDate": true,
        "entryFacilityZIPCode": zip,
        "destinationEntryFacilityType": "NONE",
        "shipment": {"trackingNumbers": purchases},
        "fromAddress": domestic(origin),
    });
    let mut request = request(account, "POST", "/scan-forms/v3/scan-form", Some(body));
    for header in &mut request.headers {
        if header.0 == "accept" {
            header.1 = LABELS.to_owned();
        }
    }
    Step::Send(request)
}

/// Reads the answer: JSON with the form as text, or several parts.
pub fn manifested(answer: Answer) -> Outcome {
    let body = match success(answer, Purpose::Manifesting) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let (data, form) = match serde_json::from_slice::<Value>(&body) {
        Ok(data) => {
            let form = text(&data["SCANFormImage"]).map(String::into_bytes);
            (data, form)
        }
        Err(_) => {
            let parts = parts(&body);
            let data = parts.iter().find_map(|part| serde_json::from_slice::<Value>(&part.content).ok());
            let form = parts.iter().find(|part| serde_json::from_slice::<Value>(&part.content).is_err());
            match data {
                Some(data) => (data, form.map(|part| part.content.to_vec())),
                None => return unreadable(Purpose::Manifesting),
            }
        }
    };
    let Some(manifest) = text(&data["manifestNumber"]) else { return unreadable(Purpose::Manifesting) };
    let form = form.and_then(|form| decode_label(&form));
    Outcome::Manifested(Manifested { manifest, form })
}
