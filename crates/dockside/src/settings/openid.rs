//! Settings of signing in with OpenID Connect: the identity provider, and whom it lets in.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use model::access::openid::entry::Policy;
use model::{Id, Organisation};
use serde::Deserialize;
use service::events::openid;

use super::declaration::{Subject, settings};
use super::url::plain_url;
use super::value::values;
use crate::failure::Failure;

/// The longest text of the button, in characters.
const LABEL_CHARS_MAX: usize = 60;

settings! {
    /// Settings of signing in with OpenID Connect.
    pub struct OpenId("OpenID Connect") {
        /// The identity provider at which people sign in to the console, exactly as it writes its issuer, such as
        /// `https://login.example.com/realms/acme`. Register `<public_url>/oidc/callback` there as redirect URI.
        oidc_issuer("URL"): String, shown("none"), check(|url| check_issuer(url));

        /// The id of the client that is registered there.
        oidc_client_id("ID"): String;

        /// The client's secret. A client without one is public, and PKCE protects it.
        oidc_client_secret("TEXT"): String, secret;

        /// A file with that secret.
        oidc_client_secret_file("FILE"): PathBuf;

        /// The id of the organisation that people sign in to (`org_…`).
        oidc_organisation("ORGANISATION"): String, shown("the only one that there is"), check(|id| check_organisation(id));

        /// What the provider is asked for, beside `openid`; separated by commas.
        oidc_scopes("SCOPES"): Vec<String> = vec!["email".to_owned(), "profile".to_owned()], check(|scopes| check_words(scopes));

        /// Domains that verified addresses must be in, such as `example.com`; separated by commas.
        oidc_domains("DOMAINS"): Vec<String> = Vec::new(), shown("all"), check(|domains| check_domains(domains));

        /// The claim with the groups or roles of a person, such as `groups` or `realm_access.roles`.
        oidc_role_claim("CLAIM"): String;

        /// The role of each value of that claim, as `warehouse=packer`; separated by commas; in the file a table
        /// `[oidc_roles]` with `warehouse = "packer"`. If it is set, each sign-in gives the user the roles of its values,
        /// and a person without any is refused.
        oidc_roles("VALUE=ROLE"): RoleMap = RoleMap::default(), shown("none, users keep their roles"), check(RoleMap::check);

        /// Make a user of a person whom no administrator has invited: with the roles of `oidc_roles`, or else as `viewer`.
        /// Needs `oidc_domains` or `oidc_roles`.
        oidc_create_users("BOOL"): bool = false, switch;

        /// What the button of the sign-in page says.
        oidc_label("LABEL"): String = "Sign in with your organisation".to_owned(), check(|label| check_label(label));
    }
}

values! { RoleMap: ToString::to_string; }

/// The role of each value of the claim.
#[derive(Deserialize, Clone, Debug, Default, PartialEq)]
pub struct RoleMap(BTreeMap<String, String>);

impl RoleMap {
    fn check(&self) -> Result<(), String> {
        let is_whole = |(value, role): (&String, &String)| !value.is_empty() && !role.is_empty();
        match self.0.iter().all(is_whole) {
            true => Ok(()),
            false => Err("must have entries such as warehouse=packer".to_owned()),
        }
    }
}

impl FromStr for RoleMap {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let entries = text.split(',').filter(|entry| !entry.trim().is_empty()).map(|entry| {
            // A value may be an address with equals signs, and a role has none.
            let (value, role) = entry.rsplit_once('=').unwrap_or((entry, ""));
            (value.trim().to_owned(), role.trim().to_owned())
        });
        Ok(Self(entries.collect()))
    }
}

impl fmt::Display for RoleMap {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries: Vec<String> = self.0.iter().map(|(value, role)| format!("{value}={role}")).collect();
        out.write_str(&entries.join(","))
    }
}

fn check_issuer(url: &str) -> Result<(), String> {
    let plain = plain_url(url).ok_or("is no address such as https://login.example.com")?;
    // An issuer may end with one slash.
    let rest = url.len() - plain.len();
    if rest <= 1 { Ok(()) } else { Err("ends with more than one slash".to_owned()) }
}

fn check_organisation(id: &str) -> Result<(), String> {
    match Id::<Organisation>::parse(id) {
        Some(_) => Ok(()),
        None => Err("is no id of an organisation (`org_…`). GET /organisation shows yours".to_owned()),
    }
}

fn check_words(words: &[String]) -> Result<(), String> {
    let is_word = |word: &String| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\".contains(&byte))
    };
    if words.iter().all(is_word) { Ok(()) } else { Err("has an entry that is no scope".to_owned()) }
}

fn check_domains(domains: &[String]) -> Result<(), String> {
    let is_domain = |domain: &String| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
        domain.contains('.')
            && domain.bytes().all(is_plain)
            && !domain.starts_with('.')
            && !domain.ends_with('.')
    };
    if domains.iter().all(is_domain) {
        Ok(())
    } else {
        Err("has an entry that is no domain such as example.com".to_owned())
    }
}

fn check_label(label: &str) -> Result<(), String> {
    let chars = label.chars().count();
    if (1..=LABEL_CHARS_MAX).contains(&chars) && !label.chars().any(char::is_control) {
        Ok(())
    } else {
        Err(format!("must have 1 to {LABEL_CHARS_MAX} characters"))
    }
}

impl OpenId {
    /// Refuses settings that contradict each other before anything is opened.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.check_values()?;
        self.provider().map(drop)
    }

    /// Returns the identity provider and whom it lets in, if there is one.
    pub(super) fn provider(&self) -> Result<Option<openid::Settings>, Failure> {
        let Some(issuer) = self.oidc_issuer.clone() else { return self.refuse_leftovers() };
        let needs = |name: &str, why: &str| Failure(format!("the setting {name} {why}"));
        let client_id = self.oidc_client_id.clone();
        let client_id = client_id.ok_or_else(|| needs("oidc_issuer", "needs oidc_client_id"))?;
        let roles = self.oidc_roles().0;
        if roles.is_empty() != self.oidc_role_claim.is_none() {
            return Err(needs("oidc_role_claim", "goes with oidc_roles: set both or neither"));
        }
        let domains: Vec<String> = self.oidc_domains().iter().map(|domain| domain.to_lowercase()).collect();
        if self.oidc_create_users() && domains.is_empty() && roles.is_empty() {
            let why = "needs oidc_domains or oidc_roles: without them, everyone whom the provider knows would become a user";
            return Err(needs("oidc_create_users", why));
        }
        let organisation = self.oidc_organisation.as_deref().and_then(Id::parse);
        Ok(Some(openid::Settings {
            issuer,
            client_id,
            client_secret: self.secret()?,
            organisation,
            scopes: self.oidc_scopes(),
            policy: Policy {
                domains,
                role_claim: self.oidc_role_claim.clone(),
                roles,
                creates_users: self.oidc_create_users(),
            },
            label: self.oidc_label(),
        }))
    }

    /// Without an identity provider, settings about it are a mistake.
    fn refuse_leftovers(&self) -> Result<Option<openid::Settings>, Failure> {
        let set = [
            ("oidc_client_id", self.oidc_client_id.is_some()),
            ("oidc_client_secret", self.oidc_client_secret.is_some()),
            ("oidc_client_secret_file", self.oidc_client_secret_file.is_some()),
            ("oidc_organisation", self.oidc_organisation.is_some()),
            ("oidc_scopes", self.oidc_scopes.is_some()),
            ("oidc_domains", self.oidc_domains.is_some()),
            ("oidc_role_claim", self.oidc_role_claim.is_some()),
            ("oidc_roles", self.oidc_roles.is_some()),
            ("oidc_create_users", self.oidc_create_users.is_some()),
            ("oidc_label", self.oidc_label.is_some()),
        ];
        match set.iter().find(|(_, is_set)| *is_set) {
            Some((name, _)) => Err(Failure(format!("the setting {name} goes with oidc_issuer"))),
            None => Ok(None),
        }
    }

    fn secret(&self) -> Result<Option<String>, Failure> {
        match (&self.oidc_client_secret, &self.oidc_client_secret_file) {
            (Some(_), Some(_)) => {
                Err(Failure("set oidc_client_secret or oidc_client_secret_file, not both".to_owned()))
            }
            (None, Some(file)) => {
                // The name is not said: it may be the secret itself, put into the wrong setting.
                let text = std::fs::read_to_string(file).map_err(|error| {
                    Failure(format!(
                        "the setting oidc_client_secret_file names a file that can't be read: {error}"
                    ))
                })?;
                Ok(Some(text.trim().to_owned()))
            }
            (secret, None) => Ok(secret.clone()),
        }
    }
}
