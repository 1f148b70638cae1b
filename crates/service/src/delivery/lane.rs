//! A lane: the way of one owner's events to one endpoint, worked on while this node holds it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use model::webhook_delivery::{Attempt, Consequence, Status, Verdict};
use model::{Error, Event, Id, Result, WebhookDelivery, WebhookEndpoint};
use store::webhook_deliveries::{self, Content, Due};
use store::webhook_endpoints;
use store::webhook_lanes::{self, Held};
use tokio::task::JoinHandle;

use super::pages::{self, Message, Messages};
use super::record::{Recorded, Unrecorded};
use super::{Answer, Post, Secrets, posted_body};
use crate::events::event_json;
use crate::outbound::Target;
use crate::{Service, log};

/// Deliveries to be repeated that a lane reads at once.
const DUE_MAX: usize = 16;
/// The longest time that what was sent goes unrecorded while more is sent: after a kill it is sent again.
const RECORD_EVERY: Duration = Duration::from_millis(100);
/// How long a lane that has nothing to do waits for news before it is given back; and how often it looks, since other
/// nodes ring no bell here.
const LINGER_TIME: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// The shortest time between two looks: many writes ring one bell.
const LOOK_REST: Duration = Duration::from_millis(5);

/// How long a lane rests after trouble of our own: the database, or secrets that can't be opened.
const TROUBLE_REST: Duration = Duration::from_secs(5);

/// Whether a lane that has nothing to do waits for more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Linger {
    Never,
    ForNews,
}

/// Why a lane ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// There is nothing to do at the moment: it is given back.
    Idle,
    /// It is held by another, or its endpoint is gone: nothing may be recorded any more.
    Lost,
}

struct Lane {
    service: Service,
    /// The name that this node holds it under.
    node: Arc<str>,
    held: Held,
    linger: Linger,
    setup: Setup,
    unrecorded: Unrecorded,
    /// What is being written down while more is sent.
    recording: Option<JoinHandle<Result<Recorded>>>,
}

/// The endpoint as it was when last looked at.
struct Setup {
    endpoint: WebhookEndpoint,
    version: i64,
    target: std::result::Result<Target, String>,
    secrets: Secrets,
}

/// What there is to do.
struct Work {
    /// Of the endpoint; `None` where it is gone, or the lane is: what this one sent would come twice.
    version: Option<i64>,
    due: Vec<Due>,
    events: Messages,
}

impl Service {
    /// Works on a lane until there is nothing left to do, or it is lost.
    pub(super) async fn run_lane(self, held: Held, linger: Linger) -> Result<()> {
        let end = match Lane::open(self.clone(), held.clone(), linger).await {
            Ok(Some(mut lane)) => lane.run().await,
            Ok(None) => Ok(End::Lost),
            Err(error) => Err(error),
        };
        if matches!(end, Ok(End::Lost)) {
            return Ok(());
        }
        if let Err(error) = &end {
            log::error("deliver", error);
            if linger == Linger::ForNews {
                self.rest_from_trouble().await;
            }
        }
        if let Err(error) = self.release_lane(&held).await {
            log::error("deliver", &error);
            // This node would hold it for as long as it lives, and nobody would work on it.
            self.disown();
        }
        end.map(drop)
    }

    /// Waits before a lane that failed here is given back, since whoever takes it may well fail at once, too.
    async fn rest_from_trouble(&self) {
        let mut stop = self.0.delivery.is_stopping.subscribe();
        let _either = tokio::time::timeout(TROUBLE_REST, stop.wait_for(|is_stopping| *is_stopping)).await;
    }

    /// The endpoint with its secrets opened, ready to be posted to.
    async fn lane_setup(&self, held: &Held) -> Result<Option<Setup>> {
        let (owner, id) = (held.owner, held.endpoint);
        let read = self.db().read(owner, async move |tx| webhook_endpoints::get(tx, owner, id).await);
        let Some(stored) = read.await? else { return Ok(None) };
        let endpoint: WebhookEndpoint = serde_json::from_str(&stored.doc).map_err(Error::fault)?;
        let target = self.outbound().parse_url(&endpoint.url).map_err(|refusal| refusal.to_string());
        let secrets = self.open_secrets(owner, id, &stored.secrets)?;
        Ok(Some(Setup { endpoint, version: stored.version, target, secrets }))
    }
}

impl Work {
    fn is_empty(&self) -> bool {
        self.due.is_empty() && self.events.is_empty()
    }
}

impl Lane {
    async fn open(service: Service, held: Held, linger: Linger) -> Result<Option<Self>> {
        let Some(node) = service.node() else { return Ok(None) };
        let Some(setup) = service.lane_setup(&held).await? else { return Ok(None) };
        Ok(Some(Self { service, node, held, linger, setup, unrecorded: Unrecorded::new(), recording: None }))
    }

    async fn run(&mut self) -> Result<End> {
        let end = self.run_until_idle().await;
        // What is being written down must be written before the lane is given back, however it ended.
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
                // Whoever changed the endpoint was answered: what happened since must follow the change.
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

    /// Whether the server comes to its end, and with it what runs as long as it does.
    fn is_stopping(&self) -> bool {
        self.linger == Linger::ForNews && *self.service.0.delivery.is_stopping.borrow()
    }

    /// Does what there is to do, in order.
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
        let now = self.service.now();
        let is_paused = self.is_paused();
        let held = self.held.clone();
        let kept = self.service.0.delivery.pages.get(owner, cursor);
        let _turn = self.service.0.delivery.turns.acquire().await;
        let read = self.service.db().read(owner, async move |tx| {
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
            self.service.0.delivery.pages.put(owner, cursor, &work.events);
        }
        Ok(work)
    }

    fn is_paused(&self) -> bool {
        self.service.now() < self.held.health.paused_until
    }

    /// Sends an event for the first time.
    async fn deliver(&mut self, event: &Message) -> Result<()> {
        let now = self.service.now();
        let answer = self.post(event.id, event.body.clone()).await?;
        let delivery = WebhookDelivery {
            id: self.service.new_id(now),
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

    /// Sends what failed before, or what somebody asked for.
    async fn repeat(&mut self, due: Due) -> Result<()> {
        let (body, is_test) = match due.content {
            Content::Event(event) => (posted_body(event_json(&event), event.created_at), false),
            Content::Body(body) => (body, true),
            Content::Expired => {
                let mut delivery = due.delivery;
                delivery.status = Status::Failed;
                delivery.next_attempt_at = None;
                delivery.updated_at = self.service.now();
                self.unrecorded.repeated.push(delivery);
                return Ok(());
            }
        };
        let answer = self.post(due.delivery.event_id, body.into()).await?;
        let mut delivery = self.settle(due.delivery, answer);
        if is_test && delivery.status == Status::Retrying {
            // Whoever tests looks at the outcome now, and tests again.
            delivery.status = Status::Failed;
            delivery.next_attempt_at = None;
        }
        self.unrecorded.repeated.push(delivery);
        Ok(())
    }

    async fn post(&self, id: Id<Event>, body: Bytes) -> Result<Answer> {
        // Receivers compare it with their own clocks, and refuse what is minutes ahead.
        let now = self.service.machine_time();
        match &self.setup.target {
            Ok(target) => {
                let post = Post { target, secrets: &self.setup.secrets, id, body };
                post.send(&self.service.outbound().of(self.held.owner), now).await
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

    /// What follows from an answer, for the delivery and for the lane.
    fn settle(&mut self, mut delivery: WebhookDelivery, answer: Answer) -> WebhookDelivery {
        let now = self.service.now();
        let mut jitter = [0; 4];
        if answer.verdict != Verdict::Succeeded {
            self.service.fill_random(&mut jitter);
        }
        let attempt = delivery.attempt + 1;
        let Consequence { status, next_attempt_at, health, disable } =
            self.held.health.after(answer.verdict, attempt, now, u32::from_be_bytes(jitter));
        let counts = &self.service.0.delivery.counts;
        let count = if status == Status::Succeeded { &counts.succeeded } else { &counts.failed };
        count.fetch_add(1, Ordering::Relaxed);
        self.held.health = health;
        self.unrecorded.disable = self.unrecorded.disable.or(disable);
        delivery.attempts.push(answer.attempt);
        WebhookDelivery { status, attempt, next_attempt_at, updated_at: now, ..delivery }
    }

    /// Whether what was sent should be written down before more is sent.
    fn must_record(&self) -> bool {
        self.unrecorded.disable.is_some()
            || !self.service.is_node(&self.node)
            || self.unrecorded.since.elapsed() >= RECORD_EVERY
    }

    /// Writes down what was sent, in one transaction under the lane's fence. Where nothing that comes next depends on it
    /// the lane goes on meanwhile, and learns of the outcome before it writes again.
    async fn record(&mut self) -> Result<Option<End>> {
        if let Some(end) = self.recorded().await? {
            return Ok(Some(end));
        }
        let unrecorded = std::mem::replace(&mut self.unrecorded, Unrecorded::new());
        if !self.service.is_node(&self.node) {
            return Ok(Some(End::Lost));
        }
        if unrecorded.is_empty() {
            return Ok(None);
        }
        let is_plain = unrecorded.is_plain();
        let (service, node, held) = (self.service.clone(), Arc::clone(&self.node), self.held.clone());
        self.recording = Some(tokio::spawn(service.record_lane(node, held, unrecorded)));
        if is_plain { Ok(None) } else { self.recorded().await }
    }

    /// Waits for what is being written down, and looks at the endpoint anew where it was changed meanwhile.
    async fn recorded(&mut self) -> Result<Option<End>> {
        let Some(recording) = self.recording.take() else { return Ok(None) };
        match recording.await.map_err(Error::fault)?? {
            Recorded::Lost => Ok(Some(End::Lost)),
            Recorded::Disabled => Ok(Some(End::Idle)),
            Recorded::Version(version) if version == self.setup.version => Ok(None),
            Recorded::Version(_) => self.look_again().await,
        }
    }

    /// The endpoint was changed: its address, its secret, or whether it wants anything at all.
    async fn look_again(&mut self) -> Result<Option<End>> {
        match self.service.lane_setup(&self.held).await? {
            None => Ok(Some(End::Lost)),
            Some(setup) if setup.endpoint.disabled => Ok(Some(End::Idle)),
            Some(setup) => {
                self.setup = setup;
                Ok(None)
            }
        }
    }

    /// Waits for something to do; `None` where the lane is to be given back.
    async fn wait_for_news(&self) -> Result<Option<Work>> {
        let delivery = &self.service.0.delivery;
        let (mut news, mut stop) = (delivery.news.subscribe(), delivery.is_stopping.subscribe());
        let began = Instant::now();
        while began.elapsed() < LINGER_TIME && !*stop.borrow_and_update() && self.service.is_node(&self.node)
        {
            // What was written between the last look and the subscription rang no bell for us: so look first.
            let work = self.read_work().await?;
            if !work.is_empty() || work.version != Some(self.setup.version) {
                return Ok(Some(work));
            }
            tokio::time::sleep(LOOK_REST).await;
            tokio::select! {
                _ = news.changed() => {}
                _ = stop.changed() => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
        Ok(None)
    }
}
