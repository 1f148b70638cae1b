//! Metrics of all areas in Prometheus format: requests, webhook attempts, purchases, clients of event streams, and the
//! clock.

use std::fmt::Write;
use std::sync::atomic::Ordering;

use realtime::hub::Hub;
use service::events::delivery::Counts;
use service::shipping::purchasing;
use service::{ClockState, Service};

use crate::platform::metrics::RequestMetrics;

/// Returns the metrics of this node.
pub fn text(requests: &RequestMetrics, service: &Service) -> String {
    let mut out = requests.text();
    write_webhooks(&mut out, service.delivery.counts());
    write_purchases(&mut out, service.purchasing.counts());
    write_streams(&mut out, service.streams.hub());
    write_clock(&mut out, service.context.clock_state());
    out
}

fn write_webhooks(out: &mut String, counts: &Counts) {
    let [succeeded, failed, lanes] =
        [&counts.succeeded, &counts.failed, &counts.lanes].map(|count| count.load(Ordering::Relaxed));
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

fn write_purchases(out: &mut String, counts: &purchasing::Counts) {
    let [bought, failed, unknown, turns] = [&counts.bought, &counts.failed, &counts.unknown, &counts.turns]
        .map(|count| count.load(Ordering::Relaxed));
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
