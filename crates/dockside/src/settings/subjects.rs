//! All settings, by subject.

use clap::Args;

use super::carriers::Carriers;
use super::events::Events;
use super::files::Files;
use super::limits::Limits;
use super::mail::Mail;
use super::openid::OpenId;
use super::printing::Printing;
use super::realtime::Realtime;
use super::server::Server;
use super::store::Store;

/// What an operator may set. Every flag is also an environment variable (`--listen` is `DOCKSIDE_LISTEN`) and a key of
/// `dockside.toml` (`listen`); the flag wins over the variable, the variable over the file. The help shows the subjects in
/// this order.
#[derive(Args, Default, Clone)]
pub struct Settings {
    #[command(flatten)]
    pub store: Store,
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub openid: OpenId,
    #[command(flatten)]
    pub mail: Mail,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub events: Events,
    #[command(flatten)]
    pub realtime: Realtime,
    #[command(flatten)]
    pub carriers: Carriers,
    #[command(flatten)]
    pub files: Files,
    #[command(flatten)]
    pub printing: Printing,
}
