//! The settings file, `dockside.toml`: the settings of all subjects are keys on its top level.
//!
//! serde's `flatten` would read them too, but it accepts unknown keys and forgets on which line a value is.

use std::fmt;
use std::path::Path;
use std::sync::LazyLock;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::carriers::Carriers;
use super::declaration::Subject;
use super::events::Events;
use super::files::Files;
use super::limits::Limits;
use super::mail::Mail;
use super::openid::OpenId;
use super::printing::Printing;
use super::realtime::Realtime;
use super::server::Server;
use super::store::Store;
use super::subjects::Settings;
use crate::failure::Failure;
use crate::toml_error;

/// The keys that the file may have.
static KEYS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let subjects = [
        keys::<Store>(),
        keys::<Server>(),
        keys::<OpenId>(),
        keys::<Mail>(),
        keys::<Limits>(),
        keys::<Events>(),
        keys::<Realtime>(),
        keys::<Carriers>(),
        keys::<Files>(),
        keys::<Printing>(),
    ];
    subjects.concat()
});

fn keys<S: Subject>() -> Vec<String> {
    let declared = S::declared().iter().map(|setting| setting.description());
    declared.filter(|setting| setting.is_in_file).map(|setting| setting.name.to_owned()).collect()
}

/// Reads the settings file. A failure names the line and the key, and never the value, which may be a secret.
pub fn read(path: &Path) -> Result<Settings, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure(format!("the settings file {} can't be read: {error}", path.display())))?;
    toml_error::parse(&format!("in the settings file {}", path.display()), &text, &KEYS)
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(FileVisitor)
    }
}

struct FileVisitor;

impl<'de> Visitor<'de> for FileVisitor {
    type Value = Settings;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a table of settings")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut file: M) -> Result<Settings, M::Error> {
        let mut settings = Settings::default();
        while let Some(KnownKey(key)) = file.next_key()? {
            let Settings { store, server, openid, mail, limits, events, realtime, carriers, files, printing } =
                &mut settings;
            let is_read = store.read(&key, &mut file)?
                || server.read(&key, &mut file)?
                || openid.read(&key, &mut file)?
                || mail.read(&key, &mut file)?
                || limits.read(&key, &mut file)?
                || events.read(&key, &mut file)?
                || realtime.read(&key, &mut file)?
                || carriers.read(&key, &mut file)?
                || files.read(&key, &mut file)?
                || printing.read(&key, &mut file)?;
            if !is_read {
                return Err(unknown(&key));
            }
        }
        Ok(settings)
    }
}

/// A key that is a setting's name. It is checked while the key is read, because an error has the line of what is being read.
struct KnownKey(String);

impl<'de> Deserialize<'de> for KnownKey {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let key = String::deserialize(from)?;
        let is_known = KEYS.contains(&key);
        if is_known { Ok(Self(key)) } else { Err(unknown(&key)) }
    }
}

fn unknown<E: Error>(key: &str) -> E {
    E::unknown_field(key, &["a setting"])
}
