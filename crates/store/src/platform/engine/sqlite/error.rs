//! Which errors of SQLite may pass.

use model::Error;

/// Returns the error that the caller gets. If the database is busy, or its disk is full or fails, the same request may
/// succeed later.
pub fn fault(error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked, DiskFull, ReadOnly, SystemIoFailure};
    match error.sqlite_error_code() {
        Some(DatabaseBusy | DatabaseLocked | DiskFull | ReadOnly | SystemIoFailure) => {
            Error::unavailable(error)
        }
        _ => Error::fault(error),
    }
}
