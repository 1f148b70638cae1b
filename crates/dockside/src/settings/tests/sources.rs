//! Each setting is accepted, and refused, in the same way from its flag, its variable and the settings file.

use std::process::Command;

use super::entries::{Entry, Sample, all};
use super::{file, settings};

/// The variable that tells a test that it runs in a process with variables of its own.
const CHILD: &str = "SETTINGS_TEST_CHILD";

/// Runs a test again in a process with the variables of these settings, because a process can't safely change its own.
/// Returns whether this is that process.
fn has_variables(test: &str, variables: impl Iterator<Item = (String, String)>) -> bool {
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    let test = format!("settings::tests::sources::{test}");
    let ended = child.args(["--exact", &test]).env(CHILD, "1").envs(variables).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && said.contains("1 passed"), "{said}");
    false
}

fn variables(entries: &[Entry], sample: fn(&Entry) -> Sample) -> impl Iterator<Item = (String, String)> {
    entries.iter().map(move |entry| (entry.description.variable.clone(), sample(entry).text))
}

/// The line of the settings file.
fn line(entry: &Entry, sample: &Sample) -> String {
    format!("{} = {}", entry.description.name, sample.toml)
}

fn checked() -> Vec<Entry> {
    all().into_iter().filter(|entry| entry.is_checked).collect()
}

#[test]
fn each_setting_is_accepted_from_its_flag() {
    for entry in all() {
        let (name, sample) = (entry.description.name, entry.sample());
        let given = entry.by_flag(&sample.text);
        assert_eq!((entry.given)(&given), Some(sample.text), "{name}");
        assert_eq!((entry.refusal)(&given), None, "{name}");
    }
}

#[test]
fn each_setting_is_accepted_from_its_variable() {
    let entries = all();
    if has_variables("each_setting_is_accepted_from_its_variable", variables(&entries, Entry::sample)) {
        let given = settings(&[]);
        for entry in entries {
            assert_eq!((entry.given)(&given), Some(entry.sample().text), "{}", entry.description.name);
        }
    }
}

#[test]
fn each_setting_is_accepted_from_the_file() {
    for entry in all().iter().filter(|entry| entry.description.is_in_file) {
        let sample = entry.sample();
        let given = settings(&[]).or(file(&line(entry, &sample)));
        assert_eq!((entry.given)(&given), Some(sample.text), "{}", entry.description.name);
    }
}

#[test]
fn each_flag_wins_over_the_file() {
    for entry in all().iter().filter(|entry| entry.description.is_in_file && entry.is_checked) {
        let (sample, other) = (entry.sample(), entry.forbidden_sample());
        let given = entry.by_flag(&sample.text).or(file(&line(entry, &other)));
        assert_eq!((entry.given)(&given), Some(sample.text), "{}", entry.description.name);
    }
}

#[test]
fn a_forbidden_value_is_refused_with_the_same_words_from_flag_and_file() {
    let entries = checked();
    // As many as were checked when this was written: 26 have a range, 11 a function. None may be lost.
    assert!(entries.len() >= 37, "only {} settings are checked", entries.len());
    for entry in entries {
        let (name, sample) = (entry.description.name, entry.forbidden_sample());
        let said = (entry.refusal)(&entry.by_flag(&sample.text)).expect(name);
        assert!(said.starts_with(&format!("the setting {name} ")), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
        let allowed = entry.description.allowed.as_deref().unwrap_or_default();
        assert!(said.ends_with(allowed), "{said} does not say {allowed}");
        assert_eq!((entry.refusal)(&file(&line(&entry, &sample))), Some(said), "{name}");
    }
}

#[test]
fn a_forbidden_value_is_refused_with_the_same_words_from_a_variable() {
    let entries = checked();
    let test = "a_forbidden_value_is_refused_with_the_same_words_from_a_variable";
    if has_variables(test, variables(&entries, Entry::forbidden_sample)) {
        let given = settings(&[]);
        for entry in entries {
            let by_flag = (entry.refusal)(&entry.by_flag(&entry.forbidden_sample().text));
            assert!(by_flag.is_some(), "{}", entry.description.name);
            assert_eq!((entry.refusal)(&given), by_flag, "{}", entry.description.name);
        }
    }
}

#[test]
fn a_forbidden_value_stops_the_start() {
    for entry in checked() {
        let given = entry.by_flag(&entry.forbidden_sample().text);
        assert_eq!(given.check().err().map(|failure| failure.0), (entry.refusal)(&given));
    }
}
