//! The exchange over a transport that the test plays, on a clock that does not wait.

use std::collections::VecDeque;
use std::sync::Mutex;

use async_trait::async_trait;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::*;

/// Far longer than anything takes here.
const LONG: Duration = Duration::from_secs(600);

/// Words that wait to be sent.
#[derive(Clone, PartialEq, Debug, Default)]
struct Words(Vec<String>);

impl Words {
    fn of(text: &str) -> Self {
        Self(text.split(' ').map(str::to_owned).collect())
    }
}

impl Pending for Words {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn merge(&mut self, other: &Self) {
        self.0.extend(other.0.iter().cloned());
    }

    fn text(&self) -> String {
        self.0.join(" ")
    }
}

/// What the handler was told, as lines.
struct Told(mpsc::UnboundedSender<String>);

impl Told {
    fn note(&self, line: String) {
        self.0.send(line).unwrap();
    }
}

impl Handler for Told {
    fn received(&self, text: &str) {
        self.note(format!("received {text}"));
    }

    fn missed(&self) {
        self.note("missed".to_owned());
    }

    fn connected(&self, is_first: bool, was_lost: bool) {
        self.note(format!("connected first={is_first} lost={was_lost}"));
    }

    fn disconnected(&self, error: &Error) {
        self.note(format!("disconnected {error}"));
    }
}

type Step = Result<Incoming>;

/// A transport whose connections are prepared by the test: an error, or what happens on the link.
#[derive(Default)]
struct Played {
    connections: Mutex<VecDeque<Result<mpsc::UnboundedReceiver<Step>>>>,
    attempts: Mutex<Vec<Instant>>,
    sent: Arc<Mutex<Vec<String>>>,
}

struct PlayedLink {
    steps: mpsc::UnboundedReceiver<Step>,
    sent: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Transport for Played {
    async fn connect(&self, probe: &str) -> Result<Box<dyn Link>> {
        assert_eq!(probe, "1 me");
        self.attempts.lock().unwrap().push(Instant::now());
        let next = self.connections.lock().unwrap().pop_front();
        let steps = next.unwrap_or_else(|| Err(down("down")))?;
        Ok(Box::new(PlayedLink { steps, sent: Arc::clone(&self.sent) }))
    }

    async fn deliver(&self, message: &str) -> Result<()> {
        self.sent.lock().unwrap().push(format!("delivered {message}"));
        Ok(())
    }
}

#[async_trait]
impl Link for PlayedLink {
    async fn next(&mut self) -> Step {
        self.steps.recv().await.unwrap_or_else(|| Err(down("closed")))
    }

    async fn send(&mut self, message: &str) -> Result<()> {
        if message.ends_with("broken") && self.sent.lock().unwrap().iter().all(|sent| sent != "broken") {
            self.sent.lock().unwrap().push("broken".to_owned());
            return Err(down("not written"));
        }
        self.sent.lock().unwrap().push(message.to_owned());
        Ok(())
    }
}

fn down(text: &str) -> Error {
    Error::Unavailable(text.to_owned())
}

fn refusal() -> Error {
    Error::Refused("wrong password".to_owned())
}

struct Play {
    transport: Arc<Played>,
    outbox: Arc<Outbox<Words>>,
    told: mpsc::UnboundedReceiver<String>,
    exchange: Arc<Exchange<Words, Told>>,
}

impl Play {
    fn new() -> Self {
        let (transport, outbox) = (Arc::new(Played::default()), Arc::new(Outbox::default()));
        let (note, told) = mpsc::unbounded_channel();
        let carrier: Arc<dyn Transport> = transport.clone();
        let exchange = Exchange::new(carrier, Arc::clone(&outbox), Told(note), "me".to_owned());
        Self { transport, outbox, told, exchange: Arc::new(exchange) }
    }

    /// Prepares a connection, and returns what makes things happen on it.
    fn connection(&self) -> mpsc::UnboundedSender<Step> {
        let (happens, steps) = mpsc::unbounded_channel();
        self.transport.connections.lock().unwrap().push_back(Ok(steps));
        happens
    }

    fn fails(&self, error: Error) {
        self.transport.connections.lock().unwrap().push_back(Err(error));
    }

    fn start(&self) {
        let exchange = Arc::clone(&self.exchange);
        tokio::spawn(async move { exchange.run().await });
    }

    async fn told(&mut self) -> String {
        timeout(LONG, self.told.recv()).await.expect("the handler is told").unwrap()
    }

    async fn sent(&self, count: usize) -> Vec<String> {
        let sent = async {
            while self.transport.sent.lock().unwrap().len() < count {
                sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(LONG, sent).await.expect("it is sent");
        self.transport.sent.lock().unwrap().clone()
    }
}

fn message(text: &str) -> Step {
    Ok(Incoming::Message(text.as_bytes().to_vec()))
}

#[tokio::test(start_paused = true)]
async fn it_passes_on_what_others_send() {
    let mut play = Play::new();
    let happens = play.connection();
    play.start();
    assert_eq!(play.told().await, "connected first=true lost=false");
    for text in ["1 me own", "1 other", "1 other one two", "2 other three", "1 me", "\u{1}"] {
        happens.send(message(text)).unwrap();
    }
    happens.send(Ok(Incoming::Dropped)).unwrap();
    for expected in ["received one two", "missed", "missed", "missed"] {
        assert_eq!(play.told().await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_added_soon_after_a_message_leaves_together() {
    let mut play = Play::new();
    let _happens = play.connection();
    play.start();
    play.told().await;
    play.outbox.add(&Words::of("first"));
    assert_eq!(play.sent(1).await, ["1 me first"]);
    let began = Instant::now();
    play.outbox.add(&Words::of("second"));
    play.outbox.add(&Words::of("third"));
    assert_eq!(play.sent(2).await[1..], ["1 me second third"]);
    assert!(began.elapsed() <= REST + Duration::from_millis(1));
}

#[tokio::test(start_paused = true)]
async fn while_a_link_is_restored_nothing_is_sent_and_nothing_is_lost() {
    let mut play = Play::new();
    let happens = play.connection();
    play.start();
    play.told().await;
    happens.send(Ok(Incoming::Lost(down("gone")))).unwrap();
    assert_eq!(play.told().await, "disconnected gone");
    play.outbox.add(&Words::of("kept"));
    // Further failures of the same outage are not reported; that an operator must act is, once.
    for error in [down("still gone"), refusal(), refusal(), down("gone again")] {
        happens.send(Ok(Incoming::Lost(error))).unwrap();
    }
    assert_eq!(play.told().await, "disconnected wrong password");
    sleep(Duration::from_secs(10)).await;
    assert!(play.transport.sent.lock().unwrap().is_empty());
    happens.send(Ok(Incoming::Restored)).unwrap();
    assert_eq!(play.told().await, "connected first=false lost=true");
    assert_eq!(play.sent(1).await, ["1 me kept"]);
    assert_eq!(play.transport.attempts.lock().unwrap().len(), 1, "the link restored itself");
}

#[tokio::test(start_paused = true)]
async fn a_link_that_ends_is_replaced_and_what_was_not_sent_is_sent_again() {
    let mut play = Play::new();
    let (_first, _second) = (play.connection(), play.connection());
    play.start();
    play.told().await;
    play.outbox.add(&Words::of("broken"));
    assert_eq!(play.told().await, "disconnected not written");
    assert_eq!(play.told().await, "connected first=false lost=true");
    assert_eq!(play.sent(2).await, ["broken", "1 me broken"]);
}

#[tokio::test(start_paused = true)]
async fn it_reconnects_ever_more_rarely_and_reports_an_outage_once() {
    let mut play = Play::new();
    for _ in 0..3 {
        play.fails(down("connection refused"));
    }
    play.fails(refusal());
    for _ in 0..4 {
        play.fails(down("connection refused"));
    }
    let _happens = play.connection();
    play.start();
    for expected in
        ["disconnected connection refused", "disconnected wrong password", "connected first=true lost=true"]
    {
        assert_eq!(play.told().await, expected);
    }
    let attempts = play.transport.attempts.lock().unwrap().clone();
    let waits: Vec<_> = attempts.windows(2).map(|pair| (pair[1] - pair[0]).as_millis()).collect();
    assert_eq!(waits, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
}

#[tokio::test(start_paused = true)]
async fn a_command_sends_what_waits_and_nothing_if_nothing_waits() {
    let play = Play::new();
    play.exchange.flush().await.unwrap();
    assert!(play.transport.sent.lock().unwrap().is_empty());
    play.outbox.add(&Words::of("one two"));
    play.exchange.flush().await.unwrap();
    play.exchange.flush().await.unwrap();
    assert_eq!(play.sent(1).await, ["delivered 1 me one two"]);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_too_long_is_not_sent() {
    let play = Play::new();
    let longest = MESSAGE_BYTES_MAX - ENVELOPE_BYTES_MAX;
    play.outbox.add(&Words::of(&"x".repeat(longest)));
    play.exchange.flush().await.unwrap();
    play.outbox.add(&Words::of(&"x".repeat(longest + 1)));
    assert_eq!(play.exchange.flush().await, Err(Error::TooLong(longest + 1)));
    assert!(play.sent(1).await[0].len() <= "delivered ".len() + MESSAGE_BYTES_MAX);
}
