//! The declaration of a setting, from which everything else about it follows: its names, its default, how it is read, what
//! is refused, and what the help and the guide say.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};

use clap::{Arg, ArgMatches, Command};
use serde::de::MapAccess;

use super::description::{DefaultText, Description};
use super::value::Value;
use crate::failure::Failure;

/// Declares the settings of a subject, each once:
///
/// ```text
/// /// Largest page size; larger ones are clamped.
/// page_limit_max("N"): usize = 100, range(1..);
/// ```
///
/// The name gives the flag, the variable and the key of the settings file; the doc comment is what the help and the guide
/// say; `"N"` stands for the value in the help. After the default, in any order:
///
/// - `range(1..)` and `check(function)` refuse values, wherever they come from;
/// - `shown("…")` says what the default is or depends on. A setting without `=` is `None` if the operator does not set it;
/// - `secret` hides the variable's value in the help;
/// - `switch` lets the flag stand without a value;
/// - `flag_only` keeps the setting out of the settings file.
///
/// Each setting is a field of the struct, an option. If it has a default, a method of the same name returns the value or the
/// default.
macro_rules! settings {
    (
        $(#[doc = $purpose:literal])+
        pub struct $subject:ident($title:literal) {
            $(
                $(#[doc = $about:literal])+
                $name:ident($value_name:literal): $type:ty $(= $default:expr)?
                $(, $option:ident $(($argument:expr))?)*;
            )+
        }
    ) => {
        $(#[doc = $purpose])+
        #[derive(Default, Clone)]
        pub struct $subject {
            $($(#[doc = $about])+ pub $name: Option<$type>,)+
        }

        impl $subject {
            $($(
                #[doc = concat!("Returns the setting `", stringify!($name), "`, or its default.")]
                pub fn $name(&self) -> $type {
                    $crate::settings::declaration::value_or(&self.$name, || $default)
                }
            )?)+
        }

        impl $crate::settings::declaration::Subject for $subject {
            const TITLE: &'static str = $title;

            fn declared() -> &'static [Box<dyn $crate::settings::declaration::Declared<Self>>] {
                use $crate::settings::declaration::{Declared, Setting};
                use $crate::settings::description::Description;
                static DECLARED: std::sync::LazyLock<Vec<Box<dyn Declared<$subject>>>> =
                    std::sync::LazyLock::new(|| vec![$({
                        let description = Description::new(stringify!($name), $value_name, &[$($about),+]);
                        let setting: Setting<$subject, $type> =
                            Setting::new(description, |subject| &subject.$name, |subject| &mut subject.$name);
                        Box::new(setting $(.default(&$default))? $(.$option($($argument)?))*)
                    }),+]);
                &DECLARED
            }

            fn read<'de, M: serde::de::MapAccess<'de>>(
                &mut self,
                key: &str,
                file: &mut M,
            ) -> Result<bool, M::Error> {
                match key {
                    $(stringify!($name) => self.$name = file.next_value()?,)+
                    _ => return Ok(false),
                }
                Ok(true)
            }
        }

        impl clap::Args for $subject {
            fn augment_args(command: clap::Command) -> clap::Command {
                $crate::settings::declaration::arguments::<Self>(command)
            }

            fn augment_args_for_update(command: clap::Command) -> clap::Command {
                $crate::settings::declaration::arguments::<Self>(command)
            }
        }

        impl clap::FromArgMatches for $subject {
            fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
                let mut subject = Self::default();
                subject.update_from_arg_matches(matches)?;
                Ok(subject)
            }

            fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
                $crate::settings::declaration::take(self, matches);
                Ok(())
            }
        }
    };
}

pub(super) use settings;

/// The settings of one subject. A setting is `None` if the operator did not set it.
pub trait Subject: Default + 'static {
    /// The heading in the help and in the guide.
    const TITLE: &'static str;

    /// Returns the declarations, in the order of the help.
    fn declared() -> &'static [Box<dyn Declared<Self>>];

    /// Reads the value of `key` from the settings file, and returns true, if the key belongs to this subject.
    fn read<'de, M: MapAccess<'de>>(&mut self, key: &str, file: &mut M) -> Result<bool, M::Error>;

    /// Fills the settings that neither flag nor variable set from the file.
    fn or(mut self, file: &Self) -> Self {
        Self::declared().iter().for_each(|setting| setting.fill(&mut self, file));
        self
    }

    /// Refuses values that the declarations do not allow. What settings must be to each other is not checked here.
    fn check_values(&self) -> Result<(), Failure> {
        Self::declared().iter().try_for_each(|setting| setting.check_value(self))
    }
}

/// A declared setting of a subject `S`, whatever its type is.
pub trait Declared<S>: Send + Sync {
    fn description(&self) -> &Description;

    /// Returns the argument of the command line, which is the flag and the variable.
    fn argument(&'static self) -> Arg;

    /// Takes the value from the command line, if the flag or the variable is set.
    fn take(&self, subject: &mut S, matches: &ArgMatches);

    /// Takes the value from the settings file, if it is not set yet.
    fn fill(&self, subject: &mut S, file: &S);

    /// Refuses a value that is not allowed. The failure names the setting, and not the value, which may be a secret.
    fn check_value(&self, subject: &S) -> Result<(), Failure>;

    /// Returns the value that the operator set, as text.
    #[cfg(test)]
    fn given(&self, subject: &S) -> Option<String>;

    /// Returns whether there are values of its type that it refuses.
    #[cfg(test)]
    fn is_checked(&self) -> bool;
}

/// Says why a value is not allowed, in words that follow the name of the setting.
type Check<T> = Box<dyn Fn(&T) -> Result<(), String> + Send + Sync>;

/// A declared setting of the type `T`, of the subject `S`.
pub struct Setting<S, T> {
    description: Description,
    field: fn(&S) -> &Option<T>,
    field_mut: fn(&mut S) -> &mut Option<T>,
    checks: Vec<Check<T>>,
}

impl<S, T: Value> Setting<S, T> {
    pub fn new(
        description: Description,
        field: fn(&S) -> &Option<T>,
        field_mut: fn(&mut S) -> &mut Option<T>,
    ) -> Self {
        Self { description, field, field_mut, checks: Vec::new() }
    }

    /// The default value, which is shown unless [`Setting::shown`] says more about it.
    pub fn default(mut self, value: &T) -> Self {
        self.description.default = Some(DefaultText::Value(value.text()));
        self
    }

    pub fn shown(mut self, words: impl Into<String>) -> Self {
        self.description.default = Some(DefaultText::Words(words.into()));
        self
    }

    pub fn secret(mut self) -> Self {
        self.description.is_secret = true;
        self
    }

    pub fn switch(mut self) -> Self {
        self.description.is_switch = true;
        self
    }

    pub fn flag_only(mut self) -> Self {
        self.description.is_in_file = false;
        self
    }

    pub fn check(mut self, check: impl Fn(&T) -> Result<(), String> + Send + Sync + 'static) -> Self {
        self.checks.push(Box::new(check));
        self
    }

    pub fn range(mut self, range: impl RangeBounds<T> + Send + Sync + 'static) -> Self
    where
        T: Display + PartialOrd,
    {
        let allowed = range_text(&range);
        self.description.allowed = Some(allowed.clone());
        self.check(
            move |value| {
                if range.contains(value) { Ok(()) } else { Err(format!("must be {allowed}")) }
            },
        )
    }
}

/// Writes a range in words.
fn range_text<T: Display>(range: &impl RangeBounds<T>) -> String {
    match (range.start_bound(), range.end_bound()) {
        (Bound::Included(least), Bound::Included(most)) => format!("from {least} to {most}"),
        (Bound::Included(least), Bound::Excluded(end)) => format!("{least} or more, and less than {end}"),
        (Bound::Included(least), Bound::Unbounded) => format!("{least} or more"),
        (_, Bound::Included(most)) => format!("{most} or less"),
        (_, Bound::Excluded(end)) => format!("less than {end}"),
        (_, Bound::Unbounded) => "any number".to_owned(),
    }
}

impl<S, T: Value> Declared<S> for Setting<S, T> {
    fn description(&self) -> &Description {
        &self.description
    }

    fn argument(&'static self) -> Arg {
        let Description { name, flag, variable, value_name, is_secret, is_switch, .. } = &self.description;
        let argument = Arg::new(*name)
            .long(flag.as_str())
            .env(variable.as_str())
            .value_name(*value_name)
            .hide_env_values(*is_secret)
            .help(self.description.help());
        let argument = T::accept(argument);
        if *is_switch {
            argument.num_args(0..=1).require_equals(true).default_missing_value("true")
        } else {
            argument
        }
    }

    fn take(&self, subject: &mut S, matches: &ArgMatches) {
        if let Some(value) = T::find(matches, self.description.name) {
            *(self.field_mut)(subject) = Some(value);
        }
    }

    fn fill(&self, subject: &mut S, file: &S) {
        let value = (self.field_mut)(subject);
        if value.is_none() {
            value.clone_from((self.field)(file));
        }
    }

    fn check_value(&self, subject: &S) -> Result<(), Failure> {
        let Some(value) = (self.field)(subject) else { return Ok(()) };
        let name = self.description.name;
        let mut checks = self.checks.iter();
        checks.try_for_each(|check| check(value).map_err(|why| Failure(format!("the setting {name} {why}"))))
    }

    #[cfg(test)]
    fn given(&self, subject: &S) -> Option<String> {
        (self.field)(subject).as_ref().map(Value::text)
    }

    #[cfg(test)]
    fn is_checked(&self) -> bool {
        !self.checks.is_empty()
    }
}

/// Adds the arguments of a subject to a command.
pub fn arguments<S: Subject>(command: Command) -> Command {
    let arguments = S::declared().iter().map(|setting| setting.argument().help_heading(S::TITLE));
    command.args(arguments)
}

/// Takes the settings of a subject from the command line.
pub fn take<S: Subject>(subject: &mut S, matches: &ArgMatches) {
    S::declared().iter().for_each(|setting| setting.take(subject, matches));
}

/// Returns the value that is set, or the default.
pub fn value_or<T: Clone>(value: &Option<T>, default: impl FnOnce() -> T) -> T {
    value.clone().unwrap_or_else(default)
}
