//! Query plans: the indexes by which an engine runs a statement of the store.

use crate::fresh::{Engine, Fresh};

/// Explains the one statement that contains all of these words. It must only read: PostgreSQL executes it, because it
/// shows the plan inside of a recursion only then.
pub async fn plan(fresh: &Fresh, engine: Engine, words: &[&str]) -> String {
    let is_it = |text: &str| words.iter().all(|word| text.contains(word));
    let found: Vec<_> = store::statements().filter(|sql| is_it(sql.postgres_text())).collect();
    assert_eq!(found.len(), 1, "statements with {words:?}");
    match engine {
        Engine::Sqlite => sqlite_plan(fresh, found[0].sqlite_text()),
        Engine::Postgres => postgres_plan(fresh, found[0].postgres_text()).await,
    }
}

pub fn sqlite_plan(fresh: &Fresh, text: &str) -> String {
    let connection = fresh.sqlite();
    let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}")).unwrap();
    let mut lines = explain.raw_query();
    let mut plan = Vec::new();
    while let Some(line) = lines.next().unwrap() {
        plan.push(line.get::<_, String>(3).unwrap());
    }
    plan.join("\n")
}

/// Explains with the settings of the store's connections.
async fn postgres_plan(fresh: &Fresh, text: &str) -> String {
    let client = fresh.postgres().await;
    let session =
        "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off";
    client.batch_execute(session).await.unwrap();
    client.batch_execute(&format!("PREPARE it AS {text}")).await.unwrap();
    let types = "SELECT array_length(parameter_types, 1) FROM pg_prepared_statements WHERE name = 'it'";
    let count: i32 = client.query_one(types, &[]).await.unwrap().get(0);
    let values = vec!["NULL"; count as usize].join(", ");
    let lines =
        client.query(&format!("EXPLAIN (ANALYZE, TIMING OFF) EXECUTE it({values})"), &[]).await.unwrap();
    lines.iter().map(|line| line.get::<_, String>(0)).collect::<Vec<_>>().join("\n")
}
