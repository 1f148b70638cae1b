//! The settings of commands that work on the store: those of the server, of which the help shows only what they use.

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

use super::Settings;
use crate::failure::Failure;

/// What every command needs to find and to open the store.
const STORE: [&str; 10] = [
    "data",
    "database_url",
    "database_sslmode",
    "database_sslrootcert",
    "database_sslcert",
    "database_sslkey",
    "config",
    "signing_key",
    "encryption_key",
    // Sign-in links begin with it.
    "public_url",
];
/// What commands need too whose change running servers hear of at once.
const HINTS: [&str; 5] =
    ["nats_url", "nats_credentials_file", "nats_sslrootcert", "nats_sslcert", "nats_sslkey"];

/// The settings of a command on the store. `SENDS_HINTS`: whether running servers hear of what it did.
///
/// All settings of the server are accepted, so that one set of flags, variables or settings file serves both. Those that
/// the command does not use have no effect and are not in its help.
#[derive(Clone)]
pub struct StoreSettings<const SENDS_HINTS: bool>(Settings);

impl<const SENDS_HINTS: bool> StoreSettings<SENDS_HINTS> {
    /// Fills what neither flag nor variable set from the file, and checks the whole.
    pub fn resolve(self) -> Result<Settings, Failure> {
        self.0.resolve()
    }

    fn hide_unused(command: Command) -> Command {
        let own: Vec<_> = command.get_arguments().map(|argument| argument.get_id().clone()).collect();
        Settings::augment_args(command).mut_args(|argument| {
            let id = argument.get_id();
            let is_used = STORE.contains(&id.as_str()) || (SENDS_HINTS && HINTS.contains(&id.as_str()));
            if own.contains(id) || is_used { argument } else { argument.hide(true) }
        })
    }
}

impl<const SENDS_HINTS: bool> FromArgMatches for StoreSettings<SENDS_HINTS> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Settings::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<const SENDS_HINTS: bool> Args for StoreSettings<SENDS_HINTS> {
    fn augment_args(command: Command) -> Command {
        Self::hide_unused(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::hide_unused(command)
    }
}
