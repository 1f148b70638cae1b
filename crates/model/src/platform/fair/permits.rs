//! Permits that tenants share. A free permit goes to the waiting tenant that holds the fewest.

use std::collections::VecDeque;
use std::hash::Hash;

use super::tenants::Tenants;

/// The state of a fair semaphore: the permits that each tenant `L` holds, and the waiters `W` of each tenant in
/// order.
///
/// Invariant: while a permit is free, no tenant below its own limit waits.
pub struct Permits<L, W> {
    total: usize,
    /// Maximum number of permits that one tenant may hold.
    each_max: usize,
    free: usize,
    /// Tenants that hold a permit or wait for one.
    tenants: Tenants<L, Usage<W>>,
    /// Waiting tenants in the order of their turns. The order decides between tenants that hold equally many permits.
    turns: VecDeque<L>,
    next_ticket: u64,
}

struct Usage<W> {
    held: usize,
    /// Waiters with their tickets, the oldest first.
    waiting: VecDeque<(u64, W)>,
}

/// The result of a request for a permit.
#[derive(PartialEq, Eq, Debug)]
pub enum Asked {
    Granted,
    /// The waiter is queued under this ticket.
    Waits(u64),
}

impl<L: Copy + Eq + Hash, W> Permits<L, W> {
    /// Creates `total` free permits, of which each tenant may hold at most `each_max`.
    pub fn new(total: usize, each_max: usize) -> Self {
        let each_max = each_max.min(total);
        Self {
            total,
            each_max,
            free: total,
            tenants: Tenants::default(),
            turns: VecDeque::new(),
            next_ticket: 0,
        }
    }

    /// Acquires a permit if one is free for this tenant.
    pub fn take(&mut self, tenant: L) -> bool {
        if self.free == 0 || self.held(tenant) >= self.each_max {
            return false;
        }
        self.free -= 1;
        self.tenants.entry(tenant).or_default().held += 1;
        true
    }

    /// Acquires a permit, or queues the waiter.
    pub fn ask(&mut self, tenant: L, waiter: W) -> Asked {
        if self.take(tenant) {
            return Asked::Granted;
        }
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        let usage = self.tenants.entry(tenant).or_default();
        if usage.waiting.is_empty() {
            self.turns.push_back(tenant);
        }
        usage.waiting.push_back((ticket, waiter));
        Asked::Waits(ticket)
    }

    /// Returns whether the permits that the tenant holds and waits for are fewer than an equal share of all permits.
    pub fn is_below_share(&self, tenant: L) -> bool {
        let usage = self.tenants.get(&tenant);
        let tenants = self.tenants.len() + usize::from(usage.is_none());
        let share = (self.total / tenants).max(1).min(self.each_max);
        usage.map_or(0, |usage| usage.held + usage.waiting.len()) < share
    }

    /// Returns whether a permit is free for this tenant.
    pub fn is_free(&self, tenant: L) -> bool {
        self.free > 0 && self.held(tenant) < self.each_max
    }

    /// Releases a permit of the tenant. Returns the waiter that received it, with its tenant.
    pub fn give_back(&mut self, tenant: L) -> Option<(L, W)> {
        if let Some(usage) = self.tenants.get_mut(&tenant) {
            usage.held = usage.held.saturating_sub(1);
            self.free += 1;
        }
        let next = self.grant();
        self.forget_idle(tenant);
        next
    }

    /// Removes a waiter from the queue. Returns `None` if the waiter already has its permit.
    pub fn leave(&mut self, tenant: L, ticket: u64) -> Option<W> {
        let usage = self.tenants.get_mut(&tenant)?;
        let place = usage.waiting.binary_search_by_key(&ticket, |(ticket, _)| *ticket).ok()?;
        let (_, waiter) = usage.waiting.remove(place)?;
        if usage.waiting.is_empty() {
            self.turns.retain(|other| *other != tenant);
        }
        self.forget_idle(tenant);
        Some(waiter)
    }

    /// Gives a free permit to the next waiter.
    fn grant(&mut self) -> Option<(L, W)> {
        if self.free == 0 {
            return None;
        }
        // The first of those that hold the fewest: between equals the earliest turn decides.
        let mut next = None;
        for (place, tenant) in self.turns.iter().enumerate() {
            let held = self.held(*tenant);
            if held < self.each_max && next.is_none_or(|(_, fewest)| held < fewest) {
                next = Some((place, held));
            }
            // None of the others holds fewer, so a grant does not cost more if many tenants wait.
            if held == 0 {
                break;
            }
        }
        let (place, _) = next?;
        let tenant = self.turns.remove(place)?;
        let usage = self.tenants.get_mut(&tenant)?;
        let (_, waiter) = usage.waiting.pop_front()?;
        usage.held += 1;
        self.free -= 1;
        if !usage.waiting.is_empty() {
            self.turns.push_back(tenant);
        }
        Some((tenant, waiter))
    }

    fn held(&self, tenant: L) -> usize {
        self.tenants.get(&tenant).map_or(0, |usage| usage.held)
    }

    fn forget_idle(&mut self, tenant: L) {
        if self.tenants.get(&tenant).is_some_and(|usage| usage.held == 0 && usage.waiting.is_empty()) {
            self.tenants.remove(&tenant);
        }
    }
}

impl<W> Default for Usage<W> {
    fn default() -> Self {
        Self { held: 0, waiting: VecDeque::new() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_free_permit_goes_to_the_tenant_with_the_fewest() {
        let mut permits = Permits::new(3, 3);
        assert!((0..3).all(|_| permits.ask('a', 0) == Asked::Granted));
        assert_eq!(permits.ask('a', 1), Asked::Waits(0));
        assert_eq!(permits.ask('b', 2), Asked::Waits(1));
        assert_eq!(permits.ask('b', 3), Asked::Waits(2));
        assert_eq!(permits.give_back('a'), Some(('b', 2)), "it holds none, the others two");
        assert_eq!(permits.give_back('a'), Some(('a', 1)), "both hold one: the turns decide");
        assert_eq!(permits.give_back('b'), Some(('b', 3)));
        assert_eq!(permits.give_back('b'), None);
    }

    #[test]
    fn a_tenant_at_its_limit_leaves_permits_to_others() {
        let mut permits = Permits::new(4, 3);
        assert!((0..3).all(|_| permits.take('a')));
        assert!(!permits.take('a') && permits.is_free('b'));
        assert_eq!(permits.ask('a', 1), Asked::Waits(0));
        assert!(permits.take('b') && !permits.take('c'));
        assert_eq!(permits.give_back('b'), None, "the waiter's tenant is at its limit");
        assert_eq!(permits.give_back('a'), Some(('a', 1)));
    }

    #[test]
    fn a_share_is_equal_among_those_present() {
        let mut permits = Permits::<_, ()>::new(4, 4);
        assert!((0..4).all(|_| permits.is_below_share('a') && permits.take('a')));
        assert!(!permits.is_below_share('a'), "it has them all");
        assert!(permits.is_below_share('b'));
        permits.ask('b', ());
        assert!(permits.is_below_share('b'));
        permits.ask('b', ());
        assert!(!permits.is_below_share('b'), "half of them");
        assert!(permits.is_below_share('c'));
        assert!(!Permits::<_, ()>::new(0, 0).is_below_share('a'), "there are none");
    }

    #[derive(Clone, Debug)]
    enum Step {
        Ask(u8),
        GiveBack(u8),
        Leave(usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            4 => (0u8..4).prop_map(Step::Ask),
            3 => (0u8..4).prop_map(Step::GiveBack),
            1 => (0usize..8).prop_map(Step::Leave),
        ];
        prop::collection::vec(step, 0..300)
    }

    /// A simple model that the state is compared with.
    #[derive(Default)]
    struct Mirror {
        held: HashMap<u8, usize>,
        waiting: Vec<(u8, u64)>,
    }

    impl Mirror {
        fn held(&self, tenant: u8) -> usize {
            self.held.get(&tenant).copied().unwrap_or(0)
        }

        fn free(&self, total: usize) -> usize {
            total - self.held.values().sum::<usize>()
        }
    }

    proptest! {
        /// No permit is lost or granted twice, none is free while a tenant below its limit waits, and the tenant that
        /// receives one holds the fewest of all that wait.
        #[test]
        fn permits_are_shared(steps in steps(), total in 1usize..6, each_max in 1usize..6) {
            let mut permits = Permits::new(total, each_max);
            let each_max = each_max.min(total);
            let mut mirror = Mirror::default();
            for step in steps {
                match step {
                    Step::Ask(tenant) => match permits.ask(tenant, tenant) {
                        Asked::Granted => *mirror.held.entry(tenant).or_default() += 1,
                        Asked::Waits(ticket) => mirror.waiting.push((tenant, ticket)),
                    },
                    Step::GiveBack(tenant) if mirror.held(tenant) > 0 => {
                        let given = permits.give_back(tenant);
                        *mirror.held.entry(tenant).or_default() -= 1;
                        if let Some((next, waiter)) = given {
                            prop_assert_eq!(next, waiter);
                            let may = |tenant: u8| mirror.held(tenant) < each_max;
                            let others = mirror.waiting.iter().map(|(tenant, _)| *tenant).filter(|tenant| may(*tenant));
                            let fewest = others.map(|tenant| mirror.held(tenant)).min();
                            prop_assert_eq!(Some(mirror.held(next)), fewest);
                            let place = mirror.waiting.iter().position(|(tenant, _)| *tenant == next);
                            mirror.waiting.remove(place.expect("it waited"));
                            *mirror.held.entry(next).or_default() += 1;
                        }
                    }
                    Step::GiveBack(_) => {}
                    Step::Leave(place) => {
                        if let Some((tenant, ticket)) = mirror.waiting.get(place).copied() {
                            mirror.waiting.remove(place);
                            prop_assert_eq!(permits.leave(tenant, ticket), Some(tenant));
                            prop_assert_eq!(permits.leave(tenant, ticket), None);
                        }
                    }
                }
                prop_assert!(mirror.held.values().all(|held| *held <= each_max));
                let waits = mirror.waiting.iter().any(|(tenant, _)| mirror.held(*tenant) < each_max);
                prop_assert!(mirror.free(total) == 0 || !waits, "a permit is free and a tenant waits");
            }
            for tenant in 0..4 {
                let expected = mirror.free(total) > 0 && mirror.held(tenant) < each_max;
                prop_assert_eq!(permits.is_free(tenant), expected);
            }
        }

        /// A waiter receives its permit after at most as many releases as there are tenants and permits, however many
        /// others wait.
        #[test]
        fn no_tenant_starves(others in 1usize..5, total in 1usize..6, backlog in 1usize..50) {
            let mut permits = Permits::new(total, total);
            let mut holders = VecDeque::new();
            for tenant in 0..others {
                for _ in 0..backlog {
                    if permits.ask(tenant, tenant) == Asked::Granted {
                        holders.push_back(tenant);
                    }
                }
            }
            let last = others;
            if permits.ask(last, last) == Asked::Granted {
                return Ok(());
            }
            for _ in 0..=others {
                let returning = holders.pop_front().expect("all permits are held");
                if let Some((next, _)) = permits.give_back(returning) {
                    if next == last {
                        return Ok(());
                    }
                    holders.push_back(next);
                }
            }
            prop_assert!(false, "it waits still");
        }
    }
}
