//! What DHL is told: the bodies of orders, of dry runs and of returns.

use model::Day;
use model::shipping::shipment::Package;
use model::shipping::shipment::options::LabelFormat;
use serde_json::{Value, json};

use super::account::{billing_number, must_encode, print_format, profile, receiver};
use super::http::{ORDERS, RETURNS, encoded};
use super::json::without_nulls;
use super::route::{Route, grams, sides};
use super::services::Service;
use super::{customs, options, party};
use crate::Account;

/// Most shipments of a request, and most numbers of one.
pub const SHIPMENTS_MAX: usize = 30;

/// What is ordered.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    pub service: &'a Service,
    pub ship_on: Option<Day>,
    /// Our reference, unless nothing is bought.
    pub reference: Option<&'a str>,
}

/// Returns the path of a dry run.
pub fn dry_run_path(account: &Account) -> String {
    format!("{ORDERS}?validate=true&mustEncode={}", must_encode(account))
}

/// Returns the path of an order that buys.
pub fn order_path(account: &Account, route: &Route<'_>, format: LabelFormat) -> String {
    let paper = options::print_format(route.details).or_else(|| print_format(account));
    format!("{ORDERS}?mustEncode={}&{}", must_encode(account), documents(format, paper))
}

/// Returns the part of a query that says how labels are wanted.
pub fn documents(format: LabelFormat, paper: Option<&str>) -> String {
    let kind = match format {
        LabelFormat::Zpl => "ZPL2",
        LabelFormat::Png | LabelFormat::Pdf => "PDF",
    };
    let paper = paper.map(|paper| format!("&printFormat={}", encoded(paper))).unwrap_or_default();
    format!("includeDocs=include&combine=false&docFormat={kind}{paper}")
}

/// Returns the body of several orders: the packages of the route, one order after the other. Nothing in it depends on the time of the
/// request. `None` if the contract has no number for one of the services.
pub fn orders(account: &Account, route: &Route<'_>, orders: &[Order<'_>]) -> Option<Value> {
    let mut shipments = Vec::new();
    for order in orders {
        for package in route.packages() {
            shipments.push(shipment(account, route, package, order)?);
        }
    }
    Some(json!({"profile": profile(account), "shipments": shipments}))
}

fn shipment(account: &Account, route: &Route<'_>, package: &Package, order: &Order<'_>) -> Option<Value> {
    Some(without_nulls(json!({
        "product": order.service.product,
        "billingNumber": billing_number(account, order.service)?,
        "refNo": order.reference,
        "costCenter": options::custom_line(route.details),
        "shipDate": order.ship_on.map(|day| day.to_string()),
        "shipper": party::shipper(route.from),
        "consignee": party::consignee(route.to),
        "details": details(package)?,
        "services": options::services(route, order.service),
        "customs": customs::declaration(account, route, order.service),
    })))
}

/// The mass, and the sides in whole centimetres: DHL rounds millimetres, and may round them down.
fn details(package: &Package) -> Option<Value> {
    let up = |millimetres: i64| (millimetres + 9) / 10;
    let dim = sides(package).map(|[length, width, height]| {
        json!({"uom": "cm", "length": up(length), "width": up(width), "height": up(height)})
    });
    Some(without_nulls(json!({"dim": dim, "weight": {"uom": "g", "value": grams(package)?}})))
}

/// Returns our reference as DHL gets it. A shipment of several packages has another one than a shipment of a single package: what is
/// found under it is complete only if all packages are found.
pub fn reference_of(reference: &str, packages: usize) -> String {
    match packages {
        0 | 1 => reference.to_owned(),
        packages => format!("{reference}-{packages}"),
    }
}

/// Returns the path of an order of a return.
pub fn return_path() -> String {
    format!("{RETURNS}?labelType=SHIPMENT_LABEL")
}

/// Returns the body of a return. `None` if the account has no receiver for the country.
pub fn return_order(account: &Account, route: &Route<'_>, reference: &str) -> Option<Value> {
    let package = route.packages().first()?;
    Some(without_nulls(json!({
        "receiverId": receiver(account, route.from.address.country_code)?,
        "customerReference": reference,
        "shipmentReference": reference,
        "shipper": party::returner(route.from),
        "itemWeight": {"uom": "g", "value": grams(package)?},
        "customsDetails": customs::return_declaration(route),
    })))
}
