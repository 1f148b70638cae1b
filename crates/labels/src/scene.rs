//! A drawing in millimetres, from the top left: what all three formats are made of.

use crate::barcode::Matrix;
use crate::font::Fonts;
use crate::text::Line;

/// Printers of 203 dpi have 8 dots on a millimetre; everything that must be sharp lies on this grid.
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

    /// Whether another lies inside, give or take less than a dot.
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
    /// To the left, or to the right where the text runs from right to left.
    Start,
    Centre,
    End,
}

/// A line of text in its box. What reaches out of the box is not drawn.
#[derive(Debug, Clone)]
pub struct Text {
    pub area: Rect,
    pub line: Line,
    /// The em, in millimetres.
    pub size: f32,
    pub x: f32,
    pub baseline: f32,
    pub align: Align,
    /// White, on what is black already.
    pub is_inverse: bool,
}

/// A barcode of lines.
#[derive(Debug, Clone)]
pub struct Bars {
    /// With its quiet zones.
    pub area: Rect,
    /// Where the first bar begins.
    pub x: f32,
    /// The width of a module in dots.
    pub module_dots: u32,
    pub modules: Vec<bool>,
    /// What is encoded, without check symbols.
    pub data: String,
    /// With FNC1 in front of `data`, which has digits only.
    pub is_gs1: bool,
}

/// A barcode of squares.
#[derive(Debug, Clone)]
pub struct Squares {
    /// With its quiet zones.
    pub area: Rect,
    pub x: f32,
    pub y: f32,
    pub module_dots: u32,
    pub matrix: Matrix,
}

#[derive(Debug, Clone)]
pub enum Item {
    /// Black.
    Fill(Rect),
    Text(Text),
    Bars(Bars),
    Squares(Squares),
}

impl Item {
    /// The box that nothing of it leaves.
    pub fn area(&self) -> Rect {
        match self {
            Self::Fill(area) => *area,
            Self::Text(text) => text.area,
            Self::Bars(bars) => bars.area,
            Self::Squares(squares) => squares.area,
        }
    }
}

/// A drawing, with the fonts that its text is set in.
#[derive(Clone)]
pub struct Scene {
    /// In millimetres.
    pub width: f32,
    pub height: f32,
    /// The page of a PDF, in points; inches are no whole number of dots.
    pub points: (f32, f32),
    pub items: Vec<Item>,
    /// Characters that no font has; each is drawn as a box.
    pub missing: Vec<char>,
    pub(crate) fonts: Fonts,
}

impl Scene {
    pub(crate) fn new(width: f32, height: f32, points: (f32, f32), fonts: &Fonts) -> Self {
        Self { width, height, points, items: Vec::new(), missing: Vec::new(), fonts: fonts.clone() }
    }
}

/// The nearest place on the grid of dots.
pub fn snap(mm: f32) -> f32 {
    (mm * DOTS_PER_MM).round() / DOTS_PER_MM
}

/// Millimetres in whole dots.
pub fn dots(mm: f32) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "a page has thousands of dots, not billions")]
    let dots = (mm * DOTS_PER_MM).round() as i32;
    dots
}
