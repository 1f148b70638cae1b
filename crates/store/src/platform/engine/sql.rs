//! Statements, and parts that several of them share.

/// An SQL statement. Placeholders are numbered in the order in which they first appear.
pub struct Sql {
    pub(super) sqlite: &'static str,
    pub(super) postgres: &'static str,
}

impl Sql {
    /// A statement with the same text for both engines.
    pub const fn same(text: &'static str) -> Self {
        Self { sqlite: text, postgres: text }
    }

    /// A statement with a text for each engine. An empty text means that this engine has nothing to do.
    pub const fn each(sqlite: &'static str, postgres: &'static str) -> Self {
        Self { sqlite, postgres }
    }

    /// Returns the text for SQLite, so that a test can explain its query plan.
    pub fn sqlite_text(&self) -> &'static str {
        self.sqlite
    }

    /// Returns the text for PostgreSQL, so that a test can explain its query plan.
    pub fn postgres_text(&self) -> &'static str {
        self.postgres
    }
}

/// The assignments of a claim: the new holder, the next fence, and the number of servers in a row that stopped while
/// they held the work. Work that its holder released has the empty holder, and keeps its number of crashes.
macro_rules! taken {
    () => {
        "holder = $1, fence = fence + 1, crashes = CASE WHEN holder = '' THEN crashes ELSE crashes + 1 END"
    };
}
pub(crate) use taken;

/// The number of stops that a row has once it is claimed as with [`taken!`].
macro_rules! stops {
    ($row:literal) => {
        concat!($row, "crashes + CASE WHEN ", $row, "holder = '' THEN 0 ELSE 1 END")
    };
}
pub(crate) use stops;

/// In the text for PostgreSQL, the ids that a placeholder lists as JSON, each once and sorted: `wanted.id`. Join them
/// by `CROSS JOIN LATERAL (… FOR UPDATE)` or `(… OFFSET 0)`, which look each id up and keep PostgreSQL from changing
/// the join order. Otherwise, if PostgreSQL takes the table for a small one, it reads the list again for each row.
macro_rules! wanted {
    ($placeholder:literal) => {
        concat!(
            "(SELECT DISTINCT id COLLATE \"C\" AS id FROM jsonb_array_elements_text(",
            $placeholder,
            "::text::jsonb) AS list (id) ORDER BY 1) wanted"
        )
    };
}
pub(crate) use wanted;
