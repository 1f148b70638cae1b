//! Exceptions of orders: raised by the part of the product that sees what went wrong, resolved by a person.

use model::events::actor::Actor;
use model::orders::order_exception::{
    ExceptionCode, ExceptionResolution, OrderException, add, add_or_extend,
};
use model::platform::id::ShipmentKind;
use model::{Code, Event, Id, Order, Owner, Result};
use store::Tx;

use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::events::events::EventLog;
use crate::orders::order_document::LockedOrder;
use crate::platform::context::Context;

/// What went wrong with an order.
#[derive(Clone, Debug)]
pub struct NewException {
    pub code: ExceptionCode,
    pub shipment: Option<Id<ShipmentKind>>,
    /// What happened, for a person.
    pub message: String,
}

/// Operations on the exceptions of orders.
#[derive(Clone)]
pub struct OrderExceptions {
    context: Context,
}

impl OrderExceptions {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Raises an exception in a transaction of its own, for work that has none with the order.
    pub async fn raise(&self, owner: Owner, order: Id<Order>, new: NewException) -> Result<()> {
        let log = self.context.event_log(Actor::System, owner, self.context.now());
        let raise = async move |tx: &mut Tx<'_>| raise(tx, owner, order, new.clone(), &log).await;
        self.context.db().write(owner, raise).await?;
        self.context.notice(owner);
        Ok(())
    }

    /// Resolves an exception of an order. Resolving it again changes nothing.
    pub async fn resolve(
        &self,
        command: Command,
        id: Id<Order>,
        exception: Id<OrderException>,
        input: ExceptionResolution,
    ) -> Result<Reply> {
        let (owner, user) = (command.caller.owner, command.caller.user);
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let resolve = async move |tx: &mut Tx<'_>| {
            let mut order = LockedOrder::lock(tx, owner, id).await?;
            let mut list: Vec<OrderException> = order.get("exceptions")?;
            let found = list.iter_mut().find(|known| known.id == exception).ok_or(Code::NotFound)?;
            if found.resolved_at.is_some() {
                return Ok(order.unchanged());
            }
            (found.resolved_at, found.resolved_by) = (Some(log.now()), Some(user));
            found.note.clone_from(&input.note);
            order.set("exceptions", &list)?;
            let doc = order.write(tx, owner, log.now()).await?;
            log.append(tx, &Event::new("order.exception_resolved", id, &doc)).await?;
            Ok(order.reply(doc))
        };
        self.context.write(&command, resolve).await
    }
}

/// Raises an exception of an order in the transaction that sees what went wrong. Locks the order. An exception with the
/// same code and shipment that is still open is not raised again.
pub async fn raise(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Order>,
    new: NewException,
    log: &EventLog,
) -> Result<()> {
    let mut order = LockedOrder::lock(tx, owner, id).await?;
    if !add_to(&mut order, new, log)? {
        return Ok(());
    }
    let doc = order.write(tx, owner, log.now()).await?;
    log.append(tx, &Event::new("order.exception_raised", id, &doc)).await
}

/// Adds an exception to an order that the caller has locked, writes, and tells of. Returns false if it is there already. Short
/// picks of one shipment share an exception, whose message names all of them.
pub fn add_to(order: &mut LockedOrder, new: NewException, log: &EventLog) -> Result<bool> {
    let mut list: Vec<OrderException> = order.get("exceptions")?;
    let exception = OrderException {
        id: log.new_id(),
        code: new.code,
        is_blocking: new.code.is_blocking(),
        shipment_id: new.shipment,
        message: new.message,
        created_at: log.now(),
        resolved_at: None,
        resolved_by: None,
        note: None,
    };
    let is_new = match exception.code {
        ExceptionCode::Short => add_or_extend(&mut list, exception),
        _ => add(&mut list, exception),
    };
    order.set("exceptions", &list)?;
    Ok(is_new)
}
