//! Files as a printer gets them: those that are stored, and those that are made when they are sent.
//!
//! A file that is made anew is never stored. It follows from the shipment and its purchase, which do not change after the label
//! was drawn, or from the stored file of a paper; so a try that is repeated sends the same bytes.

use bytes::Bytes;
use labels::Resolution;
use model::fulfilment::print_job::JOB_BYTES_MAX;
use model::fulfilment::print_rendition::Rendition;
use model::fulfilment::printer::{DPI, PrintFormat};
use model::platform::problem::Issue;
use model::shipping::document::DocumentType;
use model::shipping::shipment::{LabelFormat, Shipment};
use model::{Code, Error, Owner, Problem, Result};
use store::shipping::documents::StoredDocument;
use store::shipping::{purchases, shipments};

use crate::platform::context::Context;
use crate::shipping::documents::Documents;
use crate::shipping::drawing::DrawingPermits;
use crate::shipping::drawn_label::DrawnLabel;
use crate::shipping::purchasing::Purchasing;
use crate::shipping::shipments::read_shipment;

/// By these the memory is estimated that drawing takes: a label has eight dots in a byte, a page of a paper one.
const LABEL_SQUARE_INCHES: i64 = 24;
const LABEL_DOTS_PER_BYTE: i64 = 8;
const PAPER_SQUARE_INCHES: i64 = 97;

/// Makes the files of print jobs. Clones share their state.
#[derive(Clone)]
pub struct PrintFiles {
    context: Context,
    documents: Documents,
    purchasing: Purchasing,
    drawing: DrawingPermits,
}

/// The components that files of print jobs need.
pub(crate) struct Needs<'a> {
    pub documents: &'a Documents,
    pub purchasing: &'a Purchasing,
    pub drawing: &'a DrawingPermits,
}

impl PrintFiles {
    pub(super) fn new(context: &Context, needs: &Needs<'_>) -> Self {
        Self {
            context: context.clone(),
            documents: needs.documents.clone(),
            purchasing: needs.purchasing.clone(),
            drawing: needs.drawing.clone(),
        }
    }

    /// Returns the bytes of a document as its printer gets them.
    ///
    /// # Errors
    ///
    /// `PrintFormatUnsupported` if the file can't be made: a repetition would fail, too.
    pub async fn file(
        &self,
        owner: Owner,
        document: &StoredDocument,
        sent_as: Option<Rendition>,
    ) -> Result<Bytes> {
        let Some(rendition) = sent_as.filter(|rendition| rendition.is_converted) else {
            return self.documents.whole_file(document).await;
        };
        match self.drawn_label(owner, document).await? {
            Some((shipment, drawn)) => self.draw(document, rendition, shipment, drawn).await,
            None if document.file.file_type == PrintFormat::Pdf.media_type() => {
                self.draw_pages(document, rendition).await
            }
            None => self.scale(document, rendition).await,
        }
    }

    /// Returns what drawing a label needs, if Dockside drew it.
    async fn drawn_label(
        &self,
        owner: Owner,
        document: &StoredDocument,
    ) -> Result<Option<(Shipment, DrawnLabel)>> {
        let id = document.shipment().filter(|_| document.file.r#type == DocumentType::Label);
        let Some(id) = id else { return Ok(None) };
        let read = self.context.db().read(owner, async move |tx| {
            let purchases = purchases::of_shipments(tx, owner, &[id]).await?;
            Ok((shipments::get(tx, owner, id).await?, purchases))
        });
        let (shipment, purchases) = read.await?;
        let drawn = purchases.iter().find_map(|purchase| DrawnLabel::of(owner, purchase));
        match (shipment, drawn) {
            (Some(shipment), Some(drawn)) => Ok(Some((read_shipment(&shipment)?, drawn))),
            _ => Ok(None),
        }
    }

    async fn draw(
        &self,
        document: &StoredDocument,
        rendition: Rendition,
        shipment: Shipment,
        drawn: DrawnLabel,
    ) -> Result<Bytes> {
        let (fonts, package) = (self.purchasing.fonts().await?, document.file.package);
        let core = self.drawing.acquire().await?;
        let draw = move || -> Result<Vec<u8>> {
            let _core = core;
            let scenes = drawn.scenes(&shipment, paper_of(rendition.format), &fonts)?;
            let chosen = match package {
                Some(number) => scenes.get(number.saturating_sub(1) as usize).map(std::slice::from_ref),
                None => Some(scenes.as_slice()),
            };
            let chosen = chosen.ok_or_else(|| unmakeable("the shipment has no such package"))?;
            let file = labels::rendered(chosen, rendition.format, resolution(rendition)?);
            file.map_err(|error| unmakeable(&error.to_string()))
        };
        Ok(tokio::task::spawn_blocking(draw).await.map_err(Error::fault)??.into())
    }

    /// Draws the pages of a paper that Dockside wrote as PDF.
    async fn draw_pages(&self, document: &StoredDocument, rendition: Rendition) -> Result<Bytes> {
        let pdf = self.documents.whole_file(document).await?;
        let bytes_max = usize::try_from(JOB_BYTES_MAX).map_err(Error::fault)?;
        let core = self.drawing.acquire().await?;
        let draw = move || -> Result<Vec<u8>> {
            let _core = core;
            let file = labels::pages_as_pwg(&pdf, resolution(rendition)?, bytes_max);
            file.map_err(|error| unmakeable(&error.to_string()))
        };
        Ok(tokio::task::spawn_blocking(draw).await.map_err(Error::fault)??.into())
    }

    async fn scale(&self, document: &StoredDocument, rendition: Rendition) -> Result<Bytes> {
        let picture = self.documents.whole_file(document).await?;
        let core = self.drawing.acquire().await?;
        let scale = move || -> Result<Vec<u8>> {
            let _core = core;
            let file = labels::rescaled(&picture, rendition.format, resolution(rendition)?);
            file.map_err(|error| unmakeable(&error.to_string()))
        };
        Ok(tokio::task::spawn_blocking(scale).await.map_err(Error::fault)??.into())
    }
}

/// Returns the document as it is served to an agent: with the type, the size and the name of the file that was made.
pub fn served(document: StoredDocument, sent_as: Option<Rendition>, bytes: &Bytes) -> Result<StoredDocument> {
    let Some(rendition) = sent_as.filter(|rendition| rendition.is_converted) else { return Ok(document) };
    let mut served = document;
    let name =
        served.file.file_name.rsplit_once('.').map_or(served.file.file_name.as_str(), |(stem, _)| stem);
    served.file.file_name = format!("{name}.{}", rendition.format.as_str());
    rendition.format.media_type().clone_into(&mut served.file.file_type);
    served.file.file_size = i64::try_from(bytes.len()).map_err(Error::fault)?;
    Ok(served)
}

/// Returns the media type of a document as its printer gets it.
pub fn media_type(document: &StoredDocument, sent_as: Option<Rendition>) -> String {
    match sent_as {
        Some(rendition) if rendition.is_converted => rendition.format.media_type().to_owned(),
        _ => document.file.file_type.clone(),
    }
}

/// Estimates the memory that a document takes while it is sent, in bytes.
pub fn memory_bytes(document: &StoredDocument, sent_as: Option<Rendition>) -> i64 {
    let dpi = sent_as.filter(|rendition| rendition.is_converted).and_then(|rendition| rendition.dpi);
    let dots = dpi.map_or(0, |dpi| i64::from(dpi) * i64::from(dpi));
    let page = match document.file.r#type {
        DocumentType::Label => dots * LABEL_SQUARE_INCHES / LABEL_DOTS_PER_BYTE,
        _ => dots * PAPER_SQUARE_INCHES,
    };
    document.file.file_size + page
}

/// Returns the format whose paper a label is drawn on: sheets are for printers that do not read ZPL.
fn paper_of(format: PrintFormat) -> LabelFormat {
    match format {
        PrintFormat::Pdf => LabelFormat::Pdf,
        PrintFormat::Zpl => LabelFormat::Zpl,
        PrintFormat::Png | PrintFormat::Pwg => LabelFormat::Png,
    }
}

fn resolution(rendition: Rendition) -> Result<Resolution> {
    let dpi = rendition.dpi.unwrap_or(DPI);
    Resolution::of_dpi(dpi).ok_or_else(|| unmakeable(&format!("labels are not drawn for {dpi} dpi")))
}

/// Returns the refusal of a file that can't be made.
fn unmakeable(why: &str) -> Error {
    let code = Code::PrintFormatUnsupported;
    let message = format!("The file can't be made for the printer: {why}.");
    Problem::field(code, Issue::new(code.as_str(), "", message.clone())).with_detail(message).into()
}
