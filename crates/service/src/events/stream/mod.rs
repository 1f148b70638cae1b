//! Streams: clients that follow the event log live. The crate `realtime` implements the protocol; this module connects it with
//! the log, the access tokens and the other nodes.
//!
//! A client's connection calls [`Streams::vouch`] to check its access token, and [`Streams::read_streams`] to read the log. New
//! events reach it through the hub: `tail` reads the log once for all clients of this node, and publishes the events there.

mod access;
mod announcements;
pub mod centrifugo;
pub(crate) mod epoch;
mod followed;
pub(crate) mod position;
mod read;
mod tail;
mod tokens;
mod watched;

pub(crate) use tokens::channels;

use std::sync::Arc;
use std::time::Duration;

use model::{Error, Result};
use realtime::code::Disconnect;
use realtime::hub::{Audience, Hub};
use realtime::session::{self, ControlMessage, SEED_BYTES, Transport};
use realtime::token::{Key, NotAKey, Signer};
use realtime::{ClientConnection, limits};
use ring::hmac;
use tracing::warn;

use crate::events::bus::Bus;
use crate::events::stream::epoch::Epochs;
use crate::platform::context::Context;
use crate::platform::nodes::Nodes;
use crate::platform::random::Random;

pub use position::Position;

/// The issuer and the audience in tokens, as an external server of the same protocol must be configured to expect them.
pub const ISSUER: &str = "dockside";
pub const AUDIENCE: &str = "realtime";
/// The purpose from which the key is derived if the operator gives none.
const KEY_PURPOSE: &[u8] = b"dockside stream tokens";
/// At a shutdown, connections are told to reconnect to another node in so many parts, with a pause between, so that they don't
/// all reconnect at once.
const STOP_PARTS: u32 = 10;
const STOP_REST: Duration = Duration::from_millis(100);
/// Up to this many connections, all are told at once.
const STOP_AT_ONCE: usize = 100;
const NODE_BYTES: usize = 8;

/// How long the tokens live, in seconds, where the operator does not say. Clients fetch new ones by themselves.
const CONNECTION_SECONDS: u32 = 30 * 60;
const SUBSCRIPTION_SECONDS: u32 = 15 * 60;

/// What an operator may set.
#[derive(Clone)]
pub struct Settings {
    pub key: StreamKey,
    pub connections_per_user_max: u32,
    pub connections_per_organisation_max: u32,
    /// An external server to which clients connect instead of this one.
    pub centrifugo: Option<centrifugo::client::Settings>,
    pub lives: Lives,
}

/// How long stream tokens are valid, in seconds.
#[derive(Clone, Copy)]
pub struct Lives {
    pub connection: u32,
    pub subscription: u32,
}

impl Lives {
    /// Returns the longest time for which a stream token is valid after its access token was checked.
    fn longest(self) -> i64 {
        i64::from(self.connection.max(self.subscription))
    }
}

impl Default for Lives {
    fn default() -> Self {
        Self { connection: CONNECTION_SECONDS, subscription: SUBSCRIPTION_SECONDS }
    }
}

/// The key that signs the tokens of streams.
#[derive(Clone, Default)]
pub enum StreamKey {
    /// HS256 with a secret that is derived from the signing key.
    #[default]
    Derived,
    /// HS256 with a secret that another server knows too.
    Secret(String),
    /// ES256 with this private key, as PEM.
    Private(String),
}

impl StreamKey {
    /// Checks that it is a valid key.
    pub fn check(&self) -> std::result::Result<(), NotAKey> {
        self.read(&[0; 32]).map(drop)
    }

    fn read(&self, signing_key: &[u8; 32]) -> std::result::Result<Key, NotAKey> {
        match self {
            StreamKey::Derived => {
                let signing = hmac::Key::new(hmac::HMAC_SHA256, signing_key);
                Key::hs256(hmac::sign(&signing, KEY_PURPOSE).as_ref())
            }
            StreamKey::Secret(secret) => Key::hs256(secret.as_bytes()),
            StreamKey::Private(pem) => Key::es256(pem.as_bytes()),
        }
    }
}

impl Settings {
    /// Returns the registry of the clients of a node, with these limits.
    pub(crate) fn hub(&self) -> Hub {
        Hub::new(self.connections_per_user_max, self.connections_per_organisation_max)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            key: StreamKey::default(),
            connections_per_user_max: limits::CONNECTIONS_PER_USER_MAX,
            connections_per_organisation_max: limits::CONNECTIONS_PER_ORGANISATION_MAX,
            centrifugo: None,
            lives: Lives::default(),
        }
    }
}

/// The state that all streams of a node share.
struct State {
    session: Arc<session::SessionSettings>,
    lives: Lives,
    tail: followed::Tail,
    access: watched::Watched,
    centrifugo: Option<Arc<centrifugo::client::Centrifugo>>,
}

impl State {
    fn new(settings: &Settings, signing_key: &[u8; 32], random: &dyn Random) -> Result<Self> {
        let key = settings.key.read(signing_key).map_err(Error::fault)?;
        let mut name = [0; NODE_BYTES];
        random.fill(&mut name);
        let node: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
        let version = concat!("dockside ", env!("CARGO_PKG_VERSION"));
        let session = session::SessionSettings::new(Signer::new(key, AUDIENCE, ISSUER), version, node);
        Ok(Self {
            session: Arc::new(session),
            lives: settings.lives,
            tail: followed::Tail::default(),
            access: watched::Watched::default(),
            centrifugo: match &settings.centrifugo {
                Some(external) => Some(Arc::new(centrifugo::client::Centrifugo::new(external)?)),
                None => None,
            },
        })
    }
}

/// The streams of a node. Clones share their state.
#[derive(Clone)]
pub struct Streams {
    context: Context,
    nodes: Nodes,
    bus: Bus,
    epochs: Epochs,
    state: Arc<State>,
}

impl Streams {
    pub(crate) fn new(
        context: &Context,
        settings: &Settings,
        nodes: &Nodes,
        bus: &Bus,
        epochs: &Epochs,
    ) -> Result<Self> {
        let state = State::new(settings, &context.settings().signing_key, &**context.random())?;
        let (nodes, bus, epochs) = (nodes.clone(), bus.clone(), epochs.clone());
        Ok(Self { context: context.clone(), nodes, bus, epochs, state: Arc::new(state) })
    }

    /// Returns the epoch of this installation's log.
    pub async fn epoch(&self) -> Result<Arc<str>> {
        self.epochs.epoch().await
    }

    /// Makes the epoch before anything is served: every read shows it, and could not make it once the disk is full.
    pub async fn ensure_epoch(&self) -> Result<()> {
        match self.epochs.epoch().await {
            // The disk is full already. What needs no epoch can be served.
            Err(error) if error.is_unavailable() => {
                warn!(%error, "the epoch of the log can't be stored: streams are refused until it can");
                Ok(())
            }
            epoch => epoch.map(drop),
        }
    }

    /// Gives the log another epoch, so that clients reload what they show.
    pub async fn renew_epoch(&self) -> Result<Arc<str>> {
        self.epochs.renew_epoch().await
    }

    /// Returns the session of a client that has just opened a connection.
    pub fn open_stream(&self, transport: Transport) -> ClientConnection {
        let mut seed = [0; SEED_BYTES];
        self.context.fill_random(&mut seed);
        ClientConnection::new(
            self.hub(),
            &self.state.session,
            transport,
            seed.into(),
            self.context.now().as_millis(),
        )
    }

    /// Returns the registry of the clients of this node.
    pub fn hub(&self) -> &Arc<Hub> {
        self.epochs.hub()
    }

    /// Returns the name of this node, which clients that send their commands by HTTP requests repeat in each.
    pub fn stream_node(&self) -> &str {
        &self.state.session.node
    }

    /// Tells all clients to reconnect to another node.
    pub async fn close_streams(&self) {
        let hub = self.hub();
        let order = ControlMessage::Disconnect(Disconnect::SHUTDOWN);
        if hub.connections() > STOP_AT_ONCE {
            for part in 0..STOP_PARTS {
                hub.send_control(Audience::Part { part, of: STOP_PARTS }, order);
                tokio::time::sleep(STOP_REST).await;
            }
        }
        hub.send_control(Audience::Everyone, order);
    }
}
