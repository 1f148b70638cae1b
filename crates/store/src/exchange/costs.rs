//! Sums for the cost report. The database adds up a bounded number of rows at a time, all of them in the index
//! `shipment_by_purchased`, so that a report over a million shipments needs little memory on either engine: SQLite sorts the rows
//! of a statement in memory to group them.

use model::exchange::cost_report::{Charges, Period};
use model::{Day, Error, Id, Location, Owner, Result, Timestamp};
use serde_json::json;

use crate::platform::engine::{Row, Sql, Tx, Value, wanted};
use crate::stock::inventory_items::id_list;

/// The last purchase of the chunk that follows `$2` and `$3`. None if fewer purchases are left.
const CHUNK_END: Sql = Sql::same(
    "SELECT purchased_at, id FROM shipment
     WHERE owner = $1 AND purchased_at >= $2 AND (purchased_at, id) > ($2, $3) AND purchased_at < $4
     ORDER BY purchased_at, id LIMIT 1 OFFSET $5",
);

/// The sums of a group. `$1` and `$2` say whether services and locations make groups.
macro_rules! shipment_sums {
    () => {
        "cost_currency, CASE WHEN CAST($1 AS BIGINT) = 1 THEN chosen END, CASE WHEN CAST($2 AS BIGINT) = 1 THEN origin_id END,
         count(*), CAST(coalesce(sum(cost_amount), 0) AS BIGINT), CAST(sum(CASE WHEN status = 'voided' THEN 1 ELSE 0 END) AS BIGINT),
         CAST(coalesce(sum(CASE WHEN status = 'voided' THEN cost_amount ELSE 0 END), 0) AS BIGINT)"
    };
}
/// As [`shipment_sums!`].
macro_rules! duplicate_sums {
    () => {
        "cost_currency, CASE WHEN CAST($1 AS BIGINT) = 1 THEN chosen END, CASE WHEN CAST($2 AS BIGINT) = 1 THEN origin_id END,
         count(*), CAST(coalesce(sum(cost_amount), 0) AS BIGINT), CAST(sum(is_voided) AS BIGINT),
         CAST(coalesce(sum(CASE WHEN is_voided = 1 THEN cost_amount ELSE 0 END), 0) AS BIGINT)"
    };
}
/// In the text for PostgreSQL, the periods that `$3` lists as JSON: each with its day, its begin and its end.
macro_rules! periods {
    () => {
        "(SELECT value ->> 0 AS day, (value ->> 1)::bigint AS begins_at, (value ->> 2)::bigint AS ends_at
          FROM jsonb_array_elements($3::text::jsonb) AS list (value)) period"
    };
}

/// The sums of each period, of the purchases after `$5` and `$6`, up to and with `$7` and `$8`.
const SHIPMENTS: Sql = Sql::each(
    concat!(
        "SELECT period.value ->> 0, ",
        shipment_sums!(),
        " FROM json_each($3) AS period
         CROSS JOIN shipment s ON s.owner = $4 AND s.purchased_at >= period.value ->> 1 AND s.purchased_at < period.value ->> 2
             AND (s.purchased_at, s.id) > ($5, $6) AND (s.purchased_at, s.id) <= ($7, $8)
         GROUP BY 1, 2, 3, 4"
    ),
    concat!(
        "SELECT period.day, sums.* FROM ",
        periods!(),
        " CROSS JOIN LATERAL (SELECT ",
        shipment_sums!(),
        " FROM shipment
         WHERE owner = $4 AND purchased_at >= period.begins_at AND purchased_at < period.ends_at
             AND (purchased_at, id) > ($5, $6) AND (purchased_at, id) <= ($7, $8)
         GROUP BY 1, 2, 3) sums"
    ),
);
/// The sums of each period, of labels that were bought twice. They are few.
const DUPLICATES: Sql = Sql::each(
    concat!(
        "SELECT period.value ->> 0, ",
        duplicate_sums!(),
        " FROM json_each($3) AS period
         CROSS JOIN duplicate_charge d
             ON d.owner = $4 AND d.purchased_at >= period.value ->> 1 AND d.purchased_at < period.value ->> 2
         GROUP BY 1, 2, 3, 4"
    ),
    concat!(
        "SELECT period.day, sums.* FROM ",
        periods!(),
        " CROSS JOIN LATERAL (SELECT ",
        duplicate_sums!(),
        " FROM duplicate_charge
         WHERE owner = $4 AND purchased_at >= period.begins_at AND purchased_at < period.ends_at
         GROUP BY 1, 2, 3) sums"
    ),
);
/// `$2` lists ids as JSON.
const LOCATION_NAMES: Sql = Sql::each(
    "SELECT id, json_extract(doc, '$.name') FROM location
     WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id",
    concat!(
        "SELECT l.id, replace(l.doc, '\\u0000', '\\u0001')::json ->> 'name' FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT id, doc FROM location WHERE owner = $1 AND id = wanted.id OFFSET 0) l"
    ),
);

pub(crate) const STATEMENTS: &[&Sql] = &[&CHUNK_END, &SHIPMENTS, &DUPLICATES, &LOCATION_NAMES];

/// A purchase's place in the order in which the report reads them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PurchasePlace {
    pub purchased_at: Timestamp,
    /// The shipment's id. Empty before all purchases of the moment.
    pub id: String,
}

/// Whether services and locations make groups.
#[derive(Clone, Copy, Debug)]
pub struct SumsBy {
    pub service: bool,
    pub location: bool,
}

/// The sums of one group in a part of the time.
#[derive(Clone, Debug, PartialEq)]
pub struct CostSums {
    pub day: Day,
    pub currency: Option<String>,
    /// The service as `carrier/service/account`.
    pub chosen: Option<String>,
    pub location: Option<Id<Location>>,
    pub charges: Charges,
}

/// Returns the last of the next `rows` purchases after a place. `None` if fewer are left before `end`.
pub async fn chunk_end(
    tx: &mut Tx<'_>,
    owner: Owner,
    after: &PurchasePlace,
    end: Timestamp,
    rows: i64,
) -> Result<Option<PurchasePlace>> {
    let values =
        [owner.into(), after.purchased_at.into(), after.id.as_str().into(), end.into(), Value::Int(rows - 1)];
    let read = |mut row: Row| Ok(PurchasePlace { purchased_at: row.moment(0)?, id: row.text(1)? });
    tx.one(&CHUNK_END, &values).await?.map(read).transpose()
}

/// Returns the sums of the purchases after a place, up to and with another one.
pub async fn shipment_sums(
    tx: &mut Tx<'_>,
    owner: Owner,
    by: SumsBy,
    periods: &[Period],
    (after, last): (&PurchasePlace, &PurchasePlace),
) -> Result<Vec<CostSums>> {
    let mut values = first_values(owner, by, &within(periods, after, last));
    values.extend([after.purchased_at.into(), after.id.as_str().into()]);
    values.extend([last.purchased_at.into(), last.id.as_str().into()]);
    let read = |row: Row| {
        let (mut sums, count, voided_count) = read_sums(row)?;
        (sums.charges.shipments_count, sums.charges.voided_count) = (count, voided_count);
        Ok(sums)
    };
    tx.all(&SHIPMENTS, &values).await?.into_iter().map(read).collect()
}

/// Returns the sums of labels that were bought twice, by when their shipments were bought.
pub async fn duplicate_sums(
    tx: &mut Tx<'_>,
    owner: Owner,
    by: SumsBy,
    periods: &[Period],
) -> Result<Vec<CostSums>> {
    let read = |row: Row| {
        let (mut sums, count, _) = read_sums(row)?;
        sums.charges.duplicates_count = count;
        Ok(sums)
    };
    tx.all(&DUPLICATES, &first_values(owner, by, periods)).await?.into_iter().map(read).collect()
}

/// Returns the names of those locations that still exist.
pub async fn location_names(
    tx: &mut Tx<'_>,
    owner: Owner,
    ids: &[Id<Location>],
) -> Result<Vec<(Id<Location>, String)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = tx.all(&LOCATION_NAMES, &[owner.into(), id_list(ids)]).await?;
    rows.into_iter().map(|mut row| Ok((row.id(0)?, row.text(1)?))).collect()
}

/// Returns the parts of periods between two places, so that a statement reads only their part of the index.
fn within(periods: &[Period], after: &PurchasePlace, last: &PurchasePlace) -> Vec<Period> {
    let end = Timestamp::from_micros(last.purchased_at.as_micros().saturating_add(1));
    let part = |period: &Period| Period {
        date: period.date,
        begins_at: period.begins_at.max(after.purchased_at),
        ends_at: period.ends_at.min(end),
    };
    periods.iter().map(part).filter(|part| part.begins_at < part.ends_at).collect()
}

fn first_values(owner: Owner, by: SumsBy, periods: &[Period]) -> Vec<Value> {
    let period =
        |part: &Period| json!([part.date.to_string(), part.begins_at.as_micros(), part.ends_at.as_micros()]);
    let list = json!(periods.iter().map(period).collect::<Vec<_>>()).to_string();
    vec![Value::Int(by.service.into()), Value::Int(by.location.into()), list.into(), owner.into()]
}

/// Reads the sums of a row, how many it counts, and how many of them are voided.
fn read_sums(mut row: Row) -> Result<(CostSums, i64, i64)> {
    let day = Day::parse(&row.text(0)?).ok_or_else(|| Error::fault("a sum of costs has no day"))?;
    let (charged, voided) = (row.int(5)?, row.int(7)?);
    let charges = Charges { charged, voided, net: charged - voided, ..Charges::default() };
    let (count, voided_count) = (row.int(4)?, row.int(6)?);
    let sums = CostSums {
        day,
        currency: row.text_or_null(1)?,
        chosen: row.text_or_null(2)?,
        location: row.id_or_null(3)?,
        charges,
    };
    Ok((sums, count, voided_count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_cut_to_the_purchases_of_a_chunk() {
        let at = Timestamp::from_micros;
        let period = |day: &str, from, to| Period {
            date: Day::parse(day).unwrap(),
            begins_at: at(from),
            ends_at: at(to),
        };
        let days = [period("2026-11-01", 0, 10), period("2026-11-02", 10, 20), period("2026-11-03", 20, 30)];
        let place = |micros| PurchasePlace { purchased_at: at(micros), id: "shp_1".to_owned() };
        let cut = |from, to| within(&days, &place(from), &place(to));
        assert_eq!(cut(0, 29), days);
        assert_eq!(cut(4, 10), [period("2026-11-01", 4, 10), period("2026-11-02", 10, 11)]);
        assert_eq!(cut(12, 12), [period("2026-11-02", 12, 13)]);
    }
}
