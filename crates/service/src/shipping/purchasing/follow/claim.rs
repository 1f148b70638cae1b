//! Claiming follow-up: late labels, duplicates, tracking.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::{CarrierAccount, Id, Result};
use store::Access;
use store::shipping::purchases::{self, Due, Purchase};
use tokio::time::Instant;

use super::permits::{FOLLOWS_MAX, MANY, Permits, SlowAccounts};
use crate::shipping::purchasing::Purchasing;
use crate::shipping::purchasing::lanes::{LaneSlot, Lanes};

/// The pause between two reads while many purchases are under way, or while some accounts may begin no follow-up: then a read
/// costs more, because it queries each account.
const LOOK_REST: Duration = Duration::from_millis(50);
/// Due follow-ups that a node reads, to claim some of them.
const DUE_MAX: usize = 256;
const _: () = assert!(DUE_MAX > 2 * FOLLOWS_MAX);

/// The follow-ups that a node works on.
#[derive(Default)]
pub struct Follows {
    lanes: Arc<Lanes>,
    slow: Arc<Mutex<SlowAccounts>>,
    looked_at: Option<Instant>,
    /// Whether the last read reached its limit, so that others may be due beyond it.
    is_cut: bool,
    /// Whether more was due at the last read than was claimed.
    pub has_more: bool,
}

impl Follows {
    /// Whether the last read was too recent for another one.
    fn is_resting(&self) -> bool {
        self.looked_at.is_some_and(|at| at.elapsed() < LOOK_REST)
    }

    /// Returns the permits, given how many purchases are under way.
    fn permits(&self, buying: usize) -> Permits {
        let slow = self.slow.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Permits::new(buying, &self.lanes.taken(), slow)
    }

    /// Records that a follow-up of this account begins.
    pub fn begin(&self, account: Id<CarrierAccount>) -> Follow {
        Follow { account, slow: Arc::clone(&self.slow), _slot: self.lanes.take((account, None)) }
    }
}

/// A follow-up that is under way.
pub struct Follow {
    account: Id<CarrierAccount>,
    slow: Arc<Mutex<SlowAccounts>>,
    _slot: LaneSlot,
}

impl Follow {
    /// Records that it has ended, and whether it took long.
    pub fn end(self, is_slow: bool) {
        self.slow.lock().unwrap_or_else(PoisonError::into_inner).note(self.account, is_slow);
    }
}

impl Purchasing {
    /// Claims purchases that need follow-up, in fair shares, beside so many purchases that are under way.
    pub(in crate::shipping::purchasing) async fn claim_follow_ups(
        &self,
        node: &Arc<str>,
        follows: &mut Follows,
        buying: usize,
    ) -> Result<Vec<Purchase>> {
        let now = self.context.now();
        let permits = follows.permits(buying);
        let barred = permits.barred();
        // All of the first due follow-ups may belong to accounts that may begin nothing.
        let is_any_barred = !barred.is_empty();
        let is_by_account = is_any_barred || follows.is_cut;
        let must_rest = (buying >= MANY || is_by_account) && follows.is_resting();
        if !permits.has_room() || must_rest {
            return Ok(Vec::new());
        }
        let account_max = permits.account_max();
        let read = self.context.db().read(Access::System, async move |tx| {
            let unfinished = purchases::unfinished(tx, now, &barred, DUE_MAX).await?;
            let others = match is_by_account {
                true => purchases::follow_ups_by_account(tx, now, account_max, &barred, DUE_MAX).await?,
                false => purchases::follow_ups(tx, now, DUE_MAX).await?,
            };
            Ok((unfinished, others))
        });
        let (unfinished, others) = read.await?;
        follows.looked_at = Some(Instant::now());
        follows.is_cut = others.len() >= DUE_MAX;
        let due = unfinished_first(unfinished, others);
        let all = due.len();
        let wanted = permits.choose(due);
        follows.has_more = is_any_barred || wanted.len() < all;
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let name = Arc::clone(node);
        let claim = self.context.db().write(Access::System, async move |tx| {
            purchases::claim_follow_ups(tx, &name, &wanted, now).await
        });
        self.nodes.check_claim(claim.await)
    }
}

/// Puts what lacks its label or has a duplicate to void before the parcels that are only tracked: thousands of these may have
/// been due for longer.
fn unfinished_first(mut unfinished: Vec<Due>, others: Vec<Due>) -> Vec<Due> {
    let known: HashSet<_> = unfinished.iter().map(|due| due.id).collect();
    unfinished.extend(others.into_iter().filter(|due| !known.contains(&due.id)));
    unfinished
}

#[cfg(test)]
mod tests {
    use model::{Owner, World};

    use super::*;

    #[test]
    fn what_is_unfinished_comes_first_and_once() {
        let owner = Owner { organisation: Id::from_bits(1), world: World::Live };
        let due = |id: u128| Due { owner, id: Id::from_bits(id), account: Id::from_bits(1), batch: None };
        let all = |ids: &[u128]| ids.iter().map(|id| due(*id)).collect::<Vec<_>>();
        assert_eq!(unfinished_first(all(&[7, 9]), all(&[1, 7, 2, 3])), all(&[7, 9, 1, 2, 3]));
        assert_eq!(unfinished_first(Vec::new(), all(&[1, 2])), all(&[1, 2]));
    }
}
