//! The runner with a paused clock and a job whose items are numbers.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::Error;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::*;
use crate::platform::signal::Signal;

const LOOK_EVERY: Duration = Duration::from_millis(100);
const GATHER: Duration = Duration::from_millis(10);
const STOP_TIME: Duration = Duration::from_secs(20);
/// A turn with this number panics, and one with the next fails.
const PANICS: u32 = 1_000;
const FAILS: u32 = 1_001;
/// Items from this number on are of the side class.
const SIDE: u32 = 2_000;

/// What the test and its job share.
#[derive(Default)]
struct Shared {
    due: Mutex<VecDeque<u32>>,
    /// Claims that still fail.
    failures: AtomicUsize,
    claims: Mutex<Vec<Instant>>,
    begun: Mutex<Vec<u32>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Clone)]
struct Numbers {
    shared: Arc<Shared>,
    /// A turn ends when it gets a permit.
    permits: Arc<Semaphore>,
}

impl Job for Numbers {
    type Item = u32;

    const PLAN: Plan = Plan {
        name: "numbers",
        turns_max: PerClass { main: 2, side: 1 },
        look_every: LOOK_EVERY,
        rest: Duration::ZERO,
        gather: GATHER,
        stop_time: STOP_TIME,
        unfinished: "some numbers did not end in time",
    };

    async fn claim(&mut self, _node: &Arc<str>, capacity: TurnCapacity) -> Result<Claimed<u32>> {
        lock(&self.shared.claims).push(Instant::now());
        let failures = self.shared.failures.load(Ordering::Relaxed);
        if failures > 0 {
            self.shared.failures.store(failures - 1, Ordering::Relaxed);
            return Err(Error::fault("the database is away"));
        }
        let mut free = capacity.free;
        let (mut items, mut left) = (Vec::new(), VecDeque::new());
        for number in lock(&self.shared.due).drain(..) {
            let (class, free) = match number < SIDE {
                true => (Class::Main, &mut free.main),
                false => (Class::Side, &mut free.side),
            };
            match free.checked_sub(1) {
                Some(rest) => {
                    *free = rest;
                    items.push((class, number));
                }
                None => left.push_back(number),
            }
        }
        *lock(&self.shared.due) = left;
        Ok(Claimed { items, has_more: PerClass::default() })
    }

    fn turn(&self, _node: Arc<str>, number: u32) -> impl Future<Output = Result<()>> + Send + 'static {
        let (shared, permits) = (Arc::clone(&self.shared), Arc::clone(&self.permits));
        async move {
            lock(&shared.begun).push(number);
            permits.acquire().await.unwrap().forget();
            match number {
                PANICS => panic!("this number panics"),
                FAILS => Err(Error::fault("this number fails")),
                _ => Ok(()),
            }
        }
    }
}

/// A lease that is valid until it is given up.
#[derive(Clone, Default)]
struct TestLease(Arc<AtomicUsize>);

impl Lease for TestLease {
    fn name(&self) -> Option<Arc<str>> {
        (self.0.load(Ordering::Relaxed) == 0).then(|| Arc::from("node"))
    }

    fn give_up(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A runner in a task of its own.
struct Running {
    shared: Arc<Shared>,
    permits: Arc<Semaphore>,
    lease: TestLease,
    wake: Signal,
    stop: CancellationToken,
    counts: Arc<Counts>,
    task: JoinHandle<()>,
}

impl Running {
    fn start(due: &[u32]) -> Self {
        let (shared, permits) = (Arc::new(Shared::default()), Arc::new(Semaphore::new(0)));
        lock(&shared.due).extend(due);
        let (lease, wake, stop) = (TestLease::default(), Signal::default(), CancellationToken::new());
        let counts = Arc::new(Counts::default());
        let job = Numbers { shared: Arc::clone(&shared), permits: Arc::clone(&permits) };
        let runner = Runner::new(job, &lease, wake.subscribe(), &stop, &counts);
        Self { shared, permits, lease, wake, stop, counts, task: tokio::spawn(runner.run()) }
    }

    fn begun(&self) -> Vec<u32> {
        lock(&self.shared.begun).clone()
    }

    fn claims(&self) -> usize {
        lock(&self.shared.claims).len()
    }

    /// Lets so many turns end.
    fn end(&self, turns: usize) {
        self.permits.add_permits(turns);
    }
}

/// Lets this much time pass, and everything happen that is due within it.
async fn pass(time: Duration) {
    tokio::time::sleep(time).await;
}

#[tokio::test(start_paused = true)]
async fn items_are_claimed_on_a_notification_and_periodically() {
    let running = Running::start(&[]);
    pass(Duration::from_millis(1)).await;
    assert_eq!(running.claims(), 1);
    lock(&running.shared.due).push_back(7);
    running.wake.notify();
    pass(Duration::from_millis(1)).await;
    assert_eq!(running.begun(), [7]);
    // Without a notification, an item is found at the next look.
    lock(&running.shared.due).push_back(8);
    pass(LOOK_EVERY).await;
    assert_eq!(running.begun(), [7, 8]);
}

#[tokio::test(start_paused = true)]
async fn many_notifications_cause_one_claim() {
    let running = Running::start(&[]);
    pass(Duration::from_millis(1)).await;
    for _ in 0..100 {
        running.wake.notify();
    }
    pass(Duration::from_millis(1)).await;
    assert_eq!(running.claims(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_turn_makes_room_and_each_class_has_its_own() {
    let running = Running::start(&[1, 2, 3, 4, SIDE, SIDE + 1]);
    pass(Duration::from_millis(1)).await;
    assert_eq!(running.begun(), [1, 2, SIDE]);
    assert_eq!(running.counts.totals().under_way, 3);
    running.end(2);
    pass(GATHER + Duration::from_millis(1)).await;
    // The two that ended were of the main class, whose turns waited first.
    assert_eq!(running.begun(), [1, 2, SIDE, 3, 4]);
    running.end(4);
    pass(Duration::from_secs(1)).await;
    assert_eq!(running.begun(), [1, 2, SIDE, 3, 4, SIDE + 1]);
    let totals = running.counts.totals();
    assert_eq!((totals.claimed, totals.succeeded, totals.under_way), (6, 6, 0));
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_panics_gives_up_the_name_and_one_that_fails_does_not() {
    let running = Running::start(&[FAILS]);
    running.end(1);
    pass(Duration::from_secs(1)).await;
    assert_eq!(running.lease.0.load(Ordering::Relaxed), 0);
    lock(&running.shared.due).extend([PANICS, 3]);
    running.end(1);
    pass(Duration::from_secs(1)).await;
    let totals = running.counts.totals();
    assert_eq!((totals.failed, totals.panicked), (1, 1));
    assert_eq!(running.lease.0.load(Ordering::Relaxed), 1);
    // Without a name nothing is claimed.
    let claims = running.claims();
    lock(&running.shared.due).push_back(9);
    pass(Duration::from_secs(1)).await;
    assert_eq!((running.claims(), running.begun()), (claims, vec![FAILS, PANICS, 3]));
}

#[tokio::test(start_paused = true)]
async fn claims_that_fail_are_repeated_after_pauses_that_grow() {
    let running = Running::start(&[5]);
    running.shared.failures.store(6, Ordering::Relaxed);
    // Notifications do not shorten the pauses: each would cost a claim while the database is away.
    for _ in 0..5_000 {
        running.wake.notify();
        pass(Duration::from_millis(1)).await;
    }
    assert_eq!((running.begun(), running.counts.totals().failed_claims), (vec![5], 6));
    let claims = lock(&running.shared.claims).clone();
    let pauses: Vec<_> = claims.windows(2).take(6).map(|two| (two[1] - two[0]).as_millis()).collect();
    assert_eq!(pauses, [200, 400, 800, 1_000, 1_000, 1_000]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_claims_and_waits_for_turns() {
    let running = Running::start(&[1]);
    pass(Duration::from_millis(1)).await;
    running.stop.cancel();
    lock(&running.shared.due).push_back(2);
    pass(STOP_TIME / 2).await;
    assert!(!running.task.is_finished());
    running.end(1);
    pass(Duration::from_millis(1)).await;
    assert!(running.task.is_finished());
    assert_eq!((running.begun(), running.counts.totals().succeeded), (vec![1], 1));
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_does_not_end_delays_a_stop_for_a_limited_time() {
    let running = Running::start(&[1]);
    pass(Duration::from_millis(1)).await;
    running.stop.cancel();
    pass(STOP_TIME - Duration::from_millis(1)).await;
    assert!(!running.task.is_finished());
    pass(Duration::from_millis(2)).await;
    assert!(running.task.is_finished());
}

#[tokio::test(start_paused = true)]
async fn work_is_done_once_without_a_runner() {
    let (shared, permits) = (Arc::new(Shared::default()), Arc::new(Semaphore::new(9)));
    lock(&shared.due).extend([1, 2, 3, FAILS]);
    let mut job = Numbers { shared, permits };
    let lease = TestLease::default();
    assert!(work_once(&mut job, &lease).await.unwrap());
    assert_eq!(*lock(&job.shared.begun), [1, 2]);
    work_once(&mut job, &lease).await.unwrap_err();
    assert!(!work_once(&mut job, &lease).await.unwrap());
}
