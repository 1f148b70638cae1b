//! Compares the cycles between modules with those that are known.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::graph::{Component, Edge, Graph};

/// Returns a text for each cycle that is not known, and for each known one that has become smaller or is gone.
pub fn cycle_violations(graph: &Graph, known: &[&[&str]]) -> Vec<String> {
    let known: Vec<BTreeSet<&str>> = known.iter().map(|modules| modules.iter().copied().collect()).collect();
    let components = graph.components();
    let found: Vec<BTreeSet<&str>> =
        components.iter().map(|component| component.modules.iter().map(String::as_str).collect()).collect();
    let mut texts = Vec::new();
    for (component, modules) in components.iter().zip(&found) {
        if !known.iter().any(|known| modules.is_subset(known)) {
            texts.push(describe(component, &known));
        }
    }
    for listed in known.iter().filter(|listed| !found.contains(listed)) {
        // If the component is larger, the text above says so.
        if !found.iter().any(|modules| listed.is_subset(modules)) {
            texts.push(outdated(listed, &found));
        }
    }
    texts
}

fn describe(component: &Component, known: &[BTreeSet<&str>]) -> String {
    let listed: BTreeSet<&str> = known.iter().flatten().copied().collect();
    let is_new = |module: &&str| !listed.contains(module);
    let modules: Vec<&str> = component.modules.iter().map(String::as_str).collect();
    let new: Vec<&str> = modules.iter().copied().filter(is_new).collect();
    let mut text = format!("{} modules use each other: {}\n", modules.len(), modules.join(", "));
    if new.len() < modules.len() {
        let _ = writeln!(text, "  Not in the list of known cycles: {}", new.join(", "));
    }
    text.push_str("  Without these uses there is no cycle:\n");
    for edge in component.cheapest_cut() {
        describe_edge(component, edge, &mut text);
    }
    text.push_str(
        "  What to do: move what both modules need into a module that uses neither. Or let the module that is used \
         receive the value, a closure or a trait object from its caller.\n",
    );
    text
}

fn describe_edge(component: &Component, edge: &Edge, text: &mut String) {
    let _ = writeln!(text, "    {} uses {}:", edge.from, edge.to);
    for place in &edge.places {
        let _ = writeln!(text, "      {place}");
    }
    let back = component.chain(&edge.to, &edge.from);
    let _ = writeln!(text, "      {} leads back:", back.join(" -> "));
    for pair in back.windows(2) {
        let edges = component.edges.iter().filter(|edge| edge.from == pair[0] && edge.to == pair[1]);
        for place in edges.filter_map(|edge| edge.places.first()) {
            let _ = writeln!(text, "        {place}");
        }
    }
}

fn outdated(listed: &BTreeSet<&str>, found: &[BTreeSet<&str>]) -> String {
    let gone: Vec<&str> = listed
        .iter()
        .copied()
        .filter(|module| !found.iter().any(|modules| modules.contains(module)))
        .collect();
    let smaller = found.iter().filter(|modules| modules.is_subset(listed));
    let left: Vec<String> =
        smaller.map(|modules| modules.iter().copied().collect::<Vec<_>>().join(", ")).collect();
    let listed: Vec<&str> = listed.iter().copied().collect();
    format!(
        "The list of known cycles is outdated: {}\n  No longer in a cycle: {}\n  Still in a cycle: {}\n  What to do: \
         write crates/architecture/tests/architecture/known.rs again, with `cargo run -p architecture --example graph -- --known`.\n",
        listed.join(", "),
        if gone.is_empty() { "none".to_owned() } else { gone.join(", ") },
        if left.is_empty() { "none".to_owned() } else { left.join("; ") },
    )
}

#[cfg(test)]
mod tests;
