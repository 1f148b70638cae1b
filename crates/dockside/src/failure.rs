//! Why a command failed.

/// Why the program can't do what it was asked: a sentence for a person.
pub struct Failure(pub String);

impl<E: std::fmt::Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}
