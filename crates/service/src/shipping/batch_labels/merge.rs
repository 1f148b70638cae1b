//! The one file with all labels of a batch, written while its labels are read.

use bytes::Bytes;
use labels::Merger;
use model::events::actor::Actor;
use model::shipping::batch::Details;
use model::shipping::document::{DocumentType, file_stem};
use model::shipping::shipment::{ErrorCode, ErrorType, Shipment, ShipmentError, Source};
use model::{Error, Id, Result};
use store::shipping::batch_labels::{self, State, Work};
use store::shipping::documents::{self, StoredDocument};
use store::shipping::{batches, shipments};
use tokio::task::JoinSet;

use super::BatchLabels;
use super::make::Pass;
use super::{PAGE_SHIPMENTS, in_print_order, is_in, is_paper, papers_of, tell};
use crate::platform::resource::found;
use crate::shipping::batches::member_changed;
use crate::shipping::documents::{FileWriter, StoredFile};
use crate::shipping::shipments::{change_uncounted, read_shipment, without_links};

/// Labels that are read at once, and then added to the file together.
const READ_AT_ONCE: usize = 8;
/// Maximum number of shipments that are reported because their labels could not be added to the file.
const UNREADABLE_MAX: usize = 100;
/// Number of earlier attempts whose files are deleted.
const ATTEMPTS_FORGOTTEN: i64 = 16;

/// A label that could not be added to the file, and why.
type Unreadable = (Id<Shipment>, String);

/// A label to add to the file: its shipment, its name there, and the document.
struct Entry {
    shipment: Id<Shipment>,
    name: String,
    document: StoredDocument,
}

/// A file whose bytes were read.
struct File {
    shipment: Id<Shipment>,
    name: String,
    is_paper: bool,
    bytes: Bytes,
}

impl BatchLabels {
    /// Writes the merged file, and records that the labels are made.
    pub(super) async fn merge_labels(&self, node: &str, work: &mut Work) -> Result<Pass> {
        let (ending, media_type) = Merger::kind(work.format);
        let (owner, batch, kind) = (work.owner, work.batch, DocumentType::Labels);
        let read =
            self.context.db().read(owner, async move |tx| found(batches::get(tx, owner, batch).await?));
        let name = (merged_name(&read.await?, ending)?, media_type);
        let mut writer = self.documents.keep_stream(owner, work.document, work.fence, kind, name).await?;
        let unreadable = match self.write_merged(node, work, &mut writer).await {
            Ok(Some(unreadable)) => unreadable,
            Ok(None) => {
                writer.abort().await;
                return Ok(Pass::More);
            }
            Err(error) => {
                writer.abort().await;
                return Err(error);
            }
        };
        let file = writer.finish().await?;
        work.state = State::Made;
        if !self.record_merged(work, file, unreadable).await? {
            return Ok(Pass::Lost);
        }
        for attempt in (work.fence - ATTEMPTS_FORGOTTEN).max(1)..work.fence {
            self.documents.forget_attempt(owner, work.document, attempt).await;
        }
        Ok(Pass::Done)
    }

    /// Writes all labels. Returns those that could not be added, or `None` if this node must not go on.
    async fn write_merged(
        &self,
        node: &str,
        work: &Work,
        writer: &mut FileWriter,
    ) -> Result<Option<Vec<Unreadable>>> {
        let (owner, batch, format) = (work.owner, work.batch, work.format);
        let mut merger = Merger::new(format);
        let (mut after, mut number, mut unreadable) = (String::new(), 0_u64, Vec::new());
        loop {
            let from = after.clone();
            let read = self.context.db().read(owner, async move |tx| {
                let ids = batch_labels::bought(tx, owner, batch, &from, PAGE_SHIPMENTS).await?;
                Ok((papers_of(tx, owner, &ids).await?, ids))
            });
            let (papers, ids) = read.await?;
            let mut papers = in_print_order(papers, |document| is_in(document, format));
            papers.retain(|document| Merger::takes_papers(format) || !is_paper(document));
            let entries = entries(papers, &mut number)?;
            for some in entries.chunks(READ_AT_ONCE) {
                if !self.may_label(node) {
                    return Ok(None);
                }
                let files = self.read_labels(some).await?;
                let _core = self.drawing.acquire().await?;
                let add = move || add(merger, files);
                let (back, bytes, refused) = tokio::task::spawn_blocking(add).await.map_err(Error::fault)?;
                merger = back;
                unreadable.extend(refused.into_iter().take(UNREADABLE_MAX - unreadable.len()));
                writer.write(&bytes).await?;
            }
            match ids.last() {
                Some(last) if ids.len() == PAGE_SHIPMENTS => after = last.to_string(),
                _ => break,
            }
        }
        let end = tokio::task::spawn_blocking(move || merger.finish()).await.map_err(Error::fault)?;
        writer.write(&end).await?;
        Ok(Some(unreadable))
    }

    /// Reads the bytes of some labels and papers, in order.
    async fn read_labels(&self, entries: &[Entry]) -> Result<Vec<File>> {
        let mut tasks = JoinSet::new();
        for (place, entry) in entries.iter().enumerate() {
            let (service, document) = (self.clone(), entry.document.clone());
            tasks.spawn(async move { (place, service.documents.whole_file(&document).await) });
        }
        let mut read = tasks.join_all().await;
        read.sort_unstable_by_key(|(place, _)| *place);
        let files = read.into_iter().zip(entries);
        let file = |((_, bytes), entry): ((usize, Result<Bytes>), &Entry)| {
            let (shipment, name) = (entry.shipment, entry.name.clone());
            Ok(File { shipment, name, is_paper: is_paper(&entry.document), bytes: bytes? })
        };
        files.map(file).collect()
    }

    /// Records the file as a document of the batch. Returns false if another node holds the work.
    async fn record_merged(
        &self,
        work: &Work,
        file: StoredFile,
        unreadable: Vec<Unreadable>,
    ) -> Result<bool> {
        let (owner, now, work) = (work.owner, self.context.now(), work.clone());
        let events = self.context.event_log(Actor::Job("batch_labels"), owner, now);
        let record = self.context.db().write(owner, async move |tx| {
            found(batches::get_for_update(tx, owner, work.batch).await?)?;
            if !batch_labels::record(tx, &work, now).await? {
                return Ok(false);
            }
            documents::insert(tx, owner, &work.batch.to_string(), &file, now).await?;
            for (id, why) in &unreadable {
                let stored = found(shipments::get_for_update(tx, owner, *id).await?)?;
                let mut new = Shipment { updated_at: now, ..read_shipment(&stored)? };
                let message = format!("Its label is not in the file of the batch: {why}.");
                let code = ErrorCode::LabelFormatUnavailable;
                new.add_error(ShipmentError::new(ErrorType::Label, code, Source::Carrier, message));
                let all = without_links(&documents::of_subject(tx, owner, &id.to_string()).await?);
                let changed =
                    change_uncounted(tx, owner, &stored, &new, &all, "shipment.updated", &events).await?;
                if let Some((batch, delta)) = changed.batch {
                    member_changed(tx, owner, batch, delta, &events).await?;
                }
            }
            tell(tx, &work, "batch.labels_created", &events).await?;
            Ok(true)
        });
        let is_held = record.await?;
        self.context.notice(owner);
        Ok(is_held)
    }
}

/// Returns the name of the file with all labels of a batch: from the batch's name or, if it has none, its id.
fn merged_name(batch: &batches::StoredBatch, ending: &str) -> Result<String> {
    let details: Details = serde_json::from_str(&batch.details).map_err(Error::fault)?;
    let stem = Some(file_stem(details.name.as_deref().unwrap_or_default())).filter(|stem| !stem.is_empty());
    Ok(format!("{}-labels.{ending}", stem.unwrap_or_else(|| batch.id.to_string())))
}

/// Names each file by its position in print, followed by its own name.
fn entries(papers: Vec<StoredDocument>, number: &mut u64) -> Result<Vec<Entry>> {
    let mut entries = Vec::with_capacity(papers.len());
    for document in papers {
        *number += 1;
        let shipment = document.shipment().ok_or_else(|| Error::fault("a label belongs to no shipment"))?;
        let name = &document.file.file_name;
        let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
        entries.push(Entry { shipment, name: format!("{number:04}-{stem}"), document });
    }
    Ok(entries)
}

/// Adds files to the merged one. Returns its next bytes, and the files that could not be read.
fn add(mut merger: Merger, files: Vec<File>) -> (Merger, Vec<u8>, Vec<Unreadable>) {
    let (mut bytes, mut unreadable) = (Vec::new(), Vec::new());
    for file in files {
        let added = match file.is_paper {
            true => merger.add_paper(&file.name, &file.bytes),
            false => merger.add(&file.name, &file.bytes),
        };
        match added {
            Ok(more) => bytes.extend(more),
            Err(error) => unreadable.push((file.shipment, error.to_string())),
        }
    }
    (merger, bytes, unreadable)
}
