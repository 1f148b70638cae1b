//! Placement of items in boxes of a scene, so that they fit: text shrinks, then wraps, then is cut; barcodes use the
//! widest modules that fit.

use crate::barcode::{BarcodeError, Code128, Matrix};
use crate::font::{Fonts, Style};
use crate::line::Line;
use crate::scene::{Align, Bars, DOTS_PER_MM, Item, Rect, Scene, Squares, Text, snap};
use crate::text::{clean, shape_line, wrap, wrap_between_words};
use std::borrow::Cow;

/// The distance between baselines, in ems.
const LEADING: f32 = 1.25;
/// The distance from the top of a line to its baseline, in ems. With the descent it adds up to the leading.
const ASCENT: f32 = 1.0;
/// The decrease of the text size between two tries, in millimetres: one dot.
const STEP: f32 = 1.0 / DOTS_PER_MM;

/// An upper bound of the space that is removed at the end of a line, in ems.
const SPACE: f32 = 1.0;

/// The part of its size to which text shrinks before it is wrapped.
const COMFORT: f32 = 0.75;

/// Widths of a barcode's module, in dots, widest first. At 203 dpi a scanner needs 2.
const BAR_DOTS: [u32; 3] = [4, 3, 2];
const SQUARE_DOTS: [u32; 7] = [8, 7, 6, 5, 4, 3, 2];
/// Light modules on each side of Code 128.
pub(crate) const QUIET_MODULES: u32 = 10;

/// The settings of text in its box.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub style: Style,
    /// The font size (em) in millimetres: the preferred one and the smallest.
    pub size: f32,
    pub min_size: f32,
    pub align: Align,
    pub is_inverse: bool,
}

impl Setting {
    pub fn new(size: f32, min_size: f32) -> Self {
        Self { style: Style::default(), size, min_size, align: Align::Start, is_inverse: false }
    }

    pub fn bold(mut self) -> Self {
        self.style.is_bold = true;
        self
    }

    pub fn aligned(mut self, align: Align) -> Self {
        self.align = align;
        self
    }

    pub fn inverse(mut self) -> Self {
        self.is_inverse = true;
        self
    }

    pub fn of_country(mut self, country: model::CountryCode) -> Self {
        self.style.country = Some(country);
        self
    }
}

/// Returns the smallest width of a barcode, in millimetres, with its quiet zones.
pub(crate) fn least_width(code: &Code128) -> f32 {
    let narrowest = BAR_DOTS.into_iter().min().unwrap_or_default();
    (code.width() + 2 * QUIET_MODULES as usize) as f32 * narrowest as f32 / DOTS_PER_MM
}

impl Scene {
    pub(crate) fn fill(&mut self, area: Rect) {
        self.items.push(Item::Fill(area));
    }

    /// Draws a frame inside its area.
    pub(crate) fn frame(&mut self, area: Rect, thickness: f32) {
        let Rect { x, y, width, height } = area;
        self.fill(Rect::new(x, y, width, thickness));
        self.fill(Rect::new(x, area.bottom() - thickness, width, thickness));
        self.fill(Rect::new(x, y + thickness, thickness, height - 2.0 * thickness));
        self.fill(Rect::new(area.right() - thickness, y + thickness, thickness, height - 2.0 * thickness));
    }

    /// Sets a line of text, vertically centred in its box.
    pub(crate) fn text(&mut self, area: Rect, text: &str, setting: Setting) {
        let text = clean(text);
        self.missing.extend(self.fonts.missing(&text));
        let (size, lines) = fit(&self.fonts, &[text], &[setting.style], setting, area);
        let top = area.y + (area.height - lines.len() as f32 * size * LEADING) / 2.0;
        self.place(area, top, size, lines, setting);
    }

    /// Sets lines of text from the top of their box, all in the same size. Returns their height.
    pub(crate) fn block(
        &mut self,
        area: Rect,
        texts: &[String],
        is_bold: impl Fn(&str) -> bool,
        setting: Setting,
    ) -> f32 {
        let texts: Vec<Cow<'_, str>> =
            texts.iter().map(|text| clean(text)).filter(|text| !text.is_empty()).collect();
        texts.iter().for_each(|text| self.missing.extend(self.fonts.missing(text)));
        let style =
            |text: &Cow<'_, str>| Style { is_bold: setting.style.is_bold || is_bold(text), ..setting.style };
        let styles: Vec<Style> = texts.iter().map(style).collect();
        let (size, lines) = fit(&self.fonts, &texts, &styles, setting, area);
        let height = lines.len() as f32 * size * LEADING;
        self.place(area, area.y, size, lines, setting);
        height
    }

    fn place(&mut self, area: Rect, top: f32, size: f32, lines: Vec<Line>, setting: Setting) {
        for (index, line) in lines.into_iter().enumerate() {
            let top = top + index as f32 * size * LEADING;
            let space = (area.width - line.width * size).max(0.0);
            let x = match (setting.align, line.is_right_to_left) {
                (Align::Start, false) | (Align::End, true) => area.x,
                (Align::Centre, _) => area.x + space / 2.0,
                (Align::Start, true) | (Align::End, false) => area.x + space,
            };
            let own = Rect::new(area.x, top.max(area.y), area.width, (size * LEADING).min(area.height));
            let (baseline, align, is_inverse) =
                (snap(top + size * ASCENT), setting.align, setting.is_inverse);
            self.items.push(Item::Text(Text { area: own, line, size, x, baseline, align, is_inverse }));
        }
    }

    /// Draws a one-dimensional barcode over the whole height of its box, horizontally centred.
    pub(crate) fn bars(
        &mut self,
        area: Rect,
        code: &Code128,
        data: &str,
        is_gs1: bool,
    ) -> Result<(), BarcodeError> {
        let modules = code.modules();
        let count = u32::try_from(modules.len()).unwrap_or(u32::MAX);
        let width = |dots: u32| (count + 2 * QUIET_MODULES) as f32 * dots as f32 / DOTS_PER_MM;
        let module_dots =
            BAR_DOTS.into_iter().find(|dots| width(*dots) <= area.width).ok_or(BarcodeError::TooLong)?;
        let x = snap(area.x + (area.width - count as f32 * module_dots as f32 / DOTS_PER_MM) / 2.0);
        self.items.push(Item::Bars(Bars { area, x, module_dots, modules, data: data.to_owned(), is_gs1 }));
        Ok(())
    }

    /// Draws a two-dimensional barcode at the top right of its box, as large as it fits. The quiet zone may extend
    /// beyond the box if the caller leaves white space around it.
    pub(crate) fn squares(&mut self, area: Rect, matrix: Matrix) -> Result<(), BarcodeError> {
        let side = |dots: u32| (matrix.side + 2 * matrix.quiet_zone()) as f32 * dots as f32 / DOTS_PER_MM;
        let fits = |dots: &u32| side(*dots) <= area.width.min(area.height);
        let module_dots = SQUARE_DOTS.into_iter().find(fits).ok_or(BarcodeError::TooLong)?;
        let quiet = matrix.quiet_zone() as f32 * module_dots as f32 / DOTS_PER_MM;
        let x = snap(area.right() - side(module_dots) + quiet);
        let y = snap(area.y + quiet);
        self.items.push(Item::Squares(Squares { area, x, y, module_dots, matrix }));
        Ok(())
    }
}

/// Returns the size and the lines with which texts fit into an area: shrunk a little; or wrapped, as large as
/// possible; or, at the smallest size, cut.
fn fit(
    fonts: &Fonts,
    texts: &[Cow<'_, str>],
    styles: &[Style],
    setting: Setting,
    area: Rect,
) -> (f32, Vec<Line>) {
    let lines: Vec<Line> =
        texts.iter().zip(styles).map(|(text, style)| shape_line(fonts, text, *style)).collect();
    let widest = lines.iter().fold(0.0_f32, |widest, line| widest.max(line.width));
    let least = setting.min_size.min(area.height / LEADING);
    let fits = |size: &f32| widest * size <= area.width && lines.len() <= lines_in(area, *size);
    let found = sizes(setting.size, least.max(COMFORT * setting.size)).find(fits);
    if let Some(size) = found {
        return (size, lines);
    }
    // Estimating that the text cannot fit is cheaper than shaping it.
    let may_fit = |size: f32| {
        let width = area.width / size + SPACE;
        lines.iter().map(|line| (line.width / width).ceil().max(1.0)).sum::<f32>()
            <= lines_in(area, size) as f32
    };
    let wrapped = |size: f32| {
        let lines = may_fit(size).then(|| wrap_all(fonts, texts, styles, area, size)).flatten();
        lines.map(|lines| (size, lines))
    };
    let found = sizes(setting.size, least).find_map(wrapped);
    found.unwrap_or_else(|| (least, cut(fonts, texts, styles, area, least)))
}

/// Returns the sizes from the largest to the smallest, both included.
fn sizes(largest: f32, least: f32) -> impl Iterator<Item = f32> {
    std::iter::successors(Some(largest.max(least)), move |size| {
        (*size > least).then(|| (size - STEP).max(least))
    })
}

/// Wraps texts between words. Returns `None` unless all of their lines fit.
fn wrap_all(
    fonts: &Fonts,
    texts: &[Cow<'_, str>],
    styles: &[Style],
    area: Rect,
    size: f32,
) -> Option<Vec<Line>> {
    let (capacity, width) = (lines_in(area, size), area.width / size);
    let mut wrapped = Vec::new();
    for (text, style) in texts.iter().zip(styles) {
        wrapped.extend(wrap_between_words(fonts, text, *style, width, capacity.checked_sub(wrapped.len())?)?);
    }
    Some(wrapped)
}

/// Wraps and cuts texts. Each text gets at least one line, as long as there are lines left.
fn cut(fonts: &Fonts, texts: &[Cow<'_, str>], styles: &[Style], area: Rect, size: f32) -> Vec<Line> {
    let capacity = lines_in(area, size);
    let mut wrapped = Vec::new();
    for (index, (text, style)) in texts.iter().zip(styles).enumerate() {
        let after = (texts.len() - index - 1).min(capacity.saturating_sub(wrapped.len() + 1));
        let room = capacity.saturating_sub(wrapped.len() + after);
        wrapped.extend(wrap(fonts, text, *style, area.width / size, room));
    }
    wrapped
}

fn lines_in(area: Rect, size: f32) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few lines, never fewer than none"
    )]
    let count = ((area.height + 0.01) / (size * LEADING)) as usize;
    count
}
