//! Access tokens, found by the hash of their secret.

use model::{AccessToken, Error, Id, Owner, Result, Scopes, Timestamp};

use crate::engine::{Row, Sql, Tx};
use crate::page::{Page, PageSql, Start};

const INSERT: Sql = Sql::same(
    "INSERT INTO access_token (owner, id, user_id, hash, name, scopes, parent_id, expires_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
);
const BY_HASH: Sql = Sql::same(
    "SELECT id, owner, user_id, name, scopes, parent_id, expires_at, created_at
     FROM access_token WHERE owner = $1 AND hash = $2",
);
/// Holds the token in place: it can't be taken away before this transaction ends.
const HOLD: Sql = Sql::each(
    "SELECT id, owner, user_id, name, scopes, parent_id, expires_at, created_at
     FROM access_token WHERE owner = $1 AND hash = $2",
    "SELECT id, owner, user_id, name, scopes, parent_id, expires_at, created_at
     FROM access_token WHERE owner = $1 AND hash = $2 FOR KEY SHARE",
);
const GET: Sql = Sql::same(
    "SELECT id, owner, user_id, name, scopes, parent_id, expires_at, created_at
     FROM access_token WHERE owner = $1 AND id = $2",
);
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, owner, user_id, name, scopes, parent_id, expires_at, created_at
         FROM access_token WHERE owner = $1 AND id < $2 AND parent_id IS NULL ORDER BY id DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT id, owner, user_id, name, scopes, parent_id, expires_at, created_at
         FROM access_token WHERE owner = $1 AND id > $2 AND parent_id IS NULL ORDER BY id LIMIT $3",
    ),
};
const DELETE: Sql = Sql::same("DELETE FROM access_token WHERE owner = $1 AND id = $2");
const DELETE_CHILDREN: Sql = Sql::same("DELETE FROM access_token WHERE owner = $1 AND parent_id = $2");
/// Spans organisations: the operator's list of all tokens.
const ALL: Sql = Sql::same(
    "SELECT t.id, t.owner, t.user_id, t.name, t.scopes, t.parent_id, t.expires_at, t.created_at, o.name, u.email
     FROM access_token t
     JOIN organisation o ON t.owner IN (o.owner, o.owner || '_test')
     JOIN organisation_user u ON u.owner = o.owner AND u.id = t.user_id
     WHERE t.parent_id IS NULL ORDER BY t.id",
);
/// Spans organisations: the operator names a token by its id alone.
const OWNER_OF: Sql = Sql::same("SELECT owner FROM access_token WHERE id = $1");
/// Spans organisations: traded tokens live an hour and are many, so dead ones are cleaned away.
const DELETE_EXPIRED: Sql =
    Sql::same("DELETE FROM access_token WHERE parent_id IS NOT NULL AND expires_at < $1");

/// Spans organisations: those of these tokens that are there. `$1` names owners and ids: `[["org_…", "tok_…"], …]`.
const SOME: Sql = Sql::each(
    "SELECT t.id, t.owner, t.user_id, t.name, t.scopes, t.parent_id, t.expires_at, t.created_at
     FROM json_each($1) w CROSS JOIN access_token t ON t.owner = w.value ->> 0 AND t.id = w.value ->> 1",
    "SELECT t.id, t.owner, t.user_id, t.name, t.scopes, t.parent_id, t.expires_at, t.created_at
     FROM json_array_elements($1::text::json) w(value)
     JOIN access_token t ON t.owner = w.value ->> 0 AND t.id = w.value ->> 1",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &INSERT,
    &BY_HASH,
    &HOLD,
    &GET,
    &PAGE.older,
    &PAGE.newer,
    &DELETE,
    &DELETE_CHILDREN,
    &ALL,
    &OWNER_OF,
    &DELETE_EXPIRED,
    &SOME,
];

/// A token with the names that a person knows it by.
pub struct Listed {
    pub token: AccessToken,
    pub organisation: String,
    pub email: String,
}

pub async fn insert(tx: &mut Tx<'_>, token: &AccessToken, hash: [u8; 32]) -> Result<()> {
    let values = [
        token.owner.into(),
        token.id.into(),
        token.user.into(),
        hash.as_slice().into(),
        token.name.clone().into(),
        token.scopes.to_string().into(),
        token.parent.into(),
        token.expires_at.into(),
        token.created_at.into(),
    ];
    tx.send(&INSERT, &values).await
}

pub async fn by_hash(tx: &mut Tx<'_>, owner: Owner, hash: [u8; 32]) -> Result<Option<AccessToken>> {
    tx.one(&BY_HASH, &[owner.into(), hash.as_slice().into()]).await?.map(read).transpose()
}

/// As [`by_hash`], and it stays until this transaction ends, so that what is traded for it can't outlive it.
pub async fn hold(tx: &mut Tx<'_>, owner: Owner, hash: [u8; 32]) -> Result<Option<AccessToken>> {
    tx.one(&HOLD, &[owner.into(), hash.as_slice().into()]).await?.map(read).transpose()
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<AccessToken>) -> Result<Option<AccessToken>> {
    tx.one(&GET, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// The tokens that people made; those traded for an hour are not listed.
pub async fn page(tx: &mut Tx<'_>, owner: Owner, start: &Start, limit: usize) -> Result<Page<AccessToken>> {
    let page = Page::read(tx, &PAGE, owner.into(), &[], start, limit).await?;
    page.try_map(read)
}

/// Takes a token away, and with it those it was traded for.
pub async fn delete(tx: &mut Tx<'_>, owner: Owner, id: Id<AccessToken>) -> Result<bool> {
    // The token first: this waits for trades that hold it, and the next statement sees what they made.
    let is_deleted = tx.execute(&DELETE, &[owner.into(), id.into()]).await? > 0;
    tx.send(&DELETE_CHILDREN, &[owner.into(), id.into()]).await?;
    Ok(is_deleted)
}

pub async fn all(tx: &mut Tx<'_>) -> Result<Vec<Listed>> {
    let listed = |mut row: Row| {
        let (organisation, email) = (row.text(8)?, row.text(9)?);
        Ok(Listed { token: read(row)?, organisation, email })
    };
    tx.all(&ALL, &[]).await?.into_iter().map(listed).collect()
}

pub async fn owner_of(tx: &mut Tx<'_>, id: Id<AccessToken>) -> Result<Option<Owner>> {
    tx.one(&OWNER_OF, &[id.into()]).await?.map(|mut row| row.owner(0)).transpose()
}

/// Spans organisations: those of the tokens that are there.
pub async fn some(tx: &mut Tx<'_>, tokens: &[(Owner, Id<AccessToken>)]) -> Result<Vec<AccessToken>> {
    let names: Vec<[String; 2]> =
        tokens.iter().map(|(owner, id)| [owner.to_string(), id.to_string()]).collect();
    let rows = tx.all(&SOME, &[serde_json::json!(names).to_string().into()]).await?;
    rows.into_iter().map(read).collect()
}

pub async fn delete_expired(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    tx.execute(&DELETE_EXPIRED, &[now.into()]).await
}

fn read(mut row: Row) -> Result<AccessToken> {
    let scopes = row.text(4)?;
    Ok(AccessToken {
        id: row.id(0)?,
        owner: row.owner(1)?,
        user: row.id(2)?,
        name: row.text_or_null(3)?,
        scopes: Scopes::parse(&scopes).map_err(|word| Error::fault(format!("unknown scope {word}")))?,
        parent: row.id_or_null(5)?,
        expires_at: row.moment_or_null(6)?,
        created_at: row.moment(7)?,
    })
}
