//! Permits for follow-ups: which due follow-ups a node begins, so that carriers that don't answer delay no other account.
//! Pure.
//!
//! A carrier that does not answer keeps a permit for as long as a call may take. So an account has a share of the permits;
//! an account whose last follow-up took long has one permit, to find out whether its carrier answers again; and a reserve is
//! left for accounts that have nothing under way and are not slow.

use std::collections::{HashMap, HashSet};

use model::{CarrierAccount, Id};
use store::shipping::purchases::Due;

use crate::shipping::purchasing::share::Lane;

/// Follow-ups that a node works on at once, and those of one account among them.
pub const FOLLOWS_MAX: usize = 64;
pub const ACCOUNT_FOLLOWS_MAX: usize = FOLLOWS_MAX / 4;
/// Follow-ups of all slow accounts together.
const SLOW_FOLLOWS_MAX: usize = FOLLOWS_MAX / 4;
/// Permits that are left for the first follow-up of an account that is not slow.
const RESERVE: usize = FOLLOWS_MAX / 4;
/// While a node works on at least this many purchases, it begins only this many follow-ups at a time, and has at most as many
/// of one account.
pub const MANY: usize = 16;
const FOLLOWS_MAX_BESIDE_MANY: usize = 2;
/// Slow accounts that are remembered. If there are more, all of them are forgotten, and found to be slow again.
const SLOW_ACCOUNTS_MAX: usize = 4096;

/// The accounts whose last follow-up took long.
#[derive(Clone, Default, Debug)]
pub struct SlowAccounts(HashSet<Id<CarrierAccount>>);

impl SlowAccounts {
    /// Records whether a follow-up of an account was slow.
    pub fn note(&mut self, account: Id<CarrierAccount>, is_slow: bool) {
        if !is_slow {
            self.0.remove(&account);
            return;
        }
        if self.0.len() >= SLOW_ACCOUNTS_MAX {
            self.0.clear();
        }
        self.0.insert(account);
    }
}

/// The follow-ups that a node has under way, and how many it may begin.
#[derive(Clone, Debug)]
pub struct Permits {
    /// How many follow-ups may begin now.
    room: usize,
    account_max: usize,
    held: HashMap<Id<CarrierAccount>, usize>,
    slow: SlowAccounts,
    /// Follow-ups that are under way, and those of slow accounts among them.
    all: usize,
    all_slow: usize,
}

impl Permits {
    /// Returns the permits, given the number of purchases and the follow-ups that are under way.
    pub fn new(buying: usize, held: &HashMap<Lane, usize>, slow: SlowAccounts) -> Self {
        let held: HashMap<_, _> = held.iter().map(|((account, _), count)| (*account, *count)).collect();
        let all = held.values().sum();
        let of_slow = held.iter().filter(|(account, _)| slow.0.contains(*account));
        let all_slow = of_slow.map(|(_, count)| *count).sum();
        let room = FOLLOWS_MAX.saturating_sub(all);
        let (room, account_max) = match buying < MANY {
            true => (room, ACCOUNT_FOLLOWS_MAX),
            false => (room.min(FOLLOWS_MAX_BESIDE_MANY), FOLLOWS_MAX_BESIDE_MANY),
        };
        Self { room, account_max, held, slow, all, all_slow }
    }

    pub fn has_room(&self) -> bool {
        self.room > 0
    }

    /// The maximum number of follow-ups of one account that a read needs to return.
    pub fn account_max(&self) -> usize {
        self.account_max
    }

    /// Returns the accounts that may begin no follow-up, so that a read can leave them out.
    pub fn barred(&self) -> Vec<Id<CarrierAccount>> {
        let known: HashSet<_> = self.held.keys().chain(&self.slow.0).copied().collect();
        let mut barred: Vec<_> = known.into_iter().filter(|account| !self.may_begin(*account)).collect();
        barred.sort_unstable();
        barred
    }

    /// Chooses what begins: the accounts take turns, those with the fewest under way first.
    pub fn choose(mut self, due: Vec<Due>) -> Vec<Due> {
        let mut counts = self.held.clone();
        let mut ranked: Vec<_> = due
            .into_iter()
            .enumerate()
            .map(|(order, due)| {
                let count = counts.entry(due.account).or_default();
                *count += 1;
                ((*count, self.slow.0.contains(&due.account), order), due)
            })
            .collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        let mut chosen = Vec::new();
        for (_, due) in ranked {
            if chosen.len() < self.room && self.may_begin(due.account) {
                self.begin(due.account);
                chosen.push(due);
            }
        }
        chosen
    }

    fn may_begin(&self, account: Id<CarrierAccount>) -> bool {
        let held = self.held.get(&account).copied().unwrap_or_default();
        match (self.slow.0.contains(&account), held) {
            (true, _) => held == 0 && self.all_slow < SLOW_FOLLOWS_MAX && self.all < FOLLOWS_MAX - RESERVE,
            (false, 0) => self.all < FOLLOWS_MAX,
            (false, _) => held < self.account_max && self.all < FOLLOWS_MAX - RESERVE,
        }
    }

    fn begin(&mut self, account: Id<CarrierAccount>) {
        *self.held.entry(account).or_default() += 1;
        self.all += 1;
        self.all_slow += usize::from(self.slow.0.contains(&account));
    }
}

#[cfg(test)]
mod tests {
    use model::{Owner, World};
    use proptest::prelude::*;

    use super::*;

    /// More accounts than there are permits.
    const ACCOUNTS: u128 = 100;
    const HEALTHY: u128 = 1_000;

    fn account(number: u128) -> Id<CarrierAccount> {
        Id::from_bits(number)
    }

    fn due(number: u128, id: u128) -> Due {
        let owner = Owner { organisation: Id::from_bits(number), world: World::Live };
        Due { owner, id: Id::from_bits(id), account: account(number), batch: None }
    }

    fn slow(numbers: impl IntoIterator<Item = u128>) -> SlowAccounts {
        SlowAccounts(numbers.into_iter().map(account).collect())
    }

    /// A node whose follow-ups don't end.
    #[derive(Default, Debug)]
    struct Node {
        held: HashMap<Lane, usize>,
        slow: SlowAccounts,
    }

    impl Node {
        fn permits(&self, buying: usize) -> Permits {
            Permits::new(buying, &self.held, self.slow.clone())
        }

        /// Begins what is chosen of what is due, which is this many of each account. Returns how many of the healthy account.
        fn look(&mut self, buying: usize, due_of: &[(u128, usize)]) -> usize {
            let of_account = |(number, count): &(u128, usize)| {
                let number = *number;
                (0..*count as u128).map(move |id| due(number, number * 1_000 + id))
            };
            let chosen = self.permits(buying).choose(due_of.iter().flat_map(of_account).collect());
            for due in &chosen {
                *self.held.entry((due.account, None)).or_default() += 1;
            }
            chosen.iter().filter(|due| due.account == account(HEALTHY)).count()
        }

        fn all(&self) -> usize {
            self.held.values().sum()
        }

        fn of(&self, number: u128) -> usize {
            self.held.get(&(account(number), None)).copied().unwrap_or_default()
        }
    }

    fn looks() -> impl Strategy<Value = Vec<Vec<(u128, usize)>>> {
        prop::collection::vec(prop::collection::vec((0..ACCOUNTS, 1usize..40), 1..30), 1..20)
    }

    proptest! {
        #[test]
        fn no_limit_is_passed(looks in looks(), slow_numbers in prop::collection::hash_set(0..ACCOUNTS, 0..100), buying in 0usize..30) {
            let mut node = Node { slow: slow(slow_numbers.iter().copied()), ..Node::default() };
            for look in looks {
                node.look(buying, &look);
                prop_assert!(node.all() <= FOLLOWS_MAX);
                let of_slow: usize = slow_numbers.iter().map(|number| node.of(*number)).sum();
                prop_assert!(of_slow <= SLOW_FOLLOWS_MAX);
                for number in 0..ACCOUNTS {
                    let is_slow = slow_numbers.contains(&number);
                    let max = if is_slow { 1 } else { node.permits(buying).account_max() };
                    prop_assert!(node.of(number) <= max);
                }
            }
        }

        #[test]
        fn slow_accounts_never_keep_another_account_waiting(looks in looks(), buying in 0usize..30) {
            let mut node = Node { slow: slow(0..ACCOUNTS), ..Node::default() };
            for mut look in looks {
                look.push((HEALTHY, 40));
                prop_assert!(node.look(buying, &look) > 0, "{:?}", node);
                node.held.remove(&(account(HEALTHY), None));
            }
        }

        #[test]
        fn nor_do_sixteen_accounts_that_hang_at_once(looks in looks(), buying in 0usize..30) {
            let mut node = Node::default();
            for mut look in looks {
                look.iter_mut().for_each(|(number, _)| *number %= 16);
                node.look(buying, &look);
                prop_assert_eq!(node.look(buying, &[(HEALTHY, 1)]), 1, "{:?}", node);
                node.held.remove(&(account(HEALTHY), None));
            }
        }

        #[test]
        fn what_is_barred_would_not_begin_and_what_is_not_would(
            looks in looks(), slow_numbers in prop::collection::hash_set(0..ACCOUNTS, 0..100),
        ) {
            let mut node = Node { slow: slow(slow_numbers.iter().copied()), ..Node::default() };
            for look in looks {
                node.look(0, &look);
                let barred = node.permits(0).barred();
                for number in (0..ACCOUNTS).filter(|_| node.permits(0).has_room()) {
                    let begins = !node.permits(0).choose(vec![due(number, 1)]).is_empty();
                    prop_assert_eq!(begins, !barred.contains(&account(number)), "{}: {:?}", number, node);
                }
            }
        }
    }

    #[test]
    fn a_lone_account_has_a_quarter_and_two_beside_many_purchases() {
        let begun = |buying| {
            let mut node = Node::default();
            let firsts = node.look(buying, &[(HEALTHY, 100)]);
            (firsts, firsts + node.look(buying, &[(HEALTHY, 100)]))
        };
        assert_eq!(begun(0), (16, 16));
        assert_eq!(begun(MANY - 1), (16, 16));
        assert_eq!(begun(MANY), (2, 2));
    }

    #[test]
    fn beside_many_purchases_two_begin_at_a_time() {
        let mut node = Node::default();
        let due: Vec<_> = (0..70).map(|number| (number, 1)).collect();
        for expected in [2, 4, 6] {
            node.look(MANY, &due[node.all()..]);
            assert_eq!(node.all(), expected);
        }
    }

    #[test]
    fn an_account_is_slow_until_its_carrier_answers_again() {
        let mut slow = SlowAccounts::default();
        let begun =
            |slow: &SlowAccounts| Node { slow: slow.clone(), ..Node::default() }.look(0, &[(HEALTHY, 100)]);
        slow.note(account(HEALTHY), true);
        assert_eq!(begun(&slow), 1);
        slow.note(account(HEALTHY), false);
        assert_eq!(begun(&slow), 16);
        for number in 0..=SLOW_ACCOUNTS_MAX as u128 {
            slow.note(account(number), true);
        }
        assert!(slow.0.len() <= SLOW_ACCOUNTS_MAX);
    }
}
