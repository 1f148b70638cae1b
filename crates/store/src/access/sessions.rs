//! Sessions, found by the hash of their cookie. Their rows belong to the organisation's live world.

use model::access::session::BeganWith;
use model::{Error, Id, Organisation, Owner, Result, Session, Timestamp, User};

use crate::access::users::StoredUserRole;
use crate::platform::engine::{Row, Sql, Tx};
use crate::platform::page::{Page, PageSql, Start};

const INSERT: Sql = Sql::same(
    "INSERT INTO user_session (owner, id, user_id, hash, generation, began_with, user_agent, created_at, seen_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
);
/// A session of another generation than its user's, or of a user who is disabled, has ended.
const BY_HASH: Sql = Sql::same(
    "SELECT s.id, s.user_id, s.generation, s.began_with, s.user_agent, s.created_at, s.seen_at, s.expires_at
     FROM user_session s JOIN organisation_user u ON u.owner = s.owner AND u.id = s.user_id
     AND u.generation = s.generation AND u.is_disabled = 0
     WHERE s.owner = $1 AND s.hash = $2",
);
const GET: Sql = Sql::same(
    "SELECT s.id, s.user_id, s.generation, s.began_with, s.user_agent, s.created_at, s.seen_at, s.expires_at
     FROM user_session s JOIN organisation_user u ON u.owner = s.owner AND u.id = s.user_id
     AND u.generation = s.generation AND u.is_disabled = 0
     WHERE s.owner = $1 AND s.id = $2",
);
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT s.id, s.user_id, s.generation, s.began_with, s.user_agent, s.created_at, s.seen_at, s.expires_at
         FROM user_session s JOIN organisation_user u ON u.owner = s.owner AND u.id = s.user_id
         AND u.generation = s.generation AND u.is_disabled = 0
         WHERE s.owner = $1 AND s.id < $2 AND s.user_id = $3 AND s.expires_at > $4
         AND s.seen_at > $5 ORDER BY s.id DESC LIMIT $6",
    ),
    newer: Sql::same(
        "SELECT s.id, s.user_id, s.generation, s.began_with, s.user_agent, s.created_at, s.seen_at, s.expires_at
         FROM user_session s JOIN organisation_user u ON u.owner = s.owner AND u.id = s.user_id
         AND u.generation = s.generation AND u.is_disabled = 0
         WHERE s.owner = $1 AND s.id > $2 AND s.user_id = $3 AND s.expires_at > $4
         AND s.seen_at > $5 ORDER BY s.id LIMIT $6",
    ),
};
/// Spans organisations: returns those of the given sessions that have not been ended, with a row for each role of their
/// users. `$1` lists owners and ids: `[["org_…", "ses_…"], …]`.
const SOME: Sql = Sql::each(
    "SELECT s.id, s.user_id, s.generation, s.began_with, s.user_agent, s.created_at, s.seen_at, s.expires_at, r.id, r.scopes
     FROM json_each($1) w CROSS JOIN user_session s ON s.owner = w.value ->> 0 AND s.id = w.value ->> 1
     JOIN organisation_user u ON u.owner = s.owner AND u.id = s.user_id
     AND u.generation = s.generation AND u.is_disabled = 0
     LEFT JOIN user_role ur ON ur.owner = s.owner AND ur.user_id = s.user_id
     LEFT JOIN role r ON r.owner = ur.owner AND r.id = ur.role_id",
    "SELECT s.id, s.user_id, s.generation, s.began_with, s.user_agent, s.created_at, s.seen_at, s.expires_at, r.id, r.scopes
     FROM json_array_elements($1::text::json) w(value)
     JOIN user_session s ON s.owner = w.value ->> 0 AND s.id = w.value ->> 1
     JOIN organisation_user u ON u.owner = s.owner AND u.id = s.user_id
     AND u.generation = s.generation AND u.is_disabled = 0
     LEFT JOIN user_role ur ON ur.owner = s.owner AND ur.user_id = s.user_id
     LEFT JOIN role r ON r.owner = ur.owner AND r.id = ur.role_id",
);
const SEEN: Sql = Sql::same("UPDATE user_session SET seen_at = $1 WHERE owner = $2 AND id = $3");
/// Keeps a session when its user's generation is raised.
const RENEW: Sql = Sql::same(
    "UPDATE user_session SET generation =
     (SELECT u.generation FROM organisation_user u WHERE u.owner = user_session.owner AND u.id = user_session.user_id)
     WHERE owner = $1 AND id = $2",
);
const DELETE: Sql = Sql::same("DELETE FROM user_session WHERE owner = $1 AND id = $2");
const DELETE_OF_USER: Sql = Sql::same("DELETE FROM user_session WHERE owner = $1 AND user_id = $2");
/// Spans organisations: sessions that nobody has used for longer than any session lasts.
const DELETE_OLD: Sql = Sql::each(
    "DELETE FROM user_session WHERE (owner, id) IN (
         SELECT owner, id FROM user_session WHERE seen_at < $1 ORDER BY seen_at LIMIT $2)",
    "DELETE FROM user_session WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM user_session WHERE seen_at < $1 ORDER BY seen_at LIMIT $2))",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &INSERT,
    &BY_HASH,
    &GET,
    &PAGE.older,
    &PAGE.newer,
    &SOME,
    &SEEN,
    &RENEW,
    &DELETE,
    &DELETE_OF_USER,
    &DELETE_OLD,
];

/// A session without its secret.
#[derive(Clone)]
pub struct StoredSession {
    pub id: Id<Session>,
    pub user: Id<User>,
    pub generation: i64,
    pub began_with: BeganWith,
    pub user_agent: Option<String>,
    pub created_at: Timestamp,
    pub seen_at: Timestamp,
    pub expires_at: Timestamp,
}

pub async fn insert(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    session: &StoredSession,
    hash: [u8; 32],
) -> Result<()> {
    let values = [
        Owner::live(organisation).into(),
        session.id.into(),
        session.user.into(),
        hash.as_slice().into(),
        session.generation.into(),
        session.began_with.as_str().into(),
        session.user_agent.clone().into(),
        session.created_at.into(),
        session.seen_at.into(),
        session.expires_at.into(),
    ];
    tx.send(&INSERT, &values).await
}

/// Returns the session with this hash, unless its user is disabled or has ended it.
pub async fn by_hash(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    hash: [u8; 32],
) -> Result<Option<StoredSession>> {
    tx.one(&BY_HASH, &[Owner::live(organisation).into(), hash.as_slice().into()]).await?.map(read).transpose()
}

/// Returns the session, unless its user is disabled or has ended it.
pub async fn get(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    id: Id<Session>,
) -> Result<Option<StoredSession>> {
    tx.one(&GET, &[Owner::live(organisation).into(), id.into()]).await?.map(read).transpose()
}

/// Returns a page of the sessions of a user that have not ended: they expire after `now`, and were last used after `idle`.
pub async fn page(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    user: Id<User>,
    (now, idle): (Timestamp, Timestamp),
    start: &Start,
    limit: usize,
) -> Result<Page<StoredSession>> {
    let filters = [user.into(), now.into(), idle.into()];
    Page::read(tx, &PAGE, Owner::live(organisation).into(), &filters, start, limit).await?.try_map(read)
}

/// Spans organisations: returns those of the given sessions that have not been ended, with the roles of their users.
pub async fn some(
    tx: &mut Tx<'_>,
    sessions: &[(Id<Organisation>, Id<Session>)],
) -> Result<Vec<(StoredSession, Vec<StoredUserRole>)>> {
    if sessions.is_empty() {
        return Ok(Vec::new());
    }
    let name = |(owner, id): &(Id<Organisation>, Id<Session>)| [owner.to_string(), id.to_string()];
    let names: Vec<[String; 2]> = sessions.iter().map(name).collect();
    let mut found: Vec<(StoredSession, Vec<StoredUserRole>)> = Vec::new();
    for mut row in tx.all(&SOME, &[serde_json::json!(names).to_string().into()]).await? {
        let role = match row.id_or_null(8)? {
            Some(id) => Some(StoredUserRole { id, scopes: row.text(9)? }),
            None => None,
        };
        let session = read(row)?;
        match found.iter_mut().find(|(known, _)| known.id == session.id) {
            Some((_, roles)) => roles.extend(role),
            None => found.push((session, role.into_iter().collect())),
        }
    }
    Ok(found)
}

/// Records that the session was used.
pub async fn set_seen(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    id: Id<Session>,
    now: Timestamp,
) -> Result<()> {
    tx.send(&SEEN, &[now.into(), Owner::live(organisation).into(), id.into()]).await
}

/// Lets the session go on in the present generation of its user.
pub async fn renew(tx: &mut Tx<'_>, organisation: Id<Organisation>, id: Id<Session>) -> Result<()> {
    tx.send(&RENEW, &[Owner::live(organisation).into(), id.into()]).await
}

pub async fn delete(tx: &mut Tx<'_>, organisation: Id<Organisation>, id: Id<Session>) -> Result<()> {
    tx.send(&DELETE, &[Owner::live(organisation).into(), id.into()]).await
}

pub async fn delete_of_user(tx: &mut Tx<'_>, organisation: Id<Organisation>, user: Id<User>) -> Result<()> {
    tx.send(&DELETE_OF_USER, &[Owner::live(organisation).into(), user.into()]).await
}

/// Spans organisations: deletes at most `limit` sessions that were last used before the moment. Returns how many.
pub async fn delete_old(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_OLD, &[before.into(), limit.into()]).await
}

fn read(mut row: Row) -> Result<StoredSession> {
    let began_with = row.text(3)?;
    Ok(StoredSession {
        id: row.id(0)?,
        user: row.id(1)?,
        generation: row.int(2)?,
        began_with: BeganWith::parse(&began_with).ok_or_else(|| Error::fault("unknown way to sign in"))?,
        user_agent: row.text_or_null(4)?,
        created_at: row.moment(5)?,
        seen_at: row.moment(6)?,
        expires_at: row.moment(7)?,
    })
}
