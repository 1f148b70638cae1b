//! Work that is set aside because servers stopped while they worked on it (decision 28): what it is told, and how it is resumed
//! before that.

use std::time::Duration;

/// What is said of work that is set aside.
pub const SET_ASIDE: &str = "A server stopped three times while it worked on this, so it was set aside.";
/// What is said of purchases and deliveries.
pub const SET_ASIDE_ALONE: &str = "Servers stopped each time they worked on this, three times while they worked on it alone, so it was set aside.";
/// How long a carrier or a receiver may take to answer while nothing else is resumed. A timeout is recorded as a failed attempt.
pub const ALONE_CALL_TIME: Duration = Duration::from_secs(3);
/// The stops of a purchase or a lane that was not resumed alone yet.
pub const STOPS_FIRST: i64 = 2;
