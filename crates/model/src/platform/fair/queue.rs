//! A queue with a sub-queue per tenant. Tenants are served in turn; within a tenant, the oldest entry is served
//! first.

use std::collections::VecDeque;
use std::hash::Hash;

use super::tenants::Tenants;

/// Entries of tenants `L`, bounded in total. A full queue makes space by removing an entry of the tenant with the
/// most.
pub struct Queue<L, T> {
    /// The sub-queues, none of them empty.
    lines: Tenants<L, VecDeque<T>>,
    /// The tenants of `lines`, in the order of their turns.
    turns: VecDeque<L>,
    len: usize,
    len_max: usize,
}

/// The entry that was rejected because no other tenant has more entries than this tenant would have.
#[derive(PartialEq, Eq, Debug)]
pub struct Full<T>(pub T);

impl<L: Copy + Eq + Hash, T> Queue<L, T> {
    pub fn new(len_max: usize) -> Self {
        Self { lines: Tenants::default(), turns: VecDeque::new(), len: 0, len_max }
    }

    /// Adds an entry to its tenant's sub-queue. If the queue is full, removes and returns the newest entry of the
    /// longest sub-queue, so that one tenant cannot fill the queue for the others.
    pub fn push(&mut self, tenant: L, entry: T) -> Result<Option<T>, Full<T>> {
        let displaced = match self.len < self.len_max {
            true => None,
            false => match self.displace_for(tenant) {
                Some(displaced) => Some(displaced),
                None => return Err(Full(entry)),
            },
        };
        let line = self.lines.entry(tenant).or_default();
        if line.is_empty() {
            self.turns.push_back(tenant);
        }
        line.push_back(entry);
        self.len += 1;
        Ok(displaced)
    }

    /// Removes and returns the oldest entry of the tenant whose turn it is, with its tenant.
    pub fn pop(&mut self) -> Option<(L, T)> {
        let tenant = self.turns.pop_front()?;
        let line = self.lines.get_mut(&tenant)?;
        let entry = line.pop_front()?;
        if line.is_empty() {
            self.lines.remove(&tenant);
        } else {
            self.turns.push_back(tenant);
        }
        self.len -= 1;
        Some((tenant, entry))
    }

    /// Returns the entry that [`Queue::pop`] would remove.
    pub fn next(&self) -> Option<&T> {
        self.lines.get(self.turns.front()?)?.front()
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Removes the newest entry of the longest sub-queue, if it stays at least as long as this tenant's sub-queue
    /// becomes.
    fn displace_for(&mut self, tenant: L) -> Option<T> {
        let own = self.lines.get(&tenant).map_or(0, VecDeque::len);
        let longest = self.lines.values_mut().max_by_key(|line| line.len())?;
        // A sub-queue of two or more entries keeps at least one, and keeps its turn.
        if longest.len() < own + 2 {
            return None;
        }
        self.len -= 1;
        longest.pop_back()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_long_line_delays_another_by_one_entry() {
        let mut queue = Queue::new(10_000);
        for number in 0..5_000 {
            assert_eq!(queue.push('a', number), Ok(None));
        }
        assert_eq!(queue.pop(), Some(('a', 0)));
        assert_eq!(queue.push('b', -1), Ok(None));
        assert_eq!((queue.next(), queue.len()), (Some(&1), 5_000));
        assert_eq!(
            [queue.pop(), queue.pop(), queue.pop()],
            [Some(('a', 1)), Some(('b', -1)), Some(('a', 2))]
        );
    }

    #[test]
    fn a_full_queue_makes_room_at_the_cost_of_the_longest_line() {
        let mut queue = Queue::new(4);
        for number in 0..4 {
            queue.push('a', number).unwrap();
        }
        assert_eq!(queue.push('a', 4), Err(Full(4)), "its own line is the longest");
        assert_eq!(queue.push('b', 10), Ok(Some(3)));
        assert_eq!(queue.push('b', 11), Ok(Some(2)));
        assert_eq!(queue.push('b', 12), Err(Full(12)), "both have two");
        assert!(matches!(queue.push('c', 20), Ok(Some(1 | 11))), "one of two equally long lines");
    }

    #[derive(Clone, Debug)]
    enum Step {
        Push(u8),
        Pop,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![3 => (0u8..5).prop_map(Step::Push), 2 => Just(Step::Pop)];
        prop::collection::vec(step, 0..200)
    }

    proptest! {
        /// No entry is lost or served twice, each tenant's entries stay in order, and a tenant waits for at most one
        /// entry of each other tenant.
        #[test]
        fn lines_take_turns(steps in steps(), len_max in 1usize..30) {
            let mut queue = Queue::new(len_max);
            let mut expected: HashMap<u8, VecDeque<usize>> = HashMap::new();
            // For each waiting tenant: how often each other tenant was served since this tenant was last served or
            // began to wait.
            let mut passed: HashMap<u8, HashMap<u8, usize>> = HashMap::new();
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Push(tenant) => match queue.push(tenant, number) {
                        Ok(displaced) => {
                            if let Some(displaced) = displaced {
                                let line = expected.values_mut().find(|line| line.back() == Some(&displaced));
                                line.expect("the newest of a line").pop_back();
                            }
                            expected.entry(tenant).or_default().push_back(number);
                            passed.entry(tenant).or_default();
                        }
                        Err(Full(refused)) => {
                            prop_assert_eq!(refused, number);
                            let held: usize = expected.values().map(VecDeque::len).sum();
                            prop_assert_eq!(held, len_max, "refused although there is room");
                        }
                    },
                    Step::Pop => match queue.pop() {
                        None => prop_assert!(expected.values().all(VecDeque::is_empty), "work waits"),
                        Some((tenant, entry)) => {
                            let line = expected.entry(tenant).or_default();
                            prop_assert_eq!(line.pop_front(), Some(entry));
                            let is_empty = line.is_empty();
                            passed.remove(&tenant);
                            for (_, others) in passed.iter_mut() {
                                let times = others.entry(tenant).or_default();
                                *times += 1;
                                prop_assert!(*times <= 1, "a tenant was passed twice");
                            }
                            if !is_empty {
                                passed.insert(tenant, HashMap::new());
                            }
                        }
                    },
                }
                prop_assert_eq!(queue.is_empty(), expected.values().all(VecDeque::is_empty));
            }
        }
    }
}
