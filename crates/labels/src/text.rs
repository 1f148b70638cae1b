//! Conversion of text to glyphs: cleaned, in visual order, shaped, and measured in ems.

use crate::font::{Fonts, Style};
use crate::line::{Glyph, Line};
use harfrust::{Buffer, Direction, ShapeOptions, ShaperFont, shape};
use std::borrow::Cow;
use std::ops::Range;
use unicode_bidi::BidiInfo;

/// Longest text that is shaped, in characters: the longest text of a shipment.
pub const MAX_CHARACTERS: usize = 1000;

/// Number of break positions that are tried first in the search for the end of a line.
const FIRST_REACH: usize = 8;

/// Returns text that can be drawn: one line, single spaces, no control characters, and no invisible changes of
/// direction. Text that is too long is cut and ends in an ellipsis.
pub fn clean(text: &str) -> Cow<'_, str> {
    if is_clean(text) {
        return Cow::Borrowed(text);
    }
    let is_hidden = |c: char| matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let kept = text.chars().filter(|c| !is_hidden(*c)).map(|c| if c.is_control() { ' ' } else { c });
    let mut whole: String = kept.clone().take(MAX_CHARACTERS).collect();
    if kept.skip(MAX_CHARACTERS).any(|c| !c.is_whitespace()) {
        whole.pop();
        whole.push('…');
    }
    Cow::Owned(whole.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns whether cleaning would change nothing, for most text: ASCII and the letters of Latin-1.
fn is_clean(text: &str) -> bool {
    let mut before = ' ';
    for c in text.chars() {
        if !matches!(c, ' '..='~' | 'À'..='ÿ') || c == ' ' && before == ' ' {
            return false;
        }
        before = c;
    }
    // Up to this length in bytes, a text has no more characters than the limit.
    (before != ' ' || text.is_empty()) && text.len() <= MAX_CHARACTERS
}

/// Shapes one line. The text should be clean.
pub fn shape_line(fonts: &Fonts, text: &str, style: Style) -> Line {
    let mut line = Line { text: text.to_owned(), glyphs: Vec::new(), width: 0.0, is_right_to_left: false };
    if let Some((index, cached)) = fonts.compiled_in_face(style.is_bold)
        && cached.latin.shape(&cached.face, index, &mut line)
    {
        return line;
    }
    shape_line_in_full(fonts, line, style)
}

/// Shapes one line of any script.
fn shape_line_in_full(fonts: &Fonts, mut line: Line, style: Style) -> Line {
    let text = line.text.clone();
    let text = text.as_str();
    let bidi = BidiInfo::new(text, None);
    let Some(paragraph) = bidi.paragraphs.first() else { return line };
    line.is_right_to_left = paragraph.level.is_rtl();
    let (levels, runs) = bidi.visual_runs(paragraph, paragraph.range.clone());
    for run in runs {
        let is_right_to_left = levels[run.start].is_rtl();
        let mut pieces = by_face(fonts, text, run, style);
        if is_right_to_left {
            pieces.reverse();
        }
        for (face, range) in pieces {
            shape_piece(fonts, &mut line, face, range, is_right_to_left);
        }
    }
    line
}

/// Splits a run where the font changes.
fn by_face(fonts: &Fonts, text: &str, run: Range<usize>, style: Style) -> Vec<(usize, Range<usize>)> {
    let mut pieces: Vec<(usize, Range<usize>)> = Vec::new();
    for (offset, c) in text[run.clone()].char_indices() {
        let at = run.start + offset;
        let before = pieces.last().map(|piece| piece.0);
        let face = fonts.choose(c, style, before);
        match pieces.last_mut().filter(|piece| piece.0 == face) {
            Some(piece) => piece.1.end = at + c.len_utf8(),
            None => pieces.push((face, at..at + c.len_utf8())),
        }
    }
    pieces
}

fn shape_piece(fonts: &Fonts, line: &mut Line, index: usize, range: Range<usize>, is_right_to_left: bool) {
    let Some(face) = fonts.face(index) else { return };
    let mut buffer = Buffer::new();
    buffer.push_str(&line.text[range.clone()]);
    buffer.set_direction(if is_right_to_left { Direction::RightToLeft } else { Direction::LeftToRight });
    buffer.guess_segment_properties();
    if shape(&ShaperFont::new(&face.shape), &mut buffer, ShapeOptions::new()).is_err() {
        return;
    }
    // A cluster extends to the start of the next one, on either side.
    let mut starts: Vec<usize> = buffer.glyph_infos().iter().map(|info| info.cluster as usize).collect();
    starts.sort_unstable();
    starts.dedup();
    let em = |units: i32| units as f32 / face.units_per_em;
    for (info, position) in buffer.glyph_infos().iter().zip(buffer.glyph_positions()) {
        let start = info.cluster as usize;
        let end = starts.iter().copied().find(|other| *other > start).unwrap_or_else(|| range.len());
        line.glyphs.push(Glyph {
            face: index,
            id: info.glyph_id,
            x: line.width + em(position.x_offset),
            y: em(position.y_offset),
            advance: em(position.x_advance),
            range: range.start + start..range.start + end,
        });
        line.width += em(position.x_advance);
    }
}

/// Breaks text into at most `max` lines no wider than `width` ems. Text that is left over is cut from the last line,
/// which then ends in an ellipsis.
pub fn wrap(fonts: &Fonts, text: &str, style: Style, width: f32, max: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() && lines.len() < max {
        let whole = shape_line(fonts, rest, style);
        if whole.width <= width {
            lines.push(whole);
            return lines;
        }
        let is_last = lines.len() + 1 == max;
        if is_last {
            lines.extend(longest(fonts, rest, style, width, "…", &cuts(rest)).map(|(_, line)| line));
            return lines;
        }
        // Between words if a word fits, else inside one.
        let found = longest(fonts, rest, style, width, "", &breaks(rest))
            .or_else(|| longest(fonts, rest, style, width, "", &cuts(rest)));
        let Some((end, line)) = found else { return lines };
        lines.push(line);
        rest = rest[end..].trim_start();
    }
    lines
}

/// Breaks text between words into at most `max` lines no wider than `width` ems. Returns `None` if that is
/// impossible.
pub fn wrap_between_words(
    fonts: &Fonts,
    text: &str,
    style: Style,
    width: f32,
    max: usize,
) -> Option<Vec<Line>> {
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while lines.len() < max {
        let whole = shape_line(fonts, rest, style);
        if whole.width <= width {
            lines.push(whole);
            return Some(lines);
        }
        let (end, line) = longest(fonts, rest, style, width, "", &breaks(rest))?;
        lines.push(line);
        rest = rest[end..].trim_start();
    }
    None
}

/// Returns the longest prefix that ends at one of `ends` and fits together with `tail`: its end, and its line.
fn longest(
    fonts: &Fonts,
    text: &str,
    style: Style,
    width: f32,
    tail: &str,
    ends: &[usize],
) -> Option<(usize, Line)> {
    let line_to = |end: usize| shape_line(fonts, &format!("{}{tail}", text[..end].trim_end()), style);
    let fits = |end: &usize| line_to(*end).width <= width;
    // A line is a small part of a long text, so the search stops at twice the length that fits.
    let mut reach = FIRST_REACH;
    while ends.get(reach).is_some_and(fits) {
        reach *= 2;
    }
    let fitting = ends[..reach.min(ends.len())].partition_point(fits);
    // Shaping may make a longer text narrower, so the search may be slightly off. Each candidate is measured.
    ends[..fitting].iter().rev().map(|end| (*end, line_to(*end))).find(|(_, line)| line.width <= width)
}

/// Returns where a line may be broken: after a space, a hyphen or a comma, and around characters that are words of
/// their own.
fn breaks(text: &str) -> Vec<usize> {
    let is_word = |c: char| ('\u{2e80}'..='\u{d7ff}').contains(&c) || ('\u{f900}'..='\u{faff}').contains(&c);
    let pairs = text.char_indices().zip(text.char_indices().skip(1));
    let may_break = |a: char, b: char| {
        a == ' ' || matches!(a, '-' | ',' | '/') && b.is_alphanumeric() || is_word(a) && is_word(b)
    };
    pairs.filter(|((_, a), (_, b))| may_break(*a, *b)).map(|(_, (at, _))| at).collect()
}

/// Returns where a line may be cut if necessary: between two characters, unless the second is a mark on the first.
fn cuts(text: &str) -> Vec<usize> {
    let is_mark = |c: char| matches!(c, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}' | '\u{93a}'..='\u{94d}' | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' | '\u{200c}' | '\u{200d}' | '\u{3099}' | '\u{309a}' | '\u{fe00}'..='\u{fe0f}');
    text.char_indices().skip(1).filter(|(_, c)| !is_mark(*c)).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static FONTS: LazyLock<Fonts> = LazyLock::new(Fonts::compiled_in);

    fn line(text: &str) -> Line {
        shape_line(&FONTS, text, Style::default())
    }

    #[test]
    fn text_is_cleaned_of_what_cannot_be_seen() {
        assert_eq!(clean("  a\n\tb\u{0} \u{202e}c\u{200b} "), "a b c");
        assert_eq!(
            (clean("a "), clean(" a"), clean(" "), clean("")),
            ("a".into(), "a".into(), "".into(), "".into())
        );
        assert_eq!(clean(&"x".repeat(MAX_CHARACTERS)), "x".repeat(MAX_CHARACTERS));
        assert_eq!(clean(&"x".repeat(1500)), format!("{}…", "x".repeat(MAX_CHARACTERS - 1)));
    }

    #[test]
    fn arabic_is_joined_and_runs_from_right_to_left() {
        let line = line("بيت");
        assert!(line.is_right_to_left);
        // The last letter comes first on paper.
        assert!(line.glyphs.first().unwrap().range.start > line.glyphs.last().unwrap().range.start);
        // A letter in the middle of a word has another glyph than the same letter alone.
        let alone = self::line("ي");
        assert!(line.glyphs.iter().all(|glyph| glyph.id != alone.glyphs[0].id));
    }

    #[test]
    fn numbers_within_arabic_keep_their_order() {
        let line = line("شارع 12");
        let digits: Vec<&str> = line
            .glyphs
            .iter()
            .map(|g| &line.text[g.range.clone()])
            .filter(|t| t.is_ascii() && *t != " ")
            .collect();
        assert_eq!(digits, ["1", "2"]);
        assert!(line.glyphs[0].range.start > 8, "the number stands at the left");
    }

    #[test]
    fn lines_break_between_words_and_end_in_an_ellipsis_when_cut() {
        let texts = |lines: Vec<Line>| lines.into_iter().map(|line| line.text).collect::<Vec<_>>();
        assert_eq!(texts(wrap(&FONTS, "one two three", Style::default(), 4.0, 3)), ["one two", "three"]);
        assert_eq!(texts(wrap(&FONTS, "one two three", Style::default(), 4.0, 1)), ["one tw…"]);
        assert_eq!(texts(wrap(&FONTS, "", Style::default(), 4.0, 3)), Vec::<String>::new());
    }

    /// The data that determines how a line is drawn. Of a glyph: its font, its number, its position and size as bits,
    /// and its bytes.
    type Measured = (usize, u32, [u32; 3], Range<usize>);

    fn drawn(line: &Line) -> (Vec<Measured>, u32, bool) {
        let glyph = |glyph: &Glyph| {
            let measures = [glyph.x, glyph.y, glyph.advance].map(f32::to_bits);
            (glyph.face, glyph.id, measures, glyph.range.clone())
        };
        (line.glyphs.iter().map(glyph).collect(), line.width.to_bits(), line.is_right_to_left)
    }

    #[test]
    fn tables_shape_every_pair_of_latin_1_as_the_shaper_does() {
        let characters: Vec<char> = ('\u{20}'..='\u{ff}').filter(|c| crate::latin::is_listed(*c)).collect();
        for is_bold in [false, true] {
            let style = Style { is_bold, country: None };
            for first in &characters {
                // Each character precedes and follows each other one once, as Latin text and without a letter.
                let text: String = characters.iter().flat_map(|second| [*first, *second]).collect();
                for text in [text.clone(), text.replace(char::is_alphabetic, "")] {
                    let line =
                        Line { text: text.clone(), glyphs: Vec::new(), width: 0.0, is_right_to_left: false };
                    let full = shape_line_in_full(&FONTS, line, style);
                    assert_eq!(drawn(&shape_line(&FONTS, &text, style)), drawn(&full), "{text}");
                }
            }
        }
    }

    #[test]
    fn tables_shape_addresses_without_the_shaper() {
        let (index, cached) = FONTS.compiled_in_face(false).unwrap();
        for text in [
            "1 Quay Street, Offenbach",
            "Tél. +33 4 55 55 01 23",
            "5/7 Große Elbstraße",
            "AVATAR Ty. Wo. fifi",
        ] {
            let mut line =
                Line { text: text.to_owned(), glyphs: Vec::new(), width: 0.0, is_right_to_left: false };
            assert!(cached.latin.shape(&cached.face, index, &mut line), "{text}");
        }
    }

    proptest! {
        #[test]
        fn tables_shape_latin_1_as_the_shaper_does(text in "[ -~\u{a0}-\u{ff}filFTVA.,]{0,40}|[0-9 ()+./-]{0,20}", is_bold: bool) {
            let style = Style { is_bold, country: None };
            let line = Line { text: text.clone(), glyphs: Vec::new(), width: 0.0, is_right_to_left: false };
            let full = shape_line_in_full(&FONTS, line, style);
            prop_assert_eq!(drawn(&shape_line(&FONTS, &text, style)), drawn(&full), "{}", text);
        }

        #[test]
        fn cleaning_is_the_same_by_either_way(text in "[ -~\u{a0}-\u{ff}]{0,12}") {
            let slow = text.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(clean(&text), slow);
        }

        #[test]
        fn no_line_is_wider_than_asked_and_nothing_is_lost_but_spaces_unless_cut(
            text in "[ -~а-яאבגدمحم山田]{0,60}", width in 3.0_f32..12.0, max in 1_usize..5
        ) {
            let text = clean(&text);
            let lines = wrap(&FONTS, &text, Style::default(), width, max);
            prop_assert!(lines.len() <= max);
            prop_assert!(lines.iter().all(|line| line.width <= width));
            let shown: String = lines.iter().map(|line| line.text.replace(' ', "")).collect();
            let wanted = text.replace(' ', "");
            prop_assert!(shown == wanted || wanted.starts_with(shown.strip_suffix('…').unwrap_or("?")), "{} {}", shown, wanted);
        }

        #[test]
        fn every_byte_belongs_to_a_glyph(text in "\\PC{0,30}") {
            let text = clean(&text);
            let line = line(&text);
            let mut covered = vec![false; text.len()];
            line.glyphs.iter().for_each(|glyph| covered[glyph.range.clone()].fill(true));
            prop_assert!(covered.iter().all(|is| *is));
        }
    }
}
