//! Shipments that Royal Mail does not take, found before anything is sent.

use model::shipping::shipment::{AddressRecord, ErrorCode, ErrorType, Package, ShipmentError, Source};

use super::contents;
use super::format::{Format, GRAMS_MAX};
use super::route::is_home;
use crate::{Outcome, Task};

const NAME_CHARS: usize = 210;
const COMPANY_CHARS: usize = 100;
const LINE_CHARS: usize = 100;
const POST_CODE_CHARS: usize = 20;

/// Returns why a task can't be done with this shipment, if so.
pub fn unfit(task: &Task<'_>) -> Option<Outcome> {
    let (parcel, r#type) = match task {
        Task::Rate(parcel) => (parcel, ErrorType::Rate),
        Task::Buy { parcel, .. } => (parcel, ErrorType::Purchase),
        _ => return None,
    };
    let refuse = |(code, message): (ErrorCode, String)| {
        Some(Outcome::Rejected(ShipmentError::new(r#type, code, Source::Carrier, message)))
    };
    let details = parcel.details();
    let [package] = details.packages.as_slice() else {
        let message = "Click & Drop makes a label for one package: make a shipment of each package.";
        return refuse((ErrorCode::ServiceUnavailable, message.to_owned()));
    };
    match &details.addresses.origin {
        None => {
            let message = "Royal Mail needs a sender: set `addresses.origin`.";
            return refuse((ErrorCode::AddressInvalid, message.to_owned()));
        }
        Some(origin) if !is_home(origin) => {
            let message = "Royal Mail carries parcels from the United Kingdom only.";
            return refuse((ErrorCode::ServiceUnavailable, message.to_owned()));
        }
        Some(_) => {}
    }
    unfit_recipient(&details.addresses.destination)
        .map(|message| (ErrorCode::AddressInvalid, message))
        .or_else(|| contents::unfit(details).map(|message| (ErrorCode::CustomsRequired, message)))
        .or_else(|| unfit_package(package))
        .and_then(refuse)
}

fn unfit_recipient(record: &AddressRecord) -> Option<String> {
    let contact = record.contact.as_ref();
    let given = |text: Option<&String>| {
        text.map(|text| text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let name = given(contact.and_then(|contact| contact.name.as_ref()));
    let company = given(contact.and_then(|contact| contact.company.as_ref()));
    if name.is_none() && company.is_none() {
        return Some(
            "Royal Mail needs a name: set `addresses.destination.contact.name` or `.company`.".to_owned(),
        );
    }
    let postal = &record.address;
    let texts = [
        (name.as_ref(), NAME_CHARS, "contact.name"),
        (company.as_ref(), COMPANY_CHARS, "contact.company"),
        (Some(&postal.line_1), LINE_CHARS, "address.line_1"),
        (postal.line_2.as_ref(), LINE_CHARS, "address.line_2"),
        (postal.line_3.as_ref(), LINE_CHARS, "address.line_3"),
        (Some(&postal.city), LINE_CHARS, "address.city"),
        (postal.post_code.as_ref(), POST_CODE_CHARS, "address.post_code"),
    ];
    let is_long = |text: Option<&String>, most: usize| text.is_some_and(|text| text.chars().count() > most);
    texts.into_iter().find(|(text, most, _)| is_long(*text, *most)).map(|(_, most, field)| {
        format!("Royal Mail takes {most} characters. Shorten `addresses.destination.{field}`.")
    })
}

fn unfit_package(package: &Package) -> Option<(ErrorCode, String)> {
    let grams = package.geometry.and_then(|geometry| geometry.grams()).filter(|grams| *grams > 0);
    match grams {
        None => {
            return Some((ErrorCode::WeightLimit, "Royal Mail needs the mass of the package.".to_owned()));
        }
        Some(grams) if grams > GRAMS_MAX => {
            return Some((ErrorCode::WeightLimit, "Royal Mail takes parcels of up to 30 kg.".to_owned()));
        }
        Some(_) => {}
    }
    Format::of(package).is_none().then(|| {
        let known: Vec<_> = Format::ALL.into_iter().map(Format::package_code).collect();
        let message = format!("Royal Mail has no such package. It has {}.", known.join(", "));
        (ErrorCode::DimensionsLimit, message)
    })
}
