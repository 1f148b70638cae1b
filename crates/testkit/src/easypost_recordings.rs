//! EasyPost's recorded answers, for the tests' servers that simulate it.
//!
//! If the recordings are not available, a handwritten exchange with the same paths replaces them.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use serde_json::{Value, json};

pub const KEY: &str = "EZTKrecorded";
/// The bytes that a download of a label gets.
pub const LABEL: &str = "the image of a label";
/// Where recorded labels are.
const FILES: &str = "https://easypost-files.s3.us-west-2.amazonaws.com";
pub const SHIPMENTS: &str = "/v2/shipments";

/// Returns the answers of a recording by method and path. Links to EasyPost's files lead to this address instead.
pub fn answers(recording: &str, address: SocketAddr) -> BTreeMap<String, (u16, Value)> {
    let mut recorded = BTreeMap::new();
    let text = self::recording(recording).unwrap_or_else(ours).to_string();
    let exchanges: Value = serde_json::from_str(&text.replace(FILES, &format!("http://{address}"))).unwrap();
    for exchange in exchanges["exchanges"].as_array().expect("exchanges") {
        let word = |name: &str| exchange["request"][name].as_str().expect("a text");
        let name = format!("{} {}", word("method"), word("path"));
        let status = exchange["response"]["status"].as_u64().expect("a status") as u16;
        recorded.insert(name, (status, exchange["response"]["body"].clone()));
    }
    recorded
}

/// Returns whether a request has the account's key.
pub fn is_authorised(headers: &HeaderMap) -> bool {
    let expected = format!("Basic {}", STANDARD.encode(format!("{KEY}:")));
    headers.get("authorization").is_some_and(|value| *value == expected)
}

/// Returns a recorded file, or `None` if it is not available.
pub fn recording(name: &str) -> Option<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/easypost");
    let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).ok()?;
    Some(serde_json::from_str(&text).expect("a recording is JSON"))
}

/// Returns a handwritten exchange, for use without recordings.
fn ours() -> Value {
    println!("there is no recorded traffic here: an exchange of our own writing stands in for it");
    let rate = |id: &str, service: &str, rate: &str| json!({"id": id, "carrier": "USPS", "service": service, "rate": rate, "currency": "USD", "delivery_days": 2});
    let rates = [rate("rate_1", "GroundAdvantage", "6.07"), rate("rate_2", "Express", "33.10")];
    let messages = [json!({"carrier": "UPS", "type": "rate_error", "message": "No rate response received."})];
    let known = json!({"id": "shp_ours", "rates": rates, "messages": messages, "selected_rate": null,
        "tracking_code": null, "postage_label": null, "refund_status": null, "tracker": null});
    let mut bought = known.clone();
    bought["selected_rate"] = known["rates"][0].clone();
    bought["tracking_code"] = json!("9400100208271089110898");
    bought["fees"] = json!([{"type": "PostageFee", "amount": "6.07000", "charged": true}]);
    bought["postage_label"] =
        json!({"label_url": format!("{FILES}/files/label.png"), "label_file_type": "image/png"});
    bought["tracker"] = json!({"status": "unknown", "status_detail": "unknown"});
    let exchange = |path: &str, status: u16, body: Value| json!({"request": {"method": "POST", "path": path}, "response": {"status": status, "body": body}});
    json!({"exchanges": [exchange(SHIPMENTS, 201, known), exchange("/v2/shipments/shp_ours/buy", 200, bought)]})
}

/// A failure in EasyPost's words.
pub fn failure(code: &str, message: &str) -> Value {
    json!({"error": {"code": code, "message": message, "errors": []}})
}
