//! Purchases: an order, or a return. An order of several packages is tried first by a dry run, because DHL may make a part of them.

use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};

use super::account::{must_encode, price};
use super::answer::{Purpose, code, lost, read, refused, rejected};
use super::http::request;
use super::json::text;
use super::order::{Cost, bought, checked, is_number, label};
use super::request::{Order, dry_run_path, order_path, orders, reference_of, return_order, return_path};
use super::route::Route;
use super::services::{Reach, Service, by_handle};
use crate::{Account, Answer, Outcome, Receipt, Request, Step, Task};

/// Before the number of a return in the name of its purchase: DHL neither deletes nor prints returns again.
pub const RETURN: &str = "retoure:";

/// A purchase, as far as it is known.
struct Purchase<'a> {
    route: Route<'a>,
    service: &'static Service,
    task: &'a Task<'a>,
}

impl<'a> Purchase<'a> {
    fn of(task: &'a Task<'a>) -> Result<Self, Outcome> {
        let Task::Buy { parcel, service, .. } = task else { return Err(unasked()) };
        let route = Route::of(parcel.details()).ok_or_else(unasked)?;
        let service = by_handle(service).ok_or_else(|| {
            let message = format!("DHL has no service {service}. Choose one of its rates.");
            rejected(Purpose::Buying, ErrorCode::ServiceUnavailable, message)
        })?;
        Ok(Self { route, service, task })
    }

    /// Whether a dry run comes first.
    fn is_tried(&self) -> bool {
        self.route.packages().len() > 1
    }

    fn order(&self, account: &Account, path: &str) -> Option<Request> {
        let Task::Buy { reference, ship_on, .. } = self.task else { return None };
        let reference = reference_of(reference, self.route.packages().len());
        let order = Order { service: self.service, ship_on: Some(*ship_on), reference: Some(&reference) };
        let body = orders(account, &self.route, &[order])?;
        Some(request(account, "POST", path, Some(body)))
    }

    /// The request that buys: the same task always makes the same.
    fn buying(&self, account: &Account) -> Option<Request> {
        let Task::Buy { reference, format, .. } = self.task else { return None };
        let request = match self.service.reach {
            Reach::Return => {
                let body = return_order(account, &self.route, reference)?;
                request(account, "POST", &return_path(), Some(body))
            }
            _ => self.order(account, &order_path(account, &self.route, *format))?,
        };
        Some(Request { is_purchase: true, ..request })
    }

    fn cost(&self, account: &Account) -> Cost {
        let Task::Buy { ship_on, .. } = self.task else { return unknown_cost() };
        let is_return = self.service.reach == Reach::Return;
        let to = if is_return { self.route.from } else { self.route.to };
        let grams = self.route.grams().unwrap_or_default();
        price(account, self.service, &to.address, Some(*ship_on), &grams)
            .map_or_else(unknown_cost, |(charged, currency, _)| Cost { charged, currency })
    }
}

fn unknown_cost() -> Cost {
    Cost { charged: 0, currency: String::new() }
}

/// Buys, or tries it first.
pub fn begin(account: &Account, task: &Task<'_>) -> Step {
    let purchase = match Purchase::of(task) {
        Ok(purchase) => purchase,
        Err(outcome) => return Step::Done(outcome),
    };
    let request = match purchase.is_tried() {
        true => purchase.order(account, &dry_run_path(account)),
        false => purchase.buying(account),
    };
    request.map_or_else(|| Step::Done(unasked()), Step::Send)
}

/// Reads the answer to a purchase, or to its dry run.
pub fn resume(account: &Account, task: &Task<'_>, exchange: usize, answer: Answer) -> Step {
    let purchase = match Purchase::of(task) {
        Ok(purchase) => purchase,
        // The request may have bought something.
        Err(_) => return Step::Done(lost(Purpose::Buying, "The purchase can't be read.".to_owned())),
    };
    let count = purchase.route.packages().len();
    if purchase.is_tried() && exchange == 1 {
        let checks = match checked(answer, count, Purpose::Checking, must_encode(account), account) {
            Ok(checks) => checks,
            Err(outcome) => return Step::Done(outcome),
        };
        let refusals: Vec<String> = checks.into_iter().flatten().collect();
        return match purchase.buying(account) {
            _ if !refusals.is_empty() => Step::Done(refused(Purpose::Checking, refusals.join("; "))),
            Some(request) => Step::Send(request),
            None => Step::Done(unasked()),
        };
    }
    let cost = purchase.cost(account);
    Step::Done(match purchase.service.reach {
        Reach::Return => returned(answer, cost, account),
        _ => bought(answer, count, cost, account),
    })
}

/// Reads the answer to an order of a return.
fn returned(answer: Answer, cost: Cost, account: &Account) -> Outcome {
    let (_, body) = match read(answer, Purpose::Buying, account) {
        Ok(read) => read,
        Err(outcome) => return outcome,
    };
    let is_made = code(&body["sstatus"]).is_none_or(|code| matches!(code, 200 | 201));
    match text(&body["shipmentNo"]).filter(|number| is_made && is_number(number)) {
        Some(number) => Outcome::Bought(Receipt {
            purchase: format!("{RETURN}{number}"),
            tracking_numbers: vec![number],
            charged: cost.charged,
            currency: cost.currency,
            labels: label(&body["label"]).into_iter().collect(),
        }),
        None => lost(Purpose::Buying, "DHL took the return and shows no number of it.".to_owned()),
    }
}

/// The outcome of a purchase that DHL has no request for.
fn unasked() -> Outcome {
    let (code, message) = (ErrorCode::ServiceUnavailable, "The contract with DHL has no such product.");
    Outcome::Rejected(ShipmentError::new(ErrorType::Purchase, code, Source::Carrier, message))
}
