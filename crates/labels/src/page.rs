//! Placement of the label of 4 by 6 inches on larger paper.

use crate::scene::{Item, Rect, Scene, snap};

/// The paper sizes of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageSize {
    Inches4x6,
    Inches4x8,
    A6,
    A5,
    A4,
    Letter,
}

impl PageSize {
    pub const ALL: [Self; 6] = [Self::Inches4x6, Self::Inches4x8, Self::A6, Self::A5, Self::A4, Self::Letter];

    /// Parses a size as the API names it.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|size| size.as_str() == text)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inches4x6 => "4x6",
            Self::Inches4x8 => "4x8",
            Self::A6 => "a6",
            Self::A5 => "a5",
            Self::A4 => "a4",
            Self::Letter => "letter",
        }
    }

    /// Returns width and height in points.
    pub(crate) fn points(self) -> (f32, f32) {
        match self {
            Self::Inches4x6 => (288.0, 432.0),
            Self::Inches4x8 => (288.0, 576.0),
            Self::A6 => (297.64, 419.53),
            Self::A5 => (419.53, 595.28),
            Self::A4 => (595.28, 841.89),
            Self::Letter => (612.0, 792.0),
        }
    }

    /// Returns width and height in millimetres, rounded down to whole dots.
    pub(crate) fn millimetres(self) -> (f32, f32) {
        let mm = |points: f32| (points / 72.0 * 25.4 * 8.0).floor() / 8.0;
        let (width, height) = self.points();
        (mm(width), mm(height))
    }
}

/// The distance of the label from the edges of a sheet, in millimetres: sheet printers do not print to the edge.
const SHEET_MARGIN: f32 = 8.0;

impl Scene {
    /// Returns the same drawing on other paper. Nothing is scaled, so that barcodes stay on their dots. A6 is
    /// slightly shorter than 6 inches, so the label's white margins are reduced.
    pub fn on(mut self, size: PageSize) -> Self {
        let (x, y) = match size {
            PageSize::Inches4x6 => return self,
            PageSize::Inches4x8 => (0.0, 0.0),
            PageSize::A6 => (1.75, -2.125),
            PageSize::A5 | PageSize::A4 | PageSize::Letter => (SHEET_MARGIN, SHEET_MARGIN),
        };
        let mm = |points: f32| (points / 72.0 * 25.4 * 8.0).floor() / 8.0;
        self.points = size.points();
        (self.width, self.height) = (mm(self.points.0), mm(self.points.1));
        self.items.iter_mut().for_each(|item| shift(item, snap(x), snap(y)));
        self
    }
}

fn shift(item: &mut Item, x: f32, y: f32) {
    let moved = |area: Rect| Rect { x: area.x + x, y: area.y + y, ..area };
    match item {
        Item::Fill(area) => *area = moved(*area),
        Item::Text(text) => {
            text.area = moved(text.area);
            text.x += x;
            text.baseline += y;
        }
        Item::Bars(bars) => {
            bars.area = moved(bars.area);
            bars.x += x;
        }
        Item::Squares(squares) => {
            squares.area = moved(squares.area);
            squares.x += x;
            squares.y += y;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PageSize;

    #[test]
    fn every_size_has_a_name_of_its_own() {
        for size in PageSize::ALL {
            assert_eq!(PageSize::parse(size.as_str()), Some(size));
        }
        assert_eq!(PageSize::parse("a3"), None);
    }
}
