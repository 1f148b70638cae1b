//! Why a message was not sent.

use std::fmt;

/// How far the conversation with the server had come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    Connect,
    Greeting,
    Tls,
    SignIn,
    Sender,
    Recipient,
    Message,
}

impl Stage {
    pub fn as_str(self) -> &'static str {
        match self {
            Stage::Connect => "connect",
            Stage::Greeting => "greeting",
            Stage::Tls => "tls",
            Stage::SignIn => "sign_in",
            Stage::Sender => "sender",
            Stage::Recipient => "recipient",
            Stage::Message => "message",
        }
    }
}

/// A message was not sent, or nothing says that it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub stage: Stage,
    /// Whether the server will refuse this message whenever it is sent.
    pub is_final: bool,
    /// What happened. It has no text of the server from the moment on at which the server was given a secret: the password, or the
    /// message, which the server could repeat.
    pub why: String,
}

impl Failure {
    /// A failure that may be over at the next attempt.
    pub(crate) fn passing(stage: Stage, why: impl Into<String>) -> Self {
        Self { stage, is_final: false, why: why.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.why)
    }
}
