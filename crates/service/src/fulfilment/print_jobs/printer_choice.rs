//! The printer of a job that names none.

use model::fulfilment::printer::{Printer, Purpose};
use model::fulfilment::shipping_rule::Evaluation;
use model::{Code, Error, Id, Location, Manifest, Owner, Problem, Result};
use store::Tx;
use store::fulfilment::printers;
use store::shipping::documents::StoredDocument;
use store::shipping::{manifests, order_shipments, shipments};

use super::documents::issue;

/// Returns the printer of a job that names none: the one on which all of the documents are printed.
pub async fn default_printer(
    tx: &mut Tx<'_>,
    owner: Owner,
    documents: &[StoredDocument],
) -> Result<Id<Printer>> {
    let mut chosen = None;
    for (place, document) in documents.iter().enumerate() {
        let purpose = Purpose::of_document_type(document.file.r#type.as_str());
        let Some(printer) = printer_of(tx, owner, document, purpose).await? else {
            let message = format!("No printer is the default for `{}` there.", purpose.as_str());
            return Err(
                Problem::field(Code::PrinterMissing, issue(Code::PrinterMissing, place, message)).into()
            );
        };
        if chosen.is_some_and(|chosen| chosen != printer) {
            let message = format!("It is printed on {printer}, and those before it on another printer.");
            let issue = issue(Code::PrinterAmbiguous, place, message);
            return Err(Problem::field(Code::PrinterAmbiguous, issue).into());
        }
        chosen = Some(printer);
    }
    chosen.ok_or_else(|| Code::PrinterMissing.into())
}

/// Returns the printer of a document: for a label the one that the shipping rules chose for its shipment, else the default at
/// the location from which it leaves, else the default of all locations.
async fn printer_of(
    tx: &mut Tx<'_>,
    owner: Owner,
    document: &StoredDocument,
    purpose: Purpose,
) -> Result<Option<Id<Printer>>> {
    if purpose == Purpose::Label
        && let Some(printer) = printer_of_rules(tx, owner, document).await?
    {
        return Ok(Some(printer));
    }
    if let Some(location) = location_of(tx, owner, document).await?
        && let Some(printer) = printers::default_for(tx, owner, purpose, Some(location)).await?
    {
        return Ok(Some(printer));
    }
    printers::default_for(tx, owner, purpose, None).await
}

/// Returns the printer that the shipping rules chose when the shipment of a document was made. `None` if it was deleted since:
/// rules that name another one now do not change what was decided.
async fn printer_of_rules(
    tx: &mut Tx<'_>,
    owner: Owner,
    document: &StoredDocument,
) -> Result<Option<Id<Printer>>> {
    let Some(shipment) = document.shipment() else { return Ok(None) };
    let Some(doc) = order_shipments::evaluation(tx, owner, shipment).await? else { return Ok(None) };
    let evaluation: Evaluation = serde_json::from_str(&doc).map_err(Error::fault)?;
    let Some(printer) = evaluation.decision.printer_id else { return Ok(None) };
    Ok(printers::get(tx, owner, printer).await?.map(|_| printer))
}

/// Returns the location from which the parcel of a document leaves, if there is one.
async fn location_of(
    tx: &mut Tx<'_>,
    owner: Owner,
    document: &StoredDocument,
) -> Result<Option<Id<Location>>> {
    if let Some(shipment) = document.shipment() {
        return shipments::origin(tx, owner, shipment).await;
    }
    match Id::<Manifest>::parse(&document.subject) {
        Some(manifest) => {
            Ok(manifests::get(tx, owner, manifest).await?.and_then(|manifest| manifest.location))
        }
        None => Ok(None),
    }
}
