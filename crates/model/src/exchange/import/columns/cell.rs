//! A column, and how the text of its cells becomes a value.

/// A column that a file may have.
pub struct Column {
    /// The name in templates and mappings.
    pub name: &'static str,
    /// Where in the body its value belongs. `*` stands for the entry of a list that the row makes.
    pub path: &'static str,
    pub kind: CellKind,
    /// Other names, as shops and spreadsheets have them, in lower case without spaces and signs.
    pub synonyms: &'static [&'static str],
    /// The value in the row of the template, which is empty for columns that are seldom needed.
    pub example: &'static str,
}

/// How the text of a cell becomes a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum CellKind {
    Text,
    /// A part of a text: the cells of all such columns are joined by spaces, such as first and last name.
    Part,
    /// A number, multiplied by this, because shops have other units.
    Number(f64),
    Integer,
    Boolean,
    Moment,
    /// Words that are separated by commas, semicolons or bars, or an array of JSON.
    Words,
    /// An amount such as `12.50` in whole units of the currency.
    Price,
    /// An id of ours. Ids of other systems are left out.
    Id(&'static str),
}

impl Column {
    /// Returns whether each row makes an entry of a list with it.
    pub fn is_of_line(&self) -> bool {
        self.path.contains('*')
    }
}

pub(super) const fn text(
    name: &'static str,
    path: &'static str,
    synonyms: &'static [&'static str],
    example: &'static str,
) -> Column {
    Column { name, path, kind: CellKind::Text, synonyms, example }
}

pub(super) const fn cell(
    name: &'static str,
    path: &'static str,
    kind: CellKind,
    synonyms: &'static [&'static str],
    example: &'static str,
) -> Column {
    Column { name, path, kind, synonyms, example }
}
