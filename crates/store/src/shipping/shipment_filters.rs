//! Lists of shipments by any combination of filters, as those of orders.
//!
//! One filter drives: its index gives the shipments in the order of their ids. The others are probed for each of them.
//! Times of creation limit the ids, which begin with them.

mod statements;

use model::shipping::indexed_shipment as facet;
use model::shipping::shipment::{Status, TrackingStatus};
use model::{Batch, CarrierAccount, Id, Location, Order, Owner, Result, Shipment, Timestamp};

use self::statements::{ANY, BY_BATCH, BY_FACET, BY_LOCATION, BY_PURCHASED, BY_STATUS};
use crate::platform::engine::{Tx, Value};
use crate::platform::page::{Page, PageSql, Start};
use crate::shipping::shipments::{self, StoredShipment};

pub(crate) use self::statements::STATEMENTS;

/// The filters of a list of shipments. A shipment must pass all of them.
#[derive(Clone, Default, Debug, PartialEq)]
pub struct ShipmentFilter {
    pub status: Option<Status>,
    pub tracking_status: Option<TrackingStatus>,
    pub tracking_number: Option<String>,
    pub order: Option<Id<Order>>,
    /// The shipment's name.
    pub reference: Option<String>,
    /// The handle of a carrier.
    pub carrier: Option<String>,
    pub carrier_account: Option<Id<CarrierAccount>>,
    pub batch: Option<Id<Batch>>,
    /// The location that it leaves from.
    pub location: Option<Id<Location>>,
    pub created_after: Option<Timestamp>,
    pub created_before: Option<Timestamp>,
    pub purchased_after: Option<Timestamp>,
    pub purchased_before: Option<Timestamp>,
}

impl ShipmentFilter {
    /// Returns the facets that a shipment must have, the one that leaves the fewest shipments first.
    fn wanted(&self) -> Vec<String> {
        let mut wanted = Vec::new();
        wanted.extend(self.tracking_number.as_deref().map(facet::tracking_number));
        wanted.extend(self.order.map(facet::order));
        wanted.extend(self.reference.as_deref().map(facet::reference));
        let tracked = self.tracking_status.filter(|status| *status != TrackingStatus::Unknown);
        wanted.extend(tracked.map(facet::tracking_status));
        wanted.extend(self.carrier_account.map(facet::carrier_account));
        wanted.extend(self.carrier.as_deref().map(facet::carrier));
        wanted
    }

    /// Returns the facets that a shipment must not have.
    fn unwanted(&self) -> Vec<String> {
        match self.tracking_status {
            Some(TrackingStatus::Unknown) => TrackingStatus::ALL.map(facet::tracking_status).into(),
            _ => Vec::new(),
        }
    }

    /// Returns the filter whose index usually leaves the fewest shipments.
    ///
    /// Most shipments are purchased and delivered, and there are few carriers. So these drive only if nothing else does.
    fn driver(&self) -> Driver {
        let names_one = self.tracking_number.is_some() || self.order.is_some() || self.reference.is_some();
        let is_open = self.status.is_some_and(|status| !matches!(status, Status::Purchased | Status::Voided));
        let is_tracked = self.tracking_status.is_some_and(|status| status != TrackingStatus::Unknown);
        let is_on_its_way = is_tracked && self.tracking_status != Some(TrackingStatus::Delivered);
        match () {
            () if names_one => Driver::Facet,
            () if self.batch.is_some() => Driver::Batch,
            () if is_open => Driver::Status,
            () if is_on_its_way => Driver::Facet,
            () if self.purchased_after.is_some() || self.purchased_before.is_some() => Driver::Purchased,
            () if self.location.is_some() => Driver::Location,
            () if is_tracked || self.carrier.is_some() || self.carrier_account.is_some() => Driver::Facet,
            () if self.status.is_some() => Driver::Status,
            () => Driver::Any,
        }
    }
}

/// The filter whose index gives the shipments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Driver {
    Any,
    Status,
    Batch,
    Location,
    Purchased,
    Facet,
}

impl Driver {
    fn statements(self) -> &'static PageSql {
        match self {
            Driver::Any => &ANY,
            Driver::Status => &BY_STATUS,
            Driver::Batch => &BY_BATCH,
            Driver::Location => &BY_LOCATION,
            Driver::Purchased => &BY_PURCHASED,
            Driver::Facet => &BY_FACET,
        }
    }
}

/// Returns a page of the shipments that pass all filters, newest first.
pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    filter: &ShipmentFilter,
    start: &Start,
    limit: usize,
) -> Result<Page<StoredShipment>> {
    if *filter == ShipmentFilter::default() {
        return shipments::page(tx, owner, start, limit).await;
    }
    let driver = filter.driver();
    let values = values(filter, driver);
    let page = Page::read(tx, driver.statements(), owner.into(), &values, start, limit).await?;
    page.try_map(shipments::read)
}

/// Returns the values from `$3` on, without the limit.
fn values(filter: &ShipmentFilter, driver: Driver) -> Vec<Value> {
    let list = |facets: &[String]| Value::Text(serde_json::Value::from(facets).to_string());
    // The index of times needs both ends of the range.
    let end = |given: Option<Timestamp>, open: i64| match given {
        None if driver == Driver::Purchased => Value::Int(open),
        given => given.into(),
    };
    let (wanted, unwanted) = (filter.wanted(), filter.unwanted());
    let after = filter.created_after.map_or_else(String::new, |at| Id::<Shipment>::last_at(at).to_string());
    let before =
        filter.created_before.map_or_else(|| "~".to_owned(), |at| Id::<Shipment>::first_at(at).to_string());
    let mut values = vec![
        after.into(),
        before.into(),
        filter.status.map(Status::as_str).into(),
        filter.batch.into(),
        filter.location.into(),
        end(filter.purchased_after, i64::MIN),
        end(filter.purchased_before, i64::MAX),
        list(&wanted),
        Value::Int(wanted.len() as i64),
        list(&unwanted),
    ];
    if driver == Driver::Facet {
        // The first of the list drives, unless one that leaves fewer shipments comes later.
        values.extend(driving_facet(filter, &wanted).map(Into::into));
    }
    values
}

/// Returns the facet that leaves the fewest shipments. `delivered` leaves most of them.
fn driving_facet<'a>(filter: &ShipmentFilter, wanted: &'a [String]) -> Option<&'a str> {
    let delivered = facet::tracking_status(TrackingStatus::Delivered);
    let is_delivered = filter.tracking_status == Some(TrackingStatus::Delivered);
    let narrow = wanted.iter().find(|facet| !is_delivered || **facet != delivered);
    narrow.or_else(|| wanted.first()).map(String::as_str)
}
