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

impl DocumentType {
    const ALL: [Self; 8] = [
        Self::Label,
        Self::Labels,
        Self::ReturnLabel,
        Self::CommercialInvoice,
        Self::Cn22,
        Self::Cn23,
        Self::PackingSlip,
        Self::Manifest,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Label => "label",
            Self::Labels => "labels",
            Self::ReturnLabel => "return_label",
            Self::CommercialInvoice => "commercial_invoice",
            Self::Cn22 => "cn22",
            Self::Cn23 => "cn23",
            Self::PackingSlip => "packing_slip",
            Self::Manifest => "manifest",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_types_are_those_of_the_shape_and_of_json() {
        let Kind::OneOf(words) = TYPE.kind else { panic!("not a list of words") };
        assert_eq!(DocumentType::ALL.map(DocumentType::as_str), words);
        for known in DocumentType::ALL {
            assert_eq!(serde_json::to_value(known).unwrap(), known.as_str());
            assert_eq!(DocumentType::parse(known.as_str()), Some(known));
        }
        assert_eq!(DocumentType::parse("Label"), None);
    }
}
