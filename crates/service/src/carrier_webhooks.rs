//! What carriers post to us: news of parcels and of refunds, believed by their signature alone.
//!
//! Whoever calls carries no token of ours, so the account in the path says whose news it is, and its secret whether it is
//! true. Without a secret an account takes nothing.

use ::carriers::easypost::{self, Message, News};
use bytes::Bytes;
use model::carrier::CarrierAccount;
use model::{Code, Id, Owner, Result, Timestamp, ensure};
use serde_json::Value;
use store::carrier_accounts::{self, Stored};
use store::{Access, Tx, purchases, tracking_events};

use crate::Service;
use crate::events::EventLog;
use crate::purchasing::move_on;

/// The name of the secret among an account's credentials.
const SECRET: &str = "webhook_secret";

impl Service {
    /// Takes a carrier's message, once. Whoever can't prove to be the carrier does not learn whether there is such an
    /// account.
    pub async fn take_carrier_message(
        &self,
        account: Option<Id<CarrierAccount>>,
        signature: Option<&str>,
        body: Bytes,
    ) -> Result<()> {
        let found = match account {
            Some(id) => {
                let read =
                    self.db().read(Access::System, async move |tx| carrier_accounts::find(tx, id).await);
                read.await?
            }
            None => None,
        };
        let secret =
            found.as_ref().map(|(owner, account)| self.webhook_secret(*owner, account)).transpose()?;
        let secret = secret.flatten();
        // It takes as long where there is no secret.
        let is_signed =
            easypost::is_signed(secret.as_deref().unwrap_or_default(), signature.unwrap_or_default(), &body);
        ensure(is_signed && secret.is_some(), Code::InvalidSignature)?;
        let Some((owner, account)) = found else { return Err(Code::InvalidSignature.into()) };
        let message = easypost::message(&body).ok_or(Code::CarrierMessageInvalid)?;
        if message.news == News::Other {
            return Ok(());
        }
        let now = self.now();
        let events = self.event_log(owner, now);
        let take =
            self.db().write(owner, async move |tx| take(tx, owner, account.id, &message, &events, now).await);
        Box::pin(take).await?;
        self.notice(owner);
        self.ring_purchasing();
        Ok(())
    }

    /// The secret that an account shares with its carrier, where the carrier signs and the account has one.
    fn webhook_secret(&self, owner: Owner, account: &Stored) -> Result<Option<String>> {
        if account.carrier != easypost::HANDLE {
            return Ok(None);
        }
        let credentials = self.open_credentials(owner, account)?;
        let secret = credentials.get(SECRET).and_then(Value::as_str);
        Ok(secret.filter(|secret| !secret.is_empty()).map(str::to_owned))
    }
}

async fn take(
    tx: &mut Tx<'_>,
    owner: Owner,
    account: Id<CarrierAccount>,
    message: &Message,
    events: &EventLog,
    now: Timestamp,
) -> Result<()> {
    if !tracking_events::take_message(tx, owner, account, &message.id, now).await? {
        return Ok(());
    }
    match &message.news {
        News::Parcel { tracking_number, tracked } => {
            // A parcel of somebody who shares the key, or one that was taken back.
            let Some(shipment) = purchases::by_number(tx, owner, account, tracking_number).await? else {
                return Ok(());
            };
            move_on(tx, owner, shipment, tracked, events).await
        }
        // The carrier is asked what became of it: it is about money, and the answer is the same as to a timer.
        News::Refund(purchase) => purchases::hasten_void(tx, owner, account, purchase, now).await,
        News::Other => Ok(()),
    }
}
