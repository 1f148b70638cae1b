//! A person as an identity provider describes them.

use serde_json::{Map, Value};

use crate::access::openid::id_token::Claims;
use crate::access::user::{EMAIL_CHARS_MAX, email_key, is_email};
use crate::platform::json;

/// The longest name that is taken over, in characters. The rest is cut off.
const NAME_CHARS_MAX: usize = 255;
/// Values of the claim with roles that are read.
const ROLE_VALUES_MAX: usize = 1000;
const USER_INFO_MEMORY_MAX: usize = 1 << 20;

/// A person as the provider describes them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Identity {
    /// What the provider calls the person for ever.
    pub subject: String,
    /// In the form in which addresses are compared. `None` if the provider has not verified it.
    pub verified_email: Option<String>,
    pub name: Option<String>,
    /// The values of the claim with roles.
    pub role_values: Vec<String>,
}

/// Returns whether the token lacks something that the provider may tell elsewhere: the address, or the claim with roles.
pub fn lacks_claims(claims: &Claims, role_claim: Option<&str>) -> bool {
    !claims.all.contains_key("email") || role_claim.is_some_and(|name| find(&claims.all, name).is_none())
}

/// Adds what the provider's user information says, where the token says nothing. Returns false if it is about another
/// person, or is none.
#[must_use]
pub fn add_user_info(claims: &mut Claims, bytes: &[u8]) -> bool {
    let Ok(Value::Object(more)) = json::parse_within(bytes, USER_INFO_MEMORY_MAX) else { return false };
    if more.get("sub").and_then(Value::as_str) != Some(claims.subject.as_str()) {
        return false;
    }
    // Whether an address is verified is said of the address beside it, and of no other.
    let has_email = claims.all.contains_key("email");
    if !has_email {
        claims.all.remove("email_verified");
    }
    for (name, value) in more {
        if name != "email_verified" || !has_email {
            claims.all.entry(name).or_insert(value);
        }
    }
    true
}

impl Identity {
    /// Reads the person from the claims.
    pub fn of(claims: &Claims, role_claim: Option<&str>) -> Self {
        let text = |name: &str| claims.all.get(name).and_then(Value::as_str);
        let is_verified = match claims.all.get("email_verified") {
            Some(Value::Bool(is)) => *is,
            // Some providers write it as a text.
            Some(Value::String(is)) => is == "true",
            _ => false,
        };
        let email = text("email").map(email_key);
        let is_usable = |email: &String| is_email(email) && email.chars().count() <= EMAIL_CHARS_MAX;
        let name = text("name").map(|name| name.trim().chars().take(NAME_CHARS_MAX).collect::<String>());
        let is_shown = |name: &String| !name.is_empty() && !name.chars().any(char::is_control);
        Self {
            subject: claims.subject.clone(),
            verified_email: email.filter(|email| is_verified && is_usable(email)),
            name: name.filter(is_shown),
            role_values: role_claim.map(|claim| values(find(&claims.all, claim))).unwrap_or_default(),
        }
    }
}

/// Finds a claim by its name, or by a path with dots, such as `realm_access.roles`.
fn find<'a>(claims: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    if let Some(value) = claims.get(name) {
        return Some(value);
    }
    let (first, rest) = name.split_once('.')?;
    find(claims.get(first)?.as_object()?, rest)
}

fn values(claim: Option<&Value>) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match claim {
        Some(Value::Array(all)) => all.iter().take(ROLE_VALUES_MAX).filter_map(text).collect(),
        Some(one) => text(one).into_iter().collect(),
        None => Vec::new(),
    }
}
