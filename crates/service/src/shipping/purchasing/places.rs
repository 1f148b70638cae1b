//! Call permits: how many calls to one carrier account this node makes at once, shared fairly between the waiting purchases.
//!
//! Purchases wait in queues (`Line`): each batch has its own, and all purchases that belong to no batch share one. The queues
//! take turns. A queue that has received few permits has more turns than one that has received many, so that a handful of
//! shipments does not wait for a hundred thousand; but every queue gets turns again and again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use model::{Batch, CarrierAccount, Id};
use tokio::sync::oneshot;

/// Permits that a queue receives before its turns become rarer.
const FRESH_MAX: u64 = 1_000;
/// How far a queue moves back with each permit that it receives: up to [`FRESH_MAX`] permits, and after that.
const STEP_FRESH: u64 = 1;
const STEP_SERVED: u64 = 4;
/// Empty queues are kept up to this many, so that a batch does not count as a new one after a short pause.
const EMPTY_LINES_MAX: usize = 64;

/// The queue in which a purchase waits: that of its batch, or the one of all purchases without a batch.
pub type Line = Option<Id<Batch>>;

/// Call permits, by account.
#[derive(Default)]
pub struct Places(Mutex<HashMap<Id<CarrierAccount>, Counter>>);

/// Permit for one concurrent call to an account. Dropping it hands it to the next waiter.
pub struct Place {
    places: Arc<Places>,
    account: Id<CarrierAccount>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.give_back(self.account);
    }
}

impl Places {
    /// Waits for a permit, of which the account has at most `max`.
    pub async fn take(self: &Arc<Self>, account: Id<CarrierAccount>, line: Line, max: usize) -> Place {
        let waiting = {
            let mut accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            accounts.entry(account).or_default().take(line, max.max(1))
        };
        match waiting {
            // The sender is dropped only with the account's counter, which outlives its waiters.
            Some(waiting) => waiting.await.unwrap_or_else(|_| Place { places: Arc::clone(self), account }),
            None => Place { places: Arc::clone(self), account },
        }
    }

    fn give_back(self: &Arc<Self>, account: Id<CarrierAccount>) {
        let mut accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(counter) = accounts.get_mut(&account) else { return };
        let mut place = Place { places: Arc::clone(self), account };
        while let Some(next) = counter.next() {
            match next.send(place) {
                Ok(()) => return,
                // This waiter was cancelled: offer the permit to the next one.
                Err(unwanted) => place = unwanted,
            }
        }
        // The permit ends here. Dropping it would give it back a second time.
        std::mem::forget(place);
        counter.taken -= 1;
        if counter.taken == 0 {
            accounts.remove(&account);
        }
    }
}

/// The permits of one account that are taken, and the queues that wait for one.
#[derive(Default)]
struct Counter {
    taken: usize,
    lines: HashMap<Line, Standing>,
    /// The highest position at which a queue was served.
    reached: u64,
}

/// The waiters of one queue, and how many permits it has received.
#[derive(Default)]
struct Standing {
    waiting: VecDeque<oneshot::Sender<Place>>,
    served: u64,
    /// The position of the queue. The waiting queue with the lowest position is served next.
    at: u64,
}

impl Counter {
    /// Takes a permit, or returns the receiver of a later one if none is free.
    fn take(&mut self, line: Line, max: usize) -> Option<oneshot::Receiver<Place>> {
        let reached = self.reached;
        let standing = self.lines.entry(line).or_default();
        if standing.waiting.is_empty() {
            // A queue must not save up turns while it is empty.
            standing.at = standing.at.max(reached);
        }
        if self.taken < max {
            self.taken += 1;
            self.serve(line);
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        standing.waiting.push_back(sender);
        Some(receiver)
    }

    /// Removes and returns the waiter that gets the next permit.
    fn next(&mut self) -> Option<oneshot::Sender<Place>> {
        let waits = self.lines.iter().filter(|(_, standing)| !standing.waiting.is_empty());
        let (line, _) = waits.min_by_key(|(line, standing)| (standing.at, **line))?;
        let line = *line;
        let next = self.lines.get_mut(&line).and_then(|standing| standing.waiting.pop_front());
        self.serve(line);
        next
    }

    fn serve(&mut self, line: Line) {
        if let Some(standing) = self.lines.get_mut(&line) {
            self.reached = self.reached.max(standing.at);
            standing.served += 1;
            standing.at += if standing.served <= FRESH_MAX { STEP_FRESH } else { STEP_SERVED };
        }
        if self.lines.len() > EMPTY_LINES_MAX {
            let reached = self.reached;
            self.lines.retain(|_, standing| !standing.waiting.is_empty() || standing.at > reached);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCOUNT: u128 = 1;

    fn small() -> Line {
        Some(Id::from_bits(2))
    }

    fn large() -> Line {
        Some(Id::from_bits(3))
    }

    /// Ends one call in each of so many rounds. Returns how many permits each queue got.
    fn play(counter: &mut Counter, rounds: usize) -> HashMap<Line, usize> {
        let mut got = HashMap::new();
        for _ in 0..rounds {
            let before: HashMap<Line, u64> =
                counter.lines.iter().map(|(line, standing)| (*line, standing.served)).collect();
            if counter.next().is_none() {
                break;
            }
            for (line, standing) in &counter.lines {
                *got.entry(*line).or_default() += (standing.served - before[line]) as usize;
            }
        }
        got
    }

    fn stand(counter: &mut Counter, line: Line, count: usize) {
        for _ in 0..count {
            // The receiver is dropped: the tests read the counts, and need no permit.
            let _ = counter.take(line, 0);
        }
    }

    #[test]
    fn a_small_batch_gets_most_places_beside_one_that_was_served_much() {
        let mut counter = Counter::default();
        stand(&mut counter, large(), 3_000);
        assert_eq!(play(&mut counter, 2_000), HashMap::from([(large(), 2_000)]));
        stand(&mut counter, small(), 200);
        let got = play(&mut counter, 250);
        assert!(got[&small()] >= 195, "{got:?}");
        assert!(got[&large()] >= 45, "{got:?}");
    }

    #[test]
    fn equals_get_equal_shares() {
        let mut counter = Counter::default();
        stand(&mut counter, large(), 500);
        stand(&mut counter, small(), 500);
        stand(&mut counter, None, 500);
        let got = play(&mut counter, 300);
        assert!(got.values().all(|count| *count == 100), "{got:?}");
    }

    #[test]
    fn an_empty_queue_saves_up_no_turns() {
        let mut counter = Counter::default();
        stand(&mut counter, large(), 600);
        play(&mut counter, 400);
        stand(&mut counter, small(), 200);
        let got = play(&mut counter, 100);
        assert!((49..=51).contains(&got[&small()]), "{got:?}");
    }

    #[tokio::test]
    async fn no_more_than_that_many_at_once_and_none_is_lost() {
        let places = Arc::new(Places::default());
        let account = Id::from_bits(ACCOUNT);
        let mut tasks = tokio::task::JoinSet::new();
        let under_way = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        for number in 0..200_u128 {
            let (places, under_way) = (Arc::clone(&places), Arc::clone(&under_way));
            tasks.spawn(async move {
                let line = (number % 3 != 0).then(|| Id::from_bits(number % 3));
                let _place = places.take(account, line, 4).await;
                let now = under_way.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
                tokio::task::yield_now().await;
                under_way.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                now
            });
        }
        // One waiter is cancelled while it waits.
        let gone = tokio::spawn({
            let places = Arc::clone(&places);
            async move { drop(places.take(account, None, 4).await) }
        });
        gone.abort();
        let most = tasks.join_all().await.into_iter().max();
        assert!(most <= Some(4), "{most:?}");
        let _ = gone.await;
        assert!(places.0.lock().unwrap().is_empty(), "a place was not given back");
    }
}
