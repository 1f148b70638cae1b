//! Settings: which wins, and what is refused.

use clap::Parser;

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
    assert_eq!((merged.rate_burst, merged.rate_per_second), (Some(7), Some(3)));
}

#[test]
fn a_wrong_setting_is_named() {
    let named = |arguments: &[&str]| settings(arguments).check().err().map(|failure| failure.0);
    assert!(named(&["--requests-max", "0"]).unwrap().contains("requests_max"));
    assert!(named(&["--event-days", "0"]).unwrap().contains("event_days"));
    assert!(named(&["--realtime-token-seconds", "0"]).unwrap().contains("realtime_token_seconds"));
    assert!(named(&["--page-limit-default", "200"]).unwrap().contains("page_limit_default"));
    assert!(named(&["--database-url", "mysql://x"]).unwrap().contains("database_url"));
    assert!(named(&["--cors-origins", "https://a.example,b"]).unwrap().contains("cors_origins"));
    assert!(named(&["--outbound-allow", "127.0.0.0/8,10.1.0.0/16,::1/128"]).is_none());
    let postgres = ["--database-url", "postgres://x", "--nats-url"];
    let nats = |url| named(&[&postgres[..], &[url]].concat());
    assert!(nats("tls://ada:love@host").unwrap().contains("nats_url starts with tls://"));
    assert!(nats("nats://ada:love@host/x").is_some_and(|said| !said.contains("love")));
    assert!(nats("nats://ada:love@host").is_none());
    assert!(named(&["--nats-url", "nats://host"]).unwrap().contains("database_url"));
    assert!(named(&[]).is_none());
    assert!(toml::from_str::<Settings>("lisen = 1").err().unwrap().to_string().contains("lisen"));
    let networks =
        toml::from_str::<Settings>("outbound_allow = [\"10.1.2.3/16\"]").err().unwrap().to_string();
    assert!(networks.contains("outbound_allow") && networks.contains("10.1.0.0/16"), "{networks}");
}

#[test]
fn every_setting_is_in_the_documentation() {
    use clap::CommandFactory;
    let guide = include_str!("../../../../docs/guide/settings.md");
    for argument in Line::command().get_arguments() {
        let Some(name) = argument.get_long().filter(|name| *name != "help") else { continue };
        assert!(guide.contains(&format!("`--{name}`")), "docs/guide/settings.md lacks --{name}");
    }
}
