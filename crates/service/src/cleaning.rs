//! Cleaning: deletes what has expired, table by table (decision 29 lists all tables).

use std::time::Duration;

use model::access::password_reset::RESET_SECONDS;
use model::access::session::IDLE_SECONDS;
use model::{Owner, Result, Timestamp};
use store::access::{access_tokens, mails, password_resets, sessions, sign_ins, spent_challenges};
use store::events::{events, stream_audience};
use store::exchange::{import_rows, imports};
use store::fulfilment::{print_jobs, wave_batches, wave_orders, waves};
use store::places::locations;
use store::platform::idempotency;
use store::shipping::{purchases, tracking_events};
use store::stock::inventory_levels;
use store::{Access, Tx};
use tracing::warn;

use crate::events::delivery::Delivery;
use crate::platform::context::Context;
use crate::platform::nodes::Nodes;

/// How often what has expired is cleaned away, and how soon after the start: a server that is restarted often cleans too.
const CLEAN_EVERY: Duration = Duration::from_secs(600);
const CLEAN_FIRST_AFTER: Duration = Duration::from_secs(20);
/// Rows that one transaction deletes at most, so that no other transaction waits for long.
const CLEAN_MAX: i64 = 500;

/// How long messages of carriers are remembered: longer than any of them comes again.
const MESSAGE_SECONDS: i64 = 30 * 24 * 3600;
/// How long failed sign-ins are remembered: longer than the window in which they count.
const FAILURE_SECONDS: i64 = 3600;
/// How long what belongs to no resource any more is kept, unless the operator says otherwise.
const LEFTOVER_SECONDS: i64 = 365 * 24 * 3600;

/// How long is kept what would grow for ever, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// For the history of levels and the tracking events of shipments; `None` keeps them for as long as the resource.
    pub history_seconds: Option<i64>,
    /// For what belongs to no resource any more.
    pub leftover_seconds: i64,
}

impl Default for Retention {
    fn default() -> Self {
        Self { history_seconds: None, leftover_seconds: LEFTOVER_SECONDS }
    }
}

/// Tables whose rows are deleted for their age, whatever organisation they belong to.
#[derive(Clone, Copy)]
enum Expiring {
    Answers,
    AccessTokens,
    CarrierMessages,
    StreamAudience,
    TrackingEvents,
    LocationVersions,
    Observations,
    EndedTokens,
    Sessions,
    SignInLinks,
    SignInFailures,
    SpentChallenges,
    Mails,
    PasswordResets,
    PrintJobs,
    WaveOrders,
    WaveBatches,
    /// After their orders and batches.
    Waves,
    ImportErrors,
    ImportRows,
    /// After their errors and rows.
    Imports,
}

/// Rows that are deleted for their age, owner by owner.
#[derive(Clone, Copy)]
enum OwnRows {
    /// From the beginning of each log, so that what is left has no gap.
    Events,
    StockChanges,
}

/// Deletes what has expired.
#[derive(Clone)]
pub struct Cleaning {
    context: Context,
    nodes: Nodes,
    delivery: Delivery,
    retention: Retention,
    /// How long an event is kept.
    event_seconds: i64,
}

impl Cleaning {
    pub(crate) fn new(
        context: &Context,
        nodes: &Nodes,
        delivery: &Delivery,
        retention: Retention,
        event_seconds: i64,
    ) -> Self {
        let (nodes, delivery) = (nodes.clone(), delivery.clone());
        Self { context: context.clone(), nodes, delivery, retention, event_seconds }
    }

    /// Deletes what has expired. While the clock is not trusted, it deletes only rows that belong to no resource any more.
    ///
    /// Each table is cleaned by itself: one that can't be cleaned keeps no other from it. Returns the first failure.
    pub async fn work(&self) -> Result<()> {
        if !self.context.has_trusted_time() {
            self.nodes.heartbeat().await?;
        }
        let Some(now) = self.context.pruning_time().await? else {
            return self.delivery.clean(None).await;
        };
        let logs = now.plus_seconds(-self.event_seconds);
        let leftovers = now.plus_seconds(-self.retention.leftover_seconds);
        let cleaned = [
            self.clean_table(
                Expiring::Answers,
                now.plus_seconds(-self.context.settings().idempotency_seconds),
            )
            .await,
            self.clean_table(Expiring::AccessTokens, now).await,
            self.clean_table(Expiring::CarrierMessages, now.plus_seconds(-MESSAGE_SECONDS)).await,
            self.clean_table(Expiring::StreamAudience, now).await,
            self.clean_table(Expiring::LocationVersions, leftovers).await,
            self.clean_table(Expiring::Observations, leftovers).await,
            self.clean_table(Expiring::EndedTokens, leftovers).await,
            self.clean_table(Expiring::Sessions, now.plus_seconds(-IDLE_SECONDS)).await,
            self.clean_table(Expiring::SignInLinks, now).await,
            self.clean_table(Expiring::SignInFailures, now.plus_seconds(-FAILURE_SECONDS)).await,
            self.clean_table(Expiring::SpentChallenges, now).await,
            self.clean_table(Expiring::Mails, now).await,
            self.clean_table(Expiring::PasswordResets, now.plus_seconds(-RESET_SECONDS)).await,
            self.clean_table(Expiring::PrintJobs, leftovers).await,
            self.clean_table(Expiring::WaveOrders, leftovers).await,
            self.clean_table(Expiring::WaveBatches, leftovers).await,
            self.clean_table(Expiring::Waves, leftovers).await,
            self.clean_table(Expiring::ImportErrors, leftovers).await,
            self.clean_table(Expiring::ImportRows, leftovers).await,
            self.clean_table(Expiring::Imports, leftovers).await,
            self.clean_history(now).await,
            self.clean_owners(OwnRows::Events, logs).await,
            self.delivery.clean(Some(logs)).await,
        ];
        let mut failures = cleaned.into_iter().filter_map(Result::err);
        let first = failures.next();
        failures.for_each(|error| warn!(%error, "deleting old rows failed, retrying"));
        first.map_or(Ok(()), Err)
    }

    /// Deletes what expired in one table before the moment, in transactions that are short.
    async fn clean_table(&self, table: Expiring, before: Timestamp) -> Result<()> {
        loop {
            let delete = self.context.db().write(Access::System, async move |tx| match table {
                Expiring::Answers => idempotency::delete_old(tx, before, CLEAN_MAX).await,
                Expiring::AccessTokens => access_tokens::delete_expired(tx, before, CLEAN_MAX).await,
                Expiring::CarrierMessages => tracking_events::forget_messages(tx, before, CLEAN_MAX).await,
                Expiring::StreamAudience => stream_audience::delete_old(tx, before, CLEAN_MAX).await,
                Expiring::TrackingEvents => tracking_events::delete_old(tx, before, CLEAN_MAX).await,
                Expiring::LocationVersions => locations::delete_versions(tx, before, CLEAN_MAX).await,
                Expiring::Observations => purchases::delete_observations(tx, before, CLEAN_MAX).await,
                Expiring::EndedTokens => access_tokens::delete_ended(tx, before, CLEAN_MAX).await,
                Expiring::Sessions => sessions::delete_old(tx, before, CLEAN_MAX).await,
                Expiring::SignInLinks => sign_ins::delete_old_links(tx, before, CLEAN_MAX).await,
                Expiring::SignInFailures => sign_ins::delete_old_tries(tx, before, CLEAN_MAX).await,
                Expiring::SpentChallenges => spent_challenges::delete_old(tx, before, CLEAN_MAX).await,
                Expiring::Mails => mails::delete_old(tx, before, CLEAN_MAX).await,
                Expiring::PasswordResets => password_resets::delete_old(tx, before, CLEAN_MAX).await,
                Expiring::PrintJobs => print_jobs::delete_ended(tx, before, CLEAN_MAX).await,
                Expiring::WaveOrders => wave_orders::delete_ended(tx, before, CLEAN_MAX).await,
                Expiring::WaveBatches => wave_batches::delete_ended(tx, before, CLEAN_MAX).await,
                Expiring::Waves => waves::delete_ended(tx, before, CLEAN_MAX).await,
                Expiring::ImportErrors => import_rows::delete_errors(tx, before, CLEAN_MAX).await,
                Expiring::ImportRows => import_rows::delete_rows(tx, before, CLEAN_MAX).await,
                Expiring::Imports => imports::delete_ended(tx, before, CLEAN_MAX).await,
            });
            if delete.await? < CLEAN_MAX as u64 {
                return Ok(());
            }
        }
    }

    /// Deletes the history of resources that still exist, if the operator wants that.
    async fn clean_history(&self, now: Timestamp) -> Result<()> {
        let Some(seconds) = self.retention.history_seconds else { return Ok(()) };
        let before = now.plus_seconds(-seconds);
        self.clean_table(Expiring::TrackingEvents, before).await?;
        // Each change of a level appends an event, so an owner that has levels has a log.
        self.clean_owners(OwnRows::StockChanges, before).await
    }

    /// Deletes old rows of each owner, until another node is found to be cleaning.
    async fn clean_owners(&self, rows: OwnRows, before: Timestamp) -> Result<()> {
        let mut beyond = None;
        loop {
            let look = self.context.db().read(Access::System, async move |tx| events::logs(tx, beyond).await);
            let logs = look.await?;
            for log in &logs {
                let is_free = match rows {
                    OwnRows::StockChanges => self.delete_old_changes(log.owner, before).await?,
                    OwnRows::Events if log.oldest_at.is_none_or(|at| at >= before) => true,
                    OwnRows::Events => self.delete_old_events(log.owner, before).await?,
                };
                if !is_free {
                    return Ok(());
                }
            }
            if logs.len() < events::LOGS_MAX {
                return Ok(());
            }
            beyond = logs.last().map(|log| log.owner);
        }
    }

    /// Deletes the old changes of one owner's levels; false if another node is cleaning.
    async fn delete_old_changes(&self, owner: Owner, before: Timestamp) -> Result<bool> {
        loop {
            let delete = async move |tx: &mut Tx<'_>| {
                inventory_levels::delete_changes(tx, owner, before, CLEAN_MAX).await
            };
            match self.context.db().write(owner, delete).await? {
                None => return Ok(false),
                Some(deleted) if deleted < CLEAN_MAX as u64 => return Ok(true),
                Some(_) => {}
            }
        }
    }

    /// Deletes the old events of one log; false if another node is cleaning.
    async fn delete_old_events(&self, owner: Owner, before: Timestamp) -> Result<bool> {
        loop {
            let delete =
                self.context.db().write(owner, async move |tx| events::delete_old(tx, owner, before).await);
            match delete.await? {
                None => return Ok(false),
                Some(deleted) if deleted < events::DELETE_MAX as u64 => return Ok(true),
                Some(_) => {}
            }
        }
    }

    pub(crate) async fn work_forever(self) {
        tokio::time::sleep(CLEAN_FIRST_AFTER).await;
        loop {
            if let Err(error) = self.work().await {
                warn!(%error, "deleting old rows failed, retrying");
            }
            tokio::time::sleep(CLEAN_EVERY).await;
        }
    }
}
