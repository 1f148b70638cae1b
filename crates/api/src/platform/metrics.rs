//! Metrics in Prometheus format: requests, errors and durations of each route, webhook attempts, purchases, and
//! clients of event streams.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use http::StatusCode;
use realtime::hub::Hub;
use service::ClockState;
use service::events::delivery::Counts;
use service::shipping::purchasing;

use crate::platform::route::Route;

/// Upper bounds of the duration buckets, in microseconds.
const BUCKETS_MICROS: [u64; 10] = [250, 500, 1000, 2500, 5000, 10_000, 25_000, 100_000, 500_000, 2_500_000];
/// Classes of status: 1xx to 5xx.
const CLASSES: usize = 5;

pub struct Metrics {
    routes: Vec<Counters>,
}

struct Counters {
    method: String,
    path: &'static str,
    by_class: [AtomicU64; CLASSES],
    by_duration: [AtomicU64; BUCKETS_MICROS.len() + 1],
    micros: AtomicU64,
}

impl Counters {
    fn new(method: &str, path: &'static str) -> Self {
        Self {
            method: method.to_owned(),
            path,
            by_class: Default::default(),
            by_duration: Default::default(),
            micros: AtomicU64::new(0),
        }
    }
}

impl Metrics {
    pub fn new(routes: &[Route]) -> Self {
        let mut counters: Vec<_> =
            routes.iter().map(|route| Counters::new(route.method.as_str(), route.path)).collect();
        // The last one counts requests that matched no route.
        counters.push(Counters::new("", "(none)"));
        Self { routes: counters }
    }

    /// Counts a request for the route at this index of the table.
    pub fn count(&self, place: Option<usize>, status: StatusCode, micros: u64) {
        let Some(counters) = self.routes.get(place.unwrap_or(self.routes.len() - 1)) else { return };
        let class = usize::from(status.as_u16() / 100).clamp(1, CLASSES) - 1;
        counters.by_class[class].fetch_add(1, Ordering::Relaxed);
        let bucket = BUCKETS_MICROS.iter().position(|bound| micros <= *bound).unwrap_or(BUCKETS_MICROS.len());
        counters.by_duration[bucket].fetch_add(1, Ordering::Relaxed);
        counters.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Returns the metrics in text format.
    pub fn text(
        &self,
        webhooks: &Counts,
        purchases: &purchasing::Counts,
        hub: &Hub,
        clock: ClockState,
    ) -> String {
        let mut out = String::from("# HELP dockside_requests_total Requests by route and class of status.\n");
        out.push_str("# TYPE dockside_requests_total counter\n");
        for route in &self.routes {
            for (class, count) in route.by_class.iter().enumerate() {
                let count = count.load(Ordering::Relaxed);
                if count > 0 {
                    let (method, path, class) = (&route.method, route.path, class + 1);
                    let _infallible = writeln!(
                        out,
                        "dockside_requests_total{{method=\"{method}\",route=\"{path}\",status=\"{class}xx\"}} {count}"
                    );
                }
            }
        }
        out.push_str("# HELP dockside_request_seconds Time to answer, by route.\n");
        out.push_str("# TYPE dockside_request_seconds histogram\n");
        for route in &self.routes {
            write_histogram(&mut out, route);
        }
        write_webhooks(&mut out, webhooks);
        write_purchases(&mut out, purchases);
        write_streams(&mut out, hub);
        write_clock(&mut out, clock);
        out
    }
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

fn write_histogram(out: &mut String, route: &Counters) {
    let counts: Vec<u64> = route.by_duration.iter().map(|count| count.load(Ordering::Relaxed)).collect();
    let total: u64 = counts.iter().sum();
    if total == 0 {
        return;
    }
    let labels = format!("method=\"{}\",route=\"{}\"", route.method, route.path);
    let mut below = 0;
    for (count, bound) in counts.iter().zip(BUCKETS_MICROS) {
        below += count;
        let seconds = bound as f64 / 1e6;
        let _infallible =
            writeln!(out, "dockside_request_seconds_bucket{{{labels},le=\"{seconds}\"}} {below}");
    }
    let sum = route.micros.load(Ordering::Relaxed) as f64 / 1e6;
    let _infallible = writeln!(out, "dockside_request_seconds_bucket{{{labels},le=\"+Inf\"}} {total}");
    let _infallible = writeln!(out, "dockside_request_seconds_sum{{{labels}}} {sum}");
    let _infallible = writeln!(out, "dockside_request_seconds_count{{{labels}}} {total}");
}
