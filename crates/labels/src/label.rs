//! What is to stand on a label, as plain data.

use crate::barcode::MatrixKind;
use model::CountryCode;

/// Custom barcodes, at most; more are left out.
pub const MAX_CUSTOM: usize = 3;

/// A label for one parcel.
#[derive(Debug, Clone)]
pub struct Label {
    pub from: Party,
    pub to: Party,
    /// Where it goes if it can't be delivered, if not back to `from`.
    pub return_to: Option<Party>,
    pub carrier: String,
    pub service: String,
    pub tracking_number: String,
    pub reference: Option<String>,
    /// As it shall be read: the label knows no calendar.
    pub ship_date: String,
    /// With its unit.
    pub mass: String,
    pub piece: Piece,
    pub custom_lines: Vec<String>,
    /// Code 128 of ASCII.
    pub custom_barcodes: Vec<String>,
    pub primary: Primary,
    pub matrix: Option<(MatrixKind, String)>,
    pub customs: Option<Customs>,
    /// For the test world: the label says that it is worth nothing.
    pub is_test: bool,
}

/// Somebody with an address.
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

/// Which parcel of a shipment this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    pub number: u32,
    pub count: u32,
}

/// The barcode that carriers sort by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Primary {
    /// The carrier's number as Code 128.
    Number(String),
    /// A serial shipping container code, 18 digits, as GS1-128 with (00).
    Sscc(String),
    /// A number that no barcode holds, or none of the label's width: it is written out.
    Figures(String),
}

/// The declaration CN22, for parcels that go abroad. Values and masses are texts with their units.
#[derive(Debug, Clone)]
pub struct Customs {
    pub contents: Contents,
    pub items: Vec<CustomsItem>,
    pub total_mass: String,
    pub total_value: String,
    pub signer: String,
    pub date: String,
}

/// What CN22 asks about a parcel's contents.
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
    /// Of one.
    pub unit_value: String,
    /// Of all.
    pub value: String,
    pub hs_code: Option<String>,
    pub origin: Option<CountryCode>,
}

/// What customs papers on A4 tell: the declaration CN23 and the commercial invoice. All but the parties and the items is
/// text as it shall be read.
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
    /// What the transport costs.
    pub postage: Option<String>,
    pub incoterm: Option<String>,
    /// Tax numbers and the like, with what they are: `IOSS IM1234567890`.
    pub identifiers: Vec<String>,
    pub comments: Vec<String>,
    /// What is to happen where it can't be delivered.
    pub non_delivery: String,
    pub signer: String,
}
