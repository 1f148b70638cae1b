//! Short picks: units of a shipment that a picker did not find.
//!
//! Before the purchase the units leave the shipment, which keeps what can be sent. After it the order gets an exception, because
//! what was bought can't change.

use model::fulfilment::scan::{PackedUnits, Short, ShortInput, ShortItem, take_out};
use model::orders::order_exception::{ExceptionCode, OrderException};
use model::platform::problem::Issue;
use model::shipping::shipment::Status;
use model::stock::inventory_item::InventoryItemInput;
use model::{Code, Error, Event, Id, Order, Problem, Result, Shipment};
use store::Tx;
use store::fulfilment::scans;
use store::orders::orders;
use store::shipping::shipments::{self, StoredShipment};
use store::stock::inventory_items;

use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::events::events::EventLog;
use crate::fulfilment::scans::{packed_units, require_shipments, scope_named};
use crate::orders::order_document::LockedOrder;
use crate::platform::context::Context;
use crate::platform::resource::{found, json};
use crate::shipping::batches::ensure_member_changeable;
use crate::shipping::order_contents::{OrderContents, shipment_kind};
use crate::shipping::shipments::{change_shipment, delete_open, ensure_version, read_shipment};

/// Short picks.
#[derive(Clone)]
pub struct Shorts {
    context: Context,
}

/// A locked shipment of which units are missing.
struct ShortShipment<'a> {
    stored: &'a StoredShipment,
    shipment: &'a Shipment,
    order: Id<Order>,
    packed: PackedUnits,
}

impl Shorts {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Takes missing units out of a shipment that is not bought, or reports them to the order of one that is.
    pub async fn create(&self, command: Command, id: Id<Shipment>, input: ShortInput) -> Result<Reply> {
        require_shipments(&command.caller)?;
        if input.adjust_stock {
            command.caller.require(scope_named("inventory:write")?)?;
        }
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let create = async move |tx: &mut Tx<'_>| {
            let mut contents = OrderContents::lock(tx, owner, &[id]).await?;
            let stored = found(shipments::get_for_update(tx, owner, id).await?)?;
            ensure_version(&precondition, stored.version)?;
            let shipment = read_shipment(&stored)?;
            match stored.status {
                Status::Purchasing => return Err(Code::ShipmentPurchasing.into()),
                Status::Voided => return Err(Code::ShipmentVoided.into()),
                _ => {}
            }
            let order = shipment.order_id.ok_or(Code::ShipmentWithoutOrder)?;
            let packed = packed_units(tx, owner, id).await?;
            ensure_missing(&packed, &shipment, &input)?;
            let of = ShortShipment { stored: &stored, shipment: &shipment, order, packed };
            let short = match stored.status {
                Status::Purchased => report(tx, contents, &of, &input, &log).await?,
                _ => {
                    ensure_member_changeable(tx, owner, &stored).await?;
                    let short = repack(tx, &mut contents, &of, &input, &log).await?;
                    contents.write(tx, &log).await?;
                    short
                }
            };
            Ok(Reply::created(format!("/orders/{order}"), None, json(&short)?))
        };
        self.context.write(&command, create).await
    }
}

/// Refuses more units than the shipment misses.
fn ensure_missing(packed: &PackedUnits, shipment: &Shipment, input: &ShortInput) -> Result<()> {
    let missing = packed.missing(&shipment.details.packages, input.item_id);
    if missing.is_empty() {
        let code = Code::ItemNotInShipment;
        let issue = Issue::new(code.as_str(), "/item_id", "No package of the shipment holds this item.");
        return Err(Problem::field(code, issue).into());
    }
    let available: i64 = missing.iter().map(|part| part.quantity).sum();
    if input.quantity <= available {
        return Ok(());
    }
    let code = Code::ShortExceedsMissing;
    let issue = Issue::new(code.as_str(), "/quantity", format!("{available} are missing."));
    Err(Problem::field(code, issue.with("requested", input.quantity).with("available", available)).into())
}

impl ShortShipment<'_> {
    fn short(&self, input: &ShortInput) -> Short {
        Short {
            shipment_id: self.shipment.id,
            order_id: self.order,
            item_id: input.item_id,
            quantity: input.quantity,
            reason: input.reason.clone(),
            written_off_quantity: 0,
            allocation_ids: Vec::new(),
            is_shipment_deleted: false,
            exception_id: None,
        }
    }
}

/// Takes the units out of the packages and the customs lines. A shipment with nothing left is deleted.
async fn repack(
    tx: &mut Tx<'_>,
    contents: &mut OrderContents,
    of: &ShortShipment<'_>,
    input: &ShortInput,
    log: &EventLog,
) -> Result<Short> {
    let (owner, id) = (contents.owner(), of.shipment.id);
    let mut short = of.short(input);
    short.allocation_ids = contents.take_out(id, input.item_id, input.quantity, log)?;
    if let Some(freed) = short.allocation_ids.first().filter(|_| input.adjust_stock) {
        short.written_off_quantity = contents.write_off(of.order, *freed, input.quantity, &input.reason);
    }
    if of.shipment.units().values().sum::<i64>() == input.quantity {
        short.is_shipment_deleted = true;
        delete_open(tx, owner, of.stored, log).await?;
        contents.free(id);
        return Ok(short);
    }
    let docs = inventory_items::docs(tx, owner, &[input.item_id]).await?;
    let (_, doc) = found(docs.into_iter().next())?;
    let item: InventoryItemInput = serde_json::from_str(&doc).map_err(Error::fault)?;
    let item = ShortItem { id: input.item_id, sku: &item.sku, mass: item.mass };
    let repacked = take_out(&of.shipment.details, &of.packed, item, input.quantity)?;
    for removed in repacked.removed.iter().rev() {
        scans::move_up(tx, owner, id, *removed).await?;
    }
    let mut new = of.shipment.unrated(repacked.details, log.now());
    let packed = packed_units(tx, owner, id).await?;
    let is_complete = packed.progress(&new.details.packages).is_complete;
    new.packed_at = is_complete.then(|| log.now());
    let shown = change_shipment(tx, owner, of.stored, &new, "shipment.updated", log).await?;
    if is_complete {
        log.append(tx, &Event::new("shipment.packed", id, &shown)).await?;
    }
    Ok(short)
}

/// Raises the exception `short` of the order. What was bought stays as it is.
async fn report(
    tx: &mut Tx<'_>,
    mut contents: OrderContents,
    of: &ShortShipment<'_>,
    input: &ShortInput,
    log: &EventLog,
) -> Result<Short> {
    let owner = contents.owner();
    let docs = inventory_items::docs(tx, owner, &[input.item_id]).await?;
    let item: Option<InventoryItemInput> =
        docs.first().map(|(_, doc)| serde_json::from_str(doc)).transpose().map_err(Error::fault)?;
    let sku = item.map_or_else(|| input.item_id.to_string(), |item| item.sku);
    let message = format!("{} of {sku} were not found: {}.", input.quantity, input.reason);
    contents.report_short(of.order, of.shipment.id, message);
    contents.write(tx, log).await?;
    let order = LockedOrder::of(of.order, found(orders::get(tx, owner, of.order).await?)?)?;
    let list: Vec<OrderException> = order.get("exceptions")?;
    let shipment = Some(shipment_kind(of.shipment.id));
    let is_it = |known: &&OrderException| {
        (known.code, known.shipment_id) == (ExceptionCode::Short, shipment) && known.resolved_at.is_none()
    };
    let exception_id = list.iter().find(is_it).map(|known| known.id);
    Ok(Short { exception_id, ..of.short(input) })
}
