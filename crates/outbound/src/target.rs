//! URLs that users give, parsed once and kept in the form that is connected.
//!
//! The URL standard turns `http://0x7f.1/`, `http://2130706433/` and `http://①②⑦.⓪.⓪.①/` into the address that they
//! mean. That canonical host is judged, looked up, connected and named in the `Host` header: the text is not parsed a second
//! time, so no other parser can find another host in it.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use http::{HeaderValue, Uri};
use url::{Host, Position, Url};

use super::reach::Reach;

/// The longest URL, in bytes.
pub const URL_BYTES_MAX: usize = 2048;
/// The longest host name that DNS can carry, in bytes, with a dot at its end.
const HOST_BYTES_MAX: usize = 254;

/// Where a request goes. Clones are cheap.
#[derive(Clone, Debug)]
pub struct Target {
    text: Arc<str>,
    origin: Arc<Origin>,
    path: Uri,
}

/// The server to which a connection leads.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(super) struct Origin {
    pub is_tls: bool,
    pub host: Named,
    pub port: u16,
    /// The value of the `Host` header, without the port if it is the scheme's default.
    pub authority: HeaderValue,
    /// Whether it may be connected only in allowed networks, because private data is sent without encryption.
    pub is_allowed_only: bool,
}

/// A host: a name to look up, or an address.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(super) enum Named {
    Name(String),
    Address(IpAddr),
}

/// Why a URL can never be called, in a sentence for the client that gave it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal(pub(super) String);

impl Target {
    pub(super) fn parse(text: &str, reach: &Reach) -> Result<Self, Refusal> {
        Self::read(text, reach, false)
    }

    /// As [`Target::parse`], for what must be encrypted unless it stays in networks that the operator allowed.
    pub(super) fn parse_private(text: &str, reach: &Reach) -> Result<Self, Refusal> {
        let target = Self::read(text, reach, true)?;
        if !target.origin.is_allowed_only {
            return Ok(target);
        }
        let may_be_allowed = match target.origin.host {
            Named::Address(address) => reach.admit_allowed(address).is_some(),
            // The addresses of a name are judged at each call.
            Named::Name(_) => reach.has_allowed(),
        };
        if may_be_allowed {
            return Ok(target);
        }
        refuse(
            "The URL must begin with `https://`. Plain `http://` is for networks that the operator allows in the setting \
             `outbound_allow`.",
        )
    }

    fn read(text: &str, reach: &Reach, is_private: bool) -> Result<Self, Refusal> {
        check_text(text)?;
        let url = Url::parse(text).map_err(|error| Refusal(format!("The URL can't be read: {error}.")))?;
        let is_tls = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return refuse("The URL must begin with `https://` or `http://`."),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("The URL must not carry a user name or password.");
        }
        if url.fragment().is_some() {
            return refuse("The URL must not have a fragment (`#…`): it would never be sent.");
        }
        let port = url.port_or_known_default().filter(|port| *port != 0);
        let Some(port) = port else { return refuse("The URL must not name port 0.") };
        let host = match url.host() {
            Some(Host::Domain(name)) if name.len() <= HOST_BYTES_MAX => Named::Name(name.to_owned()),
            Some(Host::Domain(_)) => return refuse("The host name in the URL is too long."),
            Some(Host::Ipv4(address)) => Named::Address(address.into()),
            Some(Host::Ipv6(address)) => Named::Address(address.into()),
            None => return refuse("The URL names no host."),
        };
        check_host(&host, reach)?;
        let authority = &url[Position::BeforeHost..Position::AfterPort];
        let authority = HeaderValue::from_str(authority)
            .map_err(|_| Refusal("The host in the URL can't be written in a request.".to_owned()))?;
        let path = Uri::try_from(&url[Position::BeforePath..Position::AfterQuery])
            .map_err(|_| Refusal("The path of the URL can't be written in a request.".to_owned()))?;
        let is_allowed_only = is_private && !is_tls;
        let origin = Arc::new(Origin { is_tls, host, port, authority, is_allowed_only });
        Ok(Self { text: url.as_str().into(), origin, path })
    }

    /// Returns the canonical form of the URL.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn is_https(&self) -> bool {
        self.origin.is_tls
    }

    pub(super) fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    pub(super) fn path(&self) -> &Uri {
        &self.path
    }
}

/// A host and a port, to which bytes are sent without HTTP. Clones are cheap.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub(super) host: Arc<Named>,
    pub(super) port: u16,
}

impl Endpoint {
    /// Reads `host` or `host:port`, as a URL would have it.
    pub(super) fn parse(text: &str, default_port: u16, reach: &Reach) -> Result<Self, Refusal> {
        let malformed = "The address must be a host and a port, such as `192.168.1.20:9100`.";
        if text.is_empty() || text.contains(['/', '?', '#', '@']) {
            return refuse(malformed);
        }
        check_text(text)?;
        let read = |scheme: &str| {
            Url::parse(&format!("{scheme}://{text}/"))
                .map_err(|error| Refusal(format!("The address can't be read: {error}.")))
        };
        let url = read("http")?;
        // The URL standard drops a port that is the scheme's own, so another scheme tells whether one was given.
        let port = url.port().or(read("https")?.port()).unwrap_or(default_port);
        if port == 0 {
            return refuse("The address must not name port 0.");
        }
        let host = match url.host() {
            Some(Host::Domain(name)) if name.len() <= HOST_BYTES_MAX => Named::Name(name.to_owned()),
            Some(Host::Ipv4(address)) => Named::Address(address.into()),
            Some(Host::Ipv6(address)) => Named::Address(address.into()),
            _ => return refuse(malformed),
        };
        check_host(&host, reach)?;
        Ok(Self { host: Arc::new(host), port })
    }
}

/// Refuses a host that can never be reached. The addresses of a name are judged at each connection.
fn check_host(host: &Named, reach: &Reach) -> Result<(), Refusal> {
    match host {
        Named::Address(address) if reach.admit(*address).is_none() => {
            Err(Refusal(match reach.has_public() {
                true => format!(
                    "The URL leads to {address}, which is not a public address. The operator may allow its network \
                 in the setting `outbound_allow`."
                ),
                false => format!(
                    "The address leads to {address}, which is in none of the networks in the setting `printer_networks`."
                ),
            }))
        }
        Named::Name(_) if !reach.has_public() && !reach.has_allowed() => {
            refuse("The setting `printer_networks` names no network, so nothing may be sent.")
        }
        _ => Ok(()),
    }
}

/// Refuses text that the URL standard would silently repair: the result may differ from what the user means.
fn check_text(text: &str) -> Result<(), Refusal> {
    if text.len() > URL_BYTES_MAX {
        return Err(Refusal(format!("The URL is longer than {URL_BYTES_MAX} bytes.")));
    }
    if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
        return refuse("The URL must not contain spaces, control characters or backslashes.");
    }
    Ok(())
}

fn refuse<T>(sentence: &str) -> Result<T, Refusal> {
    Err(Refusal(sentence.to_owned()))
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(address) => address.fmt(f),
        }
    }
}
