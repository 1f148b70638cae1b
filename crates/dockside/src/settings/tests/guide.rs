//! The tables in `docs/guide/settings.md` are what the declarations say.

use super::super::description::{DefaultText, Description};
use super::entries::{Entry, all};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/settings.md");
/// Set it to have the test write the page.
const UPDATE: &str = "UPDATE_GUIDE";

/// Renders a heading and a table for each subject.
fn tables() -> String {
    let head = "| Flag | Variable | Key | Default | What it does |\n|---|---|---|---|---|\n";
    let table = |subject: &[Entry]| {
        let rows: String = subject.iter().map(|entry| row(entry.description)).collect();
        format!("## {}\n\n{head}{rows}\n", subject[0].title)
    };
    all().chunk_by(|one, next| one.title == next.title).map(table).collect()
}

fn row(description: &Description) -> String {
    let Description { name, flag, variable, about, default, allowed, is_in_file, .. } = description;
    let key = if *is_in_file { format!("`{name}`") } else { String::new() };
    let default = match default {
        Some(DefaultText::Value(number)) if number.parse::<u64>().is_ok() => number.clone(),
        Some(DefaultText::Value(value)) => format!("`{value}`"),
        Some(DefaultText::Words(words)) => words.clone(),
        None => "none".to_owned(),
    };
    let allowed = allowed.as_ref().map(|allowed| format!(" Allowed: {allowed}.")).unwrap_or_default();
    assert!(!about.contains('|'), "{name}: a table can't show this");
    format!("| `--{flag}` | `{variable}` | {key} | {default} | {about}.{allowed} |\n")
}

/// Returns the page with these tables in the place of its own: from the heading of the first subject to the first heading
/// that is no subject's.
fn with_tables(page: &str, tables: &str) -> String {
    let titles: Vec<String> = all().iter().map(|entry| format!("## {}", entry.title)).collect();
    let is_title = |line: &str| titles.iter().any(|title| title == line);
    let lines: Vec<&str> = page.lines().collect();
    let begin = lines.iter().position(|line| *line == titles[0]).expect("the page has the first heading");
    let is_end = |line: &&str| line.starts_with("## ") && !is_title(line);
    let end = begin + lines[begin..].iter().position(is_end).expect("a heading follows the tables");
    format!("{}\n{tables}{}\n", lines[..begin].join("\n"), lines[end..].join("\n"))
}

#[test]
fn the_page_has_the_tables_of_the_declarations() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let current = with_tables(&page, &tables());
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(PAGE, &current).unwrap();
        return;
    }
    let same = page.lines().zip(current.lines()).take_while(|(old, new)| old == new).count();
    assert!(
        page == current,
        "docs/guide/settings.md is stale from line {}: `{UPDATE}=1 cargo test --workspace --bin dockside settings::tests::guide`",
        same + 1
    );
}
