//! Drives a connection: what its socket brings goes in, what it wants done is done.

use std::future::Future;
use std::pin::{Pin, pin};
use std::time::Duration;

use bytes::Bytes;
use realtime::code::Disconnect;
use realtime::frame::Frame;
use realtime::session::EffectResult;
use realtime::{ClientConnection, DriverStep};
use service::Service;
use tokio::time::{Instant, Sleep, sleep_until};
use tracing::warn;

/// How long a socket may take to accept a frame.
pub const WRITE_TIME: Duration = Duration::from_secs(1);

/// One way to reach a client.
pub trait Socket: Send {
    /// Sends a frame, within [`WRITE_TIME`].
    fn send(&mut self, frame: Frame) -> impl Future<Output = Result<(), Disconnect>> + Send;

    /// What comes next from the client. May be dropped at any time, so it says nothing itself.
    fn receive(&mut self) -> impl Future<Output = Result<Bytes, Ended>> + Send;

    /// Says why, where that can be said, and closes.
    fn close(self, why: Disconnect) -> impl Future<Output = ()> + Send;
}

/// Why nothing more comes from a client.
#[derive(PartialEq, Eq, Debug)]
pub enum Ended {
    /// It is gone.
    Gone,
    /// It is to be told this, because it said goodbye or broke the rules.
    Goodbye(Disconnect),
}

/// Something happened.
enum Event {
    Frame(Bytes),
    Mail,
    Time,
    Ended(Ended),
}

/// Goes on until the client or we have had enough.
pub async fn drive(service: &Service, mut connection: ClientConnection, mut socket: impl Socket) {
    // One timer for all of a connection's life: it is set anew only when its moment changes.
    let mut alarm = pin!(sleep_until(Instant::now()));
    let mut set_to = None;
    loop {
        while let Some(step) = connection.next() {
            match step {
                DriverStep::Send(frame) => {
                    if let Err(why) = socket.send(frame).await {
                        return socket.close(why).await;
                    }
                }
                DriverStep::Close(why) => {
                    // Dropped first, so that the hub sends it no more while the client takes its time to close.
                    drop(connection);
                    return socket.close(why).await;
                }
                DriverStep::CheckAccess(grant) => {
                    let answer = match service.streams.vouch(grant).await {
                        Ok(verdict) => EffectResult::AccessChecked(verdict),
                        Err(error) => failed(&error),
                    };
                    connection.answer(now(service), answer);
                }
                DriverStep::Read(reads) => {
                    let answer = match service.streams.read_streams(reads).await {
                        Ok(slices) => EffectResult::Log(slices),
                        Err(error) => failed(&error),
                    };
                    connection.answer(now(service), answer);
                }
            }
        }
        if connection.wake_at() != set_to {
            set_to = connection.wake_at();
            let wait = set_to.map_or(0, |moment| moment.saturating_sub(now(service)));
            alarm.as_mut().reset(Instant::now() + Duration::from_millis(wait));
        }
        match event(&connection, &mut socket, alarm.as_mut()).await {
            Event::Frame(frame) => connection.receive(now(service), frame),
            Event::Mail => connection.collect(now(service)),
            Event::Time => {
                set_to = None;
                connection.tick(now(service));
            }
            Event::Ended(Ended::Gone) => return,
            Event::Ended(Ended::Goodbye(why)) => {
                drop(connection);
                return socket.close(why).await;
            }
        }
    }
}

/// Waits for whatever comes first.
async fn event(connection: &ClientConnection, socket: &mut impl Socket, alarm: Pin<&mut Sleep>) -> Event {
    tokio::select! {
        frame = socket.receive(), if connection.wants_input() => frame.map_or_else(Event::Ended, Event::Frame),
        () = connection.outbox().ready() => Event::Mail,
        () = alarm, if connection.wake_at().is_some() => Event::Time,
    }
}

fn now(service: &Service) -> u64 {
    service.context.now().as_millis()
}

/// The client may try again; the operator should know.
fn failed(error: &model::Error) -> EffectResult {
    warn!(%error, "effect of a stream failed: its client may try again");
    EffectResult::Failed
}
