//! Prints the modules of each crate that use each other, and the cheapest uses to remove.
//!
//!   graph [CRATE…]     the cycles of these crates, or of all
//!   graph --edges …    all uses between the modules of each cycle, too
//!   graph --known      the list in `tests/architecture/known.rs`, before `cargo fmt`

#![expect(clippy::print_stdout, reason = "its output is for people to read")]

use std::error::Error;
use std::path::Path;

use architecture::{Component, Edge, Graph, Sources, Tree};

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, crates): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tree = Tree::new(&Sources::read(&workspace)?)?;
    let components = Graph::new(&tree).components();
    if flags.iter().any(|flag| flag == "--known") {
        print_known(&components);
        return Ok(());
    }
    for component in components {
        let target =
            component.modules.first().and_then(|module| module.split("::").next()).unwrap_or_default();
        if crates.is_empty() || crates.iter().any(|name| name == target) {
            print_component(target, &component, flags.iter().any(|flag| flag == "--edges"));
        }
    }
    Ok(())
}

fn print_known(components: &[Component]) {
    println!("//! The cycles between modules that are still to be removed. The list only becomes shorter.");
    println!("//!");
    println!("//! `cargo run -p architecture --example graph -- --known` and `cargo fmt` write this file.\n");
    println!("pub const CYCLES: &[&[&str]] = &[");
    for component in components {
        println!("    &[");
        for module in &component.modules {
            println!("        {module:?},");
        }
        println!("    ],");
    }
    println!("];");
}

fn print_component(target: &str, component: &Component, has_edges: bool) {
    let uses: usize = component.edges.iter().map(|edge| edge.places.len()).sum();
    println!("{target}: {} modules use each other, with {uses} uses", component.modules.len());
    let modules: Vec<&str> = component.modules.iter().map(String::as_str).collect();
    println!("  {}", modules.join(", "));
    let cut = component.cheapest_cut();
    println!("  Cheapest to cut: {} uses", cut.iter().map(|edge| edge.places.len()).sum::<usize>());
    cut.into_iter().for_each(print_edge);
    if has_edges {
        println!("  All:");
        component.edges.iter().for_each(print_edge);
    }
}

fn print_edge(edge: &Edge) {
    println!("    {} uses {}", edge.from, edge.to);
    edge.places.iter().for_each(|place| println!("      {place}"));
}
