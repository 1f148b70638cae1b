//! Where post codes are, as the operator imported them. They belong to the installation, not to an organisation.

use std::collections::BTreeSet;

use model::Result;

use crate::engine::{Sql, Tx, Value};

/// Spans organisations: all may look things up here, none owns it.
const PUT: Sql = Sql::same(
    "INSERT INTO postal_place (owner, country_code, post_code, latitude, longitude, spread)
     VALUES ('*', $1, $2, $3, $4, $5)
     ON CONFLICT (owner, country_code, post_code) DO UPDATE
     SET latitude = excluded.latitude, longitude = excluded.longitude, spread = excluded.spread",
);
/// `$2` lists the post codes as JSON.
const FIND: Sql = Sql::each(
    "SELECT post_code, latitude, longitude, spread FROM postal_place
     WHERE owner = '*' AND country_code = $1 AND post_code IN (SELECT value FROM json_each($2))",
    "SELECT post_code, latitude, longitude, spread FROM postal_place
     WHERE owner = '*' AND country_code = $1
     AND post_code IN (SELECT jsonb_array_elements_text($2::text::jsonb))",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&PUT, &FIND];

/// A post code's middle and extent, in millionths of a degree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub latitude: i64,
    pub longitude: i64,
    pub spread: i64,
}

pub async fn put(tx: &mut Tx<'_>, country: &str, post_code: &str, area: Area) -> Result<()> {
    let values: [Value; 5] =
        [country.into(), post_code.into(), area.latitude.into(), area.longitude.into(), area.spread.into()];
    tx.execute(&PUT, &values).await.map(drop)
}

/// The post codes of a country that are known, out of these.
pub async fn find(tx: &mut Tx<'_>, country: &str, codes: &BTreeSet<String>) -> Result<Vec<(String, Area)>> {
    let codes = serde_json::Value::from_iter(codes.iter().map(String::as_str)).to_string();
    let rows = tx.all(&FIND, &[country.into(), codes.into()]).await?;
    rows.into_iter()
        .map(|mut row| {
            Ok((row.text(0)?, Area { latitude: row.int(1)?, longitude: row.int(2)?, spread: row.int(3)? }))
        })
        .collect()
}
