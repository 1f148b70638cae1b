//! `dockside print-agent`: prints in a network that the server does not reach. It claims jobs through the API, reaches the
//! printer, fetches the documents, sends them as the server does, and reports what came of each job.
//!
//! The content is fetched after the printer was reached: the server then knows that a byte may have left. So a job whose agent
//! dies before that is queued again, and one whose agent dies after it is uncertain, and never printed twice.

mod server;

use std::io::Write;
use std::time::Duration;

use clap::Args;
use model::fulfilment::print_job::{PrintClaim, TryOutcome};
use model::fulfilment::printer::{Connection, PrinterKind};
use outbound::{Network, SystemLookup};
use printing::{File, Job, Outcome, Protocol, Sender};
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::failure::Failure;
use server::{Server, Trouble};

/// The first wait after the server did not answer, and the longest.
const AWAY_WAIT_MIN: Duration = Duration::from_millis(500);
const AWAY_WAIT_MAX: Duration = Duration::from_secs(15);
/// How long a job may take: less than its lease, so that the report is in time.
const JOB_TIME_MAX: Duration = Duration::from_secs(270);
/// How often a report is repeated that the server did not answer, and the pause between.
const REPORTS_MAX: u32 = 20;
const REPORT_PAUSE: Duration = Duration::from_secs(3);

#[derive(Args)]
pub struct PrintAgent {
    /// The server whose jobs to print.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    server: String,
    /// An access token with the scopes print_jobs:write and printers:read. It decides whose jobs are printed, and in which world.
    #[arg(long, value_name = "TOKEN", env = "DOCKSIDE_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// Networks in which the agent may connect to printers, such as 192.168.1.0/24; separated by commas.
    #[arg(
        long,
        value_name = "NETWORKS",
        env = "DOCKSIDE_PRINTER_NETWORKS",
        value_delimiter = ',',
        required = true
    )]
    printer_networks: Vec<Network>,
    /// Only jobs of these printers, by their ids; without it, of all whose connection is agent.
    #[arg(long = "printer", value_name = "ID", value_delimiter = ',')]
    printers: Vec<String>,
}

/// A running agent. Clones share its connections.
#[derive(Clone)]
struct Agent {
    server: Arc<Server>,
    sender: Sender,
}

pub async fn run(arguments: PrintAgent) -> Result<(), Failure> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let sender = Sender::new(&arguments.printer_networks, Arc::new(SystemLookup::default()))?;
    let server = Server::new(&arguments.server, arguments.token.as_deref(), arguments.printers)?;
    let agent = Agent { server: Arc::new(server), sender };
    say(&format!("printing the jobs of {} (world: {})", arguments.server, agent.server.world));
    let mut jobs = JoinSet::new();
    let outcome = tokio::select! {
        outcome = agent.work(&mut jobs) => outcome,
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    };
    // What is being sent is sent to its end: what is cut off would be uncertain.
    jobs.join_all().await;
    outcome
}

impl Agent {
    /// Claims jobs and prints them, until something can't be mended by waiting.
    async fn work(&self, jobs: &mut JoinSet<()>) -> Result<(), Failure> {
        let mut failures = 0;
        loop {
            while jobs.try_join_next().is_some() {}
            match self.server.claim().await {
                Ok(claims) => {
                    if std::mem::take(&mut failures) > 0 {
                        say("the server answers again");
                    }
                    for claim in claims {
                        let agent = self.clone();
                        jobs.spawn(async move { agent.print_claim(claim).await });
                    }
                }
                Err(Trouble::Final(failure)) => return Err(failure),
                Err(Trouble::Away(why)) => {
                    if failures == 0 {
                        say(&format!("the server does not answer, trying again: {why}"));
                    }
                    sleep(away_wait(failures)).await;
                    failures += 1;
                }
            }
        }
    }

    async fn print_claim(&self, claim: PrintClaim) {
        let job = claim.print_job.id;
        let outcome = match timeout(JOB_TIME_MAX, self.print(&claim)).await {
            Ok(outcome) => outcome,
            Err(_) => Outcome::Uncertain(format!(
                "The printer did not take all of it within {} s. Look at the printer, and reprint if nothing came out.",
                JOB_TIME_MAX.as_secs()
            )),
        };
        let (outcome, message) = told(outcome);
        let word = serde_json::to_value(outcome).unwrap_or_default();
        let printer = &claim.printer.details.name;
        say(&format!("{job} on {printer}: {}", word.as_str().unwrap_or_default()));
        for _ in 0..REPORTS_MAX {
            match self.server.report(job, claim.fence, outcome, message.as_deref()).await {
                Ok(()) => return,
                Err(Trouble::Final(failure)) => {
                    return say(&format!("{job}: the report was refused: {}", failure.0));
                }
                Err(Trouble::Away(_)) => sleep(REPORT_PAUSE).await,
            }
        }
        say(&format!("{job}: the report did not reach the server"));
    }

    /// Reaches the printer, fetches the documents, and sends them.
    async fn print(&self, claim: &PrintClaim) -> Outcome {
        let details = &claim.printer.details;
        if details.connection != Connection::Agent {
            return Outcome::Unsent("The printer is not for agents.".to_owned());
        }
        let protocol = match details.kind {
            PrinterKind::Raw => Protocol::Raw,
            PrinterKind::Ipp => Protocol::Ipp,
        };
        let destination = match self.sender.destination(protocol, &details.address) {
            Ok(destination) => destination,
            Err(refusal) => return Outcome::Unsent(refusal.to_string()),
        };
        let printer = match self.sender.open(&destination).await {
            Ok(printer) => printer,
            Err(outcome) => return outcome,
        };
        let mut files = Vec::with_capacity(claim.documents.len());
        for (place, document) in claim.documents.iter().enumerate() {
            match self.server.content(claim.print_job.id, claim.fence, (place, document)).await {
                Ok(bytes) => files.push(File { media_type: document.file_type.clone(), bytes }),
                // Nothing was sent to the printer.
                Err(Trouble::Away(why) | Trouble::Final(Failure(why))) => return Outcome::Unsent(why),
            }
        }
        let job = Job {
            name: claim.print_job.id.to_string(),
            copies: claim.print_job.copies,
            media: details.media.clone(),
            files,
            may_be_known: claim.print_job.tries > 1,
        };
        printer.print(&job).await
    }
}

fn told(outcome: Outcome) -> (TryOutcome, Option<String>) {
    match outcome {
        Outcome::Printed => (TryOutcome::Printed, None),
        Outcome::Unsent(why) => (TryOutcome::Unsent, Some(why)),
        Outcome::Failed(why) => (TryOutcome::Failed, Some(why)),
        Outcome::Uncertain(why) => (TryOutcome::Uncertain, Some(why)),
    }
}

/// How long to wait after so many failures in a row before this one.
fn away_wait(failures: u32) -> Duration {
    AWAY_WAIT_MIN.saturating_mul(1 << failures.min(10)).min(AWAY_WAIT_MAX)
}

/// Tells the person at the terminal, or the log of the machine.
fn say(line: &str) {
    // Nowhere is left to complain to.
    let _lost = writeln!(std::io::stderr(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_server_is_asked_ever_more_rarely() {
        let waits: Vec<_> = (0..7).map(|failures| away_wait(failures).as_millis()).collect();
        assert_eq!(waits, [500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
    }

    #[test]
    fn every_outcome_is_told_with_its_reason() {
        let why = || "why".to_owned();
        assert_eq!(told(Outcome::Printed), (TryOutcome::Printed, None));
        assert_eq!(told(Outcome::Unsent(why())), (TryOutcome::Unsent, Some(why())));
        assert_eq!(told(Outcome::Failed(why())), (TryOutcome::Failed, Some(why())));
        assert_eq!(told(Outcome::Uncertain(why())), (TryOutcome::Uncertain, Some(why())));
    }
}
