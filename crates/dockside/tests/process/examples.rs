//! The examples of the reference: each language's request runs as a reader copies it, once the token is put in.

use std::io::Write as _;
use std::process::{Command, Stdio};

use testkit::server::{Server, token};

/// The host that this suite's client names.
const HOST: &str = "dockside.example";
/// Operations whose examples need nothing that must exist before.
const OPERATIONS: [&str; 6] = [
    "create_location",
    "list_locations",
    "create_inventory_item",
    "list_orders",
    "list_shipments",
    "list_carriers",
];

/// The code of an operation's example in a language, as the button copies it.
fn example(page: &str, operation: &str, language: &str) -> String {
    let (_, panel) = page.split_once(&format!("id=\"call-{operation}-curl\"")).expect("an example");
    let (_, code) = panel.split_once(&format!("class=\"{language}\"><code>")).expect("the language");
    let (code, _) = code.split_once("</code>").expect("an end");
    let mut text = String::new();
    for part in code.split('<') {
        text.push_str(part.split_once('>').map_or(part, |(_, after)| after));
    }
    let text = text.replace("&#39;", "'").replace("&quot;", "\"").replace("&gt;", ">").replace("&lt;", "<");
    text.replace("&amp;", "&")
}

/// Runs a program that is given on standard input, and gives what it prints.
fn run(command: &[&str], program: &str) -> String {
    let mut child = Command::new(command[0])
        .args(&command[1..])
        // Where a proxy is set, the example must still reach this machine.
        .envs([("NO_PROXY", "127.0.0.1"), ("no_proxy", "127.0.0.1")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", command[0]));
    child.stdin.take().expect("piped").write_all(program.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{program}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_examples_of_the_reference_run_in_each_language() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &[]);
    let token = token(home.path(), &[]);
    let page = server.client("").get("/docs").body;
    for (language, command) in
        [("curl", &["sh"][..]), ("js", &["node", "--input-type=module", "-"]), ("py", &["python3", "-"])]
    {
        for operation in OPERATIONS {
            // A SKU and a barcode are unique in an organisation, so each language has its own.
            let program = example(&page, operation, language).replace("TEE-BLUE-M", language);
            let program = program.replace("4006381333931", &format!("own-{language}"));
            let program = program.replace("YOUR_TOKEN", &token);
            // The examples name the host that the page was asked for at.
            let program = program.replace(HOST, &server.address.to_string());
            let printed = run(command, &program);
            let (made, listed) = (["\"id\"", "id:", "'id':"], ["limit\":20", "limit: 20", "'limit': 20"]);
            let wanted = if operation.starts_with("create") { made } else { listed };
            assert!(
                wanted.iter().any(|word| printed.contains(word)),
                "{operation} in {language}:\n{printed}"
            );
        }
    }
    server.stop();
}
