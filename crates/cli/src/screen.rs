//! What the output goes to: how wide it is, and whether it shows colours.

use std::io::{IsTerminal, Write, stdout};

use crate::failure::Failure;

/// The meaning of a piece of text, which a terminal shows as a colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paint {
    Plain,
    Dim,
    Good,
    Waiting,
    Bad,
}

/// What the output goes to.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// The columns of the terminal. `None` if the output goes elsewhere: nothing is cut then.
    pub columns: Option<usize>,
    pub is_coloured: bool,
}

impl Screen {
    /// Returns what the standard output is.
    pub fn new() -> Self {
        let is_terminal = stdout().is_terminal();
        let size = rustix::termios::tcgetwinsize(stdout()).ok().filter(|_| is_terminal);
        let columns = size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        Self { columns, is_coloured: shows_colours(is_terminal, &variable("NO_COLOR"), &variable("TERM")) }
    }

    /// Returns the text in its colour, if there are colours.
    pub fn painted(&self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Plain => return text.to_owned(),
            Paint::Dim => 2,
            Paint::Good => 32,
            Paint::Waiting => 33,
            Paint::Bad => 31,
        };
        if self.is_coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Returns whether a terminal gets colours. `NO_COLOR` with any value turns them off.
fn shows_colours(is_terminal: bool, no_color: &str, term: &str) -> bool {
    is_terminal && no_color.is_empty() && term != "dumb"
}

/// Writes to the standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| Failure::output(&error))
}

/// Tells the person at the terminal something that is no output.
pub fn note(text: &str) {
    // Nothing is lost if the line can't be written.
    let _lost = writeln!(std::io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_that_want_them() {
        assert!(shows_colours(true, "", "xterm"));
        assert!(!shows_colours(false, "", "xterm"));
        assert!(!shows_colours(true, "1", "xterm"));
        assert!(!shows_colours(true, "", "dumb"));
    }
}
