//! The query parameters that a route declares.

use model::platform::shape::Shape;

/// A query parameter.
pub struct Parameter {
    pub name: &'static str,
    pub about: &'static str,
    pub kind: ParameterKind,
}

/// The kinds of query parameters.
pub enum ParameterKind {
    /// `limit`: a whole number of 1 or more.
    Limit,
    /// `cursor`: opaque.
    Cursor,
    /// Many values: repeated, with `[]`, or separated by commas.
    List(&'static Shape),
    /// Several words of a closed set, separated by commas.
    Words(&'static [&'static str]),
    /// One value of this shape.
    One(&'static Shape),
    /// `true` or `false`.
    Flag,
}

/// `cursor` and `limit`, which every list takes.
pub const LIMIT: Parameter = Parameter {
    name: "limit",
    about: "Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers.",
    kind: ParameterKind::Limit,
};
pub const CURSOR: Parameter = Parameter {
    name: "cursor",
    about: "Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page.",
    kind: ParameterKind::Cursor,
};
pub const PAGE: &[Parameter] = &[LIMIT, CURSOR];
