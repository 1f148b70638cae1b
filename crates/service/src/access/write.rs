//! Writes: what comes with every request that changes something, and answers that are given once.
//!
//! The answer of a request with an idempotency key commits in the same transaction as its change. So a request
//! that is repeated, because its answer was lost or its server was killed, finds either both or neither.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{AccessToken, Code, Error, Id, Owner, Problem, Result, Timestamp, ensure};
use sha2::{Digest, Sha256};
use store::Tx;
use store::platform::idempotency;

use crate::access::caller::Caller;
use crate::access::reply::{Outcome, Reply};
use crate::platform::context::Context;
use crate::platform::resource::json;

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

impl Idempotency {
    /// Returns the fingerprint of this request when one access token sends it. Answers that carry credentials are kept under
    /// it, so that the same request of another token is a different one.
    fn fingerprint_of(&self, token: Id<AccessToken>) -> [u8; 32] {
        Sha256::new().chain_update(self.fingerprint).chain_update(token.to_string()).finalize().into()
    }
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

impl Context {
    /// Runs a change in one transaction, or repeats the answer that it was given before.
    pub(crate) async fn write<F>(&self, command: &Command, operation: F) -> Result<Reply>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<Reply> + Send + Sync + 'static,
    {
        let owner = command.caller.owner;
        let result = match command.idempotency.clone() {
            None => self.db().write(owner, operation).await,
            Some(known) => self.once(&command.caller, known, self.now(), operation).await,
        };
        if result.is_ok() {
            self.notice(owner);
        }
        result
    }

    /// Runs a change whose answer is kept, unless one is kept for the key already: look, run and keep in one transaction.
    /// An answer that carries credentials is kept for the calling token alone.
    async fn once<F>(
        &self,
        caller: &Caller,
        known: Idempotency,
        now: Timestamp,
        operation: F,
    ) -> Result<Reply>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<Reply> + Send + Sync + 'static,
    {
        let (owner, own_fingerprint) = (caller.owner, known.fingerprint_of(caller.token));
        // A clock that jumped must not make a key free: the request would be carried out again.
        let since = self.trusted_time(now).plus_seconds(-self.settings().idempotency_seconds);
        let context = self.clone();
        let result = self.db().write(owner, async move |tx| {
            ensure(idempotency::claim(tx, owner, &known.key).await?, Code::IdempotencyInProgress)?;
            if let Some(kept) = idempotency::get(tx, owner, &known.key, since).await? {
                let is_same = kept.fingerprint == known.fingerprint || kept.fingerprint == own_fingerprint;
                ensure(is_same, Code::IdempotencyKeyReused)?;
                let mut reply = context.open_answer(answer_key(owner, &known.key), &kept.answer)?;
                reply.is_replayed = true;
                return Ok(reply);
            }
            let reply = operation(tx).await?;
            let answer = context.seal_answer(answer_key(owner, &known.key), &reply)?;
            let fingerprint = if reply.is_confidential { &own_fingerprint } else { &known.fingerprint };
            idempotency::put(tx, owner, &known.key, fingerprint, &answer, now).await?;
            Ok(reply)
        });
        result.await
    }

    /// Keeps the refusal of a request under its idempotency key. The refused transaction left nothing, so this takes one of its
    /// own. A refusal that is kept there already is given again, and a key of another request is refused. If an equal request
    /// succeeded, its answer stays, but this caller is not shown it: what refused the caller may be its own lack of rights.
    pub async fn keep_refusal(&self, caller: &Caller, known: Idempotency, problem: Problem) -> Result<Reply> {
        if !is_kept(problem.code) {
            return Err(problem.into());
        }
        let refused = Reply::refused(problem.clone());
        let keep = async move |_: &mut Tx<'_>| Ok(refused.clone());
        let reply = self.once(caller, known, self.now(), keep).await?;
        if matches!(reply.outcome, Outcome::Refused(_)) { Ok(reply) } else { Err(problem.into()) }
    }
}

impl Context {
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
fn answer_key(owner: Owner, key: &str) -> String {
    format!("{owner} idempotency {key}")
}

/// Whether a refusal is an answer to the request itself, and so is given again when the request is repeated. What can't be
/// read as JSON asked for nothing yet: it may be corrected under the same key.
fn is_kept(code: Code) -> bool {
    match code {
        Code::IdempotencyInProgress | Code::IdempotencyKeyReused => false,
        code => matches!(code.status(), 404 | 409 | 412 | 422),
    }
}

/// Refuses a stale precondition.
pub fn ensure_current(precondition: &Precondition, etag: &str) -> Result<()> {
    ensure(precondition.permits(etag), Code::PreconditionFailed)
}
