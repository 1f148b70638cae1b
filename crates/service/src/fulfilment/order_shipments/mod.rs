//! Shipments from orders: read what is needed, decide and pack outside a transaction, then write all or nothing.

mod gather;
mod prepare;
mod write;

use std::sync::Arc;

use model::fulfilment::order_shipment::OrderShipmentsInput;
use model::fulfilment::shipping_rule::Evaluation;
use model::{Code, Error, Id, Order, Owner, Problem, Result, Scope, Shipment};
use store::Tx;
use store::shipping::order_shipments;

use self::gather::gather;
pub use self::gather::{ShipRequest, ShipTerms};
pub use self::prepare::PreparedShipments;
pub use self::write::write;
use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::fulfilment::packings::Packings;
use crate::platform::context::Context;
use crate::platform::resource::{found, json};

/// How often shipments are prepared anew because the order changed meanwhile.
const ATTEMPTS_MAX: usize = 5;

/// Makes shipments from orders.
#[derive(Clone)]
pub struct OrderShipments {
    context: Context,
    packings: Packings,
}

impl OrderShipments {
    pub(crate) fn new(context: &Context, packings: &Packings) -> Self {
        Self { context: context.clone(), packings: packings.clone() }
    }

    /// Makes shipments from the allocations of an order: for each location one, or one for each package if the carrier takes
    /// only single packages. All or nothing.
    pub async fn create(
        &self,
        command: Command,
        order: Id<Order>,
        input: OrderShipmentsInput,
    ) -> Result<Reply> {
        for scope in ["orders", "allocations"].into_iter().filter_map(Scope::read) {
            command.caller.require(scope)?;
        }
        let owner = command.caller.owner;
        let request = Arc::new(ShipRequest { input, ..ShipRequest::default() });
        let mut attempt = 1;
        loop {
            let prepared = match self.prepare(owner, order, &request).await {
                Ok(prepared) => prepared,
                Err(Error::Refused(problem)) => return self.refuse(&command, *problem).await,
                Err(fault) => return Err(fault),
            };
            let (prepared, log) =
                (Arc::new(prepared), self.context.event_log(&command.caller, owner, self.context.now()));
            let make = async move |tx: &mut Tx<'_>| {
                let made = write(tx, owner, &prepared, &log).await?;
                let shown: Vec<_> = made.into_iter().map(|(_, shown)| shown).collect();
                Ok(Reply::created_many(format!("{{\"data\":[{}]}}", shown.join(","))))
            };
            match self.context.write(&command, make).await {
                Err(Error::Refused(problem))
                    if problem.code == Code::OrderChanged && attempt < ATTEMPTS_MAX =>
                {
                    attempt += 1;
                }
                done => return done,
            }
        }
    }

    /// Answers with what the shipping rules decided when a shipment was made, or refuses for one that was not made from an order.
    /// What was stored before an evaluation had all of its fields shows the others as null.
    pub async fn get_evaluation(&self, caller: &Caller, id: Id<Shipment>) -> Result<Reply> {
        if let Some(scope) = Scope::read("shipments") {
            caller.require(scope)?;
        }
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| {
            found(store::shipping::shipments::get(tx, owner, id).await?)?;
            let evaluation = order_shipments::evaluation(tx, owner, id).await?;
            evaluation.ok_or_else(|| Code::RuleEvaluationNotFound.into())
        });
        let evaluation: Evaluation = serde_json::from_str(&read.await?).map_err(Error::fault)?;
        Ok(Reply::done(json(&evaluation)?))
    }

    /// Reads an order, asks the rules, and packs what is to be shipped.
    pub(crate) async fn prepare(
        &self,
        owner: Owner,
        order: Id<Order>,
        request: &Arc<ShipRequest>,
    ) -> Result<PreparedShipments> {
        let (now, asked, input) = (self.context.now(), Arc::clone(request), &request.input);
        let read = self.context.db().read(owner, async move |tx| gather(tx, owner, order, &asked, now).await);
        let gathered = Arc::new(read.await?);
        let decided = gathered.decide(input)?;
        let packed = match &input.packages {
            Some(_) => None,
            None => {
                let to_pack = gathered.to_pack(&decided);
                Some(self.packings.search(owner, to_pack).await?)
            }
        };
        gathered.prepare(input, decided, packed)
    }

    /// Answers a refusal; but if the request had an answer before, with that one.
    async fn refuse(&self, command: &Command, problem: Problem) -> Result<Reply> {
        if command.idempotency.is_none() {
            return Err(problem.into());
        }
        self.context.write(command, async move |_: &mut Tx<'_>| Err(problem.clone().into())).await
    }
}
