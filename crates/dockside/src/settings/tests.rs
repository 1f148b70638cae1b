//! Settings: which wins, and what is refused.

mod defaults;
mod entries;
mod guide;
mod sources;

use clap::{CommandFactory, Parser};

use super::*;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    settings: Settings,
}

fn settings(arguments: &[&str]) -> Settings {
    Line::parse_from(["dockside"].iter().chain(arguments)).settings
}

fn file(text: &str) -> Settings {
    toml::from_str(text).unwrap()
}

#[test]
fn a_flag_wins_over_the_file() {
    let merged = settings(&["--rate-burst", "7"]).or(file("rate_burst = 9\nrate_per_second = 3"));
    assert_eq!((merged.limits.rate_burst, merged.limits.rate_per_second), (Some(7), Some(3)));
}

#[test]
fn each_subject_is_filled_from_the_file() {
    let text = "data = \"a\"\nstrict = true\nrequests_max = 1\nevent_days = 2\nrealtime_user_max = 3\n\
                carrier_calls_max = 4\nfile_url_seconds = 5";
    let merged = settings(&["--config", "other.toml"]).or(file(text));
    assert_eq!(merged.store.data(), Path::new("a"));
    assert_eq!(merged.store.config.as_deref(), Some(Path::new("other.toml")));
    assert_eq!(merged.server.strict, Some(true));
    assert_eq!(merged.limits.requests_max, Some(1));
    assert_eq!(merged.events.event_days, Some(2));
    assert_eq!(merged.realtime.realtime_user_max, Some(3));
    assert_eq!(merged.carriers.carrier_calls_max, Some(4));
    assert_eq!(merged.files.file_url_seconds, Some(5));
}

#[test]
fn every_flag_is_a_variable_and_a_key_of_the_file() {
    for argument in Line::command().get_arguments().filter(|argument| argument.get_id() != "help") {
        let name = argument.get_id().as_str();
        assert_eq!(argument.get_long(), Some(name.replace('_', "-").as_str()));
        let variable = argument.get_env().and_then(std::ffi::OsStr::to_str);
        assert_eq!(variable, Some(format!("DOCKSIDE_{}", name.to_uppercase()).as_str()));
        // No setting has such a value, so the failure is about the value where the key is known.
        let said = toml::from_str::<Settings>(&format!("{name} = {{ a = 1 }}")).err().unwrap();
        let is_known = !said.message().starts_with("unknown field");
        assert_eq!(is_known, name != "config", "{name}: {said}");
    }
}

#[test]
fn the_help_shows_one_subject_after_the_other() {
    let command = Line::command();
    let mut headings: Vec<_> = command
        .get_arguments()
        .filter(|argument| argument.get_id() != "help")
        .map(|argument| argument.get_help_heading().unwrap_or("none"))
        .collect();
    headings.dedup();
    let subjects = [
        "Store",
        "Server",
        "OpenID Connect",
        "E-mail",
        "Limits",
        "Events and webhooks",
        "Realtime",
        "Carriers and purchases",
        "Files",
        "Printing",
    ];
    assert_eq!(headings, subjects);
}

#[test]
fn a_fault_in_the_file_is_named_with_its_line() {
    let said = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        std::fs::write(&path, text).unwrap();
        let said = file::read(&path).err().unwrap().0;
        said.split_once("dockside.toml, ").unwrap().1.to_owned()
    };
    let unknown = "line 2: there is no setting `lisen`. Did you mean listen?";
    assert_eq!(said("\nlisen = 1\ndata = \"a\""), unknown);
    let misfit = "line 2, `files_path_style`: the value does not fit, expected a boolean";
    assert_eq!(said("\nfiles_path_style = 3\ndata = \"a\""), misfit);
    assert_eq!(said("[limits]\nrate_burst = 3"), "line 1: there is no setting `limits`.");
    assert_eq!(said("config = \"a.toml\""), "line 1: there is no setting `config`.", "nothing else is meant");
}

#[test]
fn days_say_how_long_what_is_kept() {
    const DAY: i64 = 24 * 3600;
    let kept = |arguments: &[&str]| {
        let retention = settings(arguments).store.retention();
        (retention.history_seconds, retention.leftover_seconds)
    };
    assert_eq!(kept(&[]), (None, 365 * DAY));
    assert_eq!(kept(&["--history-days", "0"]), (None, 365 * DAY));
    assert_eq!(kept(&["--history-days", "730", "--leftover-days", "30"]), (Some(730 * DAY), 30 * DAY));
}

#[test]
fn a_wrong_setting_is_named() {
    let named = |arguments: &[&str]| settings(arguments).check().err().map(|failure| failure.0);
    assert!(named(&["--requests-max", "0"]).unwrap().contains("requests_max"));
    assert!(named(&["--event-days", "0"]).unwrap().contains("event_days"));
    assert!(named(&["--leftover-days", "0"]).unwrap().contains("leftover_days"));
    assert!(named(&["--history-days", "0"]).is_none(), "no history is deleted");
    assert!(named(&["--realtime-token-seconds", "0"]).unwrap().contains("realtime_token_seconds"));
    assert!(named(&["--page-limit-default", "200"]).unwrap().contains("page_limit_default"));
    assert!(named(&["--database-url", "mysql://x"]).unwrap().contains("database_url"));
    assert!(named(&["--cors-origins", "https://a.example,b"]).unwrap().contains("cors_origins"));
    assert!(named(&["--outbound-allow", "127.0.0.0/8,10.1.0.0/16,::1/128"]).is_none());
    let postgres = ["--database-url", "postgres://x", "--nats-url"];
    let nats = |url| named(&[&postgres[..], &[url]].concat());
    assert!(nats("tls://ada:love@host").is_none());
    assert!(nats("http://ada:love@host").unwrap().contains("nats_url must start with nats:// or tls://"));
    assert!(nats("nats://ada:love@host/x").is_some_and(|said| !said.contains("love")));
    assert!(nats("nats://ada:love@host").is_none());
    assert!(named(&["--nats-url", "nats://host"]).unwrap().contains("database_url"));
    assert!(named(&["--carrier-rate-seconds", "60"]).unwrap().contains("carrier_rate_seconds"));
    assert!(named(&["--carrier-rate-seconds", "60", "--request-seconds", "61"]).is_none());
    assert!(named(&["--request-seconds", "2"]).is_none());
    assert!(named(&[]).is_none());
    assert!(toml::from_str::<Settings>("lisen = 1").err().unwrap().to_string().contains("lisen"));
    let networks =
        toml::from_str::<Settings>("outbound_allow = [\"10.1.2.3/16\"]").err().unwrap().to_string();
    assert!(networks.contains("outbound_allow") && networks.contains("10.1.0.0/16"), "{networks}");
}

#[test]
fn every_setting_is_in_the_documentation() {
    let guide = include_str!("../../../../docs/guide/settings.md");
    for argument in Line::command().get_arguments() {
        let Some(name) = argument.get_long().filter(|name| *name != "help") else { continue };
        assert!(guide.contains(&format!("`--{name}`")), "docs/guide/settings.md lacks --{name}");
    }
}
