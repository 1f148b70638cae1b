//! How long carriers have for a call.

use std::time::Duration;

/// How long a server waits for a carrier. It is short in runs that lose answers on purpose, so that many can be lost.
pub const CALL: Duration = Duration::from_secs(2);
