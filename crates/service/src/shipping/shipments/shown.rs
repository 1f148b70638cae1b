//! A shipment as it is shown.

use model::shipping::document::Document;
use model::{Error, Result};

use crate::platform::resource::json;

/// A shipment's document with its files.
pub fn shown(doc: &str, documents: &[Document]) -> Result<String> {
    let open = doc.strip_suffix('}').ok_or_else(|| Error::fault("a shipment's document is not an object"))?;
    Ok(format!("{open},\"documents\":{}}}", json(&documents)?))
}
