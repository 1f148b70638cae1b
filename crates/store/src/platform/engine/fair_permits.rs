//! A semaphore that grants permits to tenants in turn instead of in order of arrival.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::platform::fair::{Asked, Permits, Tenant};
use tokio::sync::oneshot;

/// Permits that tenants share. Clones share the same permits.
#[derive(Clone)]
pub struct FairPermits(Arc<Mutex<Permits<Tenant, Waiter>>>);

/// Sends the permit to the task that waits for it.
type Waiter = oneshot::Sender<FairPermit>;

/// One permit. Dropping it hands it to the next waiter.
pub struct FairPermit {
    permits: FairPermits,
    tenant: Tenant,
}

/// A waiter's position in the queue. Dropping it removes the waiter from the queue.
struct Place<'a> {
    permits: &'a FairPermits,
    tenant: Tenant,
    ticket: u64,
}

impl FairPermits {
    /// Makes `total` permits, of which each tenant holds at most `each_max`.
    pub fn new(total: usize, each_max: usize) -> Self {
        Self(Arc::new(Mutex::new(Permits::new(total, each_max))))
    }

    /// Waits for a permit in the tenant's turn. If the returned future is dropped, the waiter leaves the queue.
    pub async fn acquire(&self, tenant: Tenant) -> FairPermit {
        if self.books().take(tenant) {
            return self.permit(tenant);
        }
        let (waiter, granted) = oneshot::channel();
        let asked = self.books().ask(tenant, waiter);
        self.granted(tenant, asked, granted).await
    }

    /// Acquires a permit if the tenant may have one now.
    pub fn try_acquire(&self, tenant: Tenant) -> Option<FairPermit> {
        let is_granted = self.books().take(tenant);
        is_granted.then(|| self.permit(tenant))
    }

    /// Acquires a permit as [`FairPermits::acquire`] does, but only if one is free or if the tenant holds and awaits
    /// less than an equal share. Returns `None` at once if the tenant has its share.
    pub async fn acquire_share(&self, tenant: Tenant) -> Option<FairPermit> {
        let (asked, granted) = {
            let mut books = self.books();
            if books.take(tenant) {
                return Some(self.permit(tenant));
            }
            if !books.is_below_share(tenant) {
                return None;
            }
            let (waiter, granted) = oneshot::channel();
            (books.ask(tenant, waiter), granted)
        };
        Some(self.granted(tenant, asked, granted).await)
    }

    /// Returns whether [`FairPermits::acquire_share`] would grant a permit or let the tenant wait for one.
    pub fn has_share(&self, tenant: Tenant) -> bool {
        let books = self.books();
        books.is_free(tenant) || books.is_below_share(tenant)
    }

    /// Returns the permit, after waiting for it if it is not granted yet.
    async fn granted(
        &self,
        tenant: Tenant,
        asked: Asked,
        granted: oneshot::Receiver<FairPermit>,
    ) -> FairPermit {
        let Asked::Waits(ticket) = asked else { return self.permit(tenant) };
        let _place = Place { permits: self, tenant, ticket };
        match granted.await {
            Ok(permit) => permit,
            // The queue drops a waiter only together with its position, which this function holds.
            Err(_) => std::future::pending().await,
        }
    }

    fn permit(&self, tenant: Tenant) -> FairPermit {
        FairPermit { permits: self.clone(), tenant }
    }

    fn books(&self) -> MutexGuard<'_, Permits<Tenant, Waiter>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for FairPermit {
    fn drop(&mut self) {
        let next = self.permits.books().give_back(self.tenant);
        if let Some((tenant, waiter)) = next {
            // If the waiter is gone, `send` returns the permit, and dropping the permit grants it to the next waiter.
            let _gone = waiter.send(self.permits.permit(tenant));
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        // A waiter that was granted its permit is no longer queued. Its permit is in the channel, or about to be
        // sent.
        let _left = self.permits.books().leave(self.tenant, self.ticket);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use model::Id;
    use tokio::time::timeout;

    use super::*;

    /// Far longer than anything takes here. A test that waits this long has failed.
    const LONG: Duration = Duration::from_secs(20);

    fn tenant(number: u128) -> Tenant {
        Tenant::Organisation(Id::from_bits(number))
    }

    /// Starts to wait, and returns once the waiter is queued.
    async fn waiting(permits: &FairPermits, of: Tenant) -> tokio::task::JoinHandle<FairPermit> {
        let permits = permits.clone();
        let task = tokio::spawn(async move { permits.acquire(of).await });
        tokio::task::yield_now().await;
        task
    }

    #[tokio::test]
    async fn the_tenant_with_the_fewest_is_served_first() {
        let permits = FairPermits::new(2, 2);
        let (first, second) = (permits.acquire(tenant(1)).await, permits.acquire(tenant(1)).await);
        let own = waiting(&permits, tenant(1)).await;
        let other = waiting(&permits, tenant(2)).await;
        drop(first);
        let other = timeout(LONG, other).await.expect("its turn").unwrap();
        assert!(!own.is_finished());
        drop((second, other));
        timeout(LONG, own).await.expect("its turn").unwrap();
    }

    #[tokio::test]
    async fn a_waiter_that_gives_up_leaves_the_line() {
        let permits = FairPermits::new(1, 1);
        let held = permits.acquire(tenant(1)).await;
        let gone = timeout(Duration::from_millis(1), permits.acquire(tenant(2))).await;
        assert!(gone.is_err());
        let next = waiting(&permits, tenant(3)).await;
        drop(held);
        timeout(LONG, next).await.expect("the permit passes the one that gave up").unwrap();
    }

    #[tokio::test]
    async fn a_permit_that_is_handed_to_a_dropped_waiter_goes_on() {
        let permits = FairPermits::new(1, 1);
        let held = permits.acquire(tenant(1)).await;
        let mut dropped = Box::pin(permits.acquire(tenant(2)));
        assert!(timeout(Duration::from_millis(1), &mut dropped).await.is_err());
        let next = waiting(&permits, tenant(3)).await;
        // The permit is in the waiter's channel when the waiter is dropped.
        drop(held);
        drop(dropped);
        timeout(LONG, next).await.expect("the permit goes on").unwrap();
    }

    #[tokio::test]
    async fn a_tenant_with_its_share_is_refused_and_another_waits() {
        let permits = FairPermits::new(2, 2);
        let held = [permits.acquire(tenant(1)).await, permits.acquire(tenant(1)).await];
        assert!(permits.acquire_share(tenant(1)).await.is_none() && !permits.has_share(tenant(1)));
        assert!(permits.has_share(tenant(2)));
        let other = permits.clone();
        let other = tokio::spawn(async move { other.acquire_share(tenant(2)).await });
        tokio::task::yield_now().await;
        assert!(!other.is_finished());
        drop(held);
        assert!(timeout(LONG, other).await.expect("its turn").unwrap().is_some());
        assert!(FairPermits::new(0, 0).acquire_share(tenant(1)).await.is_none());
    }

    #[tokio::test]
    async fn permits_survive_waiters_that_come_and_go() {
        let permits = FairPermits::new(3, 2);
        let tasks: Vec<_> = (0..300u64)
            .map(|number| {
                let permits = permits.clone();
                tokio::spawn(async move {
                    let limit = Duration::from_micros(200 * (number % 7));
                    if let Ok(permit) = timeout(limit, permits.acquire(tenant(u128::from(number % 5)))).await
                    {
                        tokio::time::sleep(Duration::from_micros(100 * (number % 3))).await;
                        drop(permit);
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        let all = async {
            [
                permits.acquire(tenant(8)).await,
                permits.acquire(tenant(8)).await,
                permits.acquire(tenant(9)).await,
            ]
        };
        timeout(LONG, all).await.expect("no permit was lost");
    }
}
