//! Positions in a body, as JSON pointers (RFC 6901).
//!
//! A position is a chain of steps on the stack. It becomes text only when an error is reported: with nested long
//! keys, the texts of all positions would take memory proportional to the square of the depth.

use std::fmt::{self, Display, Write as _};

/// Longest pointer that an error contains, in bytes. A longer pointer is cut and ends in `…`.
pub const POINTER_BYTES_MAX: usize = 1_024;

/// A position in a body.
#[derive(Clone, Copy, Debug)]
pub enum Path<'a> {
    /// The start of the steps: an empty text, a pointer, or a parameter's name.
    Root(&'a str),
    Key(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn write(&self, out: &mut Bounded) {
        match self {
            Path::Root(text) => out.raw(text),
            Path::Key(before, step) => {
                before.write(out);
                out.step(step);
            }
            Path::Item(before, place) => {
                before.write(out);
                out.step(&place.to_string());
            }
        }
    }
}

impl Display for Path<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&String::from(self))
    }
}

impl From<&Path<'_>> for String {
    fn from(path: &Path<'_>) -> Self {
        let mut out = Bounded::default();
        path.write(&mut out);
        out.finish()
    }
}

/// Returns the pointer of these steps, the outermost first.
pub fn pointer<'a>(steps: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = Bounded::default();
    steps.into_iter().for_each(|step| out.step(step));
    out.finish()
}

/// A text with a maximum length.
#[derive(Default)]
struct Bounded {
    text: String,
    is_cut: bool,
}

impl Bounded {
    fn char(&mut self, char: char) {
        self.is_cut |= self.text.len() + char.len_utf8() > POINTER_BYTES_MAX;
        if !self.is_cut {
            self.text.push(char);
        }
    }

    fn raw(&mut self, text: &str) {
        // Only as many characters are read as fit: a key may have megabytes.
        text.chars().take(POINTER_BYTES_MAX + 1).for_each(|char| self.char(char));
    }

    fn step(&mut self, step: &str) {
        self.char('/');
        for char in step.chars().take(POINTER_BYTES_MAX + 1) {
            match char {
                '~' => self.raw("~0"),
                '/' => self.raw("~1"),
                char => self.char(char),
            }
        }
    }

    fn finish(mut self) -> String {
        if self.is_cut {
            let _ = self.text.write_char('…');
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_escaped_in_their_order() {
        let root = Path::Root("");
        let (list, key) = (Path::Key(&root, "a/b"), "~x");
        let item = Path::Item(&list, 3);
        assert_eq!(Path::Key(&item, key).to_string(), "/a~1b/3/~0x");
        assert_eq!(pointer(["a/b", "3", "~x"]), "/a~1b/3/~0x");
        assert_eq!(root.to_string(), "");
    }

    #[test]
    fn a_pointer_is_cut_where_it_is_too_long() {
        let long = "é".repeat(1 << 20);
        let text = pointer(["a", &long, "b"]);
        assert!(text.len() <= POINTER_BYTES_MAX + '…'.len_utf8() && text.ends_with("é…"), "{}", text.len());
    }
}
