//! Requests about orders and their shipments, as HTTP.

use serde_json::{Value, json};

use super::scan::ScanRequest;
use super::shipment::Destination;
use super::short::ShortRequest;
use super::wave::{WaveOrders, WaveRequest};
use crate::requests::{Names, Request};

/// The handle of a carrier that takes single packages.
pub const SINGLE_PACKAGE_CARRIER: &str = "easypost";

/// A step with the numbers of what it names.
#[derive(Debug)]
pub enum ParcelRequest {
    Stock(Request),
    CreateOrder {
        status: &'static str,
        items: Vec<(usize, i64)>,
        destination: Option<Destination>,
    },
    Plan {
        order: usize,
    },
    Hold {
        order: usize,
    },
    EndHold {
        order: usize,
    },
    Resolve {
        order: usize,
        exception: usize,
    },
    Redirect {
        order: usize,
        destination: Option<Destination>,
    },
    Ship(ShipRequest),
    DeleteShipment {
        shipment: usize,
    },
    Buy {
        shipment: usize,
        is_other_service: bool,
    },
    MakeBatch {
        shipments: Vec<usize>,
    },
    /// Buys the batch that was made last.
    BuyLastBatch,
    BuyBatch {
        batch: usize,
    },
    Scan(ScanRequest),
    UndoScan {
        shipment: usize,
        name: usize,
    },
    Short(ShortRequest),
    StartWave(WaveRequest),
    CancelWave {
        wave: usize,
    },
    RetryWave {
        wave: usize,
    },
    /// No request: the job works on all waves.
    WorkWaves,
    Void {
        shipment: usize,
    },
    HandOver {
        shipment: usize,
    },
    Manifest {
        location: usize,
    },
    /// No request: hours pass, and the jobs work.
    Work {
        hours: i64,
    },
}

#[derive(Debug)]
pub struct ShipRequest {
    pub order: usize,
    pub allocations: Option<Vec<usize>>,
    pub packages: Option<GivenPackages>,
}

#[derive(Debug)]
pub struct GivenPackages {
    /// The items of each package.
    pub packages: Vec<Vec<(usize, i64)>>,
    /// The carrier takes single packages, so each is a shipment of its own.
    pub is_single: bool,
}

/// An allocation that a plan made.
#[derive(Clone, Copy, Debug)]
pub struct PlannedRow {
    pub item: usize,
    pub location: usize,
    pub quantity: i64,
}

impl ParcelRequest {
    /// Method, path and body.
    pub fn http(&self, names: &Names) -> (&'static str, String, Option<Value>) {
        let order_path = |order: &usize, rest: &str| format!("/orders/{}{rest}", names.order(*order));
        let shipment_path =
            |shipment: &usize, rest: &str| format!("/shipments/{}{rest}", names.shipment(*shipment));
        match self {
            ParcelRequest::Stock(request) => request.http(names),
            ParcelRequest::CreateOrder { status, items, destination } => {
                ("POST", "/orders".to_owned(), Some(order_body(names, status, items, *destination)))
            }
            ParcelRequest::Plan { order } => {
                let path = format!("/allocations/orders/{}/plan?apply=true", names.order(*order));
                ("POST", path, None)
            }
            ParcelRequest::Hold { order } => {
                ("POST", order_path(order, "/hold"), Some(json!({ "reason": "test" })))
            }
            ParcelRequest::EndHold { order } => ("POST", order_path(order, "/release"), None),
            // The replay puts the id of the exception in: the model does not know it.
            ParcelRequest::Resolve { order, .. } => {
                let path = order_path(order, "/exceptions/{exception_id}/resolve");
                ("POST", path, Some(json!({ "note": "Seen" })))
            }
            ParcelRequest::Redirect { order, destination } => {
                let body = json!({ "destination": destination_body(*destination) });
                ("PATCH", order_path(order, ""), Some(body))
            }
            ParcelRequest::Ship(request) => {
                ("POST", order_path(&request.order, "/shipments"), Some(request.body(names)))
            }
            ParcelRequest::DeleteShipment { shipment } => ("DELETE", shipment_path(shipment, ""), None),
            ParcelRequest::Buy { shipment, is_other_service } => {
                let service = if *is_other_service { "express" } else { "standard" };
                let body = json!({ "carrier_account": "sandbox", "carrier_service": service });
                ("POST", shipment_path(shipment, "/purchase"), Some(body))
            }
            ParcelRequest::MakeBatch { shipments } => {
                ("POST", "/batches".to_owned(), Some(batch_body(names, shipments)))
            }
            ParcelRequest::BuyLastBatch => {
                let batch = names.batches.last().expect("a batch that was made");
                ("POST", format!("/batches/{batch}/purchase"), None)
            }
            ParcelRequest::BuyBatch { batch } => {
                ("POST", format!("/batches/{}/purchase", names.batch(*batch)), None)
            }
            ParcelRequest::Scan(request) => {
                ("POST", shipment_path(&request.shipment, "/scans"), Some(request.body(names)))
            }
            ParcelRequest::UndoScan { shipment, name } => {
                ("DELETE", shipment_path(shipment, &format!("/scans/{}", scan_name(*name))), None)
            }
            ParcelRequest::Short(request) => {
                ("POST", shipment_path(&request.shipment, "/shorts"), Some(request.body(names)))
            }
            ParcelRequest::StartWave(request) => ("POST", "/waves".to_owned(), Some(request.body(names))),
            ParcelRequest::CancelWave { wave } => {
                ("POST", format!("/waves/{}/cancel", names.wave(*wave)), None)
            }
            ParcelRequest::RetryWave { wave } => {
                ("POST", format!("/waves/{}/retry", names.wave(*wave)), None)
            }
            ParcelRequest::Void { shipment } => ("POST", shipment_path(shipment, "/void"), None),
            ParcelRequest::HandOver { shipment } => ("POST", shipment_path(shipment, "/hand_over"), None),
            ParcelRequest::Manifest { location } => {
                let body = json!({ "location": names.location(*location) });
                ("POST", "/manifests".to_owned(), Some(body))
            }
            ParcelRequest::Work { .. } | ParcelRequest::WorkWaves => ("", String::new(), None),
        }
    }
}

impl ShipRequest {
    fn body(&self, names: &Names) -> Value {
        let mut body = json!({});
        if let Some(allocations) = &self.allocations {
            let ids: Vec<_> = allocations.iter().map(|number| names.allocation(*number)).collect();
            body["allocation_ids"] = json!(ids);
        }
        if let Some(given) = &self.packages {
            let package = |items: &Vec<(usize, i64)>| json!({ "items": names.lines(items) });
            body["packages"] = given.packages.iter().map(package).collect();
            if given.is_single {
                body["carrier"] = json!({ "carrier_code": SINGLE_PACKAGE_CARRIER });
            }
        }
        body
    }
}

/// The client's name of a scan.
pub fn scan_name(name: usize) -> String {
    format!("scan-{name}")
}

impl ScanRequest {
    fn body(&self, names: &Names) -> Value {
        let code = self.item.map_or_else(|| "no such code".to_owned(), |item| names.skus[item].clone());
        let then: &[&str] = if self.is_buying { &["purchase"] } else { &[] };
        json!({ "scan_id": scan_name(self.name), "code": code, "package": self.package,
            "quantity": self.quantity, "then": then })
    }
}

impl ShortRequest {
    fn body(&self, names: &Names) -> Value {
        json!({ "item_id": names.item(self.item), "quantity": self.quantity, "reason": "not found",
            "adjust_stock": self.is_adjusting })
    }
}

impl WaveRequest {
    fn body(&self, names: &Names) -> Value {
        let steps: Vec<_> = self.terms.steps.iter().map(|step| step.name()).collect();
        let places: Vec<_> = self.terms.places.iter().map(|place| names.location(*place)).collect();
        let groups: &[&str] =
            if self.terms.is_by_place { &["location", "carrier_account"] } else { &["service"] };
        let mut body = json!({ "steps": steps, "location_ids": places, "group_by": groups,
            "allow_partial": self.terms.is_partial });
        match &self.orders {
            WaveOrders::Named(orders) => {
                body["order_ids"] = orders.iter().map(|order| names.order(*order)).collect();
            }
            WaveOrders::Filtered { item } => body["filter"] = json!({ "sku": names.skus[*item] }),
        }
        body
    }
}

fn order_body(
    names: &Names,
    status: &str,
    items: &[(usize, i64)],
    destination: Option<Destination>,
) -> Value {
    json!({ "status": status, "items": names.lines(items), "destination": destination_body(destination) })
}

fn batch_body(names: &Names, shipments: &[usize]) -> Value {
    let ids: Vec<_> = shipments.iter().map(|shipment| names.shipment(*shipment)).collect();
    let service =
        json!({ "carrier_account": { "handle": "sandbox" }, "carrier_service": { "handle": "standard" } });
    json!({ "service": service, "shipments": ids })
}

fn destination_body(destination: Option<Destination>) -> Value {
    let Some(destination) = destination else { return Value::Null };
    let address = json!({ "line_1": "1 High St", "city": "London", "post_code": destination.post_code(), "country_code": "GB" });
    json!({ "address": address, "contact": { "name": "Ann Miller" } })
}
