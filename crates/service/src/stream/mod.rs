//! Streams: clients that follow the event log live. The protocol is the crate `realtime`; here it meets the log, the
//! access tokens and the other nodes.
//!
//! A client's connection asks three things of us: whether its access token still stands ([`Service::vouch`]), what
//! the log has ([`Service::read_streams`]), and, without asking, whatever comes next: `tail` reads the log once for
//! all who listen on this node, and publishes it to the hub.

mod access;
mod announcements;
pub mod centrifugo;
mod epoch;
mod position;
mod read;
mod tail;
mod tokens;

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

use crate::{Random, Service};

pub use position::Position;

/// Who signs the tokens, and for whom: what an external server of the same protocol is told to expect.
pub const ISSUER: &str = "dockside";
pub const AUDIENCE: &str = "realtime";
/// Names the key that is derived where the operator gives none.
const KEY_PURPOSE: &[u8] = b"dockside stream tokens";
/// Connections are told to come back elsewhere in so many parts, with a rest between, so that they don't all come at
/// once.
const STOP_PARTS: u32 = 10;
const STOP_REST: Duration = Duration::from_millis(100);
/// Below so many connections, all are told at once.
const STOP_AT_ONCE: usize = 100;
const NODE_BYTES: usize = 8;

/// What an operator may set.
#[derive(Clone)]
pub struct Settings {
    pub key: StreamKey,
    pub connections_per_user_max: u32,
    pub connections_per_organisation_max: u32,
    /// An external server that clients connect to instead.
    pub centrifugo: Option<centrifugo::Settings>,
    pub lives: Lives,
}

/// How long the tokens of streams live, in seconds.
#[derive(Clone, Copy)]
pub struct Lives {
    pub connection: u32,
    pub subscription: u32,
}

impl Lives {
    /// The longest that anything lives after its access token was last vouched for.
    fn longest(self) -> i64 {
        i64::from(self.connection.max(self.subscription))
    }
}

impl Default for Lives {
    fn default() -> Self {
        Self { connection: tokens::CONNECTION_SECONDS, subscription: tokens::SUBSCRIPTION_SECONDS }
    }
}

/// The key that signs the tokens of streams.
#[derive(Clone, Default)]
pub enum StreamKey {
    /// HS256 with a secret made of the signing key.
    #[default]
    Derived,
    /// HS256 with a secret that another server knows too.
    Secret(String),
    /// ES256 with this private key, as PEM.
    Private(String),
}

impl StreamKey {
    /// Whether a key can be made of it.
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

/// What the streams of a node share.
pub struct Streams {
    pub(crate) hub: Arc<Hub>,
    session: Arc<session::SessionSettings>,
    lives: Lives,
    epoch: epoch::Epoch,
    tail: tail::Tail,
    access: access::Watched,
    positions: position::Positions,
    centrifugo: Option<Arc<centrifugo::Centrifugo>>,
}

impl Streams {
    pub(crate) fn new(settings: &Settings, signing_key: &[u8; 32], random: &dyn Random) -> Result<Self> {
        let key = settings.key.read(signing_key).map_err(Error::fault)?;
        let mut name = [0; NODE_BYTES];
        random.fill(&mut name);
        let node: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
        let version = concat!("dockside ", env!("CARGO_PKG_VERSION"));
        let hub = Hub::new(settings.connections_per_user_max, settings.connections_per_organisation_max);
        Ok(Self {
            hub: Arc::new(hub),
            session: Arc::new(session::SessionSettings::new(
                Signer::new(key, AUDIENCE, ISSUER),
                version,
                node,
            )),
            lives: settings.lives,
            epoch: epoch::Epoch::default(),
            tail: tail::Tail::default(),
            access: access::Watched::default(),
            positions: position::Positions::default(),
            centrifugo: match &settings.centrifugo {
                Some(external) => Some(Arc::new(centrifugo::Centrifugo::new(external)?)),
                None => None,
            },
        })
    }
}

impl Service {
    fn streams(&self) -> &Streams {
        &self.0.streams
    }

    /// A client that has just opened a connection.
    pub fn open_stream(&self, transport: Transport) -> ClientConnection {
        let mut seed = [0; SEED_BYTES];
        self.fill_random(&mut seed);
        let streams = self.streams();
        ClientConnection::new(&streams.hub, &streams.session, transport, seed.into(), self.now().as_millis())
    }

    /// Who listens on this node.
    pub fn hub(&self) -> &Arc<Hub> {
        &self.streams().hub
    }

    /// The name of this node, which clients that send by requests name with each.
    pub fn stream_node(&self) -> &str {
        &self.streams().session.node
    }

    /// Tells all clients to come back elsewhere.
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
