//! The program under test: its commands, and servers that end with the test that started them.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::client::Client;
use crate::stopwatch::Stopwatch;

/// How long a start may take. A debug build on a busy machine is slow.
const START_TIME: Duration = Duration::from_secs(120);
/// The pause between two checks of a condition that gives no signal.
pub const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The result of a command that has ended.
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Returns the path of the program that cargo built beside the running test binary: `debug/dockside` for `debug/deps/it-…`.
pub fn program_path() -> PathBuf {
    let test = std::env::current_exe().expect("the path of the test binary");
    let path = test.ancestors().nth(2).expect("the folder above `deps`").join("dockside");
    assert!(path.is_file(), "{} is missing: `cargo test --workspace` builds it", path.display());
    path
}

/// The program in a folder of its own, with no setting from the environment of the tests.
pub fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program_path());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("DOCKSIDE_") {
            command.env_remove(name);
        }
    }
    command.current_dir(folder).args(arguments).stdin(Stdio::null());
    command
}

/// Runs a command that ends by itself.
pub fn run(folder: &Path, arguments: &[&str]) -> Ended {
    ended(program(folder, arguments))
}

pub fn ended(mut command: Command) -> Ended {
    let output = command.output().expect("the program runs");
    Ended {
        code: output.status.code().expect("it was not killed"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Makes a token with all scopes on the store that these arguments name, and the store first if there is none.
pub fn token(folder: &Path, arguments: &[&str]) -> String {
    let create = &["token", "create", "--organisation", "Acme", "--create-organisation"][..];
    let words = [create, &["--user", "admin@acme.example"][..], arguments].concat();
    let mut made = run(folder, &words);
    // Only a server makes a store, and one that was killed at its first start may have left one without secrets.
    if made.stderr.contains("there is no store") || made.stderr.contains("there are no secrets") {
        Server::start(folder, &settings_among(arguments)).stop();
        made = run(folder, &words);
    }
    assert_eq!(made.code, 0, "{}", made.stderr);
    made.stdout.trim().to_owned()
}

/// Returns those arguments of `token create` that a server accepts too.
fn settings_among<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let mut settings = Vec::new();
    let mut words = arguments.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "--test" => {}
            "--scopes" | "--expires-in" => drop(words.next()),
            word => settings.push(word),
        }
    }
    settings
}

/// Waits until a condition holds. Returns how long that took, without the time that the host took.
pub fn wait_until(what: &str, limit: Duration, mut holds: impl FnMut() -> bool) -> Duration {
    let watch = Stopwatch::start();
    while !holds() {
        assert!(watch.elapsed() < limit, "{what}: not within {limit:?}");
        std::thread::sleep(LOOK_EVERY);
    }
    watch.elapsed()
}

/// A server that may not listen yet.
pub struct Starting {
    child: Child,
    stdout: PathBuf,
    address: Receiver<SocketAddr>,
    lines: Arc<Mutex<Vec<String>>>,
    reader: JoinHandle<()>,
}

/// A server that listens. It is killed when it is dropped.
pub struct Server {
    child: Child,
    stdout: PathBuf,
    pub address: SocketAddr,
    lines: Arc<Mutex<Vec<String>>>,
    reader: Option<JoinHandle<()>>,
}

impl Starting {
    /// Starts a server in a folder, on any free port.
    pub fn new(folder: &Path, arguments: &[&str]) -> Self {
        let command = program(folder, &[&["serve", "--listen", "127.0.0.1:0"], arguments].concat());
        Self::command(folder, command)
    }

    pub fn command(folder: &Path, mut command: Command) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let stdout = folder.join(format!("stdout-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
        command.stdout(File::create(&stdout).expect("a file")).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let (sender, address) = channel();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (stderr, kept) = (child.stderr.take().expect("piped"), Arc::clone(&lines));
        let reader = std::thread::spawn(move || read_log(stderr, &sender, &kept));
        Self { child, stdout, address, lines, reader }
    }

    /// Waits until it listens.
    pub fn ready(mut self) -> Server {
        let Ok(address) = self.address.recv_timeout(START_TIME) else {
            let _ended = self.child.kill();
            panic!("the server did not start: {:?}", self.lines.lock().unwrap());
        };
        let reader = Some(self.reader);
        Server { child: self.child, stdout: self.stdout, address, lines: self.lines, reader }
    }

    pub fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it has ended");
    }
}

/// Reads the log as it is written, since a full pipe would stop the server.
fn read_log(stderr: ChildStderr, address: &Sender<SocketAddr>, kept: &Mutex<Vec<String>>) {
    for line in BufReader::new(stderr).lines().map_while(Result::ok) {
        let listening = line.split_once("listening on http://").map(|(_, rest)| {
            let text = rest.split(' ').next().unwrap_or_default();
            text.parse().expect("an address")
        });
        kept.lock().unwrap().push(line);
        if let Some(listening) = listening {
            let _nobody_waits = address.send(listening);
        }
    }
}

impl Server {
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        Starting::new(folder, arguments).ready()
    }

    pub fn client(&self, token: &str) -> Client {
        Client::connect(self.address, token).expect("a server that listens")
    }

    /// What it wrote to standard output.
    pub fn stdout(&self) -> String {
        fs::read_to_string(&self.stdout).expect("text")
    }

    /// What it has logged: all of it, once it has ended.
    pub fn log(&self) -> String {
        self.lines.lock().unwrap().join("\n")
    }

    /// Kills it as `kill -9` does.
    pub fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it has ended");
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.process_id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("sh runs").success());
    }

    /// Removes the limit on the size of its files with which it was started.
    pub fn lift_file_limit(&self) {
        let process = format!("--pid={}", self.child.id());
        assert!(
            Command::new("prlimit")
                .args([&process, "--fsize=unlimited"])
                .status()
                .expect("prlimit runs")
                .success()
        );
    }

    /// Waits for it to end by itself.
    pub fn ended(&mut self, limit: Duration) -> (ExitStatus, Duration) {
        let mut status = None;
        let took = wait_until("the server ends", limit, || {
            status = self.child.try_wait().expect("a child of ours");
            status.is_some()
        });
        // The log ends with the process that wrote it.
        self.reader.take().map_or(Ok(()), JoinHandle::join).expect("a log that can be read");
        (status.unwrap(), took)
    }

    /// Stops it as a service manager does.
    pub fn stop(mut self) {
        self.stopped();
    }

    /// Stops it, and returns its whole log.
    pub fn stopped(&mut self) -> String {
        self.signal("TERM");
        let (status, _) = self.ended(Duration::from_secs(30));
        assert_eq!(status.code(), Some(0), "{}", self.log());
        self.log()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended before.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}
