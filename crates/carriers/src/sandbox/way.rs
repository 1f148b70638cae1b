//! Tracking: the status of a parcel at a time after its purchase.

use std::time::Duration;

use model::shipping::shipment::TrackingStatus;

use super::word::Word;

/// The status of a parcel, and the carrier's message about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub status: TrackingStatus,
    pub message: &'static str,
}

type Stop = (u64, TrackingStatus, &'static str);

/// Seconds after the purchase, with the status from then on. Without a word, a parcel takes as long as a real one.
const USUAL: &[Stop] = &[
    (0, TrackingStatus::PreTransit, "The label was made."),
    (3600, TrackingStatus::InTransit, "The parcel was collected."),
    (24 * 3600, TrackingStatus::OutForDelivery, "The parcel is on its last mile."),
    (30 * 3600, TrackingStatus::Delivered, "The parcel was delivered."),
];
const DELIVERED: &[Stop] = &[
    (0, TrackingStatus::PreTransit, "The label was made."),
    (8, TrackingStatus::InTransit, "The parcel was collected."),
    (18, TrackingStatus::OutForDelivery, "The parcel is on its last mile."),
    (28, TrackingStatus::Delivered, "The parcel was delivered."),
];
const EXCEPTION: &[Stop] = &[
    (0, TrackingStatus::PreTransit, "The label was made."),
    (8, TrackingStatus::InTransit, "The parcel was collected."),
    (28, TrackingStatus::Failure, "The parcel was damaged and can't be delivered."),
];
const RETURNED: &[Stop] = &[
    (0, TrackingStatus::PreTransit, "The label was made."),
    (8, TrackingStatus::InTransit, "The parcel was collected."),
    (18, TrackingStatus::OutForDelivery, "The parcel is on its last mile."),
    (28, TrackingStatus::ReturnToSender, "The recipient did not take the parcel; it goes back."),
];

/// Returns the status of a parcel at a time after its purchase.
pub fn place(word: Option<Word>, since: Duration) -> Place {
    let way = match word {
        Some(Word::TrackDelivered) => DELIVERED,
        Some(Word::TrackException) => EXCEPTION,
        Some(Word::TrackReturned) => RETURNED,
        _ => USUAL,
    };
    let reached = way.iter().rev().find(|(seconds, _, _)| since.as_secs() >= *seconds);
    let (_, status, message) = reached.copied().unwrap_or((0, TrackingStatus::Unknown, ""));
    Place { status, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_begins_at_once_and_ends_for_good() {
        let words = [None, Some(Word::TrackDelivered), Some(Word::TrackException), Some(Word::TrackReturned)];
        for word in words {
            assert_eq!(place(word, Duration::ZERO).status, TrackingStatus::PreTransit);
            let limit = if word.is_some() { 30 } else { 40 * 3600 };
            let last = place(word, Duration::from_secs(limit));
            assert_eq!(last, place(word, Duration::from_secs(400 * 3600)), "{word:?}");
            // After a failed delivery the carrier may try again, so `Failure` is not final.
            let is_end = last.status.is_final() || last.status == TrackingStatus::Failure;
            assert!(is_end, "{word:?}");
        }
    }
}
