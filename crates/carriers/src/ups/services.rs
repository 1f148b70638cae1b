//! UPS's services for parcels, and how large a parcel may be.
//!
//! UPS has one code for services of several names: 01 is Next Day Air in the United States and Express in Canada. Freight, Mail
//! Innovations, Access Point and same-day services need data that a shipment does not have, and are left out.

/// A service of UPS.
pub struct Service {
    pub handle: &'static str,
    pub name: &'static str,
    pub code: &'static str,
    /// The countries from which it starts; empty if UPS decides by the route.
    pub origins: &'static [&'static str],
}

const fn service(
    handle: &'static str,
    name: &'static str,
    code: &'static str,
    origins: &'static [&'static str],
) -> Service {
    Service { handle, name, code, origins }
}

/// All services that can be bought.
pub const SERVICES: &[Service] = &[
    service("ups.ground", "UPS Ground", "03", &["US", "PR"]),
    service("ups.three_day_select", "UPS 3 Day Select", "12", &["US", "CA"]),
    service("ups.second_day_air", "UPS 2nd Day Air", "02", &["US", "PR", "CA"]),
    service("ups.second_day_air_am", "UPS 2nd Day Air A.M.", "59", &["US"]),
    service("ups.next_day_air_saver", "UPS Next Day Air Saver", "13", &["US", "CA"]),
    service("ups.next_day_air", "UPS Next Day Air (Express from Canada)", "01", &["US", "PR", "CA"]),
    service("ups.next_day_air_early", "UPS Next Day Air Early", "14", &["US", "PR", "CA"]),
    service("ups.standard", "UPS Standard", "11", &[]),
    service("ups.expedited", "UPS Worldwide Expedited", "08", &[]),
    service("ups.saver", "UPS Worldwide Saver", "65", &[]),
    service("ups.express", "UPS Worldwide Express", "07", &[]),
    service("ups.express_plus", "UPS Worldwide Express Plus", "54", &[]),
    service("ups.express_1200", "UPS Express 12:00", "74", &[]),
];

/// Most grams of a package: 150 pounds where UPS weighs in pounds, and 70 kg elsewhere.
pub const GRAMS_MAX_IMPERIAL: i64 = 68_038;
pub const GRAMS_MAX_METRIC: i64 = 70_000;
/// Longest side of a package: 108 inches or 270 cm, whichever UPS measures in.
pub const SIDE_MM_MAX: i64 = 2_743;
pub const SIDE_MM_MAX_METRIC: i64 = 2_700;
/// Most of the length and the girth together: 165 inches, or 400 cm.
pub const GIRTH_MM_MAX: i64 = 4_191;
pub const GIRTH_MM_MAX_METRIC: i64 = 4_000;
/// Most packages of a shipment. UPS takes 200 on some routes; a shipment has at most 99.
pub const PACKAGES_MAX: usize = 99;

/// The service with this handle.
pub fn by_handle(handle: &str) -> Option<&'static Service> {
    SERVICES.iter().find(|service| service.handle == handle)
}

/// The service with this code.
pub fn by_code(code: &str) -> Option<&'static Service> {
    SERVICES.iter().find(|service| service.code == code)
}

/// UPS's own packages, and what a shipment's `predefined_package_code` calls them.
pub const PACKAGES: &[(&str, &str)] = &[
    ("ups_letter", "01"),
    ("ups_tube", "03"),
    ("ups_pak", "04"),
    ("ups_express_box", "21"),
    ("ups_25kg_box", "24"),
    ("ups_10kg_box", "25"),
    ("ups_express_box_small", "2a"),
    ("ups_express_box_medium", "2b"),
    ("ups_express_box_large", "2c"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_and_codes_are_unique() {
        for (place, one) in SERVICES.iter().enumerate() {
            assert!(one.handle.starts_with("ups.") && one.code.len() == 2, "{}", one.handle);
            for other in &SERVICES[place + 1..] {
                assert!(one.handle != other.handle && one.code != other.code, "{}", one.handle);
            }
        }
        assert_eq!(by_handle("ups.ground").map(|service| service.code), Some("03"));
        assert!(by_code("96").is_none(), "freight needs pallets");
    }
}
