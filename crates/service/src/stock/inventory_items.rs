//! Inventory items: create, read, change, delete.

use model::platform::json::{parse as parse_json, previous_attributes};
use model::platform::problem::Issue;
use model::platform::shape;
use model::stock::inventory_item::{InventoryItemInput, name_key};
use model::{Code, Error, Event, Id, InventoryItem, Owner, Problem, Result, Timestamp, ensure};
use serde_json::Value;
use store::Tx;
use store::stock::inventory_barcodes;
use store::stock::inventory_items::{self, ItemKeys, StoredInventoryItem};
use store::stock::item_filters::{self, ItemFilter};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::events::events::EventLog;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json, version_etag};

/// Operations on inventory items.
#[derive(Clone)]
pub struct InventoryItems {
    context: Context,
}

impl InventoryItems {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Makes the document of an item, which [`NewItem::insert`] stores.
    pub(crate) fn prepare(&self, input: InventoryItemInput, now: Timestamp) -> Result<NewItem> {
        NewItem::new(self.context.new_id::<InventoryItem>(now), input, now)
    }

    pub async fn get(&self, caller: &Caller, id: Id<InventoryItem>) -> Result<Reply> {
        let owner = caller.owner;
        let read =
            self.context.db().read(owner, async move |tx| found(inventory_items::get(tx, owner, id).await?));
        let stored = read.await?;
        Ok(Reply::resource(version_etag(stored.version), stored.doc))
    }

    /// A page of the items that match the filters.
    pub async fn list(&self, caller: &Caller, query: ListQuery, filter: ItemFilter) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self
            .context
            .db()
            .read(owner, async move |tx| item_filters::page(tx, owner, &filter, &start, limit).await);
        let page = read.await?;
        self.context.listing(owner, &query, page)
    }

    pub async fn update(&self, command: Command, id: Id<InventoryItem>, patch: Value) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let update = async move |tx: &mut Tx<'_>| {
            let stored = found(inventory_items::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(stored.version))?;
            let doc = update_item(tx, owner, id, &stored, patch.clone(), &log).await?;
            Ok(Reply::resource(version_etag(stored.version + 1), doc))
        };
        self.context.write(&command, update).await
    }

    /// Deletes an item that no order wants and that lies nowhere.
    pub async fn delete(&self, command: Command, id: Id<InventoryItem>) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let delete = async move |tx: &mut Tx<'_>| {
            let old = found(inventory_items::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(old.version))?;
            ensure(!inventory_items::is_used(tx, owner, id).await?, Code::InventoryItemInUse)?;
            inventory_barcodes::delete_of_item(tx, owner, id).await?;
            inventory_items::delete(tx, owner, id, &old).await?;
            log.append(tx, &Event::new("inventory_item.deleted", id, &old.doc)).await?;
            Ok(Reply::gone())
        };
        self.context.write(&command, delete).await
    }
}

/// Merges a patch into a locked item, and returns its new document. Refuses a SKU or a barcode that another item has.
pub(crate) async fn update_item(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<InventoryItem>,
    stored: &StoredInventoryItem,
    patch: Value,
    log: &EventLog,
) -> Result<String> {
    let old = parse_json(stored.doc.as_bytes())?;
    let created_at = serde_json::from_value(old["created_at"].clone()).map_err(Error::fault)?;
    let input: InventoryItemInput = shape::parse_patch(old.clone(), patch)?;
    let user = inventory_items::sku_user(tx, owner, &input.sku).await?;
    if user.is_some_and(|user| user != id) {
        return Err(sku_taken());
    }
    let (keys, codes) = (keys_of(&input), input.comparable_barcodes());
    let new = InventoryItem { id, details: input, created_at, updated_at: log.now() };
    let new = serde_json::to_value(new).map_err(Error::fault)?;
    let doc = new.to_string();
    inventory_items::update(tx, owner, id, stored, &keys, &doc).await?;
    if old["barcodes"] != new["barcodes"] {
        inventory_barcodes::delete_of_item(tx, owner, id).await?;
        claim_barcodes(tx, owner, id, &codes).await?;
    }
    let event = Event::new("inventory_item.updated", id, &doc);
    log.append(tx, &event.changed_from(previous_attributes(&old, &new))).await?;
    Ok(doc)
}

fn keys_of(input: &InventoryItemInput) -> ItemKeys {
    ItemKeys { sku: input.sku.clone(), name_key: name_key(&input.name) }
}

/// Gives barcodes to an item, or refuses if another item has one. `codes` are in the order of the request.
async fn claim_barcodes(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<InventoryItem>,
    codes: &[String],
) -> Result<()> {
    if codes.is_empty() {
        return Ok(());
    }
    let taken = inventory_barcodes::insert(tx, owner, id, codes).await?;
    let at_fault = codes.iter().enumerate().filter(|(_, code)| taken.contains(*code));
    let issues: Vec<Issue> = at_fault
        .map(|(place, code)| {
            let message = format!("Another item has the barcode {code}.");
            Issue::new(Code::BarcodeTaken.as_str(), format!("/barcodes/{place}"), message)
                .with("barcode", code.as_str())
        })
        .collect();
    match issues.is_empty() {
        true => Ok(()),
        false => Err(Problem::fields(Code::BarcodeTaken, issues).into()),
    }
}

/// An item that is to be inserted. Orders that wait for its SKU are completed in the same transaction, by
/// `orders/matching.rs`.
pub(crate) struct NewItem {
    pub id: Id<InventoryItem>,
    keys: ItemKeys,
    /// Barcodes as they are compared, in the order of the request.
    codes: Vec<String>,
    doc: String,
}

impl NewItem {
    pub fn new(id: Id<InventoryItem>, input: InventoryItemInput, now: Timestamp) -> Result<Self> {
        let (keys, codes) = (keys_of(&input), input.comparable_barcodes());
        let doc = json(&InventoryItem { id, details: input, created_at: now, updated_at: now })?;
        Ok(Self { id, keys, codes, doc })
    }

    /// Inserts the item, and tells of it. Refuses a SKU or a barcode that another item has.
    pub async fn insert(&self, tx: &mut Tx<'_>, owner: Owner, log: &EventLog) -> Result<Reply> {
        if !inventory_items::insert(tx, owner, self.id, &self.keys, &self.doc).await? {
            return Err(sku_taken());
        }
        claim_barcodes(tx, owner, self.id, &self.codes).await?;
        log.append(tx, &Event::new("inventory_item.created", self.id, &self.doc)).await?;
        let path = format!("/inventory_items/{}", self.id);
        Ok(Reply::created(path, Some(version_etag(1)), self.doc.clone()))
    }
}

fn sku_taken() -> Error {
    Problem::field(Code::SkuTaken, Issue::new(Code::SkuTaken.as_str(), "/sku", "Another item has this SKU."))
        .into()
}
