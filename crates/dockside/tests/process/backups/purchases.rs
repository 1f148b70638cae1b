//! Purchases that a backup does not know of: they are looked up at the carrier, and not made twice.

use std::path::Path;
use std::process::Command;

use carriers::sandbox::Mode;
use serde_json::{Value, json};
use testkit::carrier_ledger;
use testkit::client::Client;
use testkit::server::{Server, token, wait_until};
use testkit::shipments::{buy, create_account, create_shipment};

use super::{ARCHIVE, PATIENCE, backup, restore, succeeded};
use crate::sandbox_carrier::{LEDGER, carrier};

const SETTINGS: [&str; 4] = ["--data", "data", "--outbound-allow", "127.0.0.0/8"];
/// The carrier takes some seconds to sell to this post code.
const SLOW: &str = "SBX-SLOW-3";

fn shipment(client: &mut Client, id: &str) -> Value {
    client.get(&format!("/shipments/{id}")).json()
}

fn wait_purchased(client: &mut Client, id: &str) -> Value {
    wait_until("the shipment is purchased", PATIENCE, || shipment(client, id)["status"] == "purchased");
    shipment(client, id)
}

/// Makes a backup while one shipment is being bought and another one is a draft, buys both, and restores the backup. Each was asked
/// for once, charged once, and has its number again.
fn restored_without_buying_twice(put_back: impl FnOnce(&Path)) {
    let (home, carrier_home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let carrier = carrier(carrier_home.path(), &["--mode", "look_up"]);
    let token = token(home.path(), &["--data", "data", "--test"]);
    let server = Server::start(home.path(), &SETTINGS);
    let mut client = server.client(&token);
    create_account(&mut client, Mode::LookUp, Some(&format!("http://{}", carrier.address)));
    let (flying, draft) = (create_shipment(&mut client, SLOW), create_shipment(&mut client, "BS1 4DJ"));
    buy(&mut client, &flying, Mode::LookUp, "respond-async").expect("an answer");
    let ledger = carrier_home.path().join(LEDGER);
    let asked = || carrier_ledger::read(&ledger).get(&flying).is_some_and(|account| account.buys > 0);
    wait_until("the carrier is asked", PATIENCE, asked);
    succeeded(backup(home.path(), &["--data", "data"]));
    assert_eq!(shipment(&mut client, &flying)["status"], "purchasing", "bought before the backup: void");

    buy(&mut client, &draft, Mode::LookUp, "wait=20").expect("an answer");
    let numbers = [&flying, &draft].map(|id| wait_purchased(&mut client, id)["tracking_number"].clone());
    server.kill();
    put_back(home.path());

    let server = Server::start(home.path(), &SETTINGS);
    assert!(server.log().contains("a backup was restored"), "{}", server.log());
    let mut client = server.client(&token);
    assert_ne!(shipment(&mut client, &draft)["status"], "purchased", "it was bought after the backup");
    buy(&mut client, &draft, Mode::LookUp, "wait=20").expect("an answer");
    let found = [&flying, &draft].map(|id| wait_purchased(&mut client, id)["tracking_number"].clone());
    assert_eq!(found, numbers);
    let accounts = carrier_ledger::read(&ledger);
    for id in [&flying, &draft] {
        assert_eq!((accounts[id].buys, accounts[id].charges.len()), (1, 1), "{id}: {:?}", accounts[id]);
    }
    assert!(numbers.iter().all(|number| *number != json!(null)), "{numbers:?}");
    server.stop();
    carrier.stop();
}

#[test]
fn what_was_bought_after_a_backup_is_looked_up_after_a_restore() {
    restored_without_buying_twice(|home| {
        succeeded(restore(home, &["--data", "data", "--force"]));
    });
}

/// The same file, so that it has its number, and no mark of the server, as on another machine: only the backup itself tells.
#[test]
fn what_was_bought_after_a_backup_is_looked_up_if_it_is_unpacked_by_hand() {
    restored_without_buying_twice(|home| {
        let unpack = format!(
            "tar -xOf ../{ARCHIVE} dockside.db > dockside.db && rm -f dockside.db-wal dockside.db-shm mark"
        );
        let done = Command::new("sh").args(["-c", &unpack]).current_dir(home.join("data")).status().unwrap();
        assert!(done.success());
    });
}
