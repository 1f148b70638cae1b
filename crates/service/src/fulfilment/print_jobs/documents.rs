//! The documents of a job, and whether the caller may read them.

use model::fulfilment::print_job::JOB_BYTES_MAX;
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

/// Refuses documents that are too large to be sent in one job.
pub fn ensure_sendable(documents: &[StoredDocument]) -> Result<()> {
    let bytes: i64 = documents.iter().map(|document| document.file.file_size).sum();
    ensure(bytes <= JOB_BYTES_MAX, Code::PrintTooLarge)
}

/// Returns a fault of the document at this place of the job.
pub fn issue(code: Code, place: usize, message: String) -> Issue {
    Issue::new(code.as_str(), format!("/document_ids/{place}"), message)
}
