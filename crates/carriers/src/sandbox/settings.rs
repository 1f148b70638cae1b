//! The configuration of a sandbox account: the URL of the carrier, and how it treats repeated purchases.

use std::time::Duration;

use model::shipping::shipment::package::PACKAGES_MAX;
use serde::{Deserialize, Serialize};

use crate::{Account, Capabilities};

/// The prefix of URLs of the in-process carrier: `sandbox:/v1/rates`. It is not a network address. The caller of the
/// connector passes such requests to the [server](super::desk) side.
pub const IN_PROCESS: &str = "sandbox:";
const URL_CHARS_MAX: usize = 500;
/// The longest time that a purchase may be invisible to look-ups: an hour.
const VISIBILITY_DELAY_MS_MAX: u64 = 3_600_000;

/// How the carrier treats a purchase that is repeated under its reference.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The purchase is made once, and the same answer is returned again.
    #[default]
    Idempotent,
    /// The purchase is made again, but can be looked up.
    LookUp,
    /// The purchase is made again, and can't be looked up.
    Neither,
}

impl Mode {
    pub const ALL: [Mode; 3] = [Mode::Idempotent, Mode::LookUp, Mode::Neither];

    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Idempotent => "idempotent",
            Mode::LookUp => "look_up",
            Mode::Neither => "neither",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == word)
    }
}

/// The parsed configuration of an account.
#[derive(Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The URL of a carrier in a process of its own (`dockside sandbox-carrier`). Without it, the carrier runs in
    /// this process.
    pub url: Option<String>,
    pub mode: Mode,
    /// How long a purchase is invisible to look-ups.
    pub visibility_delay_ms: u64,
    /// Whether the carrier wants access tokens with its requests, as many carriers do.
    pub tokens: bool,
}

impl Settings {
    /// Parses a configuration. The error is a sentence for the person who wrote it.
    pub fn read(account: &Account) -> Result<Self, String> {
        let value = serde_json::Value::Object(account.configuration.clone());
        let settings: Settings = serde_json::from_value(value)
            .map_err(|error| format!("The sandbox's configuration: {error}."))?;
        if let Some(url) = &settings.url {
            check_url(url)?;
        }
        if settings.tokens && !account.credentials.get("client_secret").is_some_and(is_text) {
            return Err(
                "The sandbox needs a `client_secret` in the credentials to give `tokens` for it.".to_owned()
            );
        }
        if settings.visibility_delay_ms > VISIBILITY_DELAY_MS_MAX {
            return Err(format!(
                "The sandbox's configuration: `visibility_delay_ms` is at most {VISIBILITY_DELAY_MS_MAX}, an hour."
            ));
        }
        Ok(settings)
    }

    /// Returns the prefix of every URL.
    pub(super) fn base(&self) -> &str {
        self.url.as_deref().map_or(IN_PROCESS, |url| url.trim_end_matches('/'))
    }

    pub(super) fn capabilities(&self) -> Capabilities {
        Capabilities {
            is_idempotent: self.mode == Mode::Idempotent,
            can_look_up: self.mode != Mode::Neither,
            can_void: true,
            can_manifest: true,
            can_track: true,
            label_formats: &[],
            packages_max: PACKAGES_MAX,
            visibility_delay: Duration::from_millis(self.visibility_delay_ms),
        }
    }
}

fn is_text(value: &serde_json::Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

fn check_url(url: &str) -> Result<(), String> {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let is_plain = |char: char| char.is_ascii_graphic() && !matches!(char, '?' | '#' | '@');
    let is_good = rest.is_some_and(|rest| {
        !rest.is_empty()
            && !rest.starts_with('/')
            && rest.len() <= URL_CHARS_MAX
            && rest.chars().all(is_plain)
    });
    if is_good {
        return Ok(());
    }
    Err("The sandbox's configuration: `url` is the address of a `dockside sandbox-carrier`, such as `http://127.0.0.1:4010`.".to_owned())
}

#[cfg(test)]
mod tests {
    use model::Id;
    use serde_json::{Map, Value, json};

    use super::*;

    fn read(configuration: &Value) -> Result<Settings, String> {
        let configuration = configuration.as_object().cloned().unwrap_or_default();
        Settings::read(&Account::new(Id::from_bits(1), configuration, Map::new()))
    }

    #[test]
    fn what_an_account_says_is_what_may_be_asked() {
        let able = |configuration| {
            let able = read(&configuration).unwrap().capabilities();
            (able.is_idempotent, able.can_look_up, able.visibility_delay.as_millis())
        };
        assert_eq!(able(json!({})), (true, true, 0));
        assert_eq!(able(json!({"mode": "look_up", "visibility_delay_ms": 250})), (false, true, 250));
        assert_eq!(able(json!({"url": "http://10.0.0.5:4010/", "mode": "neither"})), (false, false, 0));
        assert_eq!(read(&json!({})).unwrap().base(), "sandbox:");
        assert_eq!(read(&json!({"url": "http://10.0.0.5:4010/"})).unwrap().base(), "http://10.0.0.5:4010");
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_a_sentence() {
        for (configuration, word) in [
            (json!({"mod": "neither"}), "`mod`"),
            (json!({"mode": "both"}), "`both`"),
            (json!({"mode": 7}), "7"),
            (json!({"url": "127.0.0.1:4010"}), "`url`"),
            (json!({"url": "http://"}), "`url`"),
            (json!({"url": "http://a b"}), "`url`"),
            (json!({"url": "http://a/?x=1"}), "`url`"),
            (json!({"url": "ftp://a"}), "`url`"),
            (json!({"visibility_delay_ms": -1}), "-1"),
            (json!({"visibility_delay_ms": 3_600_001}), "`visibility_delay_ms`"),
        ] {
            let message = read(&configuration).unwrap_err();
            assert!(message.contains(word) && message.ends_with('.'), "{message}");
        }
    }
}
