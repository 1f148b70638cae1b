//! What the product wrote when it bought a batch, read back from its store: the rows that its rival writes.

use std::collections::HashMap;
use std::path::Path;

use model::events::actor::Actor;
use model::events::event::TYPES;
use model::shipping::indexed_shipment::{IndexedChange, IndexedShipment};
use model::shipping::shipment::Summary;
use model::{Batch, Error, Event, Id, Owner, Result, Shipment, Timestamp};
use store::events::events::{self, Logged};
use store::shipping::documents::{self, StoredDocument};
use store::shipping::purchases::{self, Purchase};
use store::shipping::shipments;
use store::{Db, Sql, Tx};

use crate::harness::outcome::Outcome;

/// Rows that are read at once.
const PAGE: usize = 1000;
/// Rows that only purchases write, and the bytes of their events. Tracking changes neither their number nor their size.
const WRITTEN: Sql = Sql::same(
    "SELECT (SELECT count(*) FROM purchase WHERE owner = $1), (SELECT count(*) FROM document WHERE owner = $1),
         (SELECT count(*) FROM shipment_facet WHERE owner = $1), (SELECT count(*) FROM search_term WHERE owner = $1),
         (SELECT count(*) FROM event WHERE owner = $1 AND type LIKE 'batch.%'),
         (SELECT count(*) FROM event WHERE owner = $1 AND type IN ('shipment.updated', 'shipment.purchased')),
         (SELECT sum(length(object) + length(previous_attributes)) FROM event
          WHERE owner = $1 AND type IN ('shipment.updated', 'shipment.purchased'))",
);
const WRITTEN_COLUMNS: usize = 7;

/// What the product wrote for a batch.
pub struct BoughtBatch {
    pub owner: Owner,
    pub id: Id<Batch>,
    pub shipments: Vec<BoughtShipment>,
    /// The events of the batch itself, the first of which tells that its purchase was requested.
    pub events: Vec<BoughtEvent>,
}

/// What the product wrote for the purchase of one shipment.
pub struct BoughtShipment {
    pub id: Id<Shipment>,
    /// The change with which its purchase was stored.
    pub begun: BoughtChange,
    /// The purchase with its receipt.
    pub purchase: Purchase,
    /// Its label.
    pub files: Vec<StoredDocument>,
    /// The change that shows it as purchased.
    pub ended: BoughtChange,
}

/// A change of a shipment, with its event.
pub struct BoughtChange {
    pub summary: Summary,
    pub indexed: IndexedChange,
    pub doc: String,
    pub event: BoughtEvent,
}

pub struct BoughtEvent {
    pub id: Id<Event>,
    pub event: Event,
    pub actor: Actor,
    pub at: Timestamp,
}

impl BoughtBatch {
    /// Reads what the product wrote for a batch from its store as it was before the batch was bought, and from its store as it is
    /// since then.
    pub async fn read(before: &Db, since: &Db, owner: Owner, id: Id<Batch>) -> Outcome<Self> {
        let began = before.read(owner, async move |tx| Ok(events::span(tx, owner).await?.newest));
        let began = began.await.map_err(|error| error.to_string())?;
        let log = log_since(since, owner, began).await.map_err(|error| error.to_string())?;
        let (batch, mut begun, mut ended) = (id.to_string(), HashMap::new(), HashMap::new());
        let mut bought = Self { owner, id, shipments: Vec::new(), events: Vec::new() };
        for logged in log {
            match logged.r#type.as_str() {
                "shipment.updated" => drop(begun.insert(logged.resource_id.clone(), logged)),
                "shipment.purchased" => drop(ended.insert(logged.resource_id.clone(), logged)),
                _ if logged.resource_id == batch => {
                    bought.events.push(BoughtEvent::of(&logged, Actor::Job("purchases"))?);
                }
                _ => {}
            }
        }
        let mut ids: Vec<Id<Shipment>> = ended.keys().filter_map(|id| Id::parse(id)).collect();
        ids.sort_unstable();
        for page in ids.chunks(PAGE) {
            let drafts = drafts(before, owner, page).await.map_err(|error| error.to_string())?;
            let rows = purchase_rows(since, owner, page).await.map_err(|error| error.to_string())?;
            for (draft, (purchase, files)) in drafts.into_iter().zip(rows) {
                let (name, id) = (draft.id.to_string(), draft.id);
                let find = |log: &mut HashMap<String, Logged>| {
                    log.remove(&name).ok_or_else(|| format!("the log does not tell all of {name}"))
                };
                let begun = BoughtChange::of(&draft.doc, &find(&mut begun)?, Actor::Job("batches"))?;
                let ended = BoughtChange::of(&begun.doc, &find(&mut ended)?, Actor::Job("purchases"))?;
                bought.shipments.push(BoughtShipment { id, begun, purchase, files, ended });
            }
        }
        Ok(bought)
    }
}

impl BoughtChange {
    fn of(before: &str, logged: &Logged, actor: Actor) -> Outcome<Self> {
        // An event shows the stored document, and the shipment's files after it.
        let files = logged.object.rfind(",\"documents\":").ok_or("an event shows no files")?;
        let doc = format!("{}}}", &logged.object[..files]);
        let shipment: Shipment = serde_json::from_str(&doc)?;
        let index = |doc| IndexedShipment::of(doc).map_err(|error| error.to_string());
        let indexed = IndexedChange { old: index(before)?, new: index(&doc)? };
        Ok(Self { summary: shipment.summary(), indexed, event: BoughtEvent::of(logged, actor)?, doc })
    }
}

impl BoughtEvent {
    fn of(logged: &Logged, actor: Actor) -> Outcome<Self> {
        let known = TYPES.iter().find(|(name, _)| *name == logged.r#type);
        let (name, _) = known.ok_or("an event has no known type")?;
        let event = Event::new(name, &logged.resource_id, &logged.object);
        let event = match logged.previous_attributes.as_deref() {
            Some(previous) => event.changed_from(serde_json::from_str(previous)?),
            None => event,
        };
        Ok(Self { id: logged.id, event, actor, at: logged.created_at })
    }
}

/// Returns the numbers of rows that purchases wrote to a store.
pub async fn written(db: &Db, owner: Owner) -> Outcome<Vec<i64>> {
    let read = db.read(owner, async move |tx| {
        let mut row =
            tx.one(&WRITTEN, &[owner.into()]).await?.ok_or_else(|| Error::fault("nothing was counted"))?;
        (0..WRITTEN_COLUMNS).map(|column| Ok(row.int_or_null(column)?.unwrap_or(0))).collect::<Result<_>>()
    });
    Ok(read.await.map_err(|error| error.to_string())?)
}

/// Returns the events after a sequence.
async fn log_since(db: &Db, owner: Owner, began: i64) -> Result<Vec<Logged>> {
    let (mut log, mut reached) = (Vec::new(), began);
    loop {
        let page = db.read(owner, async move |tx| events::after(tx, owner, reached, PAGE).await).await?;
        let Some(last) = page.last() else { return Ok(log) };
        reached = last.sequence;
        log.extend(page);
    }
}

async fn drafts(db: &Db, owner: Owner, ids: &[Id<Shipment>]) -> Result<Vec<shipments::StoredShipment>> {
    let ids = ids.to_vec();
    db.read(owner, async move |tx| shipments::all(tx, owner, &ids).await).await
}

/// Returns the purchase and the files of each shipment, in the order of their ids.
async fn purchase_rows(
    db: &Db,
    owner: Owner,
    ids: &[Id<Shipment>],
) -> Result<Vec<(Purchase, Vec<StoredDocument>)>> {
    let ids = ids.to_vec();
    let read = async move |tx: &mut Tx<'_>| {
        let mut bought = purchases::of_shipments(tx, owner, &ids).await?;
        bought.sort_unstable_by_key(|purchase| purchase.shipment);
        let subjects: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let mut files: HashMap<String, Vec<StoredDocument>> = HashMap::new();
        for file in documents::of_subjects(tx, owner, &subjects).await? {
            files.entry(file.subject.clone()).or_default().push(file);
        }
        let with_files = |purchase: Purchase| {
            let files = files.remove(&purchase.shipment.to_string()).unwrap_or_default();
            (purchase, files)
        };
        Ok(bought.into_iter().map(with_files).collect())
    };
    db.read(owner, read).await
}

/// Replaces a store's file with a copy of another one, both of which no process uses. The file stays the same to the file system:
/// servers take a store in a new file for a restored backup, in which nothing may be bought before they have noted that.
pub fn copy_store(from: &Path, to: &Path) -> Outcome<()> {
    let part = |of: &Path, suffix: &str| {
        let mut name = of.as_os_str().to_owned();
        name.push(suffix);
        name
    };
    for suffix in ["-wal", "-shm"] {
        match std::fs::remove_file(part(to, suffix)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    std::fs::copy(from, to)?;
    // A server that stopped without a checkpoint has left a part of its rows there.
    if Path::new(&part(from, "-wal")).exists() {
        std::fs::copy(part(from, "-wal"), part(to, "-wal"))?;
    }
    Ok(())
}
