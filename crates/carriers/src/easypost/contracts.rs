//! Several contracts with one carrier behind one key: the same service at several prices.
//!
//! A service that one contract offers is named by its handle, `usps.ground_advantage`. If several contracts offer it, the
//! handle ends with the name of the contract, so that the chosen rate is the one that is bought.

use super::rate::Rate;
use super::services::snake;
use crate::Quote;

/// How the name of a contract begins in a handle: EasyPost's names of carrier accounts begin with `ca_`.
const CONTRACT: &str = ".ca_";

/// Returns the rates as quotes, without those whose price can't be read.
pub fn quotes(rates: &[Rate]) -> Vec<Quote> {
    let quote = |rate: &Rate| {
        let is_shared = rates.iter().filter(|other| other.handle() == rate.handle()).count() > 1;
        Some(Quote {
            service: if is_shared { with_contract(rate) } else { rate.handle() },
            amount: rate.amount()?,
            currency: rate.currency.clone(),
            delivery_days: rate.delivery_days.map(|days| days as i64),
        })
    };
    rates.iter().filter_map(quote).collect()
}

/// Returns the rate of a service: that of the contract in its handle, or the lowest if the handle names none.
pub fn rate_of<'a>(rates: &'a [Rate], service: &str) -> Option<&'a Rate> {
    let is_of_contract = |rate: &&&Rate| with_contract(rate) == service;
    let is_of_service = |rate: &&&Rate| rate.handle() == service;
    let readable: Vec<&Rate> = rates.iter().filter(|rate| rate.amount().is_some()).collect();
    let lowest = |rates: Vec<&'a Rate>| rates.into_iter().min_by_key(|rate| rate.amount());
    let exact: Vec<_> = readable.iter().filter(is_of_contract).copied().collect();
    lowest(exact).or_else(|| lowest(readable.iter().filter(is_of_service).copied().collect()))
}

/// Returns whether a quoted service is the wanted one, with any contract.
pub fn is_service(quoted: &str, wanted: &str) -> bool {
    quoted.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with(CONTRACT))
}

/// Returns the carrier that transports the parcels of a service, such as `usps`.
pub fn carrier_of(service: &str) -> &str {
    service.split('.').next().unwrap_or_default()
}

fn with_contract(rate: &Rate) -> String {
    match rate.carrier_account_id.as_deref().map(snake) {
        Some(contract) if format!(".{contract}").starts_with(CONTRACT) => {
            format!("{}.{contract}", rate.handle())
        }
        _ => rate.handle(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rate(id: &str, service: &str, contract: Option<&str>, price: &str) -> Rate {
        let rate = json!({"id": id, "carrier": "USPS", "service": service, "rate": price, "currency": "USD",
            "carrier_account_id": contract});
        serde_json::from_value(rate).unwrap()
    }

    #[test]
    fn the_contract_is_named_where_several_offer_a_service() {
        let rates = [
            rate("1", "Priority", Some("ca_a1"), "6.00"),
            rate("2", "Priority", Some("ca_b2"), "5.00"),
            rate("3", "Express", Some("ca_a1"), "30.00"),
            rate("4", "Priority", Some("ca_c3"), "?"),
        ];
        let quoted: Vec<_> = quotes(&rates).into_iter().map(|quote| (quote.service, quote.amount)).collect();
        let expected = [("usps.priority.ca_a1", 600), ("usps.priority.ca_b2", 500), ("usps.express", 3000)];
        assert_eq!(quoted, expected.map(|(service, amount)| (service.to_owned(), amount)));
        let bought = |service: &str| rate_of(&rates, service).map(|rate| rate.id.as_str());
        assert_eq!(bought("usps.priority.ca_a1"), Some("1"));
        assert_eq!(bought("usps.priority.ca_b2"), Some("2"));
        assert_eq!(bought("usps.priority"), Some("2"), "the lowest");
        assert_eq!(
            bought("usps.express.ca_a1"),
            Some("3"),
            "a contract may be named although it is the only one"
        );
        assert_eq!(bought("usps.priority.ca_zz"), None, "another contract is another price");
        for quote in quotes(&rates) {
            assert!(rate_of(&rates, &quote.service).is_some(), "{}", quote.service);
            assert_eq!(carrier_of(&quote.service), "usps");
        }
        assert!(
            is_service("usps.priority.ca_a1", "usps.priority")
                && is_service("usps.priority", "usps.priority")
        );
        assert!(!is_service("usps.priority_mail", "usps.priority") && !is_service("usps.p", "usps.priority"));
    }
}
