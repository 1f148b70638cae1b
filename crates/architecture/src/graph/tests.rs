//! Small module trees, each with the uses and the cycles that it has.

use super::*;
use crate::sources::Sources;

/// Returns the uses between modules of the crate `a`, whose files are given by their paths below its `src`.
fn edges(files: &[(&str, &str)]) -> Vec<String> {
    let graph = graph(files);
    graph.edges.keys().map(|(from, to)| format!("{from} -> {to}")).collect()
}

fn cycles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let components = graph(files).components();
    components.into_iter().map(|component| component.modules.into_iter().collect()).collect()
}

fn graph(files: &[(&str, &str)]) -> Graph {
    let files: Vec<(String, &str)> =
        files.iter().map(|(path, text)| (format!("crates/a/src/{path}"), *text)).collect();
    let sources: Sources = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    Graph::new(&Tree::new(&sources).unwrap())
}

const ROOT: (&str, &str) = ("lib.rs", "mod x; mod y; mod z;");
const NONE: [&str; 0] = [];

#[test]
fn a_use_is_an_edge_and_a_declaration_is_not() {
    let found = edges(&[ROOT, ("x.rs", "use crate::y::Y;"), ("y.rs", "pub struct Y;"), ("z.rs", "")]);
    assert_eq!(found, ["a::x -> a::y"]);
}

#[test]
fn modules_that_use_each_other_through_a_third_are_a_cycle() {
    let found = cycles(&[
        ROOT,
        ("x.rs", "use crate::y::Y; pub struct X;"),
        ("y.rs", "use crate::z::Z; pub struct Y;"),
        ("z.rs", "pub struct Z; fn f() { crate::x::X; }"),
    ]);
    assert_eq!(found, [["a::x", "a::y", "a::z"]]);
}

#[test]
fn a_diamond_is_no_cycle() {
    let found = cycles(&[
        ("lib.rs", "mod x; mod y; mod z; mod top; use top::T;"),
        ("top.rs", "use crate::x::X; use crate::y::Y; pub struct T;"),
        ("x.rs", "use crate::z::Z; pub struct X;"),
        ("y.rs", "use crate::z::Z; pub struct Y;"),
        ("z.rs", "pub struct Z;"),
    ]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_reexported_name_belongs_to_the_module_that_defines_it() {
    let found = edges(&[
        ("lib.rs", "mod x; mod y; pub use y::{Y, inner::Deep as Renamed};"),
        ("x.rs", "use crate::{Renamed, Y};"),
        ("y.rs", "pub mod inner; pub struct Y;"),
        ("y/inner.rs", "pub struct Deep;"),
    ]);
    assert_eq!(found, ["a::x -> a::y", "a::x -> a::y::inner"]);
}

#[test]
fn a_cycle_through_a_reexport_is_found() {
    let found = cycles(&[
        ("lib.rs", "mod x; mod y; pub use x::X; pub use y::*;"),
        ("x.rs", "pub struct X(crate::Y);"),
        ("y.rs", "use crate::X; pub struct Y;"),
    ]);
    assert_eq!(found, [["a::x", "a::y"]]);
}

#[test]
fn siblings_that_use_each_other_by_their_parents_names_do_not_use_the_parent() {
    let found = edges(&[
        ("lib.rs", "mod p;"),
        ("p/mod.rs", "mod first; mod second; pub use first::First;"),
        ("p/first.rs", "pub struct First;"),
        ("p/second.rs", "use super::First;"),
    ]);
    assert_eq!(found, ["a::p::second -> a::p::first"]);
}

#[test]
fn a_parent_and_a_child_that_use_each_other_are_a_cycle() {
    let parent = "mod child; pub use child::C; pub struct P(C);";
    let found =
        cycles(&[("lib.rs", "mod p;"), ("p.rs", parent), ("p/child.rs", "use super::P; pub struct C;")]);
    assert_eq!(found, [["a::p", "a::p::child"]]);
    let parent = "mod child; pub use child::C; pub struct P;";
    let found =
        cycles(&[("lib.rs", "mod p;"), ("p.rs", parent), ("p/child.rs", "use super::P; pub struct C;")]);
    assert!(found.is_empty(), "a parent that only re-exports does not use: {found:?}");
}

#[test]
fn super_and_self_are_followed() {
    let found = edges(&[
        ("lib.rs", "mod x; mod y;"),
        ("x.rs", "mod deep; fn f() { self::deep::g(); }"),
        ("x/deep.rs", "use super::super::y; pub fn g() { y::h(); super::super::y::h(); }"),
        ("y.rs", "pub fn h() {}"),
    ]);
    assert_eq!(found, ["a::x -> a::x::deep", "a::x::deep -> a::y"]);
}

#[test]
fn groups_renames_and_globs_are_followed() {
    let found = edges(&[
        ROOT,
        ("x.rs", "use crate::{y::{self as other, Y}, z::*}; fn f() { other::g(); }"),
        ("y.rs", "pub struct Y; pub fn g() {}"),
        ("z.rs", ""),
    ]);
    assert_eq!(found, ["a::x -> a::y", "a::x -> a::z"]);
}

#[test]
fn an_imported_module_counts_by_the_paths_through_it() {
    let files = |code| {
        let [y, deep] = [("y.rs", "pub mod deep;"), ("y/deep.rs", "pub fn f() {}")];
        edges(&[("lib.rs", "mod x; mod y;"), ("x.rs", code), y, deep])
    };
    assert_eq!(files("use crate::y; fn f() { y::deep::f() }"), ["a::x -> a::y::deep"]);
    assert_eq!(files("use crate::y;"), ["a::x -> a::y"]);
}

#[test]
fn a_function_and_a_module_of_one_name_are_told_apart() {
    let files = |code| {
        let p = ("p/mod.rs", "mod make; mod user; pub fn make() {} pub mod other; pub use other::other;");
        let other = ("p/other.rs", "pub fn other() {}");
        edges(&[("lib.rs", "mod p;"), p, ("p/make.rs", "pub fn f() {}"), other, ("p/user.rs", code)])
    };
    assert_eq!(files("use super::make; fn g() { make() }"), ["a::p::user -> a::p"]);
    assert_eq!(files("use super::make; fn g() { make::f() }"), ["a::p::user -> a::p::make"]);
    assert_eq!(
        files("use super::make; fn g() { make(make::f()) }"),
        ["a::p::user -> a::p", "a::p::user -> a::p::make"]
    );
    assert_eq!(files("use super::other; fn g() { other() }"), ["a::p::user -> a::p::other"]);
    let parent = "mod other; pub use other::other; fn f() { other::g() }";
    let found =
        edges(&[("lib.rs", "mod p;"), ("p.rs", parent), ("p/other.rs", "pub fn other() {} pub fn g() {}")]);
    assert_eq!(found, ["a::p -> a::p::other"]);
}

#[test]
fn paths_in_macros_and_attributes_are_found() {
    let found = edges(&[
        ROOT,
        ("x.rs", "fn f() { println!(\"{}\", [crate::y::Y.len(), a.z::<u8>()]); }"),
        ("y.rs", "pub struct Y; #[derive(D)] struct S { #[serde(with = \"crate::z::at\")] f: u8 }"),
        ("z.rs", "macro_rules! m { () => { $crate::x::f() } }"),
    ]);
    assert_eq!(found, ["a::x -> a::y", "a::y -> a::z", "a::z -> a::x"]);
}

#[test]
fn a_macro_of_a_parent_is_used_without_an_import() {
    let found = edges(&[
        ("lib.rs", "mod p;"),
        ("p.rs", "macro_rules! m { () => {} } mod child; m!();"),
        ("p/child.rs", "const C: &str = concat!(m!(), 1 != 2);"),
    ]);
    assert_eq!(found, ["a::p::child -> a::p"]);
}

#[test]
fn what_a_macro_defines_belongs_to_the_module_that_calls_it() {
    let found =
        edges(&[("lib.rs", "mod x; mod y;"), ("x.rs", "use crate::y::Made;"), ("y.rs", "make! { Made }")]);
    assert_eq!(found, ["a::x -> a::y"]);
}

#[test]
fn inline_modules_belong_to_their_file() {
    let found = edges(&[
        ("lib.rs", "mod x; mod y;"),
        ("x.rs", "mod inline { use super::X; use crate::y::Y; } struct X; use inline::f;"),
        ("y.rs", "pub struct Y;"),
    ]);
    assert_eq!(found, ["a::x -> a::y"]);
}

#[test]
fn code_for_tests_is_left_out() {
    let found = edges(&[
        ROOT,
        ("x.rs", "pub struct X; #[cfg(test)] mod tests { use crate::y::Y; } #[cfg(test)] use crate::z::Z;"),
        ("y.rs", "pub struct Y; #[cfg(all(test, unix))] mod tests;"),
        ("y/tests.rs", "use crate::x::X;"),
        ("z.rs", "pub struct Z; impl Z { #[cfg(test)] fn f() -> crate::x::X {} }"),
    ]);
    assert_eq!(found, NONE);
    let found = edges(&[ROOT, ("x.rs", "#[cfg(not(test))] use crate::y::Y;"), ("y.rs", ""), ("z.rs", "")]);
    assert_eq!(found, ["a::x -> a::y"]);
}

#[test]
fn names_that_no_crate_of_the_workspace_defines_are_no_edges() {
    let found = edges(&[
        ("lib.rs", "mod x; mod y; mod z; use std::sync::Arc;"),
        ("x.rs", "use std::sync::Mutex; use y::Y; fn f() { Mutex::new(Self::G); T::f() }"),
        ("y.rs", "use super::Arc;"),
        ("z.rs", "pub(in crate::x) struct Z;"),
    ]);
    assert_eq!(found, NONE);
}

#[test]
fn the_cheapest_use_to_remove_is_named_with_its_place() {
    let graph = graph(&[
        ("lib.rs", "mod x; mod y;"),
        ("x.rs", "use crate::y::{A,\n B};\npub struct X;"),
        ("y.rs", "pub struct A;\npub struct B;\nuse crate::x::X;"),
    ]);
    let components = graph.components();
    let cut = components[0].cheapest_cut();
    let places: Vec<String> = cut.iter().flat_map(|edge| &edge.places).map(Place::to_string).collect();
    assert_eq!(places, ["crates/a/src/y.rs:3 `crate::x::X`"]);
    assert_eq!(components[0].chain("a::x", "a::y"), ["a::x", "a::y"]);
}

#[test]
fn a_file_that_is_missing_or_broken_is_an_error() {
    let read = |text| Tree::new(&[("crates/a/src/lib.rs", text)].into_iter().collect()).err();
    let text = |error: Option<crate::tree::ReadError>| error.unwrap().to_string();
    assert_eq!(text(read("mod x;")), "crates/a/src/lib.rs: there is no file for `mod x`");
    assert_eq!(
        text(read("#[path = \"y.rs\"] mod x;")),
        "crates/a/src/lib.rs: `mod x` has a #[path], which is not read"
    );
    assert!(text(read("fn")).starts_with("crates/a/src/lib.rs:1: can't be parsed"));
}
