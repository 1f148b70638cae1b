//! Why messages are not sent or received.

use std::fmt;

pub type Result<T> = std::result::Result<T, Error>;

/// Why messages are not sent or received, in a sentence for the operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// The server that carries messages can't be reached, or does not answer.
    Unavailable(String),
    /// That server, or a file that is needed to speak to it, is not as the settings say. It stays so until an operator acts.
    Refused(String),
    /// The program gave a message that no transport can carry.
    TooLong(usize),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(text) | Self::Refused(text) => out.write_str(text),
            Self::TooLong(bytes) => write!(out, "a message of {bytes} bytes is too long to be sent"),
        }
    }
}

impl std::error::Error for Error {}
