//! Places for calls to carriers: so many at once for each account, handed out fairly to those who wait.
//!
//! Who waits stands in a line: each batch has one of its own, and what is bought singly has one together. Lines take
//! turns. One that was served little yet comes more often than one that was served much, so that a handful of shipments
//! does not wait for a hundred thousand; but each comes again and again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use model::{Batch, CarrierAccount, Id};
use tokio::sync::oneshot;

/// Places that a line takes before it counts as one that was served much.
const FRESH_MAX: u64 = 1_000;
/// How far a line moves back with each place that it takes: little at first, then more.
const STEP_FRESH: u64 = 1;
const STEP_SERVED: u64 = 4;
/// Lines that nobody stands in are kept up to this many, so that a batch does not become a fresh one by a short pause.
const EMPTY_LINES_MAX: usize = 64;

/// The line that a purchase stands in: that of its batch, or that of all which are bought singly.
pub type Line = Option<Id<Batch>>;

/// Places for calls, by account.
#[derive(Default)]
pub struct Places(Mutex<HashMap<Id<CarrierAccount>, Counter>>);

/// A place among the calls to an account; whoever waits has it when this is dropped.
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
    /// Waits for a place.
    pub async fn take(self: &Arc<Self>, account: Id<CarrierAccount>, line: Line, max: usize) -> Place {
        let waiting = {
            let mut accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            accounts.entry(account).or_default().take(line, max.max(1))
        };
        match waiting {
            // The sender is dropped only with the account's counter, which outlives whoever waits at it.
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
                // Whoever waited there has gone.
                Err(unwanted) => place = unwanted,
            }
        }
        // It is counted here, and must not come back once more.
        std::mem::forget(place);
        counter.taken -= 1;
        if counter.taken == 0 {
            accounts.remove(&account);
        }
    }
}

/// Where the calls to one account are counted.
#[derive(Default)]
struct Counter {
    taken: usize,
    lines: HashMap<Line, Standing>,
    /// How far the line has moved that was served last.
    reached: u64,
}

/// Those who wait in one line, and how it was served.
#[derive(Default)]
struct Standing {
    waiting: VecDeque<oneshot::Sender<Place>>,
    served: u64,
    /// The line that is least far comes next.
    at: u64,
}

impl Counter {
    /// Takes a place, or a stand in the line where there is none.
    fn take(&mut self, line: Line, max: usize) -> Option<oneshot::Receiver<Place>> {
        let reached = self.reached;
        let standing = self.lines.entry(line).or_default();
        if standing.waiting.is_empty() {
            // Nobody saves up turns by staying away.
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

    /// Whoever comes next.
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

    /// Plays so many rounds, in each of which one call ends; tells how many places each line got.
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
            // The receiver is let go: whoever is next is told by the counts here.
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
    fn nobody_saves_up_turns_by_staying_away() {
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
        // Some go away while they wait.
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
