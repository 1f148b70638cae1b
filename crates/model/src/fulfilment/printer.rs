//! Printers: where files are printed, which formats each takes, and for what it is the default.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::places::location::LOCATION_ID;
use crate::platform::id::Kind as IdKind;
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Input, Issues, Kind, Path, Pattern, Shape};
use crate::{Id, Location, Timestamp};

/// Maximum number of printers of an organisation in each world.
pub const PRINTERS_MAX: usize = 200;
/// The resolution for which labels are drawn when they are bought, in dots per inch.
pub const DPI: u32 = 203;
/// The highest resolution for which labels are drawn or scaled when they are printed, in dots per inch.
pub const DRAWN_DPI_MAX: u32 = 1200;

/// A printer as it is stored and shown.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Printer {
    pub id: Id<Printer>,
    #[serde(flatten)]
    pub details: PrinterInput,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for Printer {
    const PREFIX: &'static str = "prn";
}

/// The body of a request that creates a printer.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct PrinterInput {
    pub name: String,
    pub kind: PrinterKind,
    #[serde(default)]
    pub connection: Connection,
    pub address: String,
    pub formats: Vec<PrintFormat>,
    #[serde(default = "usual_dpi")]
    pub dpi: u32,
    pub media: Option<String>,
    pub location_id: Option<Id<Location>>,
    #[serde(default)]
    pub is_default_for: Vec<Purpose>,
}

fn usual_dpi() -> u32 {
    DPI
}

impl Input for PrinterInput {
    const SHAPE: &'static Shape = &PRINTER;
}

/// The protocol of a printer.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum PrinterKind {
    /// Bytes as they are, on a socket.
    Raw,
    Ipp,
}

/// Which program connects to a printer.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Connection {
    /// The server itself.
    #[default]
    Direct,
    /// A print agent in the printer's network, which claims the jobs.
    Agent,
}

/// A format that a printer takes.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum PrintFormat {
    Pdf,
    Zpl,
    Png,
    /// PWG raster, which IPP printers take that read no PDF.
    Pwg,
}

impl PrintFormat {
    /// Returns the format of files with this media type.
    pub fn of_media_type(media_type: &str) -> Option<Self> {
        [Self::Pdf, Self::Zpl, Self::Png, Self::Pwg]
            .into_iter()
            .find(|format| format.media_type() == media_type)
    }

    /// Returns the media type of such files.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Zpl => "application/zpl",
            Self::Png => "image/png",
            Self::Pwg => "image/pwg-raster",
        }
    }

    /// Returns the word that the API uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Zpl => "zpl",
            Self::Png => "png",
            Self::Pwg => "pwg",
        }
    }
}

/// What a printer may be the default for.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    Label,
    PackingSlip,
    PickList,
    Manifest,
}

impl Purpose {
    /// Returns the purpose of a document of this type. Papers that lie in the parcel, such as customs papers, are printed where
    /// packing slips are.
    pub fn of_document_type(r#type: &str) -> Self {
        match r#type {
            "label" | "labels" | "return_label" => Self::Label,
            "manifest" => Self::Manifest,
            "pick_list" => Self::PickList,
            _ => Self::PackingSlip,
        }
    }

    /// Returns the word that the API uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Label => "label",
            Self::PackingSlip => "packing_slip",
            Self::PickList => "pick_list",
            Self::Manifest => "manifest",
        }
    }
}

fn is_address(text: &str) -> bool {
    (1..=2048).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'!'..=b'~'))
}

fn is_media(text: &str) -> bool {
    (1..=255).contains(&text.len())
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-'))
}

fn check_printer(object: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let word = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let has_scheme = ["ipp://", "ipps://", "http://", "https://"]
        .iter()
        .any(|scheme| word("address").to_ascii_lowercase().starts_with(scheme));
    let message = match word("kind") {
        "raw" if word("address").contains("://") => Some(
            "A printer of the kind `raw` has a host and a port as its address, such as `192.168.1.20:9100`.",
        ),
        "ipp" if !has_scheme => Some(
            "A printer of the kind `ipp` has a URL as its address, such as `ipp://192.168.1.20/ipp/print`.",
        ),
        _ => None,
    };
    if let Some(message) = message {
        issues.push(Issue::new("invalid_format", &Path::Key(at, "address"), message));
    }
    for (name, message) in
        [("formats", "Name each format once."), ("is_default_for", "Name each kind of document once.")]
    {
        let words = object.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (place, _) in words.iter().enumerate().filter(|(place, word)| words[..*place].contains(word)) {
            let list = Path::Key(at, name);
            issues.push(Issue::new("duplicate", &Path::Item(&list, place), message));
        }
    }
}

/// The id of a printer.
pub static PRINTER_ID: Shape =
    Shape::new(Kind::Identifier(Printer::PREFIX), "Made when you describe the printer. Print jobs name it.");
static NAME: Shape =
    Shape::text(1, 255, "What your packers call it. Need not be unique.").example(r#""Bench 3""#);
static KIND: Shape = Shape::new(
    Kind::OneOf(&["raw", "ipp"]),
    "The protocol: `raw` sends the bytes of a file on a socket, as label printers take ZPL; `ipp` is the Internet Printing Protocol, as office printers and CUPS speak it.",
)
.example(r#""raw""#);
static CONNECTION: Shape = Shape::new(
    Kind::OneOf(&["direct", "agent"]),
    "`direct`: the server itself connects, only inside the networks of the setting `printer_networks`. `agent`: a print agent in the printer's network claims the jobs. `direct` if you leave it out.",
)
.example(r#""direct""#);
static ADDRESS: Shape = Shape::new(
    Kind::Text {
        chars_min: 1,
        chars_max: 2048,
        pattern: Some(Pattern { regex: "^[!-~]{1,2048}$", matches: is_address }),
    },
    "Where it is: for `raw` a host and a port (9100 if you leave the port out), for `ipp` a URL that begins with `ipp://`, `ipps://`, `http://` or `https://`.",
)
.example(r#""192.168.1.20:9100""#);
/// A format, by the word of the API.
pub(super) static FORMAT: Shape =
    Shape::new(Kind::OneOf(&["pdf", "zpl", "png", "pwg"]), "A format of files that the printer takes. `pwg` is PWG raster (`image/pwg-raster`), which IPP printers take that read no PDF.")
        .example(r#""zpl""#);
static FORMATS: Shape = Shape::some(
    &FORMAT,
    4,
    "The formats that it takes. A document in another format is converted to the first one of these that it can be made into: a label that Dockside drew, or a carrier's PNG; papers of Dockside become `pwg`. Other files are refused when the job is made.",
);
static DPI_SHAPE: Shape = Shape::new(
    Kind::Integer { min: 100, max: 2400 },
    "Dots per inch. Labels that Dockside drew, and PNGs of carriers, are made anew for a printer of another resolution than 203, up to 1200. PWG raster always has this resolution, so it must be one of the printer's own. ZPL of a carrier is printed at 203 only. 203 if you leave it out.",
)
.example("203");
static MEDIA: Shape = Shape::new(
    Kind::Text {
        chars_min: 1,
        chars_max: 255,
        pattern: Some(Pattern { regex: "^[a-z0-9_.-]{1,255}$", matches: is_media }),
    },
    "The paper that is in it, as IPP names it. Sent with each job to a printer of the kind `ipp`; to others it is a remark. Null: the printer's own choice.",
)
.example(r#""na_index-4x6_4x6in""#);
static PURPOSE: Shape = Shape::new(
    Kind::OneOf(&["label", "packing_slip", "pick_list", "manifest"]),
    "What is printed here if a job names no printer. Customs papers count as `packing_slip`.",
)
.example(r#""label""#);
static IS_DEFAULT_FOR: Shape = Shape::list(
    &PURPOSE,
    4,
    "For which documents it is the default at its location, or everywhere if it has none. There is one default for each kind of document and location.",
);

/// A printer.
pub static PRINTER: Shape = Shape {
    name: Some("Printer"),
    about: "A printer that documents are sent to, by the server or by a print agent.",
    kind: Kind::Object {
        fields: &[
            Field::given("id", &PRINTER_ID),
            Field::required("name", &NAME),
            Field::required("kind", &KIND),
            Field::optional("connection", &CONNECTION),
            Field::required("address", &ADDRESS),
            Field::required("formats", &FORMATS),
            Field::optional("dpi", &DPI_SHAPE),
            Field::optional("media", &MEDIA),
            Field::optional("location_id", &LOCATION_ID)
                .about("The location where it stands: it is the default for what leaves from there. Null: for every location that has no default of its own. A location that is named here can't be deleted."),
            Field::optional("is_default_for", &IS_DEFAULT_FOR),
            Field::created_at(),
            Field::updated_at(),
        ],
        rule: Some(check_printer),
    },
    example: None,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Error;
    use crate::platform::shape::parse;
    use crate::shipping::document::DocumentType;

    fn label_printer() -> Value {
        json!({"name": "Bench", "kind": "raw", "address": "192.168.1.20", "formats": ["zpl"]})
    }

    #[test]
    fn the_least_printer_is_direct_and_the_default_for_nothing() {
        let input: PrinterInput = parse(label_printer()).unwrap();
        assert_eq!((input.connection, input.dpi, input.media), (Connection::Direct, DPI, None));
        assert!(input.is_default_for.is_empty() && input.location_id.is_none());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (change, code, field) in [
            (json!({"kind": "usb"}), "invalid_value", "/kind"),
            (json!({"address": "ipp://192.168.1.20/"}), "invalid_format", "/address"),
            (json!({"kind": "ipp"}), "invalid_format", "/address"),
            (json!({"kind": "ipp", "address": "ftp://a/"}), "invalid_format", "/address"),
            (json!({"address": "a b"}), "invalid_format", "/address"),
            (json!({"address": "prínter"}), "invalid_format", "/address"),
            (json!({"formats": []}), "too_few", "/formats"),
            (json!({"formats": ["doc"]}), "invalid_value", "/formats/0"),
            (json!({"formats": ["zpl", "pdf", "zpl"]}), "duplicate", "/formats/2"),
            (json!({"is_default_for": ["label", "label"]}), "duplicate", "/is_default_for/1"),
            (json!({"dpi": 12}), "out_of_range", "/dpi"),
            (json!({"media": "A4 paper"}), "invalid_format", "/media"),
        ] {
            let mut body = label_printer();
            crate::platform::json::merge(&mut body, change.clone());
            let Err(Error::Refused(problem)) = parse::<PrinterInput>(body) else { panic!("{change}") };
            let found: Vec<_> =
                problem.issues.iter().map(|issue| (issue.code.as_ref(), issue.field.as_str())).collect();
            assert_eq!(found, [(code, field)], "{change}");
        }
    }

    #[test]
    fn every_document_has_a_purpose_and_every_label_format_is_known() {
        assert_eq!(Purpose::of_document_type(DocumentType::Label.as_str()), Purpose::Label);
        assert_eq!(Purpose::of_document_type(DocumentType::Labels.as_str()), Purpose::Label);
        assert_eq!(Purpose::of_document_type(DocumentType::ReturnLabel.as_str()), Purpose::Label);
        assert_eq!(Purpose::of_document_type(DocumentType::Manifest.as_str()), Purpose::Manifest);
        assert_eq!(Purpose::of_document_type(DocumentType::Cn23.as_str()), Purpose::PackingSlip);
        for (media_type, word) in [
            ("application/pdf", "pdf"),
            ("application/zpl", "zpl"),
            ("image/png", "png"),
            ("image/pwg-raster", "pwg"),
        ] {
            assert_eq!(PrintFormat::of_media_type(media_type).map(PrintFormat::as_str), Some(word));
        }
        assert_eq!(PrintFormat::of_media_type("application/zip"), None);
    }
}
