//! Tests that organisations take turns at the writer.

use std::pin::Pin;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use model::Id;

use super::*;

/// Writes that one organisation queues. They fill several groups.
const FLOOD: usize = 2_000;

fn organisation(number: u128) -> Tenant {
    Tenant::Organisation(Id::from_bits(number))
}

/// Polls a write once, which queues it.
fn queued<F: Future>(write: F) -> Pin<Box<F>> {
    let mut write = Box::pin(write);
    assert!(write.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    write
}

#[tokio::test]
async fn queued_writes_of_one_organisation_do_not_delay_another() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = Sqlite::open(&folder.path().join("turns.db"), 1).unwrap();
    // Keep the writer busy until all writes are queued.
    let (release, held) = channel::<()>();
    let held = Mutex::new(held);
    let busy = queued(sqlite.write(Span::none(), Tenant::System, async move |_: &mut Tx<'_>| {
        let _released = held.lock().unwrap().recv();
        Ok(())
    }));
    // The tenants whose transactions ran, in that order.
    let ran = Arc::new(Mutex::new(Vec::new()));
    let write = |tenant: Tenant| {
        let ran = Arc::clone(&ran);
        queued(sqlite.write(Span::none(), tenant, async move |_: &mut Tx<'_>| {
            ran.lock().unwrap().push(tenant);
            Ok(())
        }))
    };
    let flood: Vec<_> = (0..FLOOD).map(|_| write(organisation(1))).collect();
    let other = write(organisation(2));
    release.send(()).unwrap();

    other.await.unwrap();
    busy.await.unwrap();
    for write in flood {
        write.await.unwrap();
    }
    let ran = ran.lock().unwrap();
    assert_eq!(ran.len(), FLOOD + 1);
    let place = ran.iter().position(|tenant| *tenant == organisation(2));
    assert_eq!(place, Some(1), "it is in the first group, behind one of the flood");
}
