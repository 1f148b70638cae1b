//! The coordinates of post codes, as the operator imported them. They belong to the installation, not to an
//! organisation.

use std::collections::BTreeSet;

use model::Result;
use model::places::geo::PostalArea;
use serde_json::json;

use crate::platform::engine::{Sql, Tx, Value, wanted};

/// Spans organisations: all of them may read these rows, none owns them. `$1` lists the rows as JSON, so that
/// importing hundreds of thousands does not take a round trip for each.
const PUT: Sql = Sql::each(
    "INSERT INTO postal_place (owner, country_code, post_code, latitude, longitude, spread)
     SELECT '*', value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each($1) WHERE true
     ON CONFLICT (owner, country_code, post_code) DO UPDATE
     SET latitude = excluded.latitude, longitude = excluded.longitude, spread = excluded.spread",
    "INSERT INTO postal_place (owner, country_code, post_code, latitude, longitude, spread)
     SELECT '*', value ->> 0, value ->> 1, (value ->> 2)::bigint, (value ->> 3)::bigint, (value ->> 4)::bigint
     FROM jsonb_array_elements($1::text::jsonb)
     ON CONFLICT (owner, country_code, post_code) DO UPDATE
     SET latitude = excluded.latitude, longitude = excluded.longitude, spread = excluded.spread",
);
/// `$2` lists the post codes as JSON.
const FIND: Sql = Sql::each(
    "SELECT post_code, latitude, longitude, spread FROM postal_place
     WHERE owner = '*' AND country_code = $1 AND post_code IN (SELECT value FROM json_each($2))",
    concat!(
        "SELECT p.* FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT post_code, latitude, longitude, spread FROM postal_place
             WHERE owner = '*' AND country_code = $1 AND post_code = wanted.id OFFSET 0) p"
    ),
);

pub(crate) const STATEMENTS: &[&Sql] = &[&PUT, &FIND];

/// The centre and the extent of a post code's area, in millionths of a degree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub latitude: i64,
    pub longitude: i64,
    pub spread: i64,
}

/// Inserts or replaces areas. A post code may appear only once in the list.
pub async fn put(tx: &mut Tx<'_>, areas: &[PostalArea]) -> Result<()> {
    let rows = areas.iter().map(|area| {
        json!([area.country.as_str(), area.post_code, area.latitude, area.longitude, area.spread])
    });
    let rows = Value::Text(serde_json::Value::from_iter(rows).to_string());
    tx.send(&PUT, &[rows]).await
}

/// Returns the areas of those of the post codes that are known.
pub async fn find(tx: &mut Tx<'_>, country: &str, codes: &BTreeSet<String>) -> Result<Vec<(String, Area)>> {
    let codes = serde_json::Value::from_iter(codes.iter().map(String::as_str)).to_string();
    let rows = tx.all(&FIND, &[country.into(), codes.into()]).await?;
    rows.into_iter()
        .map(|mut row| {
            Ok((row.text(0)?, Area { latitude: row.int(1)?, longitude: row.int(2)?, spread: row.int(3)? }))
        })
        .collect()
}
