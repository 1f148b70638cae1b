//! The rows that the purchase of a batch writes, without any decisions: the rows that the product wrote, through the same writer, in
//! groups of the same size, to the store as it was before the product bought. Label files are not among them.
//!
//! For each shipment these are:
//! - its purchase, which is inserted, claimed, marked as called, given its receipt, and recorded: one row, written five times;
//! - the shipment, which becomes `purchasing` and then `purchased`: one row, written twice;
//! - the facets that are new with each of these changes, and no others: the carrier and its account, then the tracking number
//!   and the tracking status;
//! - the search term of its tracking number;
//! - the row of its label;
//! - two events, with the counter of the log.
//!
//! For each group there is also the batch: how far its purchases are stored, its counts, and the events of its progress, as many
//! as the product wrote. [`direct`] checks in the end that both stores have the same number of each of these rows, and the same
//! bytes of events.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use model::access::access_token::Secret;
use model::shipping::batch::{Delta, Status};
use model::shipping::shipment::LabelFormat;
use model::{Batch, Day, Id, Owner, Result, Timestamp};
use service::{Clock, SystemClock};
use store::events::events;
use store::shipping::purchases::{self, Due, Purchase, PurchaseRequest};
use store::shipping::{batches, documents, shipments};
use store::{Access, Db, Tx};

use super::bought_batch::{BoughtBatch, BoughtChange, BoughtEvent, BoughtShipment, copy_store, written};
use crate::harness::outcome::Outcome;
use crate::harness::store::open;

/// Purchases that are inserted together, and that end together.
const GROUP: usize = 64;
const NODE: &str = "bench";

/// A product's stores, of which no process uses one.
pub struct Stores<'a> {
    /// A copy of the store as it was before the batch was bought.
    pub before: &'a Path,
    /// The product's own file. The rows are written to it, once it has the content of `before` again.
    pub file: &'a Path,
    /// Where the product's store is kept meanwhile.
    pub since: &'a Path,
}

/// The purchases of one transaction, and the events of the batch that belong to it.
struct Group {
    owner: Owner,
    batch: Id<Batch>,
    shipments: Vec<BoughtShipment>,
    events: Vec<BoughtEvent>,
    /// Whether this is the last group of its batch.
    is_last: bool,
}

/// Writes the rows of the purchase of a batch, and returns how many shipments per second.
pub async fn direct(stores: &Stores<'_>, token: &str, batch: &str) -> Outcome<f64> {
    let owner = Secret::owner_of(token).ok_or("the token names no owner")?;
    let batch = Id::parse(batch).ok_or("this is no batch's id")?;
    copy_store(stores.file, stores.since)?;
    copy_store(stores.before, stores.file)?;
    let (db, since) = (open(stores.file).await?, open(stores.since).await?);
    let bought = BoughtBatch::read(&db, &since, owner, batch).await?;
    let amount = bought.shipments.len();
    if amount == 0 {
        return Err("nothing was bought".into());
    }
    let groups = groups(bought);
    let began = Instant::now();
    for group in groups {
        write(&db, Arc::new(group)).await.map_err(|error| error.to_string())?;
    }
    let per_second = amount as f64 / began.elapsed().as_secs_f64();
    let (rows, expected) = (written(&db, owner).await?, written(&since, owner).await?);
    match rows == expected {
        true => Ok(per_second),
        false => {
            Err(format!("the rows are not those of the product: {rows:?} instead of {expected:?}").into())
        }
    }
}

/// Divides the shipments into groups, and the batch's events evenly among them.
fn groups(bought: BoughtBatch) -> Vec<Group> {
    let BoughtBatch { owner, id: batch, shipments, events } = bought;
    let (count, all) = (shipments.len().div_ceil(GROUP), events.len());
    let (mut shipments, mut events) = (shipments.into_iter(), events.into_iter());
    let group = |number: usize| Group {
        owner,
        batch,
        shipments: shipments.by_ref().take(GROUP).collect(),
        events: events.by_ref().take(all * (number + 1) / count - all * number / count).collect(),
        is_last: number + 1 == count,
    };
    (0..count).map(group).collect()
}

/// Runs the product's transactions: inserting the purchases, claiming them, recording the calls, the receipts, and the outcomes.
async fn write(db: &Db, group: Arc<Group>) -> Result<()> {
    let (now, owner) = (SystemClock.now(), group.owner);
    let begun = Arc::clone(&group);
    db.write(owner, async move |tx| begin(tx, &begun, now).await).await?;
    let due: Vec<Due> = group.shipments.iter().map(BoughtShipment::due).collect();
    let claimed = db.write(Access::System, async move |tx| purchases::claim(tx, NODE, &due, now).await);
    let claimed: Arc<[Purchase]> = claimed.await?.into();
    let called = Arc::clone(&claimed);
    let call =
        db.write(owner, async move |tx| purchases::call(tx, &called.iter().collect::<Vec<_>>(), now).await);
    call.await?;
    let sold: Arc<[Purchase]> = group.ended(&claimed).into();
    let kept = Arc::clone(&sold);
    let keep = db.write(owner, async move |tx| {
        purchases::keep_receipts(tx, &kept.iter().collect::<Vec<_>>(), now).await
    });
    keep.await?;
    db.write(owner, async move |tx| record(tx, &group, &sold, now).await).await
}

async fn begin(tx: &mut Tx<'_>, group: &Group, now: Timestamp) -> Result<()> {
    let Group { owner, batch, .. } = *group;
    for bought in &group.shipments {
        let Purchase { id, account, service, reference, ship_on, .. } = &bought.purchase;
        let wish = PurchaseRequest {
            shipment: bought.id,
            account: *account,
            service,
            reference,
            batch: Some((batch, LabelFormat::Zpl)),
            in_doubt_since: None,
            ship_on: ship_on.unwrap_or_else(|| Day::of(now)),
        };
        purchases::begin(tx, owner, *id, &wish, now).await?;
        change(tx, owner, bought, &bought.begun).await?;
    }
    let last = group.shipments.last().map(|bought| bought.id.to_string());
    batches::set_begun_to(tx, owner, batch, last.as_deref().filter(|_| !group.is_last)).await?;
    batches::change(tx, owner, batch, Status::Purchasing, Delta::default(), now).await
}

async fn record(tx: &mut Tx<'_>, group: &Group, sold: &[Purchase], now: Timestamp) -> Result<()> {
    let Group { owner, batch, .. } = *group;
    purchases::record_all(tx, &sold.iter().collect::<Vec<_>>(), now).await?;
    for bought in &group.shipments {
        for file in &bought.files {
            documents::insert(tx, owner, &file.subject, &file.file, file.created_at).await?;
        }
        change(tx, owner, bought, &bought.ended).await?;
    }
    let status = if group.is_last { Status::Purchased } else { Status::Purchasing };
    let delta = Delta { purchased: sold.len() as i64, ..Delta::default() };
    batches::change(tx, owner, batch, status, delta, now).await?;
    for told in &group.events {
        batches::set_told_at(tx, owner, batch, now).await?;
        append(tx, owner, told).await?;
    }
    Ok(())
}

async fn change(tx: &mut Tx<'_>, owner: Owner, bought: &BoughtShipment, change: &BoughtChange) -> Result<()> {
    shipments::update(tx, owner, bought.id, &change.summary, &change.indexed, &change.doc).await?;
    append(tx, owner, &change.event).await
}

async fn append(tx: &mut Tx<'_>, owner: Owner, told: &BoughtEvent) -> Result<()> {
    events::append(tx, owner, told.id, &told.event, told.actor, told.at).await
}

impl BoughtShipment {
    fn due(&self) -> Due {
        let Purchase { owner, id, account, .. } = self.purchase;
        Due { owner, id, account, batch: None }
    }
}

impl Group {
    /// Returns the claimed purchases with what the product recorded in the end.
    fn ended(&self, claimed: &[Purchase]) -> Vec<Purchase> {
        let end = |held: &Purchase| {
            let known = self.shipments.iter().find(|bought| bought.purchase.id == held.id)?;
            let Purchase { state, receipt, due_at, .. } = known.purchase.clone();
            let (is_labelled, is_follow_up) = (true, true);
            Some(Purchase { state, receipt, due_at, is_labelled, is_follow_up, batch: None, ..held.clone() })
        };
        claimed.iter().filter_map(end).collect()
    }
}
