//! Metrics of requests in Prometheus format: the number, the errors and the durations of each route.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use http::StatusCode;

/// Upper bounds of the duration buckets, in microseconds.
const BUCKETS_MICROS: [u64; 10] = [250, 500, 1000, 2500, 5000, 10_000, 25_000, 100_000, 500_000, 2_500_000];
/// Classes of status: 1xx to 5xx.
const CLASSES: usize = 5;

/// Counters of the requests of each route.
pub struct RequestMetrics {
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

impl RequestMetrics {
    /// Makes a counter for each route of the table, of which it gets the method and the path.
    pub fn new<'a>(routes: impl Iterator<Item = (&'a str, &'static str)>) -> Self {
        let mut counters: Vec<_> = routes.map(|(method, path)| Counters::new(method, path)).collect();
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
    pub fn text(&self) -> String {
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
        out
    }
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
