//! A rate that EasyPost offers.

use model::platform::money::parse_amount;
use serde::Deserialize;

use super::services::handle;

#[derive(Deserialize)]
pub struct Rate {
    pub id: String,
    pub carrier: String,
    pub service: String,
    /// A decimal, as text.
    pub rate: String,
    pub currency: String,
    pub delivery_days: Option<f64>,
    /// The contract with the carrier. One API key may have several.
    pub carrier_account_id: Option<String>,
}

impl Rate {
    /// What programs call the service: `usps.ground_advantage`.
    pub fn handle(&self) -> String {
        handle(&self.carrier, &self.service)
    }

    pub fn amount(&self) -> Option<i64> {
        parse_amount(&self.rate, &self.currency)
    }
}
