//! An account with a carrier, as connectors get it.

use std::collections::BTreeMap;
use std::fmt;

use model::{CarrierAccount, Id, World};
use serde_json::{Map, Value};

/// A contract with a carrier, opened.
#[derive(Clone)]
pub struct Account {
    pub id: Id<CarrierAccount>,
    pub configuration: Map<String, Value>,
    pub credentials: Map<String, Value>,
    /// In the test world an account has credentials for the carrier's own test system, and spends no money.
    pub world: World,
    /// The address that the operator set for the carrier, if it is another than the known one.
    pub url: Option<String>,
    /// The access tokens that the task needs, by their names. The service fills them in.
    pub tokens: BTreeMap<&'static str, String>,
}

impl Account {
    /// Returns an account of the live world at the carrier's own address, without tokens.
    pub fn new(
        id: Id<CarrierAccount>,
        configuration: Map<String, Value>,
        credentials: Map<String, Value>,
    ) -> Self {
        Self { id, configuration, credentials, world: World::Live, url: None, tokens: BTreeMap::new() }
    }

    /// Returns the account in this world.
    #[must_use]
    pub fn in_world(self, world: World) -> Self {
        Self { world, ..self }
    }

    /// Returns where requests go: to the address that the operator set, or else to the carrier's own in the account's world. It
    /// ends without a slash.
    pub fn base<'a>(&'a self, live: &'a str, test: &'a str) -> &'a str {
        let own = if self.world == World::Test { test } else { live };
        self.url.as_deref().unwrap_or(own).trim_end_matches('/')
    }
}

/// Leaves out what must not reach a log: credentials and tokens. A configuration may hold an address with a password.
impl fmt::Debug for Account {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.credentials.keys().collect();
        let tokens: Vec<_> = self.tokens.keys().collect();
        let mut shown = out.debug_struct("Account");
        shown.field("id", &self.id).field("credentials", &names).field("tokens", &tokens);
        shown.finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn requests_go_where_the_operator_says_or_to_the_carrier_s_own_system() {
        let (live, test) = ("https://api.example.com", "https://test.example.com");
        let mut account = Account::new(Id::from_bits(1), Map::new(), Map::new());
        assert_eq!(account.base(live, test), live);
        account = account.in_world(World::Test);
        assert_eq!(account.base(live, test), test);
        account.url = Some("http://127.0.0.1:7/a/".to_owned());
        assert_eq!(account.base(live, test), "http://127.0.0.1:7/a");
    }

    #[test]
    fn what_is_logged_of_an_account_has_no_secret() {
        let object = |value: Value| value.as_object().cloned().unwrap_or_default();
        let account = Account {
            id: Id::from_bits(1),
            configuration: object(json!({"url": "https://ada:hunter2@proxy.example.com"})),
            credentials: object(json!({"client_secret": "hunter2"})),
            world: World::Live,
            url: Some("https://ada:hunter2@proxy.example.com".to_owned()),
            tokens: BTreeMap::from([("oauth", "hunter2".to_owned())]),
        };
        let shown = format!("{account:?}");
        assert!(
            shown.contains("client_secret") && shown.contains("oauth") && !shown.contains("hunter2"),
            "{shown}"
        );
    }
}
