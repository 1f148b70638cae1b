//! The log: one line per request or happening, for people on a terminal and as JSON for machines.
//!
//! Lines are made by the caller and written by a thread of their own, many at a time: a write per request would
//! cost more than the request. No line holds a token, a body or an address.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use model::{Error, Timestamp};

/// Lines that may wait to be written; beyond it they are dropped, since a slow disk must not stop the service.
const LINES_WAITING_MAX: usize = 16_384;
/// Bytes written at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// How long lines gather before they are written: to wake the thread for each would cost more than the line.
const GATHER: Duration = Duration::from_millis(5);

/// How lines look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Pretty,
    Json,
    /// No lines: for tests and benchmarks.
    Off,
}

struct Log {
    format: Format,
    entries: SyncSender<Entry>,
}

enum Entry {
    Line(String),
    /// Answered once all lines before it are written.
    Flush(SyncSender<()>),
}

static LOG: OnceLock<Log> = OnceLock::new();

/// Starts the log. Lines before it are not kept.
pub fn start(format: Format) -> std::io::Result<()> {
    let (entries, waiting) = sync_channel(LINES_WAITING_MAX);
    std::thread::Builder::new().name("log".to_owned()).spawn(move || write_lines(&waiting))?;
    let _already_started = LOG.set(Log { format, entries });
    Ok(())
}

/// Waits until every line so far is written: for the end of the process, which ends the thread too.
pub fn flush() {
    let Some(log) = LOG.get() else { return };
    let (written, done) = sync_channel(1);
    if log.entries.send(Entry::Flush(written)).is_ok() {
        let _thread_ended = done.recv();
    }
}

fn write_lines(waiting: &Receiver<Entry>) {
    let mut chunk = String::with_capacity(CHUNK_BYTES);
    while let Ok(first) = waiting.recv() {
        if matches!(first, Entry::Line(_)) {
            std::thread::sleep(GATHER);
        }
        for entry in std::iter::once(first).chain(waiting.try_iter()) {
            match entry {
                Entry::Line(line) => chunk.push_str(&line),
                Entry::Flush(written) => {
                    write_out(&mut chunk);
                    let _nobody_waits = written.send(());
                }
            }
            if chunk.len() >= CHUNK_BYTES {
                write_out(&mut chunk);
            }
        }
        write_out(&mut chunk);
    }
}

fn write_out(chunk: &mut String) {
    // Nowhere is left to complain to.
    let _lost = std::io::stderr().write_all(chunk.as_bytes());
    chunk.clear();
}

/// A request and how it was answered. The route is the path's template, so that no id or query is in it.
pub struct Request<'a> {
    pub now: Timestamp,
    pub method: &'a str,
    pub route: &'a str,
    pub status: u16,
    pub micros: u64,
    pub request_id: &'a str,
    pub trace_id: Option<&'a str>,
    pub organisation: Option<String>,
    /// The code of the problem, where it is one.
    pub code: Option<&'a str>,
}

/// Writes the line of a request.
pub fn request(request: &Request<'_>) {
    let Some(log) = LOG.get() else { return };
    let Request { now, method, route, status, micros, request_id, trace_id, organisation, code } = request;
    let line = match log.format {
        Format::Off => return,
        // Everything here is free of quotes and backslashes: templates, ids, numbers and words of ours.
        Format::Json => {
            let mut line = format!(
                r#"{{"time":"{now}","level":"info","message":"request","method":"{method}","route":"{route}","status":{status},"micros":{micros},"request_id":"{request_id}""#
            );
            let optional =
                [("trace_id", *trace_id), ("organisation", organisation.as_deref()), ("code", *code)];
            for (name, value) in optional {
                if let Some(value) = value {
                    line.push_str(&format!(r#","{name}":"{value}""#));
                }
            }
            line.push_str("}\n");
            line
        }
        Format::Pretty => {
            let millis = *micros as f64 / 1000.0;
            let code = code.map(|code| format!("  {code}")).unwrap_or_default();
            format!("{now}  {status}  {method:<6} {route:<48} {millis:>9.2} ms  {request_id}{code}\n")
        }
    };
    let _full = log.entries.try_send(Entry::Line(line));
}

/// Writes what went wrong in a place.
pub fn error(place: &str, error: &Error) {
    message("error", place, &error.to_string());
}

/// Writes a happening.
pub fn info(place: &str, text: &str) {
    message("info", place, text);
}

fn message(level: &str, place: &str, text: &str) {
    let Some(log) = LOG.get() else { return };
    let line = match log.format {
        Format::Off => return,
        Format::Json => {
            let text = serde_json::Value::from(text);
            format!("{{\"level\":\"{level}\",\"place\":\"{place}\",\"message\":{text}}}\n")
        }
        Format::Pretty => format!("{level:<5} {place}: {text}\n"),
    };
    let _full = log.entries.try_send(Entry::Line(line));
}
