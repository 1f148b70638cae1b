//! The error of an operation: a refusal or an internal error.

use std::fmt;

use super::{Code, Problem};

/// The result of an operation that may be refused or fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error of an operation: a refusal, or an internal error.
pub enum Error {
    Refused(Box<Problem>),
    Fault(Fault),
}

/// An internal error and its cause.
pub struct Fault {
    /// The code that the caller sees: 500, or 503 if a retry may succeed.
    pub shown: Code,
    pub cause: Box<dyn std::error::Error + Send + Sync>,
}

impl Error {
    /// Creates an internal error. The caller sees only a request id.
    pub fn fault(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Fault(Fault { shown: Code::Internal, cause: cause.into() })
    }

    /// Creates the error of an unreachable database. The same request may succeed later.
    pub fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Fault(Fault { shown: Code::StoreUnavailable, cause: cause.into() })
    }

    /// Returns whether the database is unreachable or cannot be written to.
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Self::Fault(fault) if fault.shown == Code::StoreUnavailable)
    }
}

impl From<Code> for Error {
    fn from(code: Code) -> Self {
        Self::Refused(Box::new(code.into()))
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::Refused(Box::new(problem))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Refused(problem) => {
                let detail = problem.detail.as_deref().unwrap_or_else(|| problem.code.title());
                write!(out, "{}: {detail}", problem.code.as_str())
            }
            Error::Fault(fault) => {
                write_cause(out, &*fault.cause)?;
                let mut cause = fault.cause.source();
                while let Some(deeper) = cause {
                    out.write_str(": ")?;
                    write_cause(out, deeper)?;
                    cause = deeper.source();
                }
                Ok(())
            }
        }
    }
}

/// Writes a cause without values of the document that caused it: faults are logged, and documents hold addresses.
fn write_cause(out: &mut fmt::Formatter<'_>, cause: &(dyn std::error::Error + 'static)) -> fmt::Result {
    match cause.downcast_ref::<serde_json::Error>() {
        Some(error) => {
            let (kind, line, column) = (error.classify(), error.line(), error.column());
            write!(out, "JSON can't be read: {kind:?} error at line {line} column {column}")
        }
        None => write!(out, "{cause}"),
    }
}

/// Returns a refusal with the code if the condition is false.
pub fn ensure(claim: bool, code: Code) -> Result<()> {
    if claim { Ok(()) } else { Err(code.into()) }
}
