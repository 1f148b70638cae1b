//! Messages that carriers post about parcels and refunds. They are trusted by their signature alone.
//!
//! A carrier sends no access token. The account in the path says which organisation a message is for, and the signature with
//! the account's secret proves that the carrier sent it. An account without a secret accepts no messages.

use ::carriers::easypost::{self, Message, News};
use bytes::Bytes;
use model::events::actor::Actor;
use model::shipping::carrier::CarrierAccount;
use model::{Code, Id, Owner, Result, Timestamp, ensure};
use serde_json::Value;
use store::shipping::carrier_accounts::{self, StoredCarrierAccount};
use store::shipping::{purchases, tracking_events};
use store::{Access, Tx};

use crate::events::events::EventLog;
use crate::platform::context::Context;
use crate::shipping::carrier_accounts::CarrierAccounts;
use crate::shipping::purchasing::Purchasing;
use crate::shipping::purchasing::move_on;

/// The name of the secret among an account's credentials.
const SECRET: &str = "webhook_secret";

/// Takes the messages that carriers post.
#[derive(Clone)]
pub struct CarrierWebhooks {
    context: Context,
    carrier_accounts: CarrierAccounts,
    purchasing: Purchasing,
}

impl CarrierWebhooks {
    pub(crate) fn new(
        context: &Context,
        carrier_accounts: &CarrierAccounts,
        purchasing: &Purchasing,
    ) -> Self {
        Self {
            context: context.clone(),
            carrier_accounts: carrier_accounts.clone(),
            purchasing: purchasing.clone(),
        }
    }

    /// Takes a carrier's message, once. A sender without a valid signature gets the same refusal whether or not the account
    /// exists.
    pub async fn take_carrier_message(
        &self,
        account: Option<Id<CarrierAccount>>,
        signature: Option<&str>,
        body: Bytes,
    ) -> Result<()> {
        let found = match account {
            Some(id) => {
                let read = self
                    .context
                    .db()
                    .read(Access::System, async move |tx| carrier_accounts::find(tx, id).await);
                read.await?
            }
            None => None,
        };
        let secret =
            found.as_ref().map(|(owner, account)| self.webhook_secret(*owner, account)).transpose()?;
        let secret = secret.flatten();
        // Verify even without a secret, so that the time of the answer does not reveal whether the account exists.
        let is_signed =
            easypost::is_signed(secret.as_deref().unwrap_or_default(), signature.unwrap_or_default(), &body);
        ensure(is_signed && secret.is_some(), Code::InvalidSignature)?;
        let Some((owner, account)) = found else { return Err(Code::InvalidSignature.into()) };
        let message = easypost::message(&body).ok_or(Code::CarrierMessageInvalid)?;
        if message.news == News::Other {
            return Ok(());
        }
        let now = self.context.now();
        let events = self.context.event_log(Actor::Carrier, owner, now);
        let take = self
            .context
            .db()
            .write(owner, async move |tx| take(tx, owner, account.id, &message, &events, now).await);
        Box::pin(take).await?;
        self.context.notice(owner);
        self.purchasing.notify();
        Ok(())
    }

    /// Returns the secret that an account shares with its carrier, if the carrier signs and the account has one.
    fn webhook_secret(&self, owner: Owner, account: &StoredCarrierAccount) -> Result<Option<String>> {
        if account.carrier != easypost::HANDLE {
            return Ok(None);
        }
        let credentials = self.carrier_accounts.open_credentials(owner, account)?;
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
            // The parcel belongs to another user of the same carrier key, or its purchase was voided.
            let Some(shipment) = purchases::by_number(tx, owner, account, tracking_number).await? else {
                return Ok(());
            };
            move_on(tx, owner, shipment, tracked, events).await
        }
        // Money is at stake, so the carrier is asked what became of the refund, as the timer does. This only makes that due now.
        News::Refund(purchase) => purchases::hasten_void(tx, owner, account, purchase, now).await,
        News::Other => Ok(()),
    }
}
