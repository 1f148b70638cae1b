//! Printers that take bytes as they are, on a socket. Such a printer confirms nothing: that it has closed its side of the
//! connection after the last byte is all the proof there is that it has read everything.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use outbound::{Endpoint, Outbound};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};

use crate::job::{Job, Outcome, ZPL};

/// How long a further connection may take.
const OPEN_TIME_MAX: Duration = Duration::from_secs(10);
/// How long a printer may take no byte. One without paper stops reading until a person has filled it.
const STALL_TIME_MAX: Duration = Duration::from_secs(600);
/// How long a printer may take to close the connection after the last byte.
const CLOSE_TIME_MAX: Duration = Duration::from_secs(30);
/// Bytes that are read at once of what a printer says. It is dropped.
const ANSWER_BYTES: usize = 1024;

/// Sends all files, so often as there are copies.
pub async fn print(outbound: &Outbound, endpoint: &Endpoint, socket: TcpStream, job: &Job) -> Outcome {
    let mut first = Some(socket);
    let mut is_any_sent = false;
    for connection in connections(job) {
        let socket = match first.take() {
            Some(socket) => socket,
            None => match outbound.open(endpoint, OPEN_TIME_MAX).await {
                Ok(socket) => socket,
                // The files before this one were printed.
                Err(failure) => return lost(&failure.to_string()),
            },
        };
        match send(socket, &connection, &mut is_any_sent).await {
            Ok(()) => {}
            Err(error) if is_any_sent => return lost(&error.to_string()),
            Err(error) => return Outcome::Unsent(format!("The printer took no byte: {error}.")),
        }
    }
    Outcome::Printed
}

fn lost(why: &str) -> Outcome {
    let why = why.trim_end_matches('.');
    Outcome::Uncertain(format!(
        "The connection was lost after the first byte ({why}). Look at the printer, and reprint if nothing came out."
    ))
}

/// Returns what each connection carries, in the order of the files. Labels in ZPL follow each other on one connection; of
/// another format a printer takes one file a connection.
fn connections(job: &Job) -> Vec<Vec<Bytes>> {
    let copies = (0..job.copies).flat_map(|_| job.files.iter());
    match job.files.iter().all(|file| file.media_type == ZPL) {
        true => vec![copies.map(|file| file.bytes.clone()).collect()],
        false => copies.map(|file| vec![file.bytes.clone()]).collect(),
    }
}

/// Writes the bytes, and waits until the printer has closed the connection.
async fn send(mut socket: TcpStream, files: &[Bytes], is_any_sent: &mut bool) -> io::Result<()> {
    for file in files {
        let mut rest = file.as_ref();
        while !rest.is_empty() {
            let written = timeout(STALL_TIME_MAX, socket.write(rest)).await.map_err(|_| stalled())??;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            *is_any_sent = true;
            rest = &rest[written..];
        }
    }
    socket.shutdown().await?;
    let deadline = Instant::now() + CLOSE_TIME_MAX;
    let mut answer = [0; ANSWER_BYTES];
    while timeout_at(deadline, socket.read(&mut answer)).await.map_err(|_| unclosed())?? > 0 {}
    Ok(())
}

fn stalled() -> io::Error {
    let minutes = STALL_TIME_MAX.as_secs() / 60;
    io::Error::new(io::ErrorKind::TimedOut, format!("the printer read nothing for {minutes} minutes"))
}

fn unclosed() -> io::Error {
    let seconds = CLOSE_TIME_MAX.as_secs();
    let sentence = format!("the printer did not close the connection within {seconds} s after the last byte");
    io::Error::new(io::ErrorKind::TimedOut, sentence)
}
