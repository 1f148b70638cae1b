//! `dockside events tail`: shows what happens, as it happens, and loses nothing while the server or the network is away.

use std::time::Duration;

use clap::{Args, Subcommand};
use model::events::event::{TYPES, is_known};
use model::platform::nearest::suggestion;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

use crate::common::Common;
use crate::event_log::{Head, Logged, Source, Tail, Trouble};
use crate::failure::Failure;
use crate::screen::{Paint, Screen, note, print};
use crate::server::everywhere;
use crate::text::harmless;

/// How often an idle log is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The first wait after the server did not answer, and the longest.
const AWAY_WAIT_MIN: Duration = Duration::from_millis(500);
const AWAY_WAIT_MAX: Duration = Duration::from_secs(15);
/// Widths of the columns.
const TIME_WIDTH: usize = "2026-11-01 09:00:00".len();
const SEQUENCE_WIDTH: usize = "SEQUENCE".len();

#[derive(Subcommand)]
pub enum Events {
    /// Show events as they happen, in their order, until Ctrl-C.
    ///
    /// If the server or the network is away, it waits and goes on behind the last event that it showed: each event comes once, and
    /// none is missing while the server keeps it.
    Tail(EventTail),
}

#[derive(Args)]
pub struct EventTail {
    /// Only events of these types, such as order.created,order.cancelled; without it, all.
    #[arg(long = "type", value_name = "TYPES", value_delimiter = ',', value_parser = parse_type)]
    types: Vec<String>,
    /// Only what happens to this resource, by its id, such as ord_….
    #[arg(long, value_name = "ID")]
    resource: Option<String>,
    /// Begin after the event with this sequence; 0 begins with the oldest there is. Without it, begin with what happens from
    /// now on.
    #[arg(long, value_name = "SEQUENCE", value_parser = clap::value_parser!(i64).range(0..))]
    after: Option<i64>,
    /// End after so many events.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    #[command(flatten)]
    common: Common,
}

fn parse_type(word: &str) -> Result<String, String> {
    if is_known(word) {
        return Ok(word.to_owned());
    }
    Err(format!("there is no such type.{}", suggestion(word, TYPES.iter().map(|(name, _)| *name))))
}

pub async fn run(command: Events) -> Result<(), Failure> {
    let Events::Tail(arguments) = command;
    let failed = |error: std::io::Error| Failure::refused(error.to_string());
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut session = tokio::select! {
        session = Session::open(arguments) => session?,
        _ = interrupt.recv() => return Ok(()),
        _ = terminate.recv() => return Ok(()),
    };
    let outcome = tokio::select! {
        outcome = session.follow() => outcome,
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    };
    note(&format!("To go on from here: --after {}", session.tail.after));
    outcome
}

/// What is followed, and how much is still to be shown.
struct Session {
    tail: Tail,
    arguments: EventTail,
    screen: Screen,
    shown: u64,
}

impl Session {
    async fn open(arguments: EventTail) -> Result<Self, Failure> {
        let (url, token) = arguments.common.resolve()?;
        let source = Source {
            outbound: everywhere()?,
            url: &url,
            url_flag: "--url",
            token: &token,
            resource_id: arguments.resource.clone(),
        };
        let tail = Tail::open(source, arguments.after).await?;
        let screen = Screen::new();
        if !arguments.common.json {
            print(&format!(
                "{}\n",
                screen.painted(Paint::Dim, &row("TIME", "SEQUENCE", "TYPE", "RESOURCE"))
            ))?;
        }
        Ok(Self { tail, arguments, screen, shown: 0 })
    }

    /// Shows what comes, until something can't be mended by waiting.
    async fn follow(&mut self) -> Result<(), Failure> {
        let mut failures = 0;
        loop {
            let events = match self.tail.read().await {
                Ok(events) => events,
                Err(Trouble::Final(failure)) => return Err(failure),
                Err(Trouble::Away(why)) => {
                    if failures == 0 {
                        note(&format!("The server is away: {} Waiting for it.", harmless(&why)));
                    }
                    sleep(away_wait(failures)).await;
                    failures += 1;
                    continue;
                }
            };
            if std::mem::take(&mut failures) > 0 {
                note("The server is back.");
            }
            if events.is_empty() {
                sleep(LOOK_EVERY).await;
            }
            for event in events {
                self.take(&event)?;
                if self.arguments.count.is_some_and(|count| self.shown >= count) {
                    return Ok(());
                }
            }
        }
    }

    /// Shows one event, if it is wanted, and goes on behind it.
    fn take(&mut self, event: &Logged) -> Result<(), Failure> {
        let types = &self.arguments.types;
        if types.is_empty() || types.contains(&event.head.r#type) {
            if self.arguments.common.json {
                print(&format!("{}\n", event.json))?;
            } else {
                print(&self.line(&event.head))?;
            }
            self.shown += 1;
        }
        self.tail.after = event.head.sequence;
        Ok(())
    }

    fn line(&self, event: &Head) -> String {
        let moment = event.created_at.to_string();
        let time = moment.get(..TIME_WIDTH).unwrap_or(&moment).replace('T', " ");
        let row =
            row(&time, &event.sequence.to_string(), &harmless(&event.r#type), &harmless(event.resource_id()));
        format!("{}\n", self.screen.painted(Paint::Plain, &row))
    }
}

fn row(time: &str, sequence: &str, r#type: &str, resource: &str) -> String {
    let type_width = TYPES.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    format!("{time:<TIME_WIDTH$}  {sequence:>SEQUENCE_WIDTH$}  {type:<type_width$}  {resource}")
}

/// How long to wait after so many failures in a row before this one.
fn away_wait(failures: u32) -> Duration {
    AWAY_WAIT_MIN.saturating_mul(1 << failures.min(10)).min(AWAY_WAIT_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_server_is_asked_ever_more_rarely() {
        let waits: Vec<_> = (0..7).map(|failures| away_wait(failures).as_millis()).collect();
        assert_eq!(waits, [500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
        assert_eq!(away_wait(u32::MAX), AWAY_WAIT_MAX);
    }

    #[test]
    fn a_type_that_is_not_there_is_refused_with_the_nearest() {
        assert_eq!(parse_type("order.created").unwrap(), "order.created");
        assert!(parse_type("order.create").unwrap_err().contains("order.created"));
    }
}
