//! Settings: one struct, filled from flags, then the environment, then `dockside.toml`, then the defaults.

mod files;
mod realtime;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::Deserialize;
use service::log::Format;
use service::outbound::Network;

use crate::Failure;
use crate::secrets::Secrets;

pub use realtime::Realtime;

/// What an operator may set. Every flag is also an environment variable (`--listen` is `DOCKSIDE_LISTEN`) and a key of
/// `dockside.toml` (`listen`); the flag wins over the variable, the variable over the file.
#[derive(Args, Deserialize, Default, Clone)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The folder for the database, files and secrets [default: ./dockside-data].
    #[arg(long, env = "DOCKSIDE_DATA", value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// The address to listen on [default: 127.0.0.1:8080].
    #[arg(long, env = "DOCKSIDE_LISTEN", value_name = "ADDR")]
    pub listen: Option<SocketAddr>,

    /// The address that clients reach this server under, such as `https://dockside.example.com`: links to files begin with
    /// it [default: the address it listens on].
    #[arg(long, env = "DOCKSIDE_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,

    /// Use PostgreSQL (postgres://user:password@host/database) instead of SQLite in the data folder.
    #[arg(long, env = "DOCKSIDE_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub database_url: Option<String>,

    /// The settings file [default: dockside.toml, where there is one].
    #[arg(long, env = "DOCKSIDE_CONFIG", value_name = "FILE")]
    #[serde(skip)]
    pub config: Option<PathBuf>,

    /// Connections to PostgreSQL [default: 16], or reader threads of SQLite [default: one per core].
    #[arg(long, env = "DOCKSIDE_DATABASE_CONNECTIONS", value_name = "N")]
    pub database_connections: Option<usize>,

    /// Page size where a request names none [default: 20].
    #[arg(long, env = "DOCKSIDE_PAGE_LIMIT_DEFAULT", value_name = "N")]
    pub page_limit_default: Option<usize>,

    /// Largest page size; larger ones are clamped [default: 100].
    #[arg(long, env = "DOCKSIDE_PAGE_LIMIT_MAX", value_name = "N")]
    pub page_limit_max: Option<usize>,

    /// Most shipments in a batch [default: 100000].
    #[arg(long, env = "DOCKSIDE_BATCH_SHIPMENTS_MAX", value_name = "N")]
    pub batch_shipments_max: Option<usize>,

    /// Largest request body, in bytes [default: 4194304].
    #[arg(long, env = "DOCKSIDE_BODY_BYTES_MAX", value_name = "BYTES")]
    pub body_bytes_max: Option<usize>,

    /// Seconds for a request's head to arrive, and for a connection to idle [default: 15].
    #[arg(long, env = "DOCKSIDE_HEADER_SECONDS", value_name = "SECONDS")]
    pub header_seconds: Option<u64>,

    /// Seconds for a body to arrive [default: 30].
    #[arg(long, env = "DOCKSIDE_BODY_SECONDS", value_name = "SECONDS")]
    pub body_seconds: Option<u64>,

    /// Seconds for a request to be answered [default: 30].
    #[arg(long, env = "DOCKSIDE_REQUEST_SECONDS", value_name = "SECONDS")]
    pub request_seconds: Option<u64>,

    /// Connections held at once; more wait to be accepted [default: 10000].
    #[arg(long, env = "DOCKSIDE_CONNECTIONS_MAX", value_name = "N")]
    pub connections_max: Option<usize>,

    /// Requests worked on at once; more get 503 [default: 2048].
    #[arg(long, env = "DOCKSIDE_REQUESTS_MAX", value_name = "N")]
    pub requests_max: Option<usize>,

    /// Requests per second and token; 0 is no limit [default: 0].
    #[arg(long, env = "DOCKSIDE_RATE_PER_SECOND", value_name = "N")]
    pub rate_per_second: Option<u32>,

    /// Requests that a token may send at once before the rate holds it back [default: 100].
    #[arg(long, env = "DOCKSIDE_RATE_BURST", value_name = "N")]
    pub rate_burst: Option<u32>,

    /// Origins whose pages may call the API, such as `https://shop.example.com`; separated by commas [default: none].
    #[arg(long, env = "DOCKSIDE_CORS_ORIGINS", value_name = "ORIGINS", value_delimiter = ',')]
    pub cors_origins: Option<Vec<String>>,

    /// Hours that an answer is kept for a repeated Idempotency-Key [default: 24].
    #[arg(long, env = "DOCKSIDE_IDEMPOTENCY_HOURS", value_name = "HOURS")]
    pub idempotency_hours: Option<u32>,

    /// Days that an event stays in the log [default: 30].
    #[arg(long, env = "DOCKSIDE_EVENT_DAYS", value_name = "DAYS")]
    pub event_days: Option<u32>,

    /// Networks beside the public ones that webhooks may be sent to, such as `10.1.0.0/16`; separated by commas
    /// [default: none].
    #[arg(long, env = "DOCKSIDE_OUTBOUND_ALLOW", value_name = "NETWORKS", value_delimiter = ',')]
    pub outbound_allow: Option<Vec<Network>>,

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
    pub realtime: Option<Realtime>,

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

    /// The NATS server (nats://user:password@host:4222, or nats://token@host) that carries hints between the servers of
    /// one PostgreSQL [default: none, PostgreSQL carries them].
    #[arg(long, env = "DOCKSIDE_NATS_URL", value_name = "URL", hide_env_values = true)]
    pub nats_url: Option<String>,

    /// Seconds that each carrier account may take to give its rates [default: 10].
    #[arg(long, env = "DOCKSIDE_CARRIER_RATE_SECONDS", value_name = "SECONDS")]
    pub carrier_rate_seconds: Option<u64>,

    /// Seconds that a carrier may take to sell, to look something up or to take it back [default: 30].
    #[arg(long, env = "DOCKSIDE_CARRIER_SECONDS", value_name = "SECONDS")]
    pub carrier_seconds: Option<u64>,

    /// Calls to one carrier account at once, from this server [default: 8].
    #[arg(long, env = "DOCKSIDE_CARRIER_CALLS_MAX", value_name = "N")]
    pub carrier_calls_max: Option<usize>,

    /// Seconds that a purchase is waited for before it is answered with 202; 0 does not wait [default: 5].
    #[arg(long, env = "DOCKSIDE_PURCHASE_WAIT_SECONDS", value_name = "SECONDS")]
    pub purchase_wait_seconds: Option<u64>,

    /// Seconds that it may stay unknown whether something was bought before a person is asked [default: 86400].
    #[arg(long, env = "DOCKSIDE_PURCHASE_REVIEW_SECONDS", value_name = "SECONDS")]
    pub purchase_review_seconds: Option<u32>,

    /// Where files are kept: a folder, or a bucket as `s3://bucket/prefix` [default: `files` in the data folder].
    #[arg(long, env = "DOCKSIDE_FILES", value_name = "PLACE")]
    pub files: Option<String>,

    /// Where that bucket's store is, such as `https://s3.example.com` [default: Amazon S3].
    #[arg(long, env = "DOCKSIDE_FILES_ENDPOINT", value_name = "URL")]
    pub files_endpoint: Option<String>,

    /// Its region [default: us-east-1].
    #[arg(long, env = "DOCKSIDE_FILES_REGION", value_name = "REGION")]
    pub files_region: Option<String>,

    /// The id of the key that opens it.
    #[arg(long, env = "DOCKSIDE_FILES_KEY_ID", value_name = "ID")]
    pub files_key_id: Option<String>,

    /// That key's secret.
    #[arg(long, env = "DOCKSIDE_FILES_SECRET", value_name = "TEXT", hide_env_values = true)]
    pub files_secret: Option<String>,

    /// A file with that secret.
    #[arg(long, env = "DOCKSIDE_FILES_SECRET_FILE", value_name = "FILE")]
    pub files_secret_file: Option<PathBuf>,

    /// Whether the bucket is named in the path, and not in the host name [default: true where there is an endpoint].
    #[arg(long, env = "DOCKSIDE_FILES_PATH_STYLE", value_name = "BOOL")]
    pub files_path_style: Option<bool>,

    /// Seconds that a link to a file lives [default: 3600].
    #[arg(long, env = "DOCKSIDE_FILE_URL_SECONDS", value_name = "SECONDS")]
    pub file_url_seconds: Option<u32>,

    /// How log lines look [default: pretty on a terminal, json otherwise].
    #[arg(long, env = "DOCKSIDE_LOG_FORMAT", value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,

    /// Signs cursors and file links: 64 hexadecimal digits. Nodes that share a database share it
    /// [default: made at first start, in the data folder].
    #[arg(long, env = "DOCKSIDE_SIGNING_KEY", value_name = "HEX", hide_env_values = true)]
    pub signing_key: Option<String>,

    /// Encrypts carriers' credentials: 64 hexadecimal digits. Nodes that share a database share it
    /// [default: made at first start, in the data folder].
    #[arg(long, env = "DOCKSIDE_ENCRYPTION_KEY", value_name = "HEX", hide_env_values = true)]
    pub encryption_key: Option<String>,
}

/// How log lines look.
#[derive(ValueEnum, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Pretty,
    Json,
    Off,
}

const FILE: &str = "dockside.toml";

impl Settings {
    /// Fills what neither flag nor variable set from the file, and checks the whole.
    pub fn resolve(self) -> Result<Self, Failure> {
        let file = match &self.config {
            Some(path) => read_file(path)?,
            None if Path::new(FILE).exists() => read_file(Path::new(FILE))?,
            None => Self::default(),
        };
        let merged = self.or(file);
        merged.check()?;
        Ok(merged)
    }

    fn or(self, file: Self) -> Self {
        Self {
            data: self.data.or(file.data),
            listen: self.listen.or(file.listen),
            public_url: self.public_url.or(file.public_url),
            database_url: self.database_url.or(file.database_url),
            config: self.config,
            database_connections: self.database_connections.or(file.database_connections),
            page_limit_default: self.page_limit_default.or(file.page_limit_default),
            page_limit_max: self.page_limit_max.or(file.page_limit_max),
            batch_shipments_max: self.batch_shipments_max.or(file.batch_shipments_max),
            body_bytes_max: self.body_bytes_max.or(file.body_bytes_max),
            header_seconds: self.header_seconds.or(file.header_seconds),
            body_seconds: self.body_seconds.or(file.body_seconds),
            request_seconds: self.request_seconds.or(file.request_seconds),
            connections_max: self.connections_max.or(file.connections_max),
            requests_max: self.requests_max.or(file.requests_max),
            rate_per_second: self.rate_per_second.or(file.rate_per_second),
            rate_burst: self.rate_burst.or(file.rate_burst),
            cors_origins: self.cors_origins.or(file.cors_origins),
            idempotency_hours: self.idempotency_hours.or(file.idempotency_hours),
            event_days: self.event_days.or(file.event_days),
            outbound_allow: self.outbound_allow.or(file.outbound_allow),
            realtime_connections_max: self.realtime_connections_max.or(file.realtime_connections_max),
            realtime_organisation_max: self.realtime_organisation_max.or(file.realtime_organisation_max),
            realtime_user_max: self.realtime_user_max.or(file.realtime_user_max),
            realtime: self.realtime.or(file.realtime),
            centrifugo_url: self.centrifugo_url.or(file.centrifugo_url),
            centrifugo_key: self.centrifugo_key.or(file.centrifugo_key),
            realtime_token_seconds: self.realtime_token_seconds.or(file.realtime_token_seconds),
            realtime_subscription_token_seconds: self
                .realtime_subscription_token_seconds
                .or(file.realtime_subscription_token_seconds),
            realtime_secret: self.realtime_secret.or(file.realtime_secret),
            realtime_key_file: self.realtime_key_file.or(file.realtime_key_file),
            nats_url: self.nats_url.or(file.nats_url),
            carrier_rate_seconds: self.carrier_rate_seconds.or(file.carrier_rate_seconds),
            carrier_seconds: self.carrier_seconds.or(file.carrier_seconds),
            carrier_calls_max: self.carrier_calls_max.or(file.carrier_calls_max),
            purchase_wait_seconds: self.purchase_wait_seconds.or(file.purchase_wait_seconds),
            purchase_review_seconds: self.purchase_review_seconds.or(file.purchase_review_seconds),
            files: self.files.or(file.files),
            files_endpoint: self.files_endpoint.or(file.files_endpoint),
            files_region: self.files_region.or(file.files_region),
            files_key_id: self.files_key_id.or(file.files_key_id),
            files_secret: self.files_secret.or(file.files_secret),
            files_secret_file: self.files_secret_file.or(file.files_secret_file),
            files_path_style: self.files_path_style.or(file.files_path_style),
            file_url_seconds: self.file_url_seconds.or(file.file_url_seconds),
            log_format: self.log_format.or(file.log_format),
            signing_key: self.signing_key.or(file.signing_key),
            encryption_key: self.encryption_key.or(file.encryption_key),
        }
    }

    fn check(&self) -> Result<(), Failure> {
        let positive = [
            ("database_connections", self.database_connections.map(|n| n as u64)),
            ("page_limit_default", self.page_limit_default.map(|n| n as u64)),
            ("page_limit_max", self.page_limit_max.map(|n| n as u64)),
            ("batch_shipments_max", self.batch_shipments_max.map(|n| n as u64)),
            ("body_bytes_max", self.body_bytes_max.map(|n| n as u64)),
            ("header_seconds", self.header_seconds),
            ("body_seconds", self.body_seconds),
            ("request_seconds", self.request_seconds),
            ("connections_max", self.connections_max.map(|n| n as u64)),
            ("requests_max", self.requests_max.map(|n| n as u64)),
            ("rate_burst", self.rate_burst.map(u64::from)),
            ("idempotency_hours", self.idempotency_hours.map(u64::from)),
            ("event_days", self.event_days.map(u64::from)),
            ("carrier_rate_seconds", self.carrier_rate_seconds),
            ("carrier_seconds", self.carrier_seconds),
            ("carrier_calls_max", self.carrier_calls_max.map(|n| n as u64)),
            ("purchase_review_seconds", self.purchase_review_seconds.map(u64::from)),
            ("realtime_connections_max", self.realtime_connections_max.map(|n| n as u64)),
            ("realtime_organisation_max", self.realtime_organisation_max.map(u64::from)),
            ("realtime_user_max", self.realtime_user_max.map(u64::from)),
            ("realtime_token_seconds", self.realtime_token_seconds.map(u64::from)),
            ("realtime_subscription_token_seconds", self.realtime_subscription_token_seconds.map(u64::from)),
            ("file_url_seconds", self.file_url_seconds.map(u64::from)),
        ];
        if let Some((name, _)) = positive.iter().find(|(_, value)| *value == Some(0)) {
            return Err(Failure(format!("the setting {name} must be 1 or more")));
        }
        let (default, max) = (self.page_limit_default.unwrap_or(20), self.page_limit_max.unwrap_or(100));
        if default > max {
            return Err(Failure(format!(
                "the setting page_limit_default ({default}) is above page_limit_max ({max})"
            )));
        }
        if let Some(url) = &self.database_url
            && !url.starts_with("postgres://")
            && !url.starts_with("postgresql://")
        {
            return Err(Failure("the setting database_url must start with postgres://".to_owned()));
        }
        self.nats_url()?;
        self.check_files()?;
        for origin in self.cors_origins.iter().flatten() {
            let is_origin = origin.split_once("://").is_some_and(|(scheme, host)| {
                matches!(scheme, "http" | "https") && !host.is_empty() && !host.contains('/')
            });
            if !is_origin {
                return Err(Failure(format!(
                    "the setting cors_origins has {origin:?}, which is not an origin such as https://shop.example.com"
                )));
            }
        }
        Ok(())
    }

    pub fn data(&self) -> PathBuf {
        self.data.clone().unwrap_or_else(|| PathBuf::from("dockside-data"))
    }

    pub fn place(&self) -> service::Place {
        match &self.database_url {
            Some(url) => {
                let connections = self.database_connections.unwrap_or(16);
                service::Place::Postgres { url: url.clone(), connections }
            }
            None => {
                let cores = std::thread::available_parallelism().map_or(2, usize::from);
                let readers = self.database_connections.unwrap_or(cores);
                service::Place::Sqlite { file: self.data().join("dockside.db"), readers }
            }
        }
    }

    pub fn limits(&self) -> api::Limits {
        let defaults = api::Limits::default();
        let seconds = |given: Option<u64>, default: Duration| given.map_or(default, Duration::from_secs);
        api::Limits {
            body_bytes_max: self.body_bytes_max.unwrap_or(defaults.body_bytes_max),
            body_time: seconds(self.body_seconds, defaults.body_time),
            request_time: seconds(self.request_seconds, defaults.request_time),
            header_time: seconds(self.header_seconds, defaults.header_time),
            connections_max: self.connections_max.unwrap_or(defaults.connections_max),
            stream_connections_max: self.realtime_connections_max.unwrap_or(defaults.stream_connections_max),
            requests_max: self.requests_max.unwrap_or(defaults.requests_max),
            rate_per_second: self.rate_per_second.unwrap_or(defaults.rate_per_second),
            rate_burst: self.rate_burst.unwrap_or(defaults.rate_burst),
            cors_origins: self.cors_origins.clone().unwrap_or_default(),
        }
    }

    /// `address` is where this server listens.
    pub fn service(&self, secrets: &Secrets, address: SocketAddr) -> Result<service::Settings, Failure> {
        Ok(service::Settings {
            page_limit_default: self.page_limit_default.unwrap_or(20),
            page_limit_max: self.page_limit_max.unwrap_or(100),
            batch_shipments_max: self.batch_shipments_max.unwrap_or(model::batch::NAMED_MAX),
            idempotency_seconds: i64::from(self.idempotency_hours.unwrap_or(24)) * 3600,
            event_seconds: i64::from(self.event_days.unwrap_or(30)) * 24 * 3600,
            outbound_allow: self.outbound_allow.clone().unwrap_or_default(),
            stream: self.stream()?,
            carriers: self.carriers(),
            files: self.files(address)?,
            nats_url: self.nats_url()?,
            hint_loss_percent: 0,
            signing_key: secrets.signing_key,
            encryption_key: secrets.encryption_key,
        })
    }

    fn carriers(&self) -> service::purchasing::Settings {
        let defaults = service::purchasing::Settings::default();
        service::purchasing::Settings {
            rate_seconds: self.carrier_rate_seconds.unwrap_or(defaults.rate_seconds),
            call_seconds: self.carrier_seconds.unwrap_or(defaults.call_seconds),
            account_calls_max: self.carrier_calls_max.unwrap_or(defaults.account_calls_max),
            wait_seconds: self.purchase_wait_seconds.unwrap_or(defaults.wait_seconds),
            review_seconds: self.purchase_review_seconds.map_or(defaults.review_seconds, i64::from),
        }
    }

    pub fn log_format(&self) -> Format {
        use std::io::IsTerminal;
        match self.log_format {
            Some(LogFormat::Pretty) => Format::Pretty,
            Some(LogFormat::Json) => Format::Json,
            Some(LogFormat::Off) => Format::Off,
            None if std::io::stderr().is_terminal() => Format::Pretty,
            None => Format::Json,
        }
    }
}

fn read_file(path: &Path) -> Result<Settings, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure(format!("the settings file {} can't be read: {error}", path.display())))?;
    toml::from_str(&text)
        .map_err(|error| Failure(format!("in the settings file {}: {error}", path.display())))
}

#[cfg(test)]
mod tests;
