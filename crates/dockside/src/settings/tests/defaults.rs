//! The defaults that are shown are the defaults that are used.

use service::events::stream;
use service::shipping::purchasing;

use super::super::declaration::Setting;
use super::super::description::{DefaultText, Description};
use super::super::*;
use super::entries::{Entry, all};
use super::settings;

/// Everything that the server makes of the settings that have a default.
fn used(settings: &Settings) -> String {
    let Settings { store, server, openid, mail, limits, events, realtime, carriers, files, printing } =
        settings;
    let retention = store.retention();
    let stream = realtime.stream().unwrap_or_else(|failure| panic!("{}", failure.0));
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        settings.http_limits(),
        (limits.page_limit_default(), limits.page_limit_max(), limits.batch_shipments_max()),
        (limits.idempotency_seconds(), events.event_seconds()),
        (retention.history_seconds, retention.leftover_seconds),
        (stream.connections_per_user_max, stream.connections_per_organisation_max),
        (stream.lives.connection, stream.lives.subscription, realtime.realtime()),
        (carriers.purchasing(limits), files.files_region(), files.file_url_seconds()),
        (server.listen(), server.strict(), server.allow_superuser(), server.log()),
        printing.printer_networks(),
        (openid.oidc_scopes(), openid.oidc_create_users(), openid.oidc_label(), mail.smtp_allow_plain()),
    )
}

fn shown(entry: &Entry) -> String {
    entry.description.default.as_ref().map(ToString::to_string).unwrap_or_default()
}

fn entry(name: &str) -> Entry {
    all().into_iter().find(|entry| entry.description.name == name).expect(name)
}

#[test]
fn a_default_that_is_set_changes_nothing_and_another_value_does() {
    let untouched = used(&settings(&[]));
    let entries = all();
    let is_value = |entry: &&Entry| matches!(entry.description.default, Some(DefaultText::Value(_)));
    let with_value: Vec<&Entry> = entries.iter().filter(is_value).collect();
    assert!(with_value.len() > 30, "only {} settings have a default", with_value.len());
    for entry in with_value {
        let (name, default) = (entry.description.name, shown(entry));
        assert_eq!(used(&entry.by_flag(&default)), untouched, "{name}");
        // Centrifugo needs an address too.
        let more: &[&str] = match name {
            "realtime" => &["--centrifugo-url=http://a", "--centrifugo-key=k"],
            _ => &[],
        };
        let other = format!("--{}={}", entry.description.flag, entry.sample().text);
        let changed = used(&settings(&[&[other.as_str()], more].concat()));
        assert_ne!(changed, untouched, "{name}: add what it changes to `used`");
    }
}

#[test]
fn defaults_in_words_say_what_is_used() {
    let limits = |arguments: &[&str]| settings(arguments).http_limits();
    let memory = limits(&[]).body_memory_max;
    assert_eq!(
        shown(&entry("body_memory_max")),
        format!("{memory}, or 4 times `body_bytes_max` if that is more")
    );
    assert_eq!(limits(&["--body-bytes-max=10000000"]).body_memory_max, 40_000_000);
    assert_eq!(limits(&["--body-bytes-max=10"]).body_memory_max, memory);

    let rate_seconds = |arguments: &[&str]| {
        let settings = settings(arguments);
        settings.carriers.purchasing(&settings.limits).rate_seconds
    };
    let words = format!("{}, or half of `request_seconds` if that is less", rate_seconds(&[]));
    assert_eq!(shown(&entry("carrier_rate_seconds")), words);
    assert_eq!(rate_seconds(&["--request-seconds=8"]), 4);

    let connections = settings(&["--database-url=postgres://db"]).store.database_connections_max();
    let words = format!("{connections} for PostgreSQL, one per core for SQLite");
    assert_eq!(shown(&entry("database_connections")), words);
    assert_eq!(format!("./{}", settings(&[]).store.data().display()), shown(&entry("data")));
    assert!(
        settings(&[]).server.cors_origins().is_empty() && settings(&[]).events.outbound_allow().is_empty()
    );
}

/// Tests and benchmarks start the product with the defaults of its crates.
#[test]
fn the_defaults_are_those_of_the_crates() {
    let settings = settings(&[]);
    let limits = format!("{:?}", settings.http_limits());
    assert_eq!(limits, format!("{:?}", api::Limits::default()));
    let purchasing = format!("{:?}", settings.carriers.purchasing(&settings.limits));
    assert_eq!(purchasing, format!("{:?}", purchasing::Settings::default()));
    let (retention, default) = (settings.store.retention(), service::Retention::default());
    assert_eq!(retention.history_seconds, default.history_seconds);
    assert_eq!(retention.leftover_seconds, default.leftover_seconds);
    let of = |stream: &stream::Settings| {
        let lives = (stream.lives.connection, stream.lives.subscription);
        (stream.connections_per_user_max, stream.connections_per_organisation_max, lives)
    };
    let Ok(stream) = settings.realtime.stream() else { panic!("the defaults are refused") };
    assert_eq!(of(&stream), of(&stream::Settings::default()));
}

#[test]
fn a_range_is_said_in_words() {
    let refusal = |setting: Setting<Option<u32>, u32>, value: u32| {
        use super::super::declaration::Declared;
        setting.check_value(&Some(value)).err().map(|failure| failure.0)
    };
    let setting = || {
        Setting::<Option<u32>, u32>::new(
            Description::new("a_limit", "N", &["A limit."]),
            |value| value,
            |value| value,
        )
    };
    assert_eq!(refusal(setting().range(1..=9), 9), None);
    assert_eq!(refusal(setting().range(1..=9), 10).unwrap(), "the setting a_limit must be from 1 to 9");
    assert_eq!(refusal(setting().range(1..), 0).unwrap(), "the setting a_limit must be 1 or more");
    assert_eq!(refusal(setting().range(..9), 9).unwrap(), "the setting a_limit must be less than 9");
    assert_eq!(refusal(setting().range(..=9), 10).unwrap(), "the setting a_limit must be 9 or less");
    let said = refusal(setting().range(2..9), 9).unwrap();
    assert_eq!(said, "the setting a_limit must be 2 or more, and less than 9");
}
