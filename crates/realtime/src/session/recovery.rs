//! The start position of a subscription, from the client's position, the log, and the events that arrived meanwhile.
//!
//! The order of the steps makes recovery exact. The session buffers live events first and reads the log afterwards.
//! An event is either in the slice that was read, or it became visible later, was therefore published later, and is
//! in the buffer. An event in both is recognised by its offset.

use std::sync::Arc;

use crate::code::ErrorReply;
use crate::frame::{Broadcast, MessagePrefix, Publication, RawData, SubscribeRequest, SubscribeResult};
use crate::limits::{RECOVERY_BYTES_MAX, RECOVERY_EVENTS_MAX};

use super::effect::Slice;

/// The flag of a client that prefers an error over starting at the newest event.
const REJECT_UNRECOVERED: u64 = 2;

/// A live event that waits for the start of its channel.
pub(super) type BufferedEvent = (Arc<MessagePrefix>, Arc<Broadcast>);

/// The position from which a client wants to continue.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct RecoveryPosition {
    pub is_recovering: bool,
    pub offset: u64,
    epoch: String,
    must_recover: bool,
}

impl RecoveryPosition {
    pub fn of(request: &SubscribeRequest) -> Self {
        Self {
            is_recovering: request.recover,
            offset: request.offset,
            epoch: request.epoch.clone(),
            must_recover: request.recover && request.flag & REJECT_UNRECOVERED != 0,
        }
    }

    /// Returns the position with recovery made optional: if it fails, the subscription starts at the newest event.
    pub fn with_optional_recovery(self) -> Self {
        Self { must_recover: false, ..self }
    }

    fn is_recovered_by(&self, slice: &Slice, budget: &ReplyBudget) -> bool {
        self.is_recovering
            && (self.epoch.is_empty() || *self.epoch == *slice.epoch)
            && (slice.floor..=slice.top).contains(&self.offset)
            && slice.is_complete
            && budget.holds(slice)
    }
}

/// The space that is left in the reply, which is one frame.
pub(super) struct ReplyBudget {
    events: usize,
    bytes: usize,
}

impl ReplyBudget {
    pub fn new() -> Self {
        Self { events: RECOVERY_EVENTS_MAX, bytes: RECOVERY_BYTES_MAX }
    }

    fn holds(&self, slice: &Slice) -> bool {
        let bytes: usize = slice.events.iter().map(|event| event.data.len()).sum();
        slice.events.len() <= self.events && bytes <= self.bytes
    }

    fn take(&mut self, bytes: usize) -> bool {
        let fits = self.events >= 1 && self.bytes >= bytes;
        if fits {
            self.events -= 1;
            self.bytes -= bytes;
        }
        fits
    }
}

/// The start of a subscription.
#[derive(Debug)]
pub(super) struct SubscriptionStart {
    pub result: SubscribeResult,
    /// The last offset that the client has after reading the reply. Events up to it must not be sent again.
    pub last: u64,
}

/// Decides where a subscription starts. `buffered` holds the live events since before the log was read, in order.
/// Events that do not fit into the reply are sent after it as live events.
pub(super) fn start<'a>(
    wanted: &RecoveryPosition,
    slice: Slice,
    buffered: impl Iterator<Item = &'a Arc<Broadcast>>,
    budget: &mut ReplyBudget,
) -> Result<SubscriptionStart, ErrorReply> {
    let recovered = wanted.is_recovered_by(&slice, budget);
    if wanted.must_recover && !recovered {
        return Err(ErrorReply::UNRECOVERABLE_POSITION);
    }
    let mut result = SubscribeResult {
        recoverable: true,
        positioned: true,
        epoch: slice.epoch.to_string(),
        was_recovering: wanted.is_recovering,
        recovered,
        offset: slice.top,
        ..SubscribeResult::default()
    };
    if !recovered {
        return Ok(SubscriptionStart { result, last: slice.top });
    }
    // The client counts from its own offset, which each publication advances.
    result.offset = wanted.offset;
    let mut last = wanted.offset;
    let missed = slice.events.into_iter().map(|event| (event.offset, event.data));
    let meanwhile = buffered.map(|event| (event.offset(), event.data().clone()));
    for (offset, data) in missed.chain(meanwhile) {
        if offset <= last {
            continue;
        }
        if !budget.take(data.len()) {
            break;
        }
        last = offset;
        result.publications.push(Publication { data: RawData(data), offset, ..Publication::default() });
    }
    Ok(SubscriptionStart { result, last })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::session::effect::LogEvent;

    const DATA: &[u8] = b"{}";

    fn slice(floor: u64, top: u64, events: &[u64]) -> Slice {
        let events = events.iter().map(|offset| LogEvent { offset: *offset, data: DATA.into() }).collect();
        Slice { epoch: "e1".into(), top, floor, events, is_complete: true }
    }

    fn wanted(offset: u64, epoch: &str) -> RecoveryPosition {
        RecoveryPosition { is_recovering: true, offset, epoch: epoch.into(), must_recover: false }
    }

    fn events(offsets: &[u64]) -> Vec<Arc<Broadcast>> {
        offsets.iter().map(|offset| Arc::new(Broadcast::new(*offset, Bytes::from_static(DATA)))).collect()
    }

    fn started(wanted: &RecoveryPosition, slice: Slice, buffered: &[u64]) -> (bool, u64, Vec<u64>, u64) {
        let start = start(wanted, slice, events(buffered).iter(), &mut ReplyBudget::new()).unwrap();
        let offsets = start.result.publications.iter().map(|publication| publication.offset).collect();
        assert!(start.result.recoverable && start.result.positioned);
        assert_eq!(start.result.was_recovering, wanted.is_recovering);
        (start.result.recovered, start.result.offset, offsets, start.last)
    }

    #[test]
    fn a_new_client_starts_at_the_top() {
        assert_eq!(started(&RecoveryPosition::default(), slice(0, 9, &[]), &[8, 10]), (false, 9, vec![], 9));
    }

    #[test]
    fn missed_events_are_sent_once_and_in_order() {
        let read = slice(0, 9, &[4, 7, 9]);
        assert_eq!(started(&wanted(3, "e1"), read, &[7, 9, 12, 12]), (true, 3, vec![4, 7, 9, 12], 12));
    }

    #[test]
    fn a_client_that_missed_nothing_is_recovered() {
        assert_eq!(started(&wanted(9, ""), slice(0, 9, &[]), &[]), (true, 9, vec![], 9));
    }

    #[test]
    fn positions_that_can_t_be_recovered() {
        let incomplete = Slice { is_complete: false, ..slice(0, 9, &[4]) };
        let many: Vec<u64> = (1..=RECOVERY_EVENTS_MAX as u64 + 1).collect();
        for (wanted, slice) in [
            (wanted(3, "e0"), slice(0, 9, &[4])),
            (wanted(3, "_"), slice(0, 9, &[4])),
            (wanted(3, "e1"), slice(4, 9, &[5])),
            (wanted(10, "e1"), slice(0, 9, &[])),
            (wanted(3, "e1"), incomplete),
            (wanted(0, "e1"), slice(0, 2000, &many)),
        ] {
            let top = slice.top;
            let strict = RecoveryPosition { must_recover: true, ..wanted.clone() };
            let refused = start(&strict, slice.clone(), [].iter(), &mut ReplyBudget::new()).unwrap_err();
            assert_eq!(refused, ErrorReply::UNRECOVERABLE_POSITION);
            assert_eq!(started(&wanted, slice, &[top + 1]), (false, top, vec![], top));
        }
    }

    #[test]
    fn a_reply_holds_a_thousand_events_and_a_mebibyte() {
        let offsets: Vec<u64> = (1..=RECOVERY_EVENTS_MAX as u64).collect();
        let (recovered, _, sent, last) = started(&wanted(0, ""), slice(0, 1000, &offsets), &[1001]);
        assert!(recovered && sent.len() == RECOVERY_EVENTS_MAX);
        // The buffered event does not fit, and is sent after the reply.
        assert_eq!(last, 1000);

        let mut big = slice(0, 2, &[1, 2]);
        big.events[0].data = vec![b'1'; RECOVERY_BYTES_MAX - 1].into();
        assert!(!started(&wanted(0, ""), big.clone(), &[]).0);
        big.events[1].data = Bytes::from_static(b"1");
        assert!(started(&wanted(0, ""), big, &[]).0);
    }

    #[test]
    fn several_channels_share_the_budget_of_a_reply() {
        let mut budget = ReplyBudget::new();
        let offsets: Vec<u64> = (1..=600).collect();
        let go = |budget: &mut ReplyBudget| {
            start(&wanted(0, ""), slice(0, 600, &offsets), [].iter(), budget).unwrap()
        };
        assert!(go(&mut budget).result.recovered);
        assert!(!go(&mut budget).result.recovered);
    }
}
