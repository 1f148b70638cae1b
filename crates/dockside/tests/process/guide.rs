//! The guide's commands: each page is pasted into a shell, from its first block to its last, and must show what it says.
//!
//! A block marked `sh` is run. A block marked `text` behind it is what it prints, line by line, where `…` stands for
//! anything. Indented commands are not run: they start servers, or fetch things.

use std::path::Path;
use std::process::Command;

use crate::server::{Server, program, token};

/// Parts the output of one block from the next: no answer has this character.
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

/// Runs a page's blocks in one shell, and gives what each printed.
fn outputs(home: &Path, server: &Server, token: &str, steps: &[Step]) -> Vec<String> {
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
    // Where a proxy is set, the commands must still reach this machine.
    shell.env("NO_PROXY", "127.0.0.1").env("TOKEN", token);
    shell.env("DOCKSIDE", format!("http://{}", server.address));
    let output = shell.output().expect("sh runs");
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    said.split(MARK).map(str::to_owned).collect()
}

fn walk(name: &str) -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide").join(name);
    let page = std::fs::read_to_string(file).expect("the page");
    let steps = steps(&page);
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &[]);
    let outputs = outputs(home.path(), &server, &token(home.path(), &["--test"]), &steps);
    for (step, output) in steps.iter().zip(&outputs) {
        let Some(shown) = &step.shown else { continue };
        let (shown, lines): (Vec<_>, Vec<_>) = (shown.lines().collect(), output.lines().collect());
        let is_as_shown =
            shown.len() == lines.len() && shown.iter().zip(&lines).all(|(shown, line)| is_shown(shown, line));
        assert!(is_as_shown, "{name}:\n{}prints\n{output}", step.commands);
    }
    server.stop();
    outputs
}

#[test]
fn the_first_steps_work_when_pasted() {
    let outputs = walk("first-steps.md");
    assert!(outputs[0].starts_with("HTTP/1.1 201 Created\r\n"), "{}", outputs[0]);
    assert!(outputs[0].to_ascii_lowercase().contains("\r\netag: \""), "{}", outputs[0]);
    let listed = outputs.iter().find(|output| output.starts_with("ID ")).expect("the list of tokens");
    assert!(listed.contains("scanner@example.com"), "{listed}");
}

#[test]
fn the_life_of_an_order_works_when_pasted() {
    let outputs = walk("orders.md");
    assert!(outputs.len() > 12, "a page that was cut short would pass too");
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
