//! What an identity provider says about itself (OpenID Connect Discovery 1.0), and what it answers to a code.

use serde_json::Value;

use crate::access::openid::key_set::DOCUMENT_MEMORY_MAX;
use crate::platform::json;

/// The path of the document below the issuer.
pub const DISCOVERY_PATH: &str = "/.well-known/openid-configuration";

/// A provider, as its document describes it.
#[derive(Clone, PartialEq, Debug)]
pub struct Provider {
    pub authorization_endpoint: String,
    pub token_endpoint: String,
    pub userinfo_endpoint: Option<String>,
    pub jwks_uri: String,
    /// Whether the secret goes into the form, because the provider does not take it in a header.
    pub takes_secret_in_form: bool,
    /// Whether answers name the issuer (RFC 9207), so that one without it is refused.
    pub names_issuer: bool,
}

/// Reads the document of the issuer. Returns what is wrong with it, in words for the operator.
pub fn read_document(bytes: &[u8], issuer: &str) -> Result<Provider, &'static str> {
    let document = json::parse_within(bytes, DOCUMENT_MEMORY_MAX).map_err(|_| "the document is not JSON")?;
    let text = |name: &str| document.get(name).and_then(Value::as_str);
    // A document that names another issuer would let that one sign for this one.
    if text("issuer") != Some(issuer) {
        return Err("the document names another issuer than the setting `oidc_issuer`");
    }
    let address = |name: &str| {
        let url = text(name)?;
        let is_safe =
            url.starts_with("https://") || (issuer.starts_with("http://") && url.starts_with("http://"));
        is_safe.then(|| url.to_owned())
    };
    let list = |name: &str| document.get(name).and_then(Value::as_array);
    let has = |name: &str, word: &str| list(name).is_some_and(|all| all.iter().any(|one| one == word));
    if list("code_challenge_methods_supported").is_some() && !has("code_challenge_methods_supported", "S256")
    {
        return Err("the provider does not support PKCE with S256");
    }
    let methods = "token_endpoint_auth_methods_supported";
    Ok(Provider {
        authorization_endpoint: address("authorization_endpoint")
            .ok_or("there is no `authorization_endpoint`")?,
        token_endpoint: address("token_endpoint").ok_or("there is no `token_endpoint`")?,
        userinfo_endpoint: address("userinfo_endpoint"),
        jwks_uri: address("jwks_uri").ok_or("there is no `jwks_uri`")?,
        takes_secret_in_form: has(methods, "client_secret_post") && !has(methods, "client_secret_basic"),
        names_issuer: document.get("authorization_response_iss_parameter_supported")
            == Some(&Value::Bool(true)),
    })
}

/// What a code was traded for.
#[derive(Clone, PartialEq, Debug)]
pub struct Tokens {
    pub id_token: String,
    pub access_token: Option<String>,
}

/// Reads the answer to a code. Returns `None` if there is no ID token in it.
pub fn read_tokens(bytes: &[u8]) -> Option<Tokens> {
    let answer = json::parse_within(bytes, DOCUMENT_MEMORY_MAX).ok()?;
    let text = |name: &str| answer.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(Tokens { id_token: text("id_token")?, access_token: text("access_token") })
}

/// Writes a value for a query or a form.
pub fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// Writes pairs as a query or a form.
pub fn encode_pairs(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}
