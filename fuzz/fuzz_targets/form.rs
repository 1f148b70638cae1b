//! Any text as a query string or a form: it is read or refused, and what was read is written and read again as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use model::Error;
use model::platform::shape::{Kind, MOMENT, Shape};

#[path = "../../crates/api/src/platform/query/pairs.rs"]
mod pairs;
#[expect(dead_code, reason = "the target has parameters of its own")]
#[path = "../../crates/api/src/platform/parameter.rs"]
mod parameter;
#[expect(dead_code, reason = "handlers use the rest")]
#[path = "../../crates/api/src/platform/query/mod.rs"]
mod query;
/// The path by which the query imports the parameters.
mod platform {
    pub(crate) use crate::parameter;
}

use pairs::{decode_pairs, encode};
use parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use query::{Query, values_max};

static TAG: Shape = Shape::text(0, 9, "");
static LOCATION: Shape = Shape::new(Kind::Identifier("loc"), "");
static NUMBER: Shape = Shape::new(Kind::Integer { min: -5, max: 5 }, "");

const fn parameter(name: &'static str, kind: ParameterKind) -> Parameter {
    Parameter { name, about: "", kind }
}

/// A parameter of each kind.
const KNOWN: &[Parameter] = &[
    LIMIT,
    CURSOR,
    parameter("tags", ParameterKind::List(&TAG)),
    parameter("locations", ParameterKind::List(&LOCATION)),
    parameter("number", ParameterKind::One(&NUMBER)),
    parameter("from", ParameterKind::One(&MOMENT)),
    parameter("include", ParameterKind::Words(&["a", "b"])),
    parameter("flag", ParameterKind::Flag),
];
/// A refusal shows at most a part of what was sent.
const DETAIL_BYTES_MAX: usize = 1000;

/// Reads a query, checks what a handler relies on, and returns it.
fn checked(read: Result<Query, Error>) -> Option<Query> {
    let query = match read {
        Ok(query) => query,
        Err(Error::Refused(problem)) => {
            let detail = problem.detail.as_ref().map_or(0, |detail| detail.len());
            assert!(detail <= DETAIL_BYTES_MAX, "{problem:?}");
            return None;
        }
        Err(fault) => panic!("{fault}"),
    };
    for (name, shape) in [("tags", &TAG), ("locations", &LOCATION)] {
        let values = query.many(name);
        assert!(values.len() <= values_max(shape));
        assert!(values.iter().all(|value| !value.is_empty() && !value.contains(',')));
    }
    assert!(query.one("number").is_none() || query.number("number").is_some_and(|number| number.abs() <= 5));
    let _ = query.flag("flag");
    Some(query)
}

fuzz_target!(|text: &str| {
    let _ = checked(Query::parse_leniently(Some(text), KNOWN));
    if let Some(query) = checked(Query::parse(Some(text), KNOWN)) {
        // The link of a page reads as the same query with its cursor.
        let link = query.with_cursor("next");
        let again = checked(Query::parse(Some(&link), KNOWN)).expect("a link of ours");
        assert_eq!(again.one("cursor"), Some("next"));
        for name in ["tags", "locations", "include"] {
            assert_eq!(again.many(name), query.many(name), "{link}");
        }
    }
    let Some(read) = decode_pairs(text) else { return };
    assert!(read.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>() <= text.len());
    let written: Vec<_> =
        read.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    assert_eq!(decode_pairs(&written.join("&")), Some(read));
});
