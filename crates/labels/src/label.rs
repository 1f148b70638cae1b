//! The content of a label, as plain data.

use crate::barcode::MatrixKind;
use model::CountryCode;

/// Maximum number of custom barcodes. Further ones are omitted.
pub const MAX_CUSTOM: usize = 3;

/// A label for one parcel.
#[derive(Debug, Clone)]
pub struct Label {
    pub from: Party,
    pub to: Party,
    /// The address for undeliverable parcels, if it is not `from`.
    pub return_to: Option<Party>,
    pub carrier: String,
    pub service: String,
    pub tracking_number: String,
    pub reference: Option<String>,
    /// The date as it is printed. The layout does no date arithmetic.
    pub ship_date: String,
    /// The mass with its unit.
    pub mass: String,
    pub piece: Piece,
    pub custom_lines: Vec<String>,
    /// Texts for Code 128, in ASCII.
    pub custom_barcodes: Vec<String>,
    pub primary: Primary,
    pub matrix: Option<(MatrixKind, String)>,
    pub customs: Option<Customs>,
    /// Whether this is a label of the test world, which says that it is not valid for shipping.
    pub is_test: bool,
}

/// A person or company with an address.
#[derive(Debug, Clone)]
pub struct Party {
    pub name: String,
    pub company: Option<String>,
    /// Street lines.
    pub lines: Vec<String>,
    pub city: String,
    pub province: Option<String>,
    pub post_code: Option<String>,
    pub country_code: CountryCode,
    pub phone: Option<String>,
}

/// The number of a parcel within its shipment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    pub number: u32,
    pub count: u32,
}

/// The barcode by which carriers sort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Primary {
    /// The carrier's number as Code 128.
    Number(String),
    /// A serial shipping container code, 18 digits, as GS1-128 with (00).
    Sscc(String),
    /// A number that cannot be a barcode, or not one that fits the label's width. It is printed as text.
    Figures(String),
}

/// The CN22 declaration, for parcels that go abroad. Values and masses are texts with their units.
#[derive(Debug, Clone)]
pub struct Customs {
    pub contents: Contents,
    pub items: Vec<CustomsItem>,
    pub total_mass: String,
    pub total_value: String,
    pub signer: String,
    pub date: String,
}

/// The kind of contents that CN22 asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contents {
    Gift,
    Documents,
    Merchandise,
    Sample,
    Returned,
    Other,
}

#[derive(Debug, Clone)]
pub struct CustomsItem {
    pub quantity: u32,
    pub description: String,
    pub mass: String,
    /// The value of one piece.
    pub unit_value: String,
    /// The value of all pieces.
    pub value: String,
    pub hs_code: Option<String>,
    pub origin: Option<CountryCode>,
}

/// The data of the customs papers on A4, the CN23 declaration and the commercial invoice. All data except the parties
/// and the items is text as it is printed.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// The invoice's number.
    pub number: String,
    pub date: String,
    pub tracking_number: String,
    pub from: Party,
    pub to: Party,
    pub contents: Contents,
    pub items: Vec<CustomsItem>,
    pub total_mass: String,
    pub total_value: String,
    /// The cost of transport.
    pub postage: Option<String>,
    pub incoterm: Option<String>,
    /// Tax numbers and similar identifiers with their kinds: `IOSS IM1234567890`.
    pub identifiers: Vec<String>,
    pub comments: Vec<String>,
    /// The instruction for an undeliverable parcel.
    pub non_delivery: String,
    pub signer: String,
}
