//! The server as a print agent sees it: three requests of the API.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method};
use model::PrintJob;
use model::fulfilment::print_job::{ClaimedDocument, JOB_BYTES_MAX, PrintClaim, TryOutcome};
use model::{Id, Printer};
use outbound::{Network, Outbound, Request, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::failure::Failure;

/// How long a request for jobs waits for one, in seconds.
const WAIT_SECONDS: u64 = 20;
/// How long the server may take to answer, beside the wait for jobs.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// Room for the jobs of one answer.
const CLAIMS_BYTES_MAX: usize = 16 << 20;
/// The server is where the operator of the agent says, on a machine that reaches it anyway.
const EVERYWHERE: [&str; 2] = ["0.0.0.0/0", "::/0"];

/// Why there is no answer.
pub enum Trouble {
    /// The server does not answer, or can't at the moment: it may be there again soon.
    Away(String),
    /// Waiting does not help.
    Final(Failure),
}

/// A server, and the token to call it with.
pub struct Server {
    outbound: Outbound,
    url: String,
    authorization: HeaderValue,
    /// The body of a request for jobs.
    wanted: Bytes,
    /// Which world the token opens.
    pub world: &'static str,
}

#[derive(Deserialize)]
struct Claims {
    data: Vec<PrintClaim>,
}

impl Server {
    pub fn new(url: &str, token: Option<&str>, printers: Vec<String>) -> Result<Self, Failure> {
        let Some(token) = token.filter(|token| !token.is_empty()) else {
            return Err(Failure(
                "no token: give one with --token or in the variable DOCKSIDE_TOKEN; `dockside token create --scopes \
                 \"print_jobs:write printers:read\"` makes one"
                    .to_owned(),
            ));
        };
        if let Some(wrong) = printers.iter().find(|id| Id::<Printer>::parse(id).is_none()) {
            return Err(Failure(format!("--printer {wrong}: not the id of a printer (prn_…)")));
        }
        let mut authorization = HeaderValue::try_from(format!("Bearer {token}"))
            .map_err(|_| Failure("--token: there are characters in it that no token has".to_owned()))?;
        authorization.set_sensitive(true);
        let everywhere: Result<Vec<Network>, _> = EVERYWHERE.iter().map(|network| network.parse()).collect();
        let outbound = Outbound::new(&everywhere?)?;
        let url = url.trim_end_matches('/').to_owned();
        outbound.parse_url(&url).map_err(|refusal| Failure(format!("--server {url}: {refusal}")))?;
        let world = if token.starts_with("dk_test_") { "test" } else { "live" };
        let wanted = json!({ "printer_ids": printers }).to_string().into();
        Ok(Self { outbound, url, authorization, wanted, world })
    }

    /// Claims jobs. Waits for one if there is none.
    pub async fn claim(&self) -> Result<Vec<PrintClaim>, Trouble> {
        let prefer = (HeaderName::from_static("prefer"), format!("wait={WAIT_SECONDS}"));
        let answer = self
            .send(Method::POST, "/print_jobs/claim", self.wanted.clone(), Some(prefer), CLAIMS_BYTES_MAX)
            .await?;
        let claims: Claims = serde_json::from_slice(&answer.body).map_err(|_| {
            Trouble::Final(Failure(format!("{} answers with something other than print jobs", self.url)))
        })?;
        Ok(claims.data)
    }

    /// Returns the bytes of a document. From then on the server takes the job for begun.
    pub async fn content(
        &self,
        job: Id<PrintJob>,
        fence: i64,
        (place, document): (usize, &ClaimedDocument),
    ) -> Result<Bytes, Trouble> {
        let path = format!("/print_jobs/{job}/content?fence={fence}&document={}", place + 1);
        let bytes_max = usize::try_from(JOB_BYTES_MAX).unwrap_or(usize::MAX);
        let answer = self.send(Method::GET, &path, Bytes::new(), None, bytes_max).await?;
        // What is made when it is fetched has no size before.
        let is_whole =
            document.file_size.is_none_or(|size| i64::try_from(answer.body.len()).ok() == Some(size));
        if answer.is_truncated || !is_whole {
            return Err(Trouble::Away(format!("The document {} did not come whole.", document.id)));
        }
        Ok(answer.body)
    }

    /// Reports what came of a job. A repetition counts once.
    pub async fn report(
        &self,
        job: Id<PrintJob>,
        fence: i64,
        outcome: TryOutcome,
        message: Option<&str>,
    ) -> Result<(), Trouble> {
        let path = format!("/print_jobs/{job}/result");
        let body = json!({ "fence": fence, "outcome": outcome, "message": message }).to_string();
        let key = (HeaderName::from_static("idempotency-key"), format!("{job}-{fence}"));
        self.send(Method::POST, &path, body.into(), Some(key), CLAIMS_BYTES_MAX).await.map(drop)
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
        more: Option<(HeaderName, String)>,
        body_bytes_max: usize,
    ) -> Result<Response, Trouble> {
        let target = self
            .outbound
            .parse_url(&format!("{}{path}", self.url))
            .map_err(|refusal| Trouble::Final(Failure(format!("--server {}: {refusal}", self.url))))?;
        let mut headers = vec![
            (AUTHORIZATION, self.authorization.clone()),
            (ACCEPT, HeaderValue::from_static("*/*")),
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        ];
        if let Some((name, value)) = more {
            headers.push((name, HeaderValue::try_from(value).map_err(|error| Trouble::Final(error.into()))?));
        }
        let time_limit = TIME_LIMIT + Duration::from_secs(WAIT_SECONDS);
        let request = Request { method, target, headers, body, time_limit, body_bytes_max };
        let response =
            self.outbound.send(request).await.map_err(|failure| Trouble::Away(failure.to_string()))?;
        if response.status < 300 { Ok(response) } else { Err(self.refusal(&response)) }
    }

    /// What an answer means that is no success.
    fn refusal(&self, response: &Response) -> Trouble {
        let (url, status) = (&self.url, response.status);
        let problem: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        let detail = problem["detail"].as_str().or_else(|| problem["title"].as_str()).unwrap_or("");
        let sentence = match status {
            401 => format!("{url} does not accept the token: it is wrong, was revoked, or has expired"),
            403 => format!(
                "{detail} The token needs print_jobs:write and printers:read; `dockside token create --scopes \
                 \"print_jobs:write printers:read\"` makes one that has them"
            ),
            429 | 500.. => {
                return Trouble::Away(format!("it answers {status}. {detail}").trim_end().to_owned());
            }
            404 if problem["code"].is_null() => format!("{url} answers 404; is a Dockside server there?"),
            _ => format!("{url} answers {status}. {detail}").trim_end().to_owned(),
        };
        Trouble::Final(Failure(sentence))
    }
}
