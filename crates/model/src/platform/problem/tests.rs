//! Consistency of the catalogue.

use std::collections::HashSet;

use super::*;

#[test]
fn codes_are_unique_snake_case_and_explained() {
    let mut seen = HashSet::new();
    for code in Code::ALL {
        let word = code.as_str();
        assert!(seen.insert(word), "{word} twice");
        assert!(word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{word}");
        assert!(code.title().ends_with('.') && code.advice().ends_with('.'), "{word}");
        assert!((400..600).contains(&code.status()), "{word}");
    }
}

#[test]
fn texts_name_their_subject_and_say_what_to_do() {
    let vague = ["whoever", "nobody", "somebody", "stands here", "as it may", "any more", "that tells"];
    for code in Code::ALL {
        let text = format!("{} {}", code.title(), code.advice());
        let found = vague.iter().find(|words| text.contains(*words));
        assert_eq!(found, None, "{}: {text}", code.as_str());
        assert_ne!(code.title(), code.advice(), "{}", code.as_str());
    }
}
