//! The end of a wave: its batches are bought if it is to buy them, or its waiting orders are taken out if it is cancelled.

use model::events::actor::Actor;
use model::fulfilment::wave::{Status, Step};
use model::{Batch, Error, Id, Problem, Result};
use store::Tx;
use store::fulfilment::waves::{self, WaveClaim};
use store::fulfilment::{wave_batches, wave_orders};

use super::Waves;
use super::change::{progress_event, read_wave, write_wave};
use crate::access::write::Precondition;
use crate::platform::crash_point::crash_point;
use crate::shipping::batches::begin_purchase;

/// Orders that one transaction takes out of a cancelled wave.
const CANCELLED_MAX: usize = 1000;

impl Waves {
    /// Ends a wave of which no order waits, or that was cancelled. Returns whether it has ended.
    pub(super) async fn end(&self, claim: WaveClaim) -> Result<bool> {
        while self.take_out_cancelled(claim).await? {
            if self.context.stop().is_cancelled() {
                return Ok(false);
            }
        }
        self.buy_batches(claim).await?;
        let owner = claim.owner;
        let log = self.context.event_log(Actor::Job("waves"), owner, self.context.now());
        let end = self.context.db().write(owner, async move |tx| {
            let Some(stored) = waves::get_for_update(tx, owner, claim.wave).await? else { return Ok(true) };
            let mut wave = read_wave(&stored)?;
            if stored.fence != claim.fence || wave.counts.pending > 0 {
                return Ok(false);
            }
            if !wave.status.is_ended() {
                wave.end(log.now());
                let event =
                    if wave.status == Status::Cancelled { "wave.cancelled" } else { "wave.completed" };
                write_wave(tx, owner, &stored, &wave, stored.done_to, Some(event), &log).await?;
            }
            Ok(true)
        });
        let is_ended = end.await?;
        self.context.notice(owner);
        Ok(is_ended)
    }

    /// Takes some waiting orders out of a wave that was cancelled. Returns whether more may wait.
    async fn take_out_cancelled(&self, claim: WaveClaim) -> Result<bool> {
        let owner = claim.owner;
        let log = self.context.event_log(Actor::Job("waves"), owner, self.context.now());
        let cancel = self.context.db().write(owner, async move |tx| {
            let Some(stored) = waves::get_for_update(tx, owner, claim.wave).await? else { return Ok(false) };
            let mut wave = read_wave(&stored)?;
            if stored.fence != claim.fence || wave.status != Status::Cancelling {
                return Ok(false);
            }
            let orders = wave_orders::cancel(tx, owner, claim.wave, CANCELLED_MAX).await?;
            let orders = usize::try_from(orders).unwrap_or_default();
            wave.count_cancelled(orders, log.now());
            let event = progress_event(&stored, log.now()).filter(|_| orders > 0);
            write_wave(tx, owner, &stored, &wave, stored.done_to, event, &log).await?;
            Ok(orders == CANCELLED_MAX)
        });
        let has_more = cancel.await?;
        self.context.notice(owner);
        Ok(has_more)
    }

    /// Has the batches of a wave bought, each once, if the wave is to buy them and was not cancelled.
    async fn buy_batches(&self, claim: WaveClaim) -> Result<()> {
        let owner = claim.owner;
        let read = self.context.db().read(owner, async move |tx| {
            let Some(stored) = waves::get(tx, owner, claim.wave).await? else { return Ok(Vec::new()) };
            let wave = read_wave(&stored)?;
            let is_to_buy = wave.details.has(Step::Purchase) && wave.status == Status::Running;
            match is_to_buy && stored.fence == claim.fence {
                true => wave_batches::to_begin(tx, owner, claim.wave).await,
                false => Ok(Vec::new()),
            }
        });
        for batch in read.await? {
            crash_point!("before_wave_purchase");
            match self.buy_batch(claim, batch).await {
                Err(Error::Refused(problem)) => self.refuse_purchase(claim, batch, *problem).await?,
                bought => bought?,
            }
        }
        Ok(())
    }

    /// Begins the purchase of a batch, and records that, in one transaction.
    async fn buy_batch(&self, claim: WaveClaim, batch: Id<Batch>) -> Result<()> {
        let owner = claim.owner;
        let log = self.context.event_log(Actor::Job("waves"), owner, self.context.now());
        let buy = async move |tx: &mut Tx<'_>| {
            let stored = waves::get_for_update(tx, owner, claim.wave).await?;
            if stored.is_none_or(|stored| stored.fence != claim.fence)
                || !wave_batches::begin(tx, owner, claim.wave, batch).await?
            {
                return Ok(());
            }
            begin_purchase(tx, owner, batch, &Precondition::Any, &log).await
        };
        self.context.db().write(owner, buy).await?;
        self.context.notice(owner);
        self.batches.notify();
        Ok(())
    }

    /// Records that a batch can't be bought, and why.
    async fn refuse_purchase(&self, claim: WaveClaim, batch: Id<Batch>, problem: Problem) -> Result<()> {
        let owner = claim.owner;
        let log = self.context.event_log(Actor::Job("waves"), owner, self.context.now());
        let refuse = async move |tx: &mut Tx<'_>| {
            let Some(stored) = waves::get_for_update(tx, owner, claim.wave).await? else { return Ok(()) };
            if stored.fence != claim.fence || !wave_batches::begin(tx, owner, claim.wave, batch).await? {
                return Ok(());
            }
            let mut wave = read_wave(&stored)?;
            wave.refuse_purchase(batch, &problem);
            write_wave(tx, owner, &stored, &wave, stored.done_to, None, &log).await.map(drop)
        };
        self.context.db().write(owner, refuse).await
    }
}
