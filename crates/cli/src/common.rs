//! What every command of the client takes, and how it shows one resource.

use clap::Args;
use serde_json::Value;

use crate::connection::Connection;
use crate::failure::Failure;
use crate::screen::{Screen, print};
use crate::server::{Answer, Server};
use crate::view::{self, Field};

/// What every command takes.
#[derive(Args)]
pub struct Common {
    /// Print JSON as the server sends it: lists as a line for each entry.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Common {
    pub fn open(&self) -> Result<Server, Failure> {
        self.connection.open()
    }

    /// Returns the URL and the token, for commands that send requests of their own.
    pub fn resolve(&self) -> Result<(String, String), Failure> {
        self.connection.resolve()
    }

    /// Shows a resource: a line for each field, then what else there is to it.
    pub fn show(
        &self,
        answer: &Answer,
        fields: &[Field],
        rest: impl FnOnce(&Screen, &Value) -> String,
    ) -> Result<(), Failure> {
        if self.json {
            return print_body(answer);
        }
        let screen = Screen::new();
        print(&format!("{}{}", view::lines(&screen, fields, &answer.json), rest(&screen, &answer.json)))
    }
}

/// Prints the body of an answer as it is.
pub fn print_body(answer: &Answer) -> Result<(), Failure> {
    print(&format!("{}\n", String::from_utf8_lossy(&answer.body)))
}

/// Returns the entries below a pointer as a table under a blank line, or nothing if there are none.
pub fn part(screen: &Screen, fields: &[Field], entries: &Value) -> String {
    match entries.as_array() {
        Some(entries) if !entries.is_empty() => format!("\n{}", view::rows(screen, fields, entries)),
        _ => String::new(),
    }
}
