//! Labels that Dockside drew, drawn again from what is stored: in another format, or for another printer.

use labels::{Bought, Fonts, Scene};
use model::shipping::shipment::{LabelFormat, Shipment};
use model::{Error, Owner, Result, Timestamp, World};
use store::shipping::purchases::Purchase;

use crate::shipping::purchasing::{LABEL_SIZE, StoredReceipt};

/// What drawing a label needs, beside the shipment.
pub struct DrawnLabel {
    tracking_numbers: Vec<String>,
    is_test: bool,
    date: Timestamp,
}

impl DrawnLabel {
    /// Returns what drawing the label of a purchase needs. `None` if the carrier gave the label, or none is bought.
    pub fn of(owner: Owner, purchase: &Purchase) -> Option<Self> {
        let kept = StoredReceipt::of(purchase).ok().flatten().filter(|kept| kept.is_label_ours)?;
        Some(Self {
            tracking_numbers: kept.receipt.tracking_numbers,
            is_test: owner.world == World::Test,
            date: purchase.sent_at.unwrap_or(purchase.created_at),
        })
    }

    /// Draws the labels, one for each package, on the paper of this format.
    pub fn scenes(&self, shipment: &Shipment, format: LabelFormat, fonts: &Fonts) -> Result<Vec<Scene>> {
        labels::scenes(&self.bought(shipment), format, LABEL_SIZE, fonts).map_err(Error::fault)
    }

    fn bought<'a>(&'a self, shipment: &'a Shipment) -> Bought<'a> {
        let chosen = shipment.service.as_ref();
        Bought {
            shipment: &shipment.details,
            carrier: chosen.map_or("", |chosen| &chosen.carrier.name),
            service: chosen.map_or("", |chosen| &chosen.carrier_service.name),
            tracking_numbers: &self.tracking_numbers,
            is_test: self.is_test,
            date: self.date,
            reference: shipment.details.name.as_deref().unwrap_or_default(),
        }
    }
}
