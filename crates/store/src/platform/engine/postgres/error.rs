//! Which errors of PostgreSQL may pass, and what of them may be logged.

use std::fmt;

use model::Error;
use tokio_postgres::error::SqlState;

/// An error of a statement, without the values that the statement had.
///
/// PostgreSQL quotes values in the detail of an error, down to whole rows with their addresses. Errors are logged, so the
/// detail is left out.
#[derive(Debug)]
struct StatementError(tokio_postgres::Error);

impl fmt::Display for StatementError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(error) = self.0.as_db_error() else { return write!(out, "{}", self.0) };
        write!(
            out,
            "PostgreSQL: {}: {} (SQLSTATE {}",
            error.severity(),
            error.message(),
            error.code().code()
        )?;
        for (what, name) in [("table", error.table()), ("constraint", error.constraint())] {
            if let Some(name) = name {
                write!(out, ", {what} {name}")?;
            }
        }
        out.write_str(")")
    }
}

impl std::error::Error for StatementError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The source of an error that the server reported is its text with the detail.
        match self.0.as_db_error() {
            Some(_) => None,
            None => self.0.source(),
        }
    }
}

/// Returns whether the same transaction may succeed if it is run again.
pub fn is_passing(error: &Error) -> bool {
    let Error::Fault(fault) = error else { return false };
    let Some(StatementError(error)) = fault.cause.downcast_ref() else {
        let Some(error) = fault.cause.downcast_ref() else { return false };
        return is_passing_error(error);
    };
    is_passing_error(error)
}

fn is_passing_error(error: &tokio_postgres::Error) -> bool {
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
        None => Error::unavailable(StatementError(error)),
        Some(code)
            if is_shutting_down(code)
                || *code == SqlState::QUERY_CANCELED
                || *code == SqlState::LOCK_NOT_AVAILABLE
                || *code == SqlState::TOO_MANY_CONNECTIONS
                || *code == SqlState::T_R_SERIALIZATION_FAILURE
                || *code == SqlState::T_R_DEADLOCK_DETECTED
                || *code == SqlState::DISK_FULL =>
        {
            Error::unavailable(StatementError(error))
        }
        Some(_) => Error::fault(StatementError(error)),
    }
}
