//! Texts from elsewhere, made fit for a terminal.

use unicode_width::UnicodeWidthStr;

/// Returns a text in one line, with nothing in it that a terminal would act on.
pub fn harmless(text: &str) -> String {
    let shown = |char: char| match char {
        '\n' | '\r' | '\t' => ' ',
        // Marks of direction would reorder the columns behind them.
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        char if char.is_control() => '\u{fffd}',
        char => char,
    };
    text.trim().chars().map(shown).collect()
}

/// Returns how many columns of a terminal a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Returns the text in at most this many columns, with `…` where it is cut.
pub fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let mut kept = String::new();
    for char in text.chars() {
        kept.push(char);
        // A character may widen the one before it, so the whole is measured.
        if width(&kept) > room {
            kept.pop();
            break;
        }
    }
    kept.truncate(kept.trim_end().len());
    kept.push('…');
    kept
}

/// Returns a count with its noun: `1 order`, `2 orders`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_its_width_and_not_at_its_bytes() {
        assert_eq!(cut("Bristol", 7), "Bristol");
        assert_eq!(cut("Bristol", 6), "Brist…");
        assert_eq!(cut("Zoë's café", 5), "Zoë'…");
        // Each of these takes two columns, so five columns hold two of them and the mark.
        assert_eq!(cut("日本語日本語", 5), "日本…");
        assert_eq!(width(&cut("日本語日本語", 6)), 5);
        assert_eq!(cut("a b c", 3), "a…");
        assert_eq!(cut("abc", 0), "…");
    }

    #[test]
    fn nothing_in_a_text_acts_on_the_terminal() {
        assert_eq!(harmless(" a\nb\u{1b}[31m\u{7}\u{202e}c "), "a b\u{fffd}[31m\u{fffd}\u{fffd}c");
        assert_eq!(harmless("Zoë 日本 📦"), "Zoë 日本 📦");
    }
}
