//! What the settings of each subject have in common: how the settings file fills them.

use serde::de::MapAccess;

use crate::failure::Failure;

/// The settings of one subject. A setting is `None` where the operator did not set it.
pub trait Group: Default {
    /// The keys of the settings file that belong to this subject.
    const KEYS: &'static [&'static str];

    /// Reads the value of `key` from the settings file, and returns true, if the key belongs to this subject.
    fn read<'de, M: MapAccess<'de>>(&mut self, key: &str, file: &mut M) -> Result<bool, M::Error>;

    /// Fills what neither flag nor variable set from the file.
    fn or(self, file: Self) -> Self;
}

/// Implements [`Group`] for a struct whose fields are options. The fields after `flags` can't be set in the file.
macro_rules! group {
    ($group:ident { $($key:ident),+ $(,)? } $(flags { $($flag:ident),+ })?) => {
        impl $crate::settings::group::Group for $group {
            const KEYS: &'static [&'static str] = &[$(stringify!($key)),+];

            fn read<'de, M: serde::de::MapAccess<'de>>(
                &mut self,
                key: &str,
                file: &mut M,
            ) -> Result<bool, M::Error> {
                match key {
                    $(stringify!($key) => self.$key = file.next_value()?,)+
                    _ => return Ok(false),
                }
                Ok(true)
            }

            fn or(self, file: Self) -> Self {
                Self { $($key: self.$key.or(file.$key),)+ $($($flag: self.$flag,)+)? }
            }
        }
    };
}

/// Fails if one of these settings is zero, and names it: `require_positive!(self { header_seconds, body_seconds })?`.
macro_rules! require_positive {
    ($group:ident { $($key:ident),+ $(,)? }) => {
        $crate::settings::group::refuse_zero(&[$((stringify!($key), $group.$key == Some(0))),+])
    };
}

pub(super) use {group, require_positive};

/// Takes settings by their names, and whether each is zero.
pub fn refuse_zero(settings: &[(&str, bool)]) -> Result<(), Failure> {
    match settings.iter().find(|(_, is_zero)| *is_zero) {
        Some((name, _)) => Err(Failure(format!("the setting {name} must be 1 or more"))),
        None => Ok(()),
    }
}
