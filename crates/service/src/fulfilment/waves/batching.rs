//! The end of a group: its shipments are put into batches, and what came of the orders is recorded, in one transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::events::actor::Actor;
use model::fulfilment::wave::{BatchGroup, GroupNames, Step, WaveException};
use model::shipping::batch::{Details, Options, Status};
use model::{Batch, CarrierAccount, Error, Id, Owner, Result, Shipment, Wave};
use serde::Deserialize;
use serde_json::Map;
use store::Tx;
use store::fulfilment::wave_orders::{self, WaitingOrder};
use store::fulfilment::{warehouse_papers, wave_batches, waves};
use store::places::locations;
use store::shipping::batches::{self, StoredBatch};
use store::shipping::carrier_accounts;

use super::Waves;
use super::change::{progress_event, read_wave, write_wave};
use super::group::{GroupOrder, WaveTerms};
use crate::events::events::EventLog;
use crate::platform::crash_point::crash_point;
use crate::shipping::account_details::details;
use crate::shipping::batches::{fill, open};

/// The shipments of a group of orders, by what those of one batch have in common.
type Groups = BTreeMap<BatchGroup, Vec<Id<Shipment>>>;

/// The field of a location's document by which a batch is named.
#[derive(Deserialize)]
struct LocationText {
    name: String,
}

impl Waves {
    /// Puts the shipments of a group into batches, and records what came of its orders.
    pub(super) async fn finish(&self, terms: &Arc<WaveTerms>, group: Vec<GroupOrder>) -> Result<()> {
        crash_point!("before_wave_group");
        let owner = terms.claim.owner;
        let log = self.context.event_log(Actor::Job("waves"), owner, self.context.now());
        let (shared, max) = (Arc::clone(terms), self.batches.shipments_max());
        let write = self.context.db().write(owner, async move |tx| {
            let (claim, mut group) = (shared.claim, group.clone());
            let Some(stored) = waves::get_for_update(tx, owner, claim.wave).await? else { return Ok(()) };
            if stored.fence != claim.fence {
                return Ok(());
            }
            let mut wave = read_wave(&stored)?;
            if shared.input.has(Step::Batch) {
                put_into_batches(tx, &shared, &mut wave, &mut group, max, &log).await?;
            }
            for order in &group {
                wave_orders::finish(tx, &claim, order.waiting.position, order.exception.as_ref()).await?;
            }
            let done = group.iter().filter(|order| order.exception.is_none());
            let shipments = done.clone().map(|order| order.waiting.shipments.len()).sum();
            let exceptions: Vec<_> = group.iter().filter_map(|order| order.exception.clone()).collect();
            wave.count(done.count(), shipments, &exceptions, log.now());
            let done_to = group.last().map_or(stored.done_to, |order| order.waiting.position);
            let event = progress_event(&stored, log.now());
            write_wave(tx, owner, &stored, &wave, done_to, event, &log).await.map(drop)
        });
        write.await?;
        self.context.notice(owner);
        crash_point!("after_wave_group");
        Ok(())
    }
}

/// Puts the shipments of the orders that have no exception into the batches of their groups. An order with a shipment that can't
/// be put into a batch any more becomes an exception.
async fn put_into_batches(
    tx: &mut Tx<'_>,
    terms: &WaveTerms,
    wave: &mut Wave,
    group: &mut [GroupOrder],
    max: usize,
    log: &EventLog,
) -> Result<()> {
    let owner = terms.claim.owner;
    let ready = group.iter().filter(|order| order.exception.is_none());
    let ids: Vec<_> = ready.flat_map(|order| order.waiting.shipments.iter().copied()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let groups = group_shipments(tx, terms, &ids).await?;
    let mut open_batches = lock_open(tx, terms, &groups).await?;
    let mut added: BTreeSet<Id<Shipment>> = BTreeSet::new();
    for (of, shipments) in &groups {
        let mut rest = shipments.as_slice();
        while !rest.is_empty() {
            let batch = match open_batches.remove(of).filter(|batch| room(batch, max) > 0) {
                Some(batch) => batch,
                None => open_next(tx, terms, wave, of, log).await?,
            };
            let (now, later) = rest.split_at(room(&batch, max).min(rest.len()));
            added.extend(fill(tx, owner, &batch, now, log).await?.added);
            rest = later;
        }
    }
    for order in group.iter_mut().filter(|order| order.exception.is_none()) {
        refuse_changed(&order.waiting, &added).into_iter().for_each(|why| order.exception = Some(why));
    }
    Ok(())
}

/// Returns the exception of an order whose shipment could not be put into a batch.
fn refuse_changed(waiting: &WaitingOrder, added: &BTreeSet<Id<Shipment>>) -> Option<WaveException> {
    let missing = waiting.shipments.iter().find(|shipment| !added.contains(shipment))?;
    let message =
        format!("The shipment {missing} was deleted, bought, or put into a batch since the wave made it.");
    Some(WaveException::new("shipment_changed", message))
}

/// Returns how many more shipments a batch takes.
fn room(batch: &StoredBatch, max: usize) -> usize {
    max.saturating_sub(usize::try_from(batch.counts.shipments).unwrap_or(usize::MAX))
}

/// Groups shipments by what those of one batch have in common. Shipments that are gone are left out.
async fn group_shipments(tx: &mut Tx<'_>, terms: &WaveTerms, ids: &[Id<Shipment>]) -> Result<Groups> {
    let mut groups = Groups::new();
    for stored in warehouse_papers::of_ids(tx, terms.claim.owner, ids).await? {
        let shipment: Shipment = serde_json::from_str(&stored.doc).map_err(Error::fault)?;
        let of = BatchGroup::of(&terms.input.group_by, &shipment, stored.origin);
        groups.entry(of).or_default().push(stored.id);
    }
    Ok(groups)
}

/// Locks the last batch of each group that is still open, in the order of their ids.
async fn lock_open(
    tx: &mut Tx<'_>,
    terms: &WaveTerms,
    groups: &Groups,
) -> Result<BTreeMap<BatchGroup, StoredBatch>> {
    let (owner, wave) = (terms.claim.owner, terms.claim.wave);
    let mut candidates: Vec<(Id<Batch>, &BatchGroup)> = Vec::new();
    for of in groups.keys() {
        let known = wave_batches::of_group(tx, owner, wave, &of.key()).await?;
        candidates.extend(known.last().filter(|last| !last.is_begun).map(|last| (last.batch, of)));
    }
    candidates.sort_unstable();
    let mut open = BTreeMap::new();
    for (id, of) in candidates {
        let batch = batches::get_for_update(tx, owner, id).await?;
        if let Some(batch) = batch.filter(|batch| batch.status == Status::Open) {
            open.insert(of.clone(), batch);
        }
    }
    Ok(open)
}

/// Opens the next batch of a group.
async fn open_next(
    tx: &mut Tx<'_>,
    terms: &WaveTerms,
    wave: &mut Wave,
    of: &BatchGroup,
    log: &EventLog,
) -> Result<StoredBatch> {
    let (owner, key) = (terms.claim.owner, of.key());
    let number = wave_batches::of_group(tx, owner, wave.id, &key).await?.len() + 1;
    let names = names(tx, owner, of).await?;
    let options = terms.input.batch.label_format.map(|label_format| Options { label_format });
    let details = Details {
        name: of.batch_name(terms.input.batch_name(), &names, number),
        service: None,
        options: options.unwrap_or_default(),
        metadata: Map::new(),
    };
    let batch = open(tx, owner, &details, log).await?;
    wave_batches::insert(tx, owner, wave.id, batch.id, &key).await?;
    wave.add_batch(batch.id);
    Ok(batch)
}

/// Returns the names of a group's location and account. What was deleted has none.
async fn names(tx: &mut Tx<'_>, owner: Owner, of: &BatchGroup) -> Result<GroupNames> {
    let mut names = GroupNames::default();
    if let Some(location) = of.location
        && let Some(stored) = locations::get(tx, owner, location).await?
    {
        let text: LocationText = serde_json::from_str(&stored.doc).map_err(Error::fault)?;
        names.location = Some(text.name);
    }
    let account: Option<Id<CarrierAccount>> = of.carrier_account.as_deref().and_then(Id::parse);
    if let Some(account) = account
        && let Some(stored) = carrier_accounts::get(tx, owner, account).await?
    {
        names.carrier_account = Some(details(&stored)?.name);
    }
    Ok(names)
}
