//! Parts of addresses that several shops write in ways that the model does not read.

use crate::order::ShopAddress;

/// Returns the code of a province in the model's form: `de-be` and `DE-BE` are `BE` in Germany.
pub fn province(country: Option<&str>, province: Option<String>) -> Option<String> {
    let (Some(country), Some(province)) = (country, &province) else { return province };
    let prefix = province.get(..country.len()).filter(|prefix| prefix.eq_ignore_ascii_case(country));
    match prefix.and_then(|prefix| province[prefix.len()..].strip_prefix('-')) {
        Some(code) if !code.is_empty() => Some(code.to_ascii_uppercase()),
        _ => Some(province.clone()),
    }
}

/// Returns an address if it says where something is; else `None`. Shops send addresses with empty fields.
pub fn known(address: ShopAddress) -> Option<ShopAddress> {
    (address.line_1.is_some() || address.city.is_some()).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_province_is_named_without_its_country() {
        let of = |country, text: &str| province(Some(country), Some(text.to_owned()));
        assert_eq!(of("DE", "DE-BE").as_deref(), Some("BE"));
        assert_eq!(of("US", "us-ca").as_deref(), Some("CA"));
        for kept in ["CA", "US-", "Üb", "U", ""] {
            assert_eq!(of("US", kept).as_deref(), Some(kept));
        }
        assert_eq!(province(None, Some("US-CA".to_owned())).as_deref(), Some("US-CA"));
    }
}
