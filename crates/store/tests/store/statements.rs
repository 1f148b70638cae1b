//! Every statement is sound on both engines, and none is forgotten.

use std::path::{Path, PathBuf};

use crate::fresh::{Engine, Fresh};

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
    for file in files(&source).into_iter().filter(|file| !file.starts_with(source.join("engine"))) {
        let text = std::fs::read_to_string(&file).unwrap();
        written += text.matches("Sql::same(").count() + text.matches("Sql::each(").count();
    }
    assert!(written > 0, "no source was found in {}", source.display());
    assert_eq!(store::statements().count(), written, "a statement is missing from its STATEMENTS");
}

/// PostgreSQL reads a list that stands behind `IN` anew for each row, where it takes the table for a small one: of a list
/// of 100,000 that never ends. Those that change or lock what is listed let the list lead, by `LATERAL`.
#[test]
fn long_lists_lead_the_statements_that_lock_and_change() {
    const BEHIND: &str = "IN (SELECT jsonb_array_elements_text(";
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut leading = 0;
    for file in files(&source) {
        let text = std::fs::read_to_string(&file).unwrap();
        leading += text.matches("CROSS JOIN LATERAL").count();
        for statement in text.split('"').filter(|statement| statement.contains(BEHIND)) {
            let is_change = statement.starts_with("UPDATE") || statement.contains("FOR UPDATE");
            assert!(!is_change, "{}: {statement}", file.display());
        }
    }
    assert!(leading > 0, "no list leads: this looked at the wrong place");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

on_both_engines!(every_statement_prepares);
