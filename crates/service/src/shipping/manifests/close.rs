//! Closing out a location's day or a batch. The manifests are stored in one transaction with their shipments, and the request
//! then waits for the carrier for a while.

use model::places::closing::Day;
use model::platform::problem::Issue;
use model::shipping::batch::Status as BatchStatus;
use model::shipping::manifest::{Details, ManifestInput, Status};
use model::shipping::shipment::Shipment;
use model::{Batch, CarrierAccount, Code, Error, Id, Location, Manifest, Owner, Problem, Result, Timestamp};
use store::Tx;
use store::places::locations;
use store::shipping::manifest_shipments;
use store::shipping::manifests::{self, Intent, StoredManifest};
use store::shipping::{batches, carrier_accounts, shipments};

use super::Manifests;
use super::group::{Days, Group, groups};
use super::show::{Whole, data};
use crate::access::reply::Outcome;
use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::platform::resource::{found, json};
use crate::platform::wait_deadline::{Wait, WaitDeadline};
use crate::shipping::account_details::details;
use crate::shipping::carrier_accounts::is_named;
use crate::shipping::shipments::read_shipment;

impl Manifests {
    /// Closes out a location's day: all shipments that are bought, leave from there and are in no manifest yet. A repeated
    /// request answers with the same manifests.
    pub async fn create(&self, command: Command, input: ManifestInput, wait: Wait) -> Result<Reply> {
        let (owner, now, location) = (command.caller.owner, self.context.now(), input.location.id);
        let name = input.carrier_account;
        let read = self.context.db().read(owner, async move |tx| {
            ensure_location(tx, owner, location).await?;
            let account = find_account(tx, owner, name.as_deref()).await?;
            Ok((account, manifest_shipments::open_of_location(tx, owner, location).await?))
        });
        let (account, open) = read.await?;
        let today = Day::of(now);
        let days = input.date.map_or(Days::UpTo(today), Days::One);
        let intents = self.intents(owner, groups(open, days, account), now).await?;
        let day = input.date.unwrap_or(today);
        let begin = async move |tx: &mut Tx<'_>| {
            let mut ids = begin_all(tx, owner, &intents, now).await?;
            let is_new = !ids.is_empty();
            let known = manifests::of_day(tx, owner, location, day, account).await?;
            ids.extend(known.iter().map(|manifest| manifest.id));
            begun(is_new, ids)
        };
        let begun = self.context.write(&command, begin).await?;
        self.notify();
        self.wait_for_manifests(owner, wait, begun, format!("/manifests?location={location}")).await
    }

    /// Makes the manifests of a batch that is bought. A repeated request answers with the same manifests.
    pub async fn create_of_batch(&self, command: Command, id: Id<Batch>, wait: Wait) -> Result<Reply> {
        let (owner, now) = (command.caller.owner, self.context.now());
        let read = self
            .context
            .db()
            .read(owner, async move |tx| manifest_shipments::open_of_batch(tx, owner, id).await);
        let intents = self.intents(owner, groups(read.await?, Days::All, None), now).await?;
        let begin = async move |tx: &mut Tx<'_>| {
            let batch = found(batches::get_for_update(tx, owner, id).await?)?;
            ensure_bought(batch.status)?;
            let is_new = !begin_all(tx, owner, &intents, now).await?.is_empty();
            let all = manifests::of_batch(tx, owner, id).await?;
            let standing = all.iter().filter(|manifest| manifest.status != Status::Failed);
            begun(is_new, standing.map(|manifest| manifest.id).collect())
        };
        let begun = self.context.write(&command, begin).await?;
        self.notify();
        self.wait_for_manifests(owner, wait, begun, format!("/batches/{id}/manifests")).await
    }

    /// Asks the carrier again for a manifest that failed, with those of its shipments that are still free.
    pub async fn retry(&self, command: Command, id: Id<Manifest>, wait: Wait) -> Result<Reply> {
        let (owner, now) = (command.caller.owner, self.context.now());
        let precondition = command.precondition.clone();
        let begin = async move |tx: &mut Tx<'_>| {
            let stored = found(manifests::get_for_update(tx, owner, id).await?)?;
            if stored.status == Status::Failed {
                crate::shipping::shipments::ensure_version(&precondition, stored.version)?;
                let mut details: Details = serde_json::from_str(&stored.details).map_err(Error::fault)?;
                details.messages.clear();
                let is_begun = manifests::begin_again(tx, &stored, &json(&details)?, now).await?;
                model::ensure(is_begun, Code::ManifestEmpty)?;
            }
            begun(false, vec![id])
        };
        let begun = self.context.write(&command, begin).await?;
        self.notify();
        let (reply, whole) = match self.await_manifests(owner, wait, begun).await? {
            Ok(ended) => ended,
            Err(refused) => return Ok(refused),
        };
        let is_creating = whole.is_creating();
        let mut shown = self.manifest_reply(owner, whole)?;
        shown.is_replayed = reply.is_replayed;
        if is_creating {
            shown.outcome = Outcome::Accepted;
            shown.location = Some(format!("/manifests/{id}"));
        }
        Ok(shown)
    }

    /// Waits until manifests are no longer `creating`, or until the deadline, and answers with them as they are then.
    async fn wait_for_manifests(
        &self,
        owner: Owner,
        wait: Wait,
        begun: Reply,
        location: String,
    ) -> Result<Reply> {
        let (mut reply, whole) = match self.await_manifests(owner, wait, begun).await? {
            Ok(ended) => ended,
            Err(refused) => return Ok(refused),
        };
        if whole.is_creating() {
            reply.outcome = Outcome::Accepted;
            reply.location = Some(location);
        }
        reply.body = data(&self.manifest_docs(owner, whole)?);
        Ok(reply)
    }

    /// Returns the manifests of an answer once they have ended, or at the deadline. If the answer is a refusal that was given
    /// before, returns the answer itself.
    async fn await_manifests(
        &self,
        owner: Owner,
        wait: Wait,
        begun: Reply,
    ) -> Result<std::result::Result<(Reply, Whole), Reply>> {
        if let Outcome::Refused(_) = begun.outcome {
            return Ok(Err(begun));
        }
        let ids: Vec<Id<Manifest>> = serde_json::from_str(&begun.body).map_err(Error::fault)?;
        let mut deadline = WaitDeadline::new(wait, self.state.news.subscribe());
        loop {
            let is_late = deadline.is_over();
            let wanted = ids.clone();
            let read =
                self.context.db().read(owner, async move |tx| manifests::get_many(tx, owner, &wanted).await);
            let is_over = |known: &[StoredManifest]| known.iter().all(|one| one.status != Status::Creating);
            let known = read.await?;
            if is_over(&known) || is_late {
                let read = self
                    .context
                    .db()
                    .read(owner, async move |tx| Whole::read(tx, owner, known.clone()).await);
                return Ok(Ok((begun, read.await?)));
            }
            deadline.rest().await;
        }
    }

    /// Returns the manifests to store for groups. What they show of their account and origin is taken from their first shipment.
    pub(super) async fn intents(
        &self,
        owner: Owner,
        groups: Vec<Group>,
        now: Timestamp,
    ) -> Result<Vec<Intent>> {
        let first: Vec<_> = groups.iter().filter_map(|group| group.shipments.first().copied()).collect();
        let read = self.context.db().read(owner, async move |tx| {
            let mut samples = Vec::with_capacity(first.len());
            for id in &first {
                samples.push(read_shipment(&found(shipments::get(tx, owner, *id).await?)?)?);
            }
            Ok(samples)
        });
        let samples = read.await?;
        // Ids in the order of the groups, so that the oldest day comes first.
        let mut ids: Vec<_> = groups.iter().map(|_| self.context.new_id(now)).collect();
        ids.sort();
        let each = ids.into_iter().zip(groups).zip(&samples);
        each.map(|((id, group), sample)| self.intent(id, group, sample, now)).collect()
    }

    fn intent(&self, id: Id<Manifest>, group: Group, sample: &Shipment, now: Timestamp) -> Result<Intent> {
        let chosen = sample.service.as_ref();
        let chosen = chosen.ok_or_else(|| Error::fault("what was bought has no service"))?;
        let details = Details {
            carrier_account: chosen.carrier_account.clone(),
            origin: sample.details.addresses.origin.clone(),
            messages: Vec::new(),
            carrier_reference: None,
        };
        Ok(Intent {
            id,
            account: group.account,
            carrier: chosen.carrier.handle.clone().unwrap_or_default(),
            location: group.location,
            ship_date: group.ship_date,
            details: json(&details)?,
            document: self.context.new_id(now),
            shipments: group.shipments,
        })
    }
}

/// Stores manifests. Returns those of which at least one shipment was still free.
pub async fn begin_all(
    tx: &mut Tx<'_>,
    owner: Owner,
    intents: &[Intent],
    now: Timestamp,
) -> Result<Vec<Id<Manifest>>> {
    let mut shipments: Vec<_> = intents.iter().flat_map(|intent| &intent.shipments).copied().collect();
    if shipments.is_empty() {
        return Ok(Vec::new());
    }
    shipments.sort();
    manifest_shipments::hold(tx, owner, &shipments).await?;
    let mut begun = Vec::with_capacity(intents.len());
    for intent in intents {
        if manifests::begin(tx, owner, intent, now).await? {
            begun.push(intent.id);
        }
    }
    Ok(begun)
}

/// Returns what is stored of an answer: which manifests it is about, and whether they are new.
fn begun(is_new: bool, mut ids: Vec<Id<Manifest>>) -> Result<Reply> {
    ids.sort();
    ids.dedup();
    let body = json(&ids)?;
    Ok(if is_new { Reply::created_many(body) } else { Reply::done(body) })
}

/// Refuses a batch that is not completely bought.
fn ensure_bought(status: BatchStatus) -> Result<(), Code> {
    match status {
        BatchStatus::Purchased => Ok(()),
        BatchStatus::Purchasing => Err(Code::BatchPurchasing),
        BatchStatus::Open | BatchStatus::PartiallyPurchased | BatchStatus::PurchaseFailed => {
            Err(Code::BatchNotFinalised)
        }
    }
}

async fn ensure_location(tx: &mut Tx<'_>, owner: Owner, location: Id<Location>) -> Result<()> {
    if locations::get(tx, owner, location).await?.is_some() {
        return Ok(());
    }
    let code = Code::LocationNotFound;
    let issue = Issue::new(code.as_str(), "/location", "There is no such location.");
    Err(Problem::field(code, issue).into())
}

/// Returns the account of this name. A disabled account buys nothing more, but what it bought is still handed over.
async fn find_account(
    tx: &mut Tx<'_>,
    owner: Owner,
    name: Option<&str>,
) -> Result<Option<Id<CarrierAccount>>> {
    let Some(name) = name else { return Ok(None) };
    for account in carrier_accounts::all(tx, owner).await? {
        if is_named(&account, &details(&account)?, name) {
            return Ok(Some(account.id));
        }
    }
    let code = Code::CarrierAccountNotFound;
    let issue = Issue::new(code.as_str(), "/carrier_account", "There is no such account.");
    Err(Problem::field(code, issue).into())
}
