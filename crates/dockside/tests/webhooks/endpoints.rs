//! The endpoints under test, as the API knows them, and their deliveries as the API shows them.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use serde_json::{Value, json};
use testkit::client::Client;
use testkit::resources::id;
use tokio::net::TcpSocket;

use crate::endpoint_behaviour::EndpointBehaviour;

pub struct Endpoint {
    /// The number is the endpoint's path at the receivers.
    pub number: usize,
    pub behaviour: EndpointBehaviour,
    pub id: String,
    pub secret: String,
}

/// A port that is bound without listening: connections to it are refused for as long as this value lives.
pub struct Closed {
    pub address: SocketAddr,
    _socket: TcpSocket,
}

impl Closed {
    pub fn new() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a free port");
        Self { address: socket.local_addr().expect("an address"), _socket: socket }
    }
}

/// Provisions the organisation, and makes an endpoint of each behaviour.
pub fn create(
    client: &mut Client,
    behaviours: &[EndpointBehaviour],
    receivers: SocketAddr,
    closed: SocketAddr,
) -> Vec<Endpoint> {
    let reply = client.post("/events/provision", "");
    assert_eq!(reply.status, 204, "{reply:?}");
    let endpoint = |(number, behaviour): (usize, &EndpointBehaviour)| {
        let address = if *behaviour == EndpointBehaviour::Refuses { closed } else { receivers };
        let url = format!("http://{address}/{number}");
        let body = json!({ "url": url, "event_types": ["*"], "description": format!("{behaviour:?}") });
        let reply = client.post("/webhook_endpoints", &body.to_string());
        assert_eq!(reply.status, 201, "{reply:?}");
        let made = reply.json();
        let secret = made["secret"].as_str().expect("a secret").to_owned();
        Endpoint { number, behaviour: *behaviour, id: id(&made), secret }
    };
    behaviours.iter().enumerate().map(endpoint).collect()
}

/// A delivery as the API shows it.
pub struct Delivery {
    pub status: String,
    pub attempts: i64,
    pub has_error: bool,
}

/// Returns the deliveries of each event to an endpoint, by sequence.
pub fn deliveries(client: &mut Client, endpoint: &Endpoint) -> BTreeMap<u32, Vec<Delivery>> {
    let mut all: BTreeMap<u32, Vec<Delivery>> = BTreeMap::new();
    let first = format!("/webhook_endpoints/{}/deliveries?limit=100", endpoint.id);
    let mut path = first.clone();
    loop {
        let reply = client.get(&path);
        assert_eq!(reply.status, 200, "{reply:?}");
        let page = reply.json();
        for delivery in page["data"].as_array().expect("a list") {
            let sequence = delivery["sequence"].as_i64().expect("an event of the log");
            all.entry(sequence as u32).or_default().push(read(delivery));
        }
        let Some(cursor) = page["next_cursor"].as_str() else { return all };
        path = format!("{first}&cursor={cursor}");
    }
}

fn read(delivery: &Value) -> Delivery {
    let attempts = delivery["attempts"].as_array().expect("a list");
    Delivery {
        status: delivery["status"].as_str().expect("a status").to_owned(),
        attempts: delivery["attempt"].as_i64().expect("a number"),
        has_error: attempts.iter().any(|attempt| attempt["error"].is_string()),
    }
}
