//! The catalogue is sound.

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
