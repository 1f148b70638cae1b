//! Addresses of printers, as each protocol writes them.

use outbound::{Endpoint, Outbound, Refusal, Target};

/// The port of printers that take bytes as they are.
pub const RAW_PORT: u16 = 9100;
/// The port of IPP.
const IPP_PORT: u16 = 631;

/// The protocol that a printer speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// Bytes as they are, on a socket.
    Raw,
    Ipp,
}

/// Where a printer is.
#[derive(Clone, Debug)]
pub enum Destination {
    Raw(Endpoint),
    Ipp(IppAddress),
}

/// The address of an IPP printer: the URL that is called, and the URI by which the printer knows itself.
#[derive(Clone, Debug)]
pub struct IppAddress {
    pub(crate) target: Target,
    pub(crate) uri: String,
}

impl IppAddress {
    /// Reads a URL that begins with `ipp://`, `ipps://`, `http://` or `https://`.
    pub(crate) fn read(outbound: &Outbound, address: &str) -> Result<Self, Refusal> {
        let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
        let (url, is_tls) = match scheme.to_ascii_lowercase().as_str() {
            "ipp" => (format!("http://{}", with_port(rest, IPP_PORT)), false),
            "ipps" => (format!("https://{}", with_port(rest, IPP_PORT)), true),
            // The client refuses what is neither `http` nor `https`, with its reason.
            scheme => (address.to_owned(), scheme == "https"),
        };
        let target = outbound.parse_url(&url)?;
        // The URL standard drops the port that is the scheme's own, which is another one for IPP.
        let (_, rest) = target.as_str().split_once("://").unwrap_or_default();
        let (own, port) = if is_tls { ("ipps", 443) } else { ("ipp", 80) };
        let uri = format!("{own}://{}", with_port(rest, port));
        Ok(Self { target, uri })
    }
}

/// Adds the port to an authority that has none, before a path that may follow.
fn with_port(rest: &str, port: u16) -> String {
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let after_host = authority.rfind(']').map_or(authority, |end| &authority[end..]);
    let path = if path.is_empty() { "/" } else { path };
    match after_host.contains(':') {
        true => format!("{authority}{path}"),
        false => format!("{authority}:{port}{path}"),
    }
}
