//! Follow-up of bought shipments beside a carrier that accepts calls and never answers: labels and tracking of other
//! accounts go on.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::World as Mode;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use crate::setup::populated_organisation::parcel;
use crate::setup::purchase_requests::{parcel_to, service};
use crate::setup::world::{World, until};

/// Shipments of the silent carrier that are due: more than a server follows up at once.
const DUE: usize = 72;
/// The same of each of six silent carriers: in all more than a server reads at once.
const DUE_OF_SIX: usize = 44;
/// Purchases at the silent carrier: with so many under way, follow-up has to wait.
const PURCHASES: usize = 20;
/// The follow-ups that a server may have under way, and those of one account among them.
const FOLLOWS_MAX: usize = 64;
const ACCOUNT_FOLLOWS_MAX: usize = 16;
/// After this, everything that was bought before is due: labels that come late, and tracking.
const DUE_SECONDS: i64 = 20;
/// How soon other organisations' shipments must have their label and tracking. The silent carrier keeps its calls for longer
/// than the test lasts.
const SOON: Duration = Duration::from_secs(20);
const CALL_SECONDS: u64 = 600;

/// A carrier that accepts connections and never answers.
struct SilentCarrier {
    address: SocketAddr,
    calls: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl SilentCarrier {
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let calls = Arc::new(AtomicUsize::new(0));
        let accepted = Arc::clone(&calls);
        let accepting = tokio::spawn(async move {
            // Connections end with this task.
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                accepted.fetch_add(1, Ordering::SeqCst);
                connections.spawn(async move {
                    let _stream = stream;
                    std::future::pending::<()>().await;
                });
            }
        });
        Self { address, calls, accepting }
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

impl Drop for SilentCarrier {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl World {
    /// Makes shipments and asks for their purchase.
    async fn begin_purchases(&self, count: usize) {
        for _ in 0..count {
            let path = self.shipment(parcel()).await;
            let begun = self.begin(&format!("{path}/purchase"), Some(service("standard"))).await;
            assert_eq!(begun.status, 202, "{begun}");
        }
    }

    /// Has the organisation's only account buy at another address from now on.
    async fn move_account(&self, carrier: &SilentCarrier) {
        let id = self.get("/carrier_accounts").await.ids().pop().expect("an account");
        let body = json!({"configuration": {"url": format!("http://{}", carrier.address)}});
        let moved = self.patch(format!("/carrier_accounts/{id}"), body).await;
        assert_eq!(moved.status, 200, "{moved}");
    }
}

/// Organisations whose carriers never answer: each has follow-ups due, and the first also has purchases under way.
struct Silence {
    accounts: usize,
    due_of_each: usize,
    purchases: usize,
}

/// Returns how often each silent carrier was called once another organisation's shipments have their label and their
/// tracking.
async fn follow_beside(silence: Silence) -> Vec<usize> {
    let mut world = World::rehearsal_with(|settings| settings.carriers.call_seconds = CALL_SECONDS).await;
    let mut tokens = vec![std::mem::take(&mut world.token)];
    for number in 1..silence.accounts {
        tokens.push(world.token_for(&format!("Silent {number}"), "*", Mode::Test).await);
    }
    for token in &tokens {
        world.token.clone_from(token);
        world.begin_purchases(silence.due_of_each).await;
    }
    world.work().await;
    // The others buy later, so that their follow-up is due later.
    world.advance_seconds(1);
    let globex = world.token_for("Globex", "*", Mode::Test).await;
    world.token.clone_from(&globex);
    let (late, tracked) = (world.shipment(parcel_to("SBX-LABEL-LATE")).await, world.shipment(parcel()).await);
    assert_eq!(world.buy(&late).await["documents"], json!([]), "its label comes late");
    assert_eq!(world.buy(&tracked).await["status"], "purchased");
    assert_eq!(world.get(format!("{tracked}/tracking")).await.json()["events"], json!([]));
    let mut silent = Vec::new();
    for (place, token) in tokens.into_iter().enumerate() {
        world.token = token;
        silent.push(SilentCarrier::open().await);
        world.move_account(&silent[place]).await;
        world.begin_purchases(if place == 0 { silence.purchases } else { 0 }).await;
    }
    world.token = globex;

    world.advance_seconds(DUE_SECONDS);
    let jobs = world.service.start_jobs().expect("jobs");
    until("calls reach the silent carriers", async || silent.iter().all(|carrier| carrier.calls() > 0)).await;
    let have_both = until("the others get a label and tracking", async || {
        world.get(&late).await.json()["documents"][0]["type"] == "label"
            && world.get(format!("{tracked}/tracking")).await.json()["events"][0].is_object()
    });
    tokio::time::timeout(SOON, have_both).await.expect("follow-up of the others waits for a silent carrier");
    let calls = silent.iter().map(SilentCarrier::calls).collect();
    drop(silent);
    jobs.stop().await;
    calls
}

#[tokio::test]
async fn a_carrier_that_never_answers_keeps_no_other_account_from_its_labels_and_tracking() {
    let calls = follow_beside(Silence { accounts: 1, due_of_each: DUE, purchases: 0 }).await;
    assert!(calls[0] <= ACCOUNT_FOLLOWS_MAX, "{calls:?} calls of one account were under way");
}

#[tokio::test]
async fn nor_does_it_beside_purchases_at_the_same_carrier() {
    follow_beside(Silence { accounts: 1, due_of_each: DUE, purchases: PURCHASES }).await;
}

#[tokio::test]
async fn nor_do_six_carriers_that_stop_answering_at_once() {
    let calls = follow_beside(Silence { accounts: 6, due_of_each: DUE_OF_SIX, purchases: 0 }).await;
    assert!(calls.iter().all(|calls| *calls <= ACCOUNT_FOLLOWS_MAX), "{calls:?}");
    assert!(calls.iter().sum::<usize>() < FOLLOWS_MAX, "{calls:?} leave no permit to the others");
}
