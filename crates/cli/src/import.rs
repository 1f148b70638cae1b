//! `dockside import`: sends a file to a running server, shows how far it is, and says what came of its rows.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use clap::Args;
use model::exchange::import::{Format, ImportType, OnConflict, OnError};
use serde_json::Value;
use tokio::time::sleep;

use crate::connection::Connection;
use crate::failure::Failure;
use crate::operation::{CREATE_IMPORT, GET_IMPORT, LIST_IMPORT_ERRORS};
use crate::screen::{Screen, print};
use crate::server::{Answer, Call, Server};
use crate::view::{self, Field, Kind};

/// How often the server is asked how far it is.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long sending the file may take.
const SEND_TIME: Duration = Duration::from_secs(3600);
/// Errors that are shown.
const ERRORS_SHOWN: usize = 20;
/// Characters of the progress bar.
const BAR_CHARS: usize = 30;

pub const ERRORS: &[Field] = &[
    Field::new("ROW", Kind::Number, &["/row"]),
    Field::new("COLUMN", Kind::Text, &["/column"]),
    Field::new("VALUE", Kind::Text, &["/value"]),
    Field::new("MESSAGE", Kind::Text, &["/message"]),
];

#[derive(Args)]
pub struct Import {
    /// What the rows become: orders, inventory_items, inventory_levels, locations, package_types or shipments.
    #[arg(value_name = "TYPE", value_parser = parse_type)]
    r#type: ImportType,
    /// The file: CSV with a header, or lines of JSON if its name ends with .ndjson.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only say what would happen.
    #[arg(long)]
    dry_run: bool,
    /// What happens to rows whose resource exists: skip or update.
    #[arg(long, value_name = "WORD", default_value = "skip", value_parser = parse_on_conflict)]
    on_conflict: OnConflict,
    /// Whether to continue after a row that is refused, or to stop.
    #[arg(long, value_name = "WORD", default_value = "continue", value_parser = parse_on_error)]
    on_error: OnError,
    /// Whose habits numbers follow, such as de-DE.
    #[arg(long, value_name = "LOCALE")]
    locale: Option<String>,
    // Needs a token with the scopes imports:write and the one to write the rows, such as orders:write.
    #[command(flatten)]
    connection: Connection,
}

fn parse_type(word: &str) -> Result<ImportType, String> {
    ImportType::parse(word).ok_or_else(|| one_of(ImportType::ALL.iter().map(|known| known.as_str())))
}

fn parse_on_conflict(word: &str) -> Result<OnConflict, String> {
    OnConflict::parse(word).ok_or_else(|| one_of(OnConflict::ALL.iter().map(|known| known.as_str())))
}

fn parse_on_error(word: &str) -> Result<OnError, String> {
    OnError::parse(word).ok_or_else(|| one_of(OnError::ALL.iter().map(|known| known.as_str())))
}

fn one_of<'a>(words: impl Iterator<Item = &'a str>) -> String {
    format!("use one of {}", words.collect::<Vec<_>>().join(", "))
}

pub async fn run(arguments: Import) -> Result<(), Failure> {
    let server = arguments.connection.open()?;
    let name = arguments.file.display();
    let content =
        std::fs::read(&arguments.file).map_err(|error| Failure::refused(format!("{name}: {error}")))?;
    let started = start(&server, &arguments, content.into()).await?;
    let id = started.json["id"].as_str().unwrap_or_default();
    let import = follow(&server, id).await?.json;
    print(&format!("{}\n", summary(&import)))?;
    let failed = import["failed_count"].as_i64().unwrap_or_default();
    if failed > 0 {
        let errors =
            server.call(Call::new(&LIST_IMPORT_ERRORS).id(id).query("limit", ERRORS_SHOWN)).await?.json;
        let errors = errors["data"].as_array().map_or(&[][..], Vec::as_slice);
        let table = view::rows(&Screen::new(), ERRORS, errors);
        let url = server.url();
        print(&format!(
            "{table}The refused rows, to correct and send again: GET {url}/imports/{id}/errors.csv\n"
        ))?;
    }
    match import["status"].as_str() {
        Some("completed") if failed == 0 => Ok(()),
        Some("completed") => Err(Failure::refused(format!("{failed} were refused"))),
        Some("failed") => Err(Failure::refused(import["error"]["message"].as_str().unwrap_or("it failed"))),
        _ => Err(Failure::refused("the import was cancelled")),
    }
}

/// Sends the file. A repetition would make a second import, so it is sent once.
async fn start(server: &Server, arguments: &Import, content: Bytes) -> Result<Answer, Failure> {
    let is_json = arguments.file.extension().is_some_and(|ending| ending == "ndjson" || ending == "jsonl");
    let format = if is_json { Format::JsonLines } else { Format::Csv };
    let mut call = Call::new(&CREATE_IMPORT)
        .query("type", arguments.r#type.as_str())
        .query("format", format.as_str())
        .query("dry_run", arguments.dry_run)
        .query("on_conflict", arguments.on_conflict.as_str())
        .query("on_error", arguments.on_error.as_str());
    if let Some(locale) = &arguments.locale {
        call = call.query("locale", locale);
    }
    server.call(call.file(content, "text/csv").time_limit(SEND_TIME).once()).await
}

/// Waits until the import has ended, and shows how far it is.
async fn follow(server: &Server, id: &str) -> Result<Answer, Failure> {
    let is_shown = std::io::stderr().is_terminal();
    loop {
        let answer = server.call(Call::new(&GET_IMPORT).id(id)).await?;
        let import = &answer.json;
        let is_ended = matches!(import["status"].as_str(), Some("completed" | "failed" | "cancelled"));
        if is_shown {
            let end = if is_ended { "\n" } else { "" };
            // Nothing is lost if the line can't be written.
            let _shown = write!(std::io::stderr(), "\r{}{end}", progress(import));
        }
        if is_ended {
            return Ok(answer);
        }
        sleep(LOOK_EVERY).await;
    }
}

/// Returns the progress of an import as a line: `[=======      ]  54 % 1,200 rows`.
fn progress(import: &Value) -> String {
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let (read, size) = (number(&import["bytes_read"]), number(&import["file"]["size"]).max(1));
    let part = (read.min(size) as usize * BAR_CHARS) / size as usize;
    let bar = format!("{}{}", "=".repeat(part), " ".repeat(BAR_CHARS - part));
    format!("[{bar}] {:>3} % {} rows", read.min(size) * 100 / size, number(&import["rows_count"]))
}

/// Returns what came of the rows as a sentence.
fn summary(import: &Value) -> String {
    let count = |name: &str| import[name].as_i64().unwrap_or_default();
    let dry = if import["options"]["dry_run"] == true { " (dry run: nothing was kept)" } else { "" };
    format!(
        "{} rows: {} created, {} updated, {} unchanged, {} skipped, {} refused{dry}",
        count("rows_count"),
        count("created_count"),
        count("updated_count"),
        count("unchanged_count"),
        count("skipped_count"),
        count("failed_count"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_align() {
        let errors = json!({"data": [
            {"row": 3, "column": "quantity", "value": "two", "message": "Must be a whole number."},
            {"row": 12, "column": null, "value": null, "message": "Rows are apart."},
        ]});
        let expected = "ROW  COLUMN    VALUE  MESSAGE\n  3  quantity  two    Must be a whole number.\n 12  -         -      Rows are apart.\n";
        let screen = Screen { columns: None, is_coloured: false };
        assert_eq!(view::rows(&screen, ERRORS, errors["data"].as_array().unwrap()), expected);
    }

    #[test]
    fn progress_is_a_bar() {
        let import = json!({"bytes_read": 50, "file": {"size": 100}, "rows_count": 7});
        assert_eq!(progress(&import), "[===============               ]  50 % 7 rows");
        assert_eq!(progress(&json!({})), format!("[{}]   0 % 0 rows", " ".repeat(30)));
    }
}
