//! The formats of lines, and the head that each line begins with.

use std::cell::RefCell;
use std::fmt::Write;
use std::sync::{Arc, OnceLock};

use model::Timestamp;
use service::{Clock, SystemClock};
use tracing::Level;

/// The target of lines about the log itself.
const OWN_TARGET: &str = "dockside::log";
/// Width of the column of targets. Longer ones push their line to the right.
const TARGET_CHARS: usize = 17;

/// Length of a time without its fraction: `2026-11-01T09:00:00`.
const SECOND_CHARS: usize = 19;

/// How lines look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Pretty,
    Json,
}

/// Parts of lines that a thread makes anew once a second, because they would take as long as the rest of a line.
struct Latest {
    second: i64,
    /// That second, without its fraction.
    time: String,
    /// The name of this node, or nothing while it has none.
    node: String,
}

impl Latest {
    const fn new() -> Self {
        Self { second: i64::MIN, time: String::new(), node: String::new() }
    }

    fn renew(&mut self, now: Timestamp) {
        self.second = now.as_seconds();
        self.time.clear();
        let _endless = write!(self.time, "{now}");
        self.time.truncate(SECOND_CHARS);
        self.node.clear();
        if let Some(name) = NODE.get().and_then(|name| name()) {
            self.node.push_str(&name);
        }
    }
}

/// Returns the name of this node, if it has one yet.
type NodeName = Box<dyn Fn() -> Option<Arc<str>> + Send + Sync>;

static NODE: OnceLock<NodeName> = OnceLock::new();

thread_local! {
    static LATEST: RefCell<Latest> = const { RefCell::new(Latest::new()) };
}

/// Has each line from now on say which node wrote it.
pub fn name_node(name: impl Fn() -> Option<Arc<str>> + Send + Sync + 'static) {
    let _already_named = NODE.set(Box::new(name));
}

/// Writes the fields that each line has. The message is a JSON string.
pub(super) fn json_head(line: &mut String, level: Level, target: &str, message: &str) {
    let level = match level {
        Level::ERROR => "error",
        Level::WARN => "warn",
        Level::INFO => "info",
        Level::DEBUG => "debug",
        Level::TRACE => "trace",
    };
    let message = if message.is_empty() { "\"\"" } else { message };
    line.push_str("{\"time\":\"");
    write_time(line);
    line.extend(["\",\"level\":\"", level, "\",\"target\":\"", target, "\",\"message\":", message]);
}

/// Writes the columns that each line has.
pub(super) fn pretty_head(line: &mut String, level: Level, target: &str, message: &str) {
    write_time(line);
    let _endless = write!(line, "  {:<5}  {target:<TARGET_CHARS$}  {message}", level.as_str());
}

/// Writes a line about the log itself, with a count of lines. The message has no character that JSON escapes.
pub(super) fn write_notice(line: &mut String, format: Format, message: &str, count: u64) {
    match format {
        Format::Json => {
            json_head(line, Level::WARN, OWN_TARGET, &format!("\"{message}\""));
            let _endless = writeln!(line, ",\"count\":{count}}}");
        }
        Format::Pretty => {
            pretty_head(line, Level::WARN, OWN_TARGET, message);
            let _endless = writeln!(line, " count={count}");
        }
    }
}

/// Writes the name of this node, which has only letters and digits, unless it has none yet.
pub(super) fn write_node(line: &mut String) {
    LATEST.with_borrow(|latest| {
        if !latest.node.is_empty() {
            line.extend([",\"node\":\"", &latest.node, "\""]);
        }
    });
}

/// Writes the machine's time.
fn write_time(line: &mut String) {
    let now: Timestamp = SystemClock.now();
    LATEST.with_borrow_mut(|latest| {
        if latest.second != now.as_seconds() {
            latest.renew(now);
        }
        line.push_str(&latest.time);
    });
    let _endless = write!(line, ".{:06}Z", now.as_micros().rem_euclid(1_000_000));
}
