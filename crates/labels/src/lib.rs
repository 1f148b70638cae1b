//! Labels: one layout in millimetres, and three small back ends that make a file of it.
//!
//! ```text
//!   Label ── layout ──► Scene ──┬── png ──► one bit a dot, 203 dpi
//!                               ├── zpl ──► commands for a label printer
//!                               ├── pdf ──► pages that share their fonts
//!                               └── pwg ──► pages of dots, for IPP printers
//! ```
//!
//! [`rendered`] draws scenes for printers of other resolutions.
//!
//! [`papers`] makes all of it from a shipment that was bought. [`packing_slip`] and [`pick_list`] draw the papers of a
//! warehouse, which are PDF only, with the organisation's logo and colour.
//!
//! Nothing here asks for the time, makes randomness or does I/O, but for [`Fonts::load`], which reads fonts from
//! directories. The same label and the same fonts give the same bytes.

mod address;
mod artwork;
pub mod barcode;
mod bilevel;
mod bought;
mod brand;
mod countries;
mod customs_block;
mod customs_papers;
mod declare;
mod deflate;
mod draw;
mod face;
mod font;
mod glyph_bitmap;
mod glyph_mask;
mod huffman;
mod instructions;
mod label;
mod latin;
mod layout;
mod line;
mod lz77;
mod manifest;
mod mass;
mod merge;
mod packed;
mod packing_slip;
mod page;
mod papers;
mod party;
mod pdf;
mod pdf_file;
mod pdf_font;
mod pdf_number;
mod pdf_page;
mod pdf_program;
mod pick_list;
mod png;
mod pwg;
mod raster;
mod rendered;
mod resolution;
pub mod scene;
mod sheet;
#[cfg(test)]
mod testing;
mod text;
mod zpl;

pub use bought::Bought;
pub use brand::{Brand, Logo, LogoError};
pub use customs_papers::{cn23, commercial_invoice};
pub use font::{DEBIAN_DIRECTORIES, Fonts};
pub use label::{Contents, Customs, CustomsItem, Declaration, Label, MAX_CUSTOM, Party, Piece, Primary};
pub use layout::{LayoutError, layout};
pub use manifest::{Handover, HandoverRow, handover};
pub use merge::{MergeError, Merger, converted, converted_exactly, gif_as_png};
pub use packing_slip::{PackingSlip, SlipItem, SlipPackage, packing_slip};
pub use page::PageSize;
pub use papers::{Paper, PaperError, customs_papers, files, papers, scenes};
pub use pdf::{PdfError, pdf};
pub use pick_list::{Destination, PickLine, PickList, pick_list};
pub use png::{Effort, png};
pub use rendered::{pages_as_pwg, rendered, rescaled};
pub use resolution::Resolution;
pub use scene::Scene;
pub use zpl::zpl;
