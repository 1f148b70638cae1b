//! Query strings: decoded once, and held to the parameters that the route declares.

use model::problem::Issue;
use model::shape::Kind;
use model::{Code, Problem, Result};
use serde_json::Value;

use crate::route::{Parameter, ParameterKind};

/// The parameters of a request, in their order.
#[derive(Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads a query string. A parameter that the route does not have is refused: a misspelt filter that is ignored
    /// would give everything.
    pub fn parse(text: Option<&str>, known: &[Parameter]) -> Result<Self> {
        let pairs = decode_pairs(text.unwrap_or_default());
        let pairs = pairs.ok_or_else(|| refuse("query", "Is not percent-encoded UTF-8."))?;
        for (name, _) in &pairs {
            if !known.iter().any(|parameter| parameter.is_written(name)) {
                return Err(refuse(name, "There is no such parameter.").into());
            }
        }
        for parameter in known.iter().filter(|parameter| !parameter.is_list()) {
            if pairs.iter().filter(|(name, _)| name == parameter.name).count() > 1 {
                return Err(refuse(parameter.name, "Stands here twice.").into());
            }
        }
        let query = Self(pairs);
        for parameter in known {
            query.check_values(parameter)?;
        }
        Ok(query)
    }

    /// Holds each value to its shape: what no row can have must not reach the database.
    fn check_values(&self, parameter: &Parameter) -> Result<()> {
        let (shape, values) = match parameter.kind {
            ParameterKind::List(shape) => (shape, self.many(parameter.name)),
            ParameterKind::One(shape) => {
                (shape, self.one(parameter.name).map(str::to_owned).into_iter().collect())
            }
            _ => return Ok(()),
        };
        for value in values {
            let mut issues = Vec::new();
            // In a query all is text; a number is one that is written in digits.
            let mut value = match shape.kind {
                Kind::Integer { .. } => whole(&value).map_or(Value::String(value), Value::from),
                _ => Value::String(value),
            };
            shape.check(&mut value, parameter.name, &mut issues);
            if let Some(issue) = issues.first() {
                return Err(refuse(parameter.name, &issue.message).into());
            }
        }
        Ok(())
    }

    /// The value of a parameter that is there at most once.
    pub fn one(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The value of a parameter that is a whole number.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.one(name).and_then(whole)
    }

    /// The values of a parameter that may be repeated, written with `[]`, or separated by commas.
    pub fn many(&self, name: &str) -> Vec<String> {
        let named = |(known, _): &&(String, String)| known.strip_suffix("[]").unwrap_or(known) == name;
        let values = self.0.iter().filter(named).flat_map(|(_, value)| value.split(','));
        let mut many: Vec<String> = Vec::new();
        for value in values.map(str::trim).filter(|value| !value.is_empty()) {
            if !many.iter().any(|known| known == value) {
                many.push(value.to_owned());
            }
        }
        many
    }

    /// The same query with another cursor, for the links of a page.
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
    /// Whether this is a spelling of its name: `[]` marks many values, so it does not fit where there is one.
    fn is_written(&self, name: &str) -> bool {
        name == self.name || (self.is_list() && name.strip_suffix("[]") == Some(self.name))
    }

    fn is_list(&self) -> bool {
        matches!(self.kind, ParameterKind::List(_) | ParameterKind::Words(_))
    }
}

/// Reads a whole number as it is usually written.
fn whole(text: &str) -> Option<i64> {
    text.parse().ok().filter(|_| !text.starts_with('+'))
}

/// Refuses a parameter.
pub fn refuse(name: &str, message: &str) -> Problem {
    Problem::field(Code::InvalidQuery, Issue::new("invalid_query", name, message))
}

/// Reads `a=b&c=d`, as query strings and forms are written.
pub fn decode_pairs(text: &str) -> Option<Vec<(String, String)>> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decode(name)?, decode(value)?))
        })
        .collect()
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                (high * 16 + low) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::route::LIMIT;

    static TAG: model::shape::Shape = model::shape::Shape::text(0, 9, "");
    const KNOWN: &[Parameter] =
        &[LIMIT, Parameter { name: "tags", about: "", kind: ParameterKind::List(&TAG) }];

    #[test]
    fn lists_work_in_every_spelling() {
        for text in ["tags=a,b", "tags=a&tags=b", "tags[]=a&tags[]=b", "tags%5B%5D=a&tags=b,a", "tags=+a+,,b"]
        {
            assert_eq!(Query::parse(Some(text), KNOWN).unwrap().many("tags"), ["a", "b"], "{text}");
        }
    }

    #[test]
    fn what_is_unknown_doubled_or_malformed_is_refused() {
        for text in
            ["tgas=a", "limit[]=1", "limit=1&limit=2", "limit=%zz", "limit=%ff", "limit=%f", "tags=a,%00"]
        {
            assert!(Query::parse(Some(text), KNOWN).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn encoding_reads_back(text in "\\PC{0,20}") {
            prop_assert_eq!(decode(&encode(&text)), Some(text));
        }
    }
}
