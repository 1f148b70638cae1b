//! A drawing in millimetres, from the top left corner. All three formats are made from it.

use crate::barcode::Matrix;
use crate::font::Fonts;
use crate::line::Line;

/// Printers of 203 dpi have 8 dots per millimetre. Everything that must be sharp lies on this grid.
pub const DOTS_PER_MM: f32 = 8.0;

/// A label of 4 by 6 inches, in whole dots of such a printer.
pub const WIDTH_DOTS: u32 = 812;
pub const HEIGHT_DOTS: u32 = 1218;

/// A rectangle in millimetres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

impl Rect {
    pub const fn new(x: f32, y: f32, width: f32, height: f32) -> Self {
        Self { x, y, width, height }
    }

    pub fn right(&self) -> f32 {
        self.x + self.width
    }

    pub fn bottom(&self) -> f32 {
        self.y + self.height
    }

    /// Returns whether another rectangle lies inside, with a tolerance of less than a dot.
    pub fn contains(&self, other: &Self) -> bool {
        const SLACK: f32 = 0.01;
        other.x >= self.x - SLACK
            && other.y >= self.y - SLACK
            && other.right() <= self.right() + SLACK
            && other.bottom() <= self.bottom() + SLACK
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Left, or right if the text runs from right to left.
    Start,
    Centre,
    End,
}

/// A line of text in its box. Parts outside of the box are not drawn.
#[derive(Debug, Clone)]
pub struct Text {
    pub area: Rect,
    pub line: Line,
    /// The font size (em), in millimetres.
    pub size: f32,
    pub x: f32,
    pub baseline: f32,
    pub align: Align,
    /// Whether the text is white on black.
    pub is_inverse: bool,
}

/// A one-dimensional barcode.
#[derive(Debug, Clone)]
pub struct Bars {
    /// The area, including the quiet zones.
    pub area: Rect,
    /// The start of the first bar.
    pub x: f32,
    /// The width of a module in dots.
    pub module_dots: u32,
    pub modules: Vec<bool>,
    /// The encoded data, without check symbols.
    pub data: String,
    /// Whether FNC1 precedes `data`, which then has digits only.
    pub is_gs1: bool,
}

/// A two-dimensional barcode.
#[derive(Debug, Clone)]
pub struct Squares {
    /// The area, including the quiet zones.
    pub area: Rect,
    pub x: f32,
    pub y: f32,
    pub module_dots: u32,
    pub matrix: Matrix,
}

#[derive(Debug, Clone)]
pub enum Item {
    /// A black rectangle.
    Fill(Rect),
    Text(Text),
    Bars(Bars),
    Squares(Squares),
}

impl Item {
    /// Returns the box that contains the whole item.
    pub fn area(&self) -> Rect {
        match self {
            Self::Fill(area) => *area,
            Self::Text(text) => text.area,
            Self::Bars(bars) => bars.area,
            Self::Squares(squares) => squares.area,
        }
    }
}

/// A drawing, with the fonts of its text.
#[derive(Clone)]
pub struct Scene {
    /// The width in millimetres.
    pub width: f32,
    pub height: f32,
    /// The page size of a PDF, in points. Inches are not a whole number of dots.
    pub points: (f32, f32),
    pub items: Vec<Item>,
    /// Characters that no font has. Each is drawn as a box.
    pub missing: Vec<char>,
    pub(crate) fonts: Fonts,
}

impl Scene {
    pub(crate) fn new(width: f32, height: f32, points: (f32, f32), fonts: &Fonts) -> Self {
        Self { width, height, points, items: Vec::new(), missing: Vec::new(), fonts: fonts.clone() }
    }
}

/// Returns the nearest position on the grid of dots.
pub fn snap(mm: f32) -> f32 {
    (mm * DOTS_PER_MM).round() / DOTS_PER_MM
}
