//! `dockside print`: prints documents, or the labels of shipments and batches, on a printer.

use std::time::Duration;

use clap::Args;
use serde_json::{Map, Value, json};
use tokio::time::sleep;

use crate::common::{Common, print_body};
use crate::failure::Failure;
use crate::find;
use crate::operation::{CREATE_PRINT_JOB, GET_PRINT_JOB, LIST_BATCH_LABELS};
use crate::screen::{Screen, print};
use crate::server::{Answer, Call, Server};
use crate::shipments;
use crate::view::{self, Field, Kind};

/// How often the server is asked what became of the job.
const LOOK_EVERY: Duration = Duration::from_millis(500);
const DOCUMENT: &str = "doc_";
const BATCH: &str = "batch_";

#[derive(Args)]
pub struct Print {
    /// What to print, in this order: documents (doc_…), or shipments (their id or name) and batches (batch_…), of which the labels are
    /// printed.
    #[arg(value_name = "DOCUMENT", required = true)]
    documents: Vec<String>,
    /// The printer: its name or its id (prn_…). Without it, the server chooses: by the shipping rules, or the default of the location.
    #[arg(long, value_name = "PRINTER")]
    printer: Option<String>,
    /// How often everything is printed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    copies: u32,
    /// Wait until it is printed, and fail if it is not.
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    common: Common,
}

pub const JOB: &[Field] = &[
    Field::new("Print job", Kind::Word, &["/id"]),
    Field::new("Printer", Kind::Word, &["/printer_id"]),
    Field::new("Status", Kind::Status, &["/status"]),
    Field::new("Copies", Kind::Number, &["/copies"]),
    Field::new("Message", Kind::Text, &["/message"]),
];

pub async fn run(arguments: Print) -> Result<(), Failure> {
    let server = arguments.common.open()?;
    let mut documents = Vec::new();
    for word in &arguments.documents {
        documents.extend(ids(&server, word).await?);
    }
    let mut body = Map::new();
    body.insert("document_ids".to_owned(), json!(documents));
    body.insert("copies".to_owned(), json!(arguments.copies));
    if let Some(printer) = &arguments.printer {
        body.insert("printer_id".to_owned(), json!(find::printer(&server, printer).await?));
    }
    let mut answer = server.call(Call::new(&CREATE_PRINT_JOB).json(&Value::Object(body))).await?;
    while arguments.wait && matches!(answer.json["status"].as_str(), Some("queued" | "sending")) {
        sleep(LOOK_EVERY).await;
        let job = answer.json["id"].as_str().unwrap_or_default();
        answer = server.call(Call::new(&GET_PRINT_JOB).id(job)).await?;
    }
    if arguments.common.json {
        print_body(&answer)?;
    } else {
        print(&view::lines(&Screen::new(), JOB, &answer.json))?;
    }
    if arguments.wait { printed(&answer) } else { Ok(()) }
}

/// Fails unless the job is printed.
fn printed(answer: &Answer) -> Result<(), Failure> {
    match answer.json["status"].as_str() {
        Some("printed") => Ok(()),
        status => Err(Failure::refused(format!("the print job is {}", status.unwrap_or("lost")))),
    }
}

/// Returns the documents that a word stands for.
async fn ids(server: &Server, word: &str) -> Result<Vec<String>, Failure> {
    if word.starts_with(DOCUMENT) {
        return Ok(vec![word.to_owned()]);
    }
    let labels = if word.starts_with(BATCH) {
        let documents = server.call(Call::new(&LIST_BATCH_LABELS).id(word)).await?.json;
        labels_of_batch(&documents["data"])
    } else {
        let shipment = find::shipment(server, word).await?;
        shipments::labels(server, &shipment).await?
    };
    if labels.is_empty() {
        return Err(Failure::refused(format!("{word} has no labels")));
    }
    Ok(labels.iter().filter_map(|label| label["id"].as_str()).map(str::to_owned).collect())
}

/// Returns the file with all labels of a batch if it is made, and otherwise each label.
fn labels_of_batch(documents: &Value) -> Vec<Value> {
    let of_type = |r#type: &str| -> Vec<Value> {
        let documents = documents.as_array().into_iter().flatten();
        documents.filter(|document| document["type"] == r#type).cloned().collect()
    };
    let merged = of_type("labels");
    match merged.first() {
        Some(newest) => vec![newest.clone()],
        None => of_type("label"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_merged_file_of_a_batch_is_printed_once() {
        let document = |id: &str, r#type: &str| json!({"id": id, "type": r#type});
        let ids = |documents: &[Value]| -> Vec<String> {
            labels_of_batch(&json!(documents))
                .iter()
                .map(|found| found["id"].as_str().unwrap().to_owned())
                .collect()
        };
        let single = [document("doc_2", "label"), document("doc_3", "cn22"), document("doc_4", "label")];
        assert_eq!(ids(&single), ["doc_2", "doc_4"]);
        assert_eq!(ids(&[&[document("doc_1", "labels")][..], &single].concat()), ["doc_1"]);
        assert!(ids(&[]).is_empty());
    }
}
