//! Settings of carriers: where they are, and how long they are waited for.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ffi::OsString;
use std::fmt;
use std::str::FromStr;

use ::carriers::{Address, Connector};
use serde::Deserialize;
use service::shipping::purchasing;

use super::Limits;
use super::declaration::{Subject, settings};
use super::url::plain_url;
use super::value::values;
use crate::failure::Failure;

/// Seconds that each carrier account may take to give its rates, unless requests must be answered sooner.
const RATE_SECONDS: u64 = 10;
/// How the variables begin that set the address of one carrier.
const VARIABLE: &str = "DOCKSIDE_CARRIER_URL_";

settings! {
    /// Settings of carriers and purchases.
    pub struct Carriers("Carriers and purchases") {
        /// Addresses of carriers that are not at their own, such as a proxy's, as `easypost=https://proxy.example.com/v2`;
        /// separated by commas; in the file a table `[carrier_urls]` with `easypost = "…"`. The variable
        /// `DOCKSIDE_CARRIER_URL_EASYPOST` sets that of one carrier, and every other carrier has one, too. Plain `http://` only
        /// in networks that `outbound_allow` names.
        carrier_urls("HANDLE=URL"): CarrierUrls = CarrierUrls::default(), shown("the carriers' own"),
            check(CarrierUrls::check);

        /// Seconds that each carrier account may take to give its rates; less than `request_seconds`.
        carrier_rate_seconds("SECONDS"): u64, range(1..),
            shown(format!("{RATE_SECONDS}, or half of `request_seconds` if that is less"));

        /// Seconds that a carrier may take to sell, to look something up or to take it back.
        carrier_seconds("SECONDS"): u64 = 30, range(1..);

        /// Calls to one carrier account at once, from this server.
        carrier_calls_max("N"): usize = 8, range(1..);

        /// Seconds that a purchase is waited for before it is answered with 202; 0 does not wait.
        purchase_wait_seconds("SECONDS"): u64 = 5;

        /// Seconds that it may stay unknown whether something was bought before a person is asked; 20 at most in the test
        /// world.
        purchase_review_seconds("SECONDS"): u32 = 24 * 3600, range(1..);
    }
}

values! { CarrierUrls: ToString::to_string; }

/// Where carriers are that are not at their own addresses, by their handles. It is read from any text and checked later, with
/// the other settings: the command line would print a value that it can't read, and a URL may hold a password.
#[derive(Deserialize, Clone, Debug, Default, PartialEq)]
pub struct CarrierUrls(BTreeMap<String, String>);

impl CarrierUrls {
    /// Refuses carriers whose address can't be set, and addresses that are none. The text has no value in it.
    fn check(&self) -> Result<(), String> {
        for (handle, url) in &self.0 {
            let connector = ::carriers::connector(handle);
            if !connector.is_some_and(|connector| matches!(connector.address(), Address::Known(_))) {
                return Err(format!(
                    "must name carriers as in easypost=https://proxy.example.com/v2. Carriers whose address can be set: {}",
                    known().join(", ")
                ));
            }
            if plain_url(url).is_none() {
                return Err(format!("has no address such as https://proxy.example.com/v2 for {handle}"));
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

impl fmt::Display for CarrierUrls {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries: Vec<String> = self.0.iter().map(|(handle, url)| format!("{handle}={url}")).collect();
        out.write_str(&entries.join(","))
    }
}

impl Carriers {
    /// Adds the addresses that variables of their own set. Those of flags and of `DOCKSIDE_CARRIER_URLS`, which are in `given`, come
    /// before them, and those of the file after them.
    pub(super) fn add_variables(
        &mut self,
        given: &Self,
        variables: impl Iterator<Item = (OsString, OsString)>,
    ) {
        let of_carriers = variables.filter_map(|(name, url)| {
            let handle = name.to_str()?.strip_prefix(VARIABLE)?.to_ascii_lowercase();
            Some((handle, url.to_string_lossy().trim().to_owned())).filter(|(_, url)| !url.is_empty())
        });
        for (handle, url) in of_carriers {
            let is_given = given.carrier_urls.as_ref().is_some_and(|urls| urls.0.contains_key(&handle));
            if !is_given {
                self.carrier_urls.get_or_insert_default().0.insert(handle, url);
            }
        }
    }

    pub(super) fn check(&self, limits: &Limits) -> Result<(), Failure> {
        self.check_values()?;
        let (rate_seconds, request_seconds) =
            (self.carrier_rate_seconds.unwrap_or(0), limits.request_seconds());
        if rate_seconds >= request_seconds {
            return Err(Failure(format!(
                "the setting carrier_rate_seconds ({rate_seconds}) must be below request_seconds ({request_seconds}): a request for rates waits for the carriers"
            )));
        }
        Ok(())
    }

    pub(super) fn purchasing(&self, limits: &Limits) -> purchasing::Settings {
        // A request for rates waits for the carriers, so their time must end before the request's own.
        let rate_seconds = RATE_SECONDS.min((limits.request_seconds() / 2).max(1));
        purchasing::Settings {
            rate_seconds: self.carrier_rate_seconds.unwrap_or(rate_seconds),
            call_seconds: self.carrier_seconds(),
            account_calls_max: self.carrier_calls_max(),
            wait_seconds: self.purchase_wait_seconds(),
            review_seconds: i64::from(self.purchase_review_seconds()),
            urls: self.carrier_urls().0,
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
    fn each_carrier_whose_address_is_known_has_a_variable() {
        let variables = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, url)| (OsString::from(name), OsString::from(url)));
            pairs.collect::<Vec<_>>().into_iter()
        };
        for handle in known() {
            let name = format!("DOCKSIDE_CARRIER_URL_{}", handle.to_uppercase());
            let mut carriers = Carriers::default();
            carriers.add_variables(
                &Carriers::default(),
                variables(&[(name.as_str(), "https://test.example.com"), ("PATH", "/bin")]),
            );
            assert!(carriers.check_values().is_ok());
            let urls = carriers.carrier_urls.clone().unwrap().0;
            assert_eq!(urls, BTreeMap::from([(handle.to_owned(), "https://test.example.com".to_owned())]));
        }
        // A flag comes first, then the variable, then the file.
        let (flag, file) =
            (read("easypost=https://flag.example.com"), read("easypost=https://file.example.com"));
        let set = [("DOCKSIDE_CARRIER_URL_EASYPOST", "https://variable.example.com")];
        for (given, expected) in
            [(Some(flag), "https://flag.example.com"), (None, "https://variable.example.com")]
        {
            let given = Carriers { carrier_urls: given, ..Carriers::default() };
            let mut merged = given.clone();
            merged.carrier_urls.get_or_insert_with(|| file.clone());
            merged.add_variables(&given, variables(&set));
            assert_eq!(merged.carrier_urls.unwrap().0["easypost"], expected);
        }
        // An empty one is as if it were not set, and one of no carrier is refused.
        let mut carriers = Carriers::default();
        carriers.add_variables(&Carriers::default(), variables(&[("DOCKSIDE_CARRIER_URL_EASYPOST", " ")]));
        assert_eq!(carriers.carrier_urls, None);
        let unknown = [("DOCKSIDE_CARRIER_URL_NOBODY", "https://ada:hunter2@a.example.com")];
        carriers.add_variables(&Carriers::default(), variables(&unknown));
        let said = carriers.check_values().err().unwrap().0;
        assert!(said.contains("easypost") && !said.contains("hunter2"), "{said}");
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
            let carriers = Carriers { carrier_urls: Some(read(text)), ..Carriers::default() };
            let said = carriers.check_values().err().unwrap().0;
            assert!(said.contains("carrier_urls") && said.contains("easypost"), "{text}: {said}");
            assert!(!said.contains("hunter2"), "{text}: {said}");
        }
    }
}
