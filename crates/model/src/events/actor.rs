//! Actors: who or what made the change that an event tells of.

use crate::platform::id::Kind as IdKind;
use crate::platform::shape::{Field, Kind, Pattern, Shape};
use crate::{AccessToken, Id, User};

/// Who or what made a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A person who has signed in.
    User(Id<User>),
    Token(Id<AccessToken>),
    /// Background work, by its name.
    Job(&'static str),
    /// A carrier, by its messages or by what it tells of a parcel.
    Carrier,
    /// The program itself.
    System,
}

const TYPE_WORDS: [&str; 7] = ["user", "token", "job", "carrier", "shop", "customer", "system"];

impl Actor {
    /// Returns the text by which events are found: an id, or the type of an actor without an id.
    pub fn key(&self) -> String {
        match self {
            Actor::User(id) => id.to_string(),
            Actor::Token(id) => id.to_string(),
            Actor::Job(_) => "job".to_owned(),
            Actor::Carrier => "carrier".to_owned(),
            Actor::System => "system".to_owned(),
        }
    }

    pub fn name(&self) -> Option<&'static str> {
        match self {
            Actor::Job(name) => Some(name),
            _ => None,
        }
    }
}

/// Returns an actor as events show it, from its key and its name. Events from before actors were recorded have none.
pub fn actor_json(key: Option<&str>, name: Option<&str>) -> String {
    let Some(key) = key else { return "null".to_owned() };
    let kind = match key.split_once('_') {
        Some((User::PREFIX, _)) => "user",
        Some((AccessToken::PREFIX, _)) => "token",
        _ => key,
    };
    let quoted = |text: Option<&str>| text.map_or_else(|| "null".to_owned(), |text| format!("\"{text}\""));
    format!(r#"{{"type":"{kind}","id":{},"name":{}}}"#, quoted((kind != key).then_some(key)), quoted(name))
}

/// Returns whether the text may be the key of an actor: an id of a user or a token, or a type.
fn is_key(text: &str) -> bool {
    TYPE_WORDS[2..].contains(&text)
        || Id::<User>::parse(text).is_some()
        || Id::<AccessToken>::parse(text).is_some()
}

static TYPE: Shape = Shape::new(
    Kind::OneOf(&TYPE_WORDS),
    "What it is: a `user` who has signed in, an access `token`, a `job` of the server, a `carrier` that told of a parcel, or the `system` itself. Nothing is done by a `shop` or a `customer` yet.",
)
.example(r#""user""#);
static ID: Shape = Shape::text(1, 40, "The id of the user or of the access token. Null for the others.")
    .example(r#""usr_01jc0000000000000000000000""#);
static NAME: Shape = Shape::text(1, 100, "The name of the job, such as `purchases`. Null for the others.")
    .example(r#""purchases""#);
/// An actor.
pub static ACTOR: Shape = Shape::object(
    "Actor",
    &[Field::given("type", &TYPE), Field::given_or_null("id", &ID), Field::given_or_null("name", &NAME)],
    "Who or what made the change.",
);
/// What a list of events is filtered by.
pub static ACTOR_KEY: Shape = Shape::new(
    Kind::Text {
        chars_min: 3,
        chars_max: 40,
        pattern: Some(Pattern {
            regex: "^((usr|tok)_[0-7][0-9a-hjkmnp-tv-z]{25}|job|carrier|shop|customer|system)$",
            matches: is_key,
        }),
    },
    "The id of a user (`usr_…`) or of an access token (`tok_…`), or one of `job`, `carrier`, `shop`, `customer` and `system`.",
)
.example(r#""job""#);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_is_shown_by_its_key() {
        let user = Id::<User>::from_bits(7);
        let shown = |actor: Actor| actor_json(Some(&actor.key()), actor.name());
        assert_eq!(shown(Actor::User(user)), format!(r#"{{"type":"user","id":"{user}","name":null}}"#));
        assert_eq!(shown(Actor::Job("waves")), r#"{"type":"job","id":null,"name":"waves"}"#);
        assert_eq!(shown(Actor::Carrier), r#"{"type":"carrier","id":null,"name":null}"#);
        assert_eq!(actor_json(None, None), "null");
        let token = Id::<AccessToken>::from_bits(7).to_string();
        assert!([user.to_string().as_str(), &token, "job", "system"].into_iter().all(is_key));
        assert!(!["user", "token", "usr_", "ord_01jc0000000000000000000000", ""].into_iter().any(is_key));
    }
}
