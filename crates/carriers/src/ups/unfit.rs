//! Shipments that UPS does not take, found before anything is sent.

use model::shipping::shipment::{ErrorCode, ErrorType, Package, ShipmentError, Source};

use super::request::package_code;
use super::route::Route;
use super::services::{
    GIRTH_MM_MAX, GIRTH_MM_MAX_METRIC, GRAMS_MAX_IMPERIAL, GRAMS_MAX_METRIC, PACKAGES, SIDE_MM_MAX,
    SIDE_MM_MAX_METRIC, by_handle,
};
use super::units::Units;
use super::{customs, party};
use crate::{Outcome, Task};

/// Returns why a task can't be done with this shipment, if so.
pub fn unfit(task: &Task<'_>) -> Option<Outcome> {
    let (parcel, r#type, service) = match task {
        Task::Rate(parcel) => (parcel, ErrorType::Rate, None),
        Task::Buy { parcel, service, .. } => (parcel, ErrorType::Purchase, by_handle(service)),
        _ => return None,
    };
    let refuse = |code, message: String| {
        Some(Outcome::Rejected(ShipmentError::new(r#type, code, Source::Carrier, message)))
    };
    let Some(route) = Route::of(parcel.details()) else {
        return refuse(ErrorCode::AddressInvalid, "UPS needs a sender: set `addresses.origin`.".to_owned());
    };
    let places =
        if route.details.is_return() { ["destination", "origin"] } else { ["origin", "destination"] };
    for (record, place) in [route.from, route.to].into_iter().zip(places) {
        if let Some(message) = party::unfit(record, place) {
            return refuse(ErrorCode::AddressInvalid, message);
        }
    }
    if let Some(message) = customs::unfit(&route) {
        return refuse(ErrorCode::CustomsRequired, message);
    }
    let from = route.from.address.country_code;
    if let Some(service) =
        service.filter(|service| !service.origins.is_empty() && !service.origins.contains(&from.as_str()))
    {
        let message =
            format!("{} starts in {} only, not in {from}.", service.name, service.origins.join(", "));
        return refuse(ErrorCode::ServiceUnavailable, message);
    }
    for (number, package) in (1..).zip(&route.details.packages) {
        if let Some((code, message)) = unfit_package(package, route.units) {
            let error =
                ShipmentError::new(r#type, code, Source::Carrier, message).about_package(Some(number));
            return Some(Outcome::Rejected(error));
        }
    }
    None
}

fn unfit_package(package: &Package, units: Units) -> Option<(ErrorCode, String)> {
    if let (Some(name), None) = (&package.predefined_package_code, package_code(package)) {
        let known: Vec<_> = PACKAGES.iter().map(|(name, _)| *name).collect();
        let message = format!("UPS has no package {name}. It has {}.", known.join(", "));
        return Some((ErrorCode::DimensionsLimit, message));
    }
    let Some(grams) = package.geometry.and_then(|geometry| geometry.grams()).filter(|grams| *grams > 0)
    else {
        return Some((ErrorCode::WeightLimit, "UPS needs the mass of each package.".to_owned()));
    };
    let (grams_max, side_max, girth_max, words) = match units {
        Units::Imperial => {
            (GRAMS_MAX_IMPERIAL, SIDE_MM_MAX, GIRTH_MM_MAX, ["150 lb", "108 inches", "165 inches"])
        }
        Units::Metric => {
            (GRAMS_MAX_METRIC, SIDE_MM_MAX_METRIC, GIRTH_MM_MAX_METRIC, ["70 kg", "270 cm", "400 cm"])
        }
    };
    if grams > grams_max {
        return Some((ErrorCode::WeightLimit, format!("UPS takes packages of up to {}.", words[0])));
    }
    let mut sides = package.geometry.and_then(|geometry| geometry.millimetres())?;
    sides.sort_unstable();
    let [height, width, length] = sides;
    let girth = length + 2 * (width + height);
    let is_too_large = length > side_max || girth > girth_max;
    is_too_large.then(|| {
        let message = format!(
            "UPS takes packages of up to {}, and {} of length and girth together.",
            words[1], words[2]
        );
        (ErrorCode::DimensionsLimit, message)
    })
}
