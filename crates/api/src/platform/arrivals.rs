//! Request bodies that are arriving: how many at once, with how many bytes in total, and which one gives way.
//!
//! A body that arrives slowly must not keep another request from being served. If a share is full, the organisation
//! that uses most of it gives way, with its oldest body, not its newest. The request of an ordinary client arrives
//! within milliseconds. A client that holds bodies back holds only those that give way first.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::platform::fair::Tenant;
use tokio::sync::oneshot;

/// The arriving bodies of one kind of route.
pub struct Arrivals {
    bodies_max: usize,
    bytes_max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Bytes of all bodies together.
    bytes: usize,
    next_number: u64,
    /// Bodies by number. The first has been arriving for the longest time.
    bodies: BTreeMap<u64, Entry>,
    /// The part of them that each tenant uses.
    tenants: HashMap<Tenant, Taken>,
}

#[derive(Default)]
struct Taken {
    bodies: usize,
    bytes: usize,
}

struct Entry {
    tenant: Tenant,
    bytes: usize,
    /// Dropping it tells the task that reads the body to give way.
    _displace: oneshot::Sender<()>,
}

/// One arriving body. Dropping it frees its slot.
pub struct Arrival<'a> {
    arrivals: &'a Arrivals,
    number: u64,
    displaced: oneshot::Receiver<()>,
}

impl Arrivals {
    pub fn new(bodies_max: usize, bytes_max: usize) -> Self {
        Self { bodies_max: bodies_max.max(1), bytes_max, state: Mutex::default() }
    }

    /// Adds a body. If all slots are taken, the oldest body of the tenant that uses most gives way.
    pub fn enter(&self, tenant: Tenant) -> Arrival<'_> {
        let (displace, displaced) = oneshot::channel();
        let mut state = self.state();
        let number = state.next_number;
        state.next_number += 1;
        state.bodies.insert(number, Entry { tenant, bytes: 0, _displace: displace });
        state.tenants.entry(tenant).or_default().bodies += 1;
        state.make_room(self);
        Arrival { arrivals: self, number, displaced }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn make_room(&mut self, limits: &Arrivals) {
        loop {
            let largest = if self.bodies.len() > limits.bodies_max {
                self.tenants.iter().max_by_key(|(_, taken)| taken.bodies)
            } else if self.bytes > limits.bytes_max {
                self.tenants.iter().max_by_key(|(_, taken)| taken.bytes)
            } else {
                return;
            };
            let Some((largest, _)) = largest else { return };
            let oldest = self.bodies.iter().find(|(_, entry)| entry.tenant == *largest);
            let Some(number) = oldest.map(|(number, _)| *number) else { return };
            self.remove(number);
        }
    }

    fn remove(&mut self, number: u64) {
        let Some(entry) = self.bodies.remove(&number) else { return };
        self.bytes -= entry.bytes;
        let Some(taken) = self.tenants.get_mut(&entry.tenant) else { return };
        taken.bodies -= 1;
        taken.bytes -= entry.bytes;
        if taken.bodies == 0 {
            self.tenants.remove(&entry.tenant);
        }
    }
}

impl Arrival<'_> {
    /// Counts bytes that arrived. If the share is full, bodies give way, possibly this one.
    pub fn grow(&self, bytes: usize) {
        let mut state = self.arrivals.state();
        let Some(entry) = state.bodies.get_mut(&self.number) else { return };
        entry.bytes += bytes;
        let tenant = entry.tenant;
        state.bytes += bytes;
        state.tenants.entry(tenant).or_default().bytes += bytes;
        state.make_room(self.arrivals);
    }

    /// Returns once this body must give way.
    pub async fn displaced(&mut self) {
        let _told = (&mut self.displaced).await;
    }

    #[cfg(test)]
    fn is_displaced(&self) -> bool {
        !self.arrivals.state().bodies.contains_key(&self.number)
    }
}

impl Drop for Arrival<'_> {
    fn drop(&mut self) {
        self.arrivals.state().remove(self.number);
    }
}

#[cfg(test)]
mod tests {
    use model::Id;

    use super::*;

    #[test]
    fn the_oldest_gives_way_to_the_newest() {
        let arrivals = Arrivals::new(2, 100);
        let (first, second) = (arrivals.enter(Tenant::Unknown), arrivals.enter(Tenant::Unknown));
        assert!(!first.is_displaced() && !second.is_displaced());
        let third = arrivals.enter(Tenant::Unknown);
        assert!(first.is_displaced() && !second.is_displaced() && !third.is_displaced());
        drop(first);
        drop(second);
        let fourth = arrivals.enter(Tenant::Unknown);
        assert!(!third.is_displaced() && !fourth.is_displaced());
    }

    #[test]
    fn bytes_are_bounded_and_given_back() {
        let arrivals = Arrivals::new(10, 100);
        let (first, second) = (arrivals.enter(Tenant::Unknown), arrivals.enter(Tenant::Unknown));
        first.grow(60);
        second.grow(40);
        assert!(!first.is_displaced());
        second.grow(1);
        assert!(first.is_displaced() && !second.is_displaced());
        first.grow(1000);
        assert_eq!(arrivals.state().bytes, 41, "a displaced body is not counted");
        drop((first, second));
        assert_eq!(arrivals.state().bytes, 0);
        let alone = arrivals.enter(Tenant::Unknown);
        alone.grow(101);
        assert!(alone.is_displaced());
    }

    #[test]
    fn the_tenant_with_the_most_gives_way() {
        let tenant = |number| Tenant::Organisation(Id::from_bits(number));
        let arrivals = Arrivals::new(3, 100);
        let other = arrivals.enter(tenant(2));
        let many = [1, 1].map(|number| arrivals.enter(tenant(number)));
        let newest = arrivals.enter(tenant(1));
        assert!(!other.is_displaced() && many[0].is_displaced() && !many[1].is_displaced());
        other.grow(40);
        newest.grow(61);
        assert!(!other.is_displaced() && many[1].is_displaced() && newest.is_displaced());
        drop((many, newest));
        assert_eq!(arrivals.state().tenants.len(), 1);
    }

    #[tokio::test]
    async fn a_displaced_body_is_told() {
        let arrivals = Arrivals::new(1, 100);
        let mut first = arrivals.enter(Tenant::Unknown);
        let _second = arrivals.enter(Tenant::Unknown);
        first.displaced().await;
    }
}
