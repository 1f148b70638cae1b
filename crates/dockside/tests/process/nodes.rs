//! Several servers on one database: they start together on an empty one, and keep one log of events.

use std::time::Duration;

use testkit::database::Database;
use testkit::load::{TAGS, body};
use testkit::server::{Server, Starting, run, wait_until};

use crate::first_start::{after, welcome};

/// How often two servers start together. They rarely conflict at the same step twice.
const ROUNDS: usize = 3;
const CREATES_PER_CLIENT: usize = 25;
const CLIENTS_PER_NODE: usize = 4;

#[test]
fn two_servers_start_together_on_an_empty_database_and_share_one_log() {
    for _ in 0..ROUNDS {
        let database = Database::create();
        let homes = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let key = "5e".repeat(32);
        let keys = ["--signing-key", &key, "--encryption-key", &key];
        let arguments = [&["--data", "data", "--database-url", &database.url], &keys[..]].concat();
        let starting = homes.each_ref().map(|home| Starting::new(home.path(), &arguments));
        let nodes = starting.map(Starting::ready);

        let welcomes: Vec<_> = homes.iter().filter_map(|home| welcome(&home.path().join("data"))).collect();
        assert_eq!(welcomes.len(), 1, "{welcomes:?}");
        create_on_all(&nodes, after(&welcomes[0], "live token"));

        let took = wait_until("all events are numbered", Duration::from_secs(1), || {
            database.contents().is_numbered()
        });
        let contents = database.contents();
        contents.check();
        assert_eq!(contents.locations.len(), 2 * CLIENTS_PER_NODE * CREATES_PER_CLIENT);
        println!("nodes: {} events in one log, complete after {took:?}", contents.events.len());
        nodes.into_iter().for_each(Server::stop);
    }
}

/// Creates through all nodes at once; what one made, the other one reads.
fn create_on_all(nodes: &[Server; 2], token: &str) {
    std::thread::scope(|scope| {
        for (place, node) in nodes.iter().enumerate() {
            for number in 0..CLIENTS_PER_NODE {
                let other = &nodes[1 - place];
                scope.spawn(move || {
                    let (mut here, mut there) = (node.client(token), other.client(token));
                    for count in 0..CREATES_PER_CLIENT {
                        let name = format!("n{place}-{number}-{count}");
                        let made = here.post("/locations", &body(&name).to_string());
                        assert_eq!(made.status, 201, "{made:?}");
                        let read = there.get(made.header("location").expect("its address"));
                        assert_eq!((read.status, read.body), (200, made.body));
                    }
                });
            }
        }
    });
    // A cursor of one node is good on the other, since they share the key that signs it.
    let page = nodes[0].client(token).get(&format!("/locations?limit=1&tags={}", TAGS[0])).json();
    let cursor = page["next_cursor"].as_str().expect("a second page").to_owned();
    let next = nodes[1].client(token).get(&format!("/locations?limit=1&tags={}&cursor={cursor}", TAGS[0]));
    assert_eq!(next.status, 200, "{next:?}");
}

#[test]
fn migrate_brings_an_empty_postgres_up_to_date_and_may_be_repeated() {
    let database = Database::create();
    let home = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let done = run(home.path(), &["migrate", "--database-url", &database.url]);
        assert_eq!((done.code, done.stdout.as_str()), (0, "The schema is up to date.\n"), "{}", done.stderr);
    }
    assert!(database.contents().locations.is_empty());
}
