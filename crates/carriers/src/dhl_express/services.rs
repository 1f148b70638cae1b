//! DHL Express's products for parcels and documents.

/// A product of DHL Express.
pub struct Service {
    pub handle: &'static str,
    pub name: &'static str,
    pub code: &'static str,
}

const fn service(handle: &'static str, name: &'static str, code: &'static str) -> Service {
    Service { handle, name, code }
}

/// All services that can be bought. DHL says by the route which of them there are.
pub const SERVICES: &[Service] = &[
    service("dhl_express.worldwide", "Express Worldwide", "P"),
    service("dhl_express.worldwide_documents", "Express Worldwide, documents", "D"),
    service("dhl_express.worldwide_eu", "Express Worldwide within the EU", "U"),
    service("dhl_express.nine", "Express 9:00", "E"),
    service("dhl_express.nine_documents", "Express 9:00, documents", "K"),
    service("dhl_express.ten_thirty", "Express 10:30", "M"),
    service("dhl_express.ten_thirty_documents", "Express 10:30, documents", "L"),
    service("dhl_express.twelve", "Express 12:00", "Y"),
    service("dhl_express.twelve_documents", "Express 12:00, documents", "T"),
    service("dhl_express.economy_select", "Economy Select", "H"),
    service("dhl_express.economy_select_eu", "Economy Select within the EU", "W"),
    service("dhl_express.domestic", "Express Domestic", "N"),
    service("dhl_express.domestic_nine", "Express Domestic 9:00", "I"),
    service("dhl_express.domestic_ten", "Express Domestic 10:00", "O"),
    service("dhl_express.domestic_twelve", "Express Domestic 12:00", "1"),
    service("dhl_express.domestic_economy_select", "Economy Select within the country", "G"),
];

/// The service with this handle.
pub fn by_handle(handle: &str) -> Option<&'static Service> {
    SERVICES.iter().find(|service| service.handle == handle)
}

/// The service with this code.
pub fn by_code(code: &str) -> Option<&'static Service> {
    SERVICES.iter().find(|service| service.code == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_and_codes_are_unique() {
        for (place, one) in SERVICES.iter().enumerate() {
            assert!(one.handle.starts_with("dhl_express.") && one.code.len() == 1, "{}", one.handle);
            for other in &SERVICES[place + 1..] {
                assert!(one.handle != other.handle && one.code != other.code, "{}", one.handle);
            }
        }
        assert_eq!(by_handle("dhl_express.worldwide").map(|service| service.code), Some("P"));
        assert!(by_code("C").is_none(), "medical goods need a contract of their own");
    }
}
