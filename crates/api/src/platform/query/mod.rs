//! Query strings: decoded once, and checked against the parameters that the route declares.

mod pairs;

use std::collections::HashSet;

use model::platform::nearest::suggestion;
use model::platform::shape::{Issues, Kind, Path, Shape};
use model::{Problem, Result};
use serde_json::Value;

pub use self::pairs::decode_pairs;
use self::pairs::encode;
use crate::platform::parameter::{Parameter, ParameterKind};

/// Characters of a caller's value that a problem shows.
const CHARS_SHOWN_MAX: usize = 64;

/// The most values in a list: of ids, and of other values. A repeated value counts each time.
const IDS_MAX: usize = 100;
const VALUES_MAX: usize = 50;

/// Returns how many values of this shape a list may have.
pub fn values_max(shape: &Shape) -> usize {
    if matches!(shape.kind, Kind::Identifier(_)) { IDS_MAX } else { VALUES_MAX }
}

/// The parameters of a request, in their order.
#[derive(Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Parses the query string of a public page. Unknown parameters are ignored, because other sites add tracking
    /// parameters to links.
    pub fn parse_leniently(text: Option<&str>, known: &[Parameter]) -> Result<Self> {
        let mut pairs = decode_pairs(text.unwrap_or_default()).unwrap_or_default();
        pairs.retain(|(name, _)| known.iter().any(|parameter| parameter.is_written(name)));
        Self::check(pairs, known)
    }

    /// Parses a query string. An unknown parameter is refused: if a misspelt filter were ignored, the caller would
    /// get all rows.
    pub fn parse(text: Option<&str>, known: &[Parameter]) -> Result<Self> {
        let pairs = decode_pairs(text.unwrap_or_default());
        let pairs = pairs.ok_or_else(|| refuse("query", "Must be UTF-8, percent-encoded."))?;
        for (name, _) in &pairs {
            if !known.iter().any(|parameter| parameter.is_written(name)) {
                return Err(unknown_parameter(name, known).into());
            }
        }
        Self::check(pairs, known)
    }

    fn check(pairs: Vec<(String, String)>, known: &[Parameter]) -> Result<Self> {
        for parameter in known.iter().filter(|parameter| !parameter.is_list()) {
            if pairs.iter().filter(|(name, _)| name == parameter.name).count() > 1 {
                return Err(refuse(parameter.name, "This parameter may appear only once.").into());
            }
        }
        let query = Self(pairs);
        for parameter in known {
            query.check_values(parameter)?;
        }
        Ok(query)
    }

    /// Checks each value against its shape, so that an impossible value does not reach the database.
    fn check_values(&self, parameter: &Parameter) -> Result<()> {
        let (shape, values) = match parameter.kind {
            ParameterKind::List(shape) => {
                let max = values_max(shape);
                if self.written(parameter.name).count() > max {
                    let message = format!("Must have at most {max} values.");
                    return Err(refuse(parameter.name, &message).into());
                }
                (shape, self.many(parameter.name))
            }
            ParameterKind::One(shape) => {
                (shape, self.one(parameter.name).map(str::to_owned).into_iter().collect())
            }
            ParameterKind::Flag => return self.flag(parameter.name).map(drop),
            _ => return Ok(()),
        };
        for value in values {
            let mut issues = Issues::default();
            // All values in a query are text. A number is one that consists of digits.
            let mut value = match shape.kind {
                Kind::Integer { .. } => whole(&value).map_or(Value::String(value), Value::from),
                _ => Value::String(value),
            };
            shape.check(&mut value, &Path::Root(parameter.name), &mut issues);
            if let Some(issue) = issues.first() {
                return Err(refuse(parameter.name, &issue.message).into());
            }
        }
        Ok(())
    }

    /// Returns whether a flag is set: `true` or `false`, and false if it is absent.
    pub fn flag(&self, name: &str) -> Result<bool> {
        match self.one(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(refuse(name, "Must be true or false.").into()),
        }
    }

    /// Returns the value of a parameter that appears at most once.
    pub fn one(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value of a parameter that is a whole number.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.one(name).and_then(whole)
    }

    /// Returns the values of a parameter that may be repeated, written with `[]` or `[0]`, or separated by commas;
    /// each value once.
    pub fn many(&self, name: &str) -> Vec<String> {
        let mut seen = HashSet::new();
        let values = self.written(name).filter(|value| seen.insert(*value));
        values.map(str::to_owned).collect()
    }

    /// Returns the values of a list as they were written, without empty ones.
    fn written(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = move |(known, _): &&(String, String)| without_index(known).unwrap_or(known) == name;
        let values = self.0.iter().filter(named).flat_map(|(_, value)| value.split(','));
        values.map(str::trim).filter(|value| !value.is_empty())
    }

    /// Returns the same query with another cursor, for the links of a page.
    pub fn with_cursor(&self, cursor: &str) -> String {
        let kept = self.0.iter().filter(|(name, _)| name != "cursor");
        let mut text = String::new();
        for (name, value) in kept {
            text.push_str(&format!("{}={}&", encode(name), encode(value)));
        }
        text.push_str("cursor=");
        text.push_str(cursor);
        text
    }
}

impl Parameter {
    /// Returns whether this is a spelling of the parameter's name. `[]` and `[0]` denote many values, so they don't
    /// match a single one.
    fn is_written(&self, name: &str) -> bool {
        name == self.name || (self.is_list() && without_index(name) == Some(self.name))
    }

    fn is_list(&self) -> bool {
        matches!(self.kind, ParameterKind::List(_) | ParameterKind::Words(_))
    }
}

/// Returns `name` of `name[]` and of `name[0]`; `None` if nothing in brackets follows. The values keep the order in which they
/// are written, whatever their indexes are.
fn without_index(name: &str) -> Option<&str> {
    let (name, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    index.bytes().all(|byte| byte.is_ascii_digit()).then_some(name)
}

/// Parses a whole number in its usual notation.
fn whole(text: &str) -> Option<i64> {
    text.parse().ok().filter(|_| !text.starts_with('+'))
}

/// Returns the refusal of a parameter, which `detail` names.
pub fn refuse(name: &str, message: &str) -> Problem {
    Problem::parameter(name, message)
}

/// Returns the refusal of a word that is not among the allowed ones.
pub fn refuse_word<'a>(name: &str, word: &str, allowed: impl Iterator<Item = &'a str> + Clone) -> Problem {
    let words = allowed.clone().collect::<Vec<_>>().join(", ");
    let meant = suggestion(word, allowed);
    refuse(name, &format!("`{}` is not allowed. Must be one of: {words}.{meant}", shown(word)))
}

fn unknown_parameter(name: &str, known: &[Parameter]) -> Problem {
    let names = known.iter().map(|parameter| parameter.name);
    let message = if known.is_empty() {
        "This parameter does not exist: the operation takes none.".to_owned()
    } else {
        let meant = suggestion(name.trim_end_matches("[]"), names.clone());
        let names = names.collect::<Vec<_>>().join(", ");
        format!("This parameter does not exist.{meant} Known parameters: {names}.")
    };
    refuse(&shown(name), &message)
}

/// Returns the beginning of a caller's value, which may be as long as a query.
fn shown(word: &str) -> String {
    word.chars().take(CHARS_SHOWN_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::parameter::LIMIT;

    static TAG: model::platform::shape::Shape = model::platform::shape::Shape::text(0, 9, "");
    const KNOWN: &[Parameter] =
        &[LIMIT, Parameter { name: "tags", about: "", kind: ParameterKind::List(&TAG) }];

    #[test]
    fn lists_work_in_every_spelling() {
        for text in [
            "tags=a,b",
            "tags=a&tags=b",
            "tags[]=a&tags[]=b",
            "tags[0]=a&tags[1]=b",
            "tags%5B10%5D=a&tags%5B2%5D=b",
            "tags%5B%5D=a&tags=b,a",
            "tags=+a+,,b",
        ] {
            assert_eq!(Query::parse(Some(text), KNOWN).unwrap().many("tags"), ["a", "b"], "{text}");
        }
    }

    #[test]
    fn what_is_unknown_doubled_or_malformed_is_refused() {
        for text in [
            "tgas=a",
            "tags[x]=a",
            "tags[-1]=a",
            "tags0]=a",
            "limit[]=1",
            "limit[0]=1",
            "limit=1&limit=2",
            "limit=%zz",
            "limit=%ff",
            "limit=%f",
            "tags=a,%00",
        ] {
            assert!(Query::parse(Some(text), KNOWN).is_err(), "{text}");
        }
    }

    #[test]
    fn a_list_with_too_many_values_is_refused_although_they_are_the_same() {
        let list = |count: usize| format!("tags={}", vec!["a"; count].join(","));
        assert!(Query::parse(Some(&list(VALUES_MAX)), KNOWN).is_ok());
        assert!(Query::parse(Some(&list(VALUES_MAX + 1)), KNOWN).is_err());
        assert!(Query::parse(Some(&list(VALUES_MAX).replace(',', "&tags=")), KNOWN).is_ok());
        assert!(Query::parse(Some(&list(VALUES_MAX + 1).replace(',', "&tags=")), KNOWN).is_err());
    }

    #[test]
    fn a_page_takes_whatever_parameters_a_link_brings() {
        for text in ["utm_source=mail", "limit=%zz", "x", "limit=3&x=y"] {
            assert!(Query::parse_leniently(Some(text), KNOWN).is_ok(), "{text}");
        }
        assert_eq!(Query::parse_leniently(Some("limit=3&x=y"), KNOWN).unwrap().number("limit"), Some(3));
    }
}
