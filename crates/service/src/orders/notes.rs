//! Notes of orders.

use model::orders::order_note::{NOTES_MAX, OrderNote, OrderNoteInput};
use model::{Code, Id, Order, Result, ensure};
use store::Tx;

use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::orders::order_document::LockedOrder;
use crate::platform::context::Context;

/// Operations on the notes of orders.
#[derive(Clone)]
pub struct OrderNotes {
    context: Context,
}

impl OrderNotes {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Adds a note to an order, whatever its status.
    pub async fn create(&self, command: Command, id: Id<Order>, input: OrderNoteInput) -> Result<Reply> {
        let owner = command.caller.owner;
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let create = async move |tx: &mut Tx<'_>| {
            let mut order = LockedOrder::lock(tx, owner, id).await?;
            let mut notes: Vec<OrderNote> = order.get("notes")?;
            ensure(notes.len() < NOTES_MAX, Code::TooManyNotes)?;
            notes.push(OrderNote { id: log.new_id(), details: input.clone(), created_at: log.now() });
            order.set("notes", &notes)?;
            let doc = order.write(tx, owner, log.now()).await?;
            log.append(tx, &order.updated(&doc)).await?;
            Ok(order.reply(doc))
        };
        self.context.write(&command, create).await
    }
}
