//! The cycles between modules that are still to be removed. The list only becomes shorter.
//!
//! `cargo run -p architecture --example graph -- --known` and `cargo fmt` write this file.

pub const CYCLES: &[&[&str]] = &[
    &["dockside/tests/chaos::easypost", "dockside/tests/chaos::environment"],
    &["dockside/tests/stock::contention_run", "dockside/tests/stock::journal"],
    &["dockside/tests/stock::reference_model", "dockside/tests/stock::requests"],
    &["dockside::settings", "dockside::settings::file"],
    &[
        "service::shipping::purchasing",
        "service::shipping::purchasing::claim",
        "service::shipping::purchasing::follow::claim",
        "service::shipping::purchasing::group",
        "service::shipping::purchasing::late",
        "service::shipping::purchasing::load",
        "service::shipping::purchasing::record",
        "service::shipping::purchasing::review",
        "service::shipping::purchasing::settle",
        "service::shipping::purchasing::turn",
    ],
    &["service::shipping::purchasing::follow", "service::shipping::purchasing::void"],
];
