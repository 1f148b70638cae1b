//! `login` and `logout`, where the token comes from, and the exit codes.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::Value;
use testkit::server::{Ended, ended};

use super::Desk;

/// Runs a command that reads this from its standard input.
fn given(mut command: Command, input: &str) -> Ended {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A command that refuses its flags does not read.
    let _unread = child.stdin.take().expect("piped").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    Ended {
        code: output.status.code().expect("it was not killed"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

#[test]
fn a_login_is_kept_for_its_owner_until_the_logout() {
    let desk = Desk::new();
    let (url, file) = (desk.url(), desk.home.path().join("config/dockside/login.json"));
    let list = || ended(desk.signed_out(&["orders", "list"]));
    assert_eq!(list().code, 4);

    let wrong = given(desk.signed_out(&["login", "--url", &url]), "dk_test_nonsense\n");
    assert!(wrong.code == 4 && wrong.stderr.contains("unauthenticated"), "{}", wrong.stderr);
    assert_eq!(given(desk.signed_out(&["login", "--url", &url]), "\n").code, 2);
    let flag = given(desk.signed_out(&["login", "--url", &url, "--token", &desk.token]), "");
    assert_eq!(flag.code, 2, "a token is not given on the command line: {}", flag.stderr);
    assert!(!file.exists());

    let made = given(desk.signed_out(&["login", "--url", &url]), &format!("{}\n", desk.token));
    assert_eq!((made.code, made.stderr.as_str()), (0, ""));
    let shown = format!("Signed in at {url}: admin@acme.example of Acme, in the test world.\n");
    assert!(made.stdout.starts_with(&shown) && !made.stdout.contains(&desk.token), "{}", made.stdout);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let kept: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!((&kept["url"], &kept["token"]), (&url.clone().into(), &desk.token.clone().into()));

    let listed = list();
    assert_eq!((listed.code, listed.stderr.as_str()), (0, "There are no orders.\n"));
    // The token is for that server alone, and the variables count before the file.
    let elsewhere = ended(desk.signed_out(&["orders", "list", "--url", "http://127.0.0.1:1"]));
    assert!(elsewhere.code == 4 && elsewhere.stderr.contains(&url), "{}", elsewhere.stderr);
    let mut other = desk.signed_out(&["orders", "list"]);
    assert_eq!(
        ended({
            other.env("DOCKSIDE_TOKEN", "dk_test_nonsense");
            other
        })
        .code,
        4
    );
    // Imports and exports use the same login.
    assert_eq!(ended(desk.signed_out(&["export", "orders"])).code, 0);

    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let open = list();
    assert!(open.code == 4 && open.stderr.contains("chmod 600"), "{}", open.stderr);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();

    let out = ended(desk.signed_out(&["logout"]));
    assert!(out.code == 0 && out.stdout.contains("You are signed out") && !file.exists(), "{}", out.stdout);
    assert!(ended(desk.signed_out(&["logout"])).stdout.contains("You were not signed in"));
    assert_eq!(list().code, 4);
}

#[test]
fn exit_codes_say_what_kind_of_failure_it_was() {
    let desk = Desk::new();
    let refused = desk.refused(1, &["orders", "show", "ord_00000000000000000000000000"]);
    assert!(refused.starts_with("dockside: ") && refused.contains("404 not_found, request "), "{refused}");
    assert!(refused.contains(&format!("{}/docs/errors#not_found", desk.url())), "{refused}");
    assert!(desk.refused(1, &["orders", "show", "1001"]).contains("no order with the number \"1001\""));
    assert!(desk.refused(2, &["orders", "list", "--status", "drafty"]).contains("committed"));
    assert_eq!(desk.run(&["orders", "hold", "1001"]).code, 2);
    let away = desk.refused(3, &["orders", "list", "--url", "http://127.0.0.1:1"]);
    assert!(away.contains("http://127.0.0.1:1") && away.contains("is the server running?"), "{away}");
    let mut command = desk.signed_out(&["orders", "list"]);
    let few = testkit::server::token(desk.home.path(), &["--scopes", "locations:read"]);
    let lacking = ended({
        command.env("DOCKSIDE_URL", desk.url()).env("DOCKSIDE_TOKEN", &few);
        command
    });
    assert!(lacking.code == 4 && lacking.stderr.contains("orders:read"), "{}", lacking.stderr);
    assert!(!lacking.stderr.contains(&few), "a token is shown: {}", lacking.stderr);

    // With --json the problem document is as the server sent it.
    let words = ["orders", "show", "ord_00000000000000000000000000", "--json"];
    let problem: Value = serde_json::from_str(&desk.refused(1, &words)).unwrap();
    assert_eq!((problem["status"].as_u64(), problem["code"].as_str()), (Some(404), Some("not_found")));
    let help = desk.output(&["--help"]);
    assert!(help.contains("Exit codes:") && !help.contains(&desk.token), "{help}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let desk = Desk::new();
    for name in ["Bath", "York"] {
        assert_eq!(desk.client().post("/locations", &testkit::load::body(name).to_string()).status, 201);
    }
    let mut command = desk.command(&["search", "Bath", "York", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
