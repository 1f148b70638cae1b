//! The rows that the purchase of a batch writes, without any decisions: the same rows through the same writer, in
//! groups of the same size, from existing documents. Label files are not among them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use model::access::access_token::Secret;
use model::events::actor::Actor;
use model::shipping::document::DocumentType;
use model::shipping::indexed_shipment::{IndexedChange, IndexedShipment};
use model::shipping::shipment::{LabelFormat, Status};
use model::{Batch, Day, Document, Event, Id, Owner, PurchaseAttempt, Timestamp};
use service::{Clock, SystemClock};
use store::shipping::documents::{self, StoredFile};
use store::shipping::purchases::{self, Due, Purchase, PurchaseRequest};
use store::shipping::shipment_filters::{self, ShipmentFilter};
use store::shipping::shipments::{self, StoredShipment};
use store::{Access, Db, Start, Tx};

use crate::harness::outcome::Outcome;
use crate::harness::store::{new_id, open};

/// Purchases that are inserted together, and that end together.
const GROUP: usize = 64;
const NODE: &str = "bench";

/// Writes the rows of this number of purchases, and returns how many per second.
pub async fn direct(file: &Path, token: &str, amount: usize) -> Outcome<f64> {
    let db = open(file).await?;
    let owner = Secret::owner_of(token).ok_or("the token names no owner")?;
    let (shipments, sample) = read(&db, owner, amount).await.map_err(|error| error.to_string())?;
    let began = Instant::now();
    for group in shipments.chunks(GROUP) {
        write(&db, owner, group.into(), &sample).await.map_err(|error| error.to_string())?;
    }
    Ok(shipments.len() as f64 / began.elapsed().as_secs_f64())
}

/// Reads purchased shipments, and the purchase of one of them.
async fn read(db: &Db, owner: Owner, amount: usize) -> model::Result<(Vec<StoredShipment>, Arc<Purchase>)> {
    let read = db.read(owner, async move |tx| {
        let filter = ShipmentFilter { status: Some(Status::Purchased), ..ShipmentFilter::default() };
        let page = shipment_filters::page(tx, owner, &filter, &Start::First, amount).await?;
        let first = page.items.first().map(|stored| stored.id);
        let first = first.ok_or_else(|| model::Error::fault("nothing was bought"))?;
        let sample = purchases::get(tx, owner, first).await?;
        Ok((page.items, sample.ok_or_else(|| model::Error::fault("nothing was bought"))?))
    });
    let (shipments, sample) = read.await?;
    Ok((shipments, Arc::new(sample)))
}

/// Runs the product's transactions: inserting the purchases, recording the calls, the receipts, and the outcomes.
async fn write(
    db: &Db,
    owner: Owner,
    group: Arc<[StoredShipment]>,
    sample: &Arc<Purchase>,
) -> model::Result<()> {
    let now = SystemClock.now();
    let (wishes, of) = (Arc::clone(&group), Arc::clone(sample));
    let begun = db.write(owner, async move |tx| begin(tx, owner, &wishes, &of, now).await);
    let begun = begun.await?;
    let claimed = db.write(Access::System, async move |tx| purchases::claim(tx, NODE, &begun, now).await);
    let claimed: Arc<[Purchase]> = claimed.await?.into();
    let called = Arc::clone(&claimed);
    let call =
        db.write(owner, async move |tx| purchases::call(tx, &called.iter().collect::<Vec<_>>(), now).await);
    call.await?;
    let (sold, of) = (Arc::clone(&claimed), Arc::clone(sample));
    let keep = db.write(owner, async move |tx| {
        let bought = |purchase: &Purchase| Purchase { receipt: of.receipt.clone(), ..purchase.clone() };
        let sold: Vec<Purchase> = sold.iter().map(bought).collect();
        purchases::keep_receipts(tx, &sold.iter().collect::<Vec<_>>(), now).await
    });
    keep.await?;
    let of = Arc::clone(sample);
    db.write(owner, async move |tx| record(tx, owner, &group, &claimed, &of, now).await).await
}

async fn begin(
    tx: &mut Tx<'_>,
    owner: Owner,
    group: &[StoredShipment],
    sample: &Purchase,
    now: Timestamp,
) -> model::Result<Vec<Due>> {
    for stored in group {
        let reference = stored.id.to_string();
        let wish = PurchaseRequest {
            shipment: stored.id,
            account: sample.account,
            service: &sample.service,
            reference: &reference,
            batch: Some((Id::<Batch>::from_bits(1), LabelFormat::Zpl)),
            in_doubt_since: None,
            ship_on: Day::of(now),
        };
        purchases::begin(tx, owner, new_id::<PurchaseAttempt>(now), &wish, now).await?;
        change(tx, owner, stored, "shipment.updated", now).await?;
    }
    let mut begun = Vec::with_capacity(group.len());
    for stored in group {
        if let Some(purchase) = purchases::get(tx, owner, stored.id).await? {
            begun.push(Due { owner, id: purchase.id, account: purchase.account, batch: purchase.batch });
        }
    }
    Ok(begun)
}

async fn record(
    tx: &mut Tx<'_>,
    owner: Owner,
    group: &[StoredShipment],
    claimed: &[Purchase],
    sample: &Purchase,
    now: Timestamp,
) -> model::Result<()> {
    for purchase in claimed {
        let bought = Purchase {
            state: sample.state,
            receipt: sample.receipt.clone(),
            batch: None,
            due_at: None,
            is_labelled: true,
            is_follow_up: true,
            earlier: None,
            crashes: 0,
            note: None,
            ..purchase.clone()
        };
        purchases::record(tx, &bought, now).await?;
    }
    for stored in group {
        let label = StoredFile {
            id: new_id::<Document>(now),
            r#type: DocumentType::Label,
            file_name: "label.zpl".to_owned(),
            file_type: LabelFormat::Zpl.media_type().to_owned(),
            file_size: 1,
            place: format!("{owner}/{}", stored.id),
            package: Some(1),
        };
        documents::insert(tx, owner, &stored.id.to_string(), &label, now).await?;
        change(tx, owner, stored, "shipment.purchased", now).await?;
    }
    Ok(())
}

async fn change(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &StoredShipment,
    what: &'static str,
    now: Timestamp,
) -> model::Result<()> {
    // The product inserts the facets of a service and of a tracking number.
    let new = IndexedShipment::of(&stored.doc)?;
    let old = IndexedShipment { facets: BTreeSet::new(), ..new.clone() };
    let indexed = IndexedChange { old, new };
    shipments::update(tx, owner, stored.id, &stored.summary, &indexed, &stored.doc).await?;
    let event = Event::new(what, stored.id, &stored.doc);
    store::events::events::append(tx, owner, new_id::<Event>(now), &event, Actor::System, now).await
}
