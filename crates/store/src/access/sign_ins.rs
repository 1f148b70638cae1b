//! What signing in needs: one-time links, and how often each account was guessed at.

use model::{Id, Organisation, Owner, Result, Timestamp, User};

use crate::platform::engine::{Sql, Tx};

/// The owner of rows that belong to no organisation.
const NO_OWNER: &str = "*";

const SET_LINK: Sql = Sql::same(
    "INSERT INTO sign_in_link (owner, user_id, hash, expires_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (owner, user_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at",
);
/// Deleting the link and reading it is one statement, so that it is used once.
const TAKE_LINK: Sql =
    Sql::same("DELETE FROM sign_in_link WHERE owner = $1 AND hash = $2 RETURNING user_id, expires_at");
const DELETE_LINK: Sql = Sql::same("DELETE FROM sign_in_link WHERE owner = $1 AND user_id = $2");
const DELETE_OLD_LINKS: Sql = Sql::each(
    "DELETE FROM sign_in_link WHERE (owner, user_id) IN (
         SELECT owner, user_id FROM sign_in_link WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
    "DELETE FROM sign_in_link WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM sign_in_link WHERE expires_at < $1 ORDER BY expires_at LIMIT $2))",
);
/// Counts a try. The first one after the window begins a new one.
const COUNT_TRY: Sql = Sql::same(
    "INSERT INTO sign_in_failure (owner, account, failures, since) VALUES ($1, $2, 1, $3)
     ON CONFLICT (owner, account) DO UPDATE SET
     failures = CASE WHEN sign_in_failure.since < $4 THEN 1 ELSE sign_in_failure.failures + 1 END,
     since = CASE WHEN sign_in_failure.since < $5 THEN excluded.since ELSE sign_in_failure.since END
     RETURNING failures, since",
);
const FORGET: Sql = Sql::same("DELETE FROM sign_in_failure WHERE owner = $1 AND account = $2");
const DELETE_OLD_FAILURES: Sql = Sql::each(
    "DELETE FROM sign_in_failure WHERE (owner, account) IN (
         SELECT owner, account FROM sign_in_failure WHERE since < $1 ORDER BY since LIMIT $2)",
    "DELETE FROM sign_in_failure WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM sign_in_failure WHERE since < $1 ORDER BY since LIMIT $2))",
);

pub(crate) const STATEMENTS: &[&Sql] =
    &[&SET_LINK, &TAKE_LINK, &DELETE_LINK, &DELETE_OLD_LINKS, &COUNT_TRY, &FORGET, &DELETE_OLD_FAILURES];

/// Gives the user a link. An older one works no more.
pub async fn set_link(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    user: Id<User>,
    hash: [u8; 32],
    expires_at: Timestamp,
) -> Result<()> {
    let values = [Owner::live(organisation).into(), user.into(), hash.as_slice().into(), expires_at.into()];
    tx.send(&SET_LINK, &values).await
}

/// Uses a link up. Returns whose it was and until when it was valid, or `None` if there is none.
pub async fn take_link(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    hash: [u8; 32],
) -> Result<Option<(Id<User>, Timestamp)>> {
    let row = tx.one(&TAKE_LINK, &[Owner::live(organisation).into(), hash.as_slice().into()]).await?;
    row.map(|mut row| Ok((row.id(0)?, row.moment(1)?))).transpose()
}

pub async fn delete_link(tx: &mut Tx<'_>, organisation: Id<Organisation>, user: Id<User>) -> Result<()> {
    tx.send(&DELETE_LINK, &[Owner::live(organisation).into(), user.into()]).await
}

/// Spans organisations: deletes at most `limit` links that expired before the moment. Returns how many.
pub async fn delete_old_links(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_OLD_LINKS, &[before.into(), limit.into()]).await
}

/// Belongs to no organisation: counts a try to sign in to the account. Returns how many there were in the window, and
/// when it began. A window that began before `window` is over.
pub async fn count_try(
    tx: &mut Tx<'_>,
    account: [u8; 32],
    now: Timestamp,
    window: Timestamp,
) -> Result<(i64, Timestamp)> {
    let values = [NO_OWNER.into(), account.as_slice().into(), now.into(), window.into(), window.into()];
    tx.one(&COUNT_TRY, &values).await?.map_or(Ok((1, now)), |mut row| Ok((row.int(0)?, row.moment(1)?)))
}

/// Belongs to no organisation: forgets the tries of an account.
pub async fn forget_tries(tx: &mut Tx<'_>, account: [u8; 32]) -> Result<()> {
    tx.send(&FORGET, &[NO_OWNER.into(), account.as_slice().into()]).await
}

/// Belongs to no organisation: deletes at most `limit` counts that began before the moment. Returns how many.
pub async fn delete_old_tries(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_OLD_FAILURES, &[before.into(), limit.into()]).await
}
