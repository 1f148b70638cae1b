//! Settings of streams: who serves clients that follow events live, how many there may be, and what signs their tokens.

use std::path::PathBuf;

use clap::ValueEnum;
use serde::Deserialize;
use service::events::stream::{self, StreamKey, centrifugo};

use super::declaration::{Subject, settings};
use super::value::{values, word};
use crate::failure::Failure;

settings! {
    /// Settings of streams.
    pub struct Realtime("Realtime") {
        /// Clients that follow events live, on this server; more get 503.
        realtime_connections_max("N"): usize = 50_000, range(1..);

        /// Clients that one organisation may have, on this server.
        realtime_organisation_max("N"): u32 = 10_000, range(1..);

        /// Clients that one user may have, on this server.
        realtime_user_max("N"): u32 = 20, range(1..);

        /// Who serves these clients: `embedded`, this server, or `centrifugo`, an external Centrifugo.
        realtime("WHERE"): StreamServer = StreamServer::Embedded;

        /// Where that Centrifugo is, such as `http://10.0.0.5:8000`.
        centrifugo_url("URL"): String, check(|url| check_centrifugo_url(url));

        /// Its `http_api.key`.
        centrifugo_key("KEY"): String, secret;

        /// Seconds that the token lives with which such a client connects; it fetches new ones.
        realtime_token_seconds("SECONDS"): u32 = 1800, range(1..);

        /// Seconds that the token lives with which it joins a channel.
        realtime_subscription_token_seconds("SECONDS"): u32 = 900, range(1..);

        /// Signs the tokens of these clients (HS256): a secret of 32 characters or more.
        realtime_secret("TEXT"): String, secret, shown("made of the signing key"), check(|secret| check_stream_secret(secret));

        /// Signs them with ES256 instead: a file with a P-256 private key (PEM, PKCS#8).
        realtime_key_file("FILE"): PathBuf;
    }
}

fn check_centrifugo_url(url: &str) -> Result<(), String> {
    if centrifugo::is_address(url) {
        Ok(())
    } else {
        Err("is no address such as http://10.0.0.5:8000".to_owned())
    }
}

fn check_stream_secret(secret: &str) -> Result<(), String> {
    StreamKey::Secret(secret.to_owned()).check().map_err(|error| format!("can't sign: {error}"))
}

/// Who serves clients that follow events live.
#[derive(ValueEnum, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum StreamServer {
    Embedded,
    Centrifugo,
}

values! { StreamServer: word; }

impl Realtime {
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.check_values()
    }

    pub(super) fn stream(&self) -> Result<stream::Settings, Failure> {
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
            connections_per_user_max: self.realtime_user_max(),
            connections_per_organisation_max: self.realtime_organisation_max(),
            centrifugo: self.centrifugo()?,
            lives: stream::Lives {
                connection: self.realtime_token_seconds(),
                subscription: self.realtime_subscription_token_seconds(),
            },
        })
    }

    /// The external server, where there is to be one.
    fn centrifugo(&self) -> Result<Option<centrifugo::Settings>, Failure> {
        match (self.realtime(), &self.centrifugo_url, &self.centrifugo_key) {
            (StreamServer::Embedded, None, None) => Ok(None),
            (StreamServer::Embedded, _, _) => Err(Failure(
                "centrifugo_url and centrifugo_key go with the setting realtime = \"centrifugo\"".to_owned(),
            )),
            (StreamServer::Centrifugo, Some(url), Some(key)) => {
                Ok(Some(centrifugo::Settings { url: url.clone(), key: key.clone() }))
            }
            (StreamServer::Centrifugo, _, _) => Err(Failure(
                "the setting realtime = \"centrifugo\" needs centrifugo_url and centrifugo_key".to_owned(),
            )),
        }
    }
}
