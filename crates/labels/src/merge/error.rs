//! The error of merging.

/// The error of a label file that cannot be read.
#[derive(Debug)]
pub struct MergeError(pub(crate) String);

impl std::fmt::Display for MergeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the label can't be put into a file with others: {}", self.0)
    }
}

impl std::error::Error for MergeError {}
