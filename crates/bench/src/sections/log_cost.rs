//! What the log costs: GET a location while each request is logged as JSON, against the same program without a log.

use crate::harness::compare::{Comparison, TARGET_CONNECTIONS, compare};
use crate::harness::context::Bench;
use crate::harness::load;
use crate::harness::outcome::Outcome;
use crate::harness::process::{self, Data, create_request};

/// The least part of the throughput without a log that must be left with it.
const RATIO_MIN: f64 = 0.97;
/// How many times more rounds there are than in other sections: the target is close to what one round varies by.
const ROUNDS: usize = 4;

pub async fn measure(bench: &mut Bench) -> Outcome<()> {
    let (logging, silent) = (Data::sqlite(bench, "log-json")?, Data::sqlite(bench, "log-off")?);
    let (mut servers, mut requests) = (Vec::new(), Vec::new());
    for (data, filter) in [(&logging, "info"), (&silent, "off")] {
        let token = data.token().await?;
        let server = data.serve_with(&["--log", filter]).await?;
        let location = process::id(&load::ask(&server.target(create_request(&token))).await?)?;
        requests.push(process::request("GET", &format!("/locations/{location}"), Some(&token), ""));
        servers.push(server);
    }
    let turn = bench.plan.turn;
    let comparison = Comparison {
        title: "GET a location with a log, SQLite".to_owned(),
        rival: "no log",
        connections: &[TARGET_CONNECTIONS],
        rounds: ROUNDS * bench.plan.rounds,
        ratio_min: RATIO_MIN,
        per_second_min: None,
    };
    compare(
        bench,
        comparison,
        async |connections| servers[0].answer(&requests[0], connections, turn).await,
        async |connections| servers[1].answer(&requests[1], connections, turn).await,
    )
    .await
}
