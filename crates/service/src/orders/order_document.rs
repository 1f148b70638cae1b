//! A locked order: its document as it was read and as it becomes. A transaction writes it once.

use model::orders::fulfilment::Fulfilment;
use model::orders::indexed_order::IndexedOrder;
use model::orders::order::{Order, Status};
use model::orders::order_line::OrderLine;
use model::orders::order_progress::OrderProgress;
use model::platform::json::{parse as parse_json, previous_attributes};
use model::{Allocation, Error, Event, Id, Owner, Result, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::Tx;
use store::orders::orders::StoredOrder;
use store::orders::{allocations, orders};

use crate::access::reply::Reply;
use crate::platform::resource::{found, version_etag};

/// An order that is locked until the transaction ends.
pub struct LockedOrder {
    pub id: Id<Order>,
    /// The status before the change.
    pub status: Status,
    pub version: i64,
    pub before: Value,
    pub after: Value,
    /// The document before the change, as text.
    doc: String,
}

impl LockedOrder {
    /// Locks an order. Refuses one that does not exist.
    pub async fn lock(tx: &mut Tx<'_>, owner: Owner, id: Id<Order>) -> Result<Self> {
        Self::of(id, found(orders::get_for_update(tx, owner, id).await?)?)
    }

    /// Returns an order that the transaction has locked already.
    pub fn of(id: Id<Order>, stored: StoredOrder) -> Result<Self> {
        let before = parse_json(stored.doc.as_bytes())?;
        let after = before.clone();
        Ok(Self { id, status: stored.status, version: stored.version, before, after, doc: stored.doc })
    }

    /// Returns the entity tag before the change.
    pub fn etag(&self) -> String {
        version_etag(self.version)
    }

    /// Reads a field of the changed document. A missing field and null are the default.
    pub fn get<T: DeserializeOwned + Default>(&self, field: &str) -> Result<T> {
        match self.after.get(field) {
            None | Some(Value::Null) => Ok(T::default()),
            Some(value) => serde_json::from_value(value.clone()).map_err(Error::fault),
        }
    }

    pub fn set(&mut self, field: &str, value: &impl Serialize) -> Result<()> {
        self.after[field] = serde_json::to_value(value).map_err(Error::fault)?;
        Ok(())
    }

    pub fn lines(&self) -> Result<Vec<OrderLine>> {
        self.get("lines")
    }

    /// Returns whether a line waits for an item.
    pub fn has_unmatched_lines(&self) -> Result<bool> {
        Ok(self.lines()?.iter().any(OrderLine::is_unmatched))
    }

    pub fn is_held(&self) -> bool {
        self.after["hold"].is_object()
    }

    pub fn progress(&self) -> Result<OrderProgress> {
        OrderProgress::deserialize(&self.after).map_err(Error::fault)
    }

    pub fn set_progress(&mut self, progress: &OrderProgress) -> Result<()> {
        let Value::Object(fields) = serde_json::to_value(progress).map_err(Error::fault)? else {
            return Err(Error::fault("an order's progress is an object"));
        };
        for (name, value) in fields {
            self.after[name.as_str()] = value;
        }
        Ok(())
    }

    /// Returns how far the order is. An older server may have written the order without it; then the allocations say.
    pub async fn fulfilment(&self, tx: &mut Tx<'_>, owner: Owner) -> Result<Fulfilment> {
        if self.after["fulfilment"].is_object() {
            return self.get("fulfilment");
        }
        let held = allocations::of_order(tx, owner, self.id).await?;
        let wanted = orders::lines(tx, owner, self.id).await?.iter().map(|line| line.quantity).sum();
        Ok(Fulfilment::default().with_quantities(Allocation::quantities(wanted, &held)))
    }

    /// Writes the changed document with its columns and facets, and returns it as text.
    pub async fn write(&mut self, tx: &mut Tx<'_>, owner: Owner, now: Timestamp) -> Result<String> {
        self.set("updated_at", &now)?;
        let doc = self.after.to_string();
        let (old, new) = (IndexedOrder::of(&self.before)?, IndexedOrder::of(&self.after)?);
        orders::update(tx, owner, &old, &new, &doc).await?;
        Ok(doc)
    }

    /// Returns the event of the change, with the fields that it changed.
    pub fn updated(&self, doc: &str) -> Event {
        Event::new("order.updated", self.id, doc).changed_from(previous_attributes(&self.before, &self.after))
    }

    /// Returns the answer of a request that changed the order.
    pub fn reply(&self, doc: String) -> Reply {
        Reply::resource(version_etag(self.version + 1), doc)
    }

    /// Returns the answer of a request that found nothing to change.
    pub fn unchanged(self) -> Reply {
        Reply::resource(version_etag(self.version), self.doc)
    }

    /// Returns the document before the change, as text.
    pub fn text_before(&self) -> &str {
        &self.doc
    }
}
