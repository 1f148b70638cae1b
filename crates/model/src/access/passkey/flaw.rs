//! Why what a passkey says was refused.

/// Why what a passkey says was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// It is not what browsers and authenticators write.
    Malformed,
    /// It was made for another purpose: a new passkey is no sign-in, and a sign-in no new passkey.
    Purpose,
    /// The server did not give this challenge to this browser or session, or too long ago, or it was answered before.
    Challenge,
    /// A page of another site asked for it.
    Origin,
    /// The authenticator made it for another server.
    RelyingParty,
    /// The person did not confirm.
    NotPresent,
    /// The authenticator did not check who the person is: by PIN, finger or face.
    NotVerified,
    /// What it says of copies contradicts itself, or what it said before.
    Backup,
    /// The algorithm or the key is not one that is accepted.
    Key,
    /// It comes with an attestation, for which the page does not ask.
    Attestation,
    /// The user has no such passkey.
    Unknown,
    Signature,
    /// The counter of the authenticator did not go on: the passkey may have been copied.
    Counter,
}

impl Flaw {
    /// Returns the word for logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Flaw::Malformed => "malformed",
            Flaw::Purpose => "purpose",
            Flaw::Challenge => "challenge",
            Flaw::Origin => "origin",
            Flaw::RelyingParty => "relying_party",
            Flaw::NotPresent => "not_present",
            Flaw::NotVerified => "not_verified",
            Flaw::Backup => "backup",
            Flaw::Key => "key",
            Flaw::Attestation => "attestation",
            Flaw::Unknown => "unknown",
            Flaw::Signature => "signature",
            Flaw::Counter => "counter",
        }
    }

    /// Returns what a person who adds a passkey is told.
    pub fn message(self) -> &'static str {
        match self {
            Flaw::Challenge => {
                "The challenge is not valid any more: ask for a new one, and answer within five minutes."
            }
            Flaw::Origin | Flaw::RelyingParty => {
                "It was made for another address. Open the console at the server's `public_url`."
            }
            Flaw::NotPresent | Flaw::NotVerified => {
                "The device did not check who you are. Use one with a PIN, a fingerprint or your face."
            }
            Flaw::Key => "The device has no algorithm that the server accepts: ES256, EdDSA or RS256.",
            _ => "The device's answer can't be read. Try again, or use another device.",
        }
    }
}
