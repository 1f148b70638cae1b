//! Lists of orders by any combination of filters.
//!
//! One filter drives: its index gives the orders in the order of their ids. The others are probed for each of them, by
//! the columns of the order or by a key. [`Filter::driver`] chooses the filter that usually leaves the fewest orders.

use model::orders::facet;
use model::orders::fulfilment::FulfilmentStatus;
use model::orders::order::Status;
use model::{Id, InventoryItem, Location, Owner, Result, Timestamp};

use crate::platform::engine::{Sql, Tx, Value};
use crate::platform::page::{Page, PageSql, Start};
use crate::stock::inventory_items;

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

/// Newest first. `$from` begins with a condition, `$driver` is one more, and `$limit` is the number of the last value.
macro_rules! older {
    ($engine:ident, $from:literal, $driver:literal, $limit:literal) => {
        concat!("SELECT o.id, o.doc FROM ", $from, " AND o.id < $2", probes!($engine), $driver, " ORDER BY o.id DESC LIMIT ", $limit)
    };
}

/// Oldest first.
macro_rules! newer {
    ($engine:ident, $from:literal, $driver:literal, $limit:literal) => {
        concat!("SELECT o.id, o.doc FROM ", $from, " AND o.id > $2", probes!($engine), $driver, " ORDER BY o.id LIMIT ", $limit)
    };
}

const PAGE: PageSql = PageSql {
    older: Sql::same("SELECT id, doc FROM orders WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3"),
    newer: Sql::same("SELECT id, doc FROM orders WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3"),
};
/// Nothing narrows the list down.
const ANY: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "orders o WHERE o.owner = $1", "", "$14"),
        older!(postgres, "orders o WHERE o.owner = $1", "", "$14"),
    ),
    newer: Sql::each(
        newer!(sqlite, "orders o WHERE o.owner = $1", "", "$14"),
        newer!(postgres, "orders o WHERE o.owner = $1", "", "$14"),
    ),
};
const BY_STATUS: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "orders o WHERE o.owner = $1", " AND o.status = $3", "$14"),
        older!(postgres, "orders o WHERE o.owner = $1", " AND o.status = $3", "$14"),
    ),
    newer: Sql::each(
        newer!(sqlite, "orders o WHERE o.owner = $1", " AND o.status = $3", "$14"),
        newer!(postgres, "orders o WHERE o.owner = $1", " AND o.status = $3", "$14"),
    ),
};
const BY_REFERENCE: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "orders o WHERE o.owner = $1", " AND o.reference = $4", "$14"),
        older!(postgres, "orders o WHERE o.owner = $1", " AND o.reference = $4", "$14"),
    ),
    newer: Sql::each(
        newer!(sqlite, "orders o WHERE o.owner = $1", " AND o.reference = $4", "$14"),
        newer!(postgres, "orders o WHERE o.owner = $1", " AND o.reference = $4", "$14"),
    ),
};
const BY_FULFILMENT: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "orders o WHERE o.owner = $1", " AND o.fulfilment_status = $5", "$14"),
        older!(postgres, "orders o WHERE o.owner = $1", " AND o.fulfilment_status = $5", "$14"),
    ),
    newer: Sql::each(
        newer!(sqlite, "orders o WHERE o.owner = $1", " AND o.fulfilment_status = $5", "$14"),
        newer!(postgres, "orders o WHERE o.owner = $1", " AND o.fulfilment_status = $5", "$14"),
    ),
};
/// Reads the range of times and sorts what is left of it. SQLite would rather follow the ids through all orders.
const BY_PLACED: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "orders o INDEXED BY orders_by_placed WHERE o.owner = $1", " AND o.placed_at > $6 AND o.placed_at < $7", "$14"),
        older!(postgres, "orders o WHERE o.owner = $1", " AND o.placed_at > $6 AND o.placed_at < $7", "$14"),
    ),
    newer: Sql::each(
        newer!(sqlite, "orders o INDEXED BY orders_by_placed WHERE o.owner = $1", " AND o.placed_at > $6 AND o.placed_at < $7", "$14"),
        newer!(postgres, "orders o WHERE o.owner = $1", " AND o.placed_at > $6 AND o.placed_at < $7", "$14"),
    ),
};
/// As [`BY_PLACED`].
const BY_SHIP_BY: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "orders o INDEXED BY orders_by_ship_by WHERE o.owner = $1", " AND o.ship_by < $8", "$14"),
        older!(postgres, "orders o WHERE o.owner = $1", " AND o.ship_by < $8", "$14"),
    ),
    newer: Sql::each(
        newer!(sqlite, "orders o INDEXED BY orders_by_ship_by WHERE o.owner = $1", " AND o.ship_by < $8", "$14"),
        newer!(postgres, "orders o WHERE o.owner = $1", " AND o.ship_by < $8", "$14"),
    ),
};
/// An order may have several allocations at the location: the first of them stands for it.
const BY_LOCATION: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "allocation d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id", " AND d.order_id < $2 AND d.location_id = $9 AND NOT EXISTS (SELECT 1 FROM allocation e
             WHERE e.owner = $1 AND e.location_id = $9 AND e.order_id = d.order_id AND e.id < d.id)", "$14"),
        older!(postgres, "allocation d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id", " AND d.order_id < $2 AND d.location_id = $9 AND NOT EXISTS (SELECT 1 FROM allocation e
             WHERE e.owner = $1 AND e.location_id = $9 AND e.order_id = d.order_id AND e.id < d.id)", "$14"),
    ),
    newer: Sql::each(
        newer!(sqlite, "allocation d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id", " AND d.order_id > $2 AND d.location_id = $9 AND NOT EXISTS (SELECT 1 FROM allocation e
             WHERE e.owner = $1 AND e.location_id = $9 AND e.order_id = d.order_id AND e.id < d.id)", "$14"),
        newer!(postgres, "allocation d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id", " AND d.order_id > $2 AND d.location_id = $9 AND NOT EXISTS (SELECT 1 FROM allocation e
             WHERE e.owner = $1 AND e.location_id = $9 AND e.order_id = d.order_id AND e.id < d.id)", "$14"),
    ),
};
const BY_ITEM: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "order_line d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id", " AND d.order_id < $2 AND d.item_id = $10", "$14"),
        older!(postgres, "order_line d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id", " AND d.order_id < $2 AND d.item_id = $10", "$14"),
    ),
    newer: Sql::each(
        newer!(sqlite, "order_line d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id", " AND d.order_id > $2 AND d.item_id = $10", "$14"),
        newer!(postgres, "order_line d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id", " AND d.order_id > $2 AND d.item_id = $10", "$14"),
    ),
};
/// `$14` is the facet.
const BY_FACET: PageSql = PageSql {
    older: Sql::each(
        older!(sqlite, "order_facet d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id", " AND d.order_id < $2 AND d.facet = $14", "$15"),
        older!(postgres, "order_facet d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id", " AND d.order_id < $2 AND d.facet = $14", "$15"),
    ),
    newer: Sql::each(
        newer!(sqlite, "order_facet d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id", " AND d.order_id > $2 AND d.facet = $14", "$15"),
        newer!(postgres, "order_facet d CROSS JOIN orders o WHERE d.owner = $1 AND o.owner = $1 AND o.id = d.order_id", " AND d.order_id > $2 AND d.facet = $14", "$15"),
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

/// The filters of a list of orders. An order must pass all of them.
#[derive(Clone, Default, Debug, PartialEq)]
pub struct Filter {
    pub status: Option<Status>,
    pub reference: Option<String>,
    pub fulfilment_status: Option<FulfilmentStatus>,
    /// The name or the company of the customer, in any case.
    pub customer: Option<String>,
    pub email_address: Option<String>,
    pub channel: Option<String>,
    pub tags: Vec<String>,
    pub placed_after: Option<Timestamp>,
    pub placed_before: Option<Timestamp>,
    pub ship_by_before: Option<Timestamp>,
    /// A location that has an allocation of the order.
    pub location: Option<Id<Location>>,
    /// The SKU of an item of the order; if no item has it, that of a line without an item.
    pub sku: Option<String>,
    pub is_held: Option<bool>,
    pub has_exception: Option<bool>,
}

impl Filter {
    /// Returns the facets that an order must have, the one that leaves the fewest orders first, and those that it must
    /// not have.
    fn facets(&self) -> (Vec<String>, Vec<String>) {
        let mut wanted = Vec::new();
        wanted.extend(self.email_address.as_deref().map(facet::email_address));
        wanted.extend(self.customer.as_deref().map(facet::customer));
        let flags = [(self.is_held, facet::ON_HOLD), (self.has_exception, facet::HAS_EXCEPTION)];
        let named = |is: bool| {
            flags.into_iter().filter(move |(flag, _)| *flag == Some(is)).map(|(_, facet)| facet.to_owned())
        };
        wanted.extend(named(true));
        wanted.extend(self.tags.iter().map(|tag| facet::tag(tag)));
        wanted.extend(self.channel.as_deref().map(facet::channel));
        (wanted, named(false).collect())
    }

    /// Returns the filter whose index usually leaves the fewest orders. `facets` are those that an order must have.
    ///
    /// Orders that are done are most of all orders, so their statuses drive only if nothing else does. So do channels,
    /// of which there are few.
    fn driver(&self, facets: &[String], item: Option<Id<InventoryItem>>) -> Driver {
        let is_open = matches!(self.status, Some(Status::Draft | Status::Committed));
        let is_waiting = self.fulfilment_status.is_some_and(|status| !status.is_shipped());
        let channel = self.channel.as_deref().map(facet::channel);
        match () {
            () if self.reference.is_some() => Driver::Reference,
            () if facets.first() != channel.as_ref() => Driver::Facet,
            () if item.is_some() => Driver::Item,
            () if is_waiting => Driver::Fulfilment,
            () if is_open => Driver::Status,
            () if self.location.is_some() => Driver::Location,
            () if self.placed_after.is_some() || self.placed_before.is_some() => Driver::Placed,
            () if self.ship_by_before.is_some() => Driver::ShipBy,
            () if !facets.is_empty() => Driver::Facet,
            () if self.fulfilment_status.is_some() => Driver::Fulfilment,
            () if self.status.is_some() => Driver::Status,
            () => Driver::Any,
        }
    }
}

/// The filter whose index gives the orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Driver {
    Any,
    Status,
    Reference,
    Fulfilment,
    Placed,
    ShipBy,
    Location,
    Item,
    Facet,
}

impl Driver {
    fn statements(self) -> &'static PageSql {
        match self {
            Driver::Any => &ANY,
            Driver::Status => &BY_STATUS,
            Driver::Reference => &BY_REFERENCE,
            Driver::Fulfilment => &BY_FULFILMENT,
            Driver::Placed => &BY_PLACED,
            Driver::ShipBy => &BY_SHIP_BY,
            Driver::Location => &BY_LOCATION,
            Driver::Item => &BY_ITEM,
            Driver::Facet => &BY_FACET,
        }
    }
}

/// Returns a page of the documents of orders that pass all filters, newest first.
pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    filter: &Filter,
    start: &Start,
    limit: usize,
) -> Result<Page<String>> {
    if *filter == Filter::default() {
        return Page::read(tx, &PAGE, owner.into(), &[], start, limit).await?.try_map(|mut row| row.text(1));
    }
    let (mut wanted, unwanted) = filter.facets();
    let mut item = None;
    if let Some(sku) = &filter.sku {
        item = inventory_items::sku_user(tx, owner, sku).await?;
        if item.is_none() {
            wanted.insert(0, facet::unmatched_sku(sku));
        }
    }
    let driver = filter.driver(&wanted, item);
    let values = values(filter, driver, &wanted, &unwanted, item);
    Page::read(tx, driver.statements(), owner.into(), &values, start, limit).await?.try_map(|mut row| row.text(1))
}

/// Returns the values from `$3` on, without the limit.
fn values(
    filter: &Filter,
    driver: Driver,
    wanted: &[String],
    unwanted: &[String],
    item: Option<Id<InventoryItem>>,
) -> Vec<Value> {
    let list = |facets: &[String]| Value::Text(serde_json::Value::from(facets).to_string());
    // The index of times needs both ends of the range.
    let end = |given: Option<Timestamp>, open: i64| match given {
        None if driver == Driver::Placed => Value::Int(open),
        given => given.into(),
    };
    let mut values = vec![
        filter.status.map(Status::as_str).into(),
        filter.reference.as_deref().into(),
        filter.fulfilment_status.map(FulfilmentStatus::as_str).into(),
        end(filter.placed_after, i64::MIN),
        end(filter.placed_before, i64::MAX),
        filter.ship_by_before.into(),
        filter.location.into(),
        item.into(),
        list(wanted),
        Value::Int(wanted.len() as i64),
        list(unwanted),
    ];
    if driver == Driver::Facet {
        values.extend(wanted.first().map(|first| first.as_str().into()));
    }
    values
}
