//! Parsing of requests to the sandbox.

use model::shipping::shipment::ShipmentInput;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::entry::{Request, key_of};
use super::reply::Reply;
use crate::sandbox::word::Word;

/// The most characters of a reference, and the most purchases of a manifest.
const REFERENCE_CHARS_MAX: usize = 100;
const PURCHASES_MAX: usize = 100_000;

/// A request to the sandbox.
#[derive(Clone, Debug)]
pub enum Asked {
    Rate(Rating),
    Buy(Box<Buying>),
    LookUp { reference: String },
    Void(Purchase),
    Track(Purchase),
    Label(Purchase),
    Manifest(Closing),
    FindManifest { reference: String },
    Token(Authenticating),
}

#[derive(Deserialize, Clone, Debug)]
pub struct Rating {
    /// The shipment's id. Without it the sandbox does not record the request.
    pub reference: Option<String>,
    pub shipment: Box<ShipmentInput>,
}

#[derive(Deserialize, Clone, Debug)]
pub struct Buying {
    pub reference: String,
    pub service: String,
    pub shipment: ShipmentInput,
}

#[derive(Deserialize, Clone, Debug)]
pub struct Closing {
    pub reference: String,
    pub purchases: Vec<String>,
}

/// A request for an access token.
#[derive(Deserialize, Clone, Debug)]
pub struct Authenticating {
    pub name: String,
    pub client_secret: String,
}

/// The sandbox's own id of a purchase, which contains the reference: `REFERENCE.NUMBER`, followed by the word that
/// selected its behaviour. So the sandbox needs nothing but this id to find everything about the purchase.
#[derive(Clone, Debug, PartialEq)]
pub struct Purchase {
    pub name: String,
    pub reference: String,
    pub word: Option<Word>,
}

impl Purchase {
    pub(super) fn new(reference: &str, number: usize, word: Option<Word>) -> Self {
        let word_part = word.map(|word| format!(".{}", word.as_str())).unwrap_or_default();
        let name = format!("{reference}.{number}{word_part}");
        Self { name, reference: reference.to_owned(), word }
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        let (head, tail) = name.rsplit_once('.')?;
        let word = Word::parse(tail);
        let (reference, number) = if word.is_some() { head.rsplit_once('.')? } else { (head, tail) };
        let number = number.parse().ok().filter(|number| *number > 0)?;
        // Each purchase has only one spelling.
        let purchase = Self::new(reference, number, word);
        (is_reference(reference) && purchase.name == name).then_some(purchase)
    }
}

impl Asked {
    /// Parses a request. The error is the answer to an invalid one.
    pub fn read(method: &str, path_and_query: &str, body: &[u8]) -> Result<Self, Reply> {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let asked = match (method, &parts[..]) {
            ("POST", ["v1", "tokens"]) => Self::Token(json(body)?),
            ("POST", ["v1", "rates"]) => Self::Rate(json(body)?),
            ("POST", ["v1", "purchases"]) => Self::Buy(Box::new(json(body)?)),
            ("GET", ["v1", "purchases"]) => Self::LookUp { reference: queried(query)? },
            ("POST", ["v1", "purchases", name, "void"]) => Self::Void(named(name)?),
            ("GET", ["v1", "purchases", name, "tracking"]) => Self::Track(named(name)?),
            ("GET", ["v1", "purchases", name, "label"]) => Self::Label(named(name)?),
            ("POST", ["v1", "manifests"]) => Self::Manifest(json(body)?),
            ("GET", ["v1", "manifests"]) => Self::FindManifest { reference: queried(query)? },
            _ => {
                let message = format!("The sandbox carrier does not answer {method} {path}.");
                return Err(Reply::refusal(404, "not_found", message));
            }
        };
        asked.checked()
    }

    fn checked(self) -> Result<Self, Reply> {
        if self.named_reference().is_some_and(|reference| !is_reference(reference)) {
            let message = format!(
                "A reference has 1 to {REFERENCE_CHARS_MAX} letters, digits, dots, dashes and underscores."
            );
            return Err(Reply::refusal(422, "reference_invalid", message));
        }
        if let Self::Manifest(closing) = &self {
            if closing.purchases.is_empty() || closing.purchases.len() > PURCHASES_MAX {
                let message = format!("A manifest has 1 to {PURCHASES_MAX} purchases.");
                return Err(Reply::refusal(422, "purchases_invalid", message));
            }
            if let Some(strange) = closing.purchases.iter().find(|name| Purchase::parse(name).is_none()) {
                let message = format!("There is no purchase {strange}.");
                return Err(Reply::refusal(422, "purchases_invalid", message));
            }
        }
        Ok(self)
    }

    /// Returns the key of the records that determine the answer. Nothing else does.
    pub fn reference(&self) -> Option<&str> {
        self.named_reference().map(key_of)
    }

    /// Returns the reference as the request has it.
    pub(super) fn named_reference(&self) -> Option<&str> {
        match self {
            Self::Rate(rating) => rating.reference.as_deref(),
            Self::Buy(buying) => Some(&buying.reference),
            Self::Void(purchase) | Self::Track(purchase) | Self::Label(purchase) => Some(&purchase.reference),
            Self::Manifest(closing) => Some(&closing.reference),
            Self::LookUp { reference } | Self::FindManifest { reference } => Some(reference),
            Self::Token(_) => None,
        }
    }

    pub(super) fn request(&self) -> Request {
        match self {
            Self::Rate(_) => Request::Rate,
            Self::Buy(_) => Request::Buy,
            Self::LookUp { .. } => Request::LookUp,
            Self::Void(_) => Request::Void,
            Self::Track(_) => Request::Track,
            Self::Label(_) => Request::Label,
            Self::Manifest(_) => Request::Manifest,
            Self::FindManifest { .. } => Request::FindManifest,
            Self::Token(_) => Request::Token,
        }
    }
}

fn is_reference(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    (1..=REFERENCE_CHARS_MAX).contains(&text.len()) && text.bytes().all(is_plain)
}

fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Reply> {
    serde_json::from_slice(body)
        .map_err(|error| Reply::refusal(400, "bad_request", format!("The body can't be read: {error}.")))
}

fn queried(query: &str) -> Result<String, Reply> {
    let given = query.split('&').find_map(|pair| pair.strip_prefix("reference="));
    given.map(str::to_owned).ok_or_else(|| {
        Reply::refusal(400, "bad_request", "Say which one, as in `?reference=shp_…`.".to_owned())
    })
}

fn named(name: &str) -> Result<Purchase, Reply> {
    Purchase::parse(name).ok_or_else(|| Reply::unknown_purchase(name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_purchase_s_name_has_all_that_is_needed() {
        for (_, word, _) in Word::ALL {
            for reference in ["shp_1", "a.1", "a.1.SBX-429", "7"] {
                for word in [None, Some(*word)] {
                    let purchase = Purchase::new(reference, 2, word);
                    assert_eq!(Purchase::parse(&purchase.name), Some(purchase));
                }
            }
        }
        for strange in ["", "a", "a.", ".1", "a.0", "a.01", "a.+1", "a.x", "a.1.sbx-dup", "a b.1", "ä.1"] {
            assert_eq!(Purchase::parse(strange), None, "{strange}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let long = format!("/v1/purchases?reference={}", "a".repeat(REFERENCE_CHARS_MAX + 1));
        for (method, path, body, status) in [
            ("GET", "/", "", 404),
            ("PUT", "/v1/purchases", "", 404),
            ("GET", "/v1/purchases", "", 400),
            ("GET", "/v1/purchases?reference=a%20b", "", 422),
            ("GET", long.as_str(), "", 422),
            ("GET", "/v1/purchases/x/label", "", 404),
            ("POST", "/v1/rates", "{", 400),
            ("POST", "/v1/purchases", "{}", 400),
            ("POST", "/v1/manifests", r#"{"reference":"m","purchases":[]}"#, 422),
            ("POST", "/v1/manifests", r#"{"reference":"m","purchases":["x"]}"#, 422),
        ] {
            let reply = Asked::read(method, path, body.as_bytes()).unwrap_err();
            assert_eq!((reply.status, reply.entries.len()), (status, 0), "{method} {path}");
        }
    }

    proptest! {
        #[test]
        fn any_request_is_read_or_refused(method in "GET|POST", path in "\\PC{0,60}", body in "\\PC{0,60}") {
            for path in [path.clone(), format!("/v1/purchases/{path}/void"), format!("/v1/purchases?reference={path}")] {
                let _ = Asked::read(&method, &path, body.as_bytes());
            }
        }
    }
}
