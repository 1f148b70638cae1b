//! Holds: put on an order by a request, ended by a request or, at their time, by the job.

use model::events::actor::Actor;
use model::orders::hold::Hold;
use model::orders::order_progress::Settled;
use model::platform::problem::Issue;
use model::{Code, Event, Id, Order, Owner, Problem, Result, ensure};
use store::orders::order_facets;
use store::{Access, Tx};
use tracing::warn;

use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::events::events::EventLog;
use crate::orders::matching::tell_settled;
use crate::orders::order_document::LockedOrder;
use crate::platform::context::Context;

/// Maximum number of holds that one look of the job ends.
const HOLDS_PER_LOOK: usize = 100;

/// Operations on the holds of orders.
#[derive(Clone)]
pub struct Holds {
    context: Context,
}

impl Holds {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Puts an open order on hold. Another hold takes the place of the one that is there; the same changes nothing.
    pub async fn hold(&self, command: Command, id: Id<Order>, hold: Hold) -> Result<Reply> {
        let owner = command.caller.owner;
        let now = self.context.now();
        if hold.until.is_some_and(|until| until <= now) {
            let issue = Issue::new("out_of_range", "/until", "Must be in the future.");
            return Err(Problem::body(vec![issue]).into());
        }
        let log = self.context.event_log(&command.caller, owner, now);
        let change = async move |tx: &mut Tx<'_>| {
            let mut order = LockedOrder::lock(tx, owner, id).await?;
            order.status.ensure_open()?;
            if order.get::<Option<Hold>>("hold")?.as_ref() == Some(&hold) {
                return Ok(order.unchanged());
            }
            order.set("hold", &hold)?;
            let doc = order.write(tx, owner, now).await?;
            log.append(tx, &Event::new("order.held", id, &doc)).await?;
            Ok(order.reply(doc))
        };
        self.context.write(&command, change).await
    }

    /// Ends the hold of an order. An order with lines that match no item stays on hold; one without a hold is not changed.
    pub async fn release(&self, command: Command, id: Id<Order>) -> Result<Reply> {
        let owner = command.caller.owner;
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let change = async move |tx: &mut Tx<'_>| {
            let mut order = LockedOrder::lock(tx, owner, id).await?;
            if !order.is_held() {
                return Ok(order.unchanged());
            }
            ensure(!order.has_unmatched_lines()?, Code::LinesUnmatched)?;
            order.set("hold", &None::<Hold>)?;
            let doc = order.write(tx, owner, log.now()).await?;
            log.append(tx, &Event::new("order.released", id, &doc)).await?;
            Ok(order.reply(doc))
        };
        self.context.write(&command, change).await
    }

    /// Ends the holds whose time has come. Several nodes may do it at once: each order is locked and looked at again.
    pub(crate) async fn release_due(&self) -> Result<()> {
        let now = self.context.now();
        loop {
            let look = self
                .context
                .db()
                .read(Access::System, async move |tx| order_facets::holds_due(tx, now, HOLDS_PER_LOOK).await);
            let due = look.await?;
            let (found, mut ended) = (due.len(), 0);
            for (organisation, order) in due {
                let log = self.context.event_log(Actor::Job("orders"), organisation, now);
                let end = self
                    .context
                    .db()
                    .write(organisation, async move |tx| end_due(tx, organisation, order, &log).await);
                // An order that can't be released now must not prevent the others.
                match end.await {
                    Ok(()) => ended += 1,
                    Err(error) => warn!(%error, %organisation, %order, "ending a hold failed, retrying"),
                }
                self.context.notice(organisation);
            }
            if found < HOLDS_PER_LOOK || ended == 0 {
                return Ok(());
            }
        }
    }
}

/// Ends the hold of an order if its time has come. An order whose lines match no item is then held for that reason.
async fn end_due(tx: &mut Tx<'_>, owner: Owner, id: Id<Order>, log: &EventLog) -> Result<()> {
    let mut order = match LockedOrder::lock(tx, owner, id).await {
        Err(model::Error::Refused(_)) => return Ok(()),
        order => order?,
    };
    let (mut progress, mut status, lines) = (order.progress()?, order.status, order.lines()?);
    let until = progress.hold.as_ref().and_then(|hold| hold.until);
    if until.is_none_or(|until| until > log.now()) {
        return Ok(());
    }
    progress.hold = None;
    let settled = match order.has_unmatched_lines()? {
        true => progress.settle(&mut status, &lines),
        false => Settled { is_released: true, ..Settled::default() },
    };
    order.set_progress(&progress)?;
    let doc = order.write(tx, owner, log.now()).await?;
    tell_settled(tx, owner, id, settled, &doc, log).await
}
