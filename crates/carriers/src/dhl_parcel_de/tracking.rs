//! DHL's tracking of parcels, which also finds purchases by our reference.
//!
//! DHL prints the reference on the label and tracks by it. A parcel is in the tracking once DHL has its data, which is at the end of the day
//! at the latest, or once DHL has scanned it. So what is found was bought; that nothing is found proves nothing.

use model::shipping::shipment::{ErrorCode, Source, TrackingStatus};

use super::answer::{Purpose, rejected, success, unreadable, unsent, untraceable};
use super::order::{SEPARATOR, is_number};
use super::request::reference_of;
use super::xml::{Element, elements};
use crate::{Account, Answer, Found, Outcome, Receipt, Tracked};

/// DHL has nothing of the number or of the reference.
const NO_DATA: [&str; 2] = ["100", "200"];
/// DHL does not let the user in.
const NO_ENTRY: [&str; 3] = ["5", "6", "62"];

/// What the tracking shows.
enum Shown {
    Parcels(Vec<Element>),
    Nothing,
}

fn read(answer: Answer, purpose: Purpose, account: &Account) -> Result<Shown, Outcome> {
    let (_, body) = success(answer, purpose, account)?;
    let all = elements(&body).ok_or_else(|| unreadable(purpose))?;
    let root = all.first().ok_or_else(|| unreadable(purpose))?;
    match root.get("code") {
        Some("0") if root.get("name") == Some("piece-shipment-list") => {}
        Some(code) if NO_DATA.contains(&code) => return Ok(Shown::Nothing),
        Some(code) if NO_ENTRY.contains(&code) => {
            let message = format!(
                "DHL's tracking does not let the user in: {} Check `tracking_username` and `tracking_password`.",
                root.get("error").unwrap_or_default()
            );
            return Err(rejected(purpose, ErrorCode::CredentialsInvalid, message));
        }
        Some(code) => {
            let message = format!("DHL's tracking says {}: {}", code, root.get("error").unwrap_or("nothing"));
            return Err(rejected(purpose, ErrorCode::ServiceUnavailable, message));
        }
        None => return Err(unreadable(purpose)),
    }
    let is_parcel = |element: &Element| element.get("name") == Some("piece-shipment");
    let parcels: Vec<Element> = all.into_iter().filter(is_parcel).collect();
    if parcels.is_empty() {
        return Err(unreadable(purpose));
    }
    match parcels.iter().all(|parcel| parcel.get("error-status").is_some_and(|code| NO_DATA.contains(&code)))
    {
        true => Ok(Shown::Nothing),
        false => Ok(Shown::Parcels(parcels)),
    }
}

/// Reads the answer to a request for the way of a parcel.
pub fn tracked(answer: Answer, account: &Account) -> Outcome {
    let parcels = match read(answer, Purpose::Tracking, account) {
        Ok(Shown::Parcels(parcels)) => parcels,
        Ok(Shown::Nothing) => {
            let message = "DHL has no data of the parcel yet.".to_owned();
            return Outcome::Tracked(Tracked { status: TrackingStatus::Unknown, message, occurred_at: None });
        }
        Err(outcome) => return outcome,
    };
    let Some(parcel) = parcels.first() else { return unreadable(Purpose::Tracking) };
    let message = parcel.get("status").or_else(|| parcel.get("short-status")).unwrap_or_default();
    Outcome::Tracked(Tracked {
        status: status(parcel),
        message: message.to_owned(),
        // DHL's times have no zone: they are those of the place, and don't compare.
        occurred_at: None,
    })
}

/// Translates DHL's codes of an event: the newer of the two kinds is finer.
fn status(parcel: &Element) -> TrackingStatus {
    let is_back = parcel.get("ruecksendung") == Some("true");
    let (ice, reason) = (parcel.get("ice").unwrap_or_default(), parcel.get("ric").unwrap_or_default());
    if ice == "DSPSD" || reason == "LOSTX" {
        return TrackingStatus::Failure;
    }
    match (ice, parcel.get("standard-event-code").unwrap_or_default()) {
        ("CANCL", _) => TrackingStatus::Cancelled,
        ("RETRN", _) => TrackingStatus::ReturnToSender,
        (_, "ZU") if is_back => TrackingStatus::ReturnToSender,
        (_, "ZU") => TrackingStatus::Delivered,
        (_, "PO") => TrackingStatus::OutForDelivery,
        (_, "ZF" | "LA") => TrackingStatus::AvailableForPickup,
        (_, "VA") => TrackingStatus::PreTransit,
        (_, "AA" | "AE" | "AN" | "BV" | "EE" | "ES" | "NB" | "ZN" | "ZO") => TrackingStatus::InTransit,
        ("DLVRD", _) => TrackingStatus::Delivered,
        ("PARCV", _) => TrackingStatus::PreTransit,
        _ => TrackingStatus::Unknown,
    }
}

/// What a look-up by a reference found.
pub enum Looked {
    Found(Vec<Found>),
    /// DHL shows nothing under this reference yet.
    Nothing,
    Other(Outcome),
}

/// Reads the answer to a look-up of a purchase of so many packages.
pub fn looked_up(answer: Answer, reference: &str, packages: usize, account: &Account) -> Looked {
    let parcels = match read(answer, Purpose::LookingUp, account) {
        Ok(Shown::Parcels(parcels)) => parcels,
        Ok(Shown::Nothing) => return Looked::Nothing,
        // What can't be looked up may have been bought all the same.
        Err(Outcome::Rejected(error)) if error.code != ErrorCode::CredentialsInvalid => {
            let code = ErrorCode::OutcomeUnknown;
            return Looked::Other(unsent(Purpose::LookingUp, code, Source::Carrier, error.message, None));
        }
        Err(outcome) => return Looked::Other(outcome),
    };
    let wanted = reference_of(reference, packages);
    let is_ours = |parcel: &Element| is_of(parcel, &wanted);
    let ours: Vec<&Element> = parcels.iter().filter(|parcel| is_ours(parcel)).collect();
    let number =
        |parcel: &&Element| parcel.get("piece-code").filter(|code| is_number(code)).map(str::to_owned);
    let Some(mut numbers) = ours.iter().map(number).collect::<Option<Vec<String>>>() else {
        return Looked::Other(unreadable(Purpose::LookingUp));
    };
    if ours.len() != parcels.len() || ours.iter().any(|parcel| parcel.get("ice") == Some("CANCL")) {
        let message = "DHL shows parcels under the reference that it does not say to be bought.";
        return Looked::Other(untraceable(format!("{message} Look at DHL's portal for {wanted}.")));
    }
    // DHL's numbers of one order rise.
    numbers.sort();
    numbers.dedup();
    match numbers.len() {
        _ if packages <= 1 => Looked::Found(numbers.into_iter().map(|number| found(vec![number])).collect()),
        count if count == packages => Looked::Found(vec![found(numbers)]),
        count if count < packages => Looked::Nothing,
        _ => Looked::Other(untraceable(format!(
            "DHL shows these parcels under the reference: {}. Several purchases may be among them.",
            numbers.join(", ")
        ))),
    }
}

/// Whether a parcel has a reference. If DHL shows none with the parcel, the one that it was searched by counts.
fn is_of(parcel: &Element, reference: &str) -> bool {
    let own = ["piece-customer-reference", "shipment-customer-reference"];
    let own: Vec<&str> = own.into_iter().filter_map(|name| parcel.get(name)).collect();
    let is_it = |known: &str| known.eq_ignore_ascii_case(reference);
    match own.is_empty() {
        true => parcel.get("searched-ref-no").is_some_and(is_it),
        false => own.into_iter().any(is_it),
    }
}

/// A purchase that was found. Its price is not known any more, and its labels are fetched in the wanted format.
fn found(numbers: Vec<String>) -> Found {
    let purchase = numbers.join(&SEPARATOR.to_string());
    let (charged, currency, labels) = (0, String::new(), Vec::new());
    Found { receipt: Receipt { purchase, tracking_numbers: numbers, charged, currency, labels } }
}

/// The outcome of a look-up that found nothing.
pub fn not_shown_yet() -> Outcome {
    let message =
        "DHL's tracking shows no parcel under the reference, which does not prove that there is none.";
    unsent(Purpose::LookingUp, ErrorCode::OutcomeUnknown, Source::Carrier, message.to_owned(), None)
}
