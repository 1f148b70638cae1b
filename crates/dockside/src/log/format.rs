//! The formats of lines, and the head that each line begins with.

use std::cell::RefCell;
use std::fmt::Write;

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

thread_local! {
    /// The second in which this thread wrote its last line, and that second as text.
    static SECOND: RefCell<(i64, String)> = const { RefCell::new((0, String::new())) };
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

/// Writes the machine's time. A thread formats the seconds once a second, because formatting a whole time takes as long as
/// the rest of a line.
fn write_time(line: &mut String) {
    let now: Timestamp = SystemClock.now();
    let micros = now.as_micros().rem_euclid(1_000_000);
    SECOND.with_borrow_mut(|(second, text)| {
        if text.is_empty() || *second != now.as_seconds() {
            text.clear();
            let _endless = write!(text, "{now}");
            text.truncate(SECOND_CHARS);
            *second = now.as_seconds();
        }
        line.push_str(text);
    });
    let _endless = write!(line, ".{micros:06}Z");
}
