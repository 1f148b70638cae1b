//! What an operator sets about the identity provider.

use model::access::openid::entry::Policy;
use model::{Id, Organisation};

/// The identity provider, and whom it lets in.
#[derive(Clone)]
pub struct Settings {
    /// Exactly as the provider writes it.
    pub issuer: String,
    pub client_id: String,
    /// `None` for a public client.
    pub client_secret: Option<String>,
    /// The organisation that people sign in to. `None` for the only one that there is.
    pub organisation: Option<Id<Organisation>>,
    pub scopes: Vec<String>,
    pub policy: Policy,
    /// What the button of the sign-in page says.
    pub label: String,
}
