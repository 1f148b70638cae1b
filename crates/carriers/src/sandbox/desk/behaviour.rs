//! The configured behaviour of the carrier.

use std::time::Duration;

use super::fault::Faults;
use crate::sandbox::settings::{Mode, Settings};

/// The configured behaviour of the carrier.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Desk {
    pub mode: Mode,
    /// The delay of every answer.
    pub latency: Duration,
    /// How long a purchase is invisible to look-ups.
    pub visibility_delay: Duration,
    pub faults: Faults,
    pub seed: u64,
}

impl Desk {
    /// Returns the behaviour of the in-process carrier of an account with these settings.
    pub fn of(settings: &Settings) -> Self {
        let visibility_delay = Duration::from_millis(settings.visibility_delay_ms);
        Self { mode: settings.mode, visibility_delay, ..Self::default() }
    }
}
