//! The realtime stream: the server side of Centrifugo's client protocol, so that Centrifugo's SDKs connect unchanged.
//!
//! This crate opens no socket, reads no log, reads no clock and generates no random numbers. Inputs are bytes and
//! times; outputs are bytes and requested effects. A driver, which has a socket and a database, connects them.
//!
//! - [`frame`]: the messages, in JSON and in Protobuf.
//! - [`token`]: the tokens that a client sends when it connects or subscribes.
//! - [`channel`]: channel names, and the streams of the event log behind them.
//! - [`session`]: the state machine of one connection.
//! - [`hub`]: the connections of this node, and the streams that they listen to.
//! - [`ClientConnection`]: a session with its registration in the hub. A driver holds one per client.
//!
//! ```text
//!   client                driver (a task per connection)                     this crate
//!   ──────                ──────────────────────────────                     ──────────
//!   frame ───────────────► receive(now, frame) ────────────┐
//!   time   ── wake_at() ─► tick(now) ──────────────────────┤
//!   items  ── outbox() ──► collect(now) ───────────────────┼──► ClientConnection ── Session
//!   result ──────────────► answer(now, result) ────────────┘        │  ▲
//!                                                                   │  │ Outbox, bounded
//!   ◄───── bytes ───────── Send        ◄──── next() ────────────────┤  │
//!   ◄───── close ───────── Close       ◄────────────────────────────┤  │
//!         service ◄─────── CheckAccess ◄────────────────────────────┤  │
//!         event log ◄───── Read        ◄────────────────────────────┘  │
//!                                                                      │
//!   tail of the event log ── publish(stream, offset, data) ──► Hub ────┤
//!   revocation, shutdown ─── send_control(audience, message) ► Hub ────┤
//!   POST /emulation ──────── emulate(session, frame) ────────► Hub ────┘
//! ```
//!
//! Two rules make recovery exact. An event is published only after readers of the log can see it. The events of one
//! stream are published in the order of their offsets. A subscription first attaches to the hub and then reads the log:
//! an event that the read does not return was published later, and is in the outbox.
//!
//! # A driver
//!
//! This is a complete driver. Drivers of other transports differ in `socket` only. With tokio, `socket.event` is a
//! `select!` over the socket (while [`ClientConnection::wants_input`]), [`hub::Outbox::ready`] and a sleep until
//! [`ClientConnection::wake_at`].
//!
//! ```
//! use realtime::session::EffectResult;
//! use realtime::{ClientConnection, DriverStep, code::Disconnect};
//!
//! # use std::{collections::VecDeque, future::Future, pin::pin, sync::Arc, task::{Context, Poll, Waker}};
//! # use realtime::{frame::{Codec, Frame}, hub::Hub, session::{ReadLog, SessionSettings, Slice, Transport}, token::*};
//! # enum Event { Frame(bytes::Bytes), Items, Time, Closed }
//! # struct Socket(VecDeque<Event>, Vec<String>);
//! # impl Socket {
//! #     async fn event(&mut self, _: &ClientConnection) -> Event { self.0.pop_front().unwrap_or(Event::Closed) }
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
//! async fn drive(mut connection: ClientConnection, service: &Service, socket: &mut Socket) -> Option<Disconnect> {
//!     loop {
//!         while let Some(step) = connection.next() {
//!             match step {
//!                 DriverStep::Send(frame) => {
//!                     // Give up after a second.
//!                     if let Err(why) = socket.send(frame).await {
//!                         return Some(why);
//!                     }
//!                 }
//!                 DriverStep::Close(why) => return Some(why),
//!                 DriverStep::CheckAccess(grant) => {
//!                     let verdict = service.vouch(grant).await;
//!                     connection.answer(service.now(), EffectResult::AccessChecked(verdict));
//!                 }
//!                 DriverStep::Read(reads) => {
//!                     let answer = service.read(&reads).await.map_or(EffectResult::Failed, EffectResult::Log);
//!                     connection.answer(service.now(), answer);
//!                 }
//!             }
//!         }
//!         match socket.event(&connection).await {
//!             Event::Frame(frame) => connection.receive(service.now(), frame),
//!             Event::Items => connection.collect(service.now()),
//!             Event::Time => connection.tick(service.now()),
//!             Event::Closed => return None,
//!         }
//!     }
//! }
//! # let signer = || Signer::new(Key::hs256(&[7; 32]).unwrap(), "dockside", "example");
//! # let owner = model::Owner::live(model::Id::from_bits(1));
//! # let grant = Grant { owner, user: model::Id::from_bits(2), access_token: model::Id::from_bits(3) };
//! # let terms = Terms { grant, issued_at: 1_800_000_000, expires_at: 1_800_000_600, id: "j".into() };
//! # let token = signer().mint_connection(&ConnectionToken { terms, channels: vec![] }).unwrap();
//! # let settings = Arc::new(SessionSettings::new(signer(), "example", "node1"));
//! let hub = Arc::new(Hub::new(20, 1_000));
//! let transport = Transport::websocket(Codec::Json);
//! # let seed = [1; 40];
//! let connection = ClientConnection::new(&hub, &settings, transport, seed.into(), Service.now());
//! # let frame = format!(r#"{{"id":1,"connect":{{"token":"{token}"}}}}{}"#, "\n{\"id\":2,\"subscribe\":{\"channel\":\"system:announcements\"}}");
//! # let mut socket = Socket(VecDeque::from([Event::Frame(frame.into()), Event::Time, Event::Items]), vec![]);
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

pub use connection::{ClientConnection, DriverStep};
