//! `dockside health`: asks a running server whether it can serve requests. It is the health check of containers, whose image has
//! neither a shell nor another client of HTTP.

use std::io::Write;
use std::time::Duration;

use bytes::Bytes;
use clap::Args;
use http::Method;
use outbound::{Network, Outbound, Request};
use serde_json::Value;

use crate::failure::Failure;

/// For the whole check. It is less than what container engines allow a check by default, so that its message is seen.
const TIME_LIMIT: Duration = Duration::from_secs(5);
/// Room for a problem document.
const ANSWER_BYTES_MAX: usize = 64 << 10;
/// The server is where the operator says, on a machine that reaches it anyway.
const EVERYWHERE: [&str; 2] = ["0.0.0.0/0", "::/0"];

#[derive(Args)]
pub struct Health {
    /// The server.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    url: String,
}

pub async fn run(arguments: Health) -> Result<(), Failure> {
    let url = arguments.url.trim_end_matches('/');
    let everywhere: Result<Vec<Network>, _> = EVERYWHERE.iter().map(|network| network.parse()).collect();
    let outbound = Outbound::new(&everywhere?)?;
    let target = outbound
        .parse_url(&format!("{url}/readyz"))
        .map_err(|refusal| Failure(format!("--url {url}: {refusal}")))?;
    let request = Request {
        method: Method::GET,
        target,
        headers: Vec::new(),
        body: Bytes::new(),
        time_limit: TIME_LIMIT,
        body_bytes_max: ANSWER_BYTES_MAX,
    };
    let answer = outbound.send(request).await.map_err(|failure| Failure(format!("{url}: {failure}")))?;
    if answer.status == 200 {
        writeln!(std::io::stdout(), "ready")?;
        return Ok(());
    }
    let problem: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let code = problem["code"].as_str().unwrap_or("is a Dockside server there?");
    Err(Failure(format!("{url} is not ready: {} {code}", answer.status)))
}
