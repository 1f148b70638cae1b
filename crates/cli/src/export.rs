//! `dockside export`: asks a running server for a file, and keeps it only if it is complete.

use std::io::{IsTerminal, Write, stderr};
use std::path::PathBuf;

use clap::Args;
use model::exchange::export::ExportType;
use model::exchange::import::Format;

use crate::connection::Connection;
use crate::failure::Failure;
use crate::operation::Operation;
use crate::save::{self, Sink};
use crate::screen::note;
use crate::server::{Call, Server};

/// How many bytes arrive between two looks at the progress.
const SHOWN_EVERY_BYTES: u64 = 1 << 20;

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
    // Needs a token with the scope to read the data, such as orders:read.
    #[command(flatten)]
    connection: Connection,
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
    let server = arguments.connection.open()?;
    let operation = operation(arguments.r#type, arguments.format)?;
    let filters = &arguments.filters;
    match &arguments.output {
        Some(path) => {
            let bytes =
                save::file(path, async |sink| receive(&server, operation, filters, sink).await).await?;
            note(&format!("{bytes} bytes in {}", path.display()));
        }
        None => {
            save::print(async |sink| receive(&server, operation, filters, sink).await).await?;
        }
    }
    Ok(())
}

/// Returns the operation that exports a type in a format.
fn operation(r#type: ExportType, format: Format) -> Result<&'static Operation, Failure> {
    let id = format!("export_{}_{}", r#type.as_str(), format.as_str());
    Operation::named(&id).ok_or_else(|| Failure::usage(format!("there is no operation {id}")))
}

/// Writes the export, shows how much has come, and returns its size in bytes.
async fn receive(
    server: &Server,
    operation: &'static Operation,
    filters: &[(String, String)],
    out: Sink<'_>,
) -> Result<u64, Failure> {
    let mut call = Call::new(operation);
    for (name, value) in filters {
        call = call.query(name.clone(), value);
    }
    let is_shown = stderr().is_terminal();
    let (mut bytes, mut shown) = (0, 0);
    let mut sink = |data: &[u8]| {
        bytes += data.len() as u64;
        if is_shown && bytes - shown >= SHOWN_EVERY_BYTES {
            shown = bytes;
            let _shown = write!(stderr(), "\r{} MiB", bytes >> 20);
        }
        out(data)
    };
    let received = server.download(call, &mut sink).await;
    if shown > 0 {
        let _shown = writeln!(stderr());
    }
    received.map_err(|failure| match bytes {
        0 => failure,
        _ => Failure {
            message: format!("{} The export is incomplete: ask for it again.", failure.message),
            ..failure
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_its_operations() {
        for r#type in ExportType::ALL {
            for format in Format::ALL {
                let operation = operation(r#type, *format).unwrap();
                let path = format!("/exports/{}.{}", r#type.as_str(), format.as_str());
                assert_eq!((operation.method, operation.path), ("GET", path.as_str()));
            }
        }
    }

    #[test]
    fn filters_become_a_query() {
        let filters =
            ["status=committed", "customer=Müller & Co", "tags=a,b"].map(|word| parse_filter(word).unwrap());
        let address = operation(ExportType::Orders, Format::JsonLines).unwrap().address(&[], &filters);
        assert_eq!(
            address,
            "/exports/orders.ndjson?status=committed&customer=M%C3%BCller%20%26%20Co&tags=a,b"
        );
        assert!(parse_filter("status").is_err() && parse_filter("=x").is_err());
        assert!(parse_type("orderz").unwrap_err().contains("order_lines"));
    }
}
