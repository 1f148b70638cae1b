//! Documents: files that belong to a shipment, a batch or a manifest. The file lives elsewhere; its address is minted
//! afresh with each read, and ends soon.

use serde::{Deserialize, Serialize};

use crate::id::Kind as IdKind;
use crate::shape::{Field, Kind, MOMENT, Shape};
use crate::{Id, Timestamp};

/// A file.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Document {
    pub id: Id<Document>,
    pub r#type: DocumentType,
    pub file_name: String,
    /// The media type.
    pub file_type: String,
    pub file_size: i64,
    #[serde(default)]
    pub file_url: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for Document {
    const PREFIX: &'static str = "doc";
}

/// What a file is.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum DocumentType {
    Label,
    /// Those of a whole batch, in one file.
    Labels,
    ReturnLabel,
    CommercialInvoice,
    Cn22,
    Cn23,
    PackingSlip,
    Manifest,
}

/// The id of a document.
pub static DOCUMENT_ID: Shape = Shape::new(Kind::Identifier(Document::PREFIX), "A document's id.");
static TYPE: Shape = Shape::new(
    Kind::OneOf(&[
        "label",
        "labels",
        "return_label",
        "commercial_invoice",
        "cn22",
        "cn23",
        "packing_slip",
        "manifest",
    ]),
    "What it is.",
)
.example(r#""label""#);
static FILE_NAME: Shape =
    Shape::text(1, 255, "What it is called when it is saved.").example(r#""label.pdf""#);
static FILE_TYPE: Shape = Shape::text(1, 100, "The media type.").example(r#""application/pdf""#);
static FILE_SIZE: Shape = Shape::new(Kind::Integer { min: 0, max: i64::MAX }, "Bytes.").example("26411");
static FILE_URL: Shape =
    Shape::text(0, 2048, "Where it is for the next hour. Read the document again for a new one.")
        .example(r#""https://dockside.example.com/files/Zm9v""#);
/// A document.
pub static DOCUMENT: Shape = Shape::object(
    "Document",
    &[
        Field::given("id", &DOCUMENT_ID),
        Field::given("type", &TYPE),
        Field::given("file_name", &FILE_NAME),
        Field::given("file_type", &FILE_TYPE),
        Field::given("file_size", &FILE_SIZE),
        Field::given("file_url", &FILE_URL),
        Field::given("created_at", &MOMENT),
        Field::given("updated_at", &MOMENT),
    ],
    "A file.",
);
