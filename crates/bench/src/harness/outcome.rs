//! The result of a measurement.

/// The result of a measurement. The error is a sentence for a person.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;
