//! The stream: Centrifugo's client protocol, spoken from within, so that its SDKs connect unchanged.
//!
//! Nothing here opens a socket, reads a log, asks for the time or makes randomness: bytes and moments come in, bytes
//! and questions come out. Whoever has a socket and a database drives it.
//!
//! - [`frame`]: the messages, in JSON and in Protobuf.
//! - [`token`]: what a client shows when it connects or subscribes.
//! - [`channel`]: names, and the streams of the event log behind them.
//! - [`session`]: the state machine of one connection.
//! - [`hub`]: who listens to what, on this node.
//! - [`Connection`]: a session and its place in the hub, which is what a driver holds.
//!
//! ```text
//!   client                driver (a task per connection)                     this crate
//!   ──────                ──────────────────────────────                     ──────────
//!   frame ───────────────► receive(now, frame) ────────────┐
//!   time   ── wake_at() ─► tick(now) ──────────────────────┤
//!   mail   ── outbox() ──► collect(now) ───────────────────┼──► Connection ── Session
//!   answer ──────────────► answer(now, Vouched | Log) ─────┘        │  ▲
//!                                                                   │  │ Outbox, bounded
//!   ◄───── bytes ───────── Step::Send    ◄─── next() ───────────────┤  │
//!   ◄───── close ───────── Step::Close   ◄──────────────────────────┤  │
//!         service ◄─────── Step::Vouch   ◄──────────────────────────┤  │
//!         event log ◄───── Step::Read    ◄──────────────────────────┘  │
//!                                                                      │
//!   tail of the event log ── publish(stream, offset, data) ──► Hub ────┤
//!   who revokes, stops ───── order(audience, order) ─────────► Hub ────┤
//!   POST /emulation ──────── emulate(session, frame) ────────► Hub ────┘
//! ```
//!
//! Two rules keep recovery exact. An event is published only once readers of the log can see it. And of one stream
//! events are published in the order of their offsets. A subscription attaches to the hub first and reads the log
//! then: what the read does not show was published later, and waits in the outbox.
//!
//! # A driver
//!
//! The whole of it; a websocket's differs in `socket` only. With tokio, `socket.event` is a `select!` over the
//! socket (while [`Connection::wants_input`]), [`hub::Outbox::ready`] and a sleep until [`Connection::wake_at`].
//!
//! ```
//! use realtime::session::Answer;
//! use realtime::{Connection, Step, code::Disconnect};
//!
//! # use std::{collections::VecDeque, future::Future, pin::pin, sync::Arc, task::{Context, Poll, Waker}};
//! # use realtime::{frame::{Codec, Frame}, hub::Hub, session::{ReadLog, Settings, Slice, Transport}, token::*};
//! # enum Event { Frame(bytes::Bytes), Mail, Time, Gone }
//! # struct Socket(VecDeque<Event>, Vec<String>);
//! # impl Socket {
//! #     async fn event(&mut self, _: &Connection) -> Event { self.0.pop_front().unwrap_or(Event::Gone) }
//! #     async fn send(&mut self, frame: Frame) -> Result<(), Disconnect> {
//! #         self.1.push(String::from_utf8(frame.into_bytes().to_vec()).unwrap());
//! #         Ok(())
//! #     }
//! # }
//! # struct Service;
//! # impl Service {
//! #     fn now(&self) -> u64 { 1_800_000_000_000 }
//! #     async fn vouch(&self, _: Grant) -> Result<(), Disconnect> { Ok(()) }
//! #     async fn read(&self, reads: &[ReadLog]) -> Result<Vec<Slice>, ()> {
//! #         Ok(reads.iter().map(|_| Slice { epoch: "e".into(), top: 7, floor: 0, events: vec![], is_complete: true }).collect())
//! #     }
//! # }
//! async fn drive(mut connection: Connection, service: &Service, socket: &mut Socket) -> Option<Disconnect> {
//!     loop {
//!         while let Some(step) = connection.next() {
//!             match step {
//!                 Step::Send(frame) => {
//!                     // At most a second.
//!                     if let Err(why) = socket.send(frame).await {
//!                         return Some(why);
//!                     }
//!                 }
//!                 Step::Close(why) => return Some(why),
//!                 Step::Vouch(grant) => {
//!                     let verdict = service.vouch(grant).await;
//!                     connection.answer(service.now(), Answer::Vouched(verdict));
//!                 }
//!                 Step::Read(reads) => {
//!                     let answer = service.read(&reads).await.map_or(Answer::Failed, Answer::Log);
//!                     connection.answer(service.now(), answer);
//!                 }
//!             }
//!         }
//!         match socket.event(&connection).await {
//!             Event::Frame(frame) => connection.receive(service.now(), frame),
//!             Event::Mail => connection.collect(service.now()),
//!             Event::Time => connection.tick(service.now()),
//!             Event::Gone => return None,
//!         }
//!     }
//! }
//! # let signer = || Signer::new(Key::hs256(&[7; 32]).unwrap(), "dockside", "example");
//! # let owner = model::Owner::live(model::Id::from_bits(1));
//! # let grant = Grant { owner, user: model::Id::from_bits(2), access_token: model::Id::from_bits(3) };
//! # let terms = Terms { grant, issued_at: 1_800_000_000, expires_at: 1_800_000_600, id: "j".into() };
//! # let token = signer().mint_connection(&ConnectionToken { terms, channels: vec![] }).unwrap();
//! # let settings = Arc::new(Settings::new(signer(), "example", "node1"));
//! let hub = Arc::new(Hub::new(20, 1_000));
//! let transport = Transport::websocket(Codec::Json);
//! # let seed = [1; 40];
//! let connection = Connection::new(&hub, &settings, transport, seed.into(), Service.now());
//! # let frame = format!(r#"{{"id":1,"connect":{{"token":"{token}"}}}}{}"#, "\n{\"id\":2,\"subscribe\":{\"channel\":\"system:announcements\"}}");
//! # let mut socket = Socket(VecDeque::from([Event::Frame(frame.into()), Event::Time, Event::Mail]), vec![]);
//! # let ended = {
//! #     let mut driving = pin!(drive(connection, &Service, &mut socket));
//! #     driving.as_mut().poll(&mut Context::from_waker(Waker::noop()))
//! # };
//! # assert_eq!(ended, Poll::Ready(None));
//! # assert!(socket.1[0].starts_with("{\"id\":1,\"connect\":{\"client\":\"01010101-"), "{:?}", socket.1);
//! # assert_eq!(socket.1[1], r#"{"id":2,"subscribe":{"recoverable":true,"epoch":"e","offset":7,"positioned":true}}"#);
//! # assert_eq!(hub.connections(), 0);
//! ```

mod connection;
#[cfg(test)]
mod testing;

pub mod channel;
pub mod code;
pub mod frame;
pub mod hub;
pub mod limits;
pub mod session;
pub mod token;

pub use connection::{Connection, Step};
