//! The labels of a batch: one document for each label in the batch's format, and one file with all of them.
//!
//! They are asked for once, and made by whichever node holds the work on them:
//!
//! ```text
//! making → merging → made
//! ```
//!
//! While `making`, each shipment that has no label in the format gets one, page by page, and the page's end is recorded with
//! it. While `merging`, the labels are read one after the other and written into one file, which is found only when it is
//! whole; who takes over begins that file again. A batch's labels are never in memory together.

mod claim;
mod make;
mod merge;

use model::batch::{Details, Status};
use model::document::DocumentType;
use model::shipment::{LabelFormat, Shipment};
use model::{Batch, Code, Document, Error, Event, Id, Owner, Result};
use serde_json::json;
use store::batch_labels::{self, State, Work};
use store::documents::{self, StoredDocument};
use store::{Tx, batches};

pub use claim::Labelling;

use crate::batches::show;
use crate::events::EventLog;
use crate::reply::{Outcome, json};
use crate::{Caller, Command, Reply, Service, Wait, found};

/// Shipments whose labels are looked at together.
const PAGE_SHIPMENTS: usize = 100;

/// Some of a batch's labels.
pub struct LabelPage {
    /// Documents as JSON texts.
    pub items: Vec<String>,
    /// After which shipment the next page begins, where there is one.
    pub next: Option<Id<Shipment>>,
}

impl Service {
    /// Makes the labels of a batch that is bought. Asking again changes nothing. The answer says how far it is; the labels
    /// are read with [`Service::batch_label_page`].
    pub async fn create_batch_labels(&self, command: Command, id: Id<Batch>, wait: Wait) -> Result<Reply> {
        let now = self.now();
        let owner = command.caller.owner;
        let document = self.new_id::<Document>(now);
        let begin = async move |tx: &mut Tx<'_>| {
            let stored = found(batches::get_for_update(tx, owner, id).await?)?;
            match stored.status {
                Status::Purchased => {}
                Status::Purchasing => return Err(Code::BatchPurchasing.into()),
                _ => return Err(Code::BatchNotFinalised.into()),
            }
            batch_labels::begin(tx, owner, id, format_of(&stored)?, document, now).await?;
            Ok(Reply::created_many(String::new()))
        };
        let begun = self.write(&command, begin).await?;
        self.ring_labelling();
        self.wait_for_labels(owner, id, wait, begun).await
    }

    /// Waits until the labels are there, or there is no more time to wait.
    async fn wait_for_labels(
        &self,
        owner: Owner,
        id: Id<Batch>,
        wait: Wait,
        mut begun: Reply,
    ) -> Result<Reply> {
        if let Outcome::Refused(_) = begun.outcome {
            return Ok(begun);
        }
        let mut patience = self.patience(wait, self.labelling_news());
        loop {
            let is_late = patience.is_over();
            let read = self.db().read(owner, async move |tx| batch_labels::get(tx, owner, id).await);
            if found(read.await?)?.state == State::Made {
                return Ok(begun);
            }
            if is_late {
                begun.outcome = Outcome::Accepted;
                begun.location = Some(format!("/batches/{id}/labels"));
                return Ok(begun);
            }
            patience.rest().await;
        }
    }

    /// Labels of a batch, in the order of its shipments; before them, on the first page, the file with all of them. Before
    /// the batch is finalised there are only those of shipments that are bought already.
    pub async fn batch_label_page(
        &self,
        caller: &Caller,
        id: Id<Batch>,
        after: Option<Id<Shipment>>,
    ) -> Result<LabelPage> {
        let owner = caller.owner;
        let read = self.db().read(owner, async move |tx| {
            let stored = found(batches::get(tx, owner, id).await?)?;
            let mut all = match after {
                None => documents::of_subject(tx, owner, &id.to_string()).await?,
                Some(_) => Vec::new(),
            };
            all.retain(|document| document.file.r#type == DocumentType::Labels);
            let from = after.map(|id| id.to_string()).unwrap_or_default();
            let ids = batch_labels::bought(tx, owner, id, &from, PAGE_SHIPMENTS).await?;
            all.extend(shown_labels(labels_of(tx, owner, &ids).await?, format_of(&stored)?));
            Ok((all, ids.last().copied().filter(|_| ids.len() == PAGE_SHIPMENTS)))
        });
        let (documents, next) = read.await?;
        let items = documents.iter().map(|document| json(&self.sign(owner, document)));
        Ok(LabelPage { items: items.collect::<Result<_>>()?, next })
    }
}

/// The format in which a batch wants its labels.
fn format_of(batch: &batches::Stored) -> Result<LabelFormat> {
    let details: Details = serde_json::from_str(&batch.details).map_err(Error::fault)?;
    Ok(details.options.label_format)
}

/// The labels of shipments, by shipment.
async fn labels_of(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<Shipment>]) -> Result<Vec<StoredDocument>> {
    let subjects: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let mut all = documents::of_subjects(tx, owner, &subjects).await?;
    all.retain(|document| document.file.r#type == DocumentType::Label);
    Ok(all)
}

fn is_in(document: &StoredDocument, format: LabelFormat) -> bool {
    document.file.file_type == format.media_type()
}

/// Of each shipment the labels in the batch's format, or where it has none, those it has.
fn shown_labels(all: Vec<StoredDocument>, format: LabelFormat) -> Vec<StoredDocument> {
    let of_each = all.chunk_by(|a, b| a.subject == b.subject);
    let chosen = of_each.flat_map(|of_one| {
        let has_it = of_one.iter().any(|document| is_in(document, format));
        of_one.iter().filter(move |document| !has_it || is_in(document, format))
    });
    chosen.cloned().collect()
}

/// Tells of a batch with how many labels it has.
async fn tell(tx: &mut Tx<'_>, work: &Work, event: &'static str, events: &EventLog) -> Result<()> {
    let batch = found(batches::get(tx, work.owner, work.batch).await?)?;
    let shown = show(tx, work.owner, std::slice::from_ref(&batch)).await?.remove(0);
    let open = shown.strip_suffix('}').ok_or_else(|| Error::fault("a batch's document is not an object"))?;
    let shown = format!("{open},\"labels_count\":{}}}", work.labels);
    events.append(tx, &Event::new(event, work.batch, &shown).changed_from(json!({}))).await.map(drop)
}
