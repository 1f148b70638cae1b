//! Papers of a warehouse: packing slips, pick lists, and one file with all papers of a shipment.
//!
//! A request gathers what a paper shows in one read, draws it on a thread for drawing, writes the file, and records it as
//! a document in one transaction. Papers follow what they show: asked again, the document keeps its id and gets a new file.
//!
//! The papers of a batch are made in parts of [`PART_SHIPMENTS`], so that a request stays below its time limit. Their
//! files are written while they are drawn: memory holds a few shipments' papers, not those of the batch.

mod gather;
mod keep;
mod labels_of;
mod merge;
mod pick_lists;
mod slips;
mod wave_pick_lists;

use std::sync::Arc;

use labels::{Brand, Fonts, PageSize};
use model::fulfilment::warehouse_paper::{
    BatchPaperInput, PART_SHIPMENTS, PaperFormat, PaperKey, PickListsInput, ShipmentPaperInput,
};
use model::platform::problem::Issue;
use model::shipping::batch::Details;
use model::shipping::document::DocumentType;
use model::shipping::shipment::Status;
use model::{Batch, Code, Error, Id, Owner, Problem, Result, Shipment, ensure};
use store::Tx;
use store::fulfilment::warehouse_papers;
use store::places::locations;
use store::shipping::batches::{self, StoredBatch};

use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::fulfilment::branding;
use crate::platform::context::Context;
use crate::platform::resource::found;
use crate::shipping::documents::Documents;
use crate::shipping::drawing::DrawingPermits;
use crate::shipping::purchasing::Purchasing;
use gather::{Gathered, gather};
use keep::{PaperFiles, PaperSubject};

/// The papers of shipments, batches and waves. Clones share their state.
#[derive(Clone)]
pub struct Papers {
    context: Context,
    documents: Documents,
    purchasing: Purchasing,
    drawing: DrawingPermits,
    files: PaperFiles,
}

/// The components that papers need.
pub(crate) struct Needs<'a> {
    pub documents: &'a Documents,
    pub purchasing: &'a Purchasing,
    pub drawing: &'a DrawingPermits,
}

/// A part of a batch or a wave: its number, unless there is one part only, and how many shipments or orders are before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    number: Option<usize>,
    skipped: usize,
}

impl Papers {
    pub(crate) fn new(context: &Context, needs: &Needs<'_>) -> Self {
        Self {
            context: context.clone(),
            documents: needs.documents.clone(),
            purchasing: needs.purchasing.clone(),
            drawing: needs.drawing.clone(),
            files: PaperFiles::new(context, needs.documents),
        }
    }

    /// Makes the packing slip of a shipment that is not voided.
    pub async fn create_packing_slip(
        &self,
        command: Command,
        id: Id<Shipment>,
        input: ShipmentPaperInput,
    ) -> Result<Reply> {
        let gathered = self.shipment(command.caller.owner, id).await?;
        ensure(
            gathered.shipments.iter().any(|shipment| gathered.has_contents(shipment)),
            Code::NothingToList,
        )?;
        self.shipment_paper(command, id, gathered, DocumentType::PackingSlip, input).await
    }

    /// Makes one file with the label, the packing slip and the customs papers of a shipment that was bought.
    pub async fn create_shipment_papers(
        &self,
        command: Command,
        id: Id<Shipment>,
        input: ShipmentPaperInput,
    ) -> Result<Reply> {
        let gathered = self.shipment(command.caller.owner, id).await?;
        match gathered.shipments.first().map(|shipment| shipment.status) {
            Some(Status::Purchased) => {}
            Some(Status::Purchasing) => return Err(Code::ShipmentPurchasing.into()),
            _ => return Err(Code::ShipmentNotPurchased.into()),
        }
        self.shipment_paper(command, id, gathered, DocumentType::Papers, input).await
    }

    /// Makes one file with the packing slips of a batch. Voided shipments, and those that name nothing that they contain,
    /// have none.
    pub async fn create_packing_slips(
        &self,
        command: Command,
        id: Id<Batch>,
        input: BatchPaperInput,
    ) -> Result<Reply> {
        let (batch, part, mut gathered) = self.batch(command.caller.owner, id, input.part).await?;
        gathered.retain(|shipment| shipment.status != Status::Voided);
        ensure(
            gathered.shipments.iter().any(|shipment| gathered.has_contents(shipment)),
            Code::NothingToList,
        )?;
        self.batch_paper(command, batch, part, gathered, DocumentType::PackingSlips, input.format).await
    }

    /// Makes one file with the labels, packing slips and customs papers of a batch that is bought, shipment by shipment.
    pub async fn create_batch_papers(
        &self,
        command: Command,
        id: Id<Batch>,
        input: BatchPaperInput,
    ) -> Result<Reply> {
        use model::shipping::batch::Status as BatchStatus;
        let (batch, part, mut gathered) = self.batch(command.caller.owner, id, input.part).await?;
        match batch.status {
            BatchStatus::Purchased => {}
            BatchStatus::Purchasing => return Err(Code::BatchPurchasing.into()),
            _ => return Err(Code::BatchNotFinalised.into()),
        }
        gathered.retain(|shipment| shipment.status == Status::Purchased);
        ensure(!gathered.shipments.is_empty(), Code::BatchEmpty)?;
        self.batch_paper(command, batch, part, gathered, DocumentType::Papers, input.format).await
    }

    /// Makes the pick lists of a batch: one for each location that its shipments leave from, or that of one location.
    pub async fn create_pick_lists(
        &self,
        command: Command,
        id: Id<Batch>,
        input: PickListsInput,
    ) -> Result<Reply> {
        let owner = command.caller.owner;
        if let Some(location) = input.location_id {
            self.ensure_location(owner, location).await?;
        }
        let (batch, part, mut gathered) = self.batch(owner, id, input.part).await?;
        gathered.retain(|shipment| {
            let is_there = input.location_id.is_none() || shipment.origin == input.location_id;
            shipment.status != Status::Voided && is_there
        });
        let format = input.format.unwrap_or_else(|| gathered.usual_format());
        let name = batch_name(&batch)?;
        let subject = if name.is_empty() { id.to_string() } else { name.clone() };
        let lists = self.pick_lists(owner, gathered, format, part.number, &subject).await?;
        let mut files = Vec::new();
        for (key, bytes) in lists {
            let mut written = self.files.begin(owner, PaperSubject::Batch(id), &key, &name).await?;
            written.write(&bytes).await?;
            files.push(written.finish().await?);
        }
        self.files.record(command, PaperSubject::Batch(id), files).await
    }

    /// Reads a shipment with what its papers show.
    async fn shipment(&self, owner: Owner, id: Id<Shipment>) -> Result<Gathered> {
        let read = self.context.db().read(owner, async move |tx| {
            let shipments = warehouse_papers::of_ids(tx, owner, &[id]).await?;
            let first = found(shipments.first())?;
            ensure(first.status != Status::Voided, Code::ShipmentVoided)?;
            gather(tx, owner, shipments).await
        });
        read.await
    }

    /// Reads a part of a batch with what its papers show.
    async fn batch(
        &self,
        owner: Owner,
        id: Id<Batch>,
        part: Option<usize>,
    ) -> Result<(StoredBatch, Part, Gathered)> {
        let read = self.context.db().read(owner, async move |tx| {
            let batch = found(batches::get(tx, owner, id).await?)?;
            let part = part_of(usize::try_from(batch.counts.shipments).unwrap_or_default(), part)?;
            let shipments = warehouse_papers::of_batch(tx, owner, id, PART_SHIPMENTS, part.skipped).await?;
            let gathered = gather(tx, owner, shipments).await?;
            Ok((batch, part, gathered))
        });
        read.await
    }

    async fn ensure_location(&self, owner: Owner, location: Id<model::Location>) -> Result<()> {
        let read = self
            .context
            .db()
            .read(owner, async move |tx: &mut Tx<'_>| locations::get(tx, owner, location).await);
        if read.await?.is_some() {
            return Ok(());
        }
        let code = Code::LocationNotFound;
        let issue = Issue::new(code.as_str(), "/location_id", "There is no such location.");
        Err(Problem::field(code, issue).into())
    }

    async fn shipment_paper(
        &self,
        command: Command,
        id: Id<Shipment>,
        gathered: Gathered,
        r#type: DocumentType,
        input: ShipmentPaperInput,
    ) -> Result<Reply> {
        let format = input.format.unwrap_or_else(|| gathered.usual_format());
        let name = gathered.shipments.first().and_then(|shipment| shipment.shipment.details.name.clone());
        let key = PaperKey { r#type, format, part: None, location: None };
        self.paper(command, PaperSubject::Shipment(id), key, &name.unwrap_or_default(), gathered).await
    }

    async fn batch_paper(
        &self,
        command: Command,
        batch: StoredBatch,
        part: Part,
        gathered: Gathered,
        r#type: DocumentType,
        format: Option<PaperFormat>,
    ) -> Result<Reply> {
        let format = format.unwrap_or_else(|| gathered.usual_format());
        let key = PaperKey { r#type, format, part: part.number, location: None };
        self.paper(command, PaperSubject::Batch(batch.id), key, &batch_name(&batch)?, gathered).await
    }

    /// Writes a file with the papers of shipments, and records it.
    async fn paper(
        &self,
        command: Command,
        subject: PaperSubject,
        key: PaperKey,
        name: &str,
        gathered: Gathered,
    ) -> Result<Reply> {
        let owner = command.caller.owner;
        let labels = match key.r#type {
            DocumentType::Papers => Some(self.labels(owner, &gathered).await?),
            _ => None,
        };
        let mut written = self.files.begin(owner, subject, &key, name).await?;
        let file = match self.write_merged(owner, &key, Arc::new(gathered), labels, &mut written).await {
            Ok(()) => written.finish().await?,
            Err(error) => {
                written.abort().await;
                return Err(error);
            }
        };
        self.files.record(command, subject, vec![file]).await
    }

    /// Returns what drawing needs: the fonts, and the branding with its logo.
    async fn brand(&self, gathered: &Gathered) -> Result<(Arc<Fonts>, Arc<Brand>)> {
        let fonts = self.purchasing.fonts().await?;
        let details = gathered.branding.clone();
        let _core = self.drawing.acquire().await?;
        let brand = tokio::task::spawn_blocking(move || branding::brand(&details));
        Ok((fonts, Arc::new(brand.await.map_err(Error::fault)??)))
    }
}

/// Returns the part of a batch that a request asks for.
fn part_of(shipments: usize, part: Option<usize>) -> Result<Part> {
    let parts = shipments.div_ceil(PART_SHIPMENTS).max(1);
    match part {
        None if parts == 1 => Ok(Part { number: None, skipped: 0 }),
        None => {
            let detail =
                format!("The batch has {shipments} shipments. Ask for its {parts} parts one by one.");
            let issue = Issue::new("required", "/part", format!("Must be from 1 to {parts}."));
            Err(Problem::field(Code::BatchPartRequired, issue).with_detail(detail).into())
        }
        Some(number) if number > parts => {
            let code = Code::BatchPartNotFound;
            let message = format!("The batch has {parts} of them: send a number from 1 to {parts}.");
            Err(Problem::field(code, Issue::new(code.as_str(), "/part", message)).into())
        }
        Some(number) => {
            let skipped = number.saturating_sub(1) * PART_SHIPMENTS;
            Ok(Part { number: (parts > 1).then_some(number), skipped })
        }
    }
}

/// Returns the name of a batch, or an empty text.
fn batch_name(batch: &StoredBatch) -> Result<String> {
    let details: Details = serde_json::from_str(&batch.details).map_err(Error::fault)?;
    Ok(details.name.unwrap_or_default())
}

fn page_size(format: PaperFormat) -> PageSize {
    match format {
        PaperFormat::A4 => PageSize::A4,
        PaperFormat::Letter => PageSize::Letter,
        PaperFormat::Inches4x6 => PageSize::Inches4x6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_batch_has_parts_and_a_small_one_is_whole() {
        let whole = Part { number: None, skipped: 0 };
        assert_eq!(part_of(0, None).unwrap(), whole);
        assert_eq!(part_of(500, None).unwrap(), whole);
        assert_eq!(part_of(500, Some(1)).unwrap(), whole);
        assert_eq!(part_of(501, Some(1)).unwrap(), Part { number: Some(1), skipped: 0 });
        assert_eq!(part_of(501, Some(2)).unwrap(), Part { number: Some(2), skipped: 500 });
        let code = |result: Result<Part>| match result.unwrap_err() {
            Error::Refused(problem) => problem.code,
            Error::Fault(_) => panic!("not a refusal"),
        };
        assert_eq!(code(part_of(501, None)), Code::BatchPartRequired);
        assert_eq!(code(part_of(501, Some(3))), Code::BatchPartNotFound);
        assert_eq!(code(part_of(0, Some(usize::MAX))), Code::BatchPartNotFound);
    }
}
