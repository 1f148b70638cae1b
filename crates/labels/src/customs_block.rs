//! The small CN22 declaration as a part of a label.

use crate::draw::Setting;
use crate::label::{Contents, Customs, CustomsItem};
use crate::scene::{Align, Rect, Scene};

const RULE: f32 = 0.25;
const ROW: f32 = 3.0;
const TEXT: f32 = 2.25;
const LEAST: f32 = 1.75;
/// Maximum number of items with their own rows. The last row summarises the others.
pub(crate) const MAX_ROWS: usize = 4;
pub(crate) const KINDS: [(Contents, &str); 6] = [
    (Contents::Gift, "Gift"),
    (Contents::Documents, "Documents"),
    (Contents::Merchandise, "Sale of goods"),
    (Contents::Sample, "Sample"),
    (Contents::Returned, "Returned"),
    (Contents::Other, "Other"),
];
/// The start and the width of each column: description, mass, value, tariff number, origin.
const COLUMNS: [(f32, f32); 5] = [(1.0, 40.0), (41.5, 13.5), (55.5, 16.0), (73.0, 14.0), (87.5, 7.5)];

pub(crate) fn draw(scene: &mut Scene, area: Rect, customs: &Customs) {
    scene.frame(area, RULE);
    let row = |index: f32| Rect { y: area.y + 0.5 + index * ROW, height: ROW, ..area };
    let inset = |area: Rect| Rect { x: area.x + 1.0, width: area.width - 2.0, ..area };
    let (left, right) = halves(inset(row(0.0)));
    scene.text(left, "CUSTOMS DECLARATION CN22", Setting::new(TEXT, LEAST).bold());
    scene.text(right, "May be opened officially", Setting::new(TEXT, LEAST).aligned(Align::End));
    kinds(scene, inset(row(1.0)), customs.contents, Setting::new(1.875, 1.5));
    rule(scene, area, row(2.0).y);

    let heads = ["Quantity and description", "Mass", "Value", "HS tariff no.", "Origin"];
    cells(scene, row(2.0), heads.map(str::to_owned), Setting::new(1.875, 1.75));
    for (index, cells_of_row) in rows(&customs.items).into_iter().enumerate() {
        cells(scene, row(3.0 + index as f32), cells_of_row, Setting::new(TEXT, 2.125));
    }
    rule(scene, area, row(3.0 + MAX_ROWS as f32).y);
    let total = [
        "Total".to_owned(),
        customs.total_mass.clone(),
        customs.total_value.clone(),
        String::new(),
        String::new(),
    ];
    cells(scene, row(3.0 + MAX_ROWS as f32), total, Setting::new(TEXT, LEAST).bold());
    rule(scene, area, row(4.0 + MAX_ROWS as f32).y);
    let declared =
        "I certify that the particulars given are correct and that this item contains no dangerous article.";
    scene.text(inset(row(4.0 + MAX_ROWS as f32)), declared, Setting::new(1.875, LEAST));
    let signed = format!("Date and sender's signature:  {}  {}", customs.date, customs.signer);
    scene.text(inset(row(5.0 + MAX_ROWS as f32)), &signed, Setting::new(TEXT, LEAST));
}

fn halves(area: Rect) -> (Rect, Rect) {
    let half = Rect { width: area.width / 2.0, ..area };
    (half, Rect { x: area.x + half.width, ..half })
}

fn rule(scene: &mut Scene, area: Rect, y: f32) {
    scene.fill(Rect::new(area.x, y, area.width, RULE));
}

/// Draws a box to tick for each kind of contents.
pub(crate) fn kinds(scene: &mut Scene, area: Rect, contents: Contents, setting: Setting) {
    let width = area.width / KINDS.len() as f32;
    for (index, (kind, name)) in KINDS.into_iter().enumerate() {
        let x = crate::scene::snap(area.x + index as f32 * width);
        let tick = Rect::new(x, area.y + 0.5, 2.0, 2.0);
        scene.frame(tick, RULE);
        if kind == contents {
            scene.fill(Rect::new(tick.x + 0.5, tick.y + 0.5, 1.0, 1.0));
        }
        scene.text(Rect { x: x + 2.5, width: width - 2.75, ..area }, name, setting);
    }
}

fn rows(items: &[CustomsItem]) -> Vec<[String; 5]> {
    let shown = if items.len() > MAX_ROWS { MAX_ROWS - 1 } else { items.len() };
    let row = |item: &CustomsItem| {
        [
            format!("{} × {}", item.quantity, item.description),
            item.mass.clone(),
            item.value.clone(),
            item.hs_code.clone().unwrap_or_default(),
            item.origin.map(|code| code.to_string()).unwrap_or_default(),
        ]
    };
    let mut rows: Vec<_> = items[..shown].iter().map(row).collect();
    if shown < items.len() {
        let more = format!("and {} more: see the attached declaration", items.len() - shown);
        rows.push([more, String::new(), String::new(), String::new(), String::new()]);
    }
    rows
}

fn cells(scene: &mut Scene, row: Rect, texts: [String; 5], setting: Setting) {
    for (index, ((x, width), text)) in COLUMNS.into_iter().zip(texts).enumerate() {
        let is_number = matches!(index, 1 | 2);
        let setting = if is_number { setting.aligned(Align::End) } else { setting };
        if !text.is_empty() {
            scene.text(Rect { x: row.x + x, width, ..row }, &text, setting);
        }
    }
}
