//! How the documents of a new job are sent to its printer: decided when the job is made, by what the printer takes then.

use std::collections::{BTreeMap, BTreeSet};

use model::fulfilment::print_rendition::{Printable, Rendition, Source, Unprintable};
use model::fulfilment::printer::{PrintFormat, Printer};
use model::shipping::document::DocumentType;
use model::{Code, Id, Owner, Problem, Result, Shipment};
use store::Tx;
use store::shipping::documents::StoredDocument;
use store::shipping::purchases;

use super::documents::issue;
use crate::shipping::drawn_label::DrawnLabel;

/// How a document is sent, or why it can't be.
type Chosen = std::result::Result<Rendition, Unprintable>;

/// Returns how each document is sent to the printer, in their order. Refuses documents that it can't print, and names them.
pub async fn renditions(
    tx: &mut Tx<'_>,
    owner: Owner,
    printer: &Printer,
    documents: &[StoredDocument],
) -> Result<Vec<Rendition>> {
    let (mut renditions, mut unsupported, mut wrong_dpi) = (Vec::new(), Vec::new(), Vec::new());
    for (place, chosen) in choose_all(tx, owner, printer, documents).await?.into_iter().enumerate() {
        match chosen {
            Ok(rendition) => renditions.push(rendition),
            Err(Unprintable::Format(why)) => {
                unsupported.push(issue(Code::PrintFormatUnsupported, place, why));
            }
            Err(Unprintable::Dpi(why)) => wrong_dpi.push(issue(Code::PrintDpiUnsupported, place, why)),
        }
    }
    for (code, issues) in
        [(Code::PrintFormatUnsupported, unsupported), (Code::PrintDpiUnsupported, wrong_dpi)]
    {
        if !issues.is_empty() {
            return Err(Problem::fields(code, issues).into());
        }
    }
    Ok(renditions)
}

/// Returns the labels of a shipment to print, each package once: those that need no conversion first, then those that can be
/// converted. One file may hold the labels of all packages.
pub async fn labels_to_print(
    tx: &mut Tx<'_>,
    owner: Owner,
    printer: &Printer,
    labels: &[StoredDocument],
) -> Result<Vec<StoredDocument>> {
    let chosen = choose_all(tx, owner, printer, labels).await?;
    // By package: the best label so far, and how good it is.
    let mut best: BTreeMap<Option<u32>, (u8, &StoredDocument)> = BTreeMap::new();
    for (label, chosen) in labels.iter().zip(&chosen) {
        let effort = effort(chosen);
        let known = best.entry(label.file.package).or_insert((effort, label));
        if effort < known.0 {
            *known = (effort, label);
        }
    }
    let whole = best.remove(&None);
    let most = best.values().map(|(effort, _)| *effort).max();
    Ok(match (whole, most) {
        (Some((effort, label)), most) if most.is_none_or(|most| effort <= most) => vec![label.clone()],
        _ => best.into_values().map(|(_, label)| label.clone()).collect(),
    })
}

/// Ranks how a label would be sent: as it is, converted, or not at all.
fn effort(chosen: &Chosen) -> u8 {
    match chosen {
        Ok(rendition) => rendition.is_converted.into(),
        Err(_) => 2,
    }
}

async fn choose_all(
    tx: &mut Tx<'_>,
    owner: Owner,
    printer: &Printer,
    documents: &[StoredDocument],
) -> Result<Vec<Chosen>> {
    let choose = |document: &StoredDocument, source: Source| {
        let printable = Printable { media_type: document.file.file_type.clone(), source };
        Rendition::choose(&printable, &printer.details)
    };
    let as_given: Vec<Chosen> = documents.iter().map(|document| choose(document, Source::Given)).collect();
    // Who made a document matters only if a carrier's one could not be printed.
    if as_given.iter().all(Result::is_ok) {
        return Ok(as_given);
    }
    let drawn = drawn_labels(tx, owner, documents).await?;
    let source = |document: &StoredDocument| match is_drawn(document, &drawn) {
        true => Source::Drawn { is_single: document.file.package.is_some() },
        false if is_paper(document) => Source::Paper,
        false => Source::Given,
    };
    Ok(documents.iter().map(|document| choose(document, source(document))).collect())
}

/// Returns which shipments of these labels have labels that Dockside drew.
async fn drawn_labels(
    tx: &mut Tx<'_>,
    owner: Owner,
    documents: &[StoredDocument],
) -> Result<BTreeSet<Id<Shipment>>> {
    let labels = documents.iter().filter(|document| document.file.r#type == DocumentType::Label);
    let shipments: BTreeSet<Id<Shipment>> = labels.filter_map(StoredDocument::shipment).collect();
    let shipments: Vec<Id<Shipment>> = shipments.into_iter().collect();
    if shipments.is_empty() {
        return Ok(BTreeSet::new());
    }
    let purchases = purchases::of_shipments(tx, owner, &shipments).await?;
    let drawn = purchases.iter().filter(|purchase| DrawnLabel::of(owner, purchase).is_some());
    Ok(drawn.map(|purchase| purchase.shipment).collect())
}

/// Returns whether all pages of a document are Dockside's own. Those of manifests, and of files with labels, may be a carrier's.
fn is_paper(document: &StoredDocument) -> bool {
    let is_ours = matches!(
        document.file.r#type,
        DocumentType::CommercialInvoice
            | DocumentType::Cn22
            | DocumentType::Cn23
            | DocumentType::PackingSlip
            | DocumentType::PackingSlips
            | DocumentType::PickList
    );
    is_ours && document.file.file_type == PrintFormat::Pdf.media_type()
}

fn is_drawn(document: &StoredDocument, drawn: &BTreeSet<Id<Shipment>>) -> bool {
    document.file.r#type == DocumentType::Label
        && document.shipment().is_some_and(|shipment| drawn.contains(&shipment))
}
