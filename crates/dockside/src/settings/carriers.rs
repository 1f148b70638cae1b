//! Settings of carriers: where they are, and how long they are waited for.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::str::FromStr;

use ::carriers::{Address, Connector};
use clap::Args;
use serde::Deserialize;
use service::shipping::purchasing;

use super::Limits;
use super::group::{group, require_positive};
use super::url::plain_url;
use crate::failure::Failure;

#[derive(Args, Default, Clone)]
#[command(next_help_heading = "Carriers and purchases")]
pub struct Carriers {
    /// Addresses of carriers that are not where everyone finds them, such as a proxy's, as
    /// `easypost=https://proxy.example.com/v2`; separated by commas [default: the carriers' own].
    #[arg(long, env = "DOCKSIDE_CARRIER_URLS", value_name = "HANDLE=URL")]
    pub carrier_urls: Option<CarrierUrls>,

    /// Seconds that each carrier account may take to give its rates [default: 10].
    #[arg(long, env = "DOCKSIDE_CARRIER_RATE_SECONDS", value_name = "SECONDS")]
    pub carrier_rate_seconds: Option<u64>,

    /// Seconds that a carrier may take to sell, to look something up or to take it back [default: 30].
    #[arg(long, env = "DOCKSIDE_CARRIER_SECONDS", value_name = "SECONDS")]
    pub carrier_seconds: Option<u64>,

    /// Calls to one carrier account at once, from this server [default: 8].
    #[arg(long, env = "DOCKSIDE_CARRIER_CALLS_MAX", value_name = "N")]
    pub carrier_calls_max: Option<usize>,

    /// Seconds that a purchase is waited for before it is answered with 202; 0 does not wait [default: 5].
    #[arg(long, env = "DOCKSIDE_PURCHASE_WAIT_SECONDS", value_name = "SECONDS")]
    pub purchase_wait_seconds: Option<u64>,

    /// Seconds that it may stay unknown whether something was bought before a person is asked [default: 86400].
    #[arg(long, env = "DOCKSIDE_PURCHASE_REVIEW_SECONDS", value_name = "SECONDS")]
    pub purchase_review_seconds: Option<u32>,
}

group!(Carriers {
    carrier_urls,
    carrier_rate_seconds,
    carrier_seconds,
    carrier_calls_max,
    purchase_wait_seconds,
    purchase_review_seconds,
});

/// Where carriers are that are not at their own addresses, by their handles. It is read from any text and checked later, with
/// the other settings: the command line would print a value that it can't read, and a URL may hold a password.
#[derive(Deserialize, Clone, Debug, Default, PartialEq)]
pub struct CarrierUrls(BTreeMap<String, String>);

impl CarrierUrls {
    /// Refuses carriers whose address can't be set, and addresses that are none. The failure has no value in it.
    fn check(&self) -> Result<(), Failure> {
        for (handle, url) in &self.0 {
            let connector = ::carriers::connector(handle);
            if !connector.is_some_and(|connector| matches!(connector.address(), Address::Known(_))) {
                return Err(Failure(format!(
                    "the setting carrier_urls must name carriers as in easypost=https://proxy.example.com/v2. Carriers whose \
                     address can be set: {}",
                    known().join(", ")
                )));
            }
            if plain_url(url).is_none() {
                let why = "has no address such as https://proxy.example.com/v2";
                return Err(Failure(format!("the setting carrier_urls {why} for {handle}")));
            }
        }
        Ok(())
    }
}

/// The carriers that may be named.
fn known() -> Vec<&'static str> {
    let is_known = |connector: &&&dyn Connector| matches!(connector.address(), Address::Known(_));
    ::carriers::ALL.iter().filter(is_known).map(|connector| connector.handle()).collect()
}

impl FromStr for CarrierUrls {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let entries = text.split(',').filter(|entry| !entry.trim().is_empty()).map(|entry| {
            let (handle, url) = entry.split_once('=').unwrap_or((entry, ""));
            (handle.trim().to_owned(), url.trim().to_owned())
        });
        Ok(Self(entries.collect()))
    }
}

impl Carriers {
    pub(super) fn check(&self, limits: &Limits) -> Result<(), Failure> {
        require_positive!(self {
            carrier_rate_seconds,
            carrier_seconds,
            carrier_calls_max,
            purchase_review_seconds,
        })?;
        let (rate_seconds, request_seconds) =
            (self.carrier_rate_seconds.unwrap_or(0), limits.request_seconds());
        if rate_seconds >= request_seconds {
            return Err(Failure(format!(
                "the setting carrier_rate_seconds ({rate_seconds}) must be below request_seconds ({request_seconds}): a request for rates waits for the carriers"
            )));
        }
        self.carrier_urls.as_ref().map_or(Ok(()), CarrierUrls::check)
    }

    pub(super) fn purchasing(&self, limits: &Limits) -> purchasing::Settings {
        let defaults = purchasing::Settings::default();
        // A request for rates waits for the carriers, so their time must end before the request's own.
        let rate_seconds = defaults.rate_seconds.min((limits.request_seconds() / 2).max(1));
        purchasing::Settings {
            rate_seconds: self.carrier_rate_seconds.unwrap_or(rate_seconds),
            call_seconds: self.carrier_seconds.unwrap_or(defaults.call_seconds),
            account_calls_max: self.carrier_calls_max.unwrap_or(defaults.account_calls_max),
            wait_seconds: self.purchase_wait_seconds.unwrap_or(defaults.wait_seconds),
            review_seconds: self.purchase_review_seconds.map_or(defaults.review_seconds, i64::from),
            urls: self.carrier_urls.clone().unwrap_or_default().0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;

    fn read(text: &str) -> CarrierUrls {
        let Ok(urls) = text.parse();
        urls
    }

    #[test]
    fn an_address_is_set_by_flag_or_file() {
        let url = "https://proxy.example.com/v2";
        let set = read(&format!("easypost={url}"));
        assert!(set.check().is_ok());
        let file: Settings = toml::from_str(&format!("[carrier_urls]\neasypost = \"{url}\"")).unwrap();
        assert_eq!(file.carriers.carrier_urls, Some(set));
        assert_eq!(file.carriers.purchasing(&file.limits).urls["easypost"], url);
        assert!(read("").check().is_ok());
    }

    #[test]
    fn carriers_without_an_address_and_addresses_that_are_none_are_refused() {
        for text in [
            "https://ada:hunter2@proxy.example.com",
            "hunter2",
            "sandbox=https://a.example.com",
            "own=https://a.example.com",
            "easypots=https://a.example.com",
            "easypost=hunter2",
            "easypost=https://ada:hunter2@proxy",
        ] {
            let said = read(text).check().err().unwrap().0;
            assert!(said.contains("carrier_urls") && said.contains("easypost"), "{text}: {said}");
            assert!(!said.contains("hunter2"), "{text}: {said}");
        }
    }
}
