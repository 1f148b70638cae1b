//! Access tokens, found by the hash of their secret.

use model::{AccessToken, Error, Id, Owner, Result, Scopes, Timestamp, User};

use crate::platform::engine::{Row, Sql, Tx};
use crate::platform::page::{Page, PageSql, Start};

const INSERT: Sql = Sql::same(
    "INSERT INTO access_token (owner, id, user_id, hash, name, scopes, parent_id, expires_at, created_at, creator_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
);
/// Tokens of a disabled user, or of one that was deleted, are not found.
const BY_HASH: Sql = Sql::same(
    "SELECT t.id, t.owner, t.user_id, t.name, t.scopes, t.parent_id, t.expires_at, t.created_at, t.creator_id
     FROM organisation_user u JOIN access_token t ON t.user_id = u.id
     WHERE u.owner = $1 AND u.is_disabled = 0 AND t.owner = $2 AND t.hash = $3",
);
/// Locks the token in share mode: no other transaction can delete it before this one ends.
const HOLD: Sql = Sql::each(
    "SELECT t.id, t.owner, t.user_id, t.name, t.scopes, t.parent_id, t.expires_at, t.created_at, t.creator_id
     FROM organisation_user u JOIN access_token t ON t.user_id = u.id
     WHERE u.owner = $1 AND u.is_disabled = 0 AND t.owner = $2 AND t.hash = $3",
    "SELECT t.id, t.owner, t.user_id, t.name, t.scopes, t.parent_id, t.expires_at, t.created_at, t.creator_id
     FROM organisation_user u JOIN access_token t ON t.user_id = u.id
     WHERE u.owner = $1 AND u.is_disabled = 0 AND t.owner = $2 AND t.hash = $3 FOR KEY SHARE OF t",
);
const GET: Sql = Sql::same(
    "SELECT id, owner, user_id, name, scopes, parent_id, expires_at, created_at, creator_id
     FROM access_token WHERE owner = $1 AND id = $2",
);
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, owner, user_id, name, scopes, parent_id, expires_at, created_at, creator_id
         FROM access_token WHERE owner = $1 AND id < $2 AND parent_id IS NULL ORDER BY id DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT id, owner, user_id, name, scopes, parent_id, expires_at, created_at, creator_id
         FROM access_token WHERE owner = $1 AND id > $2 AND parent_id IS NULL ORDER BY id LIMIT $3",
    ),
};
/// As `HOLD`, by the token's id.
const HOLD_ID: Sql = Sql::each(
    "SELECT id FROM access_token WHERE owner = $1 AND id = $2",
    "SELECT id FROM access_token WHERE owner = $1 AND id = $2 FOR KEY SHARE",
);
const DELETE: Sql =
    Sql::same("DELETE FROM access_token WHERE owner = $1 AND id = $2 RETURNING id, user_id, parent_id");
/// `$2` is a JSON array of ids.
const DELETE_CREATED: Sql = Sql::each(
    "DELETE FROM access_token WHERE owner = $1 AND creator_id IN (SELECT value FROM json_each($2))
     RETURNING id, user_id, parent_id",
    "DELETE FROM access_token
     WHERE owner = $1 AND creator_id = ANY (ARRAY(SELECT json_array_elements_text($2::text::json)))
     RETURNING id, user_id, parent_id",
);
const DELETE_OF_USER: Sql = Sql::same("DELETE FROM access_token WHERE owner = $1 AND user_id = $2");
const DELETE_TRADED: Sql = Sql::same(
    "DELETE FROM access_token WHERE owner = $1 AND creator_id = $2 AND parent_id IS NOT NULL
     RETURNING id, user_id, parent_id",
);
const REASSIGN: Sql =
    Sql::same("UPDATE access_token SET creator_id = $1 WHERE owner = $2 AND creator_id = $3");
/// Spans organisations: the operator's list of all tokens.
const ALL: Sql = Sql::same(
    "SELECT t.id, t.owner, t.user_id, t.name, t.scopes, t.parent_id, t.expires_at, t.created_at, t.creator_id, o.name, u.email
     FROM access_token t
     JOIN organisation o ON t.owner IN (o.owner, o.owner || '_test')
     JOIN organisation_user u ON u.owner = o.owner AND u.id = t.user_id
     WHERE t.parent_id IS NULL ORDER BY t.id",
);
/// Spans organisations: the operator names a token by its id alone.
const OWNER_OF: Sql = Sql::same("SELECT owner FROM access_token WHERE id = $1");
/// Spans organisations. Traded tokens live for an hour and are many, so expired ones are deleted.
const DELETE_EXPIRED: Sql = Sql::each(
    "DELETE FROM access_token WHERE (owner, id) IN (
         SELECT owner, id FROM access_token WHERE parent_id IS NOT NULL AND expires_at < $1 ORDER BY expires_at LIMIT $2)",
    "DELETE FROM access_token WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM access_token WHERE parent_id IS NOT NULL AND expires_at < $1 ORDER BY expires_at LIMIT $2))",
);
/// Spans organisations. A token that made others is kept for as long as these exist, so that they can be revoked with
/// it. Tokens that were traded for another are deleted as soon as they expire.
const DELETE_ENDED: Sql = Sql::each(
    "DELETE FROM access_token WHERE (owner, id) IN (
         SELECT owner, id FROM access_token t WHERE parent_id IS NULL AND expires_at < $1
         AND NOT EXISTS (SELECT 1 FROM access_token made WHERE made.owner = t.owner AND made.creator_id = t.id)
         ORDER BY expires_at LIMIT $2)",
    "DELETE FROM access_token WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM access_token t WHERE parent_id IS NULL AND expires_at < $1
         AND NOT EXISTS (SELECT 1 FROM access_token made WHERE made.owner = t.owner AND made.creator_id = t.id)
         ORDER BY expires_at LIMIT $2))",
);

/// Spans organisations: returns those of the given tokens that exist and whose users are not disabled. `$1` lists owners, ids
/// and the owners of the users: `[["org_…_test", "tok_…", "org_…"], …]`.
const SOME: Sql = Sql::each(
    "SELECT t.id, t.owner, t.user_id, t.name, t.scopes, t.parent_id, t.expires_at, t.created_at, t.creator_id
     FROM json_each($1) w CROSS JOIN access_token t ON t.owner = w.value ->> 0 AND t.id = w.value ->> 1
     JOIN organisation_user u ON u.owner = w.value ->> 2 AND u.id = t.user_id AND u.is_disabled = 0",
    "SELECT t.id, t.owner, t.user_id, t.name, t.scopes, t.parent_id, t.expires_at, t.created_at, t.creator_id
     FROM json_array_elements($1::text::json) w(value)
     JOIN access_token t ON t.owner = w.value ->> 0 AND t.id = w.value ->> 1
     JOIN organisation_user u ON u.owner = w.value ->> 2 AND u.id = t.user_id AND u.is_disabled = 0",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &INSERT,
    &BY_HASH,
    &HOLD,
    &GET,
    &PAGE.older,
    &PAGE.newer,
    &HOLD_ID,
    &DELETE,
    &DELETE_CREATED,
    &DELETE_OF_USER,
    &DELETE_TRADED,
    &REASSIGN,
    &ALL,
    &OWNER_OF,
    &DELETE_EXPIRED,
    &DELETE_ENDED,
    &SOME,
];

/// A token with the names of its organisation and its user.
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
        token.creator.into(),
    ];
    tx.send(&INSERT, &values).await
}

pub async fn by_hash(tx: &mut Tx<'_>, owner: Owner, hash: [u8; 32]) -> Result<Option<AccessToken>> {
    tx.one(&BY_HASH, &[Owner::live(owner.organisation).into(), owner.into(), hash.as_slice().into()])
        .await?
        .map(read)
        .transpose()
}

/// Finds a token as [`by_hash`] does, and keeps it from being deleted before this transaction ends, so that a token
/// traded for it can't outlive it.
pub async fn hold(tx: &mut Tx<'_>, owner: Owner, hash: [u8; 32]) -> Result<Option<AccessToken>> {
    tx.one(&HOLD, &[Owner::live(owner.organisation).into(), owner.into(), hash.as_slice().into()])
        .await?
        .map(read)
        .transpose()
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<AccessToken>) -> Result<Option<AccessToken>> {
    tx.one(&GET, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// Returns a page of the tokens that people made. Tokens that were traded for an hour are not listed.
pub async fn page(tx: &mut Tx<'_>, owner: Owner, start: &Start, limit: usize) -> Result<Page<AccessToken>> {
    let page = Page::read(tx, &PAGE, owner.into(), &[], start, limit).await?;
    page.try_map(read)
}

/// A token that was just deleted.
pub struct Revoked {
    pub id: Id<AccessToken>,
    pub user: Id<User>,
    /// Whether the token was traded at `/oauth/token`.
    pub is_traded: bool,
}

/// Keeps the token from being deleted before this transaction ends, so that tokens that it makes can't outlive it.
/// Returns false if the token does not exist.
pub async fn hold_id(tx: &mut Tx<'_>, owner: Owner, id: Id<AccessToken>) -> Result<bool> {
    Ok(tx.one(&HOLD_ID, &[owner.into(), id.into()]).await?.is_some())
}

/// Deletes a token and every token that it made, directly or through others. Returns the deleted tokens, the named
/// one first, or none if there is no such token.
///
/// It deletes one generation after the other. Deleting a token waits for the transactions that hold it to make
/// another one, and the next statement finds the tokens that they made.
pub async fn delete(tx: &mut Tx<'_>, owner: Owner, id: Id<AccessToken>) -> Result<Vec<Revoked>> {
    let mut all = revoked(tx.all(&DELETE, &[owner.into(), id.into()]).await?)?;
    let mut last = 0;
    while last < all.len() {
        let makers: Vec<String> = all[last..].iter().map(|token| token.id.to_string()).collect();
        last = all.len();
        let makers = serde_json::json!(makers).to_string();
        all.extend(revoked(tx.all(&DELETE_CREATED, &[owner.into(), makers.into()]).await?)?);
    }
    Ok(all)
}

/// Deletes a token and those that were traded for it, and keeps the others that it made. The creator of the token
/// becomes their creator, so revoking that one still revokes them. Returns the deleted tokens, as [`delete`] does.
pub async fn delete_alone(tx: &mut Tx<'_>, token: &AccessToken) -> Result<Vec<Revoked>> {
    let owner = token.owner;
    // Locked, so that if the creator is revoked at the same time, that transaction finds the tokens it inherits here.
    let creator = match token.creator {
        Some(creator) if hold_id(tx, owner, creator).await? => Some(creator),
        _ => None,
    };
    let mut all = revoked(tx.all(&DELETE, &[owner.into(), token.id.into()]).await?)?;
    if all.is_empty() {
        return Ok(all);
    }
    all.extend(revoked(tx.all(&DELETE_TRADED, &[owner.into(), token.id.into()]).await?)?);
    for gone in &all {
        tx.send(&REASSIGN, &[creator.into(), owner.into(), gone.id.into()]).await?;
    }
    Ok(all)
}

/// Deletes all tokens of a user in one world.
pub async fn delete_of_user(tx: &mut Tx<'_>, owner: Owner, user: Id<User>) -> Result<()> {
    tx.send(&DELETE_OF_USER, &[owner.into(), user.into()]).await
}

fn revoked(rows: Vec<Row>) -> Result<Vec<Revoked>> {
    let read = |mut row: Row| {
        Ok(Revoked { id: row.id(0)?, user: row.id(1)?, is_traded: row.text_or_null(2)?.is_some() })
    };
    rows.into_iter().map(read).collect()
}

pub async fn all(tx: &mut Tx<'_>) -> Result<Vec<Listed>> {
    let listed = |mut row: Row| {
        let (organisation, email) = (row.text(9)?, row.text(10)?);
        Ok(Listed { token: read(row)?, organisation, email })
    };
    tx.all(&ALL, &[]).await?.into_iter().map(listed).collect()
}

pub async fn owner_of(tx: &mut Tx<'_>, id: Id<AccessToken>) -> Result<Option<Owner>> {
    tx.one(&OWNER_OF, &[id.into()]).await?.map(|mut row| row.owner(0)).transpose()
}

/// Spans organisations: returns those of the given tokens that exist and whose users are not disabled.
pub async fn some(tx: &mut Tx<'_>, tokens: &[(Owner, Id<AccessToken>)]) -> Result<Vec<AccessToken>> {
    let name = |(owner, id): &(Owner, Id<AccessToken>)| {
        [owner.to_string(), id.to_string(), Owner::live(owner.organisation).to_string()]
    };
    let names: Vec<[String; 3]> = tokens.iter().map(name).collect();
    let rows = tx.all(&SOME, &[serde_json::json!(names).to_string().into()]).await?;
    rows.into_iter().map(read).collect()
}

pub async fn delete_expired(tx: &mut Tx<'_>, now: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_EXPIRED, &[now.into(), limit.into()]).await
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
        creator: row.id_or_null(8)?,
    })
}

/// Deletes at most `limit` access tokens that expired before the given time and were not made by a trade, oldest first.
/// Returns how many.
pub async fn delete_ended(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_ENDED, &[before.into(), limit.into()]).await
}
