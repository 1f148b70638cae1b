//! Messages over NATS: one subject, at most once, by the client `async-nats`, which also restores the connection.
//!
//! `async-nats` tells neither when a subscription has reached the server nor when a published message has. So the link
//! publishes a probe on its subject, and counts as connected once the probe has come back.

mod servers;
mod settings;
mod tls;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::{
    Client, ClientError, ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerError, Subscriber,
};
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

pub use self::servers::NatsServers;
use self::servers::UrlCredentials;
pub use self::settings::NatsSettings;
use crate::error::{Error, Result};
use crate::exchange::{BACKOFF_MAX, BACKOFF_MIN};
use crate::transport::{Incoming, Link, Transport};

/// How often a PING is sent. After two that were not answered, the connection counts as lost.
const PING_EVERY: Duration = Duration::from_secs(20);
/// How long connecting to one server may take, and how long a message may take to come back or to be accepted.
const TIME_MAX: Duration = Duration::from_secs(5);
/// Received messages that may wait to be read. Beyond that, they are dropped.
const UNREAD_MAX: usize = 1024;
/// Messages that may wait to be written. If there are more, the sender waits.
const UNWRITTEN_MAX: usize = 16;
/// Reports about a connection that may wait to be read.
const EVENTS_MAX: usize = 64;
/// Attempts to restore a connection before the link ends, and the exchange makes a new one.
const ATTEMPTS_MAX: usize = 100;

/// A subject of NATS that carries messages.
pub struct NatsTransport {
    settings: NatsSettings,
    default_roots: fn() -> RootCertStore,
    subject: &'static str,
}

impl NatsTransport {
    /// `default_roots` are the authorities that are trusted if the settings name no file.
    pub fn new(settings: NatsSettings, default_roots: fn() -> RootCertStore, subject: &'static str) -> Self {
        Self { settings, default_roots, subject }
    }

    /// Connects and subscribes, publishes the message, and returns once it has come back.
    async fn open(&self, probe: &str) -> Result<NatsLink> {
        let (events, happened) = Events::new();
        let options = self.options(events).await?;
        let addresses = self.settings.servers.addresses();
        // Time for each of the servers, and for looking up their names.
        let limit = TIME_MAX * u32::try_from(addresses.len() + 1).unwrap_or(u32::MAX);
        let client =
            in_time(limit, async { options.connect(addresses).await.map_err(|error| explain(&error)) });
        let client = client.await?;
        let subscriber = client.subscribe(self.subject).await.map_err(unavailable)?;
        let mut link = NatsLink {
            client,
            subscriber,
            subject: self.subject,
            events: happened,
            probe: Bytes::copy_from_slice(probe.as_bytes()),
            probing: Probing::No,
        };
        in_time(TIME_MAX, link.restored()).await?;
        Ok(link)
    }

    /// Returns the configuration of TLS, which a server may ask for although the address does not. Reading all authorities of a
    /// machine takes a while.
    async fn tls_config(&self) -> Result<ClientConfig> {
        let (settings, default_roots) = (self.settings.clone(), self.default_roots);
        let read = tokio::task::spawn_blocking(move || tls::config(&settings, default_roots));
        read.await.map_err(unavailable)?
    }

    async fn options(&self, events: Events) -> Result<ConnectOptions> {
        let servers = &self.settings.servers;
        let events = Arc::new(events);
        let options = ConnectOptions::new()
            .name("dockside")
            .connection_timeout(TIME_MAX)
            .ping_interval(PING_EVERY)
            .subscription_capacity(UNREAD_MAX)
            .client_capacity(UNWRITTEN_MAX)
            .max_reconnects(ATTEMPTS_MAX)
            .reconnect_delay_callback(reconnect_delay)
            // Addresses that a server announces may lead anywhere, and would be sent the credentials.
            .ignore_discovered_servers()
            .require_tls(servers.is_tls())
            .tls_client_config(self.tls_config().await?)
            .event_callback(move |event| {
                let events = Arc::clone(&events);
                async move { events.note(event).await }
            });
        match &self.settings.credentials_file {
            Some(file) => with_credentials_file(options, file).await,
            None => Ok(match servers.credentials() {
                UrlCredentials::None => options,
                UrlCredentials::Token(token) => options.token(token.clone()),
                UrlCredentials::User { name, password } => {
                    options.user_and_password(name.clone(), password.clone())
                }
            }),
        }
    }
}

/// Adds the user in the file: its JWT and its seed, or its seed alone.
async fn with_credentials_file(options: ConnectOptions, file: &Path) -> Result<ConnectOptions> {
    let failed = |why: &dyn std::fmt::Display| {
        Error::Refused(format!("nats_credentials_file {} can't be used: {why}", file.display()))
    };
    let path = file.to_owned();
    let read = tokio::task::spawn_blocking(move || std::fs::read_to_string(path)).await;
    let text = read.map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
    let is_seed =
        |text: &str| text.starts_with("SU") && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match text.trim() {
        seed if is_seed(seed) => Ok(options.nkey(seed.to_owned())),
        _ => options.credentials(&text).map_err(|error| failed(&error)),
    }
}

/// Returns the wait before an attempt to connect. The first attempt is made at once.
fn reconnect_delay(attempt: usize) -> Duration {
    let doublings = u32::try_from(attempt).unwrap_or(u32::MAX).saturating_sub(2);
    let delay = BACKOFF_MIN.saturating_mul(2_u32.saturating_pow(doublings)).min(BACKOFF_MAX);
    if attempt <= 1 { Duration::ZERO } else { delay }
}

#[async_trait]
impl Transport for NatsTransport {
    async fn connect(&self, probe: &str) -> Result<Box<dyn Link>> {
        Ok(Box::new(self.open(probe).await?))
    }

    async fn deliver(&self, message: &str) -> Result<()> {
        self.open(message).await.map(drop)
    }
}

/// A connection that `async-nats` restores.
struct NatsLink {
    client: Client,
    subscriber: Subscriber,
    subject: &'static str,
    events: mpsc::Receiver<Happened>,
    probe: Bytes,
    probing: Probing,
}

/// Whether the subscription is known to have reached the server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Probing {
    No,
    /// There is a new connection, and the probe is to be published.
    Due,
    /// The probe has not come back yet.
    Sent,
}

impl NatsLink {
    /// Waits until the probe has come back.
    async fn restored(&mut self) -> Result<()> {
        loop {
            match self.next().await? {
                Incoming::Restored => return Ok(()),
                Incoming::Lost(error) => return Err(error),
                Incoming::Message(_) | Incoming::Dropped => {}
            }
        }
    }
}

#[async_trait]
impl Link for NatsLink {
    async fn next(&mut self) -> Result<Incoming> {
        loop {
            if self.probing == Probing::Due {
                // If this future is dropped here, the next one publishes.
                self.client.publish(self.subject, self.probe.clone()).await.map_err(unavailable)?;
                self.probing = Probing::Sent;
            }
            tokio::select! {
                happened = self.events.recv() => match happened {
                    Some(Happened::Connected) => self.probing = Probing::Due,
                    Some(Happened::Dropped) => return Ok(Incoming::Dropped),
                    Some(Happened::Lost(error)) => {
                        self.probing = Probing::No;
                        return Ok(Incoming::Lost(error));
                    }
                    None => return Err(lost()),
                },
                message = self.subscriber.next() => match message {
                    Some(message) if self.probing == Probing::Sent && message.payload == self.probe => {
                        self.probing = Probing::No;
                        return Ok(Incoming::Restored);
                    }
                    Some(message) => return Ok(Incoming::Message(message.payload.to_vec())),
                    None => return Err(lost()),
                },
            }
        }
    }

    async fn send(&mut self, message: &str) -> Result<()> {
        let publish = self.client.publish(self.subject, Bytes::copy_from_slice(message.as_bytes()));
        in_time(TIME_MAX, async { publish.await.map_err(unavailable) }).await
    }
}

/// What `async-nats` reports of a connection, as far as it matters.
enum Happened {
    Connected,
    Dropped,
    Lost(Error),
}

/// Passes on what `async-nats` reports.
struct Events {
    happened: mpsc::Sender<Happened>,
    /// Whether refused credentials were passed on since the last connection: each attempt is refused anew.
    is_refused: AtomicBool,
}

impl Events {
    fn new() -> (Self, mpsc::Receiver<Happened>) {
        let (happened, receiver) = mpsc::channel(EVENTS_MAX);
        (Self { happened, is_refused: AtomicBool::new(false) }, receiver)
    }

    async fn note(&self, event: Event) {
        let happened = match event {
            Event::Connected => {
                self.is_refused.store(false, Ordering::Relaxed);
                Happened::Connected
            }
            Event::Disconnected => Happened::Lost(lost()),
            // `async-nats` reports each message that it drops. A few reports say as much as many.
            Event::SlowConsumer(_) if self.happened.capacity() < EVENTS_MAX / 2 => return,
            Event::SlowConsumer(_) => Happened::Dropped,
            Event::ServerError(error) => Happened::Lost(complaint(&error)),
            Event::ClientError(ClientError::Other(text)) if is_authorization(&text) => {
                if self.is_refused.swap(true, Ordering::Relaxed) {
                    return;
                }
                Happened::Lost(refused())
            }
            Event::ClientError(_) | Event::LameDuckMode | Event::Draining | Event::Closed => return,
        };
        // Sending fails only if the link was dropped.
        let _gone = self.happened.send(happened).await;
    }
}

/// `async-nats` reports why it could not reconnect only as a text.
fn is_authorization(text: &str) -> bool {
    [ConnectErrorKind::AuthorizationViolation, ConnectErrorKind::Authentication]
        .iter()
        .any(|kind| kind.to_string() == text)
}

/// Says why there is no connection.
fn explain(error: &ConnectError) -> Error {
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation => refused(),
        ConnectErrorKind::Authentication => Error::Refused(format!(
            "the challenge of the NATS server can't be signed: check nats_credentials_file ({error})"
        )),
        _ => Error::Unavailable(format!("no connection to NATS: {error}")),
    }
}

fn refused() -> Error {
    let text = "the NATS server refuses the credentials (Authorization Violation): check the user, password or token in \
                nats_url, or nats_credentials_file";
    Error::Refused(text.to_owned())
}

fn complaint(error: &ServerError) -> Error {
    match error {
        ServerError::AuthorizationViolation => refused(),
        ServerError::Other(text) if text.to_ascii_lowercase().contains("permissions violation") => {
            Error::Refused(format!("the NATS server says: {text}"))
        }
        other => Error::Unavailable(format!("the NATS server says: {other}")),
    }
}

fn lost() -> Error {
    Error::Unavailable("the connection to the NATS server was lost".to_owned())
}

fn unavailable(error: impl std::fmt::Display) -> Error {
    Error::Unavailable(format!("NATS: {error}"))
}

async fn in_time<T>(limit: Duration, work: impl Future<Output = Result<T>> + Send) -> Result<T> {
    let late = || Error::Unavailable(format!("no answer from NATS within {} s", limit.as_secs()));
    timeout(limit, work).await.unwrap_or_else(|_| Err(late()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_to_connect_are_made_at_once_and_then_ever_more_rarely() {
        let delays =
            [0, 1, 2, 3, 4, 7, 8, 100, usize::MAX].map(|attempt| reconnect_delay(attempt).as_millis());
        assert_eq!(delays, [0, 0, 100, 200, 400, 3200, 5000, 5000, 5000]);
    }

    #[tokio::test]
    async fn refused_credentials_are_reported_once_for_each_connection() {
        let (events, mut happened) = Events::new();
        let violation = || Event::ClientError(ClientError::Other("authorization violation".to_owned()));
        let other = || Event::ClientError(ClientError::Other("IO error".to_owned()));
        for event in [Event::Disconnected, other(), violation(), violation(), Event::Connected, violation()] {
            events.note(event).await;
        }
        let words: Vec<_> = std::iter::from_fn(|| happened.try_recv().ok())
            .map(|happened| match happened {
                Happened::Connected => "connected",
                Happened::Dropped => "dropped",
                Happened::Lost(Error::Refused(_)) => "refused",
                Happened::Lost(_) => "lost",
            })
            .collect();
        assert_eq!(words, ["lost", "refused", "connected", "refused"]);
    }

    #[tokio::test]
    async fn a_flood_of_dropped_messages_leaves_room_for_other_reports() {
        let (events, mut happened) = Events::new();
        for _ in 0..10 * EVENTS_MAX {
            events.note(Event::SlowConsumer(1)).await;
        }
        events.note(Event::Disconnected).await;
        let all: Vec<_> = std::iter::from_fn(|| happened.try_recv().ok()).collect();
        assert!(all.len() < EVENTS_MAX && matches!(all.last(), Some(Happened::Lost(_))));
    }
}
