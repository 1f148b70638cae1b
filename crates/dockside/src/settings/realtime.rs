//! Settings of streams: who serves clients that follow events live, how many there may be, and what signs their tokens.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Deserialize;
use service::events::stream::{self, StreamKey, centrifugo};

use super::group::{group, require_positive};
use crate::failure::Failure;

#[derive(Args, Default, Clone)]
#[command(next_help_heading = "Realtime")]
pub struct Realtime {
    /// Clients that follow events live, on this server; more get 503 [default: 50000].
    #[arg(long, env = "DOCKSIDE_REALTIME_CONNECTIONS_MAX", value_name = "N")]
    pub realtime_connections_max: Option<usize>,

    /// Clients that one organisation may have, on this server [default: 10000].
    #[arg(long, env = "DOCKSIDE_REALTIME_ORGANISATION_MAX", value_name = "N")]
    pub realtime_organisation_max: Option<u32>,

    /// Clients that one user may have, on this server [default: 20].
    #[arg(long, env = "DOCKSIDE_REALTIME_USER_MAX", value_name = "N")]
    pub realtime_user_max: Option<u32>,

    /// Who serves these clients: this server, or an external Centrifugo [default: embedded].
    #[arg(long, env = "DOCKSIDE_REALTIME", value_name = "WHERE")]
    pub realtime: Option<StreamServer>,

    /// Where that Centrifugo is, such as `http://10.0.0.5:8000`.
    #[arg(long, env = "DOCKSIDE_CENTRIFUGO_URL", value_name = "URL")]
    pub centrifugo_url: Option<String>,

    /// Its `http_api.key`.
    #[arg(long, env = "DOCKSIDE_CENTRIFUGO_KEY", value_name = "KEY", hide_env_values = true)]
    pub centrifugo_key: Option<String>,

    /// Seconds that the token lives with which such a client connects; it fetches new ones [default: 1800].
    #[arg(long, env = "DOCKSIDE_REALTIME_TOKEN_SECONDS", value_name = "SECONDS")]
    pub realtime_token_seconds: Option<u32>,

    /// Seconds that the token lives with which it joins a channel [default: 900].
    #[arg(long, env = "DOCKSIDE_REALTIME_SUBSCRIPTION_TOKEN_SECONDS", value_name = "SECONDS")]
    pub realtime_subscription_token_seconds: Option<u32>,

    /// Signs the tokens of these clients (HS256): a secret of 32 characters or more [default: made of the signing key].
    #[arg(long, env = "DOCKSIDE_REALTIME_SECRET", value_name = "TEXT", hide_env_values = true)]
    pub realtime_secret: Option<String>,

    /// Signs them with ES256 instead: a file with a P-256 private key (PEM, PKCS#8).
    #[arg(long, env = "DOCKSIDE_REALTIME_KEY_FILE", value_name = "FILE")]
    pub realtime_key_file: Option<PathBuf>,
}

group!(Realtime {
    realtime_connections_max,
    realtime_organisation_max,
    realtime_user_max,
    realtime,
    centrifugo_url,
    centrifugo_key,
    realtime_token_seconds,
    realtime_subscription_token_seconds,
    realtime_secret,
    realtime_key_file,
});

/// Who serves clients that follow events live.
#[derive(ValueEnum, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum StreamServer {
    Embedded,
    Centrifugo,
}

impl Realtime {
    pub(super) fn check(&self) -> Result<(), Failure> {
        require_positive!(self {
            realtime_connections_max,
            realtime_organisation_max,
            realtime_user_max,
            realtime_token_seconds,
            realtime_subscription_token_seconds,
        })
    }

    pub(super) fn stream(&self) -> Result<stream::Settings, Failure> {
        let defaults = stream::Settings::default();
        let key = match (&self.realtime_secret, &self.realtime_key_file) {
            (None, None) => StreamKey::Derived,
            (Some(_), Some(_)) => {
                return Err(Failure("set realtime_secret or realtime_key_file, not both".to_owned()));
            }
            (Some(secret), None) => StreamKey::Secret(secret.clone()),
            // The file's name is not said: it may be the key itself, put into the wrong setting.
            (None, Some(file)) => StreamKey::Private(std::fs::read_to_string(file).map_err(|error| {
                Failure(format!("the setting realtime_key_file names a file that can't be read: {error}"))
            })?),
        };
        if let Err(error) = key.check() {
            return Err(Failure(format!("the setting realtime_secret or realtime_key_file: {error}")));
        }
        Ok(stream::Settings {
            key,
            connections_per_user_max: self.realtime_user_max.unwrap_or(defaults.connections_per_user_max),
            connections_per_organisation_max: self
                .realtime_organisation_max
                .unwrap_or(defaults.connections_per_organisation_max),
            centrifugo: self.centrifugo()?,
            lives: stream::Lives {
                connection: self.realtime_token_seconds.unwrap_or(defaults.lives.connection),
                subscription: self.realtime_subscription_token_seconds.unwrap_or(defaults.lives.subscription),
            },
        })
    }

    /// The external server, where there is to be one.
    fn centrifugo(&self) -> Result<Option<centrifugo::Settings>, Failure> {
        match (self.realtime, &self.centrifugo_url, &self.centrifugo_key) {
            (None | Some(StreamServer::Embedded), None, None) => Ok(None),
            (None | Some(StreamServer::Embedded), _, _) => Err(Failure(
                "centrifugo_url and centrifugo_key go with the setting realtime = \"centrifugo\"".to_owned(),
            )),
            (Some(StreamServer::Centrifugo), Some(url), Some(key)) if centrifugo::is_address(url) => {
                Ok(Some(centrifugo::Settings { url: url.clone(), key: key.clone() }))
            }
            (Some(StreamServer::Centrifugo), Some(_), Some(_)) => Err(Failure(
                "the setting centrifugo_url is no address such as http://10.0.0.5:8000".to_owned(),
            )),
            (Some(StreamServer::Centrifugo), _, _) => Err(Failure(
                "the setting realtime = \"centrifugo\" needs centrifugo_url and centrifugo_key".to_owned(),
            )),
        }
    }
}
