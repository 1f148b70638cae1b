//! Names that are never resolved: the party that asks for them waits, others do not.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use tokio::sync::Semaphore;

use super::receiver::{OK, Receiver};
use super::*;
use crate::{Failure, GrantedPermit, LOOKUPS_EACH_MAX as EACH_MAX, LookupPermits, Phase, SystemLookup};

/// More than there are look-ups in all.
const HANGING: usize = 200;
/// How long a request for a name that hangs may take.
const HUNG_LIMIT: Duration = Duration::from_secs(2);

/// Resolves names to loopback, but for those that begin with `hang`: these block until the names are let go.
struct Names {
    held: Arc<AtomicUsize>,
    /// Dropping it lets all names go.
    _let_go: Sender<()>,
}

/// Permits of which each party has its own.
#[derive(Default)]
struct PermitsOfEach(Mutex<HashMap<Option<Party>, Arc<Semaphore>>>);

impl LookupPermits for PermitsOfEach {
    fn acquire(&self, party: Option<Party>) -> GrantedPermit<'_> {
        let mut all = self.0.lock().unwrap();
        let own = Arc::clone(all.entry(party).or_insert_with(|| Arc::new(Semaphore::new(EACH_MAX))));
        Box::pin(async { Box::new(own.acquire_owned().await.unwrap()) as Box<dyn Send> })
    }
}

fn names() -> (SystemLookup, Names) {
    let (let_go, gone) = channel::<()>();
    let gone = Arc::new(Mutex::new(gone));
    let held = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&held);
    let resolve = move |host: &str| {
        if host.starts_with("hang") {
            count.fetch_add(1, Ordering::SeqCst);
            // It ends when the sender is dropped. One thread waits for that, and the others for the lock.
            let _ended = gone.lock().map(|gone| gone.recv());
        }
        Ok(addresses(&["127.0.0.1"]))
    };
    (SystemLookup::with_resolver(PermitsOfEach::default(), resolve), Names { held, _let_go: let_go })
}

#[tokio::test]
async fn names_of_one_party_that_hang_do_not_delay_another() {
    let receiver = Receiver::answering(OK).await;
    let (lookup, names) = names();
    let client = Outbound::with_lookup(&networks(&["127.0.0.0/8"]), Arc::new(lookup)).unwrap();
    let url = |host: &str| client.parse_url(&format!("http://{host}:{}/", receiver.address.port())).unwrap();
    let hanging: Vec<_> = (0..HANGING)
        .map(|number| {
            let request = Request { time_limit: HUNG_LIMIT, ..post(url(&format!("hang{number}.example"))) };
            let client = client.of(Party(1));
            tokio::spawn(async move { client.send(request).await })
        })
        .collect();
    let began = Instant::now();
    while names.held.load(Ordering::SeqCst) < EACH_MAX {
        assert!(began.elapsed() < PATIENCE, "the look-ups have not begun");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // Another party's requests are answered while all of them hang, each on a connection of its own.
    let began = Instant::now();
    for number in 0..20 {
        let request = Request { time_limit: HUNG_LIMIT, ..post(url(&format!("shop{number}.example"))) };
        assert_eq!(client.of(Party(2)).send(request).await.unwrap().status, 200);
    }
    let taken = began.elapsed();
    assert!(taken < HUNG_LIMIT, "{taken:?} for 20 look-ups");
    // Those that hang are given up within their time, though their threads are held.
    for request in hanging {
        let failure = request.await.unwrap().unwrap_err();
        assert!(matches!(failure, Failure::Timeout { phase: Phase::Lookup, .. }), "{failure:?}");
    }
    assert_eq!(names.held.load(Ordering::SeqCst), EACH_MAX, "one party has a quarter of the look-ups");
    // The threads of those that gave up are its own: it has none left, and others have.
    let request = Request { time_limit: Duration::from_millis(20), ..post(url("late.example")) };
    assert!(client.of(Party(1)).send(request).await.is_err());
    assert_eq!(client.of(Party(3)).send(post(url("other.example"))).await.unwrap().status, 200);
    drop(names);
    assert_eq!(client.of(Party(1)).send(post(url("shop.example"))).await.unwrap().status, 200);
}
