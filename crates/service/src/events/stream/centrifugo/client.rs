//! The HTTP client of the external server.

use std::time::Duration;

use bytes::Bytes;
use http::Method;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use model::{Error, Result};
use outbound::{Outbound, Request, Target};
use tracing::{Instrument, debug, debug_span};

use super::api::{self, Outcome};

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// How long one request may take, and how much of its answer is read.
const TIME_LIMIT: Duration = Duration::from_secs(10);
const ANSWER_BYTES_MAX: usize = 4 << 20;

/// The address and the key of the external server.
#[derive(Clone)]
pub struct Settings {
    /// Its address, such as `http://10.0.0.5:8000`.
    pub url: String,
    /// Its `http_api.key`.
    pub key: String,
}

/// The client of the external server.
pub struct Centrifugo {
    outbound: Outbound,
    batch: Target,
    key: HeaderValue,
}

impl Centrifugo {
    pub fn new(settings: &Settings) -> Result<Self> {
        // The operator chose the server, so every address is allowed.
        let everywhere = ["0.0.0.0/0", "::/0"].map(str::parse);
        let networks = everywhere.into_iter().collect::<Result<Vec<_>, _>>().map_err(Error::fault)?;
        let outbound = Outbound::new(&networks).map_err(Error::fault)?;
        let url = format!("{}/api/batch", settings.url.trim_end_matches('/'));
        let target = outbound.parse_url(&url).map_err(Error::fault)?;
        let mut key = HeaderValue::try_from(&settings.key).map_err(Error::fault)?;
        key.set_sensitive(true);
        Ok(Self { outbound, batch: target, key })
    }

    /// Sends commands, in order. Returns the messages of those that were refused for good.
    pub async fn send(&self, commands: Vec<String>) -> Result<Vec<String>, String> {
        let mut refused = Vec::new();
        for body in api::bodies(commands) {
            let request = Request {
                method: Method::POST,
                target: self.batch.clone(),
                headers: vec![
                    (CONTENT_TYPE, HeaderValue::from_static("application/json")),
                    (API_KEY, self.key.clone()),
                ],
                body: Bytes::from(body),
                time_limit: TIME_LIMIT,
                body_bytes_max: ANSWER_BYTES_MAX,
            };
            let span = debug_span!("outbound", to = "centrifugo");
            let answer = self.outbound.send(request).instrument(span.clone()).await;
            let answer = answer.map_err(|failure| failure.to_string())?;
            debug!(parent: &span, status = answer.status, "events sent to Centrifugo");
            match api::outcome(answer.status, &answer.body) {
                Outcome::Done => {}
                Outcome::Partly(messages) => refused.extend(messages),
                Outcome::Later(why) => return Err(why),
            }
        }
        Ok(refused)
    }
}
