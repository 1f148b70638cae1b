//! `dockside geo import` as an operator runs it: beside a running server, with the faults that real tables have.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use testkit::client::Client;
use testkit::database::Database;
use testkit::server::{Ended, Server, program, run, token};

const TABLE: &str = "\
GB\tBS1\tBristol\tEngland\tENG\t\t\t\t\t51.4494\t-2.5879\t4
GB\tBS1\tBristol
GB\tSW1A\tLondon\tEngland\tENG\t\t\t\t\t51.5010\t-0.1416\t4
DE\t26133\tOldenburg\tNiedersachsen\tNI\t\t\t\t\t53.1235\t8.2146\t6
GB\tN1\tLondon\tEngland\tENG\t\t\t\t\tnorth\t-0.1\t4
";
const IMPORTED: &str = "3 post codes of 2 countries imported; 2 lines were not understood: first at line 2: the line has fewer than 11 fields.\n";

/// Imports a table from standard input.
fn import_piped(folder: &Path, arguments: &[&str], table: &str) -> Ended {
    let mut command = program(folder, &[&["geo", "import", "-"], arguments].concat());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("piped").write_all(table.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    Ended {
        code: output.status.code().expect("it was not killed"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Makes an order that one location in London can supply, and returns the path of its plan.
fn order(client: &mut Client) -> String {
    let address = |post_code: &str| json!({"address": {"line_1": "1 High Street", "city": "City", "country_code": "GB", "post_code": post_code}});
    let mut make = |path: &str, body: Value| {
        let reply = client.post(path, &body.to_string());
        assert_eq!(reply.status, 201, "{}", reply.body);
        reply.json()["id"].as_str().expect("an id").to_owned()
    };
    let location = make("/locations", json!({"name": "London", "address": address("SW1A 1AA")}));
    let item = make("/inventory_items", json!({"sku": "TEE", "name": "T-shirt"}));
    let items = json!([{"id": item, "quantity": 2}]);
    let order = make("/orders", json!({"items": items, "destination": address("BS1 4DJ")}));
    let level = format!("/inventory_items/{item}/levels/{location}");
    let set = client
        .request("PUT", &level, &[("Content-Type", "application/json")], r#"{"on_hand":5}"#)
        .expect("an answer");
    assert_eq!(set.status, 200, "{}", set.body);
    format!("/allocations/orders/{order}/plan")
}

fn distance(client: &mut Client, plan: &str) -> Value {
    let reply = client.post(plan, "");
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()["proposals"][0]["distance"].clone()
}

/// Imports while a server runs, and asserts that its next plan uses distances.
fn imports_beside_a_server(folder: &Path, store: &[&str]) {
    let server = Server::start(folder, store);
    let mut client = server.client(&token(folder, store));
    let plan = order(&mut client);
    assert_eq!(distance(&mut client, &plan)["basis"], "same_country");
    std::fs::write(folder.join("table.txt"), TABLE).unwrap();
    for _ in 0..2 {
        let imported = run(folder, &[&["geo", "import", "table.txt"], store].concat());
        assert_eq!((imported.code, imported.stdout.as_str()), (0, IMPORTED));
        let said: Vec<_> = imported.stderr.lines().filter(|line| line.starts_with("line ")).collect();
        let latitude = "line 5: the latitude is not a number from -90 to 90";
        assert_eq!(said, ["line 2: the line has fewer than 11 fields", latitude]);
        assert!(imported.stderr.ends_with("writing: 100%\n"), "{}", imported.stderr);
        let distance = distance(&mut client, &plan);
        assert_eq!((&distance["basis"], &distance["confidence"]), (&json!("kilometres"), &json!(0.5)));
    }
    server.stop();
}

#[test]
fn a_table_is_imported_while_a_server_runs_on_sqlite() {
    let home = tempfile::tempdir().unwrap();
    imports_beside_a_server(home.path(), &["--data", "data"]);
}

#[test]
fn a_table_is_imported_while_a_server_runs_on_postgresql() {
    let (home, database) = (tempfile::tempdir().unwrap(), Database::create());
    imports_beside_a_server(home.path(), &["--data", "data", "--database-url", &database.url]);
}

#[test]
fn a_table_is_read_from_standard_input() {
    let home = tempfile::tempdir().unwrap();
    Server::start(home.path(), &["--data", "data"]).stop();
    let imported = import_piped(home.path(), &["--data", "data"], TABLE);
    assert_eq!((imported.code, imported.stdout.as_str()), (0, IMPORTED));
}

#[test]
fn a_table_of_which_nothing_is_understood_fails_and_makes_no_store() {
    let home = tempfile::tempdir().unwrap();
    let tables = [
        ("", "the table is empty"),
        ("id,name\n1,x\n", "out of 2 lines; 2 lines were not understood: first at line 1"),
        ("PK\u{3}\u{4}", "unpack it first"),
    ];
    for (table, says) in tables {
        let refused = import_piped(home.path(), &["--data", "data"], table);
        assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
        assert!(refused.stderr.contains(says), "{table:?}: {}", refused.stderr);
    }
    let missing = run(home.path(), &["geo", "import", "nowhere.txt", "--data", "data"]);
    assert_eq!(missing.code, 1);
    assert!(missing.stderr.starts_with("dockside: nowhere.txt can't be read: "), "{}", missing.stderr);
    assert!(!home.path().join("data").exists());
}
