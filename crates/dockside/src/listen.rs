//! `dockside listen`: follows the log through the API and posts each event to a developer's own receiver, signed as the
//! server signs webhooks. It works behind a firewall, and needs neither a webhook endpoint nor an allowed network.
//!
//! Order is kept: one event at a time. A forward that fails is shown and not repeated, because the developer of a receiver
//! wants to see the next event, not the last one again.

mod screen;

use std::time::Duration;

use clap::Args;
use cli::event_log::{Logged, Source, Tail, Trouble};
use model::events::event::is_known;
use model::events::webhook_endpoint::ALL_TYPES;
use outbound::{Network, Outbound, Target};
use service::events::delivery::{Post, SECRET_BYTES, Secrets, posted_body};
use service::{Clock, Random, SystemClock, SystemRandom};
use tokio::signal::unix::{SignalKind, signal};

use crate::failure::Failure;
use screen::{Opening, Screen};

/// How often an idle log is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The first wait after the server did not answer, and the longest.
const AWAY_WAIT_MIN: Duration = Duration::from_millis(500);
const AWAY_WAIT_MAX: Duration = Duration::from_secs(15);
/// Every address there is: the developer chose it, on a machine that reaches it anyway.
const EVERYWHERE: [&str; 2] = ["0.0.0.0/0", "::/0"];

#[derive(Args)]
pub struct Listen {
    /// Where to post the events, such as http://localhost:3000/hook.
    #[arg(long, value_name = "URL")]
    forward: String,
    /// The server whose events to follow.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    server: String,
    /// An access token with the scope events:read, and those to read the resources whose events to forward, such as
    /// orders:read. It decides whose log is followed, and in which world.
    #[arg(long, value_name = "TOKEN", env = "DOCKSIDE_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// Only events of these types, such as order.created,order.cancelled; without it, all.
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    events: Vec<String>,
    /// Begin after the event with this sequence; 0 begins with the oldest there is. Without it, begin with what happens
    /// from now on.
    #[arg(long, value_name = "SEQUENCE", value_parser = clap::value_parser!(i64).range(0..))]
    after: Option<i64>,
    /// The secret to sign with (whsec_…); without it a new one is made at each start.
    #[arg(long, value_name = "SECRET")]
    secret: Option<String>,
}

/// What is forwarded, whereto, and how it went so far.
struct Session {
    tail: Tail,
    outbound: Outbound,
    target: Target,
    secrets: Secrets,
    /// Empty where all types are wanted.
    types: Vec<String>,
    screen: Screen,
}

pub async fn run(arguments: Listen) -> Result<(), Failure> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut session = tokio::select! {
        session = open(arguments) => session?,
        _ = interrupt.recv() => return Ok(()),
        _ = terminate.recv() => return Ok(()),
    };
    let outcome = tokio::select! {
        outcome = session.follow() => outcome,
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    };
    session.screen.close(session.tail.after)?;
    outcome
}

/// Checks all that was given, asks the server once, and says how to verify what will come.
async fn open(arguments: Listen) -> Result<Session, Failure> {
    let types = wanted(arguments.events)?;
    let everywhere: Result<Vec<Network>, _> = EVERYWHERE.iter().map(|network| network.parse()).collect();
    let outbound = Outbound::new(&everywhere?)?;
    let target = outbound
        .parse_url(&arguments.forward)
        .map_err(|refusal| Failure(format!("--forward {}: {refusal}", arguments.forward)))?;
    let secrets = secrets(arguments.secret.as_deref())?;
    let source = Source {
        outbound: outbound.clone(),
        url: &arguments.server,
        url_flag: "--server",
        token: token(arguments.token.as_deref())?,
        resource_id: None,
    };
    let tail = Tail::open(source, arguments.after).await?;
    let mut screen = Screen::new(&types);
    screen.open(&Opening {
        server: &arguments.server,
        forward: target.as_str(),
        world: tail.world,
        types: &types,
        after: tail.after,
        secret: secrets.newest(),
        is_secret_new: arguments.secret.is_none(),
    })?;
    Ok(Session { tail, outbound, target, secrets, types, screen })
}

fn token(given: Option<&str>) -> Result<&str, Failure> {
    given.filter(|token| !token.is_empty()).ok_or_else(|| {
        Failure(
            "no token: give one with --token or in the variable DOCKSIDE_TOKEN; `dockside token create` makes one"
                .to_owned(),
        )
    })
}

/// The types to forward; none stands for all.
fn wanted(types: Vec<String>) -> Result<Vec<String>, Failure> {
    if let Some(unknown) = types.iter().find(|word| *word != ALL_TYPES && !is_known(word)) {
        let known: Vec<_> = model::events::event::TYPES.iter().map(|(name, _)| *name).collect();
        let meant = model::platform::nearest::suggestion(unknown, known.iter().copied());
        return Err(Failure(format!(
            "--events: there is no type {unknown:?}.{meant} Known types: {}, and {ALL_TYPES} for all",
            known.join(", ")
        )));
    }
    Ok(if types.iter().any(|word| word == ALL_TYPES) { Vec::new() } else { types })
}

/// The secret that was given, or a new one.
fn secrets(given: Option<&str>) -> Result<Secrets, Failure> {
    match given {
        Some(text) => Secrets::of(text).map_err(|error| {
            Failure(format!(
                "--secret must be whsec_ and 24 to 64 bytes in base64, as an endpoint's is: {error}"
            ))
        }),
        None => {
            let mut bytes = [0; SECRET_BYTES];
            SystemRandom.fill(&mut bytes);
            Ok(Secrets::new(bytes))
        }
    }
}

impl Session {
    /// Forwards what comes, until something can't be mended by waiting.
    async fn follow(&mut self) -> Result<(), Failure> {
        let mut failures = 0;
        loop {
            let events = match self.tail.read().await {
                Ok(events) => events,
                Err(Trouble::Final(failure)) => return Err(failure.into()),
                Err(Trouble::Away(why)) => {
                    if failures == 0 {
                        self.screen.away(&why)?;
                    }
                    tokio::time::sleep(away_wait(failures)).await;
                    failures += 1;
                    continue;
                }
            };
            if std::mem::take(&mut failures) > 0 {
                self.screen.back()?;
            }
            if events.is_empty() {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            for event in events {
                self.take(event).await?;
            }
        }
    }

    /// Forwards one event, if it is wanted, and goes on behind it.
    async fn take(&mut self, event: Logged) -> Result<(), Failure> {
        let sequence = event.head.sequence;
        if sequence > self.tail.after + 1 {
            self.screen.missing(self.tail.after + 1, sequence - 1)?;
        }
        if self.types.is_empty() || self.types.contains(&event.head.r#type) {
            let body = posted_body(event.json, event.head.created_at).into();
            let post = Post { target: &self.target, secrets: &self.secrets, id: event.head.id, body };
            let answer = post.send(&self.outbound, SystemClock.now()).await?;
            self.screen.forwarded(&event.head, &answer)?;
        }
        self.tail.after = sequence;
        Ok(())
    }
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
        let waits: Vec<_> = (0..8).map(|failures| away_wait(failures).as_millis()).collect();
        assert_eq!(waits, [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
        assert_eq!(away_wait(u32::MAX), AWAY_WAIT_MAX);
    }

    #[test]
    fn a_type_that_is_not_there_is_named_with_those_that_are() {
        let words = |types: &[&str]| types.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(wanted(words(&["order.created"])).ok().unwrap(), ["order.created"]);
        assert!(wanted(words(&["order.created", "*"])).ok().unwrap().is_empty());
        let failure = wanted(words(&["order.created", "order.create"])).err().unwrap().0;
        assert!(failure.contains("\"order.create\"") && failure.contains("order.cancelled"), "{failure}");
    }

    #[test]
    fn a_secret_is_taken_as_given_or_made_anew() {
        let given = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        assert_eq!(secrets(Some(given)).ok().unwrap().newest(), given);
        assert!(secrets(Some("whsec_short")).err().unwrap().0.contains("--secret"));
        let new = || secrets(None).ok().unwrap().newest().to_owned();
        assert_ne!(new(), new());
    }
}
