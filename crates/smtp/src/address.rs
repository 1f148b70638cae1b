//! Addresses that mail is sent from and to.

use std::fmt;

/// Longest address, in bytes (RFC 5321 section 4.5.3.1.3).
const ADDRESS_BYTES_MAX: usize = 254;
/// ASCII characters of a local part that needs no quotes, beside letters and digits (RFC 5322 section 3.2.3).
const LOCAL_SIGNS: &str = "!#$%&'*+-/=?^_`{|}~.";

/// An address such as `ada@acme.example`, of characters that need neither quotes nor an escape. So it ends no command and no
/// header, whatever it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address(String);

impl Address {
    /// Reads an address. Quoted local parts and network addresses instead of a domain are refused.
    pub fn parse(text: &str) -> Option<Self> {
        let (local, domain) = text.rsplit_once('@')?;
        let is_local =
            |char: char| char.is_ascii_alphanumeric() || LOCAL_SIGNS.contains(char) || is_letter(char);
        let is_domain = |char: char| char.is_ascii_alphanumeric() || "-.".contains(char) || is_letter(char);
        let is_whole = !local.is_empty() && !domain.is_empty() && text.len() <= ADDRESS_BYTES_MAX;
        let is_edge = |char: Option<char>| char.is_some_and(|char| ".-".contains(char));
        let is_address = is_whole
            && local.chars().all(is_local)
            && domain.chars().all(is_domain)
            && !is_edge(domain.chars().next())
            && !is_edge(domain.chars().last());
        is_address.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns what stands behind the `@`.
    pub fn domain(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, domain)| domain)
    }

    /// Whether every mail server can take the address. Others need one with SMTPUTF8 (RFC 6531).
    pub fn is_ascii(&self) -> bool {
        self.0.is_ascii()
    }
}

/// A letter or a digit that is not ASCII. Spaces, controls and marks of direction are none.
fn is_letter(char: char) -> bool {
    !char.is_ascii() && char.is_alphanumeric()
}

/// An address, and perhaps the name of who has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mailbox {
    pub name: Option<String>,
    pub address: Address,
}

impl Mailbox {
    /// Reads `ada@acme.example` or `Ada Lindqvist <ada@acme.example>`. The name may be in quotes.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let Some((name, rest)) = text.split_once('<') else {
            return Address::parse(text).map(|address| Self { name: None, address });
        };
        let address = Address::parse(rest.strip_suffix('>')?)?;
        let name = name.trim();
        let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
        if name.chars().any(|char| char.is_control() || "\"\\<>".contains(char)) {
            return None;
        }
        Some(Self { name: (!name.is_empty()).then(|| name.to_owned()), address })
    }
}

impl fmt::Display for Mailbox {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(out, "{name} <{}>", self.address.0),
            None => out.write_str(&self.address.0),
        }
    }
}
