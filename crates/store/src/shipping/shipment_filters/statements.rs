//! The statements of filtered lists of shipments: a pair for each filter that may drive, all with the same probes.

use crate::platform::engine::Sql;
use crate::platform::page::PageSql;

/// The columns of a shipment, and those that the driver of a list reads.
macro_rules! select {
    () => {
        "SELECT s.id, s.version, s.status, s.doc, s.batch_id, s.packages_count, s.errors_count, s.chosen, s.label_pending FROM "
    };
}

/// What every statement probes. `$10` and `$12` list facets as JSON: those that the shipment must have, of which `$11` is
/// the number, and those that it must not have. Other values are null if they are not filtered by.
macro_rules! probes {
    (sqlite) => {
        probes!("IN (SELECT value FROM json_each($10))", "IN (SELECT value FROM json_each($12))")
    };
    (postgres) => {
        probes!(
            "= ANY (ARRAY(SELECT jsonb_array_elements_text($10::text::jsonb)))",
            "= ANY (ARRAY(SELECT jsonb_array_elements_text($12::text::jsonb)))"
        )
    };
    ($wanted:literal, $unwanted:literal) => {
        concat!(
            " AND (CAST($5 AS TEXT) IS NULL OR s.status = $5)
             AND (CAST($6 AS TEXT) IS NULL OR s.batch_id = $6)
             AND (CAST($7 AS TEXT) IS NULL OR s.origin_id = $7)
             AND (CAST($8 AS BIGINT) IS NULL OR s.purchased_at > $8)
             AND (CAST($9 AS BIGINT) IS NULL OR s.purchased_at < $9)
             AND (SELECT count(*) FROM shipment_facet f WHERE f.owner = $1 AND f.shipment_id = s.id AND f.facet ",
            $wanted,
            ") = $11 AND (SELECT count(*) FROM shipment_facet f
                 WHERE f.owner = $1 AND f.shipment_id = s.id AND f.facet ",
            $unwanted,
            ") = 0"
        )
    };
}

/// Newest first, within the ids from after `$3` to before `$4`. `$from` begins with a condition, `$driver` is one more.
macro_rules! older {
    ($engine:ident, $from:literal, $driver:literal) => {
        older!($engine, $from, "s.id", $driver, "$13")
    };
    ($engine:ident, $from:literal, $key:literal, $driver:literal, $limit:literal) => {
        concat!(
            select!(),
            $from,
            " AND ",
            $key,
            " < $2 AND ",
            $key,
            " > $3 AND ",
            $key,
            " < $4",
            probes!($engine),
            $driver,
            " ORDER BY ",
            $key,
            " DESC LIMIT ",
            $limit
        )
    };
}

/// Oldest first.
macro_rules! newer {
    ($engine:ident, $from:literal, $driver:literal) => {
        newer!($engine, $from, "s.id", $driver, "$13")
    };
    ($engine:ident, $from:literal, $key:literal, $driver:literal, $limit:literal) => {
        concat!(
            select!(),
            $from,
            " AND ",
            $key,
            " > $2 AND ",
            $key,
            " > $3 AND ",
            $key,
            " < $4",
            probes!($engine),
            $driver,
            " ORDER BY ",
            $key,
            " LIMIT ",
            $limit
        )
    };
}

/// Nothing narrows the list down but the times of creation.
pub const ANY: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "shipment s WHERE s.owner = $1", ""),
        older!(postgres, "shipment s WHERE s.owner = $1", ""),
    ),
    newer: Sql::each(
        newer!(sqlite, "shipment s WHERE s.owner = $1", ""),
        newer!(postgres, "shipment s WHERE s.owner = $1", ""),
    ),
};
pub const BY_STATUS: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "shipment s WHERE s.owner = $1", " AND s.status = $5"),
        older!(postgres, "shipment s WHERE s.owner = $1", " AND s.status = $5"),
    ),
    newer: Sql::each(
        newer!(sqlite, "shipment s WHERE s.owner = $1", " AND s.status = $5"),
        newer!(postgres, "shipment s WHERE s.owner = $1", " AND s.status = $5"),
    ),
};
pub const BY_BATCH: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "shipment s WHERE s.owner = $1", " AND s.batch_id = $6"),
        older!(postgres, "shipment s WHERE s.owner = $1", " AND s.batch_id = $6"),
    ),
    newer: Sql::each(
        newer!(sqlite, "shipment s WHERE s.owner = $1", " AND s.batch_id = $6"),
        newer!(postgres, "shipment s WHERE s.owner = $1", " AND s.batch_id = $6"),
    ),
};
/// SQLite would rather use the index of pinned versions, which does not sort by id.
pub const BY_LOCATION: PageSql = PageSql {
    older: Sql::each(
        older!(
            sqlite,
            "shipment s INDEXED BY shipment_by_location WHERE s.owner = $1",
            " AND s.origin_id = $7"
        ),
        older!(postgres, "shipment s WHERE s.owner = $1", " AND s.origin_id = $7"),
    ),
    newer: Sql::each(
        newer!(
            sqlite,
            "shipment s INDEXED BY shipment_by_location WHERE s.owner = $1",
            " AND s.origin_id = $7"
        ),
        newer!(postgres, "shipment s WHERE s.owner = $1", " AND s.origin_id = $7"),
    ),
};
/// Reads the range of times and sorts what is left of it. SQLite would rather follow the ids through all shipments.
pub const BY_PURCHASED: PageSql = PageSql {
    older: Sql::each(
        older!(
            sqlite,
            "shipment s INDEXED BY shipment_by_purchased WHERE s.owner = $1",
            " AND s.purchased_at > $8 AND s.purchased_at < $9"
        ),
        older!(postgres, "shipment s WHERE s.owner = $1", " AND s.purchased_at > $8 AND s.purchased_at < $9"),
    ),
    newer: Sql::each(
        newer!(
            sqlite,
            "shipment s INDEXED BY shipment_by_purchased WHERE s.owner = $1",
            " AND s.purchased_at > $8 AND s.purchased_at < $9"
        ),
        newer!(postgres, "shipment s WHERE s.owner = $1", " AND s.purchased_at > $8 AND s.purchased_at < $9"),
    ),
};
/// `$13` is the facet.
pub const BY_FACET: PageSql = PageSql {
    older: Sql::each(
        older!(
            sqlite,
            "shipment_facet d CROSS JOIN shipment s WHERE d.owner = $1 AND s.owner = $1 AND s.id = d.shipment_id",
            "d.shipment_id",
            " AND d.facet = $13",
            "$14"
        ),
        older!(
            postgres,
            "shipment_facet d CROSS JOIN shipment s WHERE d.owner = $1 AND s.owner = $1 AND s.id = d.shipment_id",
            "d.shipment_id",
            " AND d.facet = $13",
            "$14"
        ),
    ),
    newer: Sql::each(
        newer!(
            sqlite,
            "shipment_facet d CROSS JOIN shipment s WHERE d.owner = $1 AND s.owner = $1 AND s.id = d.shipment_id",
            "d.shipment_id",
            " AND d.facet = $13",
            "$14"
        ),
        newer!(
            postgres,
            "shipment_facet d CROSS JOIN shipment s WHERE d.owner = $1 AND s.owner = $1 AND s.id = d.shipment_id",
            "d.shipment_id",
            " AND d.facet = $13",
            "$14"
        ),
    ),
};

pub(crate) const STATEMENTS: &[&Sql] = &[
    &ANY.older,
    &ANY.newer,
    &BY_STATUS.older,
    &BY_STATUS.newer,
    &BY_BATCH.older,
    &BY_BATCH.newer,
    &BY_LOCATION.older,
    &BY_LOCATION.newer,
    &BY_PURCHASED.older,
    &BY_PURCHASED.newer,
    &BY_FACET.older,
    &BY_FACET.newer,
];
