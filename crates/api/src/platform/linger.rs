//! Closing a connection without losing its last answer.
//!
//! If a socket is closed while the peer still sends, the kernel resets the connection, and the peer's kernel may
//! discard an answer that it has already received. So the server closes its own direction first, and discards
//! incoming bytes, within bounds, until the client has closed its direction too.

use std::io;
use std::time::Duration;

use tokio::net::TcpStream;

/// The longest time that a connection lingers.
pub const LINGER_TIME: Duration = Duration::from_secs(10);
/// The longest time that a lingering connection waits for the next byte.
const LINGER_IDLE_TIME: Duration = Duration::from_secs(2);
/// The most bytes that are discarded from a lingering connection.
const LINGER_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Bytes that one read discards.
const READ_BYTES: usize = 16 * 1024;

/// Closes a connection after its last answer, once the client has stopped sending or a bound is reached.
pub async fn linger(stream: &TcpStream) {
    // Fails if the client is gone. Then the first read fails as well.
    let _gone = rustix::net::shutdown(stream, rustix::net::Shutdown::Write);
    let _out_of_time = tokio::time::timeout(LINGER_TIME, drain(stream)).await;
}

async fn drain(stream: &TcpStream) {
    let mut bytes_left = LINGER_BYTES_MAX;
    while bytes_left > 0 {
        let Ok(Ok(())) = tokio::time::timeout(LINGER_IDLE_TIME, stream.readable()).await else { return };
        match discard_some(stream) {
            Ok(0) => return,
            Ok(read) => bytes_left = bytes_left.saturating_sub(read),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}

/// Reads into a buffer on the stack: a lingering connection has no buffer while it waits.
fn discard_some(stream: &TcpStream) -> io::Result<usize> {
    stream.try_read(&mut [0; READ_BYTES])
}
