//! What the end of a turn changes in the shipment of a purchase.

use ::carriers::Receipt;
use model::shipping::shipment::ShipmentError;

use crate::shipping::documents::StoredFile;

/// What changes in the shipment.
pub enum Change {
    Nothing,
    Failed(ShipmentError),
    /// It is unknown whether it was bought, and a person must find out.
    Review(ShipmentError),
    /// It is bought, but its label could not be drawn or stored yet: the shipment stays `purchasing`, and its batch waits.
    LabelFailed(ShipmentError),
    Bought {
        receipt: Receipt,
        files: Vec<StoredFile>,
        /// Whether the carrier delivers the label later.
        is_label_pending: bool,
        error: Option<ShipmentError>,
    },
}
