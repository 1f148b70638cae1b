//! Barcodes as bits, and the digits that check their numbers. Pure: how they are drawn is the back ends' matter.

pub mod check_digit;
mod code128;
mod matrix;
mod qr;

pub use code128::{Code128, Element};
pub use matrix::{Matrix, MatrixKind};

/// The reason why a barcode cannot be made. Its text is for the caller that gave the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BarcodeError {
    /// A character that the code does not have.
    Unencodable(char),
    Empty,
    /// More than fits into the place that the label has for it.
    TooLong,
}

impl std::fmt::Display for BarcodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unencodable(c) => write!(f, "a barcode can't hold the character {c:?}: use ASCII"),
            Self::Empty => f.write_str("a barcode needs at least one character"),
            Self::TooLong => {
                f.write_str("the barcode's data is too long for its place on the label: shorten it")
            }
        }
    }
}

impl std::error::Error for BarcodeError {}
