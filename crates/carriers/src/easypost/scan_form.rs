//! EasyPost's scan form, and what its state means for a manifest.

use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde::Deserialize;

use crate::{FileFormat, Label, Manifested, Outcome};

/// A form, as far as it matters here.
#[derive(Deserialize)]
pub struct ScanForm {
    pub id: String,
    /// `creating`, `created` or `failed`.
    status: String,
    message: Option<String>,
    #[serde(default)]
    tracking_codes: Vec<String>,
    form_url: Option<String>,
}

impl ScanForm {
    /// Whether it holds parcels, or soon will.
    pub fn is_standing(&self) -> bool {
        self.status != "failed"
    }

    pub fn outcome(self, parcels: usize) -> Outcome {
        let held = self.tracking_codes.len();
        match self.status.as_str() {
            "creating" => Outcome::Manifesting(self.id),
            // Some of the parcels were closed out elsewhere. The others must not be reported as handed over.
            "created" if held != 0 && held != parcels => rejected(format!(
                "EasyPost has {held} parcels in the scan form {}, not these {parcels}: close out the others without it.",
                self.id
            )),
            "created" => {
                let form = self.form_url.map(|url| Label::At { format: FileFormat::Pdf, url });
                Outcome::Manifested(Manifested { manifest: self.id, form })
            }
            status => rejected(self.message.unwrap_or_else(|| format!("The scan form is {status}."))),
        }
    }
}

pub fn rejected(message: String) -> Outcome {
    let code = ErrorCode::ServiceUnavailable;
    Outcome::Rejected(ShipmentError::new(ErrorType::Manifest, code, Source::Carrier, message))
}
