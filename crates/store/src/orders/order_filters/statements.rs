//! The statements of filtered lists of orders: a pair for each filter that may drive, all with the same probes.

use crate::platform::engine::Sql;
use crate::platform::page::PageSql;

/// What every statement probes, in SQLite's dialect. `$11` and `$13` list facets as JSON: those that the order must
/// have, of which `$12` is the number, and those that it must not have. Other values are null if they are not filtered by.
macro_rules! probes {
    (sqlite) => {
        concat!(probes!(columns), probes!(facets "IN (SELECT value FROM json_each($11))", "IN (SELECT value FROM json_each($13))"))
    };
    (postgres) => {
        concat!(
            probes!(columns),
            probes!(facets
                "= ANY (ARRAY(SELECT jsonb_array_elements_text($11::text::jsonb)))",
                "= ANY (ARRAY(SELECT jsonb_array_elements_text($13::text::jsonb)))")
        )
    };
    (columns) => {
        " AND (CAST($3 AS TEXT) IS NULL OR o.status = $3)
         AND (CAST($4 AS TEXT) IS NULL OR o.reference = $4)
         AND (CAST($5 AS TEXT) IS NULL OR o.fulfilment_status = $5)
         AND (CAST($6 AS BIGINT) IS NULL OR o.placed_at > $6)
         AND (CAST($7 AS BIGINT) IS NULL OR o.placed_at < $7)
         AND (CAST($8 AS BIGINT) IS NULL OR o.ship_by < $8)
         AND (CAST($9 AS TEXT) IS NULL OR (SELECT 1 FROM allocation a
             WHERE a.owner = $1 AND a.location_id = $9 AND a.order_id = o.id LIMIT 1) = 1)
         AND (CAST($10 AS TEXT) IS NULL OR (SELECT 1 FROM order_line l
             WHERE l.owner = $1 AND l.order_id = o.id AND l.item_id = $10 LIMIT 1) = 1)"
    };
    (facets $wanted:literal, $unwanted:literal) => {
        concat!(
            " AND (SELECT count(*) FROM order_facet f WHERE f.owner = $1 AND f.order_id = o.id AND f.facet ", $wanted, ") = $12
         AND (SELECT count(*) FROM order_facet f WHERE f.owner = $1 AND f.order_id = o.id AND f.facet ", $unwanted, ") = 0"
        )
    };
}

/// Newest first. `$from` begins with a condition, `$key` is the id in the index that drives, `$driver` is one more
/// condition, and `$limit` is the number of the last value.
macro_rules! older {
    ($engine:ident, $from:literal, $key:literal, $driver:literal, $limit:literal) => {
        concat!(
            "SELECT o.id, o.doc, o.ship_by, o.placed_at FROM ",
            $from,
            " AND ",
            $key,
            " < $2",
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
    ($engine:ident, $from:literal, $key:literal, $driver:literal, $limit:literal) => {
        concat!(
            "SELECT o.id, o.doc, o.ship_by, o.placed_at FROM ",
            $from,
            " AND ",
            $key,
            " > $2",
            probes!($engine),
            $driver,
            " ORDER BY ",
            $key,
            " LIMIT ",
            $limit
        )
    };
}

pub const PAGE: PageSql = PageSql {
    older: Sql::same("SELECT id, doc FROM orders WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3"),
    newer: Sql::same("SELECT id, doc FROM orders WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3"),
};
/// Nothing narrows the list down.
pub const ANY: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "orders o WHERE o.owner = $1", "o.id", "", "$14"),
        older!(postgres, "orders o WHERE o.owner = $1", "o.id", "", "$14"),
    ),
    newer: Sql::each(
        newer!(sqlite, "orders o WHERE o.owner = $1", "o.id", "", "$14"),
        newer!(postgres, "orders o WHERE o.owner = $1", "o.id", "", "$14"),
    ),
};
pub const BY_STATUS: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "orders o WHERE o.owner = $1", "o.id", " AND o.status = $3", "$14"),
        older!(postgres, "orders o WHERE o.owner = $1", "o.id", " AND o.status = $3", "$14"),
    ),
    newer: Sql::each(
        newer!(sqlite, "orders o WHERE o.owner = $1", "o.id", " AND o.status = $3", "$14"),
        newer!(postgres, "orders o WHERE o.owner = $1", "o.id", " AND o.status = $3", "$14"),
    ),
};
pub const BY_REFERENCE: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "orders o WHERE o.owner = $1", "o.id", " AND o.reference = $4", "$14"),
        older!(postgres, "orders o WHERE o.owner = $1", "o.id", " AND o.reference = $4", "$14"),
    ),
    newer: Sql::each(
        newer!(sqlite, "orders o WHERE o.owner = $1", "o.id", " AND o.reference = $4", "$14"),
        newer!(postgres, "orders o WHERE o.owner = $1", "o.id", " AND o.reference = $4", "$14"),
    ),
};
pub const BY_FULFILMENT: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "orders o WHERE o.owner = $1", "o.id", " AND o.fulfilment_status = $5", "$14"),
        older!(postgres, "orders o WHERE o.owner = $1", "o.id", " AND o.fulfilment_status = $5", "$14"),
    ),
    newer: Sql::each(
        newer!(sqlite, "orders o WHERE o.owner = $1", "o.id", " AND o.fulfilment_status = $5", "$14"),
        newer!(postgres, "orders o WHERE o.owner = $1", "o.id", " AND o.fulfilment_status = $5", "$14"),
    ),
};
/// Reads the range of times and sorts what is left of it. SQLite would rather follow the ids through all orders.
pub const BY_PLACED: PageSql = PageSql {
    older: Sql::each(
        older!(
            sqlite,
            "orders o INDEXED BY orders_by_placed WHERE o.owner = $1",
            "o.id",
            " AND o.placed_at > $6 AND o.placed_at < $7",
            "$14"
        ),
        older!(
            postgres,
            "orders o WHERE o.owner = $1",
            "o.id",
            " AND o.placed_at > $6 AND o.placed_at < $7",
            "$14"
        ),
    ),
    newer: Sql::each(
        newer!(
            sqlite,
            "orders o INDEXED BY orders_by_placed WHERE o.owner = $1",
            "o.id",
            " AND o.placed_at > $6 AND o.placed_at < $7",
            "$14"
        ),
        newer!(
            postgres,
            "orders o WHERE o.owner = $1",
            "o.id",
            " AND o.placed_at > $6 AND o.placed_at < $7",
            "$14"
        ),
    ),
};
/// As [`BY_PLACED`].
pub const BY_SHIP_BY: PageSql = PageSql {
    older: Sql::each(
        older!(
            sqlite,
            "orders o INDEXED BY orders_by_ship_by WHERE o.owner = $1",
            "o.id",
            " AND o.ship_by < $8",
            "$14"
        ),
        older!(postgres, "orders o WHERE o.owner = $1", "o.id", " AND o.ship_by < $8", "$14"),
    ),
    newer: Sql::each(
        newer!(
            sqlite,
            "orders o INDEXED BY orders_by_ship_by WHERE o.owner = $1",
            "o.id",
            " AND o.ship_by < $8",
            "$14"
        ),
        newer!(postgres, "orders o WHERE o.owner = $1", "o.id", " AND o.ship_by < $8", "$14"),
    ),
};
/// An order may have several allocations at the location: the first of them stands for it.
pub const BY_LOCATION: PageSql = PageSql {
    older: Sql::each(
        older!(
            sqlite,
            "allocation d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id",
            "d.order_id",
            " AND d.location_id = $9 AND NOT EXISTS (SELECT 1 FROM allocation e
             WHERE e.owner = $1 AND e.location_id = $9 AND e.order_id = d.order_id AND e.id < d.id)",
            "$14"
        ),
        older!(
            postgres,
            "allocation d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id",
            "d.order_id",
            " AND d.location_id = $9 AND NOT EXISTS (SELECT 1 FROM allocation e
             WHERE e.owner = $1 AND e.location_id = $9 AND e.order_id = d.order_id AND e.id < d.id)",
            "$14"
        ),
    ),
    newer: Sql::each(
        newer!(
            sqlite,
            "allocation d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id",
            "d.order_id",
            " AND d.location_id = $9 AND NOT EXISTS (SELECT 1 FROM allocation e
             WHERE e.owner = $1 AND e.location_id = $9 AND e.order_id = d.order_id AND e.id < d.id)",
            "$14"
        ),
        newer!(
            postgres,
            "allocation d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id",
            "d.order_id",
            " AND d.location_id = $9 AND NOT EXISTS (SELECT 1 FROM allocation e
             WHERE e.owner = $1 AND e.location_id = $9 AND e.order_id = d.order_id AND e.id < d.id)",
            "$14"
        ),
    ),
};
pub const BY_ITEM: PageSql = PageSql {
    older: Sql::each(
        older!(
            sqlite,
            "order_line d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id",
            "d.order_id",
            " AND d.item_id = $10",
            "$14"
        ),
        older!(
            postgres,
            "order_line d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id",
            "d.order_id",
            " AND d.item_id = $10",
            "$14"
        ),
    ),
    newer: Sql::each(
        newer!(
            sqlite,
            "order_line d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id",
            "d.order_id",
            " AND d.item_id = $10",
            "$14"
        ),
        newer!(
            postgres,
            "order_line d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id",
            "d.order_id",
            " AND d.item_id = $10",
            "$14"
        ),
    ),
};
/// `$14` is the facet.
pub const BY_FACET: PageSql = PageSql {
    older: Sql::each(
        older!(
            sqlite,
            "order_facet d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id",
            "d.order_id",
            " AND d.facet = $14",
            "$15"
        ),
        older!(
            postgres,
            "order_facet d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id",
            "d.order_id",
            " AND d.facet = $14",
            "$15"
        ),
    ),
    newer: Sql::each(
        newer!(
            sqlite,
            "order_facet d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id",
            "d.order_id",
            " AND d.facet = $14",
            "$15"
        ),
        newer!(
            postgres,
            "order_facet d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id",
            "d.order_id",
            " AND d.facet = $14",
            "$15"
        ),
    ),
};

pub(crate) const STATEMENTS: &[&Sql] = &[
    &PAGE.older,
    &PAGE.newer,
    &ANY.older,
    &ANY.newer,
    &BY_STATUS.older,
    &BY_STATUS.newer,
    &BY_REFERENCE.older,
    &BY_REFERENCE.newer,
    &BY_FULFILMENT.older,
    &BY_FULFILMENT.newer,
    &BY_PLACED.older,
    &BY_PLACED.newer,
    &BY_SHIP_BY.older,
    &BY_SHIP_BY.newer,
    &BY_LOCATION.older,
    &BY_LOCATION.newer,
    &BY_ITEM.older,
    &BY_ITEM.newer,
    &BY_FACET.older,
    &BY_FACET.newer,
];
