//! `dockside export`: asks a running server for a file, and keeps it only if it is complete.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use clap::Args;
use http::header::AUTHORIZATION;
use http::{HeaderValue, Method};
use model::exchange::export::ExportType;
use model::exchange::import::Format;
use outbound::{Network, Outbound, Request};
use serde_json::Value;

use crate::failure::Failure;

/// How long the server may be silent.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// Room for the answer that refuses an export.
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// How many bytes arrive between two looks at the progress.
const SHOWN_EVERY_BYTES: u64 = 1 << 20;
/// The server is where the operator says, on a machine that reaches it anyway.
const EVERYWHERE: [&str; 2] = ["0.0.0.0/0", "::/0"];
/// What a file is called while it is not complete.
const PART_SUFFIX: &str = ".part";

#[derive(Args)]
pub struct Export {
    /// What to export: orders, order_lines, shipments, inventory_items, inventory_levels, level_history, locations, package_types,
    /// manifests or events.
    #[arg(value_name = "TYPE", value_parser = parse_type)]
    r#type: ExportType,
    /// How it is written: csv or ndjson.
    #[arg(long, value_name = "FORMAT", default_value = "csv", value_parser = parse_format)]
    format: Format,
    /// A filter of the list, such as status=committed. May be given several times.
    #[arg(long = "filter", value_name = "NAME=VALUE", value_parser = parse_filter)]
    filters: Vec<(String, String)>,
    /// The file to write. Without it, the export goes to the standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The server.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    url: String,
    /// An access token with the scope to read the data, such as orders:read.
    #[arg(long, value_name = "TOKEN", env = "DOCKSIDE_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

fn parse_type(word: &str) -> Result<ExportType, String> {
    let known = ExportType::ALL.map(ExportType::as_str);
    ExportType::parse(word).ok_or_else(|| format!("use one of {}", known.join(", ")))
}

fn parse_format(word: &str) -> Result<Format, String> {
    Format::parse(word).ok_or_else(|| "use csv or ndjson".to_owned())
}

fn parse_filter(word: &str) -> Result<(String, String), String> {
    let pair = word.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = pair.ok_or("write a filter as NAME=VALUE, such as status=committed")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub async fn run(arguments: Export) -> Result<(), Failure> {
    let request = Download::new(&arguments)?;
    match &arguments.output {
        Some(path) => {
            let part = part_of(path);
            let named = |error: io::Error| Failure(format!("{}: {error}", part.display()));
            let mut file = BufWriter::new(File::create(&part).map_err(named)?);
            let received = match request.receive(&mut file).await {
                Ok(bytes) => {
                    file.flush().and_then(|()| file.get_ref().sync_all()).map(|()| bytes).map_err(named)
                }
                Err(failure) => Err(failure),
            };
            drop(file);
            match received {
                Ok(bytes) => {
                    std::fs::rename(&part, path)
                        .map_err(|error| Failure(format!("{}: {error}", path.display())))?;
                    // Nothing is lost if the line can't be written.
                    let _shown = writeln!(io::stderr(), "{bytes} bytes in {}", path.display());
                    Ok(())
                }
                Err(failure) => {
                    // What is incomplete must not be taken for the export.
                    let _removed = std::fs::remove_file(&part);
                    Err(failure)
                }
            }
        }
        None => {
            let mut out = io::stdout();
            request.receive(&mut out).await?;
            out.flush().map_err(|error| Failure(format!("standard output: {error}")))
        }
    }
}

/// Returns the path of the file while it is not complete: beside it, so that it can be renamed.
fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(PART_SUFFIX);
    PathBuf::from(name)
}

/// The path and the query of an export.
fn path_of(r#type: ExportType, format: Format, filters: &[(String, String)]) -> String {
    let mut path = format!("/exports/{}.{}", r#type.as_str(), format.as_str());
    for (place, (name, value)) in filters.iter().enumerate() {
        path.push(if place == 0 { '?' } else { '&' });
        path.push_str(&format!("{}={}", encode(name), encode(value)));
    }
    path
}

/// Percent-encodes a part of a query.
fn encode(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~[],:".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// A request for an export.
struct Download {
    outbound: Outbound,
    url: String,
    path: String,
    authorization: HeaderValue,
}

impl Download {
    fn new(arguments: &Export) -> Result<Self, Failure> {
        let Some(token) = arguments.token.as_deref().filter(|token| !token.is_empty()) else {
            return Err(Failure(
                "no token: give one with --token or in the variable DOCKSIDE_TOKEN; `dockside token create` makes one"
                    .to_owned(),
            ));
        };
        let mut authorization = HeaderValue::try_from(format!("Bearer {token}"))
            .map_err(|_| Failure("--token: there are characters in it that no token has".to_owned()))?;
        authorization.set_sensitive(true);
        let everywhere: Result<Vec<Network>, _> = EVERYWHERE.iter().map(|network| network.parse()).collect();
        Ok(Self {
            outbound: Outbound::new(&everywhere?)?,
            url: arguments.url.trim_end_matches('/').to_owned(),
            path: path_of(arguments.r#type, arguments.format, &arguments.filters),
            authorization,
        })
    }

    /// Writes the export, and returns its size in bytes.
    async fn receive(self, out: &mut (impl Write + Send)) -> Result<u64, Failure> {
        let target = self
            .outbound
            .parse_url(&format!("{}{}", self.url, self.path))
            .map_err(|refusal| Failure(format!("--url {}: {refusal}", self.url)))?;
        let request = Request {
            method: Method::GET,
            target,
            headers: vec![(AUTHORIZATION, self.authorization.clone())],
            body: Bytes::new(),
            time_limit: TIME_LIMIT,
            body_bytes_max: ANSWER_BYTES_MAX,
        };
        let is_shown = io::stderr().is_terminal();
        let (mut bytes, mut shown) = (0, 0);
        let mut sink = |data: &[u8]| {
            bytes += data.len() as u64;
            if is_shown && bytes - shown >= SHOWN_EVERY_BYTES {
                shown = bytes;
                let _shown = write!(io::stderr(), "\r{} MiB", bytes >> 20);
            }
            out.write_all(data)
        };
        let answer = self.outbound.download(request, &mut sink).await;
        if shown > 0 {
            let _shown = writeln!(io::stderr());
        }
        let answer = answer.map_err(|failure| {
            let begun = if bytes > 0 { " The export is incomplete: ask for it again." } else { "" };
            Failure(format!("{}: {failure}.{begun}", self.url))
        })?;
        if answer.status == 200 {
            return Ok(bytes);
        }
        let json: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let detail = json["detail"].as_str().or_else(|| json["title"].as_str());
        Err(Failure(format!(
            "{} answers {}. {}",
            self.url,
            answer.status,
            detail.unwrap_or("Is a Dockside server there?")
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_become_a_query() {
        let filters =
            ["status=committed", "customer=Müller & Co", "tags=a,b"].map(|word| parse_filter(word).unwrap());
        assert_eq!(
            path_of(ExportType::Orders, Format::JsonLines, &filters),
            "/exports/orders.ndjson?status=committed&customer=M%C3%BCller%20%26%20Co&tags=a,b"
        );
        assert_eq!(path_of(ExportType::Events, Format::Csv, &[]), "/exports/events.csv");
        assert!(parse_filter("status").is_err() && parse_filter("=x").is_err());
        assert!(parse_type("orderz").unwrap_err().contains("order_lines"));
    }

    #[test]
    fn a_part_lies_beside_the_file() {
        assert_eq!(part_of(Path::new("/tmp/orders.csv")), Path::new("/tmp/orders.csv.part"));
    }
}
