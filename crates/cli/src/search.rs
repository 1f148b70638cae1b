//! `dockside search`: finds orders, items, shipments, batches and locations by what people call them.

use clap::Args;

use crate::common::Common;
use crate::failure::Failure;
use crate::list::{Filters, Listing, Paging};
use crate::operation::{Operation, SEARCH_RESOURCES};
use crate::view::{Field, Kind};

/// The parameter that is not a flag.
const TEXT: &str = "q";

#[derive(Args)]
pub struct Search {
    /// What to search for: the beginning of a number, a name or an email address, or several words in any order.
    #[arg(value_name = "TEXT", required = true)]
    words: Vec<String>,
    #[command(flatten)]
    filters: Filters<Results>,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    common: Common,
}

pub struct Results;

impl Listing for Results {
    const OPERATION: &'static Operation = &SEARCH_RESOURCES;
    const NOUN: &'static str = "results";
    const FIELDS: &'static [Field] = &[
        Field::new("TYPE", Kind::Word, &["/type"]),
        Field::new("ID", Kind::Word, &["/id"]),
        Field::new("TITLE", Kind::Text, &["/title"]),
        Field::new("SUBTITLE", Kind::Text, &["/subtitle"]),
        Field::new("FOUND BY", Kind::Text, &["/matched_field"]),
    ];
    const GIVEN: &'static [&'static str] = &[TEXT];
}

pub async fn run(search: Search) -> Result<(), Failure> {
    let server = search.common.open()?;
    let mut query = vec![(TEXT, search.words.join(" "))];
    query.extend(search.filters.query);
    search.paging.show::<Results>(&server, &search.common, &[], &query).await
}
