//! Lists of orders by any combination of filters.
//!
//! One filter drives: its index gives the orders in the order of their ids. The others are probed for each of them, by
//! the columns of the order or by a key. `Filter::driver` chooses the filter that usually leaves the fewest orders.

mod statements;

use model::orders::facet;
use model::orders::fulfilment::FulfilmentStatus;
use model::orders::order::Status;
use model::{Id, InventoryItem, Location, Owner, Result, Timestamp};

use self::statements::{
    ANY, BY_FACET, BY_FULFILMENT, BY_ITEM, BY_LOCATION, BY_PLACED, BY_REFERENCE, BY_SHIP_BY, BY_STATUS, PAGE,
};
use crate::orders::order_turns::OrderTurn;
use crate::platform::engine::{Row, Tx, Value};
use crate::platform::page::{Page, PageSql, Start};
use crate::stock::inventory_items;

pub(crate) use self::statements::STATEMENTS;

/// Orders that [`turns`] reads at once.
const TURNS_PAGE: usize = 1000;

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
    rows(tx, owner, filter, start, limit).await?.try_map(|mut row| row.text(1))
}

/// Returns the turns of orders that pass all filters: of at most `limit`. Reads page by page, so that memory holds no more than
/// one page of documents.
pub async fn turns(tx: &mut Tx<'_>, owner: Owner, filter: &Filter, limit: usize) -> Result<Vec<OrderTurn>> {
    let (mut turns, mut start) = (Vec::new(), Start::First);
    while turns.len() < limit {
        let page = rows(tx, owner, filter, &start, TURNS_PAGE.min(limit - turns.len())).await?;
        for mut row in page.items {
            let (ship_by, placed_at) = (row.moment_or_null(2)?, row.moment_or_null(3)?);
            turns.push(OrderTurn { order: row.id(0)?, ship_by, placed_at });
        }
        match page.older_than {
            Some(key) => start = Start::OlderThan(key),
            None => break,
        }
    }
    Ok(turns)
}

/// Returns a page of rows of a filtered list: id, document, and the two times.
async fn rows(
    tx: &mut Tx<'_>,
    owner: Owner,
    filter: &Filter,
    start: &Start,
    limit: usize,
) -> Result<Page<Row>> {
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
    Page::read(tx, driver.statements(), owner.into(), &values, start, limit).await
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
