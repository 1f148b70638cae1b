//! The labels of a batch: one document for each label in a format, and one file with all of them and their customs
//! papers, in the order in which they are printed.
//!
//! They are requested once in each format, and made by the node that holds the work:
//! ```text
//! making → merging → made
//!        ↘ refused
//! ```
//!
//! In the batch's own format, a label that can't be obtained is left out, and its shipment shows the error. Another format was
//! requested explicitly, so there the whole request is refused instead of leaving labels out.
//!
//! While `making`, each shipment that has no label in the format gets one, page by page, and the end of the page is recorded
//! with it. While `merging`, the labels are read one after the other and written into one file, which can be read only when it
//! is complete. A node that takes over starts that file again. A batch's labels are never in memory together.

mod claim;
mod labelling;
mod make;
mod merge;

use std::collections::HashSet;
use std::sync::Arc;

use labels::Merger;
use model::platform::problem::Issue;
use model::shipping::batch::{BatchLabelsInput, Details, Status};
use model::shipping::document::DocumentType;
use model::shipping::shipment;
use model::shipping::shipment::{LabelFormat, Shipment};
use model::{Batch, Code, Document, Error, Event, Id, Owner, Problem, Result};
use serde_json::json;
use store::Tx;
use store::shipping::batch_labels::{self, State, Work};
use store::shipping::documents::{self, StoredDocument};
use store::shipping::{batches, shipments};

use crate::access::caller::Caller;
use crate::access::reply::Outcome;
use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::events::events::EventLog;
use crate::platform::context::Context;
use crate::platform::nodes::Nodes;
use crate::platform::resource::{found, json};
use crate::platform::wait_deadline::{Wait, WaitDeadline};
use crate::shipping::batches::show;
use crate::shipping::carrier_accounts::CarrierAccounts;
use crate::shipping::carrier_calls::CarrierCalls;
use crate::shipping::documents::Documents;
use crate::shipping::drawing::DrawingPermits;
use crate::shipping::purchasing::Purchasing;

/// Shipments whose labels are processed together.
const PAGE_SHIPMENTS: usize = 100;
/// How long work that was set aside is not started again, in seconds, so that a client that repeats its request does not stop
/// servers again and again.
const SET_ASIDE_SECONDS: i64 = 3600;

/// A page of a batch's labels.
pub struct LabelPage {
    /// Documents as JSON texts.
    pub items: Vec<String>,
    /// The shipment after which the next page begins, if there is one.
    pub next: Option<Id<Shipment>>,
}

/// The labels of batches, as one file. Clones share their state.
#[derive(Clone)]
pub struct BatchLabels {
    context: Context,
    nodes: Nodes,
    calls: CarrierCalls,
    carrier_accounts: CarrierAccounts,
    documents: Documents,
    purchasing: Purchasing,
    drawing: DrawingPermits,
    state: Arc<labelling::Labelling>,
}

/// The components that the labels of batches need.
pub(crate) struct Needs<'a> {
    pub nodes: &'a Nodes,
    pub calls: &'a CarrierCalls,
    pub carrier_accounts: &'a CarrierAccounts,
    pub documents: &'a Documents,
    pub purchasing: &'a Purchasing,
    pub drawing: &'a DrawingPermits,
}

impl BatchLabels {
    pub(crate) fn new(context: &Context, needs: &Needs<'_>) -> Self {
        Self {
            context: context.clone(),
            nodes: needs.nodes.clone(),
            calls: needs.calls.clone(),
            carrier_accounts: needs.carrier_accounts.clone(),
            documents: needs.documents.clone(),
            purchasing: needs.purchasing.clone(),
            drawing: needs.drawing.clone(),
            state: Arc::default(),
        }
    }

    /// Makes the labels of a batch that is bought. Repeating the request changes nothing. The answer says how far it is; the
    /// labels are read with [`BatchLabels::page`].
    pub async fn create(
        &self,
        command: Command,
        id: Id<Batch>,
        input: BatchLabelsInput,
        wait: Wait,
    ) -> Result<(LabelFormat, Reply)> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let document = self.context.new_id::<Document>(now);
        let begin = async move |tx: &mut Tx<'_>| {
            let stored = found(batches::get_for_update(tx, owner, id).await?)?;
            match stored.status {
                Status::Purchased => {}
                Status::Purchasing => return Err(Code::BatchPurchasing.into()),
                _ => return Err(Code::BatchNotFinalised.into()),
            }
            let format = input.format.map_or_else(|| format_of(&stored), Ok)?;
            batch_labels::begin(tx, owner, id, format, document, now).await?;
            let work = found(batch_labels::get(tx, owner, id, format).await?)?;
            let is_worth_another_try = match (work.set_aside_at, work.state) {
                (Some(at), _) => now >= at.plus_seconds(SET_ASIDE_SECONDS),
                (None, State::Refused) => !has_refused(tx, &work).await?,
                (None, State::Making | State::Merging | State::Made) => false,
            };
            if is_worth_another_try {
                batch_labels::retry(tx, owner, id, format, now).await?;
            }
            // Store the format in the answer: the batch may change its own format, but a stored answer must not change.
            Ok(Reply::created_many(format.as_str().to_owned()))
        };
        let mut begun = self.context.write(&command, begin).await?;
        self.notify();
        if let Outcome::Refused(_) = begun.outcome {
            return Ok((LabelFormat::Png, begun));
        }
        let format = match LabelFormat::parse(&std::mem::take(&mut begun.body)) {
            Some(format) => format,
            // An answer that was stored before requests could name a format is about the batch's own.
            None => {
                let read = self.context.db().read(owner, async move |tx| batches::get(tx, owner, id).await);
                format_of(&found(read.await?)?)?
            }
        };
        Ok((format, self.wait_for_labels(owner, id, format, wait, begun).await?))
    }

    /// Waits until the labels are made, or until the deadline.
    async fn wait_for_labels(
        &self,
        owner: Owner,
        id: Id<Batch>,
        format: LabelFormat,
        wait: Wait,
        mut begun: Reply,
    ) -> Result<Reply> {
        let mut deadline = WaitDeadline::new(wait, self.labelling_news());
        loop {
            let is_late = deadline.is_over();
            let read =
                self.context.db().read(owner, async move |tx| batch_labels::get(tx, owner, id, format).await);
            let work = found(read.await?)?;
            match work.state {
                State::Made => return Ok(begun),
                State::Refused => return Err(refusal(&work).into()),
                State::Making | State::Merging if work.set_aside_at.is_some() => {
                    return Err(Code::LabelsSetAside.into());
                }
                State::Making | State::Merging => {}
            }
            if is_late {
                begun.outcome = Outcome::Accepted;
                begun.location = Some(format!("/batches/{id}/labels?format={}", format.as_str()));
                return Ok(begun);
            }
            deadline.rest().await;
        }
    }

    /// Returns a page of a batch's labels with their customs papers, in the order of its shipments. The first page begins with
    /// the file that contains all of them. Before the batch is finalised, only shipments that are bought already have labels.
    /// Without a format, labels are in the batch's format; a shipment that has none in it has the labels that exist.
    pub async fn page(
        &self,
        caller: &Caller,
        id: Id<Batch>,
        format: Option<LabelFormat>,
        after: Option<Id<Shipment>>,
    ) -> Result<LabelPage> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| {
            let stored = found(batches::get(tx, owner, id).await?)?;
            let mut all = match after {
                None => documents::of_subject(tx, owner, &id.to_string()).await?,
                Some(_) => Vec::new(),
            };
            let is_wanted = |document: &StoredDocument| {
                let kind = format.map(|format| Merger::kind(format).1);
                kind.is_none_or(|kind| kind == document.file.file_type)
            };
            all.retain(|document| document.file.r#type == DocumentType::Labels && is_wanted(document));
            let from = after.map(|id| id.to_string()).unwrap_or_default();
            let ids = batch_labels::bought(tx, owner, id, &from, PAGE_SHIPMENTS).await?;
            let papers = papers_of(tx, owner, &ids).await?;
            all.extend(match format {
                Some(format) => in_print_order(papers, |document| is_in(document, format)),
                None => shown_labels(papers, format_of(&stored)?),
            });
            Ok((all, ids.last().copied().filter(|_| ids.len() == PAGE_SHIPMENTS)))
        });
        let (documents, next) = read.await?;
        let items = documents.iter().map(|document| json(&self.documents.sign(owner, document)));
        Ok(LabelPage { items: items.collect::<Result<_>>()?, next })
    }
}

/// Returns the format in which a batch wants its labels.
fn format_of(batch: &batches::StoredBatch) -> Result<LabelFormat> {
    let details: Details = serde_json::from_str(&batch.details).map_err(Error::fault)?;
    Ok(details.options.label_format)
}

/// Returns the refusal of a format in which labels can't be made, naming the shipments.
fn refusal(work: &Work) -> Problem {
    let issue = |id: &Id<Shipment>| {
        let message =
            format!("The carrier's own label of {id} can't be converted to {}.", work.format.as_str());
        Issue::new(Code::LabelFormatUnavailable.as_str(), "/format", message)
            .with("shipment_id", id.to_string())
    };
    let detail = format!("Some labels of the batch can't be had as {}.", work.format.as_str());
    Problem::fields(Code::LabelFormatUnavailable, work.refused.iter().map(issue).collect::<Vec<_>>())
        .with_detail(detail)
}

/// Whether any of the shipments that prevented the labels still does: voided shipments do not.
async fn has_refused(tx: &mut Tx<'_>, work: &Work) -> Result<bool> {
    let all = shipments::all(tx, work.owner, &work.refused).await?;
    Ok(all.iter().any(|stored| stored.status == shipment::Status::Purchased))
}

/// Returns the labels and the customs papers of shipments, by shipment, and of each shipment in the order of their creation.
async fn papers_of(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<Shipment>]) -> Result<Vec<StoredDocument>> {
    let subjects: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let mut all = documents::of_subjects(tx, owner, &subjects).await?;
    all.retain(|document| document.file.r#type == DocumentType::Label || is_paper(document));
    Ok(all)
}

/// Whether it is a customs paper, which goes with the parcel beside its label.
fn is_paper(document: &StoredDocument) -> bool {
    let r#type = document.file.r#type;
    matches!(r#type, DocumentType::CommercialInvoice | DocumentType::Cn22 | DocumentType::Cn23)
}

/// Returns for each shipment its wanted labels, by package, and then its papers, as they are printed. A shipment without such
/// a label has nothing to print.
fn in_print_order(
    all: Vec<StoredDocument>,
    is_wanted: impl Fn(&StoredDocument) -> bool,
) -> Vec<StoredDocument> {
    let mut ordered = Vec::with_capacity(all.len());
    for of_one in all.chunk_by(|a, b| a.subject == b.subject) {
        let is_label = |document: &&StoredDocument| !is_paper(document) && is_wanted(document);
        let mut labels: Vec<_> = of_one.iter().filter(is_label).cloned().collect();
        labels.sort_by_key(|document| document.file.package);
        let papers = of_one.iter().filter(|document| is_paper(document) && !labels.is_empty());
        let papers: Vec<_> = papers.cloned().collect();
        ordered.extend(labels.into_iter().chain(papers));
    }
    ordered
}

/// Returns the labels of shipments, by shipment.
async fn labels_of(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<Shipment>]) -> Result<Vec<StoredDocument>> {
    let subjects: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let mut all = documents::of_subjects(tx, owner, &subjects).await?;
    all.retain(|document| document.file.r#type == DocumentType::Label);
    Ok(all)
}

fn is_in(document: &StoredDocument, format: LabelFormat) -> bool {
    document.file.file_type == format.media_type()
}

/// Returns for each shipment the labels in the batch's format, or else those that it has; and its papers.
fn shown_labels(all: Vec<StoredDocument>, format: LabelFormat) -> Vec<StoredDocument> {
    let is_label_in = |document: &StoredDocument| !is_paper(document) && is_in(document, format);
    let has_it: HashSet<String> = all
        .iter()
        .filter(|document| is_label_in(document))
        .map(|document| document.subject.clone())
        .collect();
    in_print_order(all, |document| !has_it.contains(&document.subject) || is_in(document, format))
}

/// Writes an event of a batch, with its number of labels.
async fn tell(tx: &mut Tx<'_>, work: &Work, event: &'static str, events: &EventLog) -> Result<()> {
    let batch = found(batches::get(tx, work.owner, work.batch).await?)?;
    let shown = show(tx, work.owner, std::slice::from_ref(&batch)).await?.remove(0);
    let open = shown.strip_suffix('}').ok_or_else(|| Error::fault("a batch's document is not an object"))?;
    let shown = format!("{open},\"labels_count\":{}}}", work.labels);
    events.append(tx, &Event::new(event, work.batch, &shown).changed_from(json!({}))).await.map(drop)
}
