//! A server that stops in the middle of a heartbeat does not block the heartbeats of other servers.

use std::time::{Duration, Instant};

use store::Access;
use store::platform::restorations;

use crate::fresh::{Engine, Fresh};

/// A lease lasts for ten seconds, and a server sends a heartbeat every three.
const WAIT_MAX: Duration = Duration::from_secs(6);
const FROZEN: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_frozen_heartbeat_lets_others_go_on_within_a_lease() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let db = fresh.open().await;
    let set = async |tx: &mut store::Tx<'_>| restorations::set_mark(tx, "1").await;
    db.write(Access::System, set).await.unwrap();
    let (holds, held) = tokio::sync::oneshot::channel();
    let holds = std::sync::Mutex::new(Some(holds));
    let frozen = tokio::spawn({
        let db = db.clone();
        async move {
            let freeze = async move |tx: &mut store::Tx<'_>| {
                restorations::mark_for_update(tx).await?;
                if let Some(holds) = holds.lock().unwrap().take() {
                    holds.send(()).unwrap();
                }
                tokio::time::sleep(FROZEN).await;
                restorations::set_mark(tx, "frozen").await
            };
            db.write(Access::System, freeze).await
        }
    });
    held.await.unwrap();
    let started = Instant::now();
    let beat = async |tx: &mut store::Tx<'_>| {
        restorations::mark_for_update(tx).await?;
        restorations::set_mark(tx, "2").await
    };
    db.write(Access::System, beat).await.expect("the other server's heartbeat");
    assert!(started.elapsed() < WAIT_MAX, "{:?}", started.elapsed());
    frozen.abort();
}
