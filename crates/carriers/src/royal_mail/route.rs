//! Where the parcels of Royal Mail come from and go to.

use model::shipping::shipment::AddressRecord;

/// The country in which Royal Mail collects.
const HOME: &str = "GB";

/// Returns whether the address is in the country in which Royal Mail collects.
pub fn is_home(record: &AddressRecord) -> bool {
    record.address.country_code.as_str() == HOME
}
