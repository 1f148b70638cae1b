//! Provisioning: an organisation asks for its events to be sent to it, and may take that back.
//!
//! The log is kept either way. What is provisioned is being sent events: by webhooks and by streams.

use model::Result;
use realtime::code::Disconnect;
use store::Tx;
use store::access::provisions;
use store::events::webhook_endpoints;

use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::events::bus::Bus;
use crate::events::stream::{Streams, centrifugo};
use crate::platform::context::Context;

/// Operations on the provisions of organisations.
#[derive(Clone)]
pub struct Provisions {
    context: Context,
    bus: Bus,
    streams: Streams,
}

impl Provisions {
    pub(crate) fn new(context: &Context, bus: &Bus, streams: &Streams) -> Self {
        Self { context: context.clone(), bus: bus.clone(), streams: streams.clone() }
    }

    /// Lets the organisation set up receivers of its events. Doing it again changes nothing.
    pub async fn create(&self, command: Command) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let provision = async move |tx: &mut Tx<'_>| {
            provisions::insert(tx, owner, now).await?;
            Ok(Reply::gone())
        };
        self.context.write(&command, provision).await
    }

    /// Deletes the provision, and with it everything that receives the organisation's events. Repeating it changes nothing.
    pub async fn delete(&self, command: Command) -> Result<Reply> {
        let owner = command.caller.owner;
        let deprovision = async move |tx: &mut Tx<'_>| {
            // First, because the delete waits for transactions that hold the provision's row to set up a receiver: the statements
            // below then see that receiver.
            provisions::delete(tx, owner).await?;
            webhook_endpoints::delete_all(tx, owner).await?;
            centrifugo::end(tx, owner, None, Disconnect::FORCE).await?;
            Ok(Reply::gone())
        };
        let reply = self.context.write(&command, deprovision).await;
        self.streams.end_streams(owner).await;
        self.bus.hint_access(&reply);
        reply
    }
}
