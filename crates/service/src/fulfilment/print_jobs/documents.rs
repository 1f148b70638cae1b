//! The documents of a job: whether the caller may read them, and whether the printer can print them.

use model::fulfilment::print_job::JOB_BYTES_MAX;
use model::fulfilment::printer::{DPI, PrintFormat, Printer};
use model::platform::problem::Issue;
use model::{Batch, Code, Document, Error, Id, Manifest, Owner, Problem, Result, Scope, Wave, ensure};
use store::Tx;
use store::shipping::documents::{self, StoredDocument};

use crate::access::caller::Caller;

/// Returns the documents, which the caller must be able to read.
pub async fn readable(tx: &mut Tx<'_>, caller: &Caller, ids: &[Id<Document>]) -> Result<Vec<StoredDocument>> {
    let (mut found, mut missing) = (Vec::with_capacity(ids.len()), Vec::new());
    for (place, id) in ids.iter().enumerate() {
        match documents::find(tx, caller.owner, *id).await? {
            Some(document) => found.push(document),
            None => {
                missing.push(issue(Code::DocumentNotFound, place, "There is no such document.".to_owned()))
            }
        }
    }
    if !missing.is_empty() {
        return Err(Problem::fields(Code::DocumentNotFound, missing).into());
    }
    for document in &found {
        caller.require(scope_of(document)?)?;
    }
    Ok(found)
}

/// Returns the documents in the order of their ids in the job, or `None` if one of them is gone.
pub async fn all(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<Document>]) -> Result<Option<Vec<StoredDocument>>> {
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        let Some(document) = documents::find(tx, owner, *id).await? else { return Ok(None) };
        found.push(document);
    }
    Ok(Some(found))
}

/// Returns the scope to read what a document belongs to.
fn scope_of(document: &StoredDocument) -> Result<Scope> {
    let id = document.resource();
    let resource = match () {
        () if Id::<Batch>::parse(id).is_some() => "batches",
        () if Id::<Manifest>::parse(id).is_some() => "manifests",
        () if Id::<Wave>::parse(id).is_some() => "waves",
        () => "shipments",
    };
    Scope::read(resource).ok_or_else(|| Error::fault("a resource has no scope"))
}

/// Returns the labels to print: of each package one, and if there are several, one that the printer can print.
pub fn printable_labels(printer: &Printer, labels: &[StoredDocument]) -> Vec<StoredDocument> {
    let mut chosen: Vec<&StoredDocument> = Vec::new();
    let is_printable =
        |label: &StoredDocument| ensure_printable(printer, std::slice::from_ref(label)).is_ok();
    for label in labels {
        match chosen.iter_mut().find(|known| known.file.package == label.file.package) {
            None => chosen.push(label),
            Some(known) if !is_printable(known) && is_printable(label) => *known = label,
            Some(_) => {}
        }
    }
    chosen.into_iter().cloned().collect()
}

/// Refuses documents that the printer can't print as they are.
pub fn ensure_printable(printer: &Printer, documents: &[StoredDocument]) -> Result<()> {
    let details = &printer.details;
    let (mut unsupported, mut wrong_dpi) = (Vec::new(), Vec::new());
    for (place, document) in documents.iter().enumerate() {
        let media_type = &document.file.file_type;
        match PrintFormat::of_media_type(media_type) {
            Some(PrintFormat::Zpl) if details.formats.contains(&PrintFormat::Zpl) && details.dpi != DPI => {
                let message =
                    format!("The label is drawn for {DPI} dpi, and the printer has {}.", details.dpi);
                wrong_dpi.push(issue(Code::PrintDpiUnsupported, place, message));
            }
            Some(format) if details.formats.contains(&format) => {}
            _ => {
                let formats: Vec<_> = details.formats.iter().map(|format| format.as_str()).collect();
                let message = format!("It is {media_type}, and the printer takes {}.", formats.join(", "));
                unsupported.push(issue(Code::PrintFormatUnsupported, place, message));
            }
        }
    }
    for (code, issues) in
        [(Code::PrintFormatUnsupported, unsupported), (Code::PrintDpiUnsupported, wrong_dpi)]
    {
        if !issues.is_empty() {
            return Err(Problem::fields(code, issues).into());
        }
    }
    let bytes: i64 = documents.iter().map(|document| document.file.file_size).sum();
    ensure(bytes <= JOB_BYTES_MAX, Code::PrintTooLarge)
}

/// Returns a fault of the document at this place of the job.
pub fn issue(code: Code, place: usize, message: String) -> Issue {
    Issue::new(code.as_str(), format!("/document_ids/{place}"), message)
}
