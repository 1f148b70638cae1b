//! What a setting is called in each source, and what the help and the guide say about it.

use std::fmt;

/// How a default is shown.
#[derive(Debug)]
pub enum DefaultText {
    /// As the value itself.
    Value(String),
    /// In words, because it depends on something or is no value.
    Words(String),
}

impl fmt::Display for DefaultText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(text) | Self::Words(text) => out.write_str(text),
        }
    }
}

/// The names and the texts of a setting. The names follow from the first, the texts from its declaration.
pub struct Description {
    /// The key in the settings file: `page_limit_max`.
    pub name: &'static str,
    /// The flag without its dashes: `page-limit-max`.
    pub flag: String,
    /// The environment variable: `DOCKSIDE_PAGE_LIMIT_MAX`.
    pub variable: String,
    /// What it does: sentences, without the last full stop.
    pub about: String,
    /// What stands for the value in the help: `N`.
    pub value_name: &'static str,
    /// The value that is used if the operator sets none, or what it depends on.
    pub default: Option<DefaultText>,
    /// The values that are allowed, where the type allows more: `1 or more`.
    pub allowed: Option<String>,
    /// Whether the help must not show the value of the variable.
    pub is_secret: bool,
    /// Whether the settings file may have it.
    pub is_in_file: bool,
    /// Whether the flag may stand without a value, which then is `true`.
    pub is_switch: bool,
}

impl Description {
    /// `about` are the lines of the doc comment.
    pub fn new(name: &'static str, value_name: &'static str, about: &[&str]) -> Self {
        let about = about.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        Self {
            name,
            flag: name.replace('_', "-"),
            variable: format!("DOCKSIDE_{}", name.to_uppercase()),
            about: about.trim_end_matches('.').to_owned(),
            value_name,
            default: None,
            allowed: None,
            is_secret: false,
            is_in_file: true,
            is_switch: false,
        }
    }

    /// Returns what the help says beside the flag.
    pub fn help(&self) -> String {
        match &self.default {
            Some(default) => format!("{} [default: {default}]", self.about),
            None => self.about.clone(),
        }
    }
}
