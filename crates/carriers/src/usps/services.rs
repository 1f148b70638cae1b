//! USPS's services for parcels, and its own packages.

use model::shipping::shipment::Package;

/// A service of USPS.
pub struct Service {
    pub handle: &'static str,
    pub name: &'static str,
    /// USPS's name of it.
    pub mail_class: &'static str,
    /// The name of the same service for returns, if it takes them.
    pub return_class: Option<&'static str>,
    pub is_international: bool,
    /// The kind of price of a package of the customer's own.
    pub rate_indicator: &'static str,
}

const fn service(
    handle: &'static str,
    name: &'static str,
    mail_class: &'static str,
    return_class: Option<&'static str>,
    is_international: bool,
    rate_indicator: &'static str,
) -> Service {
    Service { handle, name, mail_class, return_class, is_international, rate_indicator }
}

/// All services that can be bought.
pub const SERVICES: &[Service] = &[
    service(
        "usps.ground_advantage",
        "USPS Ground Advantage",
        "USPS_GROUND_ADVANTAGE",
        Some("USPS_GROUND_ADVANTAGE_RETURN_SERVICE"),
        false,
        "SP",
    ),
    service(
        "usps.priority_mail",
        "Priority Mail",
        "PRIORITY_MAIL",
        Some("PRIORITY_MAIL_RETURN_SERVICE"),
        false,
        "SP",
    ),
    service(
        "usps.priority_mail_express",
        "Priority Mail Express",
        "PRIORITY_MAIL_EXPRESS",
        Some("PRIORITY_MAIL_EXPRESS_RETURN_SERVICE"),
        false,
        "PA",
    ),
    service("usps.media_mail", "Media Mail", "MEDIA_MAIL", None, false, "SP"),
    service("usps.library_mail", "Library Mail", "LIBRARY_MAIL", None, false, "SP"),
    service(
        "usps.first_class_package_international",
        "First-Class Package International Service",
        "FIRST-CLASS_PACKAGE_INTERNATIONAL_SERVICE",
        None,
        true,
        "SP",
    ),
    service(
        "usps.priority_mail_international",
        "Priority Mail International",
        "PRIORITY_MAIL_INTERNATIONAL",
        None,
        true,
        "SP",
    ),
    service(
        "usps.priority_mail_express_international",
        "Priority Mail Express International",
        "PRIORITY_MAIL_EXPRESS_INTERNATIONAL",
        None,
        true,
        "PA",
    ),
];

/// USPS's own packages: what a shipment's `predefined_package_code` calls them, and the kinds of price they have.
pub const PACKAGES: &[(&str, &[&str])] = &[
    ("usps_flat_rate_envelope", &["FE", "E4"]),
    ("usps_legal_flat_rate_envelope", &["FA", "E6"]),
    ("usps_padded_flat_rate_envelope", &["FP"]),
    ("usps_small_flat_rate_box", &["FS"]),
    ("usps_medium_flat_rate_box", &["FB"]),
    ("usps_large_flat_rate_box", &["PL"]),
];

/// Most grams of a parcel: 70 pounds.
pub const GRAMS_MAX: i64 = 31_751;
/// Most of the length and the girth together: 130 inches.
pub const GIRTH_MM_MAX: i64 = 3_302;

/// The service with this handle.
pub fn by_handle(handle: &str) -> Option<&'static Service> {
    SERVICES.iter().find(|service| service.handle == handle)
}

/// The service with this name at USPS.
pub fn by_class(class: &str) -> Option<&'static Service> {
    SERVICES.iter().find(|service| service.mail_class == class || service.return_class == Some(class))
}

/// Returns the kinds of price that USPS has for a package; `None` if it has no such package.
pub fn package_indicators(package: &Package) -> Option<&'static [&'static str]> {
    match package.predefined_package_code.as_deref() {
        None => Some(&[]),
        Some(name) => PACKAGES.iter().find(|(known, _)| *known == name).map(|(_, indicators)| *indicators),
    }
}

/// Returns whether a kind of price is that of this package with this service.
pub fn is_price_of(service: &Service, package: &Package, indicator: &str) -> bool {
    match package_indicators(package) {
        Some([]) => service.rate_indicator == indicator,
        Some(known) => known.contains(&indicator),
        None => false,
    }
}

/// Returns the kind of price to buy.
pub fn indicator(service: &Service, package: &Package) -> Option<&'static str> {
    let known = package_indicators(package)?;
    // Express has flat-rate envelopes of its own.
    let is_express = service.mail_class.starts_with("PRIORITY_MAIL_EXPRESS");
    match known {
        [] => Some(service.rate_indicator),
        [_, express] if is_express => Some(express),
        [indicator, ..] => Some(indicator),
    }
}
