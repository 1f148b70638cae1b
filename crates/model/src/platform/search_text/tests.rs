//! Tests of search terms.

use proptest::prelude::*;

use super::*;

fn terms_of(form: Form, text: &str) -> Vec<String> {
    let mut searched = Searched::default();
    searched.add("/x", form, Some(text));
    searched.terms().into_iter().collect()
}

#[test]
fn case_accents_and_compatibility_forms_are_equal() {
    for (left, right) in [
        ("MÜLLER", "muller"),
        ("Straße", "STRASSE"),
        ("Łódź", "lodz"),
        ("Ærø", "aero"),
        ("Ｆｕｌｌ １２", "full 12"),
        ("İstanbul", "istanbul"),
        ("ΟΔΟΣ", "οδος"),
        ("Nguyễn", "nguyen"),
        ("école", "e\u{301}cole"),
    ] {
        assert_eq!(fold(left), fold(right), "{left} {right}");
    }
    assert_ne!(fold("か"), fold("が"), "the voicing of kana makes another letter");
}

#[test]
fn each_form_has_its_terms() {
    assert_eq!(terms_of(Form::Text, "Anna-Maria  Müller"), ["=anna maria muller", "~maria", "~muller"]);
    assert_eq!(terms_of(Form::Code, "SO-1001/A"), ["=so1001a", "~1001", "~a"]);
    assert_eq!(terms_of(Form::Code, "#1001"), ["=1001"]);
    assert_eq!(terms_of(Form::Number, "1Z 999 AA1"), ["=1z999aa1"]);
    assert_eq!(
        terms_of(Form::Text, "Ann.Lee@Example.com"),
        ["=ann lee example com", "~com", "~example", "~lee"]
    );
    for empty in ["", " ", "\"*\"", "…—%_", "\u{0}\u{7f}"] {
        assert_eq!(terms_of(Form::Text, empty), [""; 0], "{empty:?}");
    }
}

#[test]
fn the_terms_of_a_resource_are_bounded() {
    let mut searched = Searched::default();
    for _ in 0..200 {
        searched.add("/x", Form::Text, Some(&"ab cd ".repeat(200)));
        searched.add("/y", Form::Code, Some(&"z".repeat(10_000)));
    }
    let terms = searched.field_terms();
    assert_eq!(terms.len(), TERMS_MAX);
    assert!(terms.iter().all(|entry| entry.term.chars().count() <= TERM_CHARS_MAX + 1));
}

proptest! {
    #[test]
    fn folding_twice_changes_nothing(text in "\\PC{0,40}") {
        let folded = fold(&text);
        prop_assert_eq!(fold(&folded), folded);
    }

    #[test]
    fn any_text_makes_clean_terms(text in any::<String>()) {
        for form in [Form::Text, Form::Code, Form::Number] {
            let terms = terms_of(form, &text);
            prop_assert!(terms.len() <= WORDS_MAX);
            for term in terms {
                prop_assert!(term.starts_with([WHOLE, WORD]) && term.len() > 1);
                prop_assert!(!term.chars().any(char::is_control), "{:?}", term);
            }
        }
    }

    #[test]
    fn upper_case_makes_the_same_words(text in "[\\p{Latin}\\p{Cyrillic}0-9 .-]{0,30}") {
        // A few letters have an upper case that is another letter, such as the long s.
        let upper = text.to_uppercase();
        prop_assume!(upper.to_lowercase().to_uppercase() == upper);
        prop_assert_eq!(words(&upper.to_lowercase()), words(&upper));
    }
}
