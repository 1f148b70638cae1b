//! Turns are counted, not timed: how often others run before a connection does.

use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::Id;
use tokio::task::{JoinHandle, yield_now};

use super::*;

const TURNS: usize = 2;
/// Connections of the organisation that takes what it can.
const MANY: usize = 100;
/// Far longer than anything takes here: a test that waits so long has failed.
const LONG: Duration = Duration::from_secs(20);

fn organisation(number: u128) -> Tenant {
    Tenant::Organisation(Id::from_bits(number))
}

fn spawn<F>(turns: &Turns, tenant: Tenant, connection: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    let connection = turns.share(connection);
    connection.seat.state().tenant = tenant;
    tokio::spawn(connection)
}

/// Lets others run. tokio's own `yield_now` wakes a task only when tokio next looks for events.
async fn step() {
    let mut is_woken = false;
    poll_fn(|context| {
        if replace(&mut is_woken, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Returns whether all turns are free.
fn are_free(turns: &Turns) -> bool {
    let mut books = turns.books();
    let taken = (0..TURNS).filter(|_| books.take(organisation(9))).count();
    (0..taken).for_each(|_| drop(books.give_back(organisation(9))));
    taken == TURNS
}

/// Runs connections of one organisation that are always ready, and returns the most steps that they did between two steps of
/// another organisation's connection.
async fn steps_between(of_many: Tenant, of_one: Tenant) -> usize {
    let turns = Turns::new(TURNS);
    let steps = Arc::new(AtomicUsize::new(0));
    let many: Vec<_> = (0..MANY)
        .map(|_| {
            let steps = Arc::clone(&steps);
            spawn(&turns, of_many, async move {
                loop {
                    steps.fetch_add(1, Ordering::Relaxed);
                    step().await;
                }
            })
        })
        .collect();
    let one = spawn(&turns, of_one, async move {
        let mut most = 0;
        for _ in 0..50 {
            let before = steps.load(Ordering::Relaxed);
            step().await;
            most = most.max(steps.load(Ordering::Relaxed) - before);
        }
        most
    });
    let most = one.await.expect("it ends");
    many.iter().for_each(JoinHandle::abort);
    for connection in many {
        assert!(connection.await.is_err());
    }
    assert!(are_free(&turns), "a turn was lost");
    most
}

#[tokio::test]
async fn many_connections_of_one_organisation_delay_another_by_a_turn() {
    let own = steps_between(organisation(1), organisation(1)).await;
    assert!(own >= MANY - 1, "connections of one organisation run in their order, but only {own} did");
    let other = steps_between(organisation(1), organisation(2)).await;
    assert!(other <= 2 * TURNS, "{other} steps of one organisation before a step of another");
}

#[tokio::test]
async fn a_connection_counts_as_its_callers_from_the_next_turn_on() {
    count_as(organisation(1));
    let running_as = || {
        CURRENT.with(|seat| match seat.state().stage {
            Stage::Running { tenant, .. } => Some(tenant),
            _ => None,
        })
    };
    let turns = Turns::new(TURNS);
    let seen = tokio::spawn(turns.share(async move {
        let first = running_as();
        count_as(organisation(1));
        step().await;
        [first, running_as()]
    }));
    assert_eq!(seen.await.unwrap(), [Some(Tenant::Unknown), Some(organisation(1))]);
}

#[tokio::test]
async fn a_connection_that_panics_or_is_dropped_in_line_leaves_its_turn() {
    let turns = Turns::new(TURNS);
    let panics = spawn(&turns, organisation(1), async { panic!("a bug") });
    assert!(panics.await.is_err());
    assert!(are_free(&turns));
    let held: Vec<_> = (0..TURNS).map(|_| turns.books().take(organisation(1))).collect();
    assert!(held.iter().all(|is_taken| *is_taken));
    let waits = spawn(&turns, organisation(2), async {});
    let next = spawn(&turns, organisation(2), async {});
    yield_now().await;
    assert!(!waits.is_finished());
    waits.abort();
    assert!(waits.await.is_err());
    turns.give_back(organisation(1));
    tokio::time::timeout(LONG, next).await.expect("the turn passes the one that left").unwrap();
    turns.give_back(organisation(1));
    assert!(are_free(&turns));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_wake_and_no_turn_is_lost_between_threads() {
    let turns = Turns::new(TURNS);
    let connections: Vec<_> = (0..400u64)
        .map(|number| {
            let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
            // Wakes come from outside of the turns, while the connection runs, waits or is idle.
            tokio::spawn(async move {
                for value in 0..20u64 {
                    if value % 7 == number % 7 {
                        tokio::time::sleep(Duration::from_micros(50)).await;
                    }
                    if sender.send(value).await.is_err() {
                        return;
                    }
                }
            });
            let connection = spawn(&turns, organisation(u128::from(number % 5)), async move {
                let mut count = 0;
                while receiver.recv().await.is_some() {
                    count += 1;
                }
                count
            });
            (number, connection)
        })
        .collect();
    for (number, connection) in connections {
        if number % 9 == 0 {
            connection.abort();
            continue;
        }
        let count = tokio::time::timeout(LONG, connection).await.expect("no wake is lost").unwrap();
        assert_eq!(count, 20);
    }
    tokio::time::timeout(LONG, async {
        while !are_free(&turns) {
            yield_now().await;
        }
    })
    .await
    .expect("no turn is lost");
}
