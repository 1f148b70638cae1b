//! Shipments: create, read, change, delete. What is bought for them is the work of `purchasing`.

use model::batch::{Batch, Delta};
use model::document::Document;
use model::json::previous_attributes;
use model::location::LocationInput;
use model::problem::Issue;
use model::shipment::{AddressRecord, Shipment, ShipmentInput, Status, TrackingStatus};
use model::{Code, Error, Event, Id, Owner, Problem, Result, Timestamp, ensure, shape};
use serde_json::Value;
use store::documents::{self, StoredDocument};
use store::shipments::{self, Origin, Stored};
use store::{Tx, location_configurations, purchases, tracking_events};

use crate::batches;
use crate::events::EventLog;
use crate::reply::json;
use crate::{Caller, Command, ListQuery, Listing, Precondition, Reply, Service, found, version_etag};

/// What a batch shows of its shipments, beside what it counts.
const SEEN_IN_BATCH: [&str; 3] = ["name", "status", "errors"];

impl Service {
    /// Makes a shipment. Where it leaves from and goes back to is copied from its location configuration, unless it is
    /// given.
    pub async fn create_shipment(&self, command: Command, input: ShipmentInput) -> Result<Reply> {
        let now = self.now();
        let owner = command.caller.owner;
        let id = self.new_id::<Shipment>(now);
        let log = self.event_log(owner, now);
        let input = Box::new(input);
        let create = async move |tx: &mut Tx<'_>| {
            let mut input = input.clone();
            let origin = copy_locations(tx, owner, &mut input).await?;
            let shipment = new_shipment(id, *input, now);
            let doc = json(&shipment)?;
            shipments::insert(tx, owner, id, &shipment.summary(), origin, &doc).await?;
            let shown = shown(&doc, &[])?;
            log.append(tx, &Event::new("shipment.created", id, &shown)).await?;
            Ok(Reply::created(format!("/shipments/{id}"), Some(version_etag(1)), shown))
        };
        self.write(&command, create).await
    }

    pub async fn get_shipment(&self, caller: &Caller, id: Id<Shipment>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.db().read(owner, async move |tx| {
            let stored = found(shipments::get(tx, owner, id).await?)?;
            let documents = documents_of(tx, owner, &[&stored]).await?;
            Ok((stored, documents))
        });
        let (stored, documents) = read.await?;
        self.shipment_reply(owner, &stored, &documents)
    }

    pub async fn list_shipments(
        &self,
        caller: &Caller,
        query: ListQuery,
        status: Option<Status>,
    ) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.start(owner, &query)?;
        let limit = query.limit;
        let read = self.db().read(owner, async move |tx| {
            let page = shipments::page(tx, owner, status, &start, limit).await?;
            let documents = documents_of(tx, owner, &page.items.iter().collect::<Vec<_>>()).await?;
            Ok((page, documents))
        });
        let (page, documents) = read.await?;
        let page = page.try_map(|stored| self.shown_shipment(owner, &stored, &documents))?;
        self.listing(owner, &query, page)
    }

    /// Merges a patch into a shipment that is not bought. What carriers said of it before is not true of it any more.
    pub async fn update_shipment(&self, command: Command, id: Id<Shipment>, patch: Value) -> Result<Reply> {
        let now = self.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.event_log(owner, now);
        let update = async move |tx: &mut Tx<'_>| {
            let stored = found(shipments::get_for_update(tx, owner, id).await?)?;
            ensure_version(&precondition, stored.version)?;
            batches::ensure_member_changeable(tx, owner, &stored).await?;
            stored.status.ensure_open()?;
            let old = read_shipment(&stored)?;
            let current = serde_json::to_value(&old).map_err(Error::fault)?;
            let mut input: ShipmentInput = shape::parse_patch(current, patch.clone())?;
            if names_configuration(&patch) {
                let given = &patch["addresses"];
                if given.get("origin").is_none() {
                    input.addresses.origin = None;
                }
                if given.get("return").is_none() {
                    input.addresses.r#return = None;
                }
                let origin = copy_locations(tx, owner, &mut input).await?;
                shipments::set_origin(tx, owner, id, origin).await?;
            } else if patch.pointer("/addresses/origin").is_some() {
                shipments::set_origin(tx, owner, id, None).await?;
            }
            let new = old.changed(input, now)?;
            let doc = change_shipment(tx, owner, &stored, &new, "shipment.updated", &log).await?;
            Ok(Reply::resource(version_etag(stored.version + 1), doc))
        };
        self.write(&command, update).await
    }

    pub async fn delete_shipment(&self, command: Command, id: Id<Shipment>) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.event_log(owner, self.now());
        let delete = async move |tx: &mut Tx<'_>| {
            let stored = found(shipments::get_for_update(tx, owner, id).await?)?;
            ensure_version(&precondition, stored.version)?;
            batches::ensure_member_changeable(tx, owner, &stored).await?;
            stored.status.ensure_open()?;
            purchases::delete(tx, owner, id).await?;
            tracking_events::delete(tx, owner, id).await?;
            shipments::delete(tx, owner, id).await?;
            log.append(tx, &Event::new("shipment.deleted", id, &shown(&stored.doc, &[])?)).await?;
            if let Some(batch) = stored.batch {
                batches::member_changed(tx, owner, batch, Delta::default() - stored.summary.counts(), &log)
                    .await?;
            }
            Ok(Reply::gone())
        };
        self.write(&command, delete).await
    }

    /// The files of a shipment, with addresses that are made now.
    pub async fn list_shipment_documents(&self, caller: &Caller, id: Id<Shipment>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.db().read(owner, async move |tx| {
            let stored = found(shipments::get(tx, owner, id).await?)?;
            documents_of(tx, owner, &[&stored]).await
        });
        let documents = read.await?;
        Ok(Reply::done(format!("{{\"data\":{}}}", json(&self.signed(owner, &documents, id))?)))
    }

    /// A shipment with its files, to which links are made now.
    pub(crate) fn shown_shipment(
        &self,
        owner: Owner,
        stored: &Stored,
        documents: &[StoredDocument],
    ) -> Result<String> {
        shown(&stored.doc, &self.signed(owner, documents, stored.id))
    }

    /// A shipment as it is answered. The addresses of its files differ with each read, and so does its tag.
    pub(crate) fn shipment_reply(
        &self,
        owner: Owner,
        stored: &Stored,
        documents: &[StoredDocument],
    ) -> Result<Reply> {
        let signed = self.signed(owner, documents, stored.id);
        let etag = match signed.is_empty() {
            true => version_etag(stored.version),
            false => format!("\"{}.{}\"", stored.version, self.now().as_micros()),
        };
        Ok(Reply::resource(etag, shown(&stored.doc, &signed)?))
    }

    fn signed(&self, owner: Owner, documents: &[StoredDocument], shipment: Id<Shipment>) -> Vec<Document> {
        let subject = shipment.to_string();
        let of_it = documents.iter().filter(|document| document.subject == subject);
        of_it.map(|document| self.sign(owner, document)).collect()
    }
}

/// The files of these shipments. Only what was bought has any.
pub async fn documents_of(tx: &mut Tx<'_>, owner: Owner, of: &[&Stored]) -> Result<Vec<StoredDocument>> {
    let has_any = |stored: &&&Stored| matches!(stored.status, Status::Purchased | Status::Voided);
    let subjects: Vec<String> = of.iter().filter(has_any).map(|stored| stored.id.to_string()).collect();
    documents::of_subjects(tx, owner, &subjects).await
}

/// Refuses a stale precondition. The tag of a shipment with files tells its version and when it was read, because the
/// links differ with each read: but it is the same shipment.
pub fn ensure_version(precondition: &Precondition, version: i64) -> Result<()> {
    let version = version.to_string();
    let is_of_it = |tag: &String| {
        let text = tag.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        text.is_some_and(|text| text.split('.').next() == Some(&version))
    };
    let is_current = match precondition {
        Precondition::Any => true,
        Precondition::OneOf(tags) => tags.iter().any(is_of_it),
    };
    ensure(is_current, Code::PreconditionFailed)
}

/// Files as events tell of them: without links, which would not outlive the log.
pub fn without_links(documents: &[StoredDocument]) -> Vec<Document> {
    let show = |stored: &StoredDocument| Document {
        id: stored.file.id,
        r#type: stored.file.r#type,
        file_name: stored.file.file_name.clone(),
        file_type: stored.file.file_type.clone(),
        file_size: stored.file.file_size,
        file_url: String::new(),
        created_at: stored.created_at,
        updated_at: stored.updated_at,
    };
    documents.iter().map(show).collect()
}

fn new_shipment(id: Id<Shipment>, details: ShipmentInput, now: Timestamp) -> Shipment {
    Shipment {
        id,
        details,
        rates: Vec::new(),
        service: None,
        status: Status::Draft,
        tracking_status: TrackingStatus::Unknown,
        tracking_number: None,
        errors: Vec::new(),
        created_at: now,
        updated_at: now,
    }
}

/// Reads what is kept of a shipment.
pub fn read_shipment(stored: &Stored) -> Result<Shipment> {
    serde_json::from_str(&stored.doc).map_err(Error::fault)
}

/// A shipment's document with its files.
pub fn shown(doc: &str, documents: &[Document]) -> Result<String> {
    let open = doc.strip_suffix('}').ok_or_else(|| Error::fault("a shipment's document is not an object"))?;
    Ok(format!("{open},\"documents\":{}}}", json(&documents)?))
}

/// Keeps a changed shipment and tells of it; gives it as it is shown. For changes before it has files.
pub async fn change_shipment(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &Stored,
    new: &Shipment,
    event: &'static str,
    log: &EventLog,
) -> Result<String> {
    change_with_documents(tx, owner, stored, new, &[], event, log).await
}

/// Keeps a changed shipment and tells of it, with the files that it has now; its batch counts it anew.
pub async fn change_with_documents(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &Stored,
    new: &Shipment,
    documents: &[Document],
    event: &'static str,
    log: &EventLog,
) -> Result<String> {
    // On the heap: nearly all that is done with shipments comes here.
    let changed = Box::pin(change_uncounted(tx, owner, stored, new, documents, event, log)).await?;
    if let Some((batch, delta)) = changed.batch {
        Box::pin(batches::member_changed(tx, owner, batch, delta, log)).await?;
    }
    Ok(changed.shown)
}

/// A shipment that was changed, and what its batch does not know yet.
pub struct Changed {
    pub shown: String,
    /// The batch that shows something of the change, and by how much its counts change.
    pub batch: Option<(Id<Batch>, Delta)>,
}

/// As [`change_with_documents`], but whoever changes many shipments of a batch tells it once, of the sum:
/// [`batches::member_changed`], in the same transaction.
pub async fn change_uncounted(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &Stored,
    new: &Shipment,
    documents: &[Document],
    event: &'static str,
    log: &EventLog,
) -> Result<Changed> {
    let before: Value = serde_json::from_str(&stored.doc).map_err(Error::fault)?;
    let after = serde_json::to_value(new).map_err(Error::fault)?;
    let doc = json(new)?;
    let summary = new.summary();
    shipments::update(tx, owner, new.id, &summary, &doc).await?;
    let shown = shown(&doc, documents)?;
    let delta = summary.counts() - stored.summary.counts();
    let is_seen =
        delta != Delta::default() || SEEN_IN_BATCH.iter().any(|field| before[field] != after[field]);
    let event = Event::new(event, new.id, &shown).changed_from(previous_attributes(&before, &after));
    log.append(tx, &event).await?;
    Ok(Changed { shown, batch: stored.batch.filter(|_| is_seen).map(|batch| (batch, delta)) })
}

/// Whether a patch says where a shipment leaves from by naming a configuration.
fn names_configuration(patch: &Value) -> bool {
    patch.pointer("/addresses/location_configuration_id").is_some_and(Value::is_string)
}

/// Copies the addresses of the location configuration, where one is named and they are not given. Gives the version of
/// the location that it leaves from.
async fn copy_locations(tx: &mut Tx<'_>, owner: Owner, input: &mut ShipmentInput) -> Result<Option<Origin>> {
    let Some(id) = input.addresses.location_configuration_id else { return Ok(None) };
    let Some(configuration) = location_configurations::get(tx, owner, id).await? else {
        let code = Code::LocationConfigurationNotFound;
        let field = "/addresses/location_configuration_id";
        let issue = Issue::new(code.as_str(), field, "There is no such location configuration.");
        return Err(Problem::field(code, issue).into());
    };
    let addresses = &mut input.addresses;
    if addresses.r#return.is_none() {
        addresses.r#return = Some(copy(&configuration.r#return.doc)?);
    }
    if addresses.origin.is_some() {
        return Ok(None);
    }
    addresses.origin = Some(copy(&configuration.origin.doc)?);
    let document: Value = serde_json::from_str(&configuration.origin.doc).map_err(Error::fault)?;
    let location = serde_json::from_value(document["id"].clone()).map_err(Error::fault)?;
    Ok(Some(Origin { location, version: configuration.origin.version }))
}

fn copy(doc: &str) -> Result<AddressRecord> {
    let location: LocationInput = serde_json::from_str(doc).map_err(Error::fault)?;
    Ok(AddressRecord::of_location(&location))
}
