//! `events tail`: every event once and in order, whatever happens to the server.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use testkit::load::body;
use testkit::server::{Starting, program, wait_until};

use super::Desk;

/// How long anything may take here.
const PATIENCE: Duration = Duration::from_secs(120);

/// The command under way. It is killed when it is dropped.
struct Following {
    child: Child,
    stdout: BufReader<ChildStdout>,
    said: Arc<Mutex<String>>,
}

impl Following {
    fn start(desk: &Desk, words: &[&str]) -> Self {
        let mut command = desk.command(&[&["events", "tail"], words].concat());
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let (mut pipe, said) = (child.stderr.take().expect("piped"), Arc::new(Mutex::new(String::new())));
        let kept = Arc::clone(&said);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut bytes) {
                kept.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        Self { child, stdout, said }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert_ne!(self.stdout.read_line(&mut line).expect("text"), 0, "it ended: {}", self.said());
        line.trim_end_matches('\n').to_owned()
    }

    fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    /// Ends it as Ctrl-C does.
    fn interrupt(mut self) -> i32 {
        let kill = format!("kill -INT {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("sh runs").success());
        let code = self.child.wait().expect("it ends").code().expect("not killed");
        wait_until("it says how to go on", PATIENCE, || self.said().contains("To go on from here: --after "));
        code
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        // It may have ended before.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn create(desk: &Desk, name: &str) {
    assert_eq!(desk.client().post("/locations", &body(name).to_string()).status, 201);
}

fn sequence(line: &str) -> i64 {
    serde_json::from_str::<Value>(line).expect("JSON")["sequence"].as_i64().expect("a number")
}

#[test]
fn events_are_followed_over_a_restart_and_none_is_lost() {
    let mut desk = Desk::new();
    create(&desk, "first");
    let mut following = Following::start(&desk, &["--json", "--after", "0"]);
    assert_eq!(sequence(&following.line()), 1);
    create(&desk, "second");
    assert_eq!(sequence(&following.line()), 2);

    let address = desk.server.address;
    desk.server.signal("KILL");
    wait_until("it says so", PATIENCE, || following.said().contains("The server is away"));
    let serve = program(desk.home.path(), &["serve", "--listen", &address.to_string()]);
    desk.server = Starting::command(desk.home.path(), serve).ready();
    create(&desk, "third");
    create(&desk, "fourth");
    let line = following.line();
    assert_eq!((sequence(&line), sequence(&following.line())), (3, 4));
    wait_until("it says so", PATIENCE, || following.said().contains("The server is back"));
    // The event is as the log has it.
    let event = serde_json::from_str::<Value>(&line).unwrap();
    assert_eq!(desk.client().get(&format!("/events/{}", event["id"].as_str().unwrap())).json(), event);
    assert_eq!(following.interrupt(), 0);
}

#[test]
fn it_begins_and_ends_where_it_is_told() {
    let desk = Desk::new();
    (0..30).for_each(|number| create(&desk, &format!("l{number}")));
    let table = desk.run(&["events", "tail", "--after", "27", "--count", "2"]);
    assert_eq!(table.code, 0);
    assert!(table.stderr.ends_with("To go on from here: --after 29\n"), "{}", table.stderr);
    let lines: Vec<Vec<&str>> = table.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["TIME", "SEQUENCE", "TYPE", "RESOURCE"]);
    assert_eq!((lines.len(), lines[1][2], lines[1][3], lines[2][2]), (3, "28", "location.created", "29"));

    let resource = lines[2][4];
    let one = desk.json(&["events", "tail", "--after", "0", "--count", "1", "--resource", resource]);
    assert_eq!(one[0]["sequence"], 29);
    let typed =
        ["events", "tail", "--after", "0", "--count", "30", "--type", "location.created,order.created"];
    assert_eq!(desk.json(&typed).len(), 30);
    assert!(desk.refused(2, &["events", "tail", "--type", "location.create"]).contains("location.created"));
    assert!(desk.refused(2, &["events", "tail", "--after", "31"]).contains("sequence 30"));
    let nowhere = desk.refused(3, &["events", "tail", "--url", "http://127.0.0.1:1"]);
    assert!(nowhere.contains("--url names another"), "{nowhere}");
}
