//! Basics: the sections that apply to every operation, before the operations themselves.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use http_body::Body as _;
use model::places::location::LOCATION;
use model::platform::shape::{Issues, Path};
use model::{Code, Problem};
use serde_json::{Value, json};

use super::code;
use super::example::{self, Way};
use super::html::Html;
use super::request;
use crate::access::route::Route;
use crate::platform::problem;
use crate::platform::version::VERSION;

/// One section.
pub struct Topic {
    pub id: &'static str,
    pub title: &'static str,
    pub text: &'static [&'static str],
    example: fn(&mut Html, &[Route]),
}

pub const TOPICS: &[Topic] = &[
    Topic {
        id: "first-steps",
        title: "First steps",
        text: &[
            "Start the server with `dockside serve`. When it starts for the first time, it makes an organisation and two tokens: one for live data, one for a [test world](#test-world) beside it. [First steps](/docs/guide/first-steps) in the guide shows where they are.",
            "Put the test token into the field “Your token” above the contents, and every example on this page carries it until you close the tab. It stays in this browser tab and is sent nowhere.",
            "Then paste the first example into a terminal. It creates a location: the place that shipments leave from.",
        ],
        example: |html, routes| call(html, routes, "create_location", &[]),
    },
    Topic {
        id: "authentication",
        title: "Authentication",
        text: &[
            "Every request carries an access token in its `Authorization` header. Tokens read `dk_live_…` or `dk_test_…`, belong to a user of one organisation, and may expire. They are shown once and stored as a hash.",
            "A token carries scopes, such as `locations:read`. Each operation names the scope it needs. `write` implies `read`, and `*` is all of them. Buying costs money, so it is apart: `shipments:purchase` and `batches:purchase` are not implied by `write`.",
            "Make tokens [through the API](#create_access_token) or on the server with `dockside token create`. [`GET /me`](#get_me) tells whom a token speaks for and what it may do. Programs that want short-lived ones [trade](#create_oauth_token) a token's id and secret for one that lives an hour. [Revoking](#delete_access_token) a token revokes those that it made.",
        ],
        example: |html, routes| call(html, routes, "list_locations", &[]),
    },
    Topic {
        id: "requests",
        title: "Requests and answers",
        text: &[
            "Bodies are JSON in UTF-8, at most 4 MiB unless the operator configured another limit. A field that does not exist is refused by name, since a misspelt one must not get lost. Fields that the server makes, such as `id` and `created_at`, are ignored in requests: you may send back what you read.",
            "PATCH merges (RFC 7396): what is absent stays, `null` clears, nested objects merge, arrays are replaced.",
            "Timestamps are RFC 3339 in UTC with microseconds; any offset is accepted. Ids are a prefix that names their kind and 26 characters that sort by age.",
            "Every answer carries an `X-Request-Id`, yours where you sent one, and the `Dockside-Version` that it follows. The whole contract is at [/openapi.json](/openapi.json), as OpenAPI 3.1.",
        ],
        example: |html, _| {
            code::panel(html, "Headers of an answer", |html| {
                html.text(&format!("Dockside-Version: {VERSION}\nX-Request-Id: {REQUEST_ID}\nETag: \"1\""));
            });
        },
    },
    Topic {
        id: "errors",
        title: "Errors",
        text: &[
            "Whatever is refused is answered with a problem document (RFC 9457). Its `code` is stable, so programs may match it; `detail` speaks of this very request; and `errors` names every field at fault at once, up to 100, as a JSON pointer into the body or as a parameter's name. If there are more, a last entry with the code `more_errors` says how many.",
            "[The catalogue of problems](/docs/errors) explains each code, and what to do about it. 429 and 503 tell in `Retry-After` how many seconds to wait. Quote the `request_id` when you ask the operator for help.",
        ],
        example: |html, _| {
            code::panel(html, "422 Unprocessable Entity", |html| code::json(html, &refused_location()));
        },
    },
    Topic {
        id: "paging",
        title: "Paging",
        text: &[
            "Lists come in pages, newest first. `limit` asks for a page size: 20 where it is not given, at most 100. A larger one is taken as 100, and the answer's `limit` says so. A page also ends after about 4 MiB, so it may have fewer entries: there are more as long as `next_cursor` is not null.",
            "Pass `next_cursor` as `cursor` to read on, and `previous_cursor` to go back. Both are always there, and `null` at an end. A cursor is valid for its list with the same filters; an empty one is the first page. Pages don't shift while things are created and deleted.",
            "The same addresses are in the `Link` header (RFC 8288).",
        ],
        example: |html, _| {
            code::panel(html, "The next page", |html| {
                html.line("span", "command", "curl");
                html.text(" '");
                html.base();
                html.text("/locations?limit=50&cursor=");
                html.line("span", "fill", "NEXT_CURSOR");
                html.text("' \\\n  -H 'Authorization: Bearer ");
                html.line("span", "token", code::TOKEN);
                html.text("'");
            });
        },
    },
    Topic {
        id: "idempotency",
        title: "Idempotency",
        text: &[
            "A connection may break after a request arrived and before its answer did. Send an `Idempotency-Key` of your own making with every POST, PATCH and DELETE, and you may repeat the request until you hear an answer: it is carried out once.",
            "The first answer is kept for a day and given again, with `Idempotent-Replayed: true`, a refusal (404, 409, 412 or 422) as well. So make a new key when you correct a request: the same key with another request is refused as [`idempotency_key_reused`](/docs/errors#idempotency_key_reused); while the first is still running, its repetition is answered with [`idempotency_in_progress`](/docs/errors#idempotency_in_progress).",
            "Keys belong to the organisation, so another of its tokens may repeat a request. An answer that carries credentials (an access token, a token for streams, the secret of a webhook endpoint) is given again to the token that got it alone; to others the key is used up.",
        ],
        example: |html, routes| {
            call(html, routes, "create_access_token", &[("Idempotency-Key", "scanner-1")]);
        },
    },
    Topic {
        id: "concurrency",
        title: "Concurrency",
        text: &[
            "Every answer with a single resource carries an `ETag`. Send it as `If-Match` with a PATCH or DELETE, and the change happens only if the resource is unchanged since you read it: otherwise it is refused as [`precondition_failed`](/docs/errors#precondition_failed).",
            "Send it as `If-None-Match` with a GET, and the answer is an empty 304 while nothing has changed. Links to files are made with each read and are no part of the state: to get a new link, leave `If-None-Match` out.",
        ],
        example: |html, routes| call(html, routes, "update_location", &[("If-Match", "\"1\"")]),
    },
    Topic {
        id: "test-world",
        title: "Test world",
        text: &[
            "Tokens that begin with `dk_test_` see a separate world of the same organisation. Nothing in it touches live data, and nothing in it costs money: the only carrier there is the sandbox.",
            "A token made by a test token is a test token too. On the server, `dockside token create --test` makes one.",
        ],
        example: |html, _| {
            code::panel(html, "On the server", |html| {
                html.line("span", "command", "dockside");
                html.text(
                    " token create --test \\\n  --organisation 'Example Ltd' \\\n  --user 'you@example.com'",
                );
            });
        },
    },
];

const REQUEST_ID: &str = "req_5f0c9a3be1d24c7786b0aa12";

pub fn topics(html: &mut Html, routes: &[Route]) {
    for topic in TOPICS {
        html.tag("section", &[("class", "row"), ("id", topic.id)], |html| {
            html.tag("div", &[("class", "prose")], |html| {
                html.line("h2", "", topic.title);
                topic.text.iter().for_each(|text| html.paragraph(text));
            });
            html.tag("div", &[("class", "examples")], |html| (topic.example)(html, routes));
        });
    }
}

fn call(html: &mut Html, routes: &[Route], operation: &str, headers: &[(&str, &str)]) {
    if let Some(route) = routes.iter().find(|route| route.operation == operation) {
        request::request(html, route.summary, "topic", route, headers);
    }
}

/// Returns a problem, made by the same code as the server's answers.
fn refused_location() -> Value {
    let mut body = example::value(&LOCATION, Way::Request);
    body["name"] = json!("");
    body["tags"] = json!(["Accepts returns"]);
    let mut issues = Issues::default();
    LOCATION.check(&mut body, &Path::Root(""), &mut issues);
    let mut response = problem::refused(Problem::body(issues));
    problem::finish(&mut response, REQUEST_ID);
    let mut context = Context::from_waker(Waker::noop());
    let bytes = match Pin::new(response.body_mut()).poll_frame(&mut context) {
        Poll::Ready(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
        _ => Default::default(),
    };
    serde_json::from_slice(&bytes).unwrap_or_else(|_| json!({ "code": Code::ValidationFailed.as_str() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_problem_is_a_real_one() {
        let problem = refused_location();
        assert_eq!(problem["status"], 422);
        assert_eq!(problem["errors"].as_array().map(Vec::len), Some(2));
        assert_eq!(problem["request_id"], REQUEST_ID);
    }

    #[test]
    fn every_topic_with_an_operation_finds_it() {
        let routes = crate::routes::all();
        for topic in TOPICS {
            let mut html = Html::default();
            (topic.example)(&mut html, &routes);
            assert!(html.finish().contains("<pre"), "{} has no example", topic.id);
        }
    }
}
