//! Shipments that DHL Express does not take, found before anything is sent.

use model::shipping::shipment::{ErrorCode, ErrorType, Package, ShipmentError, Source};

use super::{customs, party};
use crate::{Outcome, Task};

/// Returns why a task can't be done with this shipment, if so.
pub fn unfit(task: &Task<'_>) -> Option<Outcome> {
    let (parcel, r#type) = match task {
        Task::Rate(parcel) => (parcel, ErrorType::Rate),
        Task::Buy { parcel, .. } => (parcel, ErrorType::Purchase),
        _ => return None,
    };
    let error = |code, message: String| ShipmentError::new(r#type, code, Source::Carrier, message);
    let details = parcel.details();
    let Some(origin) = &details.addresses.origin else {
        let message = "DHL Express needs a sender: set `addresses.origin`.".to_owned();
        return Some(Outcome::Rejected(error(ErrorCode::AddressInvalid, message)));
    };
    for (record, place) in [(origin, "origin"), (&details.addresses.destination, "destination")] {
        if let Some(message) = party::unfit(record, place) {
            return Some(Outcome::Rejected(error(ErrorCode::AddressInvalid, message)));
        }
    }
    if let Some(message) = customs::unfit(details) {
        return Some(Outcome::Rejected(error(ErrorCode::CustomsRequired, message)));
    }
    let unfit = |(number, package)| Some((number, unfit_package(package)?));
    let (number, (code, message)) = (1..).zip(&details.packages).find_map(unfit)?;
    Some(Outcome::Rejected(error(code, message).about_package(Some(number))))
}

fn unfit_package(package: &Package) -> Option<(ErrorCode, String)> {
    if package.predefined_package_code.is_some() {
        let message = "DHL Express has no packages of this name. Give the sides of the package.";
        return Some((ErrorCode::DimensionsLimit, message.to_owned()));
    }
    if package.geometry.and_then(|geometry| geometry.grams()).is_none_or(|grams| grams <= 0) {
        return Some((ErrorCode::WeightLimit, "DHL Express needs the mass of each package.".to_owned()));
    }
    package.geometry.and_then(|geometry| geometry.millimetres()).is_none().then(|| {
        let message = "DHL Express needs the length, the width and the height of each package.";
        (ErrorCode::DimensionsLimit, message.to_owned())
    })
}
