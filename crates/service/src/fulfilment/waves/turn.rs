//! A turn: some groups of a wave's orders, while this node holds the wave.

use std::sync::Arc;

use model::events::actor::Actor;
use model::fulfilment::wave::Status;
use model::{Result, Timestamp};
use store::fulfilment::wave_orders::{self, WaitingOrder};
use store::fulfilment::waves::{self, StoredWave, WaveClaim};
use tracing::{Instrument, error_span, warn};

use super::Waves;
use super::change::{read_wave, write_wave};

/// Orders that are worked on together.
const GROUP_ORDERS: usize = 64;
/// Groups of a turn. Afterwards other waves that are due have theirs.
const GROUPS_EACH: usize = 16;

/// What a look at a wave found.
enum Next {
    /// Orders whose turn it is.
    Group(StoredWave, Vec<WaitingOrder>),
    /// No order waits any more, or the wave is to end.
    End,
    /// Another node holds the wave, or it is gone.
    Lost,
}

impl Waves {
    /// Works on some groups of a wave. On return the claim is released. If that fails, the node takes another name, so that other
    /// nodes can take over.
    pub(super) async fn wave_turn(self, node: Arc<str>, claim: WaveClaim) -> Result<()> {
        let span = error_span!("wave", wave = %claim.wave, organisation = %claim.owner, %node);
        Box::pin(self.take_wave_turn(node, claim)).instrument(span).await
    }

    async fn take_wave_turn(self, node: Arc<str>, claim: WaveClaim) -> Result<()> {
        let done = self.work_on(&node, &claim).await;
        let released = match &done {
            Ok(is_ended) => self.release(claim, (!is_ended).then(|| self.context.now())).await,
            Err(error) => {
                warn!(%error, "work on a wave failed, retrying");
                self.release(claim, Some(self.context.now().plus_seconds(1))).await
            }
        };
        if let Err(error) = &released {
            warn!(%error, "wave not released: it is left to other nodes");
            if self.nodes.is_node(&node) {
                self.nodes.disown();
            }
        }
        done.map(drop).and(released)
    }

    /// Works on groups until the turn is over. Returns whether the wave has ended.
    async fn work_on(&self, node: &str, claim: &WaveClaim) -> Result<bool> {
        for _ in 0..GROUPS_EACH {
            if self.context.stop().is_cancelled() || !self.nodes.is_node(node) {
                return Ok(false);
            }
            match self.next(*claim).await? {
                Next::Group(stored, group) => self.work_on_group(claim, &stored, group).await?,
                Next::End => return self.end(*claim).await,
                Next::Lost => return Ok(false),
            }
        }
        Ok(false)
    }

    /// Returns the orders whose turn it is. A wave that is queued is running from then on.
    async fn next(&self, claim: WaveClaim) -> Result<Next> {
        let owner = claim.owner;
        let read = self.context.db().read(owner, async move |tx| {
            let stored = waves::get(tx, owner, claim.wave).await?;
            let Some(stored) = stored.filter(|stored| stored.fence == claim.fence) else {
                return Ok((Next::Lost, None));
            };
            let status = read_wave(&stored)?.status;
            if !matches!(status, Status::Queued | Status::Running) {
                return Ok((Next::End, None));
            }
            let group = wave_orders::next(tx, &claim, stored.done_to, GROUP_ORDERS).await?;
            match group.is_empty() {
                true => Ok((Next::End, Some(status))),
                false => Ok((Next::Group(stored, group), Some(status))),
            }
        });
        let (next, status) = read.await?;
        if status == Some(Status::Queued) {
            self.start(claim).await?;
        }
        Ok(next)
    }

    async fn start(&self, claim: WaveClaim) -> Result<()> {
        let owner = claim.owner;
        let log = self.context.event_log(Actor::Job("waves"), owner, self.context.now());
        let start = self.context.db().write(owner, async move |tx| {
            let Some(stored) = waves::get_for_update(tx, owner, claim.wave).await? else { return Ok(()) };
            let mut wave = read_wave(&stored)?;
            if stored.fence == claim.fence && wave.status == Status::Queued {
                wave.start(log.now());
                write_wave(tx, owner, &stored, &wave, stored.done_to, Some("wave.updated"), &log).await?;
            }
            Ok(())
        });
        start.await?;
        self.context.notice(owner);
        Ok(())
    }

    /// Releases a wave. It is due again at this moment, or never.
    async fn release(&self, claim: WaveClaim, due_at: Option<Timestamp>) -> Result<()> {
        let owner = claim.owner;
        self.context.db().write(owner, async move |tx| waves::release(tx, &claim, due_at).await).await
    }
}
