//! The terms by which a search finds resources. They are written in the transaction that changes the resource.
//!
//! A resource without terms has no rows here, so that writing it costs no statement.

use std::collections::BTreeSet;

use model::platform::id::Kind;
use model::{Error, Id, Owner, Result};

use crate::platform::engine::{Sql, Tx, Value};

/// `$4` lists the terms as JSON.
const INSERT: Sql = Sql::each(
    "INSERT INTO search_term (owner, kind, age, term) SELECT $1, $2, $3, value FROM json_each($4) WHERE true
     ON CONFLICT DO NOTHING",
    "INSERT INTO search_term (owner, kind, age, term)
     SELECT $1, $2, $3, term FROM jsonb_array_elements_text($4::text::jsonb) AS list (term) ON CONFLICT DO NOTHING",
);
/// `$4` lists the terms as JSON.
const DELETE: Sql = Sql::each(
    "DELETE FROM search_term WHERE owner = $1 AND kind = $2 AND age = $3 AND term IN (SELECT value FROM json_each($4))",
    "DELETE FROM search_term WHERE owner = $1 AND kind = $2 AND age = $3
     AND term = ANY (ARRAY(SELECT jsonb_array_elements_text($4::text::jsonb)))",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &DELETE];

/// Returns the text that sorts resources with the same term, the newest first: the inverted id without its prefix.
pub(crate) fn age<K: Kind>(id: Id<K>) -> String {
    let text = id.reversed().to_string();
    text.split_once('_').map_or_else(String::new, |(_, body)| body.to_owned())
}

/// Returns the id that [`age`] made the text of.
pub(crate) fn id_of(kind: &str, age: &str) -> Result<String> {
    /// Any kind: only the bits are converted.
    enum Body {}
    impl Kind for Body {
        const PREFIX: &'static str = "";
    }
    let id = Id::<Body>::parse(&format!("_{age}")).ok_or_else(|| Error::fault("a search term has no id"))?;
    Ok(format!("{kind}{}", id.reversed()))
}

pub(crate) async fn insert<K: Kind>(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<K>,
    terms: impl Iterator<Item = &String>,
) -> Result<()> {
    send(tx, &INSERT, owner, id, terms).await
}

pub(crate) async fn delete<K: Kind>(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<K>,
    terms: impl Iterator<Item = &String>,
) -> Result<()> {
    send(tx, &DELETE, owner, id, terms).await
}

/// Writes the terms in which a changed resource differs.
pub(crate) async fn replace<K: Kind>(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<K>,
    old: &BTreeSet<String>,
    new: &BTreeSet<String>,
) -> Result<()> {
    delete(tx, owner, id, old.difference(new)).await?;
    insert(tx, owner, id, new.difference(old)).await
}

async fn send<K: Kind>(
    tx: &mut Tx<'_>,
    sql: &Sql,
    owner: Owner,
    id: Id<K>,
    terms: impl Iterator<Item = &String>,
) -> Result<()> {
    let terms = serde_json::Value::from_iter(terms.map(String::as_str));
    if terms.as_array().is_none_or(Vec::is_empty) {
        return Ok(());
    }
    let values = [owner.into(), K::PREFIX.into(), age(id).into(), Value::Text(terms.to_string())];
    tx.send(sql, &values).await
}

#[cfg(test)]
mod tests {
    use super::*;

    enum Any {}

    impl Kind for Any {
        const PREFIX: &'static str = "ord";
    }

    #[test]
    fn ages_sort_the_newest_first_and_name_their_resource() {
        let (old, new) = (Id::<Any>::from_bits(7 << 80), Id::<Any>::from_bits(8 << 80));
        assert!(age(new) < age(old));
        assert_eq!(id_of("ord", &age(old)).unwrap(), old.to_string());
        assert!(id_of("ord", "x").is_err());
    }
}
