//! Shipments: create, read, change, delete. What is bought for them is the work of `purchasing`.

mod change;
mod contents;
pub(crate) mod shown;

use crate::places::post_codes::ensure_post_codes;
use model::places::location::LocationInput;
use model::platform::problem::Issue;
use model::platform::shape;
use model::shipping::batch::Delta;
use model::shipping::document::Document;
use model::shipping::indexed_shipment::IndexedShipment;
use model::shipping::shipment::{AddressRecord, Shipment, ShipmentInput, Status};
use model::{CarrierAccount, Code, Error, Event, Id, Owner, Problem, Result, ensure};
use serde_json::Value;
use sha2::{Digest, Sha256};
use store::places::location_configurations;
use store::shipping::documents::{self, StoredDocument, papers_subject};
use store::shipping::shipment_filters::{self, ShipmentFilter};
use store::shipping::shipments::{self, NewShipment, Origin, StoredShipment};
use store::shipping::{carrier_accounts, purchases, tracking_events};
use store::{Page, Tx};

pub use change::{Prepared, change_shipment, change_uncounted, change_with_documents, write_prepared};
use contents::{ensure_unscanned, fill_packages};
pub use shown::shown;

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, Precondition};
use crate::events::events::EventLog;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json, version_etag};
use crate::shipping::account_details::details;
use crate::shipping::batches;
use crate::shipping::documents::Documents;
use crate::shipping::order_contents::OrderContents;

/// Bytes of the hash of a resource's files that stand in its tag.
const ETAG_BYTES: usize = 8;

/// Operations on shipments.
#[derive(Clone)]
pub struct Shipments {
    context: Context,
    documents: Documents,
}

impl Shipments {
    pub(crate) fn new(context: &Context, documents: &Documents) -> Self {
        Self { context: context.clone(), documents: documents.clone() }
    }

    /// Creates a shipment. Its origin and return address are copied from its location configuration, unless they are given.
    pub async fn create(&self, command: Command, input: ShipmentInput) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let id = self.context.new_id::<Shipment>(now);
        let log = self.context.event_log(&command.caller, owner, now);
        let input = Box::new(input);
        let create = async move |tx: &mut Tx<'_>| {
            let shown = create_shipment(tx, owner, id, input.clone(), &log).await?;
            Ok(Reply::created(format!("/shipments/{id}"), Some(version_etag(1)), shown))
        };
        self.context.write(&command, create).await
    }

    pub async fn get(&self, caller: &Caller, id: Id<Shipment>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| {
            let stored = found(shipments::get(tx, owner, id).await?)?;
            let documents = documents_of(tx, owner, &[&stored]).await?;
            Ok((stored, documents))
        });
        let (stored, documents) = read.await?;
        self.shipment_reply(owner, &stored, &documents)
    }

    /// A page of the shipments that pass all filters, among them a carrier account by its id or its handle.
    pub async fn list(
        &self,
        caller: &Caller,
        query: ListQuery,
        filter: ShipmentFilter,
        account: Option<String>,
    ) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self.context.db().read(owner, async move |tx| {
            let mut filter = filter.clone();
            if let Some(name) = &account {
                filter.carrier_account = account_named(tx, owner, name).await?;
                if filter.carrier_account.is_none() {
                    return Ok((Page { items: Vec::new(), older_than: None, newer_than: None }, Vec::new()));
                }
            }
            let page = shipment_filters::page(tx, owner, &filter, &start, limit).await?;
            let documents = documents_of(tx, owner, &page.items.iter().collect::<Vec<_>>()).await?;
            Ok((page, documents))
        });
        let (page, documents) = read.await?;
        let page = page.try_map(|stored| self.shown_shipment(owner, &stored, &documents))?;
        self.context.listing(owner, &query, page)
    }

    /// Merges a patch into a shipment that is not bought. Earlier rates and errors no longer apply to it, and are removed.
    pub async fn update(&self, command: Command, id: Id<Shipment>, patch: Value) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let update = async move |tx: &mut Tx<'_>| {
            let stored = found(shipments::get_for_update(tx, owner, id).await?)?;
            ensure_version(&precondition, stored.version)?;
            let doc = update_shipment(tx, owner, &stored, &patch, &log).await?;
            Ok(Reply::resource(version_etag(stored.version + 1), doc))
        };
        self.context.write(&command, update).await
    }

    pub async fn delete(&self, command: Command, id: Id<Shipment>) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let delete = async move |tx: &mut Tx<'_>| {
            let mut contents = OrderContents::lock(tx, owner, &[id]).await?;
            let stored = found(shipments::get_for_update(tx, owner, id).await?)?;
            ensure_version(&precondition, stored.version)?;
            delete_open(tx, owner, &stored, &log).await?;
            contents.free(id);
            contents.write(tx, &log).await?;
            Ok(Reply::gone())
        };
        self.context.write(&command, delete).await
    }

    /// Answers with the files of a shipment and its warehouse papers, with new links.
    pub async fn list_documents(&self, caller: &Caller, id: Id<Shipment>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| {
            let stored = found(shipments::get(tx, owner, id).await?)?;
            let mut all = documents_of(tx, owner, &[&stored]).await?;
            all.extend(documents::of_subject(tx, owner, &papers_subject(&id.to_string())).await?);
            Ok(all)
        });
        let documents = read.await?;
        let signed: Vec<Document> =
            documents.iter().map(|document| self.documents.sign(owner, document)).collect();
        Ok(Reply::done(format!("{{\"data\":{}}}", json(&signed)?)))
    }

    /// A shipment with its files, to which links are made now.
    pub(crate) fn shown_shipment(
        &self,
        owner: Owner,
        stored: &StoredShipment,
        documents: &[StoredDocument],
    ) -> Result<String> {
        shown(&stored.doc, &self.signed(owner, documents, stored.id))
    }

    /// Returns the answer with a shipment. Each read makes new links to its files, so its ETag depends on the files and not on
    /// the links.
    pub(crate) fn shipment_reply(
        &self,
        owner: Owner,
        stored: &StoredShipment,
        documents: &[StoredDocument],
    ) -> Result<Reply> {
        let signed = self.signed(owner, documents, stored.id);
        Ok(Reply::resource(etag_with_files(stored.version, &signed), shown(&stored.doc, &signed)?))
    }

    fn signed(&self, owner: Owner, documents: &[StoredDocument], shipment: Id<Shipment>) -> Vec<Document> {
        let subject = shipment.to_string();
        let of_it = documents.iter().filter(|document| document.subject == subject);
        of_it.map(|document| self.documents.sign(owner, document)).collect()
    }
}

/// Creates a shipment inside a transaction, and returns what is shown of it.
pub async fn create_shipment(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Shipment>,
    mut input: Box<ShipmentInput>,
    log: &EventLog,
) -> Result<String> {
    ensure_post_codes(owner, input.addresses.postal())?;
    fill_packages(tx, owner, &mut input, None).await?;
    let origin = copy_locations(tx, owner, &mut input).await?;
    let shipment = Shipment::draft(id, *input, log.now());
    let doc = json(&shipment)?;
    let summary = shipment.summary();
    let new = NewShipment { id, summary: &summary, origin, order: None, doc: &doc };
    shipments::insert(tx, owner, new).await?;
    let shown = shown(&doc, &[])?;
    log.append(tx, &Event::new("shipment.created", id, &shown)).await?;
    Ok(shown)
}

/// Merges a patch into a locked shipment that is not bought, and returns its new document.
pub async fn update_shipment(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &StoredShipment,
    patch: &Value,
    log: &EventLog,
) -> Result<String> {
    batches::ensure_member_changeable(tx, owner, stored).await?;
    stored.status.ensure_open()?;
    let old = read_shipment(stored)?;
    let current = serde_json::to_value(&old).map_err(Error::fault)?;
    let mut input: ShipmentInput = shape::parse_patch(current, patch.clone())?;
    ensure_post_codes(owner, input.addresses.postal())?;
    fill_packages(tx, owner, &mut input, Some(&old.details)).await?;
    ensure_unscanned(tx, owner, stored.id, &old.details, &input).await?;
    if old.order_id.is_some() {
        ensure_same_contents(patch, &old.details, &input)?;
    }
    if is_origin_sent_back(patch, &old.details, &input)? {
        // The version of the location that it was made from stays pinned.
        if input.addresses.r#return.is_none() {
            copy_locations(tx, owner, &mut input).await?;
        }
    } else if names_configuration(patch) && old.order_id.is_none() {
        let given = &patch["addresses"];
        if given.get("origin").is_none() {
            input.addresses.origin = None;
        }
        if given.get("return").is_none() {
            input.addresses.r#return = None;
        }
        let origin = copy_locations(tx, owner, &mut input).await?;
        shipments::set_origin(tx, owner, stored.id, origin).await?;
    } else if patch.pointer("/addresses/origin").is_some() {
        shipments::set_origin(tx, owner, stored.id, None).await?;
    }
    let new = old.changed(input, log.now())?;
    change_shipment(tx, owner, stored, &new, "shipment.updated", log).await
}

/// Returns the id of the account that a filter names by its id or its handle. An id may be that of an account that was
/// deleted.
pub(crate) async fn account_named(
    tx: &mut Tx<'_>,
    owner: Owner,
    name: &str,
) -> Result<Option<Id<CarrierAccount>>> {
    if let Some(id) = Id::parse(name) {
        return Ok(Some(id));
    }
    for account in carrier_accounts::all(tx, owner).await? {
        if details(&account)?.handle.as_deref() == Some(name) {
            return Ok(Some(account.id));
        }
    }
    Ok(None)
}

/// The files of these shipments. Only what was bought has any.
pub async fn documents_of(
    tx: &mut Tx<'_>,
    owner: Owner,
    of: &[&StoredShipment],
) -> Result<Vec<StoredDocument>> {
    let has_any = |stored: &&&StoredShipment| matches!(stored.status, Status::Purchased | Status::Voided);
    let subjects: Vec<String> = of.iter().filter(has_any).map(|stored| stored.id.to_string()).collect();
    documents::of_subjects(tx, owner, &subjects).await
}

/// Returns the tag of a resource's state, with the files that it has. The links to these are left out: they are made with each
/// read, and a client that has this state would otherwise be sent all of it again.
pub fn etag_with_files(version: i64, files: &[Document]) -> String {
    if files.is_empty() {
        return version_etag(version);
    }
    let mut hash = Sha256::new();
    for file in files {
        hash.update(format!("{} {} {}\n", file.id, file.file_size, file.updated_at.as_micros()));
    }
    let digest: String = hash.finalize().iter().take(ETAG_BYTES).map(|byte| format!("{byte:02x}")).collect();
    format!("\"{version}.{digest}\"")
}

/// Refuses a stale precondition. The tag of a shipment with files has its version before the dot. Files may be added without
/// a new version, and are no reason to refuse a change.
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

/// Returns files as events contain them: without links, which would expire before the event is deleted.
pub fn without_links(documents: &[StoredDocument]) -> Vec<Document> {
    let show = |stored: &StoredDocument| Document {
        id: stored.file.id,
        r#type: stored.file.r#type,
        shipment_id: stored.shipment(),
        package: stored.file.package,
        file_name: stored.file.file_name.clone(),
        file_type: stored.file.file_type.clone(),
        file_size: stored.file.file_size,
        file_url: String::new(),
        created_at: stored.created_at,
        updated_at: stored.updated_at,
    };
    documents.iter().map(show).collect()
}

/// Deletes a locked shipment that is not bought, and takes it out of its batch.
pub async fn delete_open(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &StoredShipment,
    log: &EventLog,
) -> Result<()> {
    batches::ensure_member_changeable(tx, owner, stored).await?;
    remove_open(tx, owner, stored, log).await
}

/// As [`delete_open`], although the batch of the shipment may be being bought.
pub async fn remove_open(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &StoredShipment,
    log: &EventLog,
) -> Result<()> {
    stored.status.ensure_open()?;
    purchases::delete(tx, owner, stored.id).await?;
    tracking_events::delete(tx, owner, stored.id).await?;
    documents::delete_of_subject(tx, owner, &papers_subject(&stored.id.to_string())).await?;
    shipments::delete(tx, owner, stored.id, &IndexedShipment::of(&stored.doc)?).await?;
    log.append(tx, &Event::new("shipment.deleted", stored.id, &shown(&stored.doc, &[])?)).await?;
    if let Some(batch) = stored.batch {
        batches::member_changed(tx, owner, batch, Delta::default() - stored.summary.counts(), log).await?;
    }
    Ok(())
}

/// Refuses a patch that changes where a shipment of an order leaves from, or which units it holds.
fn ensure_same_contents(patch: &Value, old: &ShipmentInput, new: &ShipmentInput) -> Result<()> {
    let is_moved = names_configuration(patch)
        && old.addresses.location_configuration_id != new.addresses.location_configuration_id;
    let is_given = patch.pointer("/addresses/origin").is_some() && !is_origin_sent_back(patch, old, new)?;
    ensure(!is_moved && !is_given && old.units() == new.units(), Code::ShipmentOfOrder)
}

/// Reads what is kept of a shipment.
pub fn read_shipment(stored: &StoredShipment) -> Result<Shipment> {
    serde_json::from_str(&stored.doc).map_err(Error::fault)
}

/// Whether a patch only repeats where a shipment leaves from, as a client does that sends back what it read.
fn is_origin_sent_back(patch: &Value, old: &ShipmentInput, new: &ShipmentInput) -> Result<bool> {
    let origin =
        |details: &ShipmentInput| serde_json::to_value(&details.addresses.origin).map_err(Error::fault);
    Ok(patch.pointer("/addresses/origin").is_some_and(Value::is_object)
        && old.addresses.location_configuration_id == new.addresses.location_configuration_id
        && origin(old)? == origin(new)?)
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

/// Returns the address of a location as a shipment has it.
pub fn copy(doc: &str) -> Result<AddressRecord> {
    let location: LocationInput = serde_json::from_str(doc).map_err(Error::fault)?;
    Ok(AddressRecord::of_location(&location))
}
