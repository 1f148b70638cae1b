//! `dockside import`: sends a file to a running server, shows how far it is, and says what came of its rows.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use clap::Args;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method};
use model::exchange::import::{Format, ImportType, OnConflict, OnError};
use outbound::{Network, Outbound, Request};
use serde_json::Value;
use tokio::time::sleep;

use crate::failure::Failure;

/// How often the server is asked how far it is.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long sending the file may take, and every other request.
const SEND_TIME: Duration = Duration::from_secs(3600);
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// Room for an answer: a page of errors.
const ANSWER_BYTES_MAX: usize = 16 << 20;
/// Errors that are shown.
const ERRORS_SHOWN: usize = 20;
/// Characters of the progress bar.
const BAR_CHARS: usize = 30;
/// The server is where the operator says, on a machine that reaches it anyway.
const EVERYWHERE: [&str; 2] = ["0.0.0.0/0", "::/0"];

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
    /// The server.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    url: String,
    /// An access token with the scopes imports:write and the one to write the rows, such as orders:write.
    #[arg(long, value_name = "TOKEN", env = "DOCKSIDE_TOKEN", hide_env_values = true)]
    token: Option<String>,
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

/// A server, and the token to call it with.
struct Server {
    outbound: Outbound,
    url: String,
    authorization: HeaderValue,
}

pub async fn run(arguments: Import) -> Result<(), Failure> {
    let server = Server::new(&arguments.url, arguments.token.as_deref())?;
    let name = arguments.file.display();
    let content = std::fs::read(&arguments.file).map_err(|error| Failure(format!("{name}: {error}")))?;
    let import = server.start(&arguments, content.into()).await?;
    let path = format!("/imports/{}", import["id"].as_str().unwrap_or_default());
    let import = server.follow(&path).await?;
    say(&summary(&import));
    let failed = import["failed_count"].as_i64().unwrap_or_default();
    if failed > 0 {
        let errors = server.get(&format!("{path}/errors?limit={ERRORS_SHOWN}")).await?;
        say(&table(&errors));
        say(&format!("The refused rows, to correct and send again: GET {}{path}/errors.csv", server.url));
    }
    match import["status"].as_str() {
        Some("completed") if failed == 0 => Ok(()),
        Some("completed") => Err(Failure(format!("{failed} were refused"))),
        Some("failed") => Err(Failure(import["error"]["message"].as_str().unwrap_or("it failed").to_owned())),
        _ => Err(Failure("the import was cancelled".to_owned())),
    }
}

impl Server {
    fn new(url: &str, token: Option<&str>) -> Result<Self, Failure> {
        let Some(token) = token.filter(|token| !token.is_empty()) else {
            return Err(Failure(
                "no token: give one with --token or in the variable DOCKSIDE_TOKEN; `dockside token create` makes one"
                    .to_owned(),
            ));
        };
        let mut authorization = HeaderValue::try_from(format!("Bearer {token}"))
            .map_err(|_| Failure("--token: there are characters in it that no token has".to_owned()))?;
        authorization.set_sensitive(true);
        let everywhere: Result<Vec<Network>, _> = EVERYWHERE.iter().map(|network| network.parse()).collect();
        let outbound = Outbound::new(&everywhere?)?;
        Ok(Self { outbound, url: url.trim_end_matches('/').to_owned(), authorization })
    }

    async fn start(&self, arguments: &Import, content: Bytes) -> Result<Value, Failure> {
        let is_json =
            arguments.file.extension().is_some_and(|ending| ending == "ndjson" || ending == "jsonl");
        let format = if is_json { Format::JsonLines } else { Format::Csv };
        let mut path = format!(
            "/imports?type={}&format={}&dry_run={}&on_conflict={}&on_error={}",
            arguments.r#type.as_str(),
            format.as_str(),
            arguments.dry_run,
            arguments.on_conflict.as_str(),
            arguments.on_error.as_str(),
        );
        if let Some(locale) = &arguments.locale {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            if !locale.bytes().all(is_plain) {
                return Err(Failure(format!("--locale {locale}: not a locale, such as de-DE")));
            }
            path = format!("{path}&locale={locale}");
        }
        self.send(Method::POST, &path, content, SEND_TIME).await
    }

    async fn get(&self, path: &str) -> Result<Value, Failure> {
        self.send(Method::GET, path, Bytes::new(), TIME_LIMIT).await
    }

    /// Waits until the import has ended, and shows how far it is.
    async fn follow(&self, path: &str) -> Result<Value, Failure> {
        let is_shown = std::io::stderr().is_terminal();
        loop {
            let import = self.get(path).await?;
            let is_ended = matches!(import["status"].as_str(), Some("completed" | "failed" | "cancelled"));
            if is_shown {
                let end = if is_ended { "\n" } else { "" };
                // Nothing is lost if the line can't be written.
                let _shown = write!(std::io::stderr(), "\r{}{end}", progress(&import));
            }
            if is_ended {
                return Ok(import);
            }
            sleep(LOOK_EVERY).await;
        }
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
        time_limit: Duration,
    ) -> Result<Value, Failure> {
        let target = self
            .outbound
            .parse_url(&format!("{}{path}", self.url))
            .map_err(|refusal| Failure(format!("--url {}: {refusal}", self.url)))?;
        let mut headers = vec![(AUTHORIZATION, self.authorization.clone())];
        if method == Method::POST {
            headers.push((CONTENT_TYPE, HeaderValue::from_static("text/csv")));
        }
        let request = Request { method, target, headers, body, time_limit, body_bytes_max: ANSWER_BYTES_MAX };
        let answer = self
            .outbound
            .send(request)
            .await
            .map_err(|failure| Failure(format!("{}: {failure}", self.url)))?;
        let json: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if answer.status < 300 {
            return Ok(json);
        }
        let detail = json["detail"]
            .as_str()
            .or_else(|| json["title"].as_str())
            .unwrap_or("Is a Dockside server there?");
        Err(Failure(format!("{} answers {}. {detail}", self.url, answer.status)))
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

/// Returns errors as a table with columns that align.
fn table(errors: &Value) -> String {
    let mut rows = vec![["row".to_owned(), "column".to_owned(), "value".to_owned(), "message".to_owned()]];
    for error in errors["data"].as_array().into_iter().flatten() {
        let text = |name: &str| error[name].as_str().unwrap_or("-").replace(['\n', '\r', '\t'], " ");
        rows.push([error["row"].to_string(), text("column"), text("value"), text("message")]);
    }
    let width = |place: usize| rows.iter().map(|row| row[place].chars().count()).max().unwrap_or_default();
    let (row_width, column_width, value_width) = (width(0), width(1), width(2).min(40));
    let lines = rows.iter().map(|[row, column, value, message]| {
        let value: String = value.chars().take(value_width).collect();
        format!("{row:>row_width$}  {column:<column_width$}  {value:<value_width$}  {message}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn say(text: &str) {
    // Nowhere is left to complain to.
    let _lost = writeln!(std::io::stdout(), "{text}");
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
        let expected = "row  column    value  message\n  3  quantity  two    Must be a whole number.\n 12  -         -      Rows are apart.";
        assert_eq!(table(&errors), expected);
    }

    #[test]
    fn progress_is_a_bar() {
        let import = json!({"bytes_read": 50, "file": {"size": 100}, "rows_count": 7});
        assert_eq!(progress(&import), "[===============               ]  50 % 7 rows");
        assert_eq!(progress(&json!({})), format!("[{}]   0 % 0 rows", " ".repeat(30)));
    }
}
