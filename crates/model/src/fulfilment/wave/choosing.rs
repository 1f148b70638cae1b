//! The choice of a service by its rate.

use crate::fulfilment::shipping_rule::{Choice, Choose, ServiceName};
use crate::shipping::rate::Rate;

/// Returns the rate that a rule chooses, or `None` if none of them qualifies.
///
/// Prices in several currencies can't be compared, so only rates in the currency of the first one count. A rate without
/// delivery days is the slowest.
pub fn choose_rate<'a>(choose: &Choose, rates: &'a [Rate]) -> Option<&'a Rate> {
    let is_named = |rate: &&Rate| choose.among.is_empty() || choose.among.iter().any(|one| is_of(one, rate));
    let is_in_time = |rate: &&Rate| match choose.by {
        Choice::CheapestWithinDays => {
            rate.delivery_days.zip(choose.days).is_some_and(|(days, most)| days <= most)
        }
        Choice::Cheapest | Choice::Fastest => true,
    };
    let currency = rates.iter().find(is_named).map(|rate| rate.currency_code.as_str())?;
    let candidates =
        rates.iter().filter(is_named).filter(is_in_time).filter(|rate| rate.currency_code == currency);
    let days = |rate: &Rate| rate.delivery_days.unwrap_or(i64::MAX);
    // Equal rates are told apart by their names, so that the choice does not depend on which carrier answered first.
    let name = |rate: &Rate| {
        let account = rate.carrier_account.as_ref().map(|account| account.id.to_string());
        (account, rate.carrier_service.handle.clone())
    };
    match choose.by {
        Choice::Fastest => candidates.min_by_key(|rate| (days(rate), rate.rate, name(rate))),
        Choice::Cheapest | Choice::CheapestWithinDays => {
            candidates.min_by_key(|rate| (rate.rate, days(rate), name(rate)))
        }
    }
}

fn is_of(named: &ServiceName, rate: &Rate) -> bool {
    let account = rate.carrier_account.as_ref().map(|account| account.id.to_string());
    account.as_ref() == Some(&named.carrier_account)
        && named
            .carrier_service
            .as_ref()
            .is_none_or(|service| rate.carrier_service.handle.as_ref() == Some(service))
}
