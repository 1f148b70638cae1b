//! Which errors of PostgreSQL may pass.

use model::Error;
use tokio_postgres::error::SqlState;

/// Returns whether the same transaction may succeed if it is run again.
pub fn is_passing(error: &Error) -> bool {
    let Error::Fault(fault) = error else { return false };
    let Some(error) = fault.cause.downcast_ref::<tokio_postgres::Error>() else { return false };
    match error.code() {
        Some(code) => {
            *code == SqlState::T_R_SERIALIZATION_FAILURE
                || *code == SqlState::T_R_DEADLOCK_DETECTED
                || is_shutting_down(code)
        }
        // The error does not come from the server: the connection was lost, or could not be opened.
        None => {
            error.is_closed()
                || error.to_string().contains("connect")
                || error.to_string().contains("communicating")
        }
    }
}

/// Returns whether the server refused because it shuts down or starts.
pub fn is_shutting_down(code: &SqlState) -> bool {
    *code == SqlState::ADMIN_SHUTDOWN
        || *code == SqlState::CRASH_SHUTDOWN
        || *code == SqlState::CANNOT_CONNECT_NOW
}

/// Returns the error that the caller gets. It says whether the same request may succeed later.
pub fn fault(error: tokio_postgres::Error) -> Error {
    match error.code() {
        None => Error::unavailable(error),
        Some(code)
            if is_shutting_down(code)
                || *code == SqlState::QUERY_CANCELED
                || *code == SqlState::LOCK_NOT_AVAILABLE
                || *code == SqlState::TOO_MANY_CONNECTIONS
                || *code == SqlState::T_R_SERIALIZATION_FAILURE
                || *code == SqlState::T_R_DEADLOCK_DETECTED
                || *code == SqlState::DISK_FULL =>
        {
            Error::unavailable(error)
        }
        Some(_) => Error::fault(error),
    }
}
