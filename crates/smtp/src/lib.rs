//! Sends e-mail to the operator's own mail server, by SMTP (RFC 5321). It knows nothing of the product.
//!
//! Architecture Invariant: a password is sent over TLS only. Every text that a caller passes in is encoded or refused before it
//! becomes part of a command or of a header, so no text can add a header or a recipient.
//!
//! The server is the operator's, as the database is, so its address is not judged as those that users give (`outbound`).

mod address;
mod failure;
mod header;
mod message;
mod reply;
mod sender;
mod server;
mod session;
mod settings;
#[cfg(test)]
mod tests;
mod tls;

pub use address::{Address, Mailbox};
pub use failure::{Failure, Stage};
pub use message::Message;
pub use sender::Sender;
pub use server::{Security, Server};
pub use settings::{Credentials, Settings};
pub use tls::{TlsConfig, tls_config};
pub use tokio_rustls::rustls::RootCertStore;
