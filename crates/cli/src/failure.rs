//! Why a command failed, and the exit code that says so to a script.

use std::fmt;
use std::io;
use std::process::ExitCode;

use serde_json::Value;

/// The exit codes of commands, as the help and the guide have them.
pub const EXIT_STATUS: &str = "Exit codes:\n  0  It is done.\n  1  The server refused it, or part of it failed.\n  2  The command line is \
    wrong, or a question could not be asked.\n  3  The server did not answer, or can't at the moment. Try again later.\n  4  You are not \
    signed in, or your token lacks a scope.";

/// What a failure means to a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// The server refused the request, or not all of it was done.
    Refused = 1,
    /// The command line is wrong.
    Usage = 2,
    /// No answer, or one that asks to come back later.
    Connection = 3,
    /// No token, one that the server does not accept, or one that lacks a scope.
    SignIn = 4,
}

/// Why a command can't do what it was asked: a text for a person, and an exit code for a script.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    pub message: String,
    /// The problem document of the server, if it sent one.
    pub problem: Option<Value>,
    /// Whether the reader of the output went away, as `head` does. Nothing is wrong then.
    pub is_unread: bool,
}

impl Failure {
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), problem: None, is_unread: false }
    }

    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(Exit::Refused, message)
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Returns the failure of writing the output.
    pub fn output(error: &io::Error) -> Self {
        let is_unread = error.kind() == io::ErrorKind::BrokenPipe;
        Self { is_unread, ..Self::refused(format!("standard output: {error}")) }
    }

    /// Returns what the process ends with.
    pub fn exit_code(&self) -> ExitCode {
        if self.is_unread { ExitCode::SUCCESS } else { ExitCode::from(self.exit as u8) }
    }

    /// Returns whether there is something to say.
    pub fn is_shown(&self) -> bool {
        !self.is_unread
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
