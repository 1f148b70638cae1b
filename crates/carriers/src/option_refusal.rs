//! The refusal of shipments with options that a carrier can't do.

use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, ShipmentInput, Source};

use crate::options::{Table, Treatment, asked};
use crate::{Outcome, Task};

/// Returns the refusal of a task whose shipment asks for what the carrier can't do.
///
/// `more` refuses single values, or combinations, that the table can't tell: it gives the option and the reason.
pub(crate) fn option_refusal(
    carrier: &str,
    table: Table,
    task: &Task<'_>,
    more: impl Fn(&ShipmentInput) -> Option<(&'static str, String)>,
) -> Option<Outcome> {
    let (parcel, r#type) = match task {
        Task::Rate(parcel) | Task::Prepare(parcel) => (parcel, ErrorType::Rate),
        Task::Buy { parcel, .. } => (parcel, ErrorType::Validation),
        _ => return None,
    };
    let details = parcel.details();
    let (option, reason) = refused_by_table(table, details)
        .or_else(|| more(details).map(|(option, reason)| (option.to_owned(), reason)))?;
    let message = format!("{carrier} does not take `options.{option}`: {reason}");
    let error = ShipmentError::new(r#type, ErrorCode::OptionUnavailable, Source::Carrier, message);
    Some(Outcome::Rejected(error))
}

fn refused_by_table(table: Table, details: &ShipmentInput) -> Option<(String, String)> {
    let asked = asked(details.options.as_ref()?);
    asked.into_iter().find_map(|(path, _)| match table.iter().find(|(option, _)| *option == path) {
        Some((_, Treatment::Refused(reason))) => Some((path, (*reason).to_owned())),
        _ => None,
    })
}
