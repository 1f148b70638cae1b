//! One file with the papers of shipments, in the order in which they are printed: of each shipment its labels, its
//! packing slip and its customs papers. The file is written while it is made.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use labels::{Brand, Fonts, MergeError, Merger, PageSize};
use model::fulfilment::warehouse_paper::PaperKey;
use model::platform::problem::Issue;
use model::shipping::shipment::{LabelFormat, Shipment};
use model::{Code, Error, Id, Owner, Problem, Result};
use store::shipping::documents::StoredDocument;

use super::Papers;
use super::gather::{Gathered, GatheredShipment};
use super::keep::Written;
use super::labels_of::{LabelPages, ShipmentFiles, draw_pdf};
use super::page_size;
use super::slips::draw_slip;
use crate::shipping::drawn_label::DrawnLabel;

/// Shipments whose papers are in memory at once.
const SHIPMENTS_AT_ONCE: usize = 8;

/// What all papers of a file share.
struct Drawing {
    gathered: Arc<Gathered>,
    brand: Arc<Brand>,
    fonts: Arc<Fonts>,
    size: PageSize,
}

/// A shipment whose files were read: its place among the gathered ones, its labels, and its customs papers.
struct Ready {
    place: usize,
    files: Option<(LabelBytes, Vec<Bytes>)>,
}

enum LabelBytes {
    Read(Vec<Bytes>),
    Drawn(DrawnLabel),
}

impl Papers {
    /// Writes the papers of shipments. Without labels, these are the packing slips only.
    pub(super) async fn write_merged(
        &self,
        owner: Owner,
        key: &PaperKey,
        gathered: Arc<Gathered>,
        mut labels: Option<BTreeMap<Id<Shipment>, ShipmentFiles>>,
        written: &mut Written,
    ) -> Result<()> {
        let (fonts, brand) = self.brand(&gathered).await?;
        let size = page_size(key.format);
        let drawing = Arc::new(Drawing { gathered: Arc::clone(&gathered), brand, fonts, size });
        let mut merger = Merger::new(LabelFormat::Pdf);
        let places: Vec<usize> = (0..gathered.shipments.len()).collect();
        for some in places.chunks(SHIPMENTS_AT_ONCE) {
            let mut ready = Vec::with_capacity(some.len());
            for place in some {
                let id = gathered.shipments[*place].id;
                let files = match labels.as_mut().and_then(|labels| labels.remove(&id)) {
                    Some(files) => Some(self.read_files(files).await?),
                    None => None,
                };
                ready.push(Ready { place: *place, files });
            }
            let core = self.drawing.acquire().await?;
            let drawing = Arc::clone(&drawing);
            // The permit moves along: if the request is given up, drawing goes on until its end.
            let add = move || {
                let _core = core;
                drawing.add(merger, ready)
            };
            let (back, bytes) = tokio::task::spawn_blocking(add).await.map_err(Error::fault)??;
            merger = back;
            written.write(&bytes).await?;
        }
        let end = tokio::task::spawn_blocking(move || merger.finish()).await.map_err(Error::fault)?;
        written.write(&end).await?;
        tracing::debug!(%owner, shipments = gathered.shipments.len(), "papers written");
        Ok(())
    }

    async fn read_files(&self, files: ShipmentFiles) -> Result<(LabelBytes, Vec<Bytes>)> {
        let label = match files.label {
            LabelPages::Stored(documents) => LabelBytes::Read(self.read_all(&documents).await?),
            LabelPages::Drawn(drawn) => LabelBytes::Drawn(drawn),
        };
        Ok((label, self.read_all(&files.customs).await?))
    }

    async fn read_all(&self, documents: &[StoredDocument]) -> Result<Vec<Bytes>> {
        let mut all = Vec::with_capacity(documents.len());
        for document in documents {
            all.push(self.documents.whole_file(document).await?);
        }
        Ok(all)
    }
}

impl Drawing {
    /// Adds the papers of some shipments to the file, and returns its next bytes.
    fn add(&self, mut merger: Merger, ready: Vec<Ready>) -> Result<(Merger, Vec<u8>)> {
        let mut bytes = Vec::new();
        for Ready { place, files } in ready {
            let shipment = &self.gathered.shipments[place];
            let unusable = |error: MergeError| unusable_label(shipment, &error);
            let (label, customs) =
                files.map_or((None, Vec::new()), |(label, customs)| (Some(label), customs));
            match label {
                Some(LabelBytes::Read(files)) => {
                    for file in files {
                        bytes.extend(merger.add("", &file).map_err(unusable)?);
                    }
                }
                Some(LabelBytes::Drawn(drawn)) => {
                    for file in draw_pdf(&drawn, &shipment.shipment, &self.fonts)? {
                        bytes.extend(merger.add("", &file).map_err(Error::fault)?);
                    }
                }
                None => {}
            }
            if let Some(slip) = draw_slip(&self.gathered, shipment, &self.brand, self.size, &self.fonts)? {
                bytes.extend(merger.add_paper("", &slip).map_err(Error::fault)?);
            }
            for paper in customs {
                bytes.extend(merger.add_paper("", &paper).map_err(unusable)?);
            }
        }
        Ok((merger, bytes))
    }
}

/// Returns the refusal of a carrier's file that can't be read.
fn unusable_label(shipment: &GatheredShipment, error: &MergeError) -> Error {
    let code = Code::LabelFormatUnavailable;
    let message = format!("A file of {} can't be merged: {error}. Print it by itself.", shipment.id);
    let issue = Issue::new(code.as_str(), "", message).with("shipment_id", shipment.id.to_string());
    Problem::field(code, issue).into()
}
