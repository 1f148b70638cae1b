//! All declared settings, whatever their subjects and types are, with values to try them with.

use super::super::carriers::Carriers;
use super::super::declaration::{Declared, Subject};
use super::super::description::Description;
use super::super::events::Events;
use super::super::files::Files;
use super::super::mail::Mail;
use super::super::openid::OpenId;
use super::super::printing::Printing;
use super::super::realtime::Realtime;
use super::super::server::Server;
use super::super::*;

/// What a check of a value says, or what the operator set.
type Answer = Box<dyn Fn(&Settings) -> Option<String>>;

/// A declared setting.
pub struct Entry {
    /// The subject's heading.
    pub title: &'static str,
    pub description: &'static Description,
    /// Whether it refuses values of its type.
    pub is_checked: bool,
    /// Returns the value that the operator set, as text.
    pub given: Answer,
    /// Returns why the value is refused.
    pub refusal: Answer,
}

/// Returns all settings, in the order of the help.
pub fn all() -> Vec<Entry> {
    let mut all = of::<Store>(|settings| &settings.store);
    all.extend(of::<Server>(|settings| &settings.server));
    all.extend(of::<OpenId>(|settings| &settings.openid));
    all.extend(of::<Mail>(|settings| &settings.mail));
    all.extend(of::<Limits>(|settings| &settings.limits));
    all.extend(of::<Events>(|settings| &settings.events));
    all.extend(of::<Realtime>(|settings| &settings.realtime));
    all.extend(of::<Carriers>(|settings| &settings.carriers));
    all.extend(of::<Files>(|settings| &settings.files));
    all.extend(of::<Printing>(|settings| &settings.printing));
    all
}

fn of<S: Subject>(subject: fn(&Settings) -> &S) -> Vec<Entry> {
    let entry = |setting: &'static dyn Declared<S>| Entry {
        title: S::TITLE,
        description: setting.description(),
        is_checked: setting.is_checked(),
        given: Box::new(move |settings| setting.given(subject(settings))),
        refusal: Box::new(move |settings| {
            setting.check_value(subject(settings)).err().map(|failure| failure.0)
        }),
    };
    S::declared().iter().map(AsRef::as_ref).map(entry).collect()
}

/// A value as a flag or a variable has it, and as the settings file has it.
pub struct Sample {
    pub text: String,
    pub toml: String,
}

impl Sample {
    fn bare(text: &str) -> Self {
        Self { text: text.to_owned(), toml: text.to_owned() }
    }

    fn quoted(text: &str) -> Self {
        Self { text: text.to_owned(), toml: format!("{text:?}") }
    }

    fn list(items: &[&str]) -> Self {
        Self { text: items.join(","), toml: format!("{items:?}") }
    }

    fn table(key: &str, value: &str) -> Self {
        Self { text: format!("{key}={value}"), toml: format!("{{ {key} = {value:?} }}") }
    }
}

impl Entry {
    /// Returns a value that is allowed, and is not the default.
    pub fn sample(&self) -> Sample {
        match (self.description.name, self.description.value_name) {
            ("database_url", _) => Sample::quoted("postgres://db.internal/dockside"),
            (_, "SERVER") => Sample::quoted("smtps://mail.example.com:4465"),
            (_, "MAILBOX") => Sample::quoted("Acme <dockside@acme.example>"),
            ("nats_url", _) => Sample::quoted("tls://nats.internal"),
            (_, "N" | "BYTES" | "SECONDS" | "HOURS" | "DAYS") => Sample::bare("7"),
            (_, "BOOL") => Sample::bare("true"),
            (_, "DIR" | "FILE" | "ID" | "REGION") => Sample::quoted("somewhere/else"),
            (_, "KEY" | "TEXT") => Sample::quoted("a text of 32 characters or more."),
            (_, "HEX") => Sample::quoted(&"0f".repeat(32)),
            (_, "URL") => Sample::quoted("https://a.example.com"),
            (_, "ADDR") => Sample::quoted("127.0.0.1:81"),
            (_, "MODE") => Sample::quoted("require"),
            (_, "FILTER") => Sample::quoted("info,service::shipping=debug"),
            (_, "FORMAT") => Sample::quoted("json"),
            (_, "WHERE") => Sample::quoted("centrifugo"),
            (_, "PLACE") => Sample::quoted("s3://labels/dockside"),
            (_, "ORIGINS") => Sample::list(&["https://a.example.com", "http://b.example.com:81"]),
            (_, "NETWORKS") => Sample::list(&["10.1.0.0/16", "fd12:3456::/32"]),
            (_, "ORGANISATION") => Sample::quoted("org_00000000000000000000000001"),
            (_, "SCOPES") => Sample::list(&["email", "groups"]),
            (_, "DOMAINS") => Sample::list(&["example.com", "acme.example"]),
            (_, "CLAIM") => Sample::quoted("groups"),
            (_, "VALUE=ROLE") => Sample::table("warehouse", "packer"),
            (_, "LABEL") => Sample::quoted("Sign in with Acme"),
            (_, "HANDLE=URL") => Sample::table("easypost", "https://proxy.example.com/v2"),
            (name, value_name) => panic!("add a sample for {name}, whose values are called {value_name}"),
        }
    }

    /// Returns a value that has the right type and is not allowed.
    pub fn forbidden_sample(&self) -> Sample {
        match self.description.value_name {
            _ if self.description.allowed.is_some() => Sample::bare("0"),
            "ORIGINS" => Sample::list(&["https://a.example.com", "hunter2"]),
            "HANDLE=URL" => Sample::table("easypost", "hunter2"),
            "SCOPES" => Sample::list(&["email", "hunter2\""]),
            "DOMAINS" => Sample::list(&["example.com", "hunter2"]),
            "VALUE=ROLE" => Sample::table("hunter2", ""),
            "LABEL" => Sample::quoted(&"hunter2".repeat(20)),
            "PLACE" => Sample::quoted("gs://hunter2"),
            _ => Sample::quoted("hunter2"),
        }
    }

    /// Returns the settings if only this one is set, by its flag.
    pub fn by_flag(&self, value: &str) -> Settings {
        super::settings(&[&format!("--{}={value}", self.description.flag)])
    }
}
