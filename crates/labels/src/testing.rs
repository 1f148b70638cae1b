//! What the tests of papers read from a drawing.

use crate::scene::{Item, Rect, Scene};

/// Overlap that is not visible, in millimetres: less than a dot.
const SLACK: f32 = 0.1;

/// Returns the lines of text of a page.
pub(crate) fn texts(scene: &Scene) -> Vec<String> {
    let text = |item: &Item| match item {
        Item::Text(text) => Some(text.line.text.clone()),
        _ => None,
    };
    scene.items.iter().filter_map(text).collect()
}

/// Returns the texts of the barcodes of a page.
pub(crate) fn bars(scene: &Scene) -> Vec<String> {
    let data = |item: &Item| match item {
        Item::Bars(bars) => Some(bars.data.clone()),
        _ => None,
    };
    scene.items.iter().filter_map(data).collect()
}

/// Returns what a text or a barcode covers.
fn ink(item: &Item) -> Option<(Rect, String)> {
    match item {
        Item::Text(text) => {
            let width = text.line.width * text.size;
            let line = Rect::new(text.x, text.baseline - 0.75 * text.size, width, 0.95 * text.size);
            (width > 0.0).then(|| (line, text.line.text.clone()))
        }
        Item::Bars(bars) => Some((bars.area, bars.data.clone())),
        Item::Fill(_) | Item::Squares(_) => None,
    }
}

/// Refuses a page on which two texts or barcodes lie over each other, naming both.
pub(crate) fn is_apart(scene: &Scene) -> Result<(), String> {
    let all: Vec<(Rect, String)> = scene.items.iter().filter_map(ink).collect();
    for (place, (a, one)) in all.iter().enumerate() {
        for (b, other) in &all[place + 1..] {
            let is_across = a.x + SLACK < b.right() && b.x + SLACK < a.right();
            let is_along = a.y + SLACK < b.bottom() && b.y + SLACK < a.bottom();
            if is_across && is_along {
                return Err(format!("{one:?} {a:?} lies over {other:?} {b:?}"));
            }
        }
    }
    Ok(())
}
