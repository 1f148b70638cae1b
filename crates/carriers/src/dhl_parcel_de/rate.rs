//! Prices: DHL gives none, so they are those of the account's rate card. A dry run says which services DHL would sell for the shipment, and
//! whether it lets the account in.

use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};

use super::account::{billing_number, must_encode, price, receiver};
use super::answer::Purpose;
use super::http::request;
use super::order::checked;
use super::request::{Order, dry_run_path, orders};
use super::route::{Route, is_tracked};
use super::services::{Reach, SERVICES, Service};
use crate::{Account, Answer, Outcome, Parcel, Quote, Quotes, Step};

/// Returns the services of the contract that take all packages of the route.
fn candidates(account: &Account, route: &Route<'_>) -> Vec<&'static Service> {
    let is_contracted = |service: &&Service| match service.reach {
        Reach::Return => receiver(account, route.from.address.country_code).is_some(),
        Reach::Domestic | Reach::Abroad => billing_number(account, service).is_some(),
    };
    let is_wanted = |service: &&Service| !is_tracked(route.details) || is_tracked_service(service);
    SERVICES
        .iter()
        .filter(|service| route.is_taken_by(service))
        .filter(is_contracted)
        .filter(is_wanted)
        .collect()
}

/// Whether DHL tracks the parcels of a service all the way.
pub fn is_tracked_service(service: &Service) -> bool {
    service.product != "V66WPI"
}

/// Asks whether DHL would sell the services, where it can be asked.
pub fn begin(account: &Account, parcel: &Parcel) -> Step {
    let Some(route) = Route::of(parcel.details()) else { return Step::Done(none()) };
    let candidates = candidates(account, &route);
    if candidates.is_empty() {
        return Step::Done(none());
    }
    if route.reach() == Reach::Return {
        return Step::Done(Outcome::Quoted(quotes(account, parcel, &route, &candidates, &[])));
    }
    let asked: Vec<Order<'_>> = candidates
        .into_iter()
        .map(|service| Order { service, ship_on: parcel.ship_on(), reference: None })
        .collect();
    match orders(account, &route, &asked) {
        Some(body) => Step::Send(request(account, "POST", &dry_run_path(account), Some(body))),
        None => Step::Done(none()),
    }
}

/// Reads the answer to a dry run.
pub fn quoted(account: &Account, parcel: &Parcel, answer: Answer) -> Outcome {
    let Some(route) = Route::of(parcel.details()) else { return none() };
    let candidates = candidates(account, &route);
    let packages = route.packages().len();
    let count = candidates.len() * packages;
    let checks = match checked(answer, count, Purpose::Rating, must_encode(account), account) {
        Ok(checks) => checks,
        Err(outcome) => return outcome,
    };
    let refusals: Vec<Option<String>> =
        checks.chunks(packages.max(1)).map(|checks| checks.iter().flatten().next().cloned()).collect();
    Outcome::Quoted(quotes(account, parcel, &route, &candidates, &refusals))
}

/// Returns the prices of the services that DHL would sell, and why the others have none.
fn quotes(
    account: &Account,
    parcel: &Parcel,
    route: &Route<'_>,
    services: &[&Service],
    refusals: &[Option<String>],
) -> Quotes {
    let mut quotes = Quotes::default();
    let grams = route.grams().unwrap_or_default();
    // What a return costs depends on where it comes from.
    let to = if route.reach() == Reach::Return { route.from } else { route.to };
    for (place, service) in services.iter().enumerate() {
        if let Some(why) = refusals.get(place).and_then(Option::as_ref) {
            let message = format!("{}: {why}", service.name);
            quotes.errors.push(unavailable(Source::Carrier, message));
            continue;
        }
        match price(account, service, &to.address, parcel.ship_on(), &grams) {
            Some((amount, currency, delivery_days)) => {
                let service = service.handle.to_owned();
                quotes.quotes.push(Quote { service, amount, currency, delivery_days });
            }
            None => {
                let message = format!(
                    "{}: DHL gives no prices, and the `rate_card` of the account has none that fits.",
                    service.name
                );
                quotes.errors.push(unavailable(Source::Service, message));
            }
        }
    }
    quotes
}

fn none() -> Outcome {
    let message = "No product of the contract takes this route, size and mass.".to_owned();
    Outcome::Quoted(Quotes { quotes: Vec::new(), errors: vec![unavailable(Source::Service, message)] })
}

fn unavailable(source: Source, message: String) -> ShipmentError {
    ShipmentError::new(ErrorType::Rate, ErrorCode::RatesUnavailable, source, message)
}
