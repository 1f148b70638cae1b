//! The memory and the start time of the program before its first request.

use std::time::Duration;

use crate::harness::compare::median;
use crate::harness::context::Bench;
use crate::harness::load::Turn;
use crate::harness::outcome::Outcome;
use crate::harness::process::{self, Data, create_request};

/// How long the process rests before it counts as idle.
const REST: Duration = Duration::from_millis(500);
const LOAD: Turn = Turn { warm: Duration::ZERO, time: Duration::from_secs(2) };
const LOAD_CONNECTIONS: usize = 64;
const IDLE_MIB_MAX: f64 = 64.0;
const START_MS_MAX: f64 = 200.0;

pub async fn measure(bench: &mut Bench) -> Outcome<()> {
    bench.progress("memory, SQLite");
    let data = Data::sqlite(bench, "memory")?;
    let server = data.serve().await?;
    let first = server.start.as_secs_f64() * 1000.0;
    tokio::time::sleep(REST).await;
    let idle = server.resident_mib()?;

    bench.progress("memory under load, SQLite");
    let token = data.token().await?;
    let requests = [create_request(&token), process::request("GET", "/locations", Some(&token), "")];
    for request in &requests {
        server.answer(request, LOAD_CONNECTIONS, LOAD).await?;
    }
    let loaded = server.resident_mib()?;
    server.stop().await?;

    let mut starts = Vec::new();
    for start in 1..=bench.plan.starts {
        bench.progress(&format!("start {start} of {}", bench.plan.starts));
        let server = data.serve().await?;
        starts.push(server.start.as_secs_f64() * 1000.0);
        server.stop().await?;
    }
    let again = median(starts.into_iter());

    let mib = |figure| format!("{figure:.1} MiB");
    let ms = |figure| format!("{figure:.0} ms");
    let targets = &mut bench.targets;
    let idle = format!("{}  {}", mib(idle), targets.below("resident memory, idle", idle, IDLE_MIB_MAX, mib));
    let again = format!("{}  {}", ms(again), targets.below("start to first answer", again, START_MS_MAX, ms));
    bench.print(&format!(
        "\nThe program, SQLite\n  \
         resident memory, idle                         {idle}\n  \
         resident memory, after 2 s creates, 2 s lists {}\n  \
         start to first answer, existing store         {again}\n  \
         start to first answer, empty folder           {}\n",
        mib(loaded),
        ms(first)
    ))
}
