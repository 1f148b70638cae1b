//! The servers of a test: one on SQLite, two on one PostgreSQL. And what a test needs to have in stock.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_postgres::NoTls;

use crate::client::{Client, Reply};
use crate::database::Database;
use crate::load;
use crate::server::{Server, token};

/// Where the servers are; `None` while one is away.
pub type Addresses = Arc<Mutex<Vec<Option<SocketAddr>>>>;

pub struct Cluster {
    pub engine: &'static str,
    pub nodes: usize,
    pub token: String,
    pub addresses: Addresses,
    pub servers: Vec<Server>,
    pub folders: Vec<TempDir>,
    pub arguments: Vec<String>,
    pub database: Option<Database>,
}

impl Cluster {
    /// Starts the servers of the engine that `TEST_DB` names.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// The same, with more arguments for the servers.
    pub fn start_with(more: &[&str]) -> Self {
        Self::start_as(&[], more)
    }

    /// The same, with more arguments for the command that makes the token.
    pub fn start_as(more_of_token: &[&str], more: &[&str]) -> Self {
        Self::start_on(&std::env::var("TEST_DB").unwrap_or_default(), more_of_token, more)
    }

    /// The same, on an engine that the test names.
    pub fn start_on(engine: &str, more_of_token: &[&str], more: &[&str]) -> Self {
        let key = "5e".repeat(32);
        let arguments = ["--data", "data", "--signing-key", &key, "--encryption-key", &key];
        let mut arguments = arguments.map(str::to_owned).to_vec();
        let (engine, nodes, database) = match engine {
            "postgres" => ("postgres", 2, Some(Database::new())),
            _ => ("sqlite", 1, None),
        };
        if let Some(database) = &database {
            arguments.extend(["--database-url".to_owned(), database.url.clone()]);
        }
        let folders: Vec<_> = (0..nodes).map(|_| tempfile::tempdir().unwrap()).collect();
        // The first to open a database leaves a mark of its encryption key there, so the command needs the keys too.
        let given: Vec<_> = arguments.iter().map(String::as_str).collect();
        let token = token(folders[0].path(), &[&given, more_of_token].concat());
        arguments.extend(more.iter().map(|word| (*word).to_owned()));
        let given: Vec<_> = arguments.iter().map(String::as_str).collect();
        let servers: Vec<_> = folders.iter().map(|folder| Server::start(folder.path(), &given)).collect();
        let addresses = servers.iter().map(|server| Some(server.address)).collect();
        let addresses = Arc::new(Mutex::new(addresses));
        Self { engine, nodes, token, addresses, servers, folders, arguments, database }
    }

    /// A client of one of the servers: they take turns.
    pub fn client(&self, number: usize) -> Client {
        self.servers[number % self.servers.len()].client(&self.token)
    }

    /// Kills a server as `kill -9` does, and starts it again on the same data.
    pub fn kill(&mut self, node: usize) {
        let server = self.servers.remove(node);
        server.kill();
        self.addresses.lock().unwrap()[node] = None;
        let given: Vec<_> = self.arguments.iter().map(String::as_str).collect();
        let server = Server::start(self.folders[node].path(), &given);
        self.addresses.lock().unwrap()[node] = Some(server.address);
        self.servers.insert(node, server);
    }

    /// Stops all servers in an orderly way; what remains must be sound.
    pub fn stop(&mut self) {
        self.servers.drain(..).for_each(Server::stop);
        match &self.database {
            None => {
                let file = self.folders[0].path().join("data/dockside.db");
                drop(crate::contents::Contents::of_sqlite(&file));
            }
            // The sessions have ended, so the server has counted all that they met.
            Some(database) => assert_eq!(deadlocks(&database.url), 0, "deadlocks"),
        }
    }
}

fn deadlocks(url: &str) -> i64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a server");
        tokio::spawn(connection);
        let sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
        client.query_one(sql, &[]).await.expect("the statistics").get(0)
    })
}

/// Sends a request whose body is JSON, whatever its method.
pub fn send(client: &mut Client, method: &str, path: &str, body: &Value) -> Reply {
    let headers: &[_] = if method == "POST" { &[] } else { &[("Content-Type", "application/json")] };
    let reply = client.request(method, path, headers, &body.to_string());
    reply.unwrap_or_else(|error| panic!("{method} {path}: {error}"))
}

/// Makes a resource and gives its id.
pub fn create(client: &mut Client, path: &str, body: &Value) -> String {
    let reply = client.post(path, &body.to_string());
    assert_eq!(reply.status, 201, "{reply:?}");
    id(&reply.json())
}

pub fn id(resource: &Value) -> String {
    resource["id"].as_str().expect("an id").to_owned()
}

pub fn create_location(client: &mut Client) -> String {
    create(client, "/locations", &load::body("Depot"))
}

/// An item of which some lies at the location.
pub fn create_item(client: &mut Client, sku: &str, location: &str, on_hand: i64) -> String {
    let item = create(client, "/inventory_items", &json!({ "sku": sku, "name": "Item" }));
    let reply = send(client, "PUT", &level_path(&item, location), &json!({ "on_hand": on_hand }));
    assert_eq!(reply.status, 200, "{reply:?}");
    item
}

/// A committed order for so many of each item.
pub fn create_order(client: &mut Client, items: &[&str], quantity: i64) -> String {
    let lines: Vec<_> = items.iter().map(|item| json!({ "id": item, "quantity": quantity })).collect();
    create(client, "/orders", &json!({ "items": lines }))
}

pub fn level_path(item: &str, location: &str) -> String {
    format!("/inventory_items/{item}/levels/{location}")
}

pub fn allocations_path(order: &str) -> String {
    format!("/allocations/orders/{order}")
}

/// The body of a request to allocate one item.
pub fn wish(location: &str, item: &str, quantity: i64) -> Value {
    json!({ "allocations": [{ "location": { "id": location }, "items": [{ "id": item, "quantity": quantity }] }] })
}

/// The ids of the allocations in a reply.
pub fn allocated(reply: &Reply) -> Vec<String> {
    reply.json()["data"].as_array().expect("a list").iter().map(id).collect()
}

pub fn assert_clean_audit(client: &mut Client) -> Value {
    let audit = client.get("/inventory/audit").json();
    assert_eq!((&audit["is_clean"], &audit["differences"]), (&json!(true), &json!([])), "{audit}");
    audit
}
