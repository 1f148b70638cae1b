//! Which user a subject of an identity provider signs in as. The rows belong to the organisation's live world.

use model::{Id, Organisation, Owner, Result, Timestamp, User};

use crate::platform::engine::{Sql, Tx};

const GET: Sql =
    Sql::same("SELECT user_id FROM user_identity WHERE owner = $1 AND issuer = $2 AND subject = $3");
const OF_USER: Sql =
    Sql::same("SELECT subject FROM user_identity WHERE owner = $1 AND user_id = $2 AND issuer = $3");
const INSERT: Sql = Sql::same(
    "INSERT INTO user_identity (owner, issuer, subject, user_id, created_at) VALUES ($1, $2, $3, $4, $5)",
);
const DELETE_OF_USER: Sql = Sql::same("DELETE FROM user_identity WHERE owner = $1 AND user_id = $2");

pub(crate) const STATEMENTS: &[&Sql] = &[&GET, &OF_USER, &INSERT, &DELETE_OF_USER];

/// A subject of an identity provider.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub issuer: &'a str,
    pub name: &'a str,
}

/// Returns the user that the subject signs in as.
pub async fn get(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    subject: Subject<'_>,
) -> Result<Option<Id<User>>> {
    let values = [Owner::live(organisation).into(), subject.issuer.into(), subject.name.into()];
    tx.one(&GET, &values).await?.map(|mut row| row.id(0)).transpose()
}

/// Returns whether a subject of the issuer signs in as the user.
pub async fn is_linked(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    user: Id<User>,
    issuer: &str,
) -> Result<bool> {
    let values = [Owner::live(organisation).into(), user.into(), issuer.into()];
    Ok(tx.one(&OF_USER, &values).await?.is_some())
}

pub async fn insert(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    subject: Subject<'_>,
    user: Id<User>,
    now: Timestamp,
) -> Result<()> {
    let owner = Owner::live(organisation);
    let values = [owner.into(), subject.issuer.into(), subject.name.into(), user.into(), now.into()];
    tx.send(&INSERT, &values).await
}

pub async fn delete_of_user(tx: &mut Tx<'_>, organisation: Id<Organisation>, user: Id<User>) -> Result<()> {
    tx.send(&DELETE_OF_USER, &[Owner::live(organisation).into(), user.into()]).await
}
