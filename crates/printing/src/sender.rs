//! The sender: reaches printers in some networks, and sends them jobs.

use std::sync::Arc;
use std::time::Duration;

use outbound::{Endpoint, Lookup, Network, Outbound, Party, Refusal, TlsError};
use tokio::net::TcpStream;

use crate::address::{Destination, IppAddress, Protocol, RAW_PORT};
use crate::client::{Capabilities, IppPrinter};
use crate::job::{Job, Outcome};
use crate::raw;

/// How long the look-up and the connection may take.
const OPEN_TIME_MAX: Duration = Duration::from_secs(10);

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
            Protocol::Ipp => IppAddress::read(&self.outbound, address).map(Destination::Ipp),
        }
    }

    /// Reaches the printer without sending anything of a job. The error is never `Printed` or `Uncertain`.
    pub async fn open(&self, destination: &Destination) -> Result<OpenPrinter, Outcome> {
        match destination {
            Destination::Raw(endpoint) => {
                let socket = self.outbound.open(endpoint, OPEN_TIME_MAX).await;
                let socket = socket.map_err(|failure| Outcome::Unsent(failure.to_string()))?;
                Ok(OpenPrinter::Raw { outbound: self.outbound.clone(), endpoint: endpoint.clone(), socket })
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

/// A printer that was reached.
pub enum OpenPrinter {
    Raw { outbound: Outbound, endpoint: Endpoint, socket: TcpStream },
    Ipp(Box<(IppPrinter, Capabilities)>),
}

impl OpenPrinter {
    /// Sends the job, and waits until the printer is done with it.
    pub async fn print(self, job: &Job) -> Outcome {
        match self {
            Self::Raw { outbound, endpoint, socket } => raw::print(&outbound, &endpoint, socket, job).await,
            Self::Ipp(printer) => printer.0.print(&printer.1, job).await,
        }
    }
}
