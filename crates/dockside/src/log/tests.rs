//! Tests of the log: how lines look, what the filter lets pass, and what happens if lines come too fast.

use std::io::Write;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tracing::{debug, error, error_span, info, info_span, warn};
use tracing_subscriber::layer::SubscriberExt;

use super::filter::{Filter, OWN_CRATES};
use super::format::Format;
use super::lines::Lines;
use super::queue::{Queue, WAITING_BYTES_MAX};

/// What was written so far.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns the lines that a log of this format and filter has after `work`.
fn lines(format: Format, filter: &str, work: impl FnOnce()) -> Vec<String> {
    let written = Written::default();
    let queue = Queue::start(written.clone(), format).unwrap();
    let filter = Filter::parse(filter).unwrap();
    let subscriber = tracing_subscriber::registry().with(filter).with(Lines::new(format, Arc::clone(&queue)));
    tracing::subscriber::with_default(subscriber, work);
    queue.flush();
    let bytes = written.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
}

fn json(filter: &str, work: impl FnOnce()) -> Vec<Value> {
    let read = |line: String| serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
    lines(Format::Json, filter, work).into_iter().map(read).collect()
}

#[test]
fn a_line_has_its_fields_and_those_of_the_spans_around_it_once() {
    let logged = json("info", || {
        let request = error_span!("request", request_id = "req_1", organisation = tracing::field::Empty);
        let _inside = request.enter();
        request.record("organisation", "org_1");
        let _deeper = info_span!("inner", request_id = "req_2", purchase = 7).entered();
        warn!(route = "/x", is_ok = false, share = 0.5, "it \"failed\"\nat \\ {}", 3);
    });
    assert_eq!(logged.len(), 1);
    let line = logged[0].as_object().unwrap();
    let time = line["time"].as_str().unwrap();
    assert!(model::Timestamp::parse(time).is_some_and(|read| read.to_string() == time), "{time}");
    let names: Vec<_> = line.keys().map(String::as_str).collect();
    let expected = [
        "time",
        "level",
        "target",
        "message",
        "route",
        "is_ok",
        "share",
        "request_id",
        "purchase",
        "organisation",
    ];
    assert_eq!(names, expected);
    assert_eq!(line["level"], "warn");
    assert_eq!(line["target"], "dockside::log::tests");
    assert_eq!(line["message"], "it \"failed\"\nat \\ 3");
    assert_eq!(line["request_id"], "req_2", "the innermost value counts");
    assert_eq!((&line["is_ok"], &line["share"], &line["purchase"]), (&false.into(), &0.5.into(), &7.into()));
    assert_eq!(line["organisation"], "org_1");
}

#[test]
fn the_columns_of_a_terminal_are_aligned() {
    let request = |route: &'static str, status: u16, micros: u64, code: Option<&'static str>| {
        let span = error_span!("request", request_id = "req_1", node = "n1");
        let method = if status == 201 { "POST" } else { "GET" };
        info!(target: "dockside::request", parent: &span, method, route, status, micros, code, "request");
    };
    let logged = lines(Format::Pretty, "info", || {
        request("/locations/{location_id}", 200, 520, None);
        request("/locations", 201, 1_234_567, None);
        request("(none)", 404, 7, Some("not_found"));
        error!(error = "no such file: a\u{1b}[31m\nb", count = 3, "it failed");
    });
    // The time is the only part that differs from run to run.
    let shown: Vec<_> = logged.iter().map(|line| line.split_at(27).1).collect();
    assert_eq!(
        shown,
        [
            "  INFO   dockside::request  200  GET    /locations/{location_id}                              0.52 ms  req_1",
            "  INFO   dockside::request  201  POST   /locations                                         1234.57 ms  req_1",
            "  INFO   dockside::request  404  GET    (none)                                                0.01 ms  req_1  not_found",
            "  ERROR  dockside::log::tests  it failed error=\"no such file: a\\u001b[31m\\nb\" count=3",
        ]
    );
    assert!(logged.iter().all(|line| model::Timestamp::parse(&line[..27]).is_some()), "{logged:?}");
}

#[test]
fn the_filter_chooses_levels_by_target_and_by_span() {
    let work = || {
        let outer = error_span!(target: "service::shipping", "purchase", purchase = "pur_1");
        outer.in_scope(|| debug!(target: "store::platform", "in"));
        debug!(target: "service::shipping::turn", "shipping");
        debug!(target: "service::events", "events");
        info!(target: "api::server", "api");
    };
    let messages = |filter: &str| -> Vec<String> {
        json(filter, work).iter().map(|line| line["message"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(messages("info"), ["api"]);
    assert_eq!(messages("warn"), [""; 0]);
    assert_eq!(messages("info,service::shipping=debug"), ["shipping", "api"]);
    assert_eq!(messages("service=debug,api=off"), ["shipping", "events"]);
    assert_eq!(messages("info,[purchase{purchase=pur_1}]=debug"), ["in", "api"]);
    assert_eq!(messages("info,[purchase{purchase=pur_2}]=debug"), ["api"]);
    assert_eq!(messages("trace"), ["in", "shipping", "events", "api"]);
}

#[test]
fn a_line_has_the_request_id_whatever_the_filter_says() {
    for filter in ["error", "store=error", "store=trace,api=off", "info,[nothing]=debug"] {
        let logged = json(filter, || {
            let span = error_span!(target: "api::server", "request", request_id = "req_1");
            span.in_scope(|| error!(target: "store::platform", "failed"));
        });
        assert_eq!(logged[0]["request_id"], "req_1", "{filter}: {logged:?}");
    }
}

#[test]
fn no_setting_shows_what_other_crates_say_below_a_warning() {
    let work = || {
        info!(target: "object_store::client", "PUT /bucket?X-Amz-Signature=secret");
        debug!(target: "hyper::proto", "Authorization: Bearer secret");
        warn!(target: "object_store::client", "gave up");
        debug!(target: "services::of_others", "secret");
        error!(target: "async_nats::connector", "connecting failed");
    };
    for filter in ["trace", "info,[a]=trace", "service=trace,trace"] {
        let logged = json(filter, work);
        assert_eq!(logged.len(), 1, "{filter}: {logged:?}");
        assert_eq!(logged[0]["message"], "gave up");
    }
}

#[test]
fn directives_that_would_silence_the_log_by_mistake_are_refused() {
    for (text, part) in [
        ("infoo", "part 1, which is neither a level (off, error,"),
        ("info,servce=debug", "part 2, which is neither"),
        ("hyper=trace", "nor begins with a target of Dockside (api, bus, carriers,"),
        ("info,service=loud", "part 2, which can't be read"),
        ("[purchase{=debug", "can't be read"),
        ("", "is empty"),
        (" , ", "is empty"),
    ] {
        let refused = Filter::parse(text).err().unwrap_or_default();
        assert!(refused.contains(part), "{text}: {refused}");
    }
    for text in
        ["info", "OFF", "info, service::shipping=debug", "store", "[request{request_id=req_1,node=a}]=trace"]
    {
        assert!(Filter::parse(text).is_ok(), "{text}");
    }
}

#[test]
fn every_crate_of_the_program_can_be_named_in_a_filter() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let mut crates: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !matches!(name.as_str(), "architecture" | "bench" | "testkit"))
        .collect();
    crates.sort();
    assert_eq!(crates, OWN_CRATES);
}

/// Writes nothing until it is released.
struct Blocked {
    release: Receiver<()>,
    written: Written,
}

impl Write for Blocked {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        // An error means that the test has released it for good.
        let _released = self.release.recv();
        self.written.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn lines_beyond_the_bound_are_dropped_and_counted() {
    let (released, release) = channel();
    let written = Written::default();
    let queue = Queue::start(Blocked { release, written: written.clone() }, Format::Json).unwrap();
    let line = format!("\"{}\"\n", "x".repeat(1021));
    let pushed = 3 * WAITING_BYTES_MAX / line.len();
    for _ in 0..pushed {
        queue.push(&line);
    }
    drop(released);
    queue.flush();
    let bytes = written.0.lock().unwrap().clone();
    let text = String::from_utf8(bytes).unwrap();
    let is_notice = |line: &&str| line.starts_with('{');
    let notices: Vec<_> = text.lines().filter(is_notice).collect();
    let kept = text.lines().count() - notices.len();
    // On a busy machine the thread may take the first lines after some were dropped, and then it says so twice.
    assert!((1..=2).contains(&notices.len()), "{notices:?}");
    let mut dropped = 0;
    for notice in notices {
        let notice: Value = serde_json::from_str(notice).unwrap();
        assert_eq!((&notice["level"], &notice["target"]), (&"warn".into(), &"dockside::log".into()));
        dropped += notice["count"].as_u64().unwrap() as usize;
    }
    assert_eq!(dropped, pushed - kept);
    assert!(kept * line.len() <= 2 * WAITING_BYTES_MAX && kept < pushed, "{kept} of {pushed}");
}
