//! What goes wrong at EasyPost, in a shuffled schedule: chance decides which request
//! meets a fault, and each fault occurs as often as the others.

use testkit::random::Random;

/// Each fault happens to one in so many requests.
const SLOTS: usize = 40;

/// A fault of a request, before it is carried out or after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EasyPostFault {
    /// The connection is cut.
    CutBefore,
    CutAfter,
    /// The answer is 500.
    FailsBefore,
    FailsAfter,
    /// The answer is 429. After a charge, the next look-ups show the shipment as it was before.
    BusyBefore,
    BusyAfter,
    /// The answer is 429 after the charge, and so are the next answers about the shipment.
    BusyOnAfter,
    /// The answer comes after the server has stopped waiting for it. If the fault is before the charge, the charge is late too.
    LateBefore,
    LateAfter,
}

impl EasyPostFault {
    pub const ALL: [Self; 9] = [
        Self::CutBefore,
        Self::CutAfter,
        Self::FailsBefore,
        Self::FailsAfter,
        Self::BusyBefore,
        Self::BusyAfter,
        Self::BusyOnAfter,
        Self::LateBefore,
        Self::LateAfter,
    ];
    /// Those of requests that charge nothing.
    pub const OF_LOOKS: [Self; 3] = [Self::CutBefore, Self::FailsBefore, Self::BusyBefore];

    pub fn name(self) -> &'static str {
        match self {
            Self::CutBefore => "cut-before",
            Self::CutAfter => "cut-after",
            Self::FailsBefore => "error-before",
            Self::FailsAfter => "error-after",
            Self::BusyBefore => "busy-before",
            Self::BusyAfter => "busy-after",
            Self::BusyOnAfter => "busy-on-after",
            Self::LateBefore => "late-before",
            Self::LateAfter => "late-after",
        }
    }

    /// Returns the status that the client gets in time, or `None` if it gets no answer.
    pub fn status(self) -> Option<u16> {
        match self {
            Self::CutBefore | Self::CutAfter | Self::LateBefore | Self::LateAfter => None,
            Self::FailsBefore | Self::FailsAfter => Some(500),
            Self::BusyBefore | Self::BusyAfter | Self::BusyOnAfter => Some(429),
        }
    }

    /// Returns whether the request is not carried out.
    pub fn is_before(self) -> bool {
        matches!(self, Self::CutBefore | Self::FailsBefore | Self::BusyBefore)
    }

    pub fn is_late(self) -> bool {
        matches!(self, Self::LateBefore | Self::LateAfter)
    }
}

pub struct FaultSchedule {
    troubles: &'static [EasyPostFault],
    random: Random,
    slots: Vec<Option<EasyPostFault>>,
}

impl FaultSchedule {
    pub fn new(troubles: &'static [EasyPostFault], random: Random) -> Self {
        Self { troubles, random, slots: Vec::new() }
    }

    /// Returns the fault of the next request, if it has one.
    pub fn draw(&mut self) -> Option<EasyPostFault> {
        if self.slots.is_empty() {
            self.slots = vec![None; SLOTS];
            for (place, trouble) in self.troubles.iter().enumerate() {
                self.slots[place] = Some(*trouble);
            }
            for place in (1..SLOTS).rev() {
                self.slots.swap(place, self.random.below(place as u64 + 1) as usize);
            }
        }
        self.slots.pop().flatten()
    }

    /// Ends all faults.
    pub fn heal(&mut self) {
        (self.troubles, self.slots) = (&[], Vec::new());
    }
}

#[test]
fn each_fault_happens_to_one_in_forty_requests() {
    let mut schedule = FaultSchedule::new(&EasyPostFault::ALL, Random(7));
    let rounds: Vec<Vec<_>> = (0..3).map(|_| (0..SLOTS).map(|_| schedule.draw()).collect()).collect();
    for round in &rounds {
        for trouble in EasyPostFault::ALL {
            assert_eq!(round.iter().filter(|card| **card == Some(trouble)).count(), 1, "{trouble:?}");
        }
    }
    assert_ne!(rounds[0], rounds[1], "by chance which request it befalls");
    schedule.heal();
    assert!((0..SLOTS).all(|_| schedule.draw().is_none()));
}
