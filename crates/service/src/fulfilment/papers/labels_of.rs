//! The labels and customs papers of shipments, as pages of a PDF.
//!
//! A PDF is taken as it is. If Dockside drew the label in another format, it is drawn anew. A PNG of a carrier becomes a
//! page. ZPL of a carrier can't be a page, and is refused.

use std::collections::BTreeMap;

use model::platform::problem::Issue;
use model::shipping::document::DocumentType;
use model::shipping::shipment::{LabelFormat, Shipment};
use model::{Code, Error, Id, Owner, Problem, Result};
use store::shipping::documents::{self, StoredDocument};
use store::shipping::purchases::{self, Purchase};

use super::Papers;
use super::gather::{Gathered, GatheredShipment};
use crate::shipping::drawn_label::DrawnLabel;

/// How many shipments a refusal names.
const REFUSED_MAX: usize = 100;

/// The labels and customs papers of one shipment.
pub(super) struct ShipmentFiles {
    pub label: LabelPages,
    /// The customs papers, in the order in which they are printed.
    pub customs: Vec<StoredDocument>,
}

/// Where the pages of a label come from.
pub(super) enum LabelPages {
    /// Files in PDF or PNG, one after the other.
    Stored(Vec<StoredDocument>),
    Drawn(DrawnLabel),
}

/// A label that can't be pages, and why.
struct Unusable {
    code: Code,
    issue: Issue,
}

/// Draws a label as a PDF.
pub(super) fn draw_pdf(
    drawn: &DrawnLabel,
    shipment: &Shipment,
    fonts: &labels::Fonts,
) -> Result<Vec<Vec<u8>>> {
    let scenes = drawn.scenes(shipment, LabelFormat::Pdf, fonts)?;
    let files = labels::files(LabelFormat::Pdf, &scenes).map_err(Error::fault)?;
    Ok(files.into_iter().map(|paper| paper.bytes).collect())
}

impl Papers {
    /// Returns the labels and customs papers of bought shipments. Refuses shipments whose labels are missing, or can't be
    /// pages, and names them.
    pub(super) async fn labels(
        &self,
        owner: Owner,
        gathered: &Gathered,
    ) -> Result<BTreeMap<Id<Shipment>, ShipmentFiles>> {
        let ids: Vec<Id<Shipment>> = gathered.shipments.iter().map(|shipment| shipment.id).collect();
        let read = self.context.db().read(owner, async move |tx| {
            let subjects: Vec<String> = ids.iter().map(ToString::to_string).collect();
            let all = documents::of_subjects(tx, owner, &subjects).await?;
            Ok((all, purchases::of_shipments(tx, owner, &ids).await?))
        });
        let (all, purchases) = read.await?;
        let mut files = BTreeMap::new();
        let mut refused = Vec::new();
        for shipment in &gathered.shipments {
            let subject = shipment.id.to_string();
            let own: Vec<&StoredDocument> =
                all.iter().filter(|document| document.subject == subject).collect();
            let purchase = purchases.iter().find(|purchase| purchase.shipment == shipment.id);
            match label_pages(owner, shipment, &own, purchase) {
                Ok(label) => {
                    let customs = own.iter().filter(|document| is_customs_paper(document));
                    let customs = customs.map(|document| (*document).clone()).collect();
                    files.insert(shipment.id, ShipmentFiles { label, customs });
                }
                Err(unusable) => refused.push(*unusable),
            }
        }
        match refusal(refused) {
            Some(problem) => Err(problem.into()),
            None => Ok(files),
        }
    }
}

fn is_customs_paper(document: &StoredDocument) -> bool {
    let r#type = document.file.r#type;
    matches!(r#type, DocumentType::CommercialInvoice | DocumentType::Cn22 | DocumentType::Cn23)
}

/// Returns where the pages of a shipment's label come from, or why there are none.
fn label_pages(
    owner: Owner,
    shipment: &GatheredShipment,
    files: &[&StoredDocument],
    purchase: Option<&Purchase>,
) -> std::result::Result<LabelPages, Box<Unusable>> {
    let in_format = |format: LabelFormat| {
        let is_it = |document: &&&StoredDocument| {
            document.file.r#type == DocumentType::Label && document.file.file_type == format.media_type()
        };
        let mut labels: Vec<StoredDocument> =
            files.iter().filter(is_it).map(|document| (**document).clone()).collect();
        labels.sort_by_key(|document| document.file.package);
        Some(labels).filter(|labels| !labels.is_empty())
    };
    if let Some(labels) = in_format(LabelFormat::Pdf) {
        return Ok(LabelPages::Stored(labels));
    }
    if let Some(drawn) = purchase.and_then(|purchase| DrawnLabel::of(owner, purchase)) {
        return Ok(LabelPages::Drawn(drawn));
    }
    if let Some(labels) = in_format(LabelFormat::Png) {
        return Ok(LabelPages::Stored(labels));
    }
    let id = shipment.id;
    let (code, message) = match in_format(LabelFormat::Zpl) {
        Some(_) => (
            Code::LabelFormatUnavailable,
            format!(
                "The carrier's own label of {id} is ZPL, which can't be a page. Print it by itself, and its packing slip beside it."
            ),
        ),
        None => (Code::LabelMissing, format!("{id} has no label yet.")),
    };
    let issue = Issue::new(code.as_str(), "", message).with("shipment_id", id.to_string());
    Err(Box::new(Unusable { code, issue }))
}

/// Returns the refusal of shipments without usable labels. Labels that can still come are waited for first.
fn refusal(refused: Vec<Unusable>) -> Option<Problem> {
    let missing = refused.iter().any(|unusable| unusable.code == Code::LabelMissing);
    let code = if missing { Code::LabelMissing } else { Code::LabelFormatUnavailable };
    let issues = refused.into_iter().filter(|unusable| unusable.code == code).map(|unusable| unusable.issue);
    let issues: Vec<Issue> = issues.take(REFUSED_MAX).collect();
    (!issues.is_empty()).then(|| Problem::fields(code, issues))
}
