//! `completions` and `man`: they need no server.

use std::process::Command;

use testkit::server::run;

#[test]
fn shells_and_man_know_every_command() {
    let home = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let script = run(home.path(), &["completions", shell]);
        assert_eq!(script.code, 0, "{}", script.stderr);
        for word in ["orders", "hold", "on-hold", "print-agent", "purchase_failed"] {
            assert!(script.stdout.contains(word), "{shell} does not know {word}");
        }
        if shell == "bash" {
            std::fs::write(home.path().join("completions"), &script.stdout).unwrap();
            let read = Command::new("bash").arg("-n").arg(home.path().join("completions")).status();
            assert!(read.expect("bash runs").success());
        }
    }
    assert_eq!(run(home.path(), &["completions", "tcsh"]).code, 2);

    let pages = run(home.path(), &["man", "made/pages"]);
    assert_eq!(pages.code, 0, "{}", pages.stderr);
    let page =
        |name: &str| std::fs::read_to_string(home.path().join("made/pages").join(name)).expect("a page");
    assert!(page("dockside.1").contains("Exit codes:"), "{}", page("dockside.1"));
    let list = page("dockside-orders-list.1");
    let version = env!("CARGO_PKG_VERSION");
    let title = format!(".TH dockside-orders-list 1 \" \" \"dockside {version}\" \"User Commands\"\n");
    assert!(list.contains(&title), "{list}");
    assert!(list.contains(".SH NAME\ndockside\\-orders\\-list \\- List orders"), "{list}");
    assert!(list.contains(".SH SYNOPSIS\n\\fBdockside orders list\\fR [\\fB\\-\\-status\\fR]"), "{list}");
    assert!(list.contains("fulfilment") && list.contains("DOCKSIDE_TOKEN"), "{list}");
    assert!(page("dockside-batches-purchase.1").contains("yes"));
}
