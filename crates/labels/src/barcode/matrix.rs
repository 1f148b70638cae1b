//! Two-dimensional codes as bits: QR is our own, GS1 Data Matrix is by `datamatrix`.

use super::{BarcodeError, qr};
use datamatrix::{DataMatrix, SymbolList};
use std::sync::OnceLock;

/// The longest payload, in bytes; more would need modules too small for 203 dpi.
pub const MAX_BYTES: usize = 150;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixKind {
    Qr,
    /// With FNC1 in front; element strings of variable length are ended by GS (U+001D).
    Gs1DataMatrix,
}

/// A square of modules.
///
/// A QR code's modules are computed when they are first asked for: a printer that draws the code itself needs only the
/// payload and the size.
#[derive(Debug, Clone)]
pub struct Matrix {
    pub kind: MatrixKind,
    pub payload: String,
    /// Modules on a side.
    pub side: usize,
    modules: OnceLock<Vec<bool>>,
}

impl Matrix {
    pub fn new(kind: MatrixKind, payload: &str) -> Result<Self, BarcodeError> {
        if payload.is_empty() {
            return Err(BarcodeError::Empty);
        }
        if payload.len() > MAX_BYTES {
            return Err(BarcodeError::TooLong);
        }
        let (side, modules) = match kind {
            MatrixKind::Qr => (qr::side(payload).ok_or(BarcodeError::TooLong)?, OnceLock::new()),
            MatrixKind::Gs1DataMatrix => {
                let (side, modules) = data_matrix(payload)?;
                (side, OnceLock::from(modules))
            }
        };
        Ok(Self { kind, payload: payload.to_owned(), side, modules })
    }

    /// The modules row by row; true is dark.
    pub fn modules(&self) -> &[bool] {
        // What has a size can be encoded: the size was chosen for it.
        self.modules
            .get_or_init(|| qr::modules(&self.payload).unwrap_or_else(|| vec![false; self.side * self.side]))
    }

    /// How many light modules must surround it.
    pub fn quiet_zone(&self) -> usize {
        match self.kind {
            MatrixKind::Qr => 4,
            MatrixKind::Gs1DataMatrix => 1,
        }
    }
}

fn data_matrix(payload: &str) -> Result<(usize, Vec<bool>), BarcodeError> {
    if let Some(c) = payload.chars().find(|c| !c.is_ascii()) {
        return Err(BarcodeError::Unencodable(c));
    }
    let code = DataMatrix::encode_gs1(payload.as_bytes(), SymbolList::default().enforce_square());
    let bitmap = code.map_err(|_| BarcodeError::TooLong)?.bitmap();
    Ok((bitmap.width(), bitmap.bits().to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_it_cannot_hold_is_refused() {
        let refused = |kind: MatrixKind, payload: &str| Matrix::new(kind, payload).unwrap_err();
        assert_eq!(refused(MatrixKind::Qr, ""), BarcodeError::Empty);
        assert_eq!(refused(MatrixKind::Qr, &"x".repeat(151)), BarcodeError::TooLong);
        assert_eq!(refused(MatrixKind::Gs1DataMatrix, "é"), BarcodeError::Unencodable('é'));
    }

    proptest! {
        #[test]
        fn every_payload_up_to_the_limit_becomes_a_square(payload in "[ -~]{1,150}", is_qr in any::<bool>()) {
            let kind = if is_qr { MatrixKind::Qr } else { MatrixKind::Gs1DataMatrix };
            let matrix = Matrix::new(kind, &payload).unwrap();
            prop_assert_eq!(matrix.modules().len(), matrix.side * matrix.side);
        }

        #[test]
        fn a_data_matrix_reads_back(payload in "[0-9A-Z]{1,60}") {
            let matrix = Matrix::new(MatrixKind::Gs1DataMatrix, &payload).unwrap();
            let read = DataMatrix::decode(matrix.modules(), matrix.side).unwrap();
            prop_assert!(read.ends_with(payload.as_bytes()), "{:?}", read);
        }
    }
}
