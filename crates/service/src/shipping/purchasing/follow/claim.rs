//! Claiming follow-up: late labels, duplicates, tracking.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::Result;
use store::Access;
use store::shipping::purchases::{self, Due, Purchase};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::permits::{FOLLOWS_MAX, MANY, Permits, SlowAccounts};
use crate::shipping::purchasing::Purchasing;
use crate::shipping::purchasing::job::Claimed;
use crate::shipping::purchasing::job::Job;
use crate::shipping::purchasing::lanes::Lanes;

/// The pause between two reads while many purchases are under way, or while some accounts may begin no follow-up: then a read
/// costs more, because it queries each account.
const LOOK_REST: Duration = Duration::from_millis(50);
/// Due follow-ups that a node reads, to claim some of them.
const DUE_MAX: usize = 256;
const _: () = assert!(DUE_MAX > 2 * FOLLOWS_MAX);

/// The follow-ups that a node works on.
#[derive(Default)]
pub struct Follows {
    pub tasks: JoinSet<()>,
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

    /// Works on a follow-up in a task of its own. If it takes half of the time that a call may take, its account is slow.
    fn follow(
        &mut self,
        purchasing: &Purchasing,
        node: &Arc<str>,
        purchase: Purchase,
        loaded: Option<Box<Job>>,
    ) {
        let account = purchase.account;
        let slot = self.lanes.take((account, None));
        let claimed = Claimed { node: Arc::clone(node), purchase, slot: None };
        let (purchasing, slow) = (purchasing.clone(), Arc::clone(&self.slow));
        self.tasks.spawn(async move {
            let _slot = slot;
            let (begun_at, slow_after) = (Instant::now(), purchasing.call_time() / 2);
            purchasing.turn(claimed, loaded).await;
            let is_slow = begun_at.elapsed() >= slow_after;
            slow.lock().unwrap_or_else(PoisonError::into_inner).note(account, is_slow);
        });
    }
}

impl Purchasing {
    /// Claims purchases that need follow-up, in fair shares, beside so many purchases that are under way.
    pub(in crate::shipping::purchasing) async fn take_follow_ups(
        &self,
        follows: &mut Follows,
        buying: usize,
    ) -> Result<()> {
        let now = self.context.now();
        let permits = follows.permits(buying);
        let barred = permits.barred();
        // All of the first due follow-ups may belong to accounts that may begin nothing.
        let is_any_barred = !barred.is_empty();
        let is_by_account = is_any_barred || follows.is_cut;
        let must_rest = (buying >= MANY || is_by_account) && follows.is_resting();
        let Some(node) = self.nodes.node().filter(|_| permits.has_room() && !must_rest) else {
            return Ok(());
        };
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
            return Ok(());
        }
        let name = Arc::clone(&node);
        let claim = self.context.db().write(Access::System, async move |tx| {
            purchases::claim_follow_ups(tx, &name, &wanted, now).await
        });
        let claimed = self.nodes.check_claim(claim.await)?;
        for (purchase, loaded) in self.load_claimed(&node, claimed).await {
            follows.follow(self, &node, purchase, loaded);
        }
        Ok(())
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
    use model::{Id, Owner, World};

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
