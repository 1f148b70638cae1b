//! An external Centrifugo instead of our own streams: it accepts the same tokens, and gets the events of the same log.
//!
//! Its channels belong to users, so an event is sent to every user who had a token lately: users are recorded in the audience
//! when they get a token. Each log has a cursor, and one node at a time sends its events. Every event has its id as idempotency
//! key, so an event that is sent twice after a kill arrives once.

mod api;
pub(super) mod client;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use model::{Error, Result, Timestamp};
use realtime::channel::Resource;
use realtime::code::Disconnect;
use realtime::limits::EVENT_BYTES_MAX;
use store::events::events::Logged;
use store::events::stream_audience;
use store::events::stream_relays::{self, Held};
use store::events::streams::{self, Bounds};
use store::{Access, Tx};
use tracing::warn;

use crate::access::caller::Caller;
use crate::events::events::stream_json;
use crate::events::stream::Streams;

use client::Centrifugo;
pub use client::Settings;

/// How often logs are read without a hint, and the pause after a failure.
const LOOK_EVERY: Duration = Duration::from_millis(500);
const FAILURE_REST: Duration = Duration::from_secs(1);
/// Logs that a node claims at once, and events of one log that are sent together.
const LOGS_MAX: usize = 16;
const EVENTS_MAX: usize = 100;
const BOUNDS: Bounds = Bounds { events: EVENTS_MAX, bytes: 1 << 20, event_bytes: EVENT_BYTES_MAX };
const ENDINGS_MAX: usize = 100;
/// How long events are sent to a user who requests no new token: longer than any history is kept, so that a client which
/// returns later is told to load anew, and never concludes that it missed nothing.
const AUDIENCE_SECONDS: i64 = 30 * 24 * 3600;

/// Checks an address before anything is opened.
pub fn is_address(url: &str) -> bool {
    let parsed = url.parse::<Uri>();
    parsed.is_ok_and(|uri| matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some())
}

impl Streams {
    fn centrifugo(&self) -> Option<&Arc<Centrifugo>> {
        self.state.centrifugo.as_ref()
    }

    /// Whether streams are served by an external server, and not here.
    pub fn has_external_streams(&self) -> bool {
        self.centrifugo().is_some()
    }

    /// Sends events to the external server until the process ends.
    pub(crate) async fn hand_on_forever(self) {
        let mut hints = self.bus.hints();
        loop {
            let _any = tokio::time::timeout(LOOK_EVERY, hints.recv()).await;
            if let Err(error) = self.hand_on_streams().await {
                warn!(%error, "sending events to Centrifugo failed, retrying");
                tokio::time::sleep(FAILURE_REST).await;
            }
        }
    }

    /// Sends everything that is due: disconnects users who lost access, and publishes new events.
    pub async fn hand_on_streams(&self) -> Result<()> {
        let Some(centrifugo) = self.centrifugo().cloned() else { return Ok(()) };
        self.send_away(&centrifugo).await?;
        loop {
            let now = self.context.now();
            let Some(node) = self.nodes.node() else { return Ok(()) };
            let claim = self
                .context
                .db()
                .write(Access::System, async move |tx| stream_relays::claim(tx, &node, now, LOGS_MAX).await);
            let claimed = claim.await?;
            if claimed.is_empty() {
                return Ok(());
            }
            let mut outcome = Ok(());
            for held in claimed {
                let handed = self.hand_on_log(&centrifugo, held).await;
                let release = self
                    .context
                    .db()
                    .write(held.owner, async move |tx| stream_relays::release(tx, held).await);
                outcome = outcome.and(handed).and(release.await);
            }
            outcome?;
        }
    }

    /// Continues a log that is suspect, and therefore resumed alone.
    pub(crate) async fn resume_relay(&self, held: Held) -> Result<()> {
        let handed = match self.centrifugo().cloned() {
            Some(centrifugo) => self.hand_on_log(&centrifugo, held).await,
            None => Ok(()),
        };
        let release =
            self.context.db().write(held.owner, async move |tx| stream_relays::release(tx, held).await);
        handed.and(release.await)
    }

    /// Skips the event during which servers stopped. Clients that miss it find it in the log.
    pub(crate) async fn set_event_aside(&self, held: Held) -> Result<()> {
        let skip = self.context.db().write(held.owner, async move |tx| {
            stream_relays::record(tx, held, held.cursor + 1).await?;
            stream_relays::release(tx, held).await
        });
        skip.await
    }

    /// Sends one log to its end, or until another node holds it.
    async fn hand_on_log(&self, centrifugo: &Centrifugo, mut held: Held) -> Result<()> {
        loop {
            let (owner, now) = (held.owner, self.context.now());
            let read = self.context.db().read(owner, async move |tx| {
                let page = streams::tail(tx, owner, held.cursor, BOUNDS).await?;
                let final_code = i64::from(Disconnect::FORCE.code);
                Ok((page, stream_audience::listening(tx, owner, now, final_code).await?))
            });
            let (page, listening) = read.await?;
            let Some(last) = page.events.last() else { return Ok(()) };
            let refused =
                centrifugo.send(commands(held, &page.events, listening)).await.map_err(Error::fault)?;
            if let Some(first) = refused.first() {
                let (count, organisation) = (refused.len(), held.owner);
                warn!(%organisation, count, %first, "Centrifugo refused publications");
            }
            let cursor = last.sequence;
            let record =
                self.context.db().write(owner, async move |tx| stream_relays::record(tx, held, cursor).await);
            if !record.await? {
                return Ok(());
            }
            held.cursor = cursor;
            if page.events.len() < EVENTS_MAX && !page.is_cut {
                return Ok(());
            }
        }
    }

    /// Closes the connections of users whose token was revoked or whose organisation was deprovisioned.
    async fn send_away(&self, centrifugo: &Centrifugo) -> Result<()> {
        let read =
            self.context.db().read(Access::System, async |tx| stream_audience::ending(tx, ENDINGS_MAX).await);
        for ending in read.await? {
            let is_final = ending.code == i64::from(Disconnect::FORCE.code);
            let why = if is_final { Disconnect::FORCE } else { Disconnect::STATE_INVALIDATED };
            let command = api::disconnect(&ending.user.to_string(), why.code, why.reason);
            centrifugo.send(vec![command]).await.map_err(Error::fault)?;
            let ended = self
                .context
                .db()
                .write(ending.owner, async move |tx| stream_audience::ended(tx, ending, is_final).await);
            ended.await?;
        }
        Ok(())
    }

    /// Publishes an announcement on the public channel of the external server.
    pub(super) async fn announce_externally(&self, number: i64, doc: &str) -> Result<()> {
        let Some(centrifugo) = self.centrifugo() else { return Ok(()) };
        let channel = realtime::channel::Channel::Announcements.to_string();
        let commands = api::broadcast(&[channel], doc, &format!("announcement-{number}"));
        let refused = centrifugo.send(commands).await.map_err(Error::fault)?;
        match refused.into_iter().next() {
            None => Ok(()),
            Some(refusal) => Err(Error::fault(format!("Centrifugo refused it: {refusal}"))),
        }
    }
}

/// Returns the commands that publish the events to the users who listen.
fn commands(held: Held, page: &[Logged], listening: Vec<(String, String)>) -> Vec<String> {
    let mut channels: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (user, resource) in listening {
        let channel = format!("{resource}:{}#{user}", held.owner);
        channels.entry(resource).or_default().push(channel);
    }
    let of_event = |event: &Logged| {
        let resource = Resource::of_event(&event.r#type)?;
        let channels = channels.get(resource.name())?;
        Some(api::broadcast(channels, &stream_json(event), &event.id.to_string()))
    };
    page.iter().filter_map(of_event).flatten().collect()
}

/// Records which resources (`["orders", …]`) a user will listen to, in the transaction that gives the user a token.
pub async fn admit(tx: &mut Tx<'_>, caller: &Caller, resources: &str, now: Timestamp) -> Result<()> {
    let until = now.plus_seconds(AUDIENCE_SECONDS);
    stream_relays::insert(tx, caller.owner).await?;
    stream_audience::admit(tx, caller.owner, caller.user, resources, until).await
}

/// Marks that a user, or every user of the owner, must be disconnected from an external server.
pub async fn end(
    tx: &mut Tx<'_>,
    owner: model::Owner,
    user: Option<model::Id<model::User>>,
    why: Disconnect,
) -> Result<()> {
    if user.is_none() {
        stream_relays::delete(tx, owner).await?;
    }
    stream_audience::end(tx, owner, user, i64::from(why.code)).await
}
