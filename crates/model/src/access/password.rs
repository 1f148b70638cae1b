//! Which passwords are accepted.

use unicode_normalization::UnicodeNormalization;

use crate::platform::shape::Shape;

/// Shortest and longest password, in characters.
pub const PASSWORD_CHARS_MIN: usize = 12;
pub const PASSWORD_CHARS_MAX: usize = 256;
/// A password with fewer different characters is refused, such as one letter that is repeated.
const DIFFERENT_CHARS_MIN: usize = 5;

/// The commonest passwords of twelve characters or more in published lists of leaked ones, in lower case.
const COMMON: &str = include_str!("common_passwords.txt");

/// A password that is to be set.
pub static NEW_PASSWORD: Shape = Shape::text(
    PASSWORD_CHARS_MIN,
    PASSWORD_CHARS_MAX,
    "Twelve characters or more, of any kind. Passwords that many people use are refused. Only a slow hash of it is kept (argon2id).",
)
.example(r#""quiet harbour seven lanterns""#);
/// A password that a person signs in with. Its length is not checked, so that the refusal says nothing about the rules of earlier versions.
pub static PASSWORD: Shape = Shape::text(
    1,
    PASSWORD_CHARS_MAX,
    "What the user has set with `PUT /me/password`. Send it over TLS only.",
)
.example(r#""quiet harbour seven lanterns""#);

/// Returns the password in the form that is hashed: keyboards write the same letter in different ways.
pub fn normalised(password: &str) -> String {
    password.nfkc().collect()
}

/// Returns whether the password is one that guessing finds first: a common one, one of few different characters, or one
/// of these texts about the user.
pub fn is_guessable(password: &str, about_user: &[&str]) -> bool {
    let lower = normalised(password).to_lowercase();
    let mut different: Vec<char> = lower.chars().collect();
    different.sort_unstable();
    different.dedup();
    different.len() < DIFFERENT_CHARS_MIN
        || COMMON.lines().any(|common| common == lower)
        || about_user.iter().any(|text| text.to_lowercase() == lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_passwords_are_guessable_and_others_are_not() {
        for word in [
            "password1234",
            "PassWord1234",
            "123456789012",
            "aaaaaaaaaaaaaaaa",
            "abababababab",
            "qwertyuiop[]",
        ] {
            assert!(is_guessable(word, &[]), "{word}");
        }
        assert!(is_guessable("Ada@Acme.Example", &["ada@acme.example"]));
        for word in ["quiet harbour seven lanterns", "k3-Zwölf-Boxkämpfer", "correct-donkey-battery"] {
            assert!(!is_guessable(word, &["ada@acme.example"]), "{word}");
        }
    }

    #[test]
    fn the_list_has_only_passwords_that_the_length_allows() {
        let mut seen = std::collections::HashSet::new();
        for line in COMMON.lines() {
            assert!(line.chars().count() >= PASSWORD_CHARS_MIN, "{line} is refused for its length");
            assert_eq!(line, line.to_lowercase());
            assert!(seen.insert(line), "{line} twice");
        }
        assert!(seen.len() >= 150, "{}", seen.len());
    }

    #[test]
    fn both_ways_to_write_a_letter_are_one_password() {
        assert_eq!(normalised("Z\u{fc}rich"), normalised("Zu\u{308}rich"));
    }
}
