//! Keeping papers: a file is written first, then recorded as a document of its shipment, batch or wave.
//!
//! Each of them has one document for each kind of paper in each format. Asked again, the document gets a new file
//! and keeps its id, so that repeated requests do not fill the list.

use model::fulfilment::warehouse_paper::PaperKey;
use model::shipping::document::DocumentType;
use model::shipping::shipment::LabelFormat;
use model::{Batch, Document, Error, Id, Owner, Result, Shipment, Wave};
use store::Tx;
use store::fulfilment::waves;
use store::shipping::documents::{self, StoredDocument, StoredFile, papers_subject};
use store::shipping::{batches, shipments};

use crate::access::reply::{Outcome, Reply};
use crate::access::write::Command;
use crate::platform::context::Context;
use crate::platform::resource::{found, json};
use crate::shipping::documents::{Documents, FileWriter};

/// What papers belong to.
#[derive(Clone, Copy)]
pub(super) enum PaperSubject {
    Shipment(Id<Shipment>),
    Batch(Id<Batch>),
    Wave(Id<Wave>),
}

impl PaperSubject {
    fn id(self) -> String {
        match self {
            Self::Shipment(id) => id.to_string(),
            Self::Batch(id) => id.to_string(),
            Self::Wave(id) => id.to_string(),
        }
    }

    /// Locks the shipment, the batch or the wave, so that two requests do not both add the same document. Refuses one that is gone.
    async fn lock(self, tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
        match self {
            Self::Shipment(id) => found(shipments::get_for_update_alone(tx, owner, id).await?).map(drop),
            Self::Batch(id) => found(batches::get_for_update(tx, owner, id).await?).map(drop),
            Self::Wave(id) => found(waves::get_for_update(tx, owner, id).await?).map(drop),
        }
    }
}

/// A file that is being written.
pub(super) struct Written {
    writer: FileWriter,
    ending: String,
}

/// A file that is written, and the end of the names of the files that it replaces.
#[derive(Clone)]
pub(super) struct WrittenFile {
    file: StoredFile,
    ending: String,
}

impl Written {
    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.writer.write(bytes).await
    }

    pub async fn finish(self) -> Result<WrittenFile> {
        Ok(WrittenFile { file: self.writer.finish().await?, ending: self.ending })
    }

    pub async fn abort(self) {
        self.writer.abort().await;
    }
}

impl WrittenFile {
    fn replaces(&self, document: &StoredDocument) -> bool {
        document.file.r#type == self.file.r#type && document.file.file_name.ends_with(&self.ending)
    }
}

/// Writes files of papers, and records them as documents.
#[derive(Clone)]
pub(super) struct PaperFiles {
    context: Context,
    documents: Documents,
}

impl PaperFiles {
    pub fn new(context: &Context, documents: &Documents) -> Self {
        Self { context: context.clone(), documents: documents.clone() }
    }

    /// Begins the file of a paper of a shipment or batch of this name.
    pub async fn begin(
        &self,
        owner: Owner,
        subject: PaperSubject,
        key: &PaperKey,
        name: &str,
    ) -> Result<Written> {
        let id = self.context.new_id::<Document>(self.context.now());
        let file_name = key.file_name(name, &subject.id());
        let kind: DocumentType = key.r#type;
        // The id is new, so there was no earlier attempt.
        let name = (file_name, LabelFormat::Pdf.media_type());
        let writer = self.documents.keep_stream(owner, id, 0, kind, name).await?;
        Ok(Written { writer, ending: key.ending() })
    }

    /// Records files as documents of a shipment or batch, and answers with them.
    pub async fn record(
        &self,
        command: Command,
        subject: PaperSubject,
        files: Vec<WrittenFile>,
    ) -> Result<Reply> {
        let (owner, now) = (command.caller.owner, self.context.now());
        let (before, new) = (self.papers_of(owner, subject).await?, files.clone());
        let record = async move |tx: &mut Tx<'_>| {
            subject.lock(tx, owner).await?;
            let name = papers_subject(&subject.id());
            let existing = documents::of_subject(tx, owner, &name).await?;
            let mut ids = Vec::new();
            for written in &files {
                let mut file = written.file.clone();
                match existing.iter().find(|document| written.replaces(document)) {
                    Some(document) => {
                        file.id = document.file.id;
                        documents::replace(tx, owner, &file, now).await?;
                    }
                    None => {
                        documents::insert(tx, owner, &name, &file, now).await?;
                    }
                }
                ids.push(file.id);
            }
            // The answer names the documents. Links to them expire, so they are made when it is sent.
            Ok(Reply::created_many(json(&ids)?))
        };
        let reply = self.context.write(&command, record).await?;
        if let Outcome::Refused(_) = reply.outcome {
            return Ok(reply);
        }
        if !reply.is_replayed {
            let replaced = before.iter().filter(|document| new.iter().any(|file| file.replaces(document)));
            for document in replaced {
                self.documents.forget_file(&document.file).await;
            }
        }
        self.signed(owner, reply).await
    }

    async fn papers_of(&self, owner: Owner, subject: PaperSubject) -> Result<Vec<StoredDocument>> {
        let name = papers_subject(&subject.id());
        let read =
            self.context.db().read(owner, async move |tx| documents::of_subject(tx, owner, &name).await);
        read.await
    }

    /// Turns an answer that names documents into one that shows them, with new links.
    async fn signed(&self, owner: Owner, mut reply: Reply) -> Result<Reply> {
        let ids: Vec<Id<Document>> = serde_json::from_str(&reply.body).map_err(Error::fault)?;
        let read = self.context.db().read(owner, async move |tx| {
            let mut all = Vec::with_capacity(ids.len());
            for id in &ids {
                all.push(found(documents::find(tx, owner, *id).await?)?);
            }
            Ok(all)
        });
        let all: Vec<Document> =
            read.await?.iter().map(|document| self.documents.sign(owner, document)).collect();
        reply.body = format!("{{\"data\":{}}}", json(&all)?);
        Ok(reply)
    }
}
