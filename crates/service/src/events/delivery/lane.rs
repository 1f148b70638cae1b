//! A lane: delivers one owner's events to one endpoint while this node holds it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use model::events::webhook_delivery::{Attempt, Consequence, Status, Verdict};
use model::{Error, Event, Id, Result, WebhookDelivery, WebhookEndpoint};
use outbound::Target;
use store::events::webhook_deliveries::{self, Content, Due};
use store::events::webhook_endpoints;
use store::events::webhook_lanes::{self, Held};
use tokio::task::JoinHandle;
use tracing::{Instrument, debug, debug_span, error_span, warn};

use super::pages::{self, Message, Messages};
use super::post::TIME_LIMIT;
use super::record::{Recorded, Unrecorded};
use super::{ALONE_TIME, Answer, Delivery, Linger, Post, Secrets, posted_body};
use crate::events::events::event_json;
use crate::platform::lookups::party;
use crate::platform::set_aside::{ALONE_CALL_TIME, STOPS_FIRST};

/// Due deliveries (retries, tests) that a lane reads at once.
const DUE_MAX: usize = 16;
/// How long posts may go unrecorded while more are sent. After a kill, unrecorded events are sent again.
const RECORD_EVERY: Duration = Duration::from_millis(100);
/// How long an idle lane waits for work before it is released, and how often it polls meanwhile, because other nodes send
/// no notification here.
const LINGER_TIME: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// The shortest time between two reads, so that many writes cause one read.
const LOOK_REST: Duration = Duration::from_millis(5);

/// How long a lane pauses after an error on this side: the database, or secrets that can't be opened.
const TROUBLE_REST: Duration = Duration::from_secs(5);

/// Why a lane ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// There is nothing to do at the moment: the lane is released.
    Idle,
    /// Another node holds the lane, or its endpoint was deleted: nothing may be recorded any more.
    Lost,
}

struct Lane {
    delivery: Delivery,
    /// The node name under which the lane is claimed.
    node: Arc<str>,
    held: Held,
    linger: Linger,
    /// When a lane that is resumed alone ends.
    alone_until: Option<Instant>,
    setup: Setup,
    unrecorded: Unrecorded,
    /// The transaction that records earlier posts while more are sent.
    recording: Option<JoinHandle<Result<Recorded>>>,
}

/// The endpoint as it was last read.
struct Setup {
    endpoint: WebhookEndpoint,
    version: i64,
    target: std::result::Result<Target, String>,
    secrets: Secrets,
}

/// The work that one read found.
struct Work {
    /// The endpoint's version. `None` if the endpoint is gone or the lane is lost: what this lane then sent would arrive twice.
    version: Option<i64>,
    due: Vec<Due>,
    events: Messages,
}

impl Delivery {
    /// Works on a lane until there is nothing left to do, or it is lost.
    pub(super) async fn run_lane(self, held: Held, linger: Linger) -> Result<()> {
        let (endpoint, organisation, node) = (held.endpoint, held.owner, self.nodes.name());
        let span =
            error_span!("webhooks", webhook_endpoint = %endpoint, %organisation, node = node.as_deref());
        Box::pin(self.work_on_lane(held, linger)).instrument(span).await
    }

    async fn work_on_lane(self, held: Held, linger: Linger) -> Result<()> {
        let end = match Lane::open(self.clone(), held.clone(), linger).await {
            Ok(Some(mut lane)) => lane.run().await,
            Ok(None) => Ok(End::Lost),
            Err(error) => Err(error),
        };
        if matches!(end, Ok(End::Lost)) {
            return Ok(());
        }
        if let Err(error) = &end {
            warn!(%error, "webhook lane failed, retrying");
            if linger == Linger::ForNews {
                self.rest_from_trouble().await;
            }
        }
        if let Err(error) = self.release_lane(&held).await {
            warn!(%error, "webhook lane not released: this node takes another name");
            // Otherwise this node would hold the lane for as long as it lives, without a task that works on it.
            self.nodes.disown();
        }
        end.map(drop)
    }

    /// Waits before a failed lane is released, because the node that claims it next may fail at once, too.
    async fn rest_from_trouble(&self) {
        let _either = tokio::time::timeout(TROUBLE_REST, self.context.stop().cancelled()).await;
    }

    /// Reads the endpoint and opens its secrets. Returns `None` if the endpoint is gone.
    async fn lane_setup(&self, held: &Held) -> Result<Option<Setup>> {
        let (owner, id) = (held.owner, held.endpoint);
        let read = self.context.db().read(owner, async move |tx| webhook_endpoints::get(tx, owner, id).await);
        let Some(stored) = read.await? else { return Ok(None) };
        let endpoint: WebhookEndpoint = serde_json::from_str(&stored.doc).map_err(Error::fault)?;
        let target = self.outbound.parse_url(&endpoint.url).map_err(|refusal| refusal.to_string());
        let secrets = self.endpoints.open_secrets(owner, id, &stored.secrets)?;
        Ok(Some(Setup { endpoint, version: stored.version, target, secrets }))
    }
}

impl Work {
    fn is_empty(&self) -> bool {
        self.due.is_empty() && self.events.is_empty()
    }
}

impl Lane {
    async fn open(delivery: Delivery, held: Held, linger: Linger) -> Result<Option<Self>> {
        let Some(node) = delivery.nodes.node() else { return Ok(None) };
        let Some(setup) = delivery.lane_setup(&held).await? else { return Ok(None) };
        let (alone_until, unrecorded, recording) = (None, Unrecorded::new(), None);
        Ok(Some(Self { delivery, node, held, linger, alone_until, setup, unrecorded, recording }))
    }

    async fn run(&mut self) -> Result<End> {
        let end = self.run_until_idle().await;
        // Whatever ended the lane, the running record must finish before the lane is released.
        let recorded = self.recorded().await;
        Ok(recorded?.unwrap_or(end?))
    }

    async fn run_until_idle(&mut self) -> Result<End> {
        let mut news = None;
        while !self.is_stopping() {
            let work = match news.take() {
                Some(work) => work,
                None => self.read_work().await?,
            };
            match work.version {
                None => return Ok(End::Lost),
                Some(version) if version == self.setup.version => {}
                // The client that changed the endpoint has its answer, so later events must be sent by the new setup.
                Some(_) => match self.look_again().await? {
                    Some(end) => return Ok(end),
                    None => continue,
                },
            }
            if work.is_empty() {
                if let Some(end) = self.recorded().await? {
                    return Ok(end);
                }
                if self.linger == Linger::ForNews && !self.is_paused() {
                    news = self.wait_for_news().await?;
                }
                match news {
                    Some(_) => continue,
                    None => return Ok(End::Idle),
                }
            }
            if let Some(end) = self.work(work).await? {
                return Ok(end);
            }
            if let Some(end) = self.record().await? {
                return Ok(end);
            }
        }
        Ok(End::Idle)
    }

    /// Whether the lane is to end although there may be work. Only a lane that waits for news runs as long as the server, and
    /// must stop with it.
    fn is_stopping(&self) -> bool {
        match self.linger {
            Linger::Never => false,
            Linger::ForNews => self.delivery.context.stop().is_cancelled(),
            Linger::Alone => self.alone_until.is_some_and(|until| Instant::now() >= until),
        }
    }

    /// Sends due deliveries, then new events, in order.
    async fn work(&mut self, work: Work) -> Result<Option<End>> {
        for due in work.due {
            if self.is_stopping() {
                break;
            }
            self.repeat(due).await?;
            if self.must_record()
                && let Some(end) = self.record().await?
            {
                return Ok(Some(end));
            }
        }
        for event in work.events.iter() {
            if self.is_paused() || self.is_stopping() {
                break;
            }
            if self.setup.endpoint.wants(&event.r#type) {
                self.deliver(event).await?;
            }
            self.held.cursor = event.sequence;
            self.unrecorded.has_moved = true;
            if self.must_record()
                && let Some(end) = self.record().await?
            {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    async fn read_work(&self) -> Result<Work> {
        let (owner, endpoint, cursor) = (self.held.owner, self.held.endpoint, self.held.cursor);
        let now = self.delivery.context.now();
        let is_paused = self.is_paused();
        let held = self.held.clone();
        let kept = self.delivery.state.pages.get(owner, cursor);
        let _turn = self.delivery.state.turns.acquire().await;
        let read = self.delivery.context.db().read(owner, async move |tx| {
            let version = webhook_lanes::version(tx, &held).await?;
            let due = webhook_deliveries::due(tx, owner, endpoint, now, DUE_MAX).await?;
            let events = match &kept {
                _ if is_paused => Messages::default(),
                Some(kept) => Arc::clone(kept),
                None => pages::read(tx, owner, cursor).await?,
            };
            Ok(Work { version, due, events })
        });
        let work = read.await?;
        if !is_paused {
            self.delivery.state.pages.put(owner, cursor, &work.events);
        }
        Ok(work)
    }

    fn is_paused(&self) -> bool {
        self.delivery.context.now() < self.held.health.paused_until
    }

    /// Sends an event for the first time.
    async fn deliver(&mut self, event: &Message) -> Result<()> {
        let now = self.delivery.context.now();
        let answer = self.post(event.id, event.body.clone()).await?;
        let delivery = WebhookDelivery {
            id: self.delivery.context.new_id(now),
            webhook_endpoint_id: self.held.endpoint,
            event_id: event.id,
            event_type: event.r#type.clone(),
            sequence: Some(event.sequence),
            status: Status::Pending,
            attempt: 0,
            next_attempt_at: None,
            attempts: Vec::new(),
            created_at: now,
            updated_at: now,
        };
        let delivery = self.settle(delivery, answer);
        self.unrecorded.new.push(delivery);
        Ok(())
    }

    /// Sends a due delivery: one that failed before, or one that a client requested.
    async fn repeat(&mut self, due: Due) -> Result<()> {
        let (body, is_test) = match due.content {
            Content::Event(event) => (posted_body(event_json(&event), event.created_at), false),
            Content::Body(body) => (body, true),
            Content::Expired => {
                let mut delivery = due.delivery;
                delivery.status = Status::Failed;
                delivery.next_attempt_at = None;
                delivery.updated_at = self.delivery.context.now();
                self.unrecorded.repeated.push(delivery);
                return Ok(());
            }
        };
        let answer = self.post(due.delivery.event_id, body.into()).await?;
        let mut delivery = self.settle(due.delivery, answer);
        if is_test && delivery.status == Status::Retrying {
            // A test is not retried: its user looks at the outcome now, and sends another one.
            delivery.status = Status::Failed;
            delivery.next_attempt_at = None;
        }
        self.unrecorded.repeated.push(delivery);
        Ok(())
    }

    async fn post(&self, id: Id<Event>, body: Bytes) -> Result<Answer> {
        // The machine's own time: receivers compare it with their clocks, and refuse what is minutes ahead.
        let now = self.delivery.context.machine_time();
        match &self.setup.target {
            Ok(target) => {
                let post = Post { target, secrets: &self.setup.secrets, id, body };
                let limit = match self.linger {
                    Linger::Alone if self.held.crashes > STOPS_FIRST => ALONE_CALL_TIME,
                    _ => TIME_LIMIT,
                };
                let span = debug_span!("outbound", event = %id);
                let outbound = self.delivery.outbound.of(party(self.held.owner));
                let answer = post.send_within(&outbound, now, limit).instrument(span.clone()).await?;
                let Attempt { status_code, latency_ms, .. } = answer.attempt;
                debug!(parent: &span, status = status_code, latency_ms, "webhook posted");
                Ok(answer)
            }
            Err(refusal) => Ok(Answer::failed(Attempt {
                attempted_at: now,
                status_code: None,
                latency_ms: 0,
                error: Some(refusal.clone()),
                response_body: None,
            })),
        }
    }

    /// Applies an answer to the delivery and to the health of the lane.
    fn settle(&mut self, mut delivery: WebhookDelivery, answer: Answer) -> WebhookDelivery {
        let now = self.delivery.context.now();
        self.alone_until.get_or_insert_with(|| Instant::now() + ALONE_TIME);
        let mut jitter = [0; 4];
        if answer.verdict != Verdict::Succeeded {
            self.delivery.context.fill_random(&mut jitter);
        }
        let attempt = delivery.attempt + 1;
        let Consequence { status, next_attempt_at, health, disable } =
            self.held.health.after(answer.verdict, attempt, now, u32::from_be_bytes(jitter));
        let counts = &self.delivery.state.counts;
        let count = if status == Status::Succeeded { &counts.succeeded } else { &counts.failed };
        count.fetch_add(1, Ordering::Relaxed);
        self.held.health = health;
        self.unrecorded.disable = self.unrecorded.disable.or(disable);
        delivery.attempts.push(answer.attempt);
        WebhookDelivery { status, attempt, next_attempt_at, updated_at: now, ..delivery }
    }

    /// Whether earlier posts must be recorded before more are sent.
    fn must_record(&self) -> bool {
        self.unrecorded.disable.is_some()
            || (self.linger == Linger::Alone && self.unrecorded.has_deliveries())
            || !self.delivery.nodes.is_node(&self.node)
            || self.unrecorded.since.elapsed() >= RECORD_EVERY
    }

    /// Records what was sent, in one transaction under the lane's fence. If nothing that follows depends on it, the lane goes on
    /// meanwhile, and awaits the outcome before it records again.
    async fn record(&mut self) -> Result<Option<End>> {
        if let Some(end) = self.recorded().await? {
            return Ok(Some(end));
        }
        let unrecorded = std::mem::replace(&mut self.unrecorded, Unrecorded::new());
        if !self.delivery.nodes.is_node(&self.node) {
            return Ok(Some(End::Lost));
        }
        if unrecorded.is_empty() {
            return Ok(None);
        }
        let is_plain = unrecorded.is_plain();
        let (delivery, node, held) = (self.delivery.clone(), Arc::clone(&self.node), self.held.clone());
        self.recording = Some(tokio::spawn(delivery.record_lane(node, held, unrecorded).in_current_span()));
        if is_plain && self.linger != Linger::Alone { Ok(None) } else { self.recorded().await }
    }

    /// Waits for the running record, and reads the endpoint again if it was changed meanwhile.
    async fn recorded(&mut self) -> Result<Option<End>> {
        let Some(recording) = self.recording.take() else { return Ok(None) };
        match recording.await.map_err(Error::fault)?? {
            Recorded::Lost => Ok(Some(End::Lost)),
            Recorded::Disabled => Ok(Some(End::Idle)),
            Recorded::Version(version) if version == self.setup.version => Ok(None),
            Recorded::Version(_) => self.look_again().await,
        }
    }

    /// Reads the endpoint again after a change of its address, its secret, or whether it wants anything at all.
    async fn look_again(&mut self) -> Result<Option<End>> {
        match self.delivery.lane_setup(&self.held).await? {
            None => Ok(Some(End::Lost)),
            Some(setup) if setup.endpoint.disabled => Ok(Some(End::Idle)),
            Some(setup) => {
                self.setup = setup;
                Ok(None)
            }
        }
    }

    /// Waits for work. Returns `None` if the lane is to be released.
    async fn wait_for_news(&self) -> Result<Option<Work>> {
        let delivery = &self.delivery;
        let (mut news, stop) = (delivery.news.subscribe(), delivery.context.stop());
        let began = Instant::now();
        while began.elapsed() < LINGER_TIME && !stop.is_cancelled() && self.delivery.nodes.is_node(&self.node)
        {
            // Read first: a write between the last read and the subscription sent no notification to this receiver.
            let work = self.read_work().await?;
            if !work.is_empty() || work.version != Some(self.setup.version) {
                return Ok(Some(work));
            }
            tokio::time::sleep(LOOK_REST).await;
            tokio::select! {
                _ = news.changed() => {}
                () = stop.cancelled() => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
        Ok(None)
    }
}
