//! The dots of a printer: where the millimetres of a drawing are on its grid, and how wide the modules of barcodes are there.

use crate::draw::QUIET_MODULES;
use crate::scene::{Bars, DOTS_PER_MM, Squares};
use model::fulfilment::printer::{DPI, DRAWN_DPI_MAX};

const MM_PER_INCH: f32 = 25.4;
const MM_PER_METRE: f32 = 1000.0;
/// The widest modules of barcodes, in millimetres. They are those of a label at 203 dpi.
const BAR_MM_MAX: f32 = 0.5;
const SQUARE_MM_MAX: f32 = 1.0;

/// The resolution of a printer. A scene is laid out once, and drawn for each of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resolution {
    dpi: u32,
    dots_per_mm: f32,
}

/// A barcode on the grid of a printer, in dots: its top left module, and the width of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlacedModules {
    pub x: i32,
    pub y: i32,
    pub module: u32,
}

impl Resolution {
    /// 203 dpi, which is 8 dots per millimetre: labels are laid out on this grid.
    pub const LABEL: Self = Self { dpi: DPI, dots_per_mm: DOTS_PER_MM };

    /// Returns the resolution with so many dots per inch, or `None` below 203, where narrow bars have no two dots, and
    /// above the most that is drawn.
    pub fn of_dpi(dpi: u32) -> Option<Self> {
        match dpi {
            DPI => Some(Self::LABEL),
            dpi if dpi > DPI && dpi <= DRAWN_DPI_MAX => {
                Some(Self { dpi, dots_per_mm: dpi as f32 / MM_PER_INCH })
            }
            _ => None,
        }
    }

    /// Returns the dots per inch, rounded to a whole number.
    pub(crate) fn dpi(self) -> u32 {
        self.dpi
    }

    /// Converts millimetres to whole dots.
    pub(crate) fn dots(self, mm: f32) -> i32 {
        #[expect(clippy::cast_possible_truncation, reason = "a page has thousands of dots, not billions")]
        let dots = (mm * self.dots_per_mm).round() as i32;
        dots
    }

    pub(crate) fn dots_per_metre(self) -> f64 {
        f64::from(self.dots_per_mm * MM_PER_METRE)
    }

    /// Places bars in their area: horizontally centred, with the widest modules of whole dots that leave the quiet zones.
    /// On the grid of the layout they stay where they are.
    pub(crate) fn bars(self, bars: &Bars) -> PlacedModules {
        let y = self.dots(bars.area.y);
        if self == Self::LABEL {
            return PlacedModules { x: self.dots(bars.x), y, module: bars.module_dots };
        }
        let count = whole(bars.modules.len());
        let (left, room) = (self.dots(bars.area.x), self.whole_dots(bars.area.width));
        let module =
            (room / (count + 2 * whole(QUIET_MODULES as usize)).max(1)).min(self.dots(BAR_MM_MAX)).max(1);
        PlacedModules { x: left + (room - count * module) / 2, y, module: module.unsigned_abs() }
    }

    /// Places squares at the top right of their area, as large as they fit with their quiet zone.
    pub(crate) fn squares(self, squares: &Squares) -> PlacedModules {
        if self == Self::LABEL {
            let (x, y) = (self.dots(squares.x), self.dots(squares.y));
            return PlacedModules { x, y, module: squares.module_dots };
        }
        let (side, quiet) = (whole(squares.matrix.side), whole(squares.matrix.quiet_zone()));
        let area = squares.area;
        let room = self.whole_dots(area.width.min(area.height));
        let module = (room / (side + 2 * quiet).max(1)).min(self.dots(SQUARE_MM_MAX)).max(1);
        let x = self.dots(area.right()) - (side + quiet) * module;
        PlacedModules { x, y: self.dots(area.y) + quiet * module, module: module.unsigned_abs() }
    }

    /// Returns how many whole dots lie in so many millimetres.
    fn whole_dots(self, mm: f32) -> i32 {
        #[expect(clippy::cast_possible_truncation, reason = "a page has thousands of dots, not billions")]
        let dots = (mm * self.dots_per_mm).floor() as i32;
        dots
    }
}

/// Returns a number of modules, of which a barcode has a few hundred.
fn whole(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX / 8)
}
