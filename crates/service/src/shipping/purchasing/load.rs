//! Reads the shipment and the account of a purchase for its turn, and releases a purchase whose turn failed.
//!
//! A row that can't be read does not hold up other purchases: it is due again later, and shows the error.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use ::carriers::{Capabilities, Outcome};
use model::shipping::purchase::State;
use model::shipping::shipment::{ErrorCode, ErrorType, Shipment, ShipmentError, Source};
use model::{Error, Id, Owner, Result};
use store::shipping::purchases::{self, Purchase};
use store::shipping::{carrier_accounts, shipments};
use tracing::{error, warn};

use super::job::{Job, log_decision};
use super::settle::{INSIST, INSIST_REST, change};
use crate::platform::backoff::backoff_seconds;
use crate::platform::resource::json;
use crate::shipping::purchasing::Purchasing;
use crate::shipping::shipments::read_shipment;

/// How long a purchase waits after its result could not be recorded, in seconds.
const GIVEN_BACK_SECONDS: i64 = 5;
/// The capabilities of an account that can't be opened. With them a purchase whose outcome is unknown waits until the
/// carrier can be asked again, or until a person has to review it.
const UNOPENED: Capabilities = Capabilities {
    is_idempotent: false,
    can_look_up: true,
    can_void: false,
    can_manifest: false,
    can_track: false,
    label_formats: &[],
    packages_max: 99,
    visibility_delay: Duration::ZERO,
};

/// The result of reading what a purchase needs.
pub enum Loaded {
    Job(Box<Job>),
    /// The shipment or the account was deleted.
    Gone,
    /// The shipment or the account exists, but can't be read.
    Unreadable(ShipmentError),
}

impl Purchasing {
    /// Reads the shipment and the account of a purchase. If the database fails, it tries again a bounded number of times.
    pub(super) async fn insist_on_loading(&self, node: &Arc<str>, purchase: &Purchase) -> Result<Loaded> {
        for _ in 1..INSIST {
            match self.read_jobs(purchase.owner, node, std::slice::from_ref(purchase)).await {
                Ok(mut loaded) => return Ok(loaded.pop().unwrap_or(Loaded::Gone)),
                Err(error) => warn!(%error, "reading a claimed purchase failed, retrying"),
            }
            if !self.nodes.is_node(node) {
                break;
            }
            tokio::time::sleep(INSIST_REST).await;
        }
        Err(Error::fault("what a purchase needs could not be read"))
    }

    /// Reads the shipments and the accounts of one owner's purchases in one transaction. Returns `None` for a purchase whose
    /// shipment or account is gone or can't be read.
    pub(super) async fn load_all(
        &self,
        owner: Owner,
        node: &Arc<str>,
        purchases: &[Purchase],
    ) -> Result<Vec<Option<Box<Job>>>> {
        let job = |loaded| match loaded {
            Loaded::Job(job) => Some(job),
            Loaded::Gone | Loaded::Unreadable(_) => None,
        };
        Ok(self.read_jobs(owner, node, purchases).await?.into_iter().map(job).collect())
    }

    async fn read_jobs(&self, owner: Owner, node: &Arc<str>, purchases: &[Purchase]) -> Result<Vec<Loaded>> {
        let ids: Vec<Id<Shipment>> = purchases.iter().map(|purchase| purchase.shipment).collect();
        let wanted: BTreeSet<_> = purchases.iter().map(|purchase| purchase.account).collect();
        let read = self.context.db().read(owner, async move |tx| {
            let mut accounts = Vec::with_capacity(wanted.len());
            for id in &wanted {
                accounts.extend(carrier_accounts::get(tx, owner, *id).await?);
            }
            Ok((shipments::all(tx, owner, &ids).await?, accounts))
        });
        let (stored, stored_accounts) = read.await?;
        let shipments: HashMap<_, _> =
            stored.into_iter().map(|stored| (stored.id, Arc::new(stored))).collect();
        let mut accounts = HashMap::new();
        for stored in &stored_accounts {
            if let Some(connector) = ::carriers::connector(&stored.carrier) {
                let opened = self.carrier_accounts.open_account(owner, stored).map(Arc::new);
                accounts
                    .insert(stored.id, (connector, opened.map_err(|error| unreadable("account", &error))));
            }
        }
        let job = |purchase: &Purchase| {
            let (Some(stored), Some((connector, account))) =
                (shipments.get(&purchase.shipment), accounts.get(&purchase.account))
            else {
                return Loaded::Gone;
            };
            let account = match account {
                Ok(account) => Arc::clone(account),
                Err(why) => return Loaded::Unreadable(why.clone()),
            };
            let shipment = match read_shipment(stored) {
                Ok(shipment) => shipment,
                Err(error) => return Loaded::Unreadable(unreadable("shipment", &error)),
            };
            Loaded::Job(Box::new(Job {
                node: Arc::clone(node),
                purchase: purchase.clone(),
                stored: Arc::clone(stored),
                shipment,
                connector: *connector,
                account,
                slot: None,
            }))
        };
        Ok(purchases.iter().map(job).collect())
    }

    /// Ends a purchase whose account is gone: the carrier can't be asked for anything any more.
    pub(super) async fn let_go(&self, purchase: Purchase) -> Result<()> {
        let message = "The carrier account was deleted.";
        let code = ErrorCode::CredentialsInvalid;
        let error = ShipmentError::new(ErrorType::Purchase, code, Source::Service, message);
        self.settle_without_account(purchase, error).await
    }

    /// Postpones a purchase whose shipment or account can't be read. The same rules apply as if the carrier could not be
    /// reached.
    pub(super) async fn park(&self, mut purchase: Purchase, why: ShipmentError) -> Result<()> {
        let facts = self.facts_of(&purchase, UNOPENED);
        let unsent = Outcome::Unsent { why: why.clone(), retry_after: None };
        let next = match purchase.state {
            State::Ready => facts.after_buying(unsent),
            State::Calling => {
                let call = self.settings.call_seconds as i64;
                facts.after_crash(self.context.now().plus_seconds(call))
            }
            State::Checking => facts.after_look_up(unsent),
            _ => return self.release(&purchase, backoff_seconds(purchase.failures + 1), Some(why)).await,
        };
        log_decision(&purchase, "unreadable", &next, self.context.now());
        let error = change(&mut purchase, next)?;
        self.record(purchase, error).await
    }

    /// Releases a purchase whose turn failed. Its committed state stays, so a call that may have been sent is looked up.
    pub(super) async fn give_back(&self, node: &str, purchase: &Purchase) {
        let Err(error) = self.release(purchase, GIVEN_BACK_SECONDS, None).await else { return };
        warn!(%error, "purchase not released: this node takes another name");
        // If this node has changed its name since, other nodes can claim the purchase already.
        if self.nodes.is_node(node) {
            self.nodes.disown();
        }
    }

    async fn release(
        &self,
        purchase: &Purchase,
        rest_seconds: i64,
        why: Option<ShipmentError>,
    ) -> Result<()> {
        let (purchase, now) = (purchase.clone(), self.context.now());
        let due_at = now.plus_seconds(rest_seconds);
        let error = why.as_ref().map(json).transpose()?;
        let release = self.context.db().write(purchase.owner, async move |tx| {
            purchases::release(tx, &purchase, due_at, error.as_deref(), now).await
        });
        release.await
    }
}

fn unreadable(what: &str, error: &Error) -> ShipmentError {
    error!(%error, "the {what} of a purchase can't be read");
    let message = format!("The {what} can't be read: was it sealed with another encryption key?");
    ShipmentError::new(ErrorType::Purchase, ErrorCode::CredentialsInvalid, Source::Service, message)
}
