//! Documents: files of a shipment, a batch or a manifest. Each response contains a newly signed download URL that
//! expires soon.

use serde::{Deserialize, Serialize};

use crate::platform::id::Kind as IdKind;
use crate::platform::shape::{Field, Kind, Shape};
use crate::shipping::shipment::{SHIPMENT_ID, Shipment};
use crate::{Id, Timestamp};

/// A file.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Document {
    pub id: Id<Document>,
    pub r#type: DocumentType,
    /// The shipment of the file. `None` for files of a batch or a manifest.
    #[serde(default)]
    pub shipment_id: Option<Id<Shipment>>,
    /// The number of the file's package, starting at 1. `None` if the file is not for one package.
    #[serde(default)]
    pub package: Option<u32>,
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

/// The purpose of a file.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum DocumentType {
    Label,
    /// The labels of a whole batch, in one file.
    Labels,
    ReturnLabel,
    CommercialInvoice,
    Cn22,
    Cn23,
    PackingSlip,
    Manifest,
    /// What to collect at a location.
    PickList,
    /// The packing slips of a batch, in one file.
    PackingSlips,
    /// Labels, packing slips and customs papers, in one file.
    Papers,
}

impl DocumentType {
    const ALL: [Self; 11] = [
        Self::Label,
        Self::Labels,
        Self::ReturnLabel,
        Self::CommercialInvoice,
        Self::Cn22,
        Self::Cn23,
        Self::PackingSlip,
        Self::Manifest,
        Self::PickList,
        Self::PackingSlips,
        Self::Papers,
    ];

    /// Returns the word that the API uses.
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
            Self::PickList => "pick_list",
            Self::PackingSlips => "packing_slips",
            Self::Papers => "papers",
        }
    }

    /// Parses the word that the API uses.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }
}

/// Longest part of a file name that comes from a reference, in bytes. With its suffix, the name stays below the 255
/// bytes that file systems allow.
const STEM_BYTES_MAX: usize = 120;

/// Returns the beginning of a file name, made from a reference: letters, digits, `-`, `_` and `.`, without a dot at
/// either end. Other characters become `-`. Returns an empty text if nothing is left.
pub fn file_stem(reference: &str) -> String {
    let mut stem = String::new();
    for char in reference.trim().chars() {
        let kept = if char.is_alphanumeric() || matches!(char, '-' | '_' | '.') { char } else { '-' };
        if stem.len() + kept.len_utf8() > STEM_BYTES_MAX {
            break;
        }
        if !(kept == '-' && stem.ends_with('-')) {
            stem.push(kept);
        }
    }
    stem.trim_matches(['.', '-']).to_owned()
}

/// Returns the name of a shipment's file, from the shipment's reference (or its id if it has none) and the kind of
/// file. The label of the first package of `ORD-7` is `ORD-7-1.zpl`; one file with several labels is
/// `ORD-7-labels.pdf`.
pub fn shipment_file_name(
    shipment: Id<Shipment>,
    reference: &str,
    r#type: DocumentType,
    package: Option<u32>,
    ending: &str,
) -> String {
    let stem = Some(file_stem(reference)).filter(|stem| !stem.is_empty());
    let stem = stem.unwrap_or_else(|| shipment.to_string());
    let what = match r#type {
        DocumentType::Label => package.map_or_else(|| "labels".to_owned(), |number| number.to_string()),
        other => {
            let word = other.as_str().replace('_', "-");
            package.map_or_else(|| word.clone(), |number| format!("{word}-{number}"))
        }
    };
    format!("{stem}-{what}.{ending}")
}

/// The id of a document.
pub static DOCUMENT_ID: Shape = Shape::new(
    Kind::Identifier(Document::PREFIX),
    "Made with the file. Asking for the same labels again gives the same documents, with the same ids.",
);
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
        "pick_list",
        "packing_slips",
        "papers",
    ]),
    "What the paper is for: a `label`, all `labels` of a batch in one file, a customs paper, a `manifest` to be signed, a `packing_slip` for the box, all `packing_slips` of a batch in one file, a `pick_list` of what to collect, or all `papers` of a shipment or a batch in one file.",
)
.example(r#""label""#);
static PACKAGE: Shape = Shape::new(
    Kind::Integer { min: 1, max: 99 },
    "The number of the package that the file is for, from 1 on, in the order of the shipment's `packages`. Null for a file that is not for one package: customs papers, a PDF with the labels of several packages, files of a batch or a manifest.",
)
.example("1");
static FILE_NAME: Shape = Shape::text(
    1,
    255,
    "What it is called when it is saved: the shipment's `name`, or its id where it has none, and what it is.",
)
.example(r#""ORD-10042-1.pdf""#);
static FILE_TYPE: Shape =
    Shape::text(1, 100, "The media type, such as `application/pdf`, `image/png` or `application/zpl`.")
        .example(r#""application/pdf""#);
static FILE_SIZE: Shape =
    Shape::new(Kind::Integer { min: 0, max: i64::MAX }, "Bytes of the file, to show a download's progress.")
        .example("26411");
static FILE_URL: Shape =
    Shape::text(0, 2048, "Fetches the file without a token, for an hour unless the operator set another time. Read the document again for a new link.")
        .example(r#""https://dockside.example.com/files/Zm9v""#);
/// A document.
pub static DOCUMENT: Shape = Shape::object(
    "Document",
    &[
        Field::given("id", &DOCUMENT_ID),
        Field::given("type", &TYPE),
        Field::given_or_null("shipment_id", &SHIPMENT_ID),
        Field::given_or_null("package", &PACKAGE),
        Field::given("file_name", &FILE_NAME),
        Field::given("file_type", &FILE_TYPE),
        Field::given("file_size", &FILE_SIZE),
        Field::given("file_url", &FILE_URL),
        Field::created_at(),
        Field::updated_at(),
    ],
    "A file that belongs to a shipment, a batch or a manifest: a label, a customs paper, a packing slip, a list for the driver.",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_tell_shipments_and_packages_apart_and_are_fit_for_file_systems() {
        let id = Id::from_bits(7);
        let name = |reference: &str, kind, package| shipment_file_name(id, reference, kind, package, "pdf");
        assert_eq!(name("ORD-7", DocumentType::Label, Some(1)), "ORD-7-1.pdf");
        assert_eq!(name("ORD-7", DocumentType::Label, None), "ORD-7-labels.pdf");
        assert_eq!(name("ORD-7", DocumentType::CommercialInvoice, None), "ORD-7-commercial-invoice.pdf");
        assert_eq!(name("ORD-7", DocumentType::ReturnLabel, Some(2)), "ORD-7-return-label-2.pdf");
        assert_eq!(name(" ../..\\: ", DocumentType::Label, Some(1)), format!("{id}-1.pdf"));
        assert_eq!(name("a/b\\c:d*e?\"<f>|g\u{0}\n", DocumentType::Cn23, None), "a-b-c-d-e-f-g-cn23.pdf");
        assert_eq!(name("Größe № 5", DocumentType::Label, Some(1)), "Größe-5-1.pdf");
        assert!(name(&"字".repeat(500), DocumentType::CommercialInvoice, None).len() < 255);
    }

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
