//! Asking for a secret: without an echo at a terminal, and otherwise from the standard input.

use std::io::{IsTerminal, Read, Write, stderr, stdin};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use tokio::sync::oneshot;

use crate::failure::Failure;

/// The longest secret, in bytes. More is no secret but a file that was given by mistake.
const SECRET_BYTES_MAX: u64 = 4096;

/// Returns a secret: what is typed at the terminal, or the standard input.
pub async fn secret(question: &str) -> Result<String, Failure> {
    let failed = |error: std::io::Error| Failure::usage(format!("standard input: {error}"));
    let text = if stdin().is_terminal() {
        // If the question can't be shown, it can still be answered.
        let _shown = write!(stderr(), "{question}: ");
        let _hidden = Hidden::new().map_err(failed)?;
        let line = line().await;
        let _shown = writeln!(stderr());
        line?
    } else {
        let mut text = String::new();
        stdin().take(SECRET_BYTES_MAX).read_to_string(&mut text).map_err(failed)?;
        text
    };
    let text = text.trim();
    if text.is_empty() {
        return Err(Failure::usage("no token was given: type it, or pass it on the standard input"));
    }
    Ok(text.to_owned())
}

/// Reads a line in a thread of its own, so that Ctrl-C ends the wait and the echo is turned on again.
async fn line() -> Result<String, Failure> {
    let (sender, line) = oneshot::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = stdin().read_line(&mut line).map(|_| line);
        // The reader has ended at Ctrl-C.
        let _unread = sender.send(read);
    });
    tokio::select! {
        line = line => {
            let line = line.map_err(|_| Failure::usage("the standard input ended"))?;
            line.map_err(|error| Failure::usage(format!("standard input: {error}")))
        }
        _ = tokio::signal::ctrl_c() => Err(Failure::usage("interrupted")),
    }
}

/// The terminal without its echo, until this is dropped.
struct Hidden(Termios);

impl Hidden {
    fn new() -> std::io::Result<Self> {
        let before = tcgetattr(stdin())?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        tcsetattr(stdin(), OptionalActions::Flush, &hidden)?;
        Ok(Self(before))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // Nothing can be done about a terminal that is gone.
        let _gone = tcsetattr(stdin(), OptionalActions::Flush, &self.0);
    }
}
