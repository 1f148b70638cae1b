//! Access tokens of carrier accounts, sealed, and the claims of tasks that ask for new ones.

use model::{CarrierAccount, Id, Owner, Result, Timestamp};

use crate::platform::engine::{Sql, Tx};

const GET: Sql = Sql::same(
    "SELECT fence, claimed_until, sealed, expires_at FROM carrier_token WHERE owner = $1 AND account_id = $2 AND name = $3",
);
/// Takes effect only if the row is still the one that was read (its fence is one less), and no task holds it.
const CLAIM: Sql = Sql::same(
    "INSERT INTO carrier_token (owner, account_id, name, fence, claimed_until, expires_at) VALUES ($1, $2, $3, $4, $5, 0)
     ON CONFLICT (owner, account_id, name) DO UPDATE SET fence = excluded.fence, claimed_until = excluded.claimed_until
     WHERE carrier_token.fence = excluded.fence - 1 AND carrier_token.claimed_until <= $6",
);
const KEEP: Sql = Sql::same(
    "UPDATE carrier_token SET sealed = $1, expires_at = $2, claimed_until = 0
     WHERE owner = $3 AND account_id = $4 AND name = $5 AND fence = $6",
);
const DELETE: Sql = Sql::same("DELETE FROM carrier_token WHERE owner = $1 AND account_id = $2");

pub(crate) const STATEMENTS: &[&Sql] = &[&GET, &CLAIM, &KEEP, &DELETE];

/// The place of a token: an account has one of each name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenPlace {
    pub owner: Owner,
    pub account: Id<CarrierAccount>,
    pub name: &'static str,
}

/// A row: the last answer, and which task asks for a new one.
#[derive(Clone, Default)]
pub struct StoredToken {
    /// Zero if there is no row yet.
    pub fence: i64,
    /// Until when a task asks for a new token.
    pub claimed_until: Option<Timestamp>,
    pub sealed: Option<Vec<u8>>,
    pub expires_at: Option<Timestamp>,
}

pub async fn get(tx: &mut Tx<'_>, of: TokenPlace) -> Result<StoredToken> {
    let values = [of.owner.into(), of.account.into(), of.name.into()];
    let Some(mut row) = tx.one(&GET, &values).await? else { return Ok(StoredToken::default()) };
    Ok(StoredToken {
        fence: row.int(0)?,
        claimed_until: Some(row.moment(1)?),
        sealed: row.blob_or_null(2)?,
        expires_at: Some(row.moment(3)?),
    })
}

/// Claims a row as it was read, so that no other task asks for the token until `until`. Returns the fence of the claim, or `None` if
/// another task was first.
pub async fn claim(
    tx: &mut Tx<'_>,
    of: TokenPlace,
    seen: i64,
    until: Timestamp,
    now: Timestamp,
) -> Result<Option<i64>> {
    let fence = seen + 1;
    let values = [of.owner.into(), of.account.into(), of.name.into(), fence.into(), until.into(), now.into()];
    let changed = tx.execute(&CLAIM, &values).await?;
    Ok((changed > 0).then_some(fence))
}

/// Stores an answer and ends the claim. It changes nothing if another task has claimed the row since.
pub async fn keep(
    tx: &mut Tx<'_>,
    of: TokenPlace,
    fence: i64,
    sealed: &[u8],
    expires_at: Timestamp,
) -> Result<()> {
    let values =
        [sealed.into(), expires_at.into(), of.owner.into(), of.account.into(), of.name.into(), fence.into()];
    tx.execute(&KEEP, &values).await.map(drop)
}

/// Deletes the tokens of an account whose credentials were replaced.
pub async fn delete(tx: &mut Tx<'_>, owner: Owner, account: Id<CarrierAccount>) -> Result<()> {
    tx.send(&DELETE, &[owner.into(), account.into()]).await
}
