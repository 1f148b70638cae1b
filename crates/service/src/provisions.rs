//! Provisioning: an organisation asks for its events to be sent to it, and may take that back.
//!
//! The log is kept either way. What is provisioned is being sent events: by webhooks and by streams.

use model::{Code, Owner, Problem, Result};
use realtime::code::Disconnect;
use store::{Tx, provisions, webhook_endpoints};

use crate::stream::centrifugo;
use crate::{Command, Reply, Service};

impl Service {
    /// Lets the organisation set up receivers of its events. Doing it again changes nothing.
    pub async fn provision_events(&self, command: Command) -> Result<Reply> {
        let now = self.now();
        let owner = command.caller.owner;
        let provision = async move |tx: &mut Tx<'_>| {
            provisions::insert(tx, owner, now).await?;
            Ok(Reply::gone())
        };
        self.write(&command, provision).await
    }

    /// Takes the provision back, and with it all that receives the organisation's events. Doing it again changes
    /// nothing.
    pub async fn deprovision_events(&self, command: Command) -> Result<Reply> {
        let owner = command.caller.owner;
        let deprovision = async move |tx: &mut Tx<'_>| {
            // First, because it waits for whoever holds the provision to set up a receiver: what they made is then
            // seen below.
            provisions::delete(tx, owner).await?;
            webhook_endpoints::delete_all(tx, owner).await?;
            centrifugo::end(tx, owner, None, Disconnect::FORCE).await?;
            Ok(Reply::gone())
        };
        let reply = self.write(&command, deprovision).await;
        self.end_streams(owner).await;
        self.hint_access(&reply);
        reply
    }
}

/// Refuses an owner that is not provisioned.
pub async fn ensure_provisioned(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    if provisions::exists(tx, owner).await? { Ok(()) } else { Err(refusal()) }
}

/// As [`ensure_provisioned`], for whoever sets up a receiver: nobody takes the provision back, or sets up another one,
/// before this transaction ends.
pub async fn hold_provision(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    match provisions::get_for_update(tx, owner).await? {
        Some(_) => Ok(()),
        None => Err(refusal()),
    }
}

fn refusal() -> model::Error {
    let detail = "Call POST /events/provision first: it lets this organisation receive events. The live and the test \
                  world are provisioned apart.";
    Problem::from(Code::NotProvisioned).with_detail(detail).into()
}
