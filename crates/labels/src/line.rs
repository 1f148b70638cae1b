//! A shaped line of text.

use std::ops::Range;

/// One glyph, in the visual order of its line; measures in ems.
#[derive(Debug, Clone)]
pub struct Glyph {
    /// The index of its font.
    pub face: usize,
    pub id: u32,
    /// The position of its origin, from the start of the line and above the baseline.
    pub x: f32,
    pub y: f32,
    pub advance: f32,
    /// The bytes of the line's text that the glyph represents.
    pub range: Range<usize>,
}

/// A shaped line of text.
#[derive(Debug, Clone)]
pub struct Line {
    pub text: String,
    pub glyphs: Vec<Glyph>,
    /// The width in ems.
    pub width: f32,
    pub is_right_to_left: bool,
}
