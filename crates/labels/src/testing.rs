//! What the tests of papers read from a drawing, and barcodes as a scanner reads them.

use crate::draw::QUIET_MODULES;
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

/// Returns the lengths of runs of one colour, beginning with the first black one, and the white dots before and after.
pub(crate) fn runs(row: &[bool]) -> (Vec<usize>, usize, usize) {
    let mut runs: Vec<usize> = row.chunk_by(|a, b| a == b).map(<[bool]>::len).collect();
    let before = if row[0] { 0 } else { runs.remove(0) };
    let after = if row[row.len() - 1] { 0 } else { runs.pop().unwrap() };
    (runs, before, after)
}

/// Returns the widths in modules that a scanner measures: in each symbol of 11 modules, six bars and spaces by their part of it.
fn measured(runs: &[usize]) -> Vec<usize> {
    let (symbols, stop) = runs.split_at(runs.len() - 7);
    let symbol = |runs: &[usize], modules: f32| -> Vec<usize> {
        let width: usize = runs.iter().sum();
        runs.iter().map(|run| (*run as f32 * modules / width as f32).round() as usize).collect()
    };
    let mut widths: Vec<usize> = symbols.chunks(6).flat_map(|runs| symbol(runs, 11.0)).collect();
    widths.extend(symbol(stop, 13.0));
    widths
}

/// Checks that a scanner reads these modules in a row, with their quiet zones.
pub(crate) fn assert_readable(row: &[bool], modules: &[bool], what: &str) {
    let (found, before, after) = runs(row);
    let (expected, _, _) = runs(modules);
    assert_eq!(found.len(), expected.len(), "{what}");
    assert_eq!(measured(&found), expected, "{what}");
    let module = found.iter().sum::<usize>() as f32 / modules.len() as f32;
    let quiet = before.min(after) as f32 / module;
    assert!(quiet >= QUIET_MODULES as f32 - 0.5, "{what}: a quiet zone of {quiet} modules");
}
