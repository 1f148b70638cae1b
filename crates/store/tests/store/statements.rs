//! Every statement is valid on both engines, uses an index, and is in the list of statements.

use std::path::{Path, PathBuf};

use crate::fresh::{Engine, Fresh};
use crate::plans::sqlite_plan;

async fn every_statement_prepares(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    let mut prepared = 0;
    for statement in store::statements() {
        db.prepare(statement).await.unwrap_or_else(|error| panic!("statement {prepared}: {error}"));
        prepared += 1;
    }
    assert!(prepared > 0);
}

#[test]
fn every_statement_of_the_source_is_listed() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut written = 0;
    for file in files(&source).into_iter().filter(|file| !file.starts_with(source.join("platform/engine"))) {
        let text = std::fs::read_to_string(&file).unwrap();
        written += text.matches("Sql::same(").count() + text.matches("Sql::each(").count();
    }
    assert!(written > 0, "no source was found in {}", source.display());
    assert_eq!(store::statements().count(), written, "a statement is missing from its STATEMENTS");
}

/// SQLite gives placeholders their numbers by their first appearance, whatever they are called. If `$2` came first, it would get
/// the first value there, and the second on PostgreSQL.
#[test]
fn placeholders_appear_in_the_order_of_their_numbers() {
    let mut checked = 0;
    for text in store::statements().map(|sql| sql.sqlite_text()) {
        let mut known = 0;
        for rest in text.split('$').skip(1) {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            // The path of a JSON value begins with a dollar too.
            let Ok(number) = digits.parse::<usize>() else { continue };
            assert!(number <= known + 1, "${number} comes before ${}: {text}", known + 1);
            known = known.max(number);
            checked += 1;
        }
    }
    assert!(checked > 1000, "only {checked} placeholders: this looked at the wrong place");
}

/// PostgreSQL may run the subquery of a join once for each row, and each run then locks the next row: a claim of one item takes
/// several, and no task works on the others. An array is made once.
#[test]
fn what_a_claim_locks_is_chosen_once() {
    let mut claims = 0;
    for text in store::statements().map(|sql| sql.postgres_text()).filter(|text| text.contains("SKIP LOCKED"))
    {
        if text.starts_with("UPDATE") || text.starts_with("DELETE") {
            assert!(text.contains("WHERE ctid = ANY (ARRAY("), "{text}");
            claims += 1;
        }
    }
    assert!(claims >= 7, "only {claims} claims: this looked at the wrong place");
}

/// If PostgreSQL takes the table for a small one, it reads a list behind `IN` again for each row: with a list of
/// 100,000 the statement never ends. So the list leads, and each of its entries is looked up.
#[test]
fn lists_lead_their_statements() {
    /// More characters than the longest look-up has.
    const LOOKUP_CHARS: usize = 500;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut leading = 0;
    for file in files(&source).into_iter().filter(|file| !file.starts_with(source.join("platform/engine"))) {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(!text.contains("IN (SELECT jsonb_array_elements"), "{}", file.display());
        for (place, _) in text.match_indices("wanted!(").chain(text.match_indices("AS wanted")) {
            let lookup = text[place..].split("CROSS JOIN LATERAL").nth(1).unwrap_or_default();
            let is_kept = ["FOR UPDATE", "FOR KEY SHARE", "SKIP LOCKED", "OFFSET 0", "LIMIT 1"];
            let lookup: String = lookup.chars().take(LOOKUP_CHARS).collect();
            assert!(is_kept.iter().any(|word| lookup.contains(word)), "{}: {lookup}", file.display());
            leading += 1;
        }
    }
    assert!(leading > 10, "only {leading} lists lead: this looked at the wrong place");
}

/// SQLite likes to read all rows of an organisation in the order that is asked for, and to compare each with the list.
#[tokio::test]
async fn sqlite_looks_up_the_entries_of_lists() {
    let fresh = Fresh::new(Engine::Sqlite).await;
    drop(fresh.open().await);
    let (mut checked, mut unled) = (0, Vec::new());
    for text in store::statements().map(|sql| sql.sqlite_text()).filter(|text| is_planned(text)) {
        for (before, _) in
            text.match_indices(" IN (SELECT value FROM json_each(").map(|(at, _)| text.split_at(at))
        {
            let column = before.rsplit([' ', '(']).next().unwrap_or_default();
            let column = column.rsplit('.').next().unwrap_or_default();
            let plan = sqlite_plan(&fresh, text);
            if !is_led_otherwise(text, column) && !plan.contains(&format!("{column}=?")) {
                unled.push(format!("{column} in {text}\n{plan}"));
            }
            checked += 1;
        }
    }
    assert!(unled.is_empty(), "{}", unled.join("\n\n"));
    assert!(checked > 40, "only {checked} lists: this looked at the wrong place");
}

/// Returns whether a list only chooses among the few rows that a statement finds by something else.
fn is_led_otherwise(text: &str, column: &str) -> bool {
    // What is left out; the events of one resource; the items in one bin; filters of lists, which have tests of their own.
    column == "NOT"
        || (column == "type" && text.contains("resource_id ="))
        || (column == "item_id" && text.contains("bin = $4"))
        || text.contains("facet")
}

/// A plan that reads a small table whole still does so when the table is large, until it is analysed. And if one
/// table has to be read whole, PostgreSQL's cost estimate is so high that it chooses the other indexes at random.
#[tokio::test]
async fn every_statement_is_led_by_an_index() {
    let fresh = Fresh::new(Engine::Postgres).await;
    drop(fresh.open().await);
    let client = fresh.postgres().await;
    let session =
        "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off";
    client.batch_execute(session).await.unwrap();
    let (mut explained, mut unled) = (0, Vec::new());
    for text in store::statements().map(|sql| sql.postgres_text()).filter(|text| is_planned(text)) {
        client.batch_execute(&format!("PREPARE it AS {text}")).await.unwrap();
        let types = "SELECT array_length(parameter_types, 1) FROM pg_prepared_statements WHERE name = 'it'";
        let count: Option<i32> = client.query_one(types, &[]).await.unwrap().get(0);
        let values = vec!["NULL"; count.unwrap_or(0) as usize].join(", ");
        let values = if values.is_empty() { values } else { format!("({values})") };
        let lines = client.query(&format!("EXPLAIN EXECUTE it{values}"), &[]).await.unwrap();
        let plan: Vec<String> = lines.iter().map(|line| line.get(0)).collect();
        let plan = plan.join("\n");
        if plan.contains("Seq Scan") {
            unled.push(format!("{text}\n{plan}"));
        }
        client.batch_execute("DEALLOCATE it").await.unwrap();
        explained += 1;
    }
    assert!(unled.is_empty(), "{}", unled.join("\n\n"));
    assert!(explained > 100, "only {explained} statements were looked at");
}

fn is_planned(text: &str) -> bool {
    ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].iter().any(|word| text.starts_with(word))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

on_both_engines!(every_statement_prepares);
