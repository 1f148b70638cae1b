//! Passkeys, found by how their authenticators name them. Their rows belong to the organisation's live world.

use model::{Id, Organisation, Owner, Passkey, Result, Timestamp, User};

use crate::platform::engine::{Row, Sql, Tx};
use crate::platform::page::{Page, PageSql, Start};

const INSERT: Sql = Sql::same(
    "INSERT INTO passkey (owner, id, user_id, credential_id, public_key, sign_count, is_syncable, name, created_at, last_used_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
);
const GET: Sql = Sql::same(
    "SELECT id, user_id, credential_id, public_key, sign_count, is_syncable, name, created_at, last_used_at
     FROM passkey WHERE owner = $1 AND id = $2",
);
const BY_CREDENTIAL: Sql = Sql::same(
    "SELECT id, user_id, credential_id, public_key, sign_count, is_syncable, name, created_at, last_used_at
     FROM passkey WHERE owner = $1 AND credential_id = $2",
);
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, user_id, credential_id, public_key, sign_count, is_syncable, name, created_at, last_used_at
         FROM passkey WHERE owner = $1 AND id < $2 AND user_id = $3 ORDER BY id DESC LIMIT $4",
    ),
    newer: Sql::same(
        "SELECT id, user_id, credential_id, public_key, sign_count, is_syncable, name, created_at, last_used_at
         FROM passkey WHERE owner = $1 AND id > $2 AND user_id = $3 ORDER BY id LIMIT $4",
    ),
};
const CREDENTIALS: Sql =
    Sql::same("SELECT credential_id FROM passkey WHERE owner = $1 AND user_id = $2 ORDER BY id LIMIT $3");
/// Only from the counter that was compared: of two uses at once, one is refused.
const SET_USED: Sql = Sql::same(
    "UPDATE passkey SET sign_count = $1, last_used_at = $2 WHERE owner = $3 AND id = $4 AND sign_count = $5",
);
const DELETE: Sql = Sql::same("DELETE FROM passkey WHERE owner = $1 AND id = $2");
const DELETE_OF_USER: Sql = Sql::same("DELETE FROM passkey WHERE owner = $1 AND user_id = $2");

pub(crate) const STATEMENTS: &[&Sql] = &[
    &INSERT,
    &GET,
    &BY_CREDENTIAL,
    &PAGE.older,
    &PAGE.newer,
    &CREDENTIALS,
    &SET_USED,
    &DELETE,
    &DELETE_OF_USER,
];

/// A passkey with its public key.
#[derive(Clone)]
pub struct StoredPasskey {
    pub id: Id<Passkey>,
    pub user: Id<User>,
    pub credential_id: Vec<u8>,
    pub public_key: Vec<u8>,
    pub sign_count: u32,
    pub is_syncable: bool,
    pub name: String,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

pub async fn insert(tx: &mut Tx<'_>, organisation: Id<Organisation>, passkey: &StoredPasskey) -> Result<()> {
    let values = [
        Owner::live(organisation).into(),
        passkey.id.into(),
        passkey.user.into(),
        passkey.credential_id.as_slice().into(),
        passkey.public_key.as_slice().into(),
        i64::from(passkey.sign_count).into(),
        i64::from(passkey.is_syncable).into(),
        passkey.name.as_str().into(),
        passkey.created_at.into(),
        passkey.last_used_at.into(),
    ];
    tx.send(&INSERT, &values).await
}

pub async fn get(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    id: Id<Passkey>,
) -> Result<Option<StoredPasskey>> {
    tx.one(&GET, &[Owner::live(organisation).into(), id.into()]).await?.map(read).transpose()
}

/// Returns the passkey that an authenticator names so.
pub async fn by_credential(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    credential_id: &[u8],
) -> Result<Option<StoredPasskey>> {
    let values = [Owner::live(organisation).into(), credential_id.into()];
    tx.one(&BY_CREDENTIAL, &values).await?.map(read).transpose()
}

/// Returns a page of the passkeys of a user.
pub async fn page(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    user: Id<User>,
    start: &Start,
    limit: usize,
) -> Result<Page<StoredPasskey>> {
    Page::read(tx, &PAGE, Owner::live(organisation).into(), &[user.into()], start, limit).await?.try_map(read)
}

/// Returns how the authenticators name the passkeys of a user, at most `max`.
pub async fn credentials(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    user: Id<User>,
    max: i64,
) -> Result<Vec<Vec<u8>>> {
    let rows = tx.all(&CREDENTIALS, &[Owner::live(organisation).into(), user.into(), max.into()]).await?;
    rows.into_iter().map(|mut row| row.blob(0)).collect()
}

/// Records that the passkey has signed. Returns false if it was used or deleted since it was read.
pub async fn set_used(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    passkey: &StoredPasskey,
    sign_count: u32,
    now: Timestamp,
) -> Result<bool> {
    let values = [
        i64::from(sign_count).into(),
        now.into(),
        Owner::live(organisation).into(),
        passkey.id.into(),
        i64::from(passkey.sign_count).into(),
    ];
    Ok(tx.execute(&SET_USED, &values).await? == 1)
}

pub async fn delete(tx: &mut Tx<'_>, organisation: Id<Organisation>, id: Id<Passkey>) -> Result<()> {
    tx.send(&DELETE, &[Owner::live(organisation).into(), id.into()]).await
}

pub async fn delete_of_user(tx: &mut Tx<'_>, organisation: Id<Organisation>, user: Id<User>) -> Result<()> {
    tx.send(&DELETE_OF_USER, &[Owner::live(organisation).into(), user.into()]).await
}

fn read(mut row: Row) -> Result<StoredPasskey> {
    Ok(StoredPasskey {
        id: row.id(0)?,
        user: row.id(1)?,
        credential_id: row.blob(2)?,
        public_key: row.blob(3)?,
        sign_count: u32::try_from(row.int(4)?).map_err(model::Error::fault)?,
        is_syncable: row.int(5)? == 1,
        name: row.text(6)?,
        created_at: row.moment(7)?,
        last_used_at: row.moment_or_null(8)?,
    })
}
