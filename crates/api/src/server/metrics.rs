//! Metrics of all areas in Prometheus format: requests, webhook attempts, purchases, clients of event streams, and the
//! clock.

use std::fmt::Write;
use std::sync::atomic::Ordering;

use realtime::hub::Hub;
use service::events::delivery::Counts;
use service::platform::runner::Totals;
use service::shipping::purchasing;
use service::{ClockState, Service};

use crate::platform::metrics::RequestMetrics;

/// A label of a metric, and how its value is read.
type Sample = (&'static str, fn(&Totals) -> u64);

/// Returns the metrics of this node.
pub fn text(requests: &RequestMetrics, service: &Service) -> String {
    let mut out = requests.text();
    write_webhooks(&mut out, service.delivery.counts(), service.delivery.turn_totals().under_way);
    write_purchases(&mut out, service.purchasing.counts(), service.purchasing.turn_totals().under_way);
    write_jobs(&mut out, &service.job_totals());
    write_streams(&mut out, service.streams.hub());
    write_clock(&mut out, service.context.clock_state());
    out
}

fn write_webhooks(out: &mut String, counts: &Counts, lanes: u64) {
    let [succeeded, failed] = [&counts.succeeded, &counts.failed].map(|count| count.load(Ordering::Relaxed));
    let _infallible = write!(
        out,
        "# HELP dockside_webhook_attempts_total Attempts of this node to deliver a webhook, by outcome.\n\
         # TYPE dockside_webhook_attempts_total counter\n\
         dockside_webhook_attempts_total{{outcome=\"succeeded\"}} {succeeded}\n\
         dockside_webhook_attempts_total{{outcome=\"failed\"}} {failed}\n\
         # HELP dockside_webhook_lanes Endpoints that this node is delivering to.\n\
         # TYPE dockside_webhook_lanes gauge\n\
         dockside_webhook_lanes {lanes}\n"
    );
}

fn write_purchases(out: &mut String, counts: &purchasing::Counts, turns: u64) {
    let [bought, failed, unknown] =
        [&counts.bought, &counts.failed, &counts.unknown].map(|count| count.load(Ordering::Relaxed));
    let _infallible = write!(
        out,
        "# HELP dockside_purchase_outcomes_total What this node's purchases came to.\n\
         # TYPE dockside_purchase_outcomes_total counter\n\
         dockside_purchase_outcomes_total{{outcome=\"bought\"}} {bought}\n\
         dockside_purchase_outcomes_total{{outcome=\"failed\"}} {failed}\n\
         dockside_purchase_outcomes_total{{outcome=\"unknown\"}} {unknown}\n\
         # HELP dockside_purchases_under_way Purchases that this node is working on.\n\
         # TYPE dockside_purchases_under_way gauge\n\
         dockside_purchases_under_way {turns}\n"
    );
}

/// Writes the counters of all jobs that hold claims.
fn write_jobs(out: &mut String, jobs: &[(&str, Totals)]) {
    let mut family = |name: &str, r#type: &str, help: &str, samples: &[Sample]| {
        let _infallible = write!(out, "# HELP {name} {help}\n# TYPE {name} {type}\n");
        for (job, totals) in jobs {
            for (label, value) in samples {
                let _infallible = writeln!(out, "{name}{{job=\"{job}\"{label}}} {}", value(totals));
            }
        }
    };
    family(
        "dockside_job_turns",
        "gauge",
        "Claimed items that this node is working on.",
        &[("", |totals| totals.under_way)],
    );
    family(
        "dockside_job_claimed_total",
        "counter",
        "Items that this node has claimed.",
        &[("", |totals| totals.claimed)],
    );
    family(
        "dockside_job_turns_total",
        "counter",
        "Turns of this node that have ended, by how they ended.",
        &[
            (",outcome=\"succeeded\"", |totals| totals.succeeded),
            (",outcome=\"failed\"", |totals| totals.failed),
            (",outcome=\"panicked\"", |totals| totals.panicked),
        ],
    );
    family(
        "dockside_job_failed_claims_total",
        "counter",
        "Claims of this node that failed, such as while the database is away.",
        &[("", |totals| totals.failed_claims)],
    );
}

fn write_streams(out: &mut String, hub: &Hub) {
    let (connections, published) = (hub.connections(), hub.published());
    let _infallible = write!(
        out,
        "# HELP dockside_stream_connections Clients that follow events live on this node.\n\
         # TYPE dockside_stream_connections gauge\n\
         dockside_stream_connections {connections}\n\
         # HELP dockside_stream_publications_total Events that were published to such a client.\n\
         # TYPE dockside_stream_publications_total counter\n\
         dockside_stream_publications_total {published}\n"
    );
}

fn write_clock(out: &mut String, clock: ClockState) {
    let (lead, refused) = (clock.lead_seconds, u8::from(clock.is_pruning_refused));
    let _infallible = write!(
        out,
        "# HELP dockside_clock_lead_seconds How far the time of this node is ahead of its machine's clock, which was set back.\n\
         # TYPE dockside_clock_lead_seconds gauge\n\
         dockside_clock_lead_seconds {lead}\n\
         # HELP dockside_pruning_refused Whether nothing is deleted for its age, because clocks differ by more than an hour.\n\
         # TYPE dockside_pruning_refused gauge\n\
         dockside_pruning_refused {refused}\n"
    );
}
