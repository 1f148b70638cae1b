//! The sandbox carrier in the server process: words in the post code whose purchases end only after a look-up or a
//! timeout.

use std::time::Duration;

use carriers::sandbox::Mode;
use carriers::sandbox::desk::Entry;
use testkit::carrier_ledger::{self, LedgerAccounts};
use testkit::cluster::Cluster;
use testkit::server::wait_until;
use testkit::shipments::{buy, create_account, create_shipment};
use tokio_postgres::NoTls;

use crate::shipment_view::{Seen, look};

/// A failed look-up is repeated after 2 s, 4 s and so on. After 5 s the purchase goes to review.
const REVIEW_SECONDS: &str = "5";
const PATIENCE: Duration = Duration::from_secs(120);
const BOOKS: &str = "SELECT doc FROM sandbox_entry ORDER BY reference, number";

#[test]
fn a_double_charge_is_voided_and_an_unknown_outcome_goes_to_review() {
    let mut cluster = Cluster::start_as(&["--test"], &["--purchase-review-seconds", REVIEW_SECONDS]);
    let mut client = cluster.client(0);
    create_account(&mut client, Mode::LookUp, None);
    let [doubled, lost] = ["SBX-DUP", "SBX-LOST-FOREVER"].map(|word| {
        let shipment = create_shipment(&mut client, word);
        let reply = buy(&mut client, &shipment, Mode::LookUp, "respond-async").expect("an answer");
        assert!(matches!(reply.status, 200 | 202), "{reply:?}");
        shipment
    });
    let mut view = look(&mut client);
    wait_until("both come to an end", PATIENCE, || {
        view = look(&mut client);
        let has = |seen: &Seen, code: &str| seen.errors.iter().any(|known| known == code);
        has(&view[&doubled], "duplicate_purchase_voided") && has(&view[&lost], "outcome_unknown")
    });
    let accounts = ledger_accounts(&cluster);
    let seen = &view[&doubled];
    let standing = accounts[&doubled].standing();
    assert_eq!((accounts[&doubled].charges.len(), standing.len()), (2, 1), "{:?}", accounts[&doubled]);
    assert_eq!((seen.status.as_str(), seen.state.as_str()), ("purchased", "bought"));
    assert_eq!((seen.number.as_ref(), seen.amount), (standing[0].numbers.first(), Some(standing[0].amount)));
    assert_eq!(
        (seen.labels.len(), seen.told, &seen.errors[..]),
        (1, 1, &["duplicate_purchase_voided".to_owned()][..])
    );
    let seen = &view[&lost];
    assert_eq!((seen.status.as_str(), seen.state.as_str()), ("purchasing", "needs_review"));
    assert_eq!((accounts[&lost].buys, accounts[&lost].charges.len()), (1, 1), "it is not bought again");
    cluster.stop();
}

/// Returns the ledger of the server's own sandbox carrier, read from the database.
fn ledger_accounts(cluster: &Cluster) -> LedgerAccounts {
    let docs = match &cluster.database {
        Some(database) => postgres_docs(&database.url),
        None => {
            let file = cluster.folders[0].path().join("data/dockside.db");
            let database = rusqlite::Connection::open(file).expect("a database");
            let mut statement = database.prepare(BOOKS).expect("a table");
            let rows = statement.query_map([], |row| row.get::<_, String>(0)).expect("rows");
            rows.map(|row| row.expect("a text")).collect()
        }
    };
    carrier_ledger::of(docs.iter().map(|doc| serde_json::from_str::<Entry>(doc).expect("an entry")))
}

fn postgres_docs(url: &str) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a server");
        tokio::spawn(connection);
        client.batch_execute("BEGIN; SET LOCAL dockside.owner = '*'").await.expect("all owners");
        let rows = client.query(BOOKS, &[]).await.expect("rows");
        rows.iter().map(|row| row.get(0)).collect()
    })
}
