//! The layer that makes one line of each event: JSON for machines, aligned columns for people.
//!
//! A line has the event's own fields and those of the spans around it, all at the same level. If a name occurs twice, the
//! innermost value counts.

use std::cell::RefCell;
use std::fmt::Write;
use std::sync::Arc;

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::fields::Fields;
use super::format::{Format, json_head, pretty_head, write_node};
use super::queue::Queue;

/// The target of the line of each request (`api/server/pipeline.rs`), which has columns of its own on a terminal.
const REQUESTS: &str = "dockside::request";
/// The fields of a request that have a column, or that a terminal has no room for.
const REQUEST_COLUMNS: &[&str] =
    &["status", "method", "route", "micros", "request_id", "code", "trace_id", "organisation", "node"];
/// The layer.
pub(super) struct Lines {
    format: Format,
    queue: Arc<Queue>,
}

/// Memory for the line that a thread makes.
struct Scratch {
    fields: Fields,
    names: Vec<&'static str>,
    line: String,
}

thread_local! {
    static SCRATCH: RefCell<Option<Scratch>> = const { RefCell::new(None) };
}

impl Lines {
    pub(super) fn new(format: Format, queue: Arc<Queue>) -> Self {
        Self { format, queue }
    }

    fn write<S>(&self, event: &Event<'_>, context: &Context<'_, S>, scratch: &mut Scratch)
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let Scratch { fields, names, line } = scratch;
        fields.clear();
        names.clear();
        line.clear();
        event.record(fields);
        let metadata = event.metadata();
        let is_request = metadata.target() == REQUESTS;
        match self.format {
            Format::Json => json_head(line, *metadata.level(), metadata.target(), fields.message()),
            // Its line begins with fields of its span.
            Format::Pretty if is_request => {}
            Format::Pretty => pretty_head(line, *metadata.level(), metadata.target(), fields.message()),
        }
        let is_columnar = self.format == Format::Pretty && is_request;
        let mut request_id = String::new();
        if is_columnar {
            names.extend(REQUEST_COLUMNS);
        }
        append(line, self.format, fields, names);
        let mut span = context.event_span(event);
        while let Some(current) = span {
            if let Some(around) = current.extensions().get::<Fields>() {
                if is_columnar && let Some(id) = around.get("request_id") {
                    request_id.push_str(id);
                }
                append(line, self.format, around, names);
            }
            span = current.parent();
        }
        if is_columnar {
            let rest = std::mem::take(line);
            request_columns(line, fields, &request_id);
            line.push_str(&rest);
        }
        // A terminal shows one node. Work that was claimed has the name under which it was.
        if self.format == Format::Json && !names.contains(&"node") {
            write_node(line);
        }
        line.push_str(if self.format == Format::Json { "}\n" } else { "\n" });
        self.queue.push(line);
    }
}

impl<S> Layer<S> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::new(self.format);
        attributes.record(&mut fields);
        span.extensions_mut().insert(fields);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(fields) = span.extensions_mut().get_mut::<Fields>() {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        SCRATCH.with(|kept| {
            // Taken out: a value that logs while it is written finds none, and gets memory of its own.
            let taken = kept.try_borrow_mut().ok().and_then(|mut kept| kept.take());
            let mut scratch = taken.unwrap_or_else(|| Scratch {
                fields: Fields::new(self.format),
                names: Vec::with_capacity(16),
                line: String::with_capacity(512),
            });
            self.write(event, &context, &mut scratch);
            kept.replace(Some(scratch));
        });
    }
}

/// Appends those fields whose names are new to the line.
fn append(line: &mut String, format: Format, fields: &Fields, names: &mut Vec<&'static str>) {
    for (name, value) in fields.iter() {
        if names.contains(&name) {
            continue;
        }
        names.push(name);
        match format {
            Format::Json => line.extend([",\"", name, "\":", value]),
            Format::Pretty => line.extend([" ", name, "=", value]),
        }
    }
}

/// Writes the line of a request up to the code of its problem.
fn request_columns(line: &mut String, fields: &Fields, request_id: &str) {
    let [status, method, route, micros, code] =
        ["status", "method", "route", "micros", "code"].map(|name| fields.get(name).unwrap_or_default());
    let millis = micros.parse::<f64>().unwrap_or_default() / 1000.0;
    pretty_head(line, Level::INFO, REQUESTS, "");
    let _endless = write!(line, "{status}  {method:<6} {route:<48} {millis:>9.2} ms  {request_id}");
    if !code.is_empty() {
        line.extend(["  ", code]);
    }
}
