//! Tests of queries against the terms of resources.

use proptest::prelude::*;

use super::*;
use crate::platform::search_text::Searched;

fn person() -> Searched {
    let mut searched = Searched::default();
    searched.add("/reference", Form::Code, Some("SO-1001/A"));
    searched.add("/customer/name", Form::Text, Some("Anna-Maria Müller"));
    searched.add("/customer/company", Form::Text, Some("Annamaria GmbH"));
    searched.add("/destination/address/post_code", Form::Number, Some("SW1A 1AA"));
    searched
}

fn found(searched: &Searched, text: &str) -> Option<(&'static str, Match)> {
    let query = SearchQuery::parse(text);
    let terms = searched.field_terms();
    query.place(&query.ranges(0), &terms).map(|place| (place.entry.at, place.matched))
}

#[test]
fn what_is_equal_comes_before_what_begins_with_it_and_that_before_words() {
    for (text, expected) in [
        ("so-1001/a", Some(("/reference", Match::Exact))),
        ("SO1001A", Some(("/reference", Match::Exact))),
        ("so 10", Some(("/reference", Match::Prefix))),
        ("1001", Some(("/reference", Match::Word))),
        ("sw1a1aa", Some(("/destination/address/post_code", Match::Exact))),
        ("sw1a 1", Some(("/destination/address/post_code", Match::Prefix))),
        ("anna maria muller", Some(("/customer/name", Match::Exact))),
        ("ANNA MARIA M", Some(("/customer/name", Match::Prefix))),
        ("müller anna", Some(("/customer/name", Match::Word))),
        ("mull so", Some(("/customer/name", Match::Word))),
        // One word that begins two fields: the smaller term decides.
        ("anna", Some(("/customer/name", Match::Prefix))),
        ("annam", Some(("/customer/company", Match::Prefix))),
        ("muller 1002", None),
        ("uller", None),
        ("", None),
        ("\"*\" --", None),
    ] {
        assert_eq!(found(&person(), text), expected, "{text}");
    }
    // A text of several words is not compared without the spaces between them.
    let mut company = Searched::default();
    company.add("/customer/company", Form::Text, Some("Annamaria GmbH"));
    assert_eq!(found(&company, "anna maria"), None);
}

#[test]
fn long_queries_are_compared_by_their_beginning() {
    let long = SearchQuery::parse(&"é".repeat(5_000));
    assert_eq!(long.words(), ["e".repeat(TERM_CHARS_MAX)]);
    let many = SearchQuery::parse(&(0..500).map(|word| format!("w{word} ")).collect::<String>());
    assert_eq!((many.words().len(), many.drivers().len()), (QUERY_WORDS_MAX, DRIVERS_MAX));
    let name: String = (0..40).map(|word| format!("part{word} ")).collect();
    let mut searched = Searched::default();
    searched.add("/name", Form::Text, Some(&name));
    assert_eq!(found(&searched, &name), Some(("/name", Match::Exact)));
}

#[test]
fn the_longest_words_may_lead() {
    let query = SearchQuery::parse("of a Müller and son of muller");
    assert_eq!(query.words(), ["of", "a", "muller", "and", "son"]);
    assert_eq!(query.drivers(), [2, 3, 4, 0]);
}

fn resources() -> impl Strategy<Value = Searched> {
    let field = ("[\\PC]{0,20}|[A-Z]{2}-[0-9]{3}|[a-zé]{1,6} [a-z]{1,6}", 0..3_usize);
    prop::collection::vec(field, 1..5).prop_map(|fields| {
        let mut searched = Searched::default();
        for (text, form) in fields {
            searched.add("/x", [Form::Text, Form::Code, Form::Number][form], Some(&text));
        }
        searched
    })
}

proptest! {
    #[test]
    fn every_text_of_a_resource_finds_it_exactly(searched in resources()) {
        for field in &searched.fields {
            let query = SearchQuery::parse(&field.text);
            if query.words().is_empty() {
                continue;
            }
            let terms = searched.field_terms();
            let place = query.place(&query.ranges(0), &terms);
            prop_assert_eq!(place.map(|place| place.matched), Some(Match::Exact), "{:?}", field);
        }
    }

    #[test]
    fn a_resource_is_found_whichever_word_leads(searched in resources(), text in "[\\PC]{0,30}") {
        let query = SearchQuery::parse(&text);
        let terms = searched.field_terms();
        let found: Vec<bool> =
            (0..query.words().len()).map(|word| query.place(&query.ranges(word), &terms).is_some()).collect();
        prop_assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{:?}", found);
    }

    #[test]
    fn a_place_is_in_its_range_and_in_no_earlier_one(searched in resources(), other in resources()) {
        let text: Vec<&str> = other.fields.iter().map(|field| field.text.as_str()).collect();
        let query = SearchQuery::parse(&text.join(" "));
        let (ranges, terms) = (query.ranges(0), searched.field_terms());
        if let Some(place) = query.place(&ranges, &terms) {
            prop_assert!(ranges[place.range].contains(&place.entry.term));
        }
        // Ranges of one list never end before they begin.
        prop_assert!(ranges.iter().all(|range| range.low < range.high));
    }
}
