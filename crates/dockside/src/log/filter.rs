//! Which lines are logged: what the setting `log` says, within bounds that no setting can widen.

use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::{Directive, LevelFilter};
use tracing_subscriber::layer::Context;
use tracing_subscriber::{EnvFilter, Layer};

/// The directives that apply unless the operator sets others.
pub const DEFAULT: &str = "info";

/// Our own crates, the first segments of targets whose level a setting may choose.
///
/// Only they are known to log no secret, body or address. Lines of other crates are logged from [`FOREIGN_LEVEL`] up, whatever
/// a setting says: below it, some libraries log whole requests.
pub(super) const OWN_CRATES: &[&str] = &[
    "api", "bus", "carriers", "cli", "console", "dockside", "labels", "model", "outbound", "printing",
    "realtime", "service", "shops", "smtp", "store", "tables",
];
const FOREIGN_LEVEL: Level = Level::WARN;
/// A crate whose lines are never logged: the bus says once that its connection is lost, and this one would say it again with each
/// attempt to reconnect.
const SILENT_CRATE: &str = "async_nats";

const LEVELS: &[&str] = &["off", "error", "warn", "info", "debug", "trace"];

/// The filter of lines. A directive is a level, or a level for a target, a span or a value of a span's field, as
/// [`EnvFilter`] reads them.
pub struct Filter {
    inner: EnvFilter,
    /// Whether a directive names a span or a field. If none does, `inner` need not follow spans, which takes a lock for each
    /// step of each request.
    is_dynamic: bool,
}

impl Filter {
    /// Reads directives that are separated by commas, or returns what is wrong with the first bad one, which is named by its
    /// place: no failure of a setting shows its value.
    pub fn parse(text: &str) -> Result<Self, String> {
        let directives = split(text).into_iter().map(str::trim).filter(|directive| !directive.is_empty());
        let read = |(place, directive)| {
            read(directive).map_err(|why| format!("is wrong in part {}, which {why}", place + 1))
        };
        let directives: Vec<Directive> = directives.enumerate().map(read).collect::<Result<_, _>>()?;
        if directives.is_empty() {
            return Err("is empty: use a level such as info, or off".to_owned());
        }
        // One by one: EnvFilter itself splits at all commas.
        let nothing = EnvFilter::builder().with_default_directive(LevelFilter::OFF.into()).parse_lossy("");
        let inner = directives.into_iter().fold(nothing, EnvFilter::add_directive);
        Ok(Self { inner, is_dynamic: text.contains('[') })
    }
}

/// Splits directives at commas, except those between the fields of a span.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let is_end = |char: char| {
        match char {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            _ => {}
        }
        char == ',' && depth == 0
    };
    text.split(is_end).collect()
}

/// Reads a directive. Refuses one whose target is none of ours: [`EnvFilter`] takes any word for a target, so a misspelt level
/// would silence the log.
fn read(directive: &str) -> Result<Directive, String> {
    let is_level = |word: &str| LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word));
    let target = directive.split(['[', '=']).next().unwrap_or_default();
    let name = target.split("::").next().unwrap_or_default();
    if !target.is_empty() && !OWN_CRATES.contains(&name) && !is_level(directive) {
        let (levels, targets) = (LEVELS.join(", "), OWN_CRATES.join(", "));
        return Err(format!(
            "is neither a level ({levels}) nor begins with a target of Dockside ({targets})"
        ));
    }
    let has_level =
        directive.rsplit_once('=').is_none_or(|(_, level)| level.contains(']') || is_level(level));
    let read = directive.parse().ok().filter(|_| has_level);
    read.ok_or_else(|| {
        let examples = "info, service::shipping=debug or [purchase{purchase=pa_…}]=debug";
        format!("can't be read: expected directives such as {examples}")
    })
}

/// Whether a line or span of this kind may never be logged, whatever the setting says.
fn is_barred(metadata: &Metadata<'_>) -> bool {
    let name = metadata.target().split("::").next().unwrap_or_default();
    name == SILENT_CRATE || (*metadata.level() > FOREIGN_LEVEL && !OWN_CRATES.contains(&name))
}

/// Whether this is a span that names a request or an entity. Such a span has the level of an error, and is there whatever the
/// setting says, because each line inside it must carry its fields.
fn names_entity(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && *metadata.level() == Level::ERROR && !is_barred(metadata)
}

impl<S: Subscriber> Layer<S> for Filter {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if is_barred(metadata) {
            return Interest::never();
        }
        let interest = Layer::<S>::register_callsite(&self.inner, metadata);
        if names_entity(metadata) { Interest::always() } else { interest }
    }

    fn enabled(&self, metadata: &Metadata<'_>, context: Context<'_, S>) -> bool {
        !is_barred(metadata) && (names_entity(metadata) || self.inner.enabled(metadata, context))
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        self.inner.max_level_hint()
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if self.is_dynamic {
            self.inner.on_new_span(attributes, id, context);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if self.is_dynamic {
            self.inner.on_record(id, values, context);
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if self.is_dynamic {
            self.inner.on_enter(id, context);
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        if self.is_dynamic {
            self.inner.on_exit(id, context);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        if self.is_dynamic {
            self.inner.on_close(id, context);
        }
    }
}
