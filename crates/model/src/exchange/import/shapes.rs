//! The shapes of imports and of their errors.

use serde_json::{Map, Value};

use super::columns::IGNORED;
use super::input::{FORMAT_WORDS, ImportInput, ImportType, ON_CONFLICT_WORDS, ON_ERROR_WORDS, TYPE_WORDS};
use super::{FILE_BYTES_MAX, Import, STATUS_WORDS};
use crate::platform::id::Kind as IdKind;
use crate::platform::nearest::suggestion;
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Input, Issues, Kind, MOMENT, Path, Pattern, Shape};

/// Columns that a mapping names.
const MAPPED_MAX: usize = 200;
/// Columns that an import shows.
const COLUMNS_MAX: usize = 2000;

/// Refuses a mapping to a column that the type does not have.
fn check_import(import: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let r#type = import.get("type").and_then(Value::as_str).and_then(ImportType::parse);
    let (Some(r#type), Some(Value::Object(mapping))) = (r#type, import.get("mapping")) else { return };
    let list = Path::Key(at, "mapping");
    for (header, column) in mapping {
        let word = column.as_str().unwrap_or_default();
        let names = || r#type.columns().iter().map(|column| column.name).chain([IGNORED]);
        if !names().any(|name| name == word) {
            let message = format!(
                "Rows of this type have no column `{word}`.{} They have: {}.",
                suggestion(word, names()),
                names().collect::<Vec<_>>().join(", "),
            );
            issues.push(Issue::new("invalid_value", &Path::Key(&list, header), message));
        }
    }
}

fn is_header(text: &str) -> bool {
    (1..=255).contains(&text.chars().count())
}

fn is_locale(text: &str) -> bool {
    let mut parts = text.split(['-', '_']);
    let is_word = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_language =
        |part: &str| (2..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    text.len() <= 35
        && parts.next().is_some_and(is_language)
        && parts.all(|part| (2..=8).contains(&part.len()) && is_word(part))
}

/// The id of an import.
pub static IMPORT_ID: Shape = Shape::new(
    Kind::Identifier(Import::PREFIX),
    "Made with the request. Its file is sent, and its errors are found, under it.",
);
/// What the rows of a file become.
pub static TYPE: Shape = Shape::new(
    Kind::OneOf(TYPE_WORDS),
    "What the rows become. The token also needs the scope to write these, such as `orders:write`.",
)
.example(r#""orders""#);
/// How a file is written.
pub static FORMAT: Shape = Shape::new(
    Kind::OneOf(FORMAT_WORDS),
    "`csv`, with a header; or `ndjson`: in each line a body as `POST` takes it. `csv` if you leave it out.",
)
.example(r#""csv""#);
static COLUMN_NAME: Shape = Shape::text(
    1,
    100,
    "A name from the header of `GET /imports/templates/{type}.csv`, or `ignore` for a column that is not to be read.",
)
.example(r#""reference""#);
static MAPPING: Shape = Shape::new(
    Kind::Map {
        key: Pattern { regex: "^[\\s\\S]{1,255}$", matches: is_header },
        of: &COLUMN_NAME,
        entries_max: MAPPED_MAX,
    },
    "What columns of the file mean, by their headers. Only needed where a header is not recognised, or wrongly: `columns` shows what each is taken for.",
)
.example(r#"{"Bestellnummer":"reference"}"#);
static DRY_RUN: Shape = Shape::new(
    Kind::Boolean,
    "Whether to only say what would happen: all rows are tried, and nothing is kept. False if you leave it out.",
)
.example("false");
/// What happens to rows whose resource exists.
pub static ON_CONFLICT: Shape = Shape::new(
    Kind::OneOf(ON_CONFLICT_WORDS),
    "What happens to a row whose resource exists: `skip` leaves it as it is, `update` changes what the row says. An update that changes nothing makes no event. `skip` if you leave it out.",
)
.example(r#""skip""#);
/// What happens after a row that is refused.
pub static ON_ERROR: Shape = Shape::new(
    Kind::OneOf(ON_ERROR_WORDS),
    "Whether to `continue` after a row that is refused, or to `stop`: the import is then `failed`, and rows before it stay. `continue` if you leave it out.",
)
.example(r#""continue""#);
/// The language and region by whose habits numbers are read.
pub static LOCALE: Shape = Shape::new(
    Kind::Text {
        chars_min: 2,
        chars_max: 35,
        pattern: Some(Pattern { regex: "^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$", matches: is_locale }),
    },
    "Whose habits numbers follow: with `de-DE`, `1.234,5` is what `1,234.5` is without it.",
)
.example(r#""de-DE""#);
static OPTIONS: Shape = Shape::object(
    "ImportOptions",
    &[
        Field::optional("dry_run", &DRY_RUN),
        Field::optional("on_conflict", &ON_CONFLICT),
        Field::optional("on_error", &ON_ERROR),
        Field::optional("locale", &LOCALE),
    ],
    "How rows are treated that exist or are refused, and how numbers are read.",
)
.example(r#"{"dry_run":false,"on_conflict":"update"}"#);
/// The status of an import.
pub static STATUS: Shape = Shape::new(
    Kind::OneOf(&STATUS_WORDS),
    "`awaiting_content` until its file is there (after 24 hours without one it is `cancelled`), `queued` until work on it begins, `running` meanwhile. Then `completed`, also if rows were refused; `failed` if the file can't be used, or if it was to stop at an error; `cancelled` by a request.",
)
.example(r#""completed""#);
static SIZE: Shape = Shape::new(
    Kind::Integer { min: 0, max: FILE_BYTES_MAX as i64 },
    "In bytes, exactly as the request sent them.",
)
.example("48210");
static ENCODING: Shape = Shape::new(
    Kind::OneOf(&["utf-8", "utf-16le", "utf-16be", "windows-1252"]),
    "How its text is written in bytes, as its bytes say. Text that is not UTF-8 is taken for Windows-1252.",
)
.example(r#""utf-8""#);
static DELIMITER: Shape = Shape::new(
    Kind::OneOf(&[",", ";", "\t"]),
    "What separates its columns, as the header says. Null for `ndjson`.",
)
.example(r#"",""#);
static FILE: Shape = Shape::object(
    "ImportFile",
    &[
        Field::given("size", &SIZE),
        Field::given("encoding", &ENCODING),
        Field::given_or_null("delimiter", &DELIMITER),
    ],
    "What was received, and how it is read. Null until then. The file itself is deleted once the import has ended.",
);
static HEADER: Shape =
    Shape::text(0, 255, "What the first row of the file calls it, before case and spaces are ignored.")
        .example(r#""Order Number""#);
static COLUMN_USE: Shape = Shape::object(
    "ImportColumn",
    &[
        Field::given("header", &HEADER),
        Field::given_or_null("column", &COLUMN_NAME)
            .about("What it is taken for, by the name in the template. Null if it is not read."),
    ],
    "A part of each row, and its meaning.",
);
static COLUMNS: Shape = Shape::list(
    &COLUMN_USE,
    COLUMNS_MAX,
    "What each column of the file is taken for, in their order. Empty until work on it begins. Correct it with `mapping` in a new import.",
);
static COUNT: Shape = Shape::new(Kind::Integer { min: 0, max: i64::MAX }, "How many there are.").example("0");
static FAILURE_CODE: Shape = Shape::text(
    1,
    100,
    "Why, for programs: `import_column_missing`, `import_empty`, `import_stopped` or `import_too_many_errors`.",
)
.example(r#""import_column_missing""#);
static MESSAGE: Shape = Shape::text(1, 2000, "Why, in a sentence for a person, with what to do about it.")
    .example(r#""Is required.""#);
static FAILURE: Shape = Shape::object(
    "ImportFailure",
    &[Field::given("code", &FAILURE_CODE), Field::given("message", &MESSAGE)],
    "Why the import as a whole failed. Null unless it did. Single rows are in `GET /imports/{import_id}/errors`.",
);

/// An import.
pub static IMPORT: Shape = Shape {
    name: Some("Import"),
    about: "A file whose rows become resources.",
    kind: Kind::Object {
        fields: &[
            Field::given("id", &IMPORT_ID),
            Field::required("type", &TYPE),
            Field::optional("format", &FORMAT),
            Field::optional("mapping", &MAPPING),
            Field::optional("options", &OPTIONS),
            Field::given("status", &STATUS),
            Field::given_or_null("file", &FILE),
            Field::given("columns", &COLUMNS),
            Field::given("bytes_read", &COUNT).about(
                "How far into the file work has come. Compare it with `file.size` for a progress bar.",
            ),
            Field::given("rows_count", &COUNT)
                .about("Lines of the table that were read so far, the header not counted."),
            Field::given("created_count", &COUNT)
                .about("Resources that were not there before. Several rows may make one order."),
            Field::given("updated_count", &COUNT)
                .about("Resources that existed before and differ now, with `on_conflict: update`."),
            Field::given("unchanged_count", &COUNT).about(
                "Resources that were there and are already as the file says, with `on_conflict: update`.",
            ),
            Field::given("skipped_count", &COUNT)
                .about("Resources that were there and were left alone, with `on_conflict: skip`."),
            Field::given("failed_count", &COUNT)
                .about("Resources that were refused: `GET /imports/{import_id}/errors` says why."),
            Field::given_or_null("error", &FAILURE),
            Field::given_or_null("started_at", &MOMENT)
                .about("When the first row was looked at. Null before."),
            Field::given_or_null("ended_at", &MOMENT)
                .about("When it was completed, failed or was cancelled. Null until then."),
            Field::created_at(),
            Field::updated_at(),
        ],
        rule: Some(check_import),
    },
    example: Some(r#"{"type":"orders","format":"csv","options":{"on_conflict":"update"}}"#),
};

static ROW: Shape = Shape::new(
    Kind::Integer { min: 1, max: i64::MAX },
    "Its number as a spreadsheet counts: the header is 1. Lines without any text are not counted.",
)
.example("17");
static COLUMN: Shape = Shape::text(
    0,
    255,
    "The header of the column at fault, or the name of the column that is missing. Null if the whole row is.",
)
.example(r#""quantity""#);
static POINTER: Shape = Shape::text(
    0,
    1100,
    "The place in the body that the row makes, as a JSON pointer. Null if the whole row is at fault.",
)
.example(r#""/lines/0/quantity""#);
static VALUE: Shape =
    Shape::text(0, 200, "What stands there, at most 200 characters of it. Null if nothing does.")
        .example(r#""two""#);
static ERROR_CODE: Shape = Shape::text(
    1,
    100,
    "Why, for programs: the codes that the same body would be refused with by the API, and `ambiguous_key`, `order_rows_apart`, `rows_differ`, `row_too_large`, `row_not_text`.",
)
.example(r#""invalid_type""#);
/// An error of a row.
pub static IMPORT_ERROR: Shape = Shape::object(
    "ImportError",
    &[
        Field::given("row", &ROW),
        Field::given_or_null("column", &COLUMN),
        Field::given_or_null("field", &POINTER),
        Field::given_or_null("value", &VALUE),
        Field::given("code", &ERROR_CODE),
        Field::given("message", &MESSAGE),
    ],
    "Why a row of a file was refused.",
);

impl Input for ImportInput {
    const SHAPE: &'static Shape = &IMPORT;
}
