//! Making an import, and giving it its file.

use model::exchange::import::{CONTENT_WAIT_SECONDS, ImportInput, ImportType};
use model::{Code, Event, Id, Import, Result, Scope, ensure};
use store::Tx;
use store::exchange::imports;

use super::Imports;
use super::change::{read_import, write_import};
use crate::access::caller::Caller;
use crate::access::reply::{Outcome, Reply};
use crate::access::write::Command;
use crate::platform::content::Content;
use crate::platform::resource::{found, json, version_etag};

impl Imports {
    /// Makes an import that waits for its file.
    pub async fn create(&self, command: Command, input: ImportInput) -> Result<Reply> {
        ensure_scope(&command.caller, input.r#type)?;
        let (owner, now) = (command.caller.owner, self.context.now());
        let import = Import::new(self.context.new_id(now), input, now);
        let (doc, log) = (json(&import)?, self.context.event_log(&command.caller, owner, now));
        let create = async move |tx: &mut Tx<'_>| {
            let given_up_at = now.plus_seconds(CONTENT_WAIT_SECONDS);
            imports::insert(tx, owner, &import, None, given_up_at, &doc).await?;
            log.append(tx, &Event::new("import.created", import.id, &doc)).await?;
            let path = format!("/imports/{}", import.id);
            Ok(Reply::created(path, Some(version_etag(1)), doc.clone()))
        };
        self.context.write(&command, create).await
    }

    /// Makes an import with its file.
    pub async fn create_with_content(
        &self,
        command: Command,
        input: ImportInput,
        mut content: Content,
    ) -> Result<Reply> {
        ensure_scope(&command.caller, input.r#type)?;
        let (owner, now) = (command.caller.owner, self.context.now());
        let mut import = Import::new(self.context.new_id(now), input, now);
        let received = self.store_content(owner, import.id, import.details.format, &mut content).await?;
        import.receive(received.file.clone(), now)?;
        let (doc, log) = (json(&import)?, self.context.event_log(&command.caller, owner, now));
        let place = received.place.clone();
        let create = async move |tx: &mut Tx<'_>| {
            imports::insert(tx, owner, &import, Some(&place), now, &doc).await?;
            log.append(tx, &Event::new("import.created", import.id, &doc)).await?;
            let path = format!("/imports/{}", import.id);
            Ok(Reply::created(path, Some(version_etag(1)), doc.clone()))
        };
        let reply = self.context.write(&command, create).await;
        if !is_new(&reply) {
            self.discard(&received).await;
        }
        self.notify();
        reply
    }

    /// Gives an import its file.
    pub async fn receive(&self, command: Command, id: Id<Import>, mut content: Content) -> Result<Reply> {
        let owner = command.caller.owner;
        let read = self.context.db().read(owner, async move |tx| found(imports::get(tx, owner, id).await?));
        let waiting = read_import(&read.await?)?;
        ensure_scope(&command.caller, waiting.details.r#type)?;
        // Repeated below, where it holds. Here it saves the file from being sent for nothing.
        ensure(command.idempotency.is_some() || waiting.file.is_none(), Code::ImportHasContent)?;
        let received = self.store_content(owner, id, waiting.details.format, &mut content).await?;
        let (place, file) = (received.place.clone(), received.file.clone());
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let receive = async move |tx: &mut Tx<'_>| {
            let stored = found(imports::get_for_update(tx, owner, id).await?)?;
            let mut import = read_import(&stored)?;
            import.receive(file.clone(), log.now())?;
            imports::receive(tx, owner, id, &place, log.now()).await?;
            let event = Some("import.updated");
            let doc = write_import(tx, owner, &stored, &import, stored.progress, event, &log).await?;
            Ok(Reply::resource(version_etag(stored.version + 1), doc))
        };
        let reply = self.context.write(&command, receive).await;
        if !is_new(&reply) {
            self.discard(&received).await;
        }
        self.notify();
        reply
    }
}

/// Returns whether the request changed something: its file is needed.
fn is_new(reply: &Result<Reply>) -> bool {
    reply.as_ref().is_ok_and(|reply| !reply.is_replayed && !matches!(reply.outcome, Outcome::Refused(_)))
}

/// Refuses a caller who could not write the rows by requests of their own.
fn ensure_scope(caller: &Caller, r#type: ImportType) -> Result<()> {
    Scope::parse(r#type.scope()).map_or(Ok(()), |scope| caller.require(scope))
}
