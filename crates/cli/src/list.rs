//! Lists: their flags, which are the parameters of the operation, their pages, and how they are shown.

use std::marker::PhantomData;

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use serde_json::Value;

use crate::common::Common;
use crate::failure::Failure;
use crate::operation::{Operation, Parameter, ParameterKind};
use crate::screen::{Screen, note, print};
use crate::server::{Call, Server};
use crate::view::{self, Field};

/// Parameters that page through a list. The command does that by itself.
const PAGING: [&str; 2] = ["limit", "cursor"];
/// Entries of a page that are asked for at most; a server gives no more by default.
const PAGE_LIMIT: usize = 100;

/// A list of the API, which a command shows.
pub trait Listing {
    const OPERATION: &'static Operation;
    /// What its entries are, if there are several.
    const NOUN: &'static str;
    const FIELDS: &'static [Field];
    /// Parameters that the command gives in another way than by a flag.
    const GIVEN: &'static [&'static str] = &[];
}

/// The filters of a list that were given.
pub struct Filters<L> {
    pub query: Vec<(&'static str, String)>,
    listing: PhantomData<L>,
}

/// How much of a list is shown.
#[derive(Args)]
pub struct Paging {
    /// How many entries to show at most.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = parse_limit)]
    limit: usize,
    /// Show all entries.
    #[arg(long, conflicts_with = "limit")]
    all: bool,
}

fn parse_limit(word: &str) -> Result<usize, String> {
    word.parse().ok().filter(|limit| *limit > 0).ok_or_else(|| "use a whole number of 1 or more".to_owned())
}

/// What a list command takes.
#[derive(Args)]
pub struct List<L: Listing + Send + Sync + 'static> {
    #[command(flatten)]
    filters: Filters<L>,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    common: Common,
}

impl<L: Listing + Send + Sync + 'static> List<L> {
    /// Asks for the list, and shows it.
    pub async fn run(&self) -> Result<(), Failure> {
        let server = self.common.open()?;
        self.paging.show::<L>(&server, &self.common, &[], &self.filters.query).await
    }
}

impl Paging {
    /// Shows a list: as a table, or as lines of JSON while they arrive.
    pub async fn show<L: Listing>(
        &self,
        server: &Server,
        common: &Common,
        ids: &[&str],
        query: &[(&'static str, String)],
    ) -> Result<(), Failure> {
        let limit = if self.all { usize::MAX } else { self.limit };
        let mut pages = Pages::new(L::OPERATION, ids, query);
        let (mut shown, mut entries) = (0, Vec::new());
        while let Some(page) = pages.next(server, limit - shown).await? {
            shown += page.len();
            if common.json {
                print(&page.iter().map(|entry| format!("{entry}\n")).collect::<String>())?;
            } else {
                entries.extend(page);
            }
            if shown >= limit {
                break;
            }
        }
        if !common.json && shown > 0 {
            print(&view::rows(&Screen::new(), L::FIELDS, &entries))?;
        }
        if shown == 0 && !common.json {
            note(&format!("There are no {}.", L::NOUN));
        }
        if !pages.is_over() {
            note(&format!("There are more than {shown}. --limit N shows more of them, and --all shows all."));
        }
        Ok(())
    }
}

/// The pages of a list, in their order.
pub struct Pages {
    operation: &'static Operation,
    ids: Vec<String>,
    query: Vec<(&'static str, String)>,
    /// Where the next page begins; the first page has no cursor.
    cursor: Option<String>,
    is_over: bool,
}

impl Pages {
    pub fn new(operation: &'static Operation, ids: &[&str], query: &[(&'static str, String)]) -> Self {
        let ids = ids.iter().map(|id| (*id).to_owned()).collect();
        Self { operation, ids, query: query.to_vec(), cursor: None, is_over: false }
    }

    /// Returns the next page with so many entries at most, or `None` behind the last one.
    pub async fn next(&mut self, server: &Server, limit: usize) -> Result<Option<Vec<Value>>, Failure> {
        if self.is_over {
            return Ok(None);
        }
        let mut call = Call::new(self.operation).queries(&self.query).query("limit", limit.min(PAGE_LIMIT));
        for id in &self.ids {
            call = call.id(id);
        }
        if let Some(cursor) = &self.cursor {
            call = call.query("cursor", cursor);
        }
        let mut page = server.call(call).await?.json;
        self.cursor = page["next_cursor"].as_str().map(str::to_owned);
        self.is_over = self.cursor.is_none();
        match self.operation.entries.and_then(|name| page.get_mut(name)).map(Value::take) {
            Some(Value::Array(entries)) => Ok(Some(entries)),
            _ => Err(Failure::refused(format!("{} answers with something other than a list", server.url()))),
        }
    }

    /// Returns whether there is no further page.
    pub fn is_over(&self) -> bool {
        self.is_over
    }
}

/// Returns the parameters that are flags.
fn flags<L: Listing>() -> impl Iterator<Item = &'static Parameter> {
    let is_flag =
        |parameter: &&Parameter| !PAGING.contains(&parameter.name) && !L::GIVEN.contains(&parameter.name);
    L::OPERATION.query.iter().filter(is_flag)
}

fn argument(parameter: &'static Parameter) -> Arg {
    let argument = Arg::new(parameter.name)
        .long(parameter.flag)
        .help(parameter.about)
        .help_heading("Filters")
        .value_name("VALUE");
    match parameter.kind {
        ParameterKind::Switch => argument
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(["true", "false"]),
        kind => {
            let action = if kind == ParameterKind::List { ArgAction::Append } else { ArgAction::Set };
            let argument = argument.action(action);
            match parameter.words {
                [] => argument,
                words if kind == ParameterKind::List => argument
                    .value_delimiter(',')
                    .value_parser(PossibleValuesParser::new(words.iter().copied())),
                words => argument.value_parser(PossibleValuesParser::new(words.iter().copied())),
            }
        }
    }
}

impl<L: Listing> Args for Filters<L> {
    fn augment_args(command: Command) -> Command {
        command.args(flags::<L>().map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<L: Listing> FromArgMatches for Filters<L> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut query = Vec::new();
        for parameter in flags::<L>() {
            let values = matches
                .try_get_many::<String>(parameter.name)
                .map_err(|error| Error::raw(ErrorKind::InvalidValue, error))?;
            if let Some(values) = values {
                let words: Vec<&str> = values.map(String::as_str).collect();
                query.push((parameter.name, words.join(",")));
            }
        }
        Ok(Self { query, listing: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::LIST_ORDERS;

    struct Orders;

    impl Listing for Orders {
        const OPERATION: &'static Operation = &LIST_ORDERS;
        const NOUN: &'static str = "orders";
        const FIELDS: &'static [Field] = &[];
        const GIVEN: &'static [&'static str] = &["reference"];
    }

    fn read(words: &[&str]) -> Result<Vec<(&'static str, String)>, Error> {
        let command = Filters::<Orders>::augment_args(Command::new("list"));
        let matches = command.try_get_matches_from([&["list"], words].concat())?;
        Ok(Filters::<Orders>::from_arg_matches(&matches)?.query)
    }

    #[test]
    fn flags_are_the_parameters_of_the_operation() {
        let pairs = |pairs: &[(&'static str, &str)]| -> Vec<(&'static str, String)> {
            pairs.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
        };
        assert!(read(&[]).unwrap().is_empty());
        assert_eq!(read(&["--status", "draft"]).unwrap(), pairs(&[("status", "draft")]));
        let several = read(&["--tags", "a", "--tags", "b", "--on-hold"]).unwrap();
        assert_eq!(several, pairs(&[("tags", "a,b"), ("on_hold", "true")]));
        assert_eq!(read(&["--on-hold=false"]).unwrap(), pairs(&[("on_hold", "false")]));
    }

    #[test]
    fn what_the_api_does_not_have_is_refused_before_it_is_asked() {
        for words in
            [&["--status", "drafty"][..], &["--cursor", "x"], &["--reference", "x"], &["--limit", "3"]]
        {
            assert_eq!(read(words).unwrap_err().exit_code(), 2, "{words:?}");
        }
    }
}
