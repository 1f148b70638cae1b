//! Writes: what comes with every request that changes something, and answers that are given once.
//!
//! The answer of a request with an idempotency key commits in the same transaction as its change. So a request
//! that is repeated, because its answer was lost or its server was killed, finds either both or neither.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Code, Error, Owner, Problem, Result, ensure};
use store::{Tx, idempotency};

use crate::reply::{Outcome, Reply, json};
use crate::{Caller, Service};

/// A request to change something.
#[derive(Clone)]
pub struct Command {
    pub caller: Caller,
    pub idempotency: Option<Idempotency>,
    pub precondition: Precondition,
}

/// What makes a repeated request known, and a different one with the same key too.
#[derive(Clone)]
pub struct Idempotency {
    pub key: String,
    pub fingerprint: [u8; 32],
}

/// Which states of a resource a change may be applied to: `If-Match`.
#[derive(Clone, Default)]
pub enum Precondition {
    #[default]
    Any,
    OneOf(Vec<String>),
}

impl Precondition {
    /// Whether a resource in this state may be changed.
    pub fn permits(&self, etag: &str) -> bool {
        match self {
            Precondition::Any => true,
            Precondition::OneOf(tags) => tags.iter().any(|tag| tag == etag),
        }
    }
}

impl Service {
    /// Runs a change in one transaction, or repeats the answer that it was given before.
    pub(crate) async fn write<F>(&self, command: &Command, operation: F) -> Result<Reply>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<Reply> + Send + Sync + 'static,
    {
        let owner = command.caller.owner;
        let result = match command.idempotency.clone() {
            None => self.db().write(owner, operation).await,
            Some(known) => self.write_once(command, known, operation).await,
        };
        if result.is_ok() {
            self.notice(owner);
        }
        result
    }

    async fn write_once<F>(&self, command: &Command, known: Idempotency, operation: F) -> Result<Reply>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<Reply> + Send + Sync + 'static,
    {
        let owner = command.caller.owner;
        let now = self.now();
        let since = now.plus_seconds(-self.settings().idempotency_seconds);
        let again = known.clone();
        let service = self.clone();
        let result = self.db().write(owner, async move |tx| {
            ensure(idempotency::claim(tx, owner, &known.key).await?, Code::IdempotencyInProgress)?;
            if let Some(kept) = idempotency::get(tx, owner, &known.key, since).await? {
                ensure(kept.fingerprint == known.fingerprint, Code::IdempotencyKeyReused)?;
                let mut reply = service.open_answer(command_key(owner, &known.key), &kept.answer)?;
                reply.is_replayed = true;
                return Ok(reply);
            }
            let reply = operation(tx).await?;
            let answer = service.seal_answer(command_key(owner, &known.key), &reply)?;
            idempotency::put(tx, owner, &known.key, &known.fingerprint, &answer, now).await?;
            Ok(reply)
        });
        match result.await {
            Err(Error::Refused(problem)) if is_kept(problem.code) => {
                self.keep_refusal(command, again, &problem).await?;
                Err(Error::Refused(problem))
            }
            other => other,
        }
    }

    /// The refused transaction left nothing, so its answer is kept in one of its own.
    async fn keep_refusal(&self, command: &Command, known: Idempotency, problem: &Problem) -> Result<()> {
        let owner = command.caller.owner;
        let now = self.now();
        let reply = Reply { outcome: Outcome::Refused(problem.clone()), ..Reply::gone() };
        let answer = self.seal_answer(command_key(owner, &known.key), &reply)?;
        let since = now.plus_seconds(-self.settings().idempotency_seconds);
        let kept = self.db().write(owner, async move |tx| {
            // An equal request may have been answered otherwise in between: then that answer stays.
            let is_free = idempotency::claim(tx, owner, &known.key).await?
                && idempotency::get(tx, owner, &known.key, since).await?.is_none();
            if is_free {
                idempotency::put(tx, owner, &known.key, &known.fingerprint, &answer, now).await?;
            }
            Ok(())
        });
        kept.await
    }
}

impl Service {
    /// An answer as it is kept: sealed, because it may hold a secret that is shown once.
    fn seal_answer(&self, about: String, reply: &Reply) -> Result<String> {
        Ok(STANDARD.encode(self.seal(&about, json(reply)?.as_bytes())?))
    }

    fn open_answer(&self, about: String, answer: &str) -> Result<Reply> {
        let sealed = STANDARD.decode(answer).map_err(Error::fault)?;
        serde_json::from_slice(&self.unseal(&about, &sealed)?).map_err(Error::fault)
    }
}

/// What a kept answer belongs to.
fn command_key(owner: Owner, key: &str) -> String {
    format!("{owner} idempotency {key}")
}

/// Whether a refusal is an answer to the request itself, and so is given again when it is repeated. A body that can't
/// be read asked for nothing yet: it may be corrected under the same key.
fn is_kept(code: Code) -> bool {
    match code {
        Code::IdempotencyInProgress | Code::IdempotencyKeyReused => false,
        Code::ValidationFailed | Code::UnknownField => false,
        code => matches!(code.status(), 404 | 409 | 412 | 422),
    }
}
