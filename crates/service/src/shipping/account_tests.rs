//! Tests of carrier accounts: the carrier is asked for a price, which costs nothing, to see whether it lets the account in.

use std::time::Duration;

use ::carriers::{Outcome, Parcel, Task};
use model::platform::shape;
use model::shipping::carrier::{AccountTest, CarrierAccount, TestOutcome};
use model::shipping::shipment::ShipmentInput;
use model::{Code, Error, Id, Result};
use serde_json::{Value, json};
use store::places::locations;
use store::shipping::carrier_accounts;
use tokio::time::Instant;

use crate::access::caller::Caller;
use crate::platform::context::Context;
use crate::platform::resource::{found, json as json_text};
use crate::shipping::carrier_accounts::CarrierAccounts;
use crate::shipping::carrier_calls::CarrierCalls;

/// Tests carrier accounts.
#[derive(Clone)]
pub struct AccountTests {
    context: Context,
    carrier_accounts: CarrierAccounts,
    calls: CarrierCalls,
    /// How long the carrier may take to answer.
    rate_seconds: u64,
}

impl AccountTests {
    pub(crate) fn new(
        context: &Context,
        carrier_accounts: &CarrierAccounts,
        calls: &CarrierCalls,
        rate_seconds: u64,
    ) -> Self {
        Self {
            context: context.clone(),
            carrier_accounts: carrier_accounts.clone(),
            calls: calls.clone(),
            rate_seconds,
        }
    }

    /// Asks the carrier for the price of a small parcel from the oldest location to itself. Nothing is stored.
    pub async fn test(&self, caller: &Caller, id: Id<CarrierAccount>) -> Result<String> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| {
            let account = found(carrier_accounts::get(tx, owner, id).await?)?;
            Ok((account, locations::all(tx, owner, 1).await?.pop()))
        });
        let (account, location) = read.await?;
        let (_, location) = location.ok_or(Code::LocationMissing)?;
        let parcel = self.parcel(&location)?;
        let opened = self.carrier_accounts.open_account(owner, &account)?;
        let connector = ::carriers::connector(&account.carrier).ok_or(Code::CarrierNotFound)?;
        let began = Instant::now();
        let limit = Duration::from_secs(self.rate_seconds);
        let outcome = self.calls.ask(owner, connector, &opened, &Task::Rate(&parcel), limit).await;
        let duration_ms = began.elapsed().as_millis() as u64;
        let (outcome, rate_count, message) = judge(outcome);
        json_text(&AccountTest { outcome, message, rate_count, duration_ms })
    }

    fn parcel(&self, location: &str) -> Result<Parcel> {
        let location: Value = serde_json::from_str(location).map_err(Error::fault)?;
        let place = &location["address"];
        // Carriers want a name. That of the location is internal, and is never sent.
        let contact = Some(&place["contact"]).filter(|contact| contact.is_object());
        let contact = contact.cloned().unwrap_or_else(|| json!({"name": "Connection test"}));
        let place = json!({"address": place["address"], "contact": contact});
        let details: ShipmentInput = shape::parse(json!({
            "addresses": {"origin": place, "destination": place},
            "packages": [{"geometry": {"length": 20, "width": 15, "height": 10, "mass": 1}}],
        }))?;
        Ok(Parcel::new(self.context.new_id(self.context.now()), &details))
    }
}

/// Returns what the carrier's answer says of the account, how many prices it gave, and its message.
fn judge(outcome: Outcome) -> (TestOutcome, u64, Option<String>) {
    match outcome {
        Outcome::Quoted(quotes) => {
            let message = quotes.errors.into_iter().next().map(|error| error.message);
            (TestOutcome::Connected, quotes.quotes.len() as u64, message)
        }
        Outcome::Unsent { why: error, .. } => (TestOutcome::Unreachable, 0, Some(error.message)),
        Outcome::Rejected(error) => (TestOutcome::Refused, 0, Some(error.message)),
        Outcome::Unknown(error) => (TestOutcome::Unclear, 0, Some(error.message)),
        _ => (TestOutcome::Unclear, 0, None),
    }
}
