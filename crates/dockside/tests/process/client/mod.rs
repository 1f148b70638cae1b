//! The command line as a client: each command as a process, against a server that is another one.

mod events;
mod fulfilment;
mod orders;
mod reference;
mod sign_in;
mod stock;

use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use testkit::client::Client;
use testkit::server::{Ended, Server, ended, program, token};

/// A server, and a token of its test world.
struct Desk {
    home: TempDir,
    server: Server,
    token: String,
}

impl Desk {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let server = Server::start(home.path(), &[]);
        let token = token(home.path(), &["--test"]);
        Self { home, server, token }
    }

    fn url(&self) -> String {
        format!("http://{}", self.server.address)
    }

    fn client(&self) -> Client {
        self.server.client(&self.token)
    }

    /// A command without a login of the person who runs the tests.
    fn signed_out(&self, words: &[&str]) -> Command {
        let mut command = program(self.home.path(), words);
        command.env("XDG_CONFIG_HOME", self.home.path().join("config"));
        command
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.signed_out(words);
        command.env("DOCKSIDE_URL", self.url()).env("DOCKSIDE_TOKEN", &self.token);
        command
    }

    fn run(&self, words: &[&str]) -> Ended {
        ended(self.command(words))
    }

    /// Runs a command that succeeds, and returns its output.
    fn output(&self, words: &[&str]) -> String {
        let Ended { code, stdout, stderr } = self.run(words);
        assert_eq!(code, 0, "{words:?}: {stderr}");
        stdout
    }

    /// Runs a command that prints JSON, and returns each line.
    fn json(&self, words: &[&str]) -> Vec<Value> {
        let output = self.output(&[words, &["--json"]].concat());
        output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// Runs a command that fails, and returns what it says.
    fn refused(&self, code: i32, words: &[&str]) -> String {
        let failed = self.run(words);
        assert_eq!((failed.code, failed.stdout.as_str()), (code, ""), "{words:?}: {}", failed.stderr);
        failed.stderr
    }
}

/// Returns the words of the line of a table that has this word.
fn row<'a>(table: &'a str, word: &str) -> Vec<&'a str> {
    let line = table.lines().find(|line| line.contains(word));
    line.unwrap_or_else(|| panic!("no line with {word}:\n{table}")).split_whitespace().collect()
}
