//! The order in which a node stores the purchases of batches. It goes round all batches that are being bought, a page
//! at a time. In each page an organisation has a few turns, and a batch that failed is skipped for a while. So neither many
//! batches of one organisation nor a batch that always fails keeps others from being bought.

use std::collections::HashMap;

use model::{Batch, Id, Owner, Timestamp};

/// Batches of a page.
pub(super) const PAGE: usize = 64;
/// Turns of an organisation in one page.
const TURNS_EACH: usize = 8;
/// A batch that failed is skipped for a second, then for twice as long after each further failure, up to this long.
const REST_SECONDS_MAX: i64 = 60;
/// How long a failure is remembered after the batch may be tried again, in seconds.
const FORGET_SECONDS: i64 = 60;

type Key = (Owner, Id<Batch>);

#[derive(Default)]
pub(crate) struct Rotation {
    /// The last batch of the previous page; `None` at the beginning of a round.
    after: Option<Key>,
    resting: HashMap<Key, Rest>,
}

struct Rest {
    failures: u32,
    until: Timestamp,
}

/// The turns of one organisation that are left in a page.
#[derive(Default)]
pub(super) struct Turns(HashMap<Owner, usize>);

impl Turns {
    /// Takes a turn. Returns false if the organisation has used all of its turns.
    pub fn take(&mut self, owner: Owner) -> bool {
        let taken = self.0.entry(owner).or_default();
        *taken += 1;
        *taken <= TURNS_EACH
    }
}

impl Rotation {
    pub fn after(&self) -> Option<Key> {
        self.after
    }

    /// Whether the next page begins a new round.
    pub fn is_at_start(&self) -> bool {
        self.after.is_none()
    }

    /// Moves on to the next page. A page that is not full is the last of its round.
    pub fn pass(&mut self, page: &[Key], now: Timestamp) {
        self.after = page.last().copied().filter(|_| page.len() == PAGE);
        if self.is_at_start() {
            self.resting.retain(|_, rest| rest.until.plus_seconds(FORGET_SECONDS) > now);
        }
    }

    pub fn is_resting(&self, batch: Key, now: Timestamp) -> bool {
        self.resting.get(&batch).is_some_and(|rest| rest.until > now)
    }

    pub fn fail(&mut self, batch: Key, now: Timestamp) {
        let rest = self.resting.entry(batch).or_insert(Rest { failures: 0, until: now });
        let seconds = (1 << rest.failures.min(6)).min(REST_SECONDS_MAX);
        *rest = Rest { failures: rest.failures + 1, until: now.plus_seconds(seconds) };
    }

    pub fn succeed(&mut self, batch: Key) {
        self.resting.remove(&batch);
    }
}

#[cfg(test)]
mod tests {
    use model::World;

    use super::*;

    fn key(number: u128) -> Key {
        (Owner { organisation: Id::from_bits(1), world: World::Live }, Id::from_bits(number))
    }

    #[test]
    fn a_page_that_is_not_full_ends_the_round() {
        let mut rotation = Rotation::default();
        let page: Vec<Key> = (0..PAGE as u128).map(key).collect();
        rotation.pass(&page, Timestamp::from_micros(0));
        assert_eq!(rotation.after(), Some(key(PAGE as u128 - 1)));
        rotation.pass(&page[1..], Timestamp::from_micros(0));
        assert!(rotation.is_at_start());
        rotation.pass(&page, Timestamp::from_micros(0));
        rotation.pass(&[], Timestamp::from_micros(0));
        assert!(rotation.is_at_start());
    }

    #[test]
    fn a_batch_that_fails_rests_longer_each_time_up_to_a_minute() {
        let mut rotation = Rotation::default();
        let mut now = Timestamp::from_micros(0);
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            rotation.fail(key(1), now);
            assert!(rotation.is_resting(key(1), now.plus_seconds(seconds - 1)), "{seconds}");
            assert!(!rotation.is_resting(key(2), now));
            now = now.plus_seconds(seconds);
            assert!(!rotation.is_resting(key(1), now), "{seconds}");
            rotation.pass(&[key(1)], now);
        }
        rotation.succeed(key(1));
        rotation.fail(key(1), now);
        assert!(!rotation.is_resting(key(1), now.plus_seconds(1)), "a success makes it new");
        rotation.pass(&[], now.plus_seconds(61));
        assert!(rotation.resting.is_empty(), "what is gone is forgotten");
    }

    #[test]
    fn an_organisation_has_its_turns_beside_others() {
        let mut turns = Turns::default();
        let (ours, _) = key(1);
        let others = Owner { organisation: Id::from_bits(2), ..ours };
        assert_eq!((0..20).filter(|_| turns.take(ours)).count(), TURNS_EACH);
        assert!(turns.take(others));
    }
}
