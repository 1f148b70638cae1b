//! Several hints merged into one message: duplicates are removed, and too many owners become [`Hint::Anything`].

use std::collections::BTreeSet;

use model::Owner;

use super::hint::Hint;

/// Maximum number of owners that are named. If there are more, the hint is [`Hint::Anything`].
pub const OWNERS_MAX: usize = 200;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Gathered {
    /// Empty if any log may have grown.
    pub owners: BTreeSet<Owner>,
    pub is_anything: bool,
    pub is_access: bool,
    pub is_announcement: bool,
}

impl Gathered {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub fn add_owners(&mut self, owners: impl IntoIterator<Item = Owner>) {
        for owner in owners {
            if self.is_anything {
                return;
            }
            self.owners.insert(owner);
            if self.owners.len() > OWNERS_MAX {
                self.add_anything();
            }
        }
    }

    pub fn add_anything(&mut self) {
        self.is_anything = true;
        self.owners.clear();
    }

    pub fn merge(&mut self, other: &Self) {
        if other.is_anything {
            self.add_anything();
        }
        self.add_owners(other.owners.iter().copied());
        self.is_access |= other.is_access;
        self.is_announcement |= other.is_announcement;
    }

    /// Returns the single hints.
    pub fn hints(self) -> impl Iterator<Item = Hint> {
        let events = (!self.owners.is_empty()).then(|| Hint::Events(self.owners.into_iter().collect()));
        let others = [
            self.is_anything.then_some(Hint::Anything),
            self.is_access.then_some(Hint::Access),
            self.is_announcement.then_some(Hint::Announcement),
        ];
        events.into_iter().chain(others.into_iter().flatten())
    }
}

impl From<&Hint> for Gathered {
    fn from(hint: &Hint) -> Self {
        let mut gathered = Self::default();
        match hint {
            Hint::Events(owners) => gathered.add_owners(owners.iter().copied()),
            Hint::Anything => gathered.add_anything(),
            Hint::Access => gathered.is_access = true,
            Hint::Announcement => gathered.is_announcement = true,
        }
        gathered
    }
}

#[cfg(test)]
mod tests {
    use model::Id;

    use super::*;

    fn events(numbers: impl IntoIterator<Item = u128>) -> Hint {
        Hint::Events(numbers.into_iter().map(|number| Owner::live(Id::from_bits(number))).collect())
    }

    fn gathered(hints: &[Hint]) -> Vec<Hint> {
        let mut all = Gathered::default();
        hints.iter().for_each(|hint| all.merge(&Gathered::from(hint)));
        all.hints().collect()
    }

    #[test]
    fn what_is_said_twice_is_said_once() {
        let said = [Hint::Access, events([2, 1]), Hint::Announcement, Hint::Access, events([2, 3])];
        assert_eq!(gathered(&said), [events([1, 2, 3]), Hint::Access, Hint::Announcement]);
        assert_eq!(gathered(&[]), []);
        assert!(Gathered::from(&events([])).is_empty());
    }

    #[test]
    fn who_hears_of_any_log_need_not_hear_of_one() {
        assert_eq!(gathered(&[events([1]), Hint::Anything, events([2])]), [Hint::Anything]);
    }

    #[test]
    fn more_owners_than_can_be_named_are_any() {
        let most = 0..OWNERS_MAX as u128;
        assert_eq!(gathered(&[events(most.clone())]), [events(most.clone())]);
        assert_eq!(gathered(&[events(most.clone()), events([3])]), [events(most.clone())]);
        assert_eq!(gathered(&[events(most), events([1000])]), [Hint::Anything]);
        assert_eq!(gathered(&[events(0..10_000)]), [Hint::Anything]);
    }
}
