//! E-mails that wait to be sent, and their claims: one node works on an e-mail at a time.

use model::{Id, Mail, Owner, Result, Timestamp};

use crate::platform::engine::{Sql, Tx, Value};

const INSERT: Sql = Sql::same(
    "INSERT INTO mail (owner, id, purpose, link_hash, sealed, created_at, expires_at, due_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
);
/// An e-mail whose link was used, replaced or taken away has no row beside it.
const GET: Sql = Sql::same(
    "SELECT m.purpose, m.sealed, m.created_at, m.expires_at, m.failures, l.user_id FROM mail m
     LEFT JOIN sign_in_link l ON l.owner = m.owner AND l.hash = m.link_hash
     WHERE m.owner = $1 AND m.id = $2 AND m.fence = $3",
);
/// Spans organisations.
const ANY_DUE: Sql = Sql::same(
    "SELECT fence FROM mail WHERE due_at <= $1
     AND holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1) LIMIT 1",
);
/// Spans organisations.
const CLAIM: Sql = Sql::each(
    "UPDATE mail SET holder = $1, fence = fence + 1 WHERE (owner, id) IN (
         SELECT m.owner, m.id FROM mail m WHERE m.due_at <= $2
         AND m.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         ORDER BY m.due_at LIMIT $3)
     RETURNING owner, id, fence",
    "UPDATE mail SET holder = $1, fence = fence + 1 WHERE ctid = ANY (ARRAY(
         SELECT m.ctid FROM mail m WHERE m.due_at <= $2
         AND m.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         ORDER BY m.due_at LIMIT $3 FOR UPDATE OF m SKIP LOCKED))
     RETURNING owner, id, fence",
);
const RETRY: Sql = Sql::same(
    "UPDATE mail SET holder = '', failures = failures + 1, due_at = $1 WHERE owner = $2 AND id = $3 AND fence = $4",
);
const DELETE: Sql = Sql::same("DELETE FROM mail WHERE owner = $1 AND id = $2 AND fence = $3");
/// Spans organisations.
const DELETE_OLD: Sql = Sql::each(
    "DELETE FROM mail WHERE (owner, id) IN (
         SELECT owner, id FROM mail WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
    "DELETE FROM mail WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM mail WHERE expires_at < $1 ORDER BY expires_at LIMIT $2))",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &GET, &ANY_DUE, &CLAIM, &RETRY, &DELETE, &DELETE_OLD];

/// An e-mail that is to be sent. What it says is sealed.
pub struct NewMail {
    pub id: Id<Mail>,
    pub purpose: &'static str,
    pub link_hash: [u8; 32],
    pub sealed: Vec<u8>,
    pub created_at: Timestamp,
    /// When its link works no more.
    pub expires_at: Timestamp,
}

/// An e-mail that this node has claimed.
pub struct StoredMail {
    pub purpose: String,
    pub sealed: Vec<u8>,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    /// Attempts that failed.
    pub failures: i64,
    /// Whether its link still is the one that its user has.
    pub has_link: bool,
}

/// A node's claim of an e-mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MailClaim {
    pub owner: Owner,
    pub mail: Id<Mail>,
    pub fence: i64,
}

/// Inserts an e-mail that is due at once.
pub async fn insert(tx: &mut Tx<'_>, owner: Owner, mail: &NewMail) -> Result<()> {
    let values = [
        owner.into(),
        mail.id.into(),
        mail.purpose.into(),
        mail.link_hash.as_slice().into(),
        mail.sealed.as_slice().into(),
        mail.created_at.into(),
        mail.expires_at.into(),
        mail.created_at.into(),
    ];
    tx.send(&INSERT, &values).await
}

/// Returns the e-mail, unless the claim is lost or the e-mail is gone.
pub async fn get(tx: &mut Tx<'_>, claim: &MailClaim) -> Result<Option<StoredMail>> {
    let row = tx.one(&GET, &[claim.owner.into(), claim.mail.into(), claim.fence.into()]).await?;
    let Some(mut row) = row else { return Ok(None) };
    Ok(Some(StoredMail {
        purpose: row.text(0)?,
        sealed: row.blob(1)?,
        created_at: row.moment(2)?,
        expires_at: row.moment(3)?,
        failures: row.int(4)?,
        has_link: row.text_or_null(5)?.is_some(),
    }))
}

/// Spans organisations: returns whether there is a due e-mail that no living node holds.
pub async fn any_due(tx: &mut Tx<'_>, now: Timestamp) -> Result<bool> {
    Ok(tx.one(&ANY_DUE, &[now.into()]).await?.is_some())
}

/// Spans organisations: claims due e-mails, the one that waits longest first.
pub async fn claim(tx: &mut Tx<'_>, node: &str, now: Timestamp, limit: usize) -> Result<Vec<MailClaim>> {
    let rows = tx.all(&CLAIM, &[node.into(), now.into(), Value::Int(limit as i64)]).await?;
    rows.into_iter()
        .map(|mut row| Ok(MailClaim { owner: row.owner(0)?, mail: row.id(1)?, fence: row.int(2)? }))
        .collect()
}

/// Records that an attempt failed, and releases the claim, unless it is lost. The e-mail is due again at this time.
pub async fn retry(tx: &mut Tx<'_>, claim: &MailClaim, due_at: Timestamp) -> Result<()> {
    let values = [due_at.into(), claim.owner.into(), claim.mail.into(), claim.fence.into()];
    tx.send(&RETRY, &values).await
}

/// Deletes an e-mail that was sent or given up, unless the claim is lost.
pub async fn delete(tx: &mut Tx<'_>, claim: &MailClaim) -> Result<()> {
    tx.send(&DELETE, &[claim.owner.into(), claim.mail.into(), claim.fence.into()]).await
}

/// Spans organisations: deletes at most `limit` e-mails whose links expired before the moment. Returns how many.
pub async fn delete_old(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_OLD, &[before.into(), limit.into()]).await
}
