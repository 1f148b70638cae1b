//! The shipments that tests buy, and the carrier accounts that they buy them with.

use carriers::sandbox::Mode;
use serde_json::{Value, json};

use crate::client::{Client, Reply};
use crate::resources::create;

/// The service that everything is bought with.
const SERVICE: &str = "standard";

/// Makes an account of the sandbox carrier: of one at an address, or of the one in the server process. Its handle is its
/// mode.
pub fn create_account(client: &mut Client, mode: Mode, url: Option<&str>) {
    let mut configuration = json!({ "mode": mode.as_str() });
    if let Some(url) = url {
        configuration["url"] = json!(url);
    }
    let handle = mode.as_str();
    let body = json!({ "carrier": { "handle": "sandbox" }, "name": handle, "handle": handle, "configuration": configuration });
    create(client, "/carrier_accounts", &body);
}

/// Makes a shipment to a post code, or to a word of the sandbox carrier.
pub fn create_shipment(client: &mut Client, post_code: &str) -> String {
    create(client, "/shipments", &shipment_body(post_code))
}

pub fn shipment_body(post_code: &str) -> Value {
    let record = |post_code: &str| json!({ "address": { "line_1": "1 Quay Street", "city": "Bristol", "post_code": post_code, "country_code": "GB" } });
    let addresses = json!({ "origin": record("BS1 4DJ"), "destination": record(post_code) });
    json!({ "addresses": addresses, "packages": [{ "geometry": { "mass": 1 } }] })
}

/// Requests a purchase. An error means that the answer was lost.
pub fn buy(client: &mut Client, shipment: &str, account: Mode, prefer: &str) -> std::io::Result<Reply> {
    let body = json!({ "carrier_account": account.as_str(), "carrier_service": SERVICE });
    let headers: &[_] = if prefer.is_empty() { &[] } else { &[("Prefer", prefer)] };
    client.request("POST", &format!("/shipments/{shipment}/purchase"), headers, &body.to_string())
}

/// Returns all pages of a list, newest first.
pub fn list(client: &mut Client, path: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut page_path = format!("{path}?limit=100");
    loop {
        let reply = client.get(&page_path);
        assert_eq!(reply.status, 200, "{reply:?}");
        let page = reply.json();
        all.extend(page["data"].as_array().expect("a list").iter().cloned());
        let Some(cursor) = page["next_cursor"].as_str() else { return all };
        page_path = format!("{path}?limit=100&cursor={cursor}");
    }
}
