//! `/exports`: files of all that a list has.

use std::future::{Future, ready};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use model::exchange::export::ExportType;
use model::exchange::import::Format;
use model::platform::nearest::suggestion;
use model::platform::shape::Shape;
use model::{Code, Error, Problem, Result, Scope};
use service::FairPermit;
use service::exchange::exports::ExportReader;
use tokio::sync::mpsc::{self, Sender};
use tokio::time::{Instant, timeout};
use tracing::{Instrument, error, info};

use crate::access::call::Call;
use crate::access::cookie::Credential;
use crate::access::route::{Access, Route, Success};
use crate::access::table::HandledRoute;
use crate::exchange::export_filters::{export, parameters};
use crate::platform::response::{Body, Piece, Response};

const CSV: &str = "text/csv";
const JSON_LINES: &str = "application/x-ndjson";
/// Parts of a file that wait to be sent. The next one is read only when there is room.
const PARTS_WAITING: usize = 1;
/// How often a running export checks that its caller may still read.
const CALLER_CHECK_EVERY: Duration = Duration::from_secs(5);

/// Texts of a route: its path, its operation and its summary.
type Texts = (&'static str, &'static str, &'static str);

/// The exports: for each type, the texts of its table and of its lines of JSON.
const EXPORTS: [(ExportType, Texts, Texts); 10] = [
    (
        ExportType::Orders,
        ("/exports/orders.csv", "export_orders_csv", "Export orders as CSV"),
        ("/exports/orders.ndjson", "export_orders_ndjson", "Export orders as lines of JSON"),
    ),
    (
        ExportType::OrderLines,
        ("/exports/order_lines.csv", "export_order_lines_csv", "Export order lines as CSV"),
        ("/exports/order_lines.ndjson", "export_order_lines_ndjson", "Export order lines as lines of JSON"),
    ),
    (
        ExportType::Shipments,
        ("/exports/shipments.csv", "export_shipments_csv", "Export shipments as CSV"),
        ("/exports/shipments.ndjson", "export_shipments_ndjson", "Export shipments as lines of JSON"),
    ),
    (
        ExportType::InventoryItems,
        ("/exports/inventory_items.csv", "export_inventory_items_csv", "Export inventory items as CSV"),
        (
            "/exports/inventory_items.ndjson",
            "export_inventory_items_ndjson",
            "Export inventory items as lines of JSON",
        ),
    ),
    (
        ExportType::InventoryLevels,
        ("/exports/inventory_levels.csv", "export_inventory_levels_csv", "Export inventory levels as CSV"),
        (
            "/exports/inventory_levels.ndjson",
            "export_inventory_levels_ndjson",
            "Export inventory levels as lines of JSON",
        ),
    ),
    (
        ExportType::LevelHistory,
        ("/exports/level_history.csv", "export_level_history_csv", "Export the history of levels as CSV"),
        (
            "/exports/level_history.ndjson",
            "export_level_history_ndjson",
            "Export the history of levels as lines of JSON",
        ),
    ),
    (
        ExportType::Locations,
        ("/exports/locations.csv", "export_locations_csv", "Export locations as CSV"),
        ("/exports/locations.ndjson", "export_locations_ndjson", "Export locations as lines of JSON"),
    ),
    (
        ExportType::PackageTypes,
        ("/exports/package_types.csv", "export_package_types_csv", "Export package types as CSV"),
        (
            "/exports/package_types.ndjson",
            "export_package_types_ndjson",
            "Export package types as lines of JSON",
        ),
    ),
    (
        ExportType::Manifests,
        ("/exports/manifests.csv", "export_manifests_csv", "Export manifests as CSV"),
        ("/exports/manifests.ndjson", "export_manifests_ndjson", "Export manifests as lines of JSON"),
    ),
    (
        ExportType::Events,
        ("/exports/events.csv", "export_events_csv", "Export events as CSV"),
        ("/exports/events.ndjson", "export_events_ndjson", "Export events as lines of JSON"),
    ),
];

const ABOUT: &str = "Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).";

pub fn routes() -> Vec<HandledRoute> {
    let route = |r#type: ExportType, format: Format, (path, operation, summary): Texts| {
        let media_type = if format == Format::Csv { CSV } else { JSON_LINES };
        Route::get(path, Access::scope(r#type.scope()), operation, summary)
            .about(ABOUT)
            .parameters(parameters(r#type))
            .success(Success::Other(media_type))
            .refusals(&[Code::TooManyExports])
            .to(move |call| send(call, r#type, format))
    };
    let both = |(r#type, csv, lines): (ExportType, Texts, Texts)| {
        [route(r#type, Format::Csv, csv), route(r#type, Format::JsonLines, lines)]
    };
    EXPORTS.into_iter().flat_map(both).collect()
}

static FILE: Shape = Shape::text(1, 2048, "A type and a format, such as `orders.csv`.");

/// Returns the route that says which exports there are. It is not published, because it answers nothing else.
pub fn unknown() -> HandledRoute {
    Route::get("/exports/{file}", Access::Public, "get_unknown_export", "Say which exports there are")
        .id(&FILE)
        .to(|call| ready(Err(no_such_export(&call))))
}

fn no_such_export(call: &Call) -> Error {
    let file = call.ids.first().map(String::as_str).unwrap_or_default();
    let (name, format) = file.rsplit_once('.').unwrap_or((file, ""));
    let known = ExportType::ALL.map(ExportType::as_str);
    let meant = match ExportType::parse(name) {
        Some(_) if !matches!(format, "csv" | "ndjson") => " The formats are csv and ndjson.".to_owned(),
        _ => suggestion(name, known),
    };
    let detail = format!(
        "There is no such export.{meant} Ask for `/exports/<type>.csv` or `/exports/<type>.ndjson`; the types are {}.",
        known.join(", ")
    );
    Problem::from(Code::NotFound).with_detail(detail).into()
}

fn send(
    call: Call,
    r#type: ExportType,
    format: Format,
) -> impl Future<Output = Result<Response>> + Send + 'static {
    // Boxed, so that the twenty routes share one future.
    Box::pin(async move {
        let export = export(&call, r#type)?;
        let caller = *call.caller()?;
        let day = call.service().context.now().to_string();
        let name = format!("{}-{}.{}", r#type.as_str(), day.get(..10).unwrap_or_default(), format.as_str());
        let body = if call.method == Method::HEAD {
            Body::Download(mpsc::channel(PARTS_WAITING).1)
        } else {
            let permits = &call.state.export_permits;
            let Some(permit) = permits.try_acquire(caller.owner.into()) else {
                let is_own_fault = !permits.has_share(caller.owner.into());
                return Err(if is_own_fault { Code::TooManyExports } else { Code::Overloaded }.into());
            };
            let time_max = call.state.limits.export_time;
            let mut reader = call.service().exports.open(&caller, export, format, time_max).await?;
            // What goes wrong here is still answered with a problem.
            let first = reader.next_part().await?;
            let scope = Scope::parse(r#type.scope()).ok_or_else(|| Error::fault("an export has no scope"))?;
            stream(Sending { call, r#type, scope, reader, _permit: permit, bytes: 0 }, first)
        };
        response(body, &name, format)
    })
}

fn response(body: Body, name: &str, format: Format) -> Result<Response> {
    let media_type = match format {
        Format::Csv => HeaderValue::from_static("text/csv; charset=utf-8"),
        Format::JsonLines => HeaderValue::from_static(JSON_LINES),
    };
    let mut response = http::Response::new(body);
    *response.status_mut() = StatusCode::OK;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, media_type);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let disposition = format!("attachment; filename=\"{name}\"");
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::try_from(disposition).map_err(Error::fault)?);
    Ok(response)
}

/// An export that is being sent. It holds the permit and the snapshot until it has ended.
struct Sending {
    call: Call,
    r#type: ExportType,
    scope: Scope,
    reader: ExportReader,
    _permit: FairPermit,
    bytes: usize,
}

/// Sends an export as fast as the client reads.
fn stream(mut sending: Sending, first: Option<String>) -> Body {
    let (pieces, body) = mpsc::channel(PARTS_WAITING);
    let sender = async move {
        let began = Instant::now();
        let outcome = sending.send_all(&pieces, first).await;
        let (r#type, bytes) = (sending.r#type.as_str(), sending.bytes);
        let seconds = began.elapsed().as_secs();
        // The end of the file tells the client that it is complete. Before that, what the export holds is given back.
        drop(sending);
        match outcome {
            Ok(()) => {
                info!(r#type, bytes, seconds, "export sent");
                let _gone = pieces.send(Piece::End).await;
            }
            Err(Stop::ClientGone) => info!(r#type, bytes, seconds, "export ended by the client"),
            Err(Stop::Failed(error)) => error!(r#type, bytes, seconds, %error, "export cut off"),
        }
    };
    tokio::spawn(sender.in_current_span());
    Body::Download(body)
}

/// Why an export ended before its end.
enum Stop {
    ClientGone,
    Failed(Error),
}

impl Sending {
    async fn send_all(
        &mut self,
        pieces: &Sender<Piece>,
        first: Option<String>,
    ) -> std::result::Result<(), Stop> {
        let mut part = first;
        let mut checked = Instant::now();
        while let Some(text) = part {
            self.send_part(pieces, text).await?;
            if checked.elapsed() >= CALLER_CHECK_EVERY {
                check_caller(&self.call, self.scope).await.map_err(Stop::Failed)?;
                checked = Instant::now();
            }
            part = self.reader.next_part().await.map_err(Stop::Failed)?;
        }
        Ok(())
    }

    /// Sends a part. A client that does not read within the time limit of writes is given up, so that the snapshot does not stay open
    /// for its sake.
    async fn send_part(&mut self, pieces: &Sender<Piece>, text: String) -> std::result::Result<(), Stop> {
        let time_max = self.call.state.limits.write_time;
        let left = self.reader.deadline().saturating_duration_since(Instant::now());
        let bytes = text.len();
        match timeout(time_max.min(left), pieces.send(Piece::Bytes(Bytes::from(text)))).await {
            Ok(Ok(())) => {
                self.bytes += bytes;
                Ok(())
            }
            Ok(Err(_)) => Err(Stop::ClientGone),
            Err(_) => Err(Stop::Failed(Error::unavailable("the client did not read in time"))),
        }
    }
}

/// Refuses to go on if the token was revoked, or the caller lost the right to read.
async fn check_caller(call: &Call, scope: Scope) -> Result<()> {
    let headers: &HeaderMap = &call.headers;
    let caller = Credential::find(headers, &call.state).reader(&call.state, headers).await?;
    caller.require(scope)
}
