//! What is measured. Each section prints its own tables.

mod allocations;
mod batch_client;
mod batches;
mod creates;
mod drawing;
mod earlier;
mod growth;
mod hints;
mod log_cost;
mod memory;
mod reads;
mod realtime;
mod search;
mod shipments;
mod waves;
mod webhooks;

use clap::ValueEnum;

use crate::harness::context::Bench;
use crate::harness::outcome::Outcome;
use crate::harness::report;

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Get,
    List,
    Log,
    CreateSqlite,
    CreatePostgres,
    AllocateSqlite,
    AllocatePostgres,
    Shipments,
    Batches,
    Growth,
    Search,
    Waves,
    Webhooks,
    Realtime,
    Hints,
    Labels,
    Memory,
}

/// Measures these sections, or all if there are none, and prints their tables and the targets.
pub async fn run(bench: &mut Bench, sections: &[Section]) -> Outcome<()> {
    let is_wanted = |section| sections.is_empty() || sections.contains(&section);
    if let Some(earlier) = bench.earlier.clone() {
        earlier::measure(bench, &earlier).await?;
        return bench.print(&bench.targets.table());
    }
    bench.print(&report::heading(&bench.plan))?;
    if is_wanted(Section::Get) || is_wanted(Section::List) {
        reads::measure(bench, is_wanted(Section::Get), is_wanted(Section::List)).await?;
    }
    if is_wanted(Section::Log) {
        log_cost::measure(bench).await?;
    }
    if is_wanted(Section::CreateSqlite) {
        creates::sqlite(bench).await?;
    }
    if is_wanted(Section::CreatePostgres) {
        creates::postgres(bench).await?;
    }
    if is_wanted(Section::AllocateSqlite) {
        allocations::sqlite(bench).await?;
    }
    if is_wanted(Section::AllocatePostgres) {
        allocations::postgres(bench).await?;
    }
    if is_wanted(Section::Shipments) {
        shipments::measure(bench).await?;
    }
    if is_wanted(Section::Batches) {
        batches::measure(bench).await?;
    }
    if is_wanted(Section::Growth) {
        growth::measure(bench).await?;
    }
    if is_wanted(Section::Search) {
        search::measure(bench).await?;
    }
    if is_wanted(Section::Waves) {
        waves::measure(bench).await?;
    }
    if is_wanted(Section::Webhooks) {
        webhooks::measure(bench).await?;
    }
    if is_wanted(Section::Realtime) {
        realtime::measure(bench).await?;
    }
    if is_wanted(Section::Hints) {
        hints::measure(bench).await?;
    }
    if is_wanted(Section::Labels) {
        drawing::measure(bench)?;
    }
    if is_wanted(Section::Memory) {
        memory::measure(bench).await?;
    }
    bench.print(&bench.targets.table())?;
    bench.print(&format!("\n{} s in all\n", bench.began.elapsed().as_secs()))
}
