//! The address of a database, with what has settings of its own.

use crate::failure::Failure;

/// Fails for a setting that the address has too, since one of them would have no effect, or that has no address to belong to.
pub fn check(url: Option<&str>, settings: &[(&str, Option<&str>)]) -> Result<(), Failure> {
    for (name, _) in settings.iter().filter(|(_, value)| value.is_some()) {
        let Some(url) = url else {
            return Err(Failure(format!(
                "the setting database_{name} needs database_url: SQLite has no connections"
            )));
        };
        if names(url).any(|known| known == *name) {
            return Err(Failure(format!(
                "{name} is in database_url and in database_{name}: leave out one of them"
            )));
        }
    }
    Ok(())
}

fn names(url: &str) -> impl Iterator<Item = &str> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    query.split('&').filter_map(|pair| pair.split('=').next())
}

/// Adds the parameters that are set.
pub fn with_parameters(url: &str, settings: &[(&str, Option<&str>)]) -> String {
    let mut whole = url.to_owned();
    for (name, value) in settings {
        if let Some(value) = value {
            whole.push(if whole.contains('?') { '&' } else { '?' });
            whole.push_str(&format!("{name}={}", escaped(value)));
        }
    }
    whole
}

/// A value in which nothing looks like a part of the address.
fn escaped(value: &str) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./".contains(byte);
    let escape =
        |byte: u8| if is_plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    value.bytes().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_becomes_part_of_the_address() {
        let settings =
            [("sslmode", Some("verify-full")), ("sslcert", None), ("sslrootcert", Some("/etc/our ca&.pem"))];
        assert_eq!(
            with_parameters("postgres://db/shop", &settings),
            "postgres://db/shop?sslmode=verify-full&sslrootcert=/etc/our%20ca%26.pem"
        );
        assert_eq!(
            with_parameters("postgres://db/shop?connect_timeout=3", &settings[..1]),
            "postgres://db/shop?connect_timeout=3&sslmode=verify-full"
        );
    }

    #[test]
    fn a_setting_that_can_have_no_effect_is_refused() {
        let settings = [("sslmode", Some("require"))];
        assert!(check(Some("postgres://db/shop"), &settings).is_ok());
        assert!(check(Some("postgres://db/shop?sslmode=prefer"), &settings).is_err());
        assert!(check(None, &settings).is_err());
        assert!(check(None, &[("sslmode", None)]).is_ok());
    }
}
