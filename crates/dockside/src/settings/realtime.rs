//! Settings of what is told live: streams, who serves them, and what carries hints between servers.

use clap::ValueEnum;
use serde::Deserialize;
use service::bus::nats::NatsUrl;
use service::stream::{self, StreamKey, centrifugo};

use super::Settings;
use crate::Failure;

/// Who serves clients that follow events live.
#[derive(ValueEnum, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Realtime {
    Embedded,
    Centrifugo,
}

impl Settings {
    pub(super) fn stream(&self) -> Result<stream::Settings, Failure> {
        let defaults = stream::Settings::default();
        let key = match (&self.realtime_secret, &self.realtime_key_file) {
            (None, None) => StreamKey::Derived,
            (Some(_), Some(_)) => {
                return Err(Failure("set realtime_secret or realtime_key_file, not both".to_owned()));
            }
            (Some(secret), None) => StreamKey::Secret(secret.clone()),
            (None, Some(file)) => StreamKey::Private(std::fs::read_to_string(file).map_err(|error| {
                Failure(format!("the setting realtime_key_file names {}: {error}", file.display()))
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
            (None | Some(Realtime::Embedded), None, None) => Ok(None),
            (None | Some(Realtime::Embedded), _, _) => Err(Failure(
                "centrifugo_url and centrifugo_key go with the setting realtime = \"centrifugo\"".to_owned(),
            )),
            (Some(Realtime::Centrifugo), Some(url), Some(key)) if centrifugo::is_address(url) => {
                Ok(Some(centrifugo::Settings { url: url.clone(), key: key.clone() }))
            }
            (Some(Realtime::Centrifugo), Some(url), Some(_)) => Err(Failure(format!(
                "the setting centrifugo_url is {url:?}, which is no address such as http://10.0.0.5:8000"
            ))),
            (Some(Realtime::Centrifugo), _, _) => Err(Failure(
                "the setting realtime = \"centrifugo\" needs centrifugo_url and centrifugo_key".to_owned(),
            )),
        }
    }

    pub(super) fn nats_url(&self) -> Result<Option<NatsUrl>, Failure> {
        let Some(url) = &self.nats_url else { return Ok(None) };
        let url = url.parse().map_err(|why| Failure(format!("the setting nats_url {why}")))?;
        if self.database_url.is_none() {
            let why = "is for several servers on one PostgreSQL: set database_url too, or leave nats_url out";
            return Err(Failure(format!("the setting nats_url {why}")));
        }
        Ok(Some(url))
    }
}
