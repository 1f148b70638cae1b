//! Manifests as they are shown, and read.

use std::collections::HashMap;

use model::shipping::manifest::{Details, EVENT_SHIPMENTS_MAX, Status};
use model::{Batch, Document, Error, Id, Location, Manifest, Owner, Result, Shipment};
use store::shipping::documents::{self, StoredDocument};
use store::shipping::manifests::{self, StoredManifest};
use store::shipping::{batches, manifest_shipments};
use store::{Page, Tx};

use super::Manifests;
use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json};
use crate::shipping::carriers::carrier_or_handle;
use crate::shipping::shipments::{etag_with_files, without_links};

/// Manifests with all that belongs to them.
pub struct Whole {
    manifests: Vec<StoredManifest>,
    shipments: HashMap<Id<Manifest>, Vec<Id<Shipment>>>,
    documents: Vec<StoredDocument>,
}

impl Whole {
    pub async fn read(tx: &mut Tx<'_>, owner: Owner, of: Vec<StoredManifest>) -> Result<Self> {
        let ids: Vec<_> = of.iter().map(|manifest| manifest.id).collect();
        let mut shipments: HashMap<_, Vec<_>> = HashMap::new();
        for (manifest, shipment) in manifest_shipments::shipments_of(tx, owner, &ids).await? {
            shipments.entry(manifest).or_default().push(shipment);
        }
        let subjects: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let documents = documents::of_subjects(tx, owner, &subjects).await?;
        Ok(Self { manifests: of, shipments, documents })
    }

    pub fn is_creating(&self) -> bool {
        self.manifests.iter().any(|manifest| manifest.status == Status::Creating)
    }
}

impl Manifests {
    pub async fn get(&self, caller: &Caller, id: Id<Manifest>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| {
            let stored = found(manifests::get(tx, owner, id).await?)?;
            Whole::read(tx, owner, vec![stored]).await
        });
        self.manifest_reply(owner, read.await?)
    }

    pub async fn list(
        &self,
        caller: &Caller,
        query: ListQuery,
        status: Option<Status>,
        location: Option<Id<Location>>,
    ) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self.context.db().read(owner, async move |tx| {
            let page = manifests::page(tx, owner, status, location, &start, limit).await?;
            let whole = Whole::read(tx, owner, page.items).await?;
            Ok((whole, page.older_than, page.newer_than))
        });
        let (whole, older_than, newer_than) = read.await?;
        let page = Page { items: self.manifest_docs(owner, whole)?, older_than, newer_than };
        self.context.listing(owner, &query, page)
    }

    /// Answers with the manifests that contain shipments of a batch. It creates none.
    pub async fn list_of_batch(&self, caller: &Caller, id: Id<Batch>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| {
            found(batches::get(tx, owner, id).await?)?;
            let all = manifests::of_batch(tx, owner, id).await?;
            Whole::read(tx, owner, all).await
        });
        let docs = self.manifest_docs(owner, read.await?)?;
        Ok(Reply::done(data(&docs)))
    }

    /// Returns the answer with one manifest. Each read makes new links to its files, so its ETag depends on the files and not on
    /// the links.
    pub(super) fn manifest_reply(&self, owner: Owner, whole: Whole) -> Result<Reply> {
        let version = whole.manifests.first().map_or(0, |manifest| manifest.version);
        let etag = etag_with_files(version, &without_links(&whole.documents));
        let body = self.manifest_docs(owner, whole)?.pop();
        Ok(Reply::resource(etag, found(body)?))
    }

    /// Returns manifests as JSON texts, with links to their files.
    pub(super) fn manifest_docs(&self, owner: Owner, whole: Whole) -> Result<Vec<String>> {
        let Whole { manifests, mut shipments, documents } = whole;
        let show = |manifest: &StoredManifest| {
            let subject = manifest.id.to_string();
            let files = documents.iter().filter(|document| document.subject == subject);
            let files = files.map(|document| self.documents.sign(owner, document)).collect();
            json(&view(manifest, shipments.remove(&manifest.id).unwrap_or_default(), files)?)
        };
        manifests.iter().map(show).collect()
    }
}

/// Returns manifests as exports contain them: their files without links.
pub fn unlinked_docs(whole: Whole) -> Result<Vec<String>> {
    let Whole { manifests, mut shipments, documents } = whole;
    let show = |manifest: &StoredManifest| {
        let subject = manifest.id.to_string();
        let (files, _): (Vec<_>, Vec<_>) =
            documents.iter().cloned().partition(|document| document.subject == subject);
        json(&view(manifest, shipments.remove(&manifest.id).unwrap_or_default(), without_links(&files))?)
    };
    manifests.iter().map(show).collect()
}

/// Returns a manifest as events contain it: its files without links, and only the first of very many shipments.
pub async fn told(tx: &mut Tx<'_>, owner: Owner, id: Id<Manifest>) -> Result<String> {
    let stored = found(manifests::get(tx, owner, id).await?)?;
    let whole = Whole::read(tx, owner, vec![stored]).await?;
    let mut shipments: Vec<_> = whole.shipments.into_values().flatten().collect();
    shipments.truncate(EVENT_SHIPMENTS_MAX);
    let files = without_links(&whole.documents);
    let manifest = found(whole.manifests.first())?;
    json(&view(manifest, shipments, files)?)
}

/// Returns several manifests under `data`.
pub fn data(docs: &[String]) -> String {
    format!("{{\"data\":[{}]}}", docs.join(","))
}

fn view(stored: &StoredManifest, shipments: Vec<Id<Shipment>>, documents: Vec<Document>) -> Result<Manifest> {
    let details: Details = serde_json::from_str(&stored.details).map_err(Error::fault)?;
    Ok(Manifest {
        id: stored.id,
        carrier: carrier_or_handle(&stored.carrier),
        carrier_account: details.carrier_account,
        status: stored.status,
        messages: details.messages,
        documents,
        shipments,
        shipments_count: stored.shipments_count,
        packages_count: stored.packages_count,
        location: stored.location,
        origin: details.origin,
        ship_date: stored.ship_date,
        carrier_reference: details.carrier_reference,
        created_at: stored.created_at,
        updated_at: stored.updated_at,
    })
}
