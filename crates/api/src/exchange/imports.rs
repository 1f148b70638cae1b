//! `/imports`: files whose rows become resources.

use std::future::ready;

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use model::exchange::import::{
    FORMAT, IMPORT, IMPORT_ERROR, IMPORT_ID, ImportInput, ImportType, LOCALE, ON_CONFLICT, ON_ERROR, STATUS,
    STATUS_WORDS, Status, TYPE,
};
use model::platform::shape;
use model::{Code, Error, Import, Result};
use serde_json::{Map, Value, json};
use service::exchange::imports::FailedRows;
use service::platform::content::Content;
use tokio::sync::mpsc;
use tracing::{Instrument, error};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body as RouteBody, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::query;
use crate::platform::response::{Body, Piece, Response, with_body};

const LIST: &str = "data";
const COLLECTION: &str = "/imports";
const ONE: &str = "/imports/{import_id}";
const CSV: HeaderValue = HeaderValue::from_static("text/csv; charset=utf-8");
/// Parts of a table that wait to be sent.
const PARTS_WAITING: usize = 1;

const BY_STATUS: Parameter = Parameter {
    name: "status",
    about: "Only imports that stand here, such as `running`.",
    kind: ParameterKind::One(&STATUS),
};
/// What a request that sends the file itself says in its query.
const OF_FILE: &[Parameter] = &[
    Parameter {
        name: "type",
        about: "What the rows of the file become. Required if the body is the file itself.",
        kind: ParameterKind::One(&TYPE),
    },
    Parameter {
        name: "format",
        about: "How the file in the body is written: `csv`, or `ndjson`.",
        kind: ParameterKind::One(&FORMAT),
    },
    Parameter {
        name: "dry_run",
        about: "Whether to only say what would happen with the file in the body.",
        kind: ParameterKind::Flag,
    },
    Parameter {
        name: "on_conflict",
        about: "What happens to rows of the file in the body whose resource exists.",
        kind: ParameterKind::One(&ON_CONFLICT),
    },
    Parameter {
        name: "on_error",
        about: "Whether to go on after a refused row of the file in the body.",
        kind: ParameterKind::One(&ON_ERROR),
    },
    Parameter {
        name: "locale",
        about: "Whose habits the numbers in the file follow, such as `de-DE`.",
        kind: ParameterKind::One(&LOCALE),
    },
];

/// The templates: their types, paths, operations and summaries.
const TEMPLATES: [(ImportType, &str, &str, &str); 6] = [
    (ImportType::Orders, "/imports/templates/orders.csv", "get_orders_template", "Get a template for orders"),
    (
        ImportType::InventoryItems,
        "/imports/templates/inventory_items.csv",
        "get_inventory_items_template",
        "Get a template for inventory items",
    ),
    (
        ImportType::InventoryLevels,
        "/imports/templates/inventory_levels.csv",
        "get_inventory_levels_template",
        "Get a template for inventory levels",
    ),
    (
        ImportType::Locations,
        "/imports/templates/locations.csv",
        "get_locations_template",
        "Get a template for locations",
    ),
    (
        ImportType::PackageTypes,
        "/imports/templates/package_types.csv",
        "get_package_types_template",
        "Get a template for package types",
    ),
    (
        ImportType::Shipments,
        "/imports/templates/shipments.csv",
        "get_shipments_template",
        "Get a template for shipments",
    ),
];

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("imports:read"), Access::scope("imports:write"));
    let mut routes = vec![
        Route::get(COLLECTION, read, "list_imports", "List imports")
            .about("Newest first. Imports that ended are deleted after a year, or what the operator set in `leftover_days`; what they made stays.")
            .parameters(const { &[LIMIT, CURSOR, BY_STATUS] })
            .success(Success::List(LIST, &IMPORT))
            .to(list_imports),
        Route::post(COLLECTION, write, "create_import", "Start an import")
            .about("Turns the rows of a file into resources in the background. Send JSON, and then the file with `PUT /imports/{import_id}/content`; or send the file itself as the body, with `type` and other options in the query: any media type but `application/json` says so. A file may have 1 GiB. CSV may be UTF-8, UTF-16 or Windows-1252, separated by commas, semicolons or tabs, with a header; columns are recognised by their names, also by those of WooCommerce, Shopify, Magento and Amazon. Rows of one order follow each other with the same reference. Each row has a key (`reference`, `sku`, `name`, `handle` or `id`), so the same file sent twice makes nothing twice. The token also needs the scope to write what the rows become, such as `orders:write`.")
            .parameters(OF_FILE)
            .body(RouteBody::JsonOrFile(&IMPORT))
            .success(Success::Created(&IMPORT))
            .refusals(const { &[Code::FilesUnavailable] })
            .to(create_import),
        Route::get(ONE, read, "get_import", "Get an import")
            .about("Shows how far it is, how its file is read, and what its columns are taken for. Events tell of its progress at most four times a second.")
            .id(&IMPORT_ID)
            .success(Success::Resource(&IMPORT))
            .to(get_import),
        Route::put("/imports/{import_id}/content", write, "set_import_content", "Send the file of an import")
            .about("The body is the file, up to 1 GiB, of any media type. Work on it begins at once. A file can't be replaced.")
            .id(&IMPORT_ID)
            .body(RouteBody::File)
            .success(Success::Resource(&IMPORT))
            .refusals(const { &[Code::ImportHasContent, Code::ImportEnded, Code::FilesUnavailable] })
            .to(set_import_content),
        Route::get("/imports/{import_id}/errors", read, "list_import_errors", "List an import's errors")
            .about("Why rows were refused, in the order of the file.")
            .id(&IMPORT_ID)
            .parameters(const { &[LIMIT, CURSOR] })
            .success(Success::List(LIST, &IMPORT_ERROR))
            .to(list_import_errors),
        Route::get("/imports/{import_id}/errors.csv", read, "get_import_errors", "Get an import's refused rows")
            .about("The refused rows as they are in the file, with its header and one column more that says what is wrong. Correct it in a spreadsheet, and send it as a new import.")
            .id(&IMPORT_ID)
            .success(Success::Other("text/csv"))
            .to(get_import_errors),
        Route::post("/imports/{import_id}/cancel", write, "cancel_import", "Cancel an import")
            .about("Rows that were not read yet are not read. What was written stays. Repeating it changes nothing.")
            .id(&IMPORT_ID)
            .success(Success::Resource(&IMPORT))
            .refusals(&[Code::ImportEnded])
            .to(cancel_import),
    ];
    routes.extend(TEMPLATES.into_iter().map(|(r#type, path, operation, summary)| {
        Route::get(path, read, operation, summary)
            .about("A table with the columns of the type and an example row. Columns may be left out, and stand in any order.")
            .success(Success::Other("text/csv"))
            .to(move |_| ready(get_template(r#type)))
    }));
    routes
}

async fn list_imports(call: Call) -> Result<Response> {
    let status = match call.query.one("status") {
        None => None,
        Some(word) => {
            let known = Status::parse(word);
            Some(known.ok_or_else(|| query::refuse_word("status", word, STATUS_WORDS.iter().copied()))?)
        }
    };
    let query = call.list_query("imports", format!("{status:?}"))?;
    let listing = call.service().imports.list(call.caller()?, query, status).await?;
    respond::list(&call, LIST, listing)
}

async fn create_import(mut call: Call) -> Result<Response> {
    let command = call.command()?;
    let reply = match call.file.take() {
        Some(file) => {
            let input = input_of_query(&call)?;
            call.service().imports.create_with_content(command, input, file).await?
        }
        None => {
            if let Some(parameter) = OF_FILE.iter().find(|parameter| call.query.one(parameter.name).is_some())
            {
                let message = "Is for requests whose body is the file. Say it in the body.";
                return Err(query::refuse(parameter.name, message).into());
            }
            call.service().imports.create(command, call.input()?).await?
        }
    };
    respond::reply(&call, reply)
}

/// Reads what a request that sends the file itself says in its query.
fn input_of_query(call: &Call) -> Result<ImportInput> {
    let Some(r#type) = call.query.one("type") else {
        let message = "Is required if the body is the file: such as `type=orders`.";
        return Err(query::refuse("type", message).into());
    };
    let mut options = Map::new();
    for name in ["on_conflict", "on_error", "locale"] {
        if let Some(word) = call.query.one(name) {
            options.insert(name.to_owned(), word.into());
        }
    }
    options.insert("dry_run".to_owned(), call.query.flag("dry_run")?.into());
    let mut body = json!({ "type": r#type, "options": Value::Object(options) });
    if let Some(format) = call.query.one("format") {
        body["format"] = format.into();
    }
    shape::parse(body)
}

fn get_template(r#type: ImportType) -> Result<Response> {
    let (header, example) = r#type.template();
    let mut table = String::new();
    tables::write_record(&mut table, b',', header);
    tables::write_record(&mut table, b',', example);
    let mut response = with_body(StatusCode::OK, CSV, table);
    name_file(&mut response, &format!("attachment; filename=\"{}.csv\"", r#type.as_str()))?;
    Ok(response)
}

async fn get_import(call: Call) -> Result<Response> {
    let reply = call.service().imports.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn set_import_content(mut call: Call) -> Result<Response> {
    let (command, id) = (call.command()?, call.id()?);
    let file: Content = call.file.take().ok_or_else(|| Error::fault("the route takes a file"))?;
    let reply = call.service().imports.receive(command, id, file).await?;
    respond::reply(&call, reply)
}

async fn list_import_errors(call: Call) -> Result<Response> {
    let id = call.id()?;
    let query = call.list_query("import_errors", format!("{id}"))?;
    let listing = call.service().imports.list_errors(call.caller()?, query, id).await?;
    respond::list(&call, LIST, listing)
}

async fn get_import_errors(call: Call) -> Result<Response> {
    let id = call.id::<Import>()?;
    let rows = call.service().imports.failed_rows(call.caller()?, id).await?;
    let mut response = http::Response::new(stream(rows));
    response.headers_mut().insert(header::CONTENT_TYPE, CSV);
    name_file(&mut response, &format!("attachment; filename=\"{id}-errors.csv\""))?;
    Ok(response)
}

/// Streams the table of refused rows as fast as the client reads. If reading fails, the answer is cut off.
fn stream(mut rows: FailedRows) -> Body {
    let (parts, body) = mpsc::channel(PARTS_WAITING);
    let reader = async move {
        loop {
            match rows.next_part().await {
                Ok(Some(part)) => {
                    if parts.send(Piece::Bytes(Bytes::from(part))).await.is_err() {
                        return;
                    }
                }
                Ok(None) => {
                    let _gone = parts.send(Piece::End).await;
                    return;
                }
                Err(error) => {
                    error!(%error, "table of refused rows cut off: its next part can't be read");
                    return;
                }
            }
        }
    };
    tokio::spawn(reader.in_current_span());
    Body::Download(body)
}

fn name_file(response: &mut Response, disposition: &str) -> Result<()> {
    let value = HeaderValue::try_from(disposition).map_err(Error::fault)?;
    response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    Ok(())
}

async fn cancel_import(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().imports.cancel(call.command()?, id).await?;
    respond::reply(&call, reply)
}
