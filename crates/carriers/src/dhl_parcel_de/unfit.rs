//! Shipments that DHL does not take, found before anything is sent.

use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};

use super::account::{billing_number, receiver};
use super::rate::is_tracked_service;
use super::route::{Route, grams, is_home, is_tracked};
use super::services::{PACKAGES_MAX, Reach, SERVICES, Service, by_handle};
use super::{customs, party};
use crate::{Account, Outcome, Task};

/// Returns why a task can't be done with this shipment, if so.
pub fn unfit(account: &Account, task: &Task<'_>) -> Option<Outcome> {
    let (parcel, r#type, service) = match task {
        Task::Rate(parcel) => (parcel, ErrorType::Rate, None),
        Task::Buy { parcel, service, .. } => (parcel, ErrorType::Purchase, by_handle(service)),
        _ => return None,
    };
    let refuse = |(code, message): (ErrorCode, String)| {
        Some(Outcome::Rejected(ShipmentError::new(r#type, code, Source::Carrier, message)))
    };
    let Some(route) = Route::of(parcel.details()) else {
        let message = "DHL needs a sender: set `addresses.origin`.".to_owned();
        return refuse((ErrorCode::AddressInvalid, message));
    };
    unfit_route(account, &route)
        .or_else(|| unfit_packages(&route))
        .or_else(|| service.and_then(|service| unfit_service(account, &route, service)))
        .and_then(refuse)
}

fn unfit_route(account: &Account, route: &Route<'_>) -> Option<(ErrorCode, String)> {
    let is_return = route.details.is_return();
    let merchant = if is_return { route.to } else { route.from };
    if !is_home(merchant) {
        let message = "DHL Parcel DE carries parcels from Germany, and returns to it.".to_owned();
        return Some((ErrorCode::ServiceUnavailable, message));
    }
    let country = route.from.address.country_code;
    if is_return && receiver(account, country).is_none() {
        let message =
            format!("`return_receiver_ids` of the account has no receiver for returns from {country}.");
        return Some((ErrorCode::ServiceUnavailable, message));
    }
    let places = if is_return { ["destination", "return"] } else { ["origin", "destination"] };
    for ((record, place), is_customer) in [route.from, route.to].into_iter().zip(places).zip([true, false]) {
        if let Some(message) = party::unfit(record, place, is_return && is_customer) {
            return Some((ErrorCode::AddressInvalid, message));
        }
    }
    customs::unfit(route).map(|message| (ErrorCode::CustomsRequired, message))
}

fn unfit_packages(route: &Route<'_>) -> Option<(ErrorCode, String)> {
    let count = route.packages().len();
    let most = if route.reach() == Reach::Return { 1 } else { PACKAGES_MAX };
    if count == 0 || count > most {
        let message = format!("DHL gets {most} packages at once: make a shipment of the others.");
        return Some((ErrorCode::ServiceUnavailable, message));
    }
    if route.packages().iter().any(|package| package.predefined_package_code.is_some()) {
        let message = "DHL has no packages of its own: leave out `predefined_package_code`.".to_owned();
        return Some((ErrorCode::DimensionsLimit, message));
    }
    let Some(heaviest) = route.packages().iter().map(grams).collect::<Option<Vec<_>>>() else {
        return Some((ErrorCode::WeightLimit, "DHL needs the mass of each package.".to_owned()));
    };
    let heaviest = heaviest.into_iter().max().unwrap_or_default();
    let services = || SERVICES.iter().filter(|service| service.reach == route.reach());
    if services().all(|service| heaviest > service.grams_max) {
        return Some((ErrorCode::WeightLimit, "DHL takes packages of up to 31.5 kg.".to_owned()));
    }
    services().all(|service| !route.is_taken_by(service)).then(|| {
        let message = "DHL takes packages of up to 120 by 60 by 60 cm. Larger ones are bulky goods: set \
                       `options.shipping.machinable` to `false`, up to 200 cm, and 360 cm of length and girth together.";
        (ErrorCode::DimensionsLimit, message.to_owned())
    })
}

fn unfit_service(account: &Account, route: &Route<'_>, service: &Service) -> Option<(ErrorCode, String)> {
    let unavailable = |message: String| Some((ErrorCode::ServiceUnavailable, message));
    if service.reach != route.reach() {
        return unavailable(format!("{} does not take this route. Choose one of the rates.", service.name));
    }
    if !route.is_taken_by(service) {
        return Some((ErrorCode::WeightLimit, format!("{} does not take this size and mass.", service.name)));
    }
    if is_tracked(route.details) && !is_tracked_service(service) {
        return unavailable(format!("{} is not tracked all the way.", service.name));
    }
    let is_billed = service.reach == Reach::Return || billing_number(account, service).is_some();
    match is_billed {
        true => None,
        false => unavailable(format!(
            "`billing_numbers` of the account has none for {} ({}).",
            service.name, service.product
        )),
    }
}
