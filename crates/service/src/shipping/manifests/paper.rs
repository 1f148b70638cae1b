//! The paper of a manifest: the carrier's own, or one that Dockside draws.

use ::carriers::{FileFormat, Label};
use bytes::Bytes;
use labels::{Handover, HandoverRow};
use model::shipping::document::DocumentType;
use model::shipping::manifest::Details;
use model::shipping::shipment::{Package, Shipment};
use model::{Error, Result, World};
use store::shipping::documents::StoredFile;
use store::shipping::manifest_shipments;
use store::shipping::manifests::StoredManifest;

use super::Manifests;
use crate::shipping::carriers::carrier_or_handle;
use crate::shipping::documents::NewDocument;

/// Shipments that are read at once for the list.
const PAGE: usize = 500;

impl Manifests {
    /// Makes or fetches the paper and stores it, always under the same id.
    pub(super) async fn manifest_paper(
        &self,
        manifest: &StoredManifest,
        form: Option<&Label>,
    ) -> Result<StoredFile> {
        let (format, bytes) = match form {
            Some(Label::File { format, bytes }) => (*format, bytes.clone()),
            Some(Label::At { format, url }) => {
                (*format, self.purchasing.fetch(manifest.owner, url).await.map_err(Error::fault)?)
            }
            Some(Label::Ours | Label::Later) | None => (FileFormat::Pdf, self.draw_manifest(manifest).await?),
        };
        let new = NewDocument {
            r#type: DocumentType::Manifest,
            package: None,
            file_name: format!("{}.{}", manifest.id, format.as_str()),
            file_type: format.media_type().to_owned(),
            bytes,
        };
        self.documents.keep_file_as(manifest.owner, manifest.document, &new).await
    }

    /// Draws the list. For many parcels that takes long, so it does not run on the threads that serve requests.
    async fn draw_manifest(&self, manifest: &StoredManifest) -> Result<Bytes> {
        let details: Details = serde_json::from_str(&manifest.details).map_err(Error::fault)?;
        let handover = Handover {
            number: manifest.id.to_string(),
            carrier: carrier_or_handle(&manifest.carrier).name,
            account: details.carrier_account.name,
            origin: details.origin,
            ship_date: manifest.ship_date.to_string(),
            is_test: manifest.owner.world == World::Test,
            shipments: manifest.shipments_count,
            rows: self.manifest_rows(manifest).await?,
        };
        let fonts = self.purchasing.fonts().await?;
        let draw = move || labels::handover(&handover, &fonts);
        let bytes = tokio::task::spawn_blocking(draw).await.map_err(Error::fault)?.map_err(Error::fault)?;
        Ok(bytes.into())
    }

    async fn manifest_rows(&self, manifest: &StoredManifest) -> Result<Vec<HandoverRow>> {
        let (owner, id) = (manifest.owner, manifest.id);
        let (mut rows, mut after) = (Vec::new(), None);
        loop {
            let read = self
                .context
                .db()
                .read(owner, async move |tx| manifest_shipments::docs_of(tx, owner, id, after, PAGE).await);
            let page = read.await?;
            for (_, doc) in &page {
                rows_of(&serde_json::from_str(doc).map_err(Error::fault)?, &mut rows);
            }
            match page.last() {
                Some((last, _)) if page.len() == PAGE => after = Some(*last),
                _ => return Ok(rows),
            }
        }
    }
}

/// Adds one row for each tracking number: packages that share one are pieces of it.
fn rows_of(shipment: &Shipment, rows: &mut Vec<HandoverRow>) {
    let destination = &shipment.details.addresses.destination;
    let contact = destination.contact.as_ref();
    let recipient = contact.and_then(|contact| contact.name.as_ref().or(contact.company.as_ref()));
    let service = shipment.service.as_ref().map(|chosen| chosen.carrier_service.name.clone());
    let number =
        |package: &Package| package.tracking_number.clone().or_else(|| shipment.tracking_number.clone());
    let first = rows.len();
    for package in &shipment.details.packages {
        let number = number(package).unwrap_or_default();
        let grams = package.geometry.and_then(|geometry| geometry.grams());
        match rows[first..].iter_mut().find(|row| row.tracking_number == number) {
            Some(row) => {
                row.pieces += 1;
                row.grams = row.grams.zip(grams).map(|(sum, grams)| sum + grams);
            }
            None => rows.push(HandoverRow {
                tracking_number: number,
                service: service.clone().unwrap_or_default(),
                recipient: recipient.or(destination.display_name.as_ref()).cloned().unwrap_or_default(),
                country_code: destination.address.country_code,
                post_code: destination.address.post_code.clone().unwrap_or_default(),
                pieces: 1,
                grams,
            }),
        }
    }
}
