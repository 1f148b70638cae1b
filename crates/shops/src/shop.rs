//! A shop, as connectors get it.

use std::fmt;

use serde_json::{Map, Value};

use crate::url::host_of;

/// Where a shop is, how Dockside signs in there, and what it may do.
#[derive(Clone)]
pub struct Shop {
    /// The address of the shop, such as `https://shop.example/store`.
    pub url: String,
    /// The secrets, opened.
    pub credentials: Map<String, Value>,
    /// The shop's own id of the location whose stock is set, if it has several.
    pub stock_location: Option<String>,
    /// Whether the shop tells customers when a shipment is reported.
    pub notifies_customers: bool,
    /// Whether requests with credentials may be sent without encryption. Others on the network path can read them, so
    /// this is for shops on the same machine or in a network that the operator allows.
    pub allows_plain_http: bool,
}

impl Shop {
    /// Returns a shop that is reached by HTTPS, tells its customers, and has no location set.
    pub fn new(url: String, credentials: Map<String, Value>) -> Self {
        Self { url, credentials, stock_location: None, notifies_customers: true, allows_plain_http: false }
    }

    /// Returns a secret that is a text which fits in a header.
    pub(crate) fn credential(&self, name: &str) -> Option<&str> {
        let value = self.credentials.get(name)?.as_str()?;
        let is_fit = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_graphic());
        is_fit.then_some(value)
    }

    /// Returns the address of a path, which begins with a slash.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url.trim_end_matches('/'))
    }

    /// Checks the address, and that the secrets are there.
    pub(crate) fn check(&self, credentials: &[&str]) -> Result<(), String> {
        let (is_https, _) = host_of(&self.url)?;
        if !is_https && !self.allows_plain_http {
            return Err(
                "`url` must begin with `https://`: others on the way could read the credentials.".to_owned()
            );
        }
        match credentials.iter().find(|name| self.credential(name).is_none()) {
            Some(name) => Err(format!("`credentials` must have `{name}`: a text without spaces.")),
            None => Ok(()),
        }
    }
}

/// Leaves out what must not reach a log.
impl fmt::Debug for Shop {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.credentials.keys().collect();
        out.debug_struct("Shop").field("credentials", &names).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shop(url: &str) -> Shop {
        let credentials = json!({"key": "hunter2", "other": "two words", "empty": ""});
        Shop::new(url.to_owned(), credentials.as_object().unwrap().clone())
    }

    #[test]
    fn plain_http_is_refused_unless_it_is_allowed() {
        assert_eq!(shop("https://shop.example/store/").check(&["key"]), Ok(()));
        let plain = shop("http://127.0.0.1:8080");
        assert!(plain.check(&["key"]).unwrap_err().contains("https://"));
        assert_eq!(Shop { allows_plain_http: true, ..plain }.check(&["key"]), Ok(()));
    }

    #[test]
    fn a_secret_must_fit_in_a_header() {
        for name in ["other", "empty", "missing"] {
            assert!(shop("https://shop.example").check(&[name]).unwrap_err().contains(name), "{name}");
        }
    }

    #[test]
    fn what_is_logged_of_a_shop_has_no_secret() {
        let shown = format!("{:?}", shop("https://ada:hunter2@shop.example"));
        assert!(shown.contains("key") && !shown.contains("hunter2"), "{shown}");
    }
}
