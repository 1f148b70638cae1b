//! Why a request got no answer, in sentences that the person who runs the receiver can act on.

use std::fmt;
use std::time::Duration;

/// Why a request got no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The host is an address that may not be reached.
    Refused { host: String },
    /// The host is in no network to which this may be sent without encryption.
    Unencrypted { host: String },
    /// The host name has no address that may be reached, or none at all. The two cases are not distinguished, because that would
    /// reveal names of the operator's private network.
    Unresolved { host: String },
    /// The host has no address in the networks to which the client is restricted, or none at all.
    Outside { host: String },
    /// The connection was not accepted.
    Connect { host: String, port: u16, cause: String },
    /// The TLS handshake failed.
    Tls { host: String, cause: String },
    /// The time limit was reached in this phase.
    Timeout { phase: Phase, limit: Duration },
    /// The connection ended, or sent something that is not HTTP, before the answer was complete. The request may still have been
    /// received.
    Broken { cause: String },
    /// The caller did not want the request any more when it could have been sent.
    Withdrawn,
}

/// What a request is waiting for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    Lookup,
    Connect,
    Handshake,
    Head,
    Body,
}

impl Failure {
    /// Whether no byte of the request can have left: the failure came before the request was written.
    pub fn is_unsent(&self) -> bool {
        match self {
            Self::Refused { .. }
            | Self::Unencrypted { .. }
            | Self::Unresolved { .. }
            | Self::Outside { .. }
            | Self::Connect { .. }
            | Self::Tls { .. }
            | Self::Withdrawn => true,
            Self::Timeout { phase, .. } => matches!(phase, Phase::Lookup | Phase::Connect | Phase::Handshake),
            Self::Broken { .. } => false,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { host } => write!(
                f,
                "The host {host} is not a public address. The operator may allow its network in the setting \
                 `outbound_allow`."
            ),
            Self::Unresolved { host } => write!(
                f,
                "The host name {host} has no public address. It may be misspelt. If it is a name of a private network, \
                 the operator may allow that network in the setting `outbound_allow`."
            ),
            Self::Unencrypted { host } => write!(
                f,
                "The host {host} is not in a network that the setting `outbound_allow` names, so credentials are not sent \
                 there over plain HTTP. Use an `https://` URL."
            ),
            Self::Outside { host } => write!(
                f,
                "The host {host} has no address in the networks of the setting `printer_networks`, so nothing was sent."
            ),
            Self::Connect { host, port, cause } => {
                write!(f, "No connection to {host} on port {port}: {cause}.")
            }
            Self::Tls { host, cause } => write!(f, "No safe connection to {host}: {cause}."),
            Self::Timeout { phase, limit } => {
                let what = match phase {
                    Phase::Lookup => "The host name was not resolved",
                    Phase::Connect => "No connection was made",
                    Phase::Handshake => "The TLS handshake was not finished",
                    Phase::Head => "No answer came",
                    Phase::Body => "The answer began but was not complete",
                };
                write!(f, "{what} within {}.", Span(*limit))
            }
            Self::Broken { cause } => write!(f, "{cause}."),
            Self::Withdrawn => write!(f, "The request was withdrawn before it was sent."),
        }
    }
}

impl std::error::Error for Failure {}

/// A time limit for people: `15 s`, `250 ms`.
struct Span(Duration);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.subsec_millis() == 0 {
            write!(f, "{} s", self.0.as_secs())
        } else {
            write!(f, "{} ms", self.0.as_millis())
        }
    }
}
