//! Papers of a warehouse: packing slips, pick lists, and the files with all papers of a shipment. What requests for them
//! say, and how their files are named.

use serde::{Deserialize, Serialize};

use crate::places::location::LOCATION_ID;
use crate::platform::shape::{Field, Input, Kind, Shape};
use crate::shipping::document::{DocumentType, file_stem};
use crate::{CountryCode, Id, Location};

/// Maximum number of shipments of a batch whose papers are made by one request. A request has a time limit, and 500
/// shipments with labels, slips and customs papers stay well below it.
pub const PART_SHIPMENTS: usize = 500;
/// Maximum number of parts of a batch.
const PARTS_MAX: i64 = 1_000_000;
/// The last characters of an id that tell files of one batch apart.
const TAIL_CHARS: usize = 6;

/// The paper that a file is printed on.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaperFormat {
    #[serde(rename = "a4")]
    A4,
    #[serde(rename = "letter")]
    Letter,
    #[serde(rename = "4x6")]
    Inches4x6,
}

impl PaperFormat {
    /// Returns the word that the API uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::A4 => "a4",
            Self::Letter => "letter",
            Self::Inches4x6 => "4x6",
        }
    }

    /// Returns the usual paper of a country.
    pub fn of_country(country: Option<CountryCode>) -> Self {
        match country.is_some_and(|code| matches!(code.as_str(), "US" | "CA")) {
            true => Self::Letter,
            false => Self::A4,
        }
    }
}

/// The body of a request for the papers of a shipment.
#[derive(Deserialize, Clone, Copy, Debug, Default)]
#[serde(default)]
pub struct ShipmentPaperInput {
    pub format: Option<PaperFormat>,
}

/// The body of a request for the papers of a batch.
#[derive(Deserialize, Clone, Copy, Debug, Default)]
#[serde(default)]
pub struct BatchPaperInput {
    pub format: Option<PaperFormat>,
    /// The number of the part, starting at 1.
    pub part: Option<usize>,
}

/// The body of a request for the pick lists of a batch.
#[derive(Deserialize, Clone, Copy, Debug, Default)]
#[serde(default)]
pub struct PickListsInput {
    pub format: Option<PaperFormat>,
    pub part: Option<usize>,
    pub location_id: Option<Id<Location>>,
}

impl Input for ShipmentPaperInput {
    const SHAPE: &'static Shape = &SHIPMENT_PAPER_INPUT;
}

impl Input for BatchPaperInput {
    const SHAPE: &'static Shape = &BATCH_PAPER_INPUT;
}

impl Input for PickListsInput {
    const SHAPE: &'static Shape = &PICK_LISTS_INPUT;
}

/// What tells a file from the other files of its shipment or batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaperKey {
    pub r#type: DocumentType,
    pub format: PaperFormat,
    /// The part of the batch. `None` if the batch has one part, or if the file is of a shipment.
    pub part: Option<usize>,
    /// The location of a pick list, with its name. `None` for shipments that leave from an address of their own.
    pub location: Option<(Id<Location>, String)>,
}

impl PaperKey {
    /// Returns the name of the file. `reference` is the name of the shipment or batch, `id` its id.
    pub fn file_name(&self, reference: &str, id: &str) -> String {
        let stem = Some(file_stem(reference)).filter(|stem| !stem.is_empty());
        let place = self.location.as_ref().map(|(_, name)| file_stem(name)).filter(|name| !name.is_empty());
        let place = place.map(|name| format!("-{}", cut(&name))).unwrap_or_default();
        let stem = stem.map_or_else(|| id.to_owned(), |stem| cut(&stem));
        format!("{stem}{place}{}", self.ending())
    }

    /// Returns the end of the file's name, which no other file of the same shipment or batch has.
    pub fn ending(&self) -> String {
        let word = self.r#type.as_str().replace('_', "-");
        let part = self.part.map(|part| format!("-part-{part}")).unwrap_or_default();
        let tail = |id: String| id[id.len().saturating_sub(TAIL_CHARS)..].to_owned();
        let place =
            self.location.as_ref().map(|(id, _)| format!("-{}", tail(id.to_string()))).unwrap_or_default();
        format!("-{word}{place}{part}-{}.pdf", self.format.as_str())
    }
}

/// Returns the beginning of a stem, so that two of them and the ending make a name that file systems allow.
fn cut(stem: &str) -> String {
    stem.chars()
        .scan(0, |bytes, char| {
            *bytes += char.len_utf8();
            (*bytes <= 80).then_some(char)
        })
        .collect()
}

static FORMAT: Shape = Shape::new(
    Kind::OneOf(&["a4", "letter", "4x6"]),
    "The paper: a sheet, or `4x6` for a label printer. Without it, `letter` for what leaves from the United States or Canada, and `a4` for everything else.",
)
.example(r#""a4""#);
static PART: Shape = Shape::new(
    Kind::Integer { min: 1, max: PARTS_MAX },
    "Which 500 shipments of a large batch, or which 500 orders of a large wave, in their order: 1 for the first 500, 2 for the next. Needed where there are more than 500.",
)
.example("1");

/// The body of a request for the papers of a shipment.
pub static SHIPMENT_PAPER_INPUT: Shape = Shape::object(
    "ShipmentPaperInput",
    &[Field::optional("format", &FORMAT)],
    "How the paper is wanted. An empty body takes the usual paper of the country that it leaves from.",
)
.example(r#"{"format":"a4"}"#);
/// The body of a request for the papers of a batch.
pub static BATCH_PAPER_INPUT: Shape = Shape::object(
    "BatchPaperInput",
    &[Field::optional("format", &FORMAT), Field::optional("part", &PART)],
    "How the papers are wanted, and of which part of a large batch.",
)
.example(r#"{"format":"a4"}"#);
/// The body of a request for the pick lists of a batch.
pub static PICK_LISTS_INPUT: Shape = Shape::object(
    "PickListsInput",
    &[
        Field::optional("format", &FORMAT),
        Field::optional("part", &PART),
        Field::optional("location_id", &LOCATION_ID)
            .about("Only the list of this location. Without it, one list for each location that shipments leave from."),
    ],
    "How the lists are wanted, of which part of a large batch, and for which location.",
)
.example(r#"{"format":"a4"}"#);

#[cfg(test)]
mod tests {
    use super::*;

    fn key(r#type: DocumentType, part: Option<usize>) -> PaperKey {
        PaperKey { r#type, format: PaperFormat::A4, part, location: None }
    }

    #[test]
    fn names_tell_type_part_location_and_format() {
        let slip = key(DocumentType::PackingSlip, None);
        assert_eq!(slip.file_name("ORD-7", "shp_1"), "ORD-7-packing-slip-a4.pdf");
        assert_eq!(slip.file_name("", "shp_1"), "shp_1-packing-slip-a4.pdf");
        let part = PaperKey { format: PaperFormat::Inches4x6, ..key(DocumentType::PackingSlips, Some(2)) };
        assert_eq!(part.file_name("Mon/day", "batch_1"), "Mon-day-packing-slips-part-2-4x6.pdf");
        let location = Some((Id::from_bits(7), "Hall 2".to_owned()));
        let list = PaperKey { location, ..key(DocumentType::PickList, None) };
        assert_eq!(list.file_name("Monday", "batch_1"), "Monday-Hall-2-pick-list-000007-a4.pdf");
        assert!(list.file_name(&"字".repeat(500), "batch_1").len() < 255);
    }

    #[test]
    fn the_ending_of_one_file_is_not_that_of_another() {
        let (whole, part) = (key(DocumentType::PackingSlips, None), key(DocumentType::PackingSlips, Some(1)));
        assert!(!part.file_name("a", "b").ends_with(&whole.ending()));
        assert!(!whole.file_name("a", "b").ends_with(&part.ending()));
    }

    #[test]
    fn the_usual_paper_is_that_of_the_country() {
        let of = |code: &str| PaperFormat::of_country(CountryCode::parse(code));
        assert_eq!(
            (of("US"), of("CA"), of("GB")),
            (PaperFormat::Letter, PaperFormat::Letter, PaperFormat::A4)
        );
        assert_eq!(PaperFormat::of_country(None), PaperFormat::A4);
    }

    #[test]
    fn words_of_formats_are_those_of_the_shape() {
        let Kind::OneOf(words) = FORMAT.kind else { panic!("not a list of words") };
        let formats = [PaperFormat::A4, PaperFormat::Letter, PaperFormat::Inches4x6];
        assert_eq!(formats.map(PaperFormat::as_str), words);
        for format in formats {
            assert_eq!(serde_json::to_value(format).unwrap(), format.as_str());
        }
    }
}
