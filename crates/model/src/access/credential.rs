//! Secrets of people: sessions and one-time sign-in links.
//!
//! Both have the form of access tokens: they name their organisation, so that even the look-up is a statement scoped by
//! its owner, and end in a checksum. The database stores only their hash.

use crate::access::access_token::{SECRET_BYTES, Secret};
use crate::{Id, Organisation};

/// What a credential is for. One can't be used as the other, because the text of each begins with its own letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CredentialKind {
    /// The value of the session cookie.
    Session,
    /// The token of a one-time sign-in link.
    Link,
}

impl CredentialKind {
    fn prefix(self) -> &'static str {
        match self {
            CredentialKind::Session => "dks_",
            CredentialKind::Link => "dkl_",
        }
    }

    /// Creates a credential of this kind.
    pub fn create(self, organisation: Id<Organisation>, random: [u8; SECRET_BYTES]) -> Secret {
        Secret::with_prefix(self.prefix(), organisation, random)
    }

    /// Returns the organisation that a credential of this kind names, or `None` if it cannot be genuine.
    pub fn organisation_of(self, text: &str) -> Option<Id<Organisation>> {
        Secret::read_after(self.prefix(), text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_names_its_organisation_and_its_kind() {
        let organisation = Id::from_bits(7);
        for (kind, other) in
            [(CredentialKind::Session, CredentialKind::Link), (CredentialKind::Link, CredentialKind::Session)]
        {
            let secret = kind.create(organisation, [9; SECRET_BYTES]);
            assert_eq!(kind.organisation_of(secret.as_str()), Some(organisation));
            assert_eq!(other.organisation_of(secret.as_str()), None);
            assert_eq!(Secret::owner_of(secret.as_str()), None, "it is no access token");
            let mut wrong = secret.as_str().to_owned();
            wrong.pop();
            assert_eq!(kind.organisation_of(&wrong), None);
        }
    }
}
