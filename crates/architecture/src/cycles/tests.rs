use super::*;
use crate::sources::Sources;
use crate::tree::Tree;

/// The crate `a`: `x` and `y` use each other, and `z` is used.
fn graph() -> Graph {
    let sources: Sources = [
        ("crates/a/src/lib.rs", "mod x; mod y; mod z;"),
        ("crates/a/src/x.rs", "use crate::y::Y;\nuse crate::z::Z;\npub struct X;"),
        ("crates/a/src/y.rs", "pub struct Y;\n\nfn f() -> crate::x::X {}\nfn g() -> crate::x::X {}"),
        ("crates/a/src/z.rs", "pub struct Z;"),
    ]
    .into_iter()
    .collect();
    Graph::new(&Tree::new(&sources).unwrap())
}

#[test]
fn a_known_cycle_is_accepted() {
    assert_eq!(cycle_violations(&graph(), &[&["a::x", "a::y"]]), [""; 0]);
}

#[test]
fn a_new_cycle_names_modules_files_lines_and_what_to_do() {
    let [text] = &cycle_violations(&graph(), &[])[..] else { panic!("one cycle") };
    let expected = "2 modules use each other: a::x, a::y
  Without these uses there is no cycle:
    a::x uses a::y:
      crates/a/src/x.rs:1 `crate::y::Y`
      a::y -> a::x leads back:
        crates/a/src/y.rs:3 `crate::x::X`
  What to do: ";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn a_larger_cycle_names_the_modules_that_are_new() {
    let sources: Sources = [
        ("crates/a/src/lib.rs", "mod x; mod y; mod z;"),
        ("crates/a/src/x.rs", "use crate::y::Y; pub struct X;"),
        ("crates/a/src/y.rs", "use crate::x::X; use crate::z::Z; pub struct Y;"),
        ("crates/a/src/z.rs", "use crate::x::X; pub struct Z;"),
    ]
    .into_iter()
    .collect();
    let graph = Graph::new(&Tree::new(&sources).unwrap());
    let [text] = &cycle_violations(&graph, &[&["a::x", "a::y"]])[..] else { panic!("one cycle") };
    assert!(text.contains("Not in the list of known cycles: a::z\n"), "{text}");
}

#[test]
fn a_known_cycle_that_is_gone_or_smaller_is_outdated() {
    let known: &[&[&str]] = &[&["a::x", "a::y", "a::z"], &["b", "b::c"]];
    let [smaller, gone] = &cycle_violations(&graph(), known)[..] else { panic!("two entries") };
    assert!(smaller.contains("No longer in a cycle: a::z\n  Still in a cycle: a::x, a::y\n"), "{smaller}");
    assert!(gone.contains("No longer in a cycle: b, b::c\n  Still in a cycle: none\n"), "{gone}");
}
