//! `/search`.

use model::exchange::search::{QUERY, SEARCH_RESULT, SearchType, TYPE_WORDS};
use model::exchange::search_query::SearchQuery;
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::query;
use crate::platform::response::Response;

const LIST: &str = "data";
const TYPES: &str = "types";
const PARAMETERS: &[Parameter] = &[
    LIMIT,
    CURSOR,
    Parameter {
        name: "q",
        about: "What to search for: the beginning of a number, a name or an email address, or several words in any order. Without a letter or a digit, nothing is found.",
        kind: ParameterKind::One(&QUERY),
    },
    Parameter {
        name: TYPES,
        about: "Only these kinds of resources, separated by commas. Without it, all that your token may read. A kind that your token may not read is refused with 403.",
        kind: ParameterKind::Words(&TYPE_WORDS),
    },
];

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::get("/search", Access::AnyToken, "search_resources", "Search")
            .about("Finds orders (number, number in the shop, customer, recipient, email address, post code), inventory items (SKU, barcode, name), shipments (name, tracking number, recipient, post code), batches and locations (name). First what is exactly `q`, then what begins with it, then what contains every word; within each by the text that matched, and the newest first among those with the same. Upper and lower case, accents and punctuation make no difference. Each kind needs the scope to read it, such as `orders:read`; the others are left out. A page may have fewer entries than `limit` although more follow: read on until `next_cursor` is null.")
            .parameters(PARAMETERS)
            .success(Success::List(LIST, &SEARCH_RESULT))
            .refusals(&[Code::InsufficientScope])
            .to(search_resources),
    ]
}

async fn search_resources(call: Call) -> Result<Response> {
    let mut named = Vec::new();
    for word in call.query.many(TYPES) {
        let refuse = || query::refuse_word(TYPES, &word, TYPE_WORDS.iter().copied());
        named.push(SearchType::parse(&word).ok_or_else(refuse)?);
    }
    let search = &call.service().search;
    let types = search.readable(call.caller()?, &named)?;
    let words = SearchQuery::parse(call.query.one("q").unwrap_or_default());
    let query = call.list_query("search", format!("{words:?} {types:?}"))?;
    let listing = search.find(call.caller()?, query, words, types).await?;
    respond::list(&call, LIST, listing)
}
