//! Printing: sends files to a printer, by a plain socket (port 9100) or by IPP, and says what came of it. It knows nothing of
//! the product: the server and the print agent use it alike.
//!
//! A job is printed in two steps, so that the caller can record its intent between them: [`Sender::open`] reaches the printer and
//! sends nothing of the files; [`OpenPrinter::print`] sends them. An outcome says whether a byte may have left:
//!
//! | Outcome | A byte left | Printed |
//! |---|---|---|
//! | `Printed` | yes | yes |
//! | `Unsent` | no, or the printer refused it for now | no: it may be sent again |
//! | `Failed` | perhaps | no: the printer refused or aborted it |
//! | `Uncertain` | perhaps | unknown: it must not be sent again without a person |

mod client;
pub mod ipp;
mod raw;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use outbound::{Endpoint, Lookup, Network, Outbound, Party, Refusal, Target, TlsError};
use tokio::net::TcpStream;

use client::{Capabilities, IppPrinter};

/// The port of printers that take bytes as they are.
pub const RAW_PORT: u16 = 9100;
/// The port of IPP.
const IPP_PORT: u16 = 631;
/// How long the look-up and the connection may take.
const OPEN_TIME_MAX: Duration = Duration::from_secs(10);
/// The media type of ZPL. Files of it may follow each other on one connection, because each label says where it ends.
pub const ZPL: &str = "application/zpl";

/// The protocol that a printer speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// Bytes as they are, on a socket.
    Raw,
    Ipp,
}

/// What to print.
#[derive(Clone, Debug)]
pub struct Job {
    /// The name under which an IPP printer lists the job, by which it is found again.
    pub name: String,
    pub copies: u32,
    /// The paper, as IPP names it.
    pub media: Option<String>,
    pub files: Vec<File>,
    /// Whether an earlier attempt may have printed some of the files. An IPP printer is then asked first.
    pub may_be_known: bool,
}

/// A file to print.
#[derive(Clone, Debug)]
pub struct File {
    pub media_type: String,
    pub bytes: Bytes,
}

/// What came of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Printed,
    /// Nothing was printed, and the same job may be sent again later.
    Unsent(String),
    /// Nothing more will be printed of it. A repetition would fail, too.
    Failed(String),
    /// It is unknown whether it was printed.
    Uncertain(String),
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
    target: Target,
    uri: String,
}

/// Sends to printers in some networks, and to nothing else.
#[derive(Clone)]
pub struct Sender {
    outbound: Outbound,
}

impl Sender {
    pub fn new(networks: &[Network], lookup: Arc<dyn Lookup>) -> Result<Self, TlsError> {
        Ok(Self { outbound: Outbound::only(networks, lookup)? })
    }

    /// Returns the same sender, sending for this party: its look-ups of names are counted as the party's.
    pub fn of(&self, party: Party) -> Self {
        Self { outbound: self.outbound.of(party) }
    }

    /// Reads the address of a printer, and refuses one that can never be reached.
    pub fn destination(&self, protocol: Protocol, address: &str) -> Result<Destination, Refusal> {
        match protocol {
            Protocol::Raw => self.outbound.parse_endpoint(address, RAW_PORT).map(Destination::Raw),
            Protocol::Ipp => self.ipp_address(address).map(Destination::Ipp),
        }
    }

    fn ipp_address(&self, address: &str) -> Result<IppAddress, Refusal> {
        let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
        let (called, own, default_port) = match scheme.to_ascii_lowercase().as_str() {
            "ipp" => ("http", "ipp", Some(IPP_PORT)),
            "ipps" => ("https", "ipps", Some(IPP_PORT)),
            "http" => ("http", "ipp", None),
            // Also whatever else it is: the client refuses it with its reason.
            _ => ("https", "ipps", None),
        };
        let url = match (scheme, default_port) {
            ("", _) => address.to_owned(),
            (_, Some(port)) => format!("{called}://{}", with_port(rest, port)),
            (_, None) => format!("{called}://{rest}"),
        };
        let target = self.outbound.parse_url(&url)?;
        // The URL standard drops the port that is the scheme's own, which is another one for IPP.
        let (_, rest) = target.as_str().split_once("://").unwrap_or_default();
        let uri = format!("{own}://{}", with_port(rest, if target.is_https() { 443 } else { 80 }));
        Ok(IppAddress { target, uri })
    }

    /// Reaches the printer without sending anything of a job. The error is never `Printed` or `Uncertain`.
    pub async fn open(&self, destination: &Destination) -> Result<OpenPrinter, Outcome> {
        match destination {
            Destination::Raw(endpoint) => {
                let socket = self.outbound.open(endpoint, OPEN_TIME_MAX).await;
                let socket = socket.map_err(|failure| Outcome::Unsent(failure.to_string()))?;
                Ok(OpenPrinter::Raw { sender: self.clone(), endpoint: endpoint.clone(), socket })
            }
            Destination::Ipp(address) => {
                let printer = IppPrinter::new(&self.outbound, address);
                let capabilities = printer.capabilities().await?;
                Ok(OpenPrinter::Ipp(Box::new((printer, capabilities))))
            }
        }
    }

    /// Finds out what became of a job that was sent, by an earlier process perhaps: an IPP printer is asked for it by its name.
    /// Nothing is sent to a printer that takes plain bytes, which knows of no jobs.
    pub async fn find(&self, destination: &Destination, job: &Job) -> Outcome {
        match destination {
            Destination::Raw(_) => Outcome::Uncertain(
                "The connection was lost after the first byte. Look at the printer, and reprint if nothing came out.".to_owned(),
            ),
            Destination::Ipp(address) => IppPrinter::new(&self.outbound, address).find(job).await,
        }
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

/// A printer that was reached.
pub enum OpenPrinter {
    Raw { sender: Sender, endpoint: Endpoint, socket: TcpStream },
    Ipp(Box<(IppPrinter, Capabilities)>),
}

impl OpenPrinter {
    /// Sends the job, and waits until the printer is done with it.
    pub async fn print(self, job: &Job) -> Outcome {
        match self {
            Self::Raw { sender, endpoint, socket } => raw::print(&sender, &endpoint, socket, job).await,
            Self::Ipp(printer) => printer.0.print(&printer.1, job).await,
        }
    }
}

#[cfg(test)]
mod tests;
