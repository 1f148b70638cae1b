//! Shipments that USPS does not take, found before anything is sent.

use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};

use super::route::Route;
use super::services::{GIRTH_MM_MAX, GRAMS_MAX, PACKAGES, by_handle, package_indicators};
use super::{customs, party};
use crate::{Outcome, Task};

/// Returns why a task can't be done with this shipment, if so.
pub fn unfit(task: &Task<'_>) -> Option<Outcome> {
    let (parcel, r#type, service) = match task {
        Task::Rate(parcel) => (parcel, ErrorType::Rate, None),
        Task::Buy { parcel, service, .. } => (parcel, ErrorType::Purchase, by_handle(service)),
        _ => return None,
    };
    let refuse = |(code, message): (ErrorCode, String)| {
        Some(Outcome::Rejected(ShipmentError::new(r#type, code, Source::Carrier, message)))
    };
    let details = parcel.details();
    if details.packages.len() > 1 {
        let message = "USPS makes a label for one package: make a shipment of each package.";
        return refuse((ErrorCode::ServiceUnavailable, message.to_owned()));
    }
    let Some(route) = Route::of(details) else {
        return refuse((
            ErrorCode::AddressInvalid,
            "USPS needs a sender: set `addresses.origin`.".to_owned(),
        ));
    };
    if !party::is_domestic(route.from) || details.is_return() && route.is_international() {
        let message = "USPS carries parcels from the United States only.";
        return refuse((ErrorCode::ServiceUnavailable, message.to_owned()));
    }
    let places = if details.is_return() { ["destination", "origin"] } else { ["origin", "destination"] };
    for (record, place) in [route.from, route.to].into_iter().zip(places) {
        if let Some(message) = party::unfit(record, place) {
            return refuse((ErrorCode::AddressInvalid, message));
        }
    }
    if let Some(message) = customs::unfit(&route) {
        return refuse((ErrorCode::CustomsRequired, message));
    }
    if let Some(service) = service {
        let is_wrong = service.is_international != route.is_international()
            || details.is_return() && service.return_class.is_none();
        if is_wrong {
            let message = format!("{} does not take this route. Choose one of the rates.", service.name);
            return refuse((ErrorCode::ServiceUnavailable, message));
        }
    }
    unfit_package(&route).and_then(refuse)
}

fn unfit_package(route: &Route<'_>) -> Option<(ErrorCode, String)> {
    if package_indicators(route.package).is_none() {
        let known: Vec<_> = PACKAGES.iter().map(|(name, _)| *name).collect();
        let message = format!("USPS has no such package. It has {}.", known.join(", "));
        return Some((ErrorCode::DimensionsLimit, message));
    }
    let grams = route.package.geometry.and_then(|geometry| geometry.grams()).filter(|grams| *grams > 0);
    match grams {
        None => return Some((ErrorCode::WeightLimit, "USPS needs the mass of the package.".to_owned())),
        Some(grams) if grams > GRAMS_MAX => {
            return Some((ErrorCode::WeightLimit, "USPS takes parcels of up to 70 lb.".to_owned()));
        }
        Some(_) => {}
    }
    let Some(mut sides) = route.package.geometry.and_then(|geometry| geometry.millimetres()) else {
        let message = "USPS needs the length, the width and the height of the package.";
        return Some((ErrorCode::DimensionsLimit, message.to_owned()));
    };
    sides.sort_unstable();
    let [height, width, length] = sides;
    (length + 2 * (width + height) > GIRTH_MM_MAX).then(|| {
        let message = "USPS takes parcels of up to 130 inches of length and girth together.";
        (ErrorCode::DimensionsLimit, message.to_owned())
    })
}
