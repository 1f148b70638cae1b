use super::*;

const MODEL: (&str, &str) =
    ("crates/model/src/lib.rs", "pub mod orders; pub mod stock; pub use orders::Order;");
const ORDERS: (&str, &str) = ("crates/model/src/orders/mod.rs", "pub struct Order;");
const STOCK: (&str, &str) = ("crates/model/src/stock/mod.rs", "pub struct Level;");

fn violations(files: &[(&str, &str)], outside: &[OutsideArea]) -> Vec<String> {
    let sources: Sources = files.iter().copied().collect();
    area_violations(&sources, &Tree::new(&sources).unwrap(), outside)
}

/// Returns the first line of each text.
fn lines(files: &[(&str, &str)]) -> Vec<String> {
    let texts = violations(files, &[]);
    texts.iter().filter_map(|text| text.lines().next()).map(str::to_owned).collect()
}

#[test]
fn an_area_may_use_those_before_it() {
    let orders = ("crates/model/src/orders/mod.rs", "use crate::stock::Level; pub struct Order;");
    assert_eq!(lines(&[MODEL, orders, STOCK]), [""; 0]);
}

#[test]
fn an_area_may_not_use_those_after_it() {
    let stock = ("crates/model/src/stock/mod.rs", "mod level;");
    let expected = "crates/model/src/stock/level.rs:2: model::stock::level uses model::orders. \
                    Area `stock` comes before area `orders`.";
    for code in
        ["\nuse crate::orders::Order;", "\nuse crate::Order;", "\nfn f() -> super::super::orders::Order {}"]
    {
        let level = ("crates/model/src/stock/level.rs", code);
        assert_eq!(lines(&[MODEL, ORDERS, stock, level]), [expected], "{code}");
    }
}

#[test]
fn tests_keep_the_order_too() {
    let stock = ("crates/model/src/stock/mod.rs", "#[cfg(test)] mod tests { use crate::orders::Order; }");
    assert_eq!(lines(&[MODEL, ORDERS, stock]).len(), 1);
}

#[test]
fn the_order_holds_across_crates_and_reexports() {
    let store = ("crates/store/src/lib.rs", "pub mod stock; pub mod exchange;");
    let exchange = ("crates/store/src/exchange/mod.rs", "use model::Order; use model::stock::Level;");
    let stock = ("crates/store/src/stock/mod.rs", "use model::stock::Level;\nuse model::Order;");
    let found = lines(&[MODEL, ORDERS, STOCK, store, exchange, stock]);
    let expected = "crates/store/src/stock/mod.rs:2: store::stock uses model::orders. \
                    Area `stock` comes before area `orders`.";
    assert_eq!(found, [expected]);
}

#[test]
fn a_suite_of_tests_has_areas() {
    let main = ("crates/dockside/tests/it/main.rs", "mod stock; mod orders;");
    let stock = ("crates/dockside/tests/it/stock/mod.rs", "use crate::orders::f;");
    let orders = ("crates/dockside/tests/it/orders/mod.rs", "pub fn f() {}");
    assert_eq!(lines(&[main, stock, orders]).len(), 1);
}

#[test]
fn the_root_uses_all_areas_and_none_uses_the_root() {
    let root =
        ("crates/model/src/lib.rs", "mod stock; mod orders; use orders::Order; pub struct Whole(Order);");
    let stock = ("crates/model/src/stock/mod.rs", "use crate::Whole;");
    let expected = "crates/model/src/stock/mod.rs:1: model::stock uses model. \
                    A module of an area can't use what composes the areas.";
    assert_eq!(lines(&[root, ORDERS, stock]), [expected]);
}

#[test]
fn the_root_of_another_crate_may_be_used() {
    let service = ("crates/service/src/lib.rs", "pub mod stock; pub struct Service;");
    let [of_service, of_api] = ["crates/service/src/stock/mod.rs", "crates/api/src/stock/mod.rs"];
    let api = ("crates/api/src/lib.rs", "mod stock;");
    assert_eq!(lines(&[service, (of_service, ""), api, (of_api, "use service::Service;")]), [""; 0]);
}

#[test]
fn a_crate_without_areas_is_not_checked() {
    let root = ("crates/model/src/lib.rs", "mod stock; mod orders; pub struct Whole;");
    let stock = ("crates/model/src/stock.rs", "use crate::orders::Order; use crate::Whole;");
    let orders = ("crates/model/src/orders.rs", "pub struct Order;");
    assert_eq!(lines(&[root, stock, orders]), [""; 0]);
    let other = ("crates/labels/src/lib.rs", "mod stock; mod orders;");
    let stock = ("crates/labels/src/stock/mod.rs", "use crate::orders::Order;");
    let orders = ("crates/labels/src/orders/mod.rs", "pub struct Order;");
    assert_eq!(lines(&[other, stock, orders]), [""; 0]);
}

#[test]
fn every_file_of_a_divided_crate_is_in_an_area() {
    let root = ("crates/store/src/lib.rs", "mod engine; mod routes; mod stock;");
    let engine = ("crates/store/src/engine/mod.rs", "use crate::stock::Level; pub struct Db;");
    let routes = ("crates/store/src/routes.rs", "use crate::stock::Level; pub struct Table;");
    let stock =
        ("crates/store/src/stock/mod.rs", "use crate::{engine::Db, routes::Table}; pub struct Level;");
    let files = [root, engine, routes, stock];
    let expected = ["crates/store/src/engine is in no area.", "crates/store/src/routes.rs is in no area."];
    assert_eq!(lines(&files), expected);

    let outside = |module, role| OutsideArea { layer: "store", module, role };
    let listed = [outside("engine", Role::Foundation), outside("routes", Role::Composition)];
    let found = violations(&files, &listed);
    let expected = [
        "crates/store/src/engine/mod.rs:1: store::engine uses store::stock. Area `platform` comes before",
        "crates/store/src/stock/mod.rs:1: store::stock uses store::routes. A module of an area can't",
    ];
    assert_eq!(found.len(), 2, "{found:?}");
    for (text, start) in found.iter().zip(expected) {
        assert!(text.starts_with(start), "{text}");
    }
}
