//! `dockside shipments`: lists shipments, shows one, and saves its labels.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::Value;

use crate::common::{Common, part};
use crate::failure::Failure;
use crate::find;
use crate::list::{List, Listing};
use crate::operation::{
    CREATE_SHIPMENT_LABELS, GET_SHIPMENT, LIST_SHIPMENT_DOCUMENTS, LIST_SHIPMENTS, Operation,
};
use crate::save;
use crate::screen::{note, print};
use crate::server::{Call, Server};
use crate::text::counted;
use crate::view::{Field, Kind};

/// How long the server is asked to wait for a label that the carrier delivers later.
const LABEL_WAIT_SECONDS: u64 = 30;
/// The wait, and the time that the answer itself may take.
const LABEL_TIME: Duration = Duration::from_secs(LABEL_WAIT_SECONDS + 60);

#[derive(Subcommand)]
pub enum Shipments {
    /// List shipments, newest first.
    List(Box<List<ShipmentList>>),
    /// Show a shipment with its packages, rates, documents and errors.
    Show(Show),
    /// Save the labels of a shipment.
    Label(Label),
}

#[derive(Args)]
pub struct Show {
    /// The shipment: its id (shp_…) or its name.
    #[arg(value_name = "SHIPMENT")]
    shipment: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub struct Label {
    /// The shipment: its id (shp_…) or its name.
    #[arg(value_name = "SHIPMENT")]
    shipment: String,
    /// The folder to save them in, under the names that the server gives them.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// The file to write instead; - is the standard output. The shipment must have one label.
    #[arg(long, value_name = "FILE", conflicts_with = "folder")]
    output: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

pub struct ShipmentList;

impl Listing for ShipmentList {
    const OPERATION: &'static Operation = &LIST_SHIPMENTS;
    const NOUN: &'static str = "shipments";
    const FIELDS: &'static [Field] = &[
        Field::new("ID", Kind::Word, &["/id"]),
        Field::new("NAME", Kind::Text, &["/name"]),
        Field::new("STATUS", Kind::Status, &["/status"]),
        Field::new("TRACKING", Kind::Status, &["/tracking_status"]),
        Field::new("NUMBER", Kind::Text, &["/tracking_number"]),
        Field::new("SERVICE", Kind::Text, &["/service/carrier_service/name"]),
        Field::new("COST", Kind::Money, &["/cost"]),
        Field::new("TO", Kind::Text, RECIPIENT),
        Field::new("CREATED", Kind::Time, &["/created_at"]),
    ];
}

const RECIPIENT: &[&str] = &[
    "/addresses/destination/contact/name",
    "/addresses/destination/contact/company",
    "/addresses/destination/address/city",
];

pub const SHIPMENT: &[Field] = &[
    Field::new("Shipment", Kind::Word, &["/id"]),
    Field::new("Name", Kind::Text, &["/name"]),
    Field::new("Order", Kind::Word, &["/order_id"]),
    Field::new("Status", Kind::Status, &["/status"]),
    Field::new("Tracking", Kind::Status, &["/tracking_status"]),
    Field::new("Number", Kind::Text, &["/tracking_number"]),
    Field::new("Carrier", Kind::Text, &["/service/carrier/name"]),
    Field::new("Service", Kind::Text, &["/service/carrier_service/name"]),
    Field::new("Cost", Kind::Money, &["/cost"]),
    Field::new("To", Kind::Text, RECIPIENT),
    Field::new("Street", Kind::Text, &["/addresses/destination/address/line_1"]),
    Field::new("Post code", Kind::Text, &["/addresses/destination/address/post_code"]),
    Field::new("City", Kind::Text, &["/addresses/destination/address/city"]),
    Field::new("Country", Kind::Text, &["/addresses/destination/address/country_code"]),
    Field::new("Packed", Kind::Time, &["/packed_at"]),
    Field::new("Handed over", Kind::Time, &["/handed_over_at"]),
    Field::new("Created", Kind::Time, &["/created_at"]),
];

pub const PACKAGES: &[Field] = &[
    Field::new("PACKAGE", Kind::Text, &["/name"]),
    Field::new("KG", Kind::Number, &["/geometry/mass"]),
    Field::new("TRACKING NUMBER", Kind::Word, &["/tracking_number"]),
];

pub const DOCUMENTS: &[Field] = &[
    Field::new("DOCUMENT", Kind::Word, &["/id"]),
    Field::new("TYPE", Kind::Word, &["/type"]),
    Field::new("PACKAGE", Kind::Number, &["/package"]),
    Field::new("FILE", Kind::Text, &["/file_name"]),
    Field::new("BYTES", Kind::Number, &["/file_size"]),
];

pub const ERRORS: &[Field] = &[
    Field::new("ERROR", Kind::Word, &["/code"]),
    Field::new("SOURCE", Kind::Word, &["/source"]),
    Field::new("MESSAGE", Kind::Text, &["/message"]),
];

pub async fn run(command: Shipments) -> Result<(), Failure> {
    match command {
        Shipments::List(list) => list.run().await,
        Shipments::Show(show) => show.run().await,
        Shipments::Label(label) => label.run().await,
    }
}

impl Show {
    async fn run(&self) -> Result<(), Failure> {
        let server = self.common.open()?;
        let id = find::shipment(&server, &self.shipment).await?;
        let answer = server.call(Call::new(&GET_SHIPMENT).id(id)).await?;
        self.common.show(&answer, SHIPMENT, |screen, shipment| {
            [(PACKAGES, "packages"), (DOCUMENTS, "documents"), (ERRORS, "errors")]
                .map(|(fields, name)| part(screen, fields, &shipment[name]))
                .concat()
        })
    }
}

impl Label {
    async fn run(&self) -> Result<(), Failure> {
        let server = self.common.open()?;
        let id = find::shipment(&server, &self.shipment).await?;
        let labels = labels(&server, &id).await?;
        if let Some(path) = &self.output {
            let [label] = labels.as_slice() else {
                let count = counted(labels.len(), "label");
                return Err(Failure::usage(format!("{id} has {count}: use --folder instead of --output")));
            };
            return self.save(&server, label, path).await;
        }
        for label in &labels {
            let path = save::path_in(&self.folder, label["file_name"].as_str().unwrap_or_default())?;
            self.save(&server, label, &path).await?;
        }
        Ok(())
    }

    async fn save(&self, server: &Server, label: &Value, path: &Path) -> Result<(), Failure> {
        let link = label["file_url"].as_str().unwrap_or_default();
        if path == Path::new(save::STANDARD_OUTPUT) {
            save::print(async |sink| server.fetch(link, sink).await).await?;
            return Ok(());
        }
        let bytes = save::file(path, async |sink| server.fetch(link, sink).await).await?;
        if self.common.json {
            return print(&format!("{label}\n"));
        }
        note(&format!("{bytes} bytes in {}", path.display()));
        Ok(())
    }
}

/// Returns the labels of a shipment. One that the carrier has not delivered yet is asked for.
pub async fn labels(server: &Server, shipment: &str) -> Result<Vec<Value>, Failure> {
    let found = of_type(server, shipment, "label").await?;
    if !found.is_empty() {
        return Ok(found);
    }
    let call =
        Call::new(&CREATE_SHIPMENT_LABELS).id(shipment).wait(LABEL_WAIT_SECONDS).time_limit(LABEL_TIME);
    server.call(call).await?;
    let found = of_type(server, shipment, "label").await?;
    if found.is_empty() {
        return Err(Failure::refused(format!(
            "the carrier has not delivered the label of {shipment} yet. Try again later"
        )));
    }
    Ok(found)
}

async fn of_type(server: &Server, shipment: &str, r#type: &str) -> Result<Vec<Value>, Failure> {
    let mut documents = server.call(Call::new(&LIST_SHIPMENT_DOCUMENTS).id(shipment)).await?.json;
    let documents = documents.pointer_mut("/data").and_then(Value::as_array_mut).map(std::mem::take);
    let documents = documents.unwrap_or_default();
    Ok(documents.into_iter().filter(|document| document["type"] == r#type).collect())
}
