//! What is wrong with a TOML file, said without any of its values: each of them may be a secret.

use serde::de::DeserializeOwned;

use crate::failure::Failure;

/// Reads a file's text. `what` names the file in the failure, and `known` are the keys that it may have.
pub fn parse<T: DeserializeOwned>(what: &str, text: &str, known: &[String]) -> Result<T, Failure> {
    let line = |error: &toml::de::Error| {
        let place = error.span().map_or(0, |span| span.start.min(text.len()));
        text.as_bytes()[..place].iter().filter(|byte| **byte == b'\n').count()
    };
    // The parser's own messages are fixed texts; only those of values that don't fit quote what they found.
    if let Err(error) = toml::from_str::<toml::Table>(text) {
        let line = line(&error);
        let key = key_at(text, line, known);
        return Err(Failure(format!("{what}, line {}{key}: {}", line + 1, error.message())));
    }
    toml::from_str(text).map_err(|error| {
        let line = line(&error);
        match unknown_key(error.message()) {
            Some(name) => {
                let meant = model::platform::nearest::suggestion(name, known.iter().map(String::as_str));
                Failure(format!("{what}, line {}: there is no setting `{name}`.{meant}", line + 1))
            }
            None => {
                let key = key_at(text, line, known);
                Failure(format!("{what}, line {}{key}: {}", line + 1, why(error.message())))
            }
        }
    })
}

/// Returns the key that the message says is unknown.
fn unknown_key(message: &str) -> Option<&str> {
    let (name, _) = message.strip_prefix("unknown field `")?.split_once("`, expected")?;
    Some(name)
}

/// Returns what the message says, without the value that it quotes.
fn why(message: &str) -> String {
    // serde ends these three with what would have been right. Other messages may begin or end with the value.
    let is_quoting = ["invalid type: ", "invalid value: ", "unknown variant "]
        .iter()
        .any(|beginning| message.starts_with(beginning));
    match message.rsplit_once(", expected ") {
        Some((_, expected)) if is_quoting => format!("the value does not fit, expected {expected}"),
        _ => "the value can't be used; `dockside serve --help` says what is expected".to_owned(),
    }
}

/// Names the key that this line belongs to, counted from zero: a value may have several lines. Only known keys are named,
/// because a line of a longer text may look like a key.
fn key_at(text: &str, line: usize, known: &[String]) -> String {
    let lines: Vec<&str> = text.lines().take(line + 1).collect();
    let key_of = |line: &&str| {
        let table = line.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let name = table.or_else(|| line.split_once('=').map(|(name, _)| name))?;
        known.iter().find(|known| *known == name.trim())
    };
    lines.iter().rev().find_map(key_of).map(|name| format!(", `{name}`")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize, Debug)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only what can't be read matters here")]
    struct File {
        number: Option<u32>,
        color: Option<Color>,
        secret: Option<String>,
        address: Option<std::net::SocketAddr>,
        list: Option<Vec<String>>,
    }

    #[derive(Deserialize, Debug)]
    #[serde(rename_all = "lowercase")]
    enum Color {
        Red,
    }

    fn said(text: &str) -> String {
        let known: Vec<String> = ["number", "color", "secret", "address", "list"].map(str::to_owned).into();
        parse::<File>("in x.toml", text, &known).map(|file| format!("{file:?}")).unwrap_err().0
    }

    #[test]
    fn a_key_and_its_line_are_named_and_the_value_is_not() {
        for (text, key, line) in [
            ("number = \"hunter2\"", "number", 1),
            ("\nnumber = -1 # hunter2", "number", 2),
            ("color = \"hunter2\"", "color", 1),
            ("address = \"hunter2\"", "address", 1),
            ("secret = hunter2", "secret", 1),
            ("number = 1\nsecret = \"hunter2", "secret", 2),
            ("secret = [\"hunter2\"]", "secret", 1),
            ("secret = \"hunter2\"\nsecret = \"hunter2\"", "secret", 2),
            ("secret = \"hunter2\\q\"", "secret", 1),
            ("list = [\n  \"hunter2\",\n  7,\n]", "list", 3),
            ("secret = 'hunter2' hunter2", "secret", 1),
            ("number = 1\n[secret]\nsub = 'hunter2'", "secret", 2),
            ("number = \"x, expected hunter2\"", "number", 1),
            ("secret = \"\"\"\nnumber = hunter2\n", "line", 1),
        ] {
            let said = said(text);
            assert!(!said.contains("hunter2"), "{text}: {said}");
            assert!(said.contains(key), "{text}: {said}");
            assert!(line == 1 || said.contains(&format!("line {line}")), "{text}: {said}");
        }
    }

    #[test]
    fn an_unknown_key_is_named_with_the_one_that_may_be_meant() {
        for (text, expected) in [
            ("nunber = 1", "in x.toml, line 1: there is no setting `nunber`. Did you mean number?"),
            (
                "list = []\nnunber = 1",
                "in x.toml, line 2: there is no setting `nunber`. Did you mean number?",
            ),
        ] {
            assert_eq!(said(text), expected);
        }
    }
}
