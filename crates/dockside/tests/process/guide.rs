//! The guide's commands: the tests paste each page into a shell, from its first block to its last, and it must print what it
//! shows. They do so on a fresh server per page, and on one server with all pages, in their order and in reverse.
//!
//! A block marked `sh` is run. A block marked `text` behind it is what it prints, line by line, where `…` stands for
//! anything. Indented commands are not run: they start servers, or fetch things.

use std::path::Path;
use std::process::Command;

use testkit::server::{Server, program, run};

use crate::receiver::Receiver;

/// Separates the outputs of two blocks. No answer has this character.
const MARK: char = '\u{1e}';

/// A block to run, and what it prints where the page says so.
struct Step {
    commands: String,
    shown: Option<String>,
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else { continue };
        let block = lines.by_ref().take_while(|line| *line != "```");
        let text = block.map(|line| format!("{line}\n")).collect::<String>();
        match (kind, steps.last_mut()) {
            ("sh", _) => steps.push(Step { commands: text, shown: None }),
            ("text", Some(step)) if step.shown.is_none() => step.shown = Some(text),
            ("text", _) => panic!("output without a command: {text}"),
            _ => {}
        }
    }
    steps
}

/// Whether a line is the shown one, in which `…` stands for anything.
fn is_shown(shown: &str, line: &str) -> bool {
    let parts: Vec<&str> = shown.split('…').collect();
    let [first, middle @ .., last] = &parts[..] else { return shown == line };
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    for part in middle {
        let Some(place) = rest.find(part) else { return false };
        rest = &rest[place + part.len()..];
    }
    rest.ends_with(last)
}

/// Runs a page's blocks in one shell, and returns what each printed.
fn outputs(home: &Path, name: &str, variables: &[(&str, String)], steps: &[Step]) -> Vec<String> {
    let mut script = "set -eu\n".to_owned();
    for step in steps {
        script.push_str(&step.commands);
        script.push_str(&format!("printf '{MARK}'\n"));
    }
    let binary = program(home, &[]);
    let folder = Path::new(binary.get_program()).parent().expect("a folder").display().to_string();
    let path = std::env::var("PATH").expect("a PATH");
    let mut shell = Command::new("sh");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("DOCKSIDE_") {
            shell.env_remove(name);
        }
    }
    shell.args(["-c", &script]).current_dir(home).env("PATH", format!("{folder}:{path}"));
    // A page that signs in must not replace the login of the person who runs the tests.
    shell.env("XDG_CONFIG_HOME", home.join("config"));
    // Where a proxy is set, the commands must still reach this machine.
    shell.env("NO_PROXY", "127.0.0.1").envs(variables.iter().map(|(name, value)| (name, value)));
    let output = shell.output().expect("sh runs");
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{name}:\n{said}\n{}", String::from_utf8_lossy(&output.stderr));
    said.split(MARK).map(str::to_owned).collect()
}

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide");

pub fn page(name: &str) -> String {
    std::fs::read_to_string(Path::new(FOLDER).join(name)).expect("the page")
}

/// A server with the organisation of its first start, for walking through pages.
struct Walk {
    home: tempfile::TempDir,
    server: Server,
    /// The variables that pages rely on.
    variables: Vec<(&'static str, String)>,
}

impl Walk {
    fn start(settings: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let server = Server::start(home.path(), settings);
        // The organisation that the first start made, as the guide says for a token that was lost.
        let create =
            ["token", "create", "--organisation", "Default", "--user", "guide@example.com", "--test"];
        let made = run(home.path(), &create);
        assert_eq!(made.code, 0, "{}", made.stderr);
        let variables = vec![
            ("TOKEN", made.stdout.trim().to_owned()),
            ("DOCKSIDE", format!("http://{}", server.address)),
        ];
        Self { home, server, variables }
    }

    /// Pastes a page, and compares what it prints with what it shows.
    fn page(&self, name: &str) -> Vec<String> {
        let steps = steps(&page(name));
        let outputs = outputs(self.home.path(), name, &self.variables, &steps);
        for (step, output) in steps.iter().zip(&outputs) {
            let Some(shown) = &step.shown else { continue };
            let (shown, lines): (Vec<_>, Vec<_>) = (shown.lines().collect(), output.lines().collect());
            let is_as_shown = shown.len() == lines.len()
                && shown.iter().zip(&lines).all(|(shown, line)| is_shown(shown, line));
            assert!(is_as_shown, "{name}:\n{}prints\n{output}", step.commands);
        }
        outputs
    }
}

/// Walks through a page alone, on a server with these settings and these variables beside the usual ones.
fn walk(name: &str, settings: &[&str], variables: &[(&'static str, String)]) -> Vec<String> {
    let mut walk = Walk::start(settings);
    walk.variables.extend_from_slice(variables);
    let outputs = walk.page(name);
    walk.server.stop();
    outputs
}

/// The pages, in the order in which the guide lists them.
fn listed() -> Vec<String> {
    let index = page("README.md");
    let links = index.lines().filter(|line| line.starts_with("- [")).filter_map(|line| line.split_once("]("));
    let mut pages: Vec<String> =
        links.filter_map(|(_, rest)| rest.split_once(')')).map(|(name, _)| name.to_owned()).collect();
    let mut files: Vec<String> = std::fs::read_dir(FOLDER)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md") && name != "README.md")
        .collect();
    let in_order = pages.clone();
    pages.sort_unstable();
    files.sort_unstable();
    assert_eq!(pages, files, "the guide lists every page once");
    in_order
}

/// Walks through all pages on one server.
fn walk_all(pages: &[String]) {
    let receiver = Receiver::start(&[]);
    let carrier_home = tempfile::tempdir().unwrap();
    let carrier = crate::sandbox_carrier::carrier(carrier_home.path(), &[]);
    let ledger = carrier_home.path().join(crate::sandbox_carrier::LEDGER).display().to_string();
    let mut walk = Walk::start(&["--outbound-allow", "127.0.0.0/8"]);
    walk.variables.extend([
        ("RECEIVER", receiver.url()),
        ("CARRIER", format!("http://{}", carrier.address)),
        ("LEDGER", ledger),
    ]);
    let blocks: usize = pages.iter().map(|name| walk.page(name).len()).sum();
    assert!(blocks > 60, "only {blocks} blocks were run");
    walk.server.stop();
}

#[test]
fn all_pages_work_on_one_server_in_their_order() {
    walk_all(&listed());
}

#[test]
fn all_pages_work_on_one_server_in_reverse() {
    let mut pages = listed();
    pages.reverse();
    walk_all(&pages);
}

/// A reader decides by the first sentence whether to read on.
#[test]
fn every_page_begins_with_what_the_reader_will_have() {
    for name in listed() {
        let text = page(&name);
        let lead = text.split("\n\n").nth(1).unwrap_or_default();
        assert!(lead.starts_with("At the end of this page you "), "{name} begins: {lead}");
    }
}

/// Pages read JSON with a JSON parser: a command that splits at quotation marks breaks when a field is added.
#[test]
fn commands_read_json_with_jq() {
    for name in listed() {
        for step in steps(&page(&name)) {
            for habit in ["cut -d", "grep -o", "awk"] {
                assert!(!step.commands.contains(habit), "{name} uses {habit}:\n{}", step.commands);
            }
        }
    }
    assert!(page("first-steps.md").contains("cargo install --path crates/dockside --locked"));
}

#[test]
fn the_first_steps_work_when_pasted() {
    let outputs = walk("first-steps.md", &[], &[]);
    assert!(outputs[0].starts_with("HTTP/1.1 201 Created\r\n"), "{}", outputs[0]);
    assert!(outputs[0].to_ascii_lowercase().contains("\r\netag: \""), "{}", outputs[0]);
    let listed = outputs.iter().find(|output| output.starts_with("ID ")).expect("the list of tokens");
    assert!(listed.contains("scanner@example.com"), "{listed}");
}

#[test]
fn the_commands_of_the_guide_to_shipments_work() {
    walk("shipments.md", &[], &[]);
}

#[test]
fn a_day_of_shipping_works_when_pasted() {
    let outputs = walk("batches.md", &[], &[]);
    assert!(outputs.len() > 9, "a page that was cut short would pass too");
}

#[test]
fn the_commands_of_the_guide_to_manifests_work() {
    let outputs = walk("manifests.md", &[], &[]);
    assert!(outputs.len() > 4, "a page that was cut short would pass too");
}

#[test]
fn the_life_of_an_order_works_when_pasted() {
    let outputs = walk("orders.md", &[], &[]);
    assert!(outputs.len() > 12, "a page that was cut short would pass too");
}

#[test]
fn packages_work_when_pasted() {
    let outputs = walk("packages.md", &[], &[]);
    assert!(outputs.len() > 6, "a page that was cut short would pass too");
}

#[test]
fn parcels_of_orders_work_when_pasted() {
    let outputs = walk("parcels.md", &[], &[]);
    assert!(outputs.len() > 6, "a page that was cut short would pass too");
}

#[test]
fn papers_work_when_pasted() {
    let outputs = walk("papers.md", &[], &[]);
    assert!(outputs.len() > 6, "a page that was cut short would pass too");
}

#[test]
fn scans_work_when_pasted() {
    let outputs = walk("scanning.md", &[], &[]);
    assert!(outputs.len() > 4, "a page that was cut short would pass too");
}

#[test]
fn exports_work_when_pasted() {
    let outputs = walk("exports.md", &[], &[]);
    assert!(outputs.len() > 4, "a page that was cut short would pass too");
}

#[test]
fn the_command_line_works_when_pasted() {
    let outputs = walk("command-line.md", &[], &[]);
    assert!(outputs.len() > 10, "a page that was cut short would pass too");
}

#[test]
fn users_work_when_pasted() {
    let outputs = walk("users.md", &[], &[]);
    assert!(outputs.len() > 5, "a page that was cut short would pass too");
}

#[test]
fn backups_work_when_pasted() {
    let outputs = walk("operating.md", &[], &[]);
    assert!(outputs.len() > 3, "a page that was cut short would pass too");
}

#[test]
fn carriers_work_when_pasted() {
    let outputs = walk("carriers.md", &[], &[]);
    assert!(outputs.len() > 4, "a page that was cut short would pass too");
}

#[test]
fn webhooks_work_when_pasted() {
    let receiver = Receiver::start(&[]);
    let allow = ["--outbound-allow", "127.0.0.0/8"];
    let outputs = walk("webhooks.md", &allow, &[("RECEIVER", receiver.url())]);
    assert!(outputs.len() > 8, "a page that was cut short would pass too");
    // The test, the first location, and the second one, at least once from the endpoint that was lost at first.
    let types: Vec<_> = (0..3).map(|_| receiver.next().body).map(|body| body_type(&body)).collect();
    assert_eq!(types[..2], ["webhook_endpoint.test", "location.created"]);
    assert!(types[2..].iter().all(|name| name == "location.created"), "{types:?}");
}

#[test]
fn the_sandbox_carrier_works_when_pasted() {
    let home = tempfile::tempdir().unwrap();
    let carrier = crate::sandbox_carrier::carrier(home.path(), &[]);
    let address = ("CARRIER", format!("http://{}", carrier.address));
    let ledger = ("LEDGER", home.path().join(crate::sandbox_carrier::LEDGER).display().to_string());
    let outputs = walk("sandbox.md", &[], &[address, ledger]);
    assert!(outputs.len() > 4, "a page that was cut short would pass too");
}

/// Every word, fault and mode has its row.
#[test]
fn the_sandbox_s_words_are_all_told() {
    use carriers::sandbox::{Mode, Word, desk::Fault};
    let page = page("sandbox.md");
    let rows: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let words = Word::ALL.iter().map(|(word, _, _)| *word).chain(Fault::ALL.iter().map(|(name, _, _)| *name));
    for name in words.chain(Mode::ALL.map(Mode::as_str)) {
        assert_eq!(rows.iter().filter(|row| **row == name).count(), 1, "{name}");
    }
}

fn body_type(body: &[u8]) -> String {
    let event: serde_json::Value = serde_json::from_slice(body).expect("JSON");
    event["type"].as_str().expect("a type").to_owned()
}

#[test]
fn the_receiver_in_rust_is_the_one_that_is_compiled() {
    let example = include_str!("../../examples/webhook_receiver.rs");
    let (_, code) = example.split_once("// --- docs/guide/webhooks.md ---\n").expect("the line");
    let block = format!("```rust\n{code}```\n");
    assert_eq!(
        page("webhooks.md").matches(&block).count(),
        1,
        "docs/guide/webhooks.md shows another receiver"
    );
}

#[test]
fn what_a_page_shows_is_compared_with_what_is_printed() {
    assert!(is_shown("200", "200"));
    assert!(is_shown(
        "{\"id\":\"inv_…\",\"on_hand\":6,…} 200",
        "{\"id\":\"inv_01\",\"on_hand\":6,\"x\":1} 200"
    ));
    assert!(!is_shown(
        "{\"id\":\"inv_…\",\"on_hand\":6,…} 200",
        "{\"id\":\"inv_01\",\"on_hand\":7,\"x\":1} 200"
    ));
    assert!(!is_shown("{…} 200", "{} 409"));
    assert!(!is_shown("200", "2000"));
    let page = "```sh\na\n```\n\n```text\nb\n```\n    c\n```\ndrawing\n```\n```sh\nd\n```\n";
    let read: Vec<_> = steps(page).into_iter().map(|step| (step.commands, step.shown)).collect();
    assert_eq!(read, [("a\n".to_owned(), Some("b\n".to_owned())), ("d\n".to_owned(), None)]);
}
