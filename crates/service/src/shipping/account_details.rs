//! What a carrier account says of itself, as it is stored.

use model::shipping::carrier::AccountDetails;
use model::{Error, Result};
use store::shipping::carrier_accounts::StoredCarrierAccount;

/// What an account says of itself.
pub fn details(stored: &StoredCarrierAccount) -> Result<AccountDetails> {
    serde_json::from_str(&stored.details).map_err(Error::fault)
}
