//! The types that settings may have: how the command line reads a value of each.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, ValueEnum};

/// The type of a setting.
pub trait Value: Clone + Send + Sync + 'static {
    /// Tells the command line how to read the value of a flag or a variable.
    fn accept(argument: Arg) -> Arg;

    /// Returns the value that the flag or the variable has.
    fn find(matches: &ArgMatches, name: &str) -> Option<Self> {
        matches.get_one::<Self>(name).cloned()
    }

    /// Returns the value as an operator writes it.
    fn text(&self) -> String;
}

/// Implements [`Value`] for a type that the command line can read. The function writes a value as text.
macro_rules! values {
    ($($type:ty: $text:expr;)+) => {
        $(impl $crate::settings::value::Value for $type {
            fn accept(argument: clap::Arg) -> clap::Arg {
                argument.value_parser(clap::value_parser!($type))
            }

            fn text(&self) -> String {
                let text: fn(&$type) -> String = $text;
                text(self)
            }
        })+
    };
}

pub(super) use values;

values! {
    bool: ToString::to_string;
    u32: ToString::to_string;
    u64: ToString::to_string;
    usize: ToString::to_string;
    String: Clone::clone;
    PathBuf: |path| path.display().to_string();
}

/// Values that are separated by commas, or given by the same flag several times.
impl<T: Value> Value for Vec<T> {
    fn accept(argument: Arg) -> Arg {
        T::accept(argument).action(ArgAction::Append).value_delimiter(',')
    }

    fn find(matches: &ArgMatches, name: &str) -> Option<Self> {
        Some(matches.get_many::<T>(name)?.cloned().collect())
    }

    fn text(&self) -> String {
        self.iter().map(Value::text).collect::<Vec<_>>().join(",")
    }
}

/// Returns the word for one of several choices.
pub fn word(choice: &impl ValueEnum) -> String {
    choice.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}
