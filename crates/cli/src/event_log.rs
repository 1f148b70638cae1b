//! The log of a server, read through the API page by page, each from where the last one ended. So nothing is lost and nothing comes
//! twice, however often the connection breaks.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION};
use http::{HeaderValue, Method};
use model::{Event, Id, Timestamp};
use outbound::{Failure as Unanswered, Outbound, Request, Response};
use serde::Deserialize;
use serde_json::Value;

use crate::failure::{Exit, Failure};
use crate::operation::LIST_EVENTS;

/// Events asked for at once. They are posted one by one, so there is no hurry.
const PAGE_EVENTS: usize = 20;
/// Room for a page of the largest events there are, unless an operator allows larger ones.
const PAGE_BYTES_MAX: usize = 256 * 1024 * 1024;
/// How long the server may take to answer.
const TIME_LIMIT: Duration = Duration::from_secs(30);
/// How a page begins: what follows are events as they stand, which is how they are posted.
const OPENING: &str = "{\"data\":[";

/// An event, and its text as the server wrote it.
#[derive(Debug)]
pub struct Logged {
    pub head: Head,
    pub json: String,
}

/// What is read of an event.
#[derive(Deserialize, Debug)]
pub struct Head {
    pub id: Id<Event>,
    pub sequence: i64,
    pub r#type: String,
    pub created_at: Timestamp,
    data: Data,
}

#[derive(Deserialize, Debug)]
struct Data {
    object: Value,
}

impl Head {
    /// The resource that it happened to. A reservation is known by its order, and a level of stock by its item.
    pub fn resource_id(&self) -> &str {
        let object = &self.data.object;
        let ids = [&object["id"], &object["order"]["id"], &object["item"]["id"]];
        ids.into_iter().find_map(Value::as_str).unwrap_or("")
    }
}

/// Why there is no page.
pub enum Trouble {
    /// The server does not answer, or can't at the moment: it may be there again soon.
    Away(String),
    /// Waiting does not help.
    Final(Failure),
}

/// Which log to read, and with which token.
pub struct Source<'a> {
    pub outbound: Outbound,
    pub url: &'a str,
    /// The flag that gave the URL, for messages.
    pub url_flag: &'static str,
    pub token: &'a str,
    /// Only events of this resource, if there is one.
    pub resource_id: Option<String>,
}

/// A place in a server's log.
pub struct Tail {
    outbound: Outbound,
    server: String,
    url_flag: &'static str,
    authorization: HeaderValue,
    /// The filters of the query, beside the position.
    filter: Vec<(&'static str, String)>,
    /// Which world the token opens.
    pub world: &'static str,
    /// The sequence of the last event that is done with.
    pub after: i64,
}

impl Tail {
    /// Finds the place to begin: the one that was given, or the log's end.
    pub async fn open(source: Source<'_>, after: Option<i64>) -> Result<Self, Failure> {
        let Source { outbound, url, url_flag, token, resource_id } = source;
        let mut authorization = HeaderValue::try_from(format!("Bearer {token}"))
            .map_err(|_| Failure::usage("--token: there are characters in it that no token has"))?;
        authorization.set_sensitive(true);
        let world = if token.starts_with("dk_test_") { "test" } else { "live" };
        let server = url.trim_end_matches('/').to_owned();
        let mut tail =
            Self { outbound, server, url_flag, authorization, filter: Vec::new(), world, after: 0 };
        let newest = tail.page(&[("limit", "1".to_owned())]).await;
        let newest = newest.map_err(|trouble| tail.start_failure(trouble))?;
        let newest = newest.first().map_or(0, |event| event.head.sequence);
        tail.filter.extend(resource_id.map(|id| ("resource_id", id)));
        tail.after = match after {
            Some(after) if after > newest => {
                return Err(Failure::usage(format!(
                    "--after {after}: the newest event of the {world} world has the sequence {newest}"
                )));
            }
            Some(after) => after,
            None => newest,
        };
        Ok(tail)
    }

    /// The next events, oldest first; none where nothing has happened.
    pub async fn read(&self) -> Result<Vec<Logged>, Trouble> {
        self.page(&[("after", self.after.to_string()), ("limit", PAGE_EVENTS.to_string())]).await
    }

    async fn page(&self, position: &[(&'static str, String)]) -> Result<Vec<Logged>, Trouble> {
        let query = [position, self.filter.as_slice()].concat();
        let url = format!("{}{}", self.server, LIST_EVENTS.address(&[], &query));
        let target = self.outbound.parse_url(&url).map_err(|refusal| {
            Trouble::Final(Failure::usage(format!("{} {}: {refusal}", self.url_flag, self.server)))
        })?;
        let request = Request {
            method: Method::GET,
            target,
            headers: vec![
                (AUTHORIZATION, self.authorization.clone()),
                (ACCEPT, HeaderValue::from_static("application/json")),
            ],
            body: Bytes::new(),
            time_limit: TIME_LIMIT,
            body_bytes_max: PAGE_BYTES_MAX,
        };
        let response = self.outbound.send(request).await.map_err(|failure| match failure {
            // The client's own words are for receivers.
            Unanswered::Connect { .. } => Trouble::Away("nothing takes connections there.".to_owned()),
            other => Trouble::Away(other.to_string()),
        })?;
        if response.status != 200 {
            return Err(self.refusal(&response));
        }
        let text = std::str::from_utf8(&response.body).ok().filter(|_| !response.is_truncated);
        text.and_then(events).ok_or_else(|| {
            Trouble::Final(Failure::refused(format!(
                "{} answers with something other than events",
                self.server
            )))
        })
    }

    /// What an answer that is no page means.
    fn refusal(&self, response: &Response) -> Trouble {
        let (server, status) = (&self.server, response.status);
        let problem: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        let detail = problem["detail"].as_str().or_else(|| problem["title"].as_str()).unwrap_or("");
        let sentence = match status {
            401 => format!(
                "{server} does not accept the token: it is wrong, was revoked, or has expired; it must be one that \
                 `dockside token create` made on that server"
            ),
            403 => "the token lacks the scope events:read; `dockside token create --scopes events:read` makes one \
                    that has it"
                .to_owned(),
            429 | 500.. => return Trouble::Away(format!("it answers {status}. {detail}").trim_end().to_owned()),
            404 => format!("{server} answers 404 to GET /events; is a Dockside server there?"),
            _ => format!("{server} answers {status} to GET /events. {detail}").trim_end().to_owned(),
        };
        let exit = if matches!(status, 401 | 403) { Exit::SignIn } else { Exit::Refused };
        Trouble::Final(Failure::new(exit, sentence))
    }

    /// Returns the failure that ends the command at its start: the user is watching then, and knows whether the server will come.
    fn start_failure(&self, trouble: Trouble) -> Failure {
        match trouble {
            Trouble::Final(failure) => failure,
            Trouble::Away(why) => Failure::new(
                Exit::Connection,
                format!(
                    "no events from {}: {why} Is the server running? {} names another",
                    self.server, self.url_flag
                ),
            ),
        }
    }
}

/// The events of a page, each with its own text: read and written again they might differ in a byte, and so would
/// their signatures. `None` where the page is not one.
fn events(page: &str) -> Option<Vec<Logged>> {
    let mut rest = page.strip_prefix(OPENING)?;
    let mut events = Vec::new();
    while !rest.starts_with(']') {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Head>();
        let head = values.next()?.ok()?;
        let (json, after) = rest.split_at(values.byte_offset());
        events.push(Logged { head, json: json.to_owned() });
        rest = after.strip_prefix(',').unwrap_or(after);
    }
    Some(events)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn event(sequence: i64, object: &Value) -> String {
        format!(
            r#"{{"id":"evt_{sequence:026}","sequence":{sequence},"type":"order.created","created_at":"2026-11-01T09:00:00.000001Z","data":{{"object":{object}}},"previous_attributes":null}}"#
        )
    }

    fn page(events: &[String]) -> String {
        format!(r#"{{"data":[{}],"next_cursor":null,"previous_cursor":null,"limit":20}}"#, events.join(","))
    }

    #[test]
    fn what_is_no_page_is_not_read_as_one() {
        let one = event(1, &json!({}));
        let cut = page(&[one]);
        for text in ["", "{}", "[]", "<html>", "{\"data\":", "{\"data\":[", "{\"data\":[}", "{\"data\":[1]}"]
        {
            assert!(events(text).is_none(), "{text}");
        }
        assert!(events(&cut[..60]).is_none());
        assert_eq!(events(&page(&[])).unwrap().len(), 0);
    }

    #[test]
    fn a_resource_is_found_in_every_kind_of_object() {
        let id =
            |object: Value| events(&page(&[event(1, &object)])).unwrap()[0].head.resource_id().to_owned();
        assert_eq!(id(json!({"id": "ord_1", "order": {"id": "ord_2"}})), "ord_1");
        assert_eq!(id(json!({"order": {"id": "ord_2"}, "items": []})), "ord_2");
        assert_eq!(id(json!({"item": {"id": "inv_3"}, "location": {"id": "loc_4"}})), "inv_3");
        assert_eq!(id(json!({})), "");
    }

    proptest! {
        #[test]
        fn every_event_keeps_its_text(names in prop::collection::vec("[\\]\\[{}\",\\\\:a-z\u{e9}\u{1f4e6}]{0,12}", 0..6)) {
            let texts: Vec<_> = names.iter().zip(1..).map(|(name, n)| event(n, &json!({ "name": name }))).collect();
            let read = events(&page(&texts)).unwrap();
            prop_assert_eq!(read.iter().map(|event| event.json.clone()).collect::<Vec<_>>(), texts);
        }
    }
}
