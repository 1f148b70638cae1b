//! A turn: the work on a manifest while this node holds it.

use std::sync::Arc;

use ::carriers::{Account, Connector, Label, Manifested, Outcome, Task};
use model::events::actor::Actor;
use model::shipping::manifest::{Details, Status};
use model::shipping::shipment::{AddressRecord, ErrorCode, ErrorType, ShipmentError, Source};
use model::{Day, Error, Event, Owner, Result};
use store::Tx;
use store::shipping::documents::StoredFile;
use store::shipping::manifests::{self, Standing, StoredManifest};
use store::shipping::{batches, carrier_accounts, documents, hand_overs, manifest_shipments};
use tracing::{Instrument, error_span, warn};

use super::Manifests;
use super::next::{Facts, Next};
use super::show::told;
use crate::events::events::EventLog;
use crate::platform::resource::{found, json};
use crate::platform::set_aside::SET_ASIDE;
use crate::shipping::batches::{show, tell_if_manifested};
use crate::shipping::purchasing::insist;

/// What a request for a manifest needs.
struct Job {
    connector: &'static dyn Connector,
    account: Account,
    /// The carrier's own name of the manifest, if the carrier said that it works on it.
    named: Option<String>,
    /// The carrier's own names of the purchases that are handed over.
    purchases: Vec<String>,
    /// The last mailing date of the purchases.
    ship_on: Day,
    /// The address that the parcels leave from, as carriers may see it.
    origin: Option<AddressRecord>,
}

/// The error of a manifest whose carrier account can't be read.
fn unreadable() -> ShipmentError {
    let message =
        "The carrier account could not be read. If that lasts, it was sealed with another encryption key.";
    ShipmentError::new(ErrorType::Manifest, ErrorCode::CredentialsInvalid, Source::Service, message)
}

impl Manifests {
    /// Asks the carrier once. On return the claim is released. If that fails, the node takes another name, so that other nodes
    /// can take over.
    pub(crate) async fn manifest_turn(self, node: Arc<str>, manifest: StoredManifest) -> Result<()> {
        let organisation = manifest.owner;
        let span = error_span!("manifest", manifest = %manifest.id, %organisation, %node);
        Box::pin(self.take_manifest_turn(node, manifest)).instrument(span).await
    }

    async fn take_manifest_turn(self, node: Arc<str>, manifest: StoredManifest) -> Result<()> {
        let done = self.manifest_step(&node, &manifest).await;
        if let Err(error) = &done {
            warn!(%error, "manifest not recorded: it is left to other nodes");
            if self.nodes.is_node(&node) {
                self.nodes.disown();
            }
        }
        self.tell_manifesting();
        done
    }

    /// Ends a manifest as failed because servers stopped while they worked on it.
    pub(crate) async fn set_manifest_aside(&self, manifest: &StoredManifest) -> Result<()> {
        let next = Next::Failed(format!("{} Retry the manifest to ask for it once more.", SET_ASIDE));
        self.insist_on_manifest(manifest, &next, None).await
    }

    async fn manifest_step(&self, node: &str, manifest: &StoredManifest) -> Result<()> {
        let facts =
            Facts { now: self.context.now(), begun_at: manifest.begun_at, failures: manifest.failures };
        let next = match self.load_manifest(manifest).await {
            Ok(Some(job)) => facts.after_asking(self.ask_for_manifest(node, manifest, &job).await),
            Ok(None) => Next::Failed("The carrier account was deleted.".to_owned()),
            // Credentials that were sealed with another key, for example, fail this manifest alone. The node keeps its other
            // claims.
            Err(error) => {
                warn!(%error, "carrier account of a manifest can't be read, retrying");
                facts.after_asking(Outcome::Unsent { why: unreadable(), retry_after: None })
            }
        };
        let (next, file) = match next {
            Next::Created(manifested) => self.with_paper(manifest, manifested, &facts).await,
            next => (next, None),
        };
        self.insist_on_manifest(manifest, &next, file).await
    }

    async fn insist_on_manifest(
        &self,
        manifest: &StoredManifest,
        next: &Next,
        file: Option<StoredFile>,
    ) -> Result<()> {
        let mut attempt = 1;
        while let Err(error) = self.record_manifest(manifest, next, file.clone()).await {
            insist("what came of a manifest", &mut attempt, error).await?;
        }
        Ok(())
    }

    /// Reads what a request to the carrier needs. Returns `None` if the account is gone.
    async fn load_manifest(&self, manifest: &StoredManifest) -> Result<Option<Job>> {
        let (owner, id, account) = (manifest.owner, manifest.id, manifest.account);
        let read = self.context.db().read(owner, async move |tx| {
            let purchases = manifest_shipments::purchases_of(tx, owner, id).await?;
            Ok((carrier_accounts::get(tx, owner, account).await?, purchases))
        });
        let (Some(account), purchases) = read.await? else { return Ok(None) };
        let Some(connector) = ::carriers::connector(&account.carrier) else { return Ok(None) };
        let details: Details = serde_json::from_str(&manifest.details).map_err(Error::fault)?;
        Ok(Some(Job {
            connector,
            account: self.carrier_accounts.open_account(owner, &account)?,
            // Every repetition names the same day: it follows from the purchases.
            ship_on: purchases.iter().filter_map(|(_, day)| *day).max().unwrap_or(manifest.ship_date),
            purchases: purchases.into_iter().map(|(name, _)| name).collect(),
            origin: details.origin.as_ref().map(AddressRecord::outward),
            named: details.carrier_reference,
        }))
    }

    async fn ask_for_manifest(&self, node: &str, manifest: &StoredManifest, job: &Job) -> Outcome {
        let reference = manifest.id.to_string();
        if !job.connector.capabilities(&job.account).can_manifest {
            // Such a carrier needs no call. Dockside draws the paper, for the person who hands the parcels over.
            return Outcome::Manifested(Manifested { manifest: reference, form: Some(Label::Ours) });
        }
        let _place = self.purchasing.place_in_line(job.account.id, None).await;
        let task = Task::Manifest {
            reference: &reference,
            named: job.named.as_deref(),
            purchases: &job.purchases,
            ship_on: job.ship_on,
            origin: job.origin.as_ref(),
        };
        let is_ours = || self.nodes.is_node(node);
        self.calls
            .ask_if(manifest.owner, job.connector, &job.account, &task, self.purchasing.call_time(), &is_ours)
            .await
    }

    /// Makes or fetches the paper of a manifest that the carrier took. If that fails, the carrier is asked again, and answers the
    /// same.
    async fn with_paper(
        &self,
        manifest: &StoredManifest,
        manifested: Manifested,
        facts: &Facts,
    ) -> (Next, Option<StoredFile>) {
        match self.manifest_paper(manifest, manifested.form.as_ref()).await {
            Ok(file) => (Next::Created(manifested), Some(file)),
            Err(error) => {
                warn!(%error, "paper of a manifest can't be made or stored, retrying");
                (facts.after_fault(), None)
            }
        }
    }

    async fn record_manifest(
        &self,
        manifest: &StoredManifest,
        next: &Next,
        file: Option<StoredFile>,
    ) -> Result<()> {
        let (owner, now) = (manifest.owner, self.context.now());
        let (manifest, standing) = (manifest.clone(), standing(manifest, next)?);
        let events = self.context.event_log(Actor::Job("manifests"), owner, now);
        let record = self.context.db().write(owner, async move |tx| {
            // Lock the batches first, as everywhere. So if two manifests complete a batch, the later one sees the earlier.
            let batches = match standing.status {
                Status::Created => lock_batches(tx, &manifest).await?,
                Status::Creating | Status::Failed => Vec::new(),
            };
            if !manifests::record(tx, &manifest, &standing, now).await? {
                return Ok(());
            }
            let subject = manifest.id.to_string();
            if let Some(file) = &file {
                documents::insert(tx, owner, &subject, file, now).await?;
            }
            let event = match standing.status {
                Status::Creating => return Ok(()),
                Status::Created => "manifest.created",
                Status::Failed => "manifest.failed",
            };
            if standing.status == Status::Created {
                hand_overs::begin(tx, owner, manifest.id).await?;
            }
            let object = told(tx, owner, manifest.id).await?;
            events.append(tx, &Event::new(event, manifest.id, &object)).await?;
            tell_batches(tx, owner, &batches, &events).await
        });
        record.await?;
        self.context.notice(owner);
        Ok(())
    }
}

/// Returns the state of a manifest after the carrier was asked.
fn standing(manifest: &StoredManifest, next: &Next) -> Result<Standing> {
    let mut details: Details = serde_json::from_str(&manifest.details).map_err(Error::fault)?;
    let (status, due_at, failures) = match next {
        Next::Created(manifested) => {
            // The errors of earlier attempts are no longer relevant.
            details.messages.clear();
            details.carrier_reference = Some(manifested.manifest.clone());
            (Status::Created, None, 0)
        }
        Next::Failed(message) => {
            details.add_message(message.clone());
            (Status::Failed, None, manifest.failures)
        }
        Next::Again { due_at, failures, message, carrier_reference } => {
            if let Some(message) = message {
                details.add_message(message.clone());
            }
            if carrier_reference.is_some() {
                details.carrier_reference.clone_from(carrier_reference);
            }
            (Status::Creating, Some(*due_at), *failures)
        }
    };
    Ok(Standing { status, details: json(&details)?, due_at, failures })
}

/// Locks the finalised batches whose shipments a manifest contains.
async fn lock_batches(tx: &mut Tx<'_>, manifest: &StoredManifest) -> Result<Vec<batches::StoredBatch>> {
    let owner = manifest.owner;
    let mut locked = Vec::new();
    for batch in manifest_shipments::batches_of(tx, owner, manifest.id).await? {
        let batch = found(batches::get_for_update(tx, owner, batch).await?)?;
        if batch.status == model::shipping::batch::Status::Purchased {
            locked.push(batch);
        }
    }
    Ok(locked)
}

/// Writes an event for each batch whose shipments are all in manifests now.
async fn tell_batches(
    tx: &mut Tx<'_>,
    owner: Owner,
    of: &[batches::StoredBatch],
    events: &EventLog,
) -> Result<()> {
    for (batch, shown) in of.iter().zip(show(tx, owner, of).await?) {
        tell_if_manifested(tx, owner, batch, &shown, events).await?;
    }
    Ok(())
}
