//! The shipments as the API shows them at one time.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::Value;
use testkit::client::Client;
use testkit::resources::id;
use testkit::shipments::list;

/// A shipment and its purchase.
#[derive(Clone, Default, Debug)]
pub struct Seen {
    pub status: String,
    pub number: Option<String>,
    /// The codes of its errors.
    pub errors: Vec<String>,
    /// Where its labels are.
    pub labels: Vec<String>,
    pub attempt: String,
    pub state: String,
    pub amount: Option<i64>,
    pub numbers: Vec<String>,
    /// How often the log says that it was purchased.
    pub told: usize,
}

/// All shipments by id.
pub type View = BTreeMap<String, Seen>;

pub fn look(client: &mut Client) -> View {
    let mut view: View =
        list(client, "/shipments").iter().map(|shipment| (id(shipment), seen(shipment))).collect();
    for attempt in list(client, "/purchase_attempts") {
        let shipment = attempt["shipment_id"].as_str().expect("an id");
        let seen = view.get_mut(shipment).expect("a shipment of the list");
        assert_eq!(seen.attempt, "", "a shipment has one purchase");
        seen.attempt = id(&attempt);
        seen.state = text(&attempt["state"]).expect("a state");
        seen.amount = attempt["amount"].as_i64();
        seen.numbers =
            attempt["tracking_numbers"].as_array().expect("a list").iter().filter_map(text).collect();
    }
    for shipment in purchased(client) {
        view.get_mut(&shipment).expect("a shipment of the list").told += 1;
    }
    view
}

fn seen(shipment: &Value) -> Seen {
    let labels = shipment["documents"].as_array().expect("a list").iter();
    let labels = labels.filter(|document| document["type"] == "label");
    let errors = shipment["errors"].as_array().expect("a list").iter();
    Seen {
        status: text(&shipment["status"]).expect("a status"),
        number: text(&shipment["tracking_number"]),
        errors: errors.filter_map(|error| text(&error["code"])).collect(),
        labels: labels.filter_map(|document| text(&document["file_url"])).collect(),
        ..Seen::default()
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Returns the shipment of each `shipment.purchased` event in the log.
fn purchased(client: &mut Client) -> Vec<String> {
    let (mut all, mut head) = (Vec::new(), 0);
    loop {
        let reply = client.get(&format!("/events?limit=100&after={head}"));
        assert_eq!(reply.status, 200, "{reply:?}");
        let page = reply.json();
        let page = page["data"].as_array().expect("a list");
        let Some(last) = page.last() else { return all };
        head = last["sequence"].as_i64().expect("a number");
        let told = page.iter().filter(|event| event["type"] == "shipment.purchased");
        all.extend(told.map(|event| id(&event["data"]["object"])));
    }
}

/// Fetches a file as a browser would, and returns the status and the bytes.
pub fn download(server: SocketAddr, url: &str) -> (u16, Vec<u8>) {
    let path = url.find("/files/").map(|start| &url[start..]).expect("a link to a file");
    let mut stream = TcpStream::connect(server).expect("a server that listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: dockside.example\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a server that listens");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").expect("the end of the head");
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
    (status, answer.split_off(end + 4))
}
