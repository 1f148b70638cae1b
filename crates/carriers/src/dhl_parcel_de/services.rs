//! DHL's products for parcels, and how large a parcel may be.
//!
//! V62WP (Warenpost) is not offered: DHL has replaced it by V62KP (Kleinpaket).

/// Where a service leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Domestic,
    Abroad,
    /// From a customer back to the address that DHL has for the receiver.
    Return,
}

/// A service of DHL.
#[derive(Debug)]
pub struct Service {
    pub handle: &'static str,
    pub name: &'static str,
    /// DHL's name of the product.
    pub product: &'static str,
    pub reach: Reach,
    /// Which of the two speeds of a product is asked for, if it has two.
    pub is_premium: Option<bool>,
    /// The most grams of a package.
    pub grams_max: i64,
    /// The longest sides of a package in millimetres, the longest first. DHL decides about the others.
    pub sides_max: Option<[i64; 3]>,
}

/// A parcel that sorting machines take, and one that is bulky (`Sperrgut`).
const PARCEL_SIDES: [i64; 3] = [1200, 600, 600];
const BULKY_SIDE_MAX: i64 = 2000;
const BULKY_GIRTH_MAX: i64 = 3600;
const PARCEL_GRAMS: i64 = 31_500;
const SMALL_GRAMS: i64 = 1000;

const fn parcel(
    handle: &'static str,
    name: &'static str,
    product: &'static str,
    reach: Reach,
    is_premium: Option<bool>,
) -> Service {
    let (grams_max, sides_max) = (PARCEL_GRAMS, Some(PARCEL_SIDES));
    Service { handle, name, product, reach, is_premium, grams_max, sides_max }
}

const fn small(handle: &'static str, name: &'static str, product: &'static str, reach: Reach) -> Service {
    Service { handle, name, product, reach, is_premium: None, grams_max: SMALL_GRAMS, sides_max: None }
}

/// Most packages of a shipment. A look-up asks once for each number of packages, in as many requests as a task may have; and a dry run
/// has a shipment for each package and service, of which DHL takes thirty.
pub const PACKAGES_MAX: usize = 6;

/// All services that can be bought.
pub const SERVICES: &[Service] = &[
    parcel("dhl_parcel_de.paket", "DHL Paket", "V01PAK", Reach::Domestic, None),
    small("dhl_parcel_de.kleinpaket", "DHL Kleinpaket", "V62KP", Reach::Domestic),
    parcel(
        "dhl_parcel_de.paket_international",
        "DHL Paket International Economy",
        "V53WPAK",
        Reach::Abroad,
        Some(false),
    ),
    parcel(
        "dhl_parcel_de.paket_international_premium",
        "DHL Paket International Premium",
        "V53WPAK",
        Reach::Abroad,
        Some(true),
    ),
    parcel("dhl_parcel_de.europaket", "DHL Europaket", "V54EPAK", Reach::Abroad, None),
    small("dhl_parcel_de.warenpost_international", "Warenpost International", "V66WPI", Reach::Abroad),
    parcel("dhl_parcel_de.retoure", "DHL Retoure", "V07PAK", Reach::Return, None),
];

/// The products that are billed on numbers of their own, and the two digits that each of these numbers has for its product.
pub const BILLED: &[(&str, &str)] =
    &[("V01PAK", "01"), ("V62KP", "62"), ("V53WPAK", "53"), ("V54EPAK", "54"), ("V66WPI", "66")];

/// The service with this handle.
pub fn by_handle(handle: &str) -> Option<&'static Service> {
    SERVICES.iter().find(|service| service.handle == handle)
}

/// The handles of all services.
pub fn handles() -> Vec<&'static str> {
    SERVICES.iter().map(|service| service.handle).collect()
}

impl Service {
    /// Whether a package is not too heavy or too large. `sides` are millimetres, the longest first.
    pub fn takes(&self, grams: i64, sides: Option<[i64; 3]>, is_bulky: bool) -> bool {
        let fits = match (self.sides_max, sides) {
            (Some(_), Some([length, width, height])) if is_bulky => {
                length <= BULKY_SIDE_MAX && length + 2 * (width + height) <= BULKY_GIRTH_MAX
            }
            (Some(most), Some(sides)) => sides.iter().zip(most).all(|(side, most)| *side <= most),
            _ => true,
        };
        grams <= self.grams_max && fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_unique_and_every_product_is_billed() {
        for (place, one) in SERVICES.iter().enumerate() {
            assert!(one.handle.starts_with("dhl_parcel_de."), "{}", one.handle);
            assert!(!SERVICES[place + 1..].iter().any(|other| other.handle == one.handle), "{}", one.handle);
            let is_billed = BILLED.iter().any(|(product, _)| *product == one.product);
            assert_eq!(is_billed, one.reach != Reach::Return, "{}", one.handle);
        }
        assert_eq!(by_handle("dhl_parcel_de.paket").map(|service| service.product), Some("V01PAK"));
        assert_eq!(by_handle("dhl_parcel_de.warenpost").map(|service| service.product), None);
    }

    #[test]
    fn a_parcel_has_a_greatest_mass_and_greatest_sides() {
        let takes = |handle: &str, grams, sides, is_bulky| {
            by_handle(handle).is_some_and(|service| service.takes(grams, sides, is_bulky))
        };
        let paket = "dhl_parcel_de.paket";
        assert!(takes(paket, 31_500, Some([1200, 600, 600]), false));
        assert!(!takes(paket, 31_501, None, false));
        assert!(!takes(paket, 1, Some([1201, 10, 10]), false));
        assert!(takes(paket, 1, Some([2000, 400, 400]), true), "bulky goods are longer");
        assert!(!takes(paket, 1, Some([2000, 401, 400]), true));
        assert!(takes("dhl_parcel_de.kleinpaket", 1000, Some([353, 250, 80]), false));
        assert!(!takes("dhl_parcel_de.kleinpaket", 1001, None, false));
    }
}
