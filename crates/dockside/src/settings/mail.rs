//! Settings of e-mail: the mail server, and from whom e-mails come.

use std::path::PathBuf;
use std::time::Duration;

use service::access::mails;
use smtp::{Credentials, Mailbox, Server};

use super::declaration::{Subject, settings};
use crate::failure::Failure;

settings! {
    /// Settings of e-mail.
    pub struct Mail("E-mail") {
        /// The mail server that sends e-mails: `smtp://mail.example.com` for STARTTLS (port 587 unless the address has one), or
        /// `smtps://mail.example.com` for TLS from the first byte (port 465). Its address has neither user nor password.
        smtp_url("SERVER"): String, shown("none, no e-mails are sent"), check(|url| check_server(url));

        /// The address from which e-mails come, such as `Acme Shipping <dockside@example.com>`.
        mail_from("MAILBOX"): String, check(|text| check_mailbox(text));

        /// The user that the mail server knows Dockside by. The password is sent over TLS only.
        smtp_user("TEXT"): String;

        /// That user's password.
        smtp_password("TEXT"): String, secret;

        /// A file with that password.
        smtp_password_file("FILE"): PathBuf;

        /// The authorities that may have signed the mail server's certificate: a file with certificates in PEM.
        smtp_sslrootcert("FILE"): PathBuf, shown("those that this machine trusts");

        /// Send e-mails also to a mail server that offers no TLS, such as one on the same machine. Others on the network path can
        /// then read the links in them.
        smtp_allow_plain("BOOL"): bool = false, switch;
    }
}

fn check_server(url: &str) -> Result<(), String> {
    match Server::parse(url) {
        Some(_) => Ok(()),
        None => {
            Err("is no address such as smtp://mail.example.com or smtps://mail.example.com:465".to_owned())
        }
    }
}

fn check_mailbox(text: &str) -> Result<(), String> {
    match Mailbox::parse(text) {
        Some(_) => Ok(()),
        None => Err("is no address such as dockside@example.com or Acme <dockside@example.com>".to_owned()),
    }
}

impl Mail {
    /// Refuses settings that contradict each other before anything is opened.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.check_values()?;
        self.mail().map(drop)
    }

    /// Returns the mail server, if there is one.
    pub(super) fn mail(&self) -> Result<Option<mails::Settings>, Failure> {
        let Some(server) = self.smtp_url.as_deref().and_then(Server::parse) else {
            return self.refuse_leftovers();
        };
        let from = self.mail_from.as_deref().and_then(Mailbox::parse);
        let from = from.ok_or_else(|| Failure("the setting smtp_url needs mail_from".to_owned()))?;
        Ok(Some(mails::Settings {
            server,
            credentials: self.credentials()?,
            allows_plain: self.smtp_allow_plain(),
            roots: self.roots()?,
            from,
            time_limit: Duration::from_secs(mails::ATTEMPT_SECONDS),
        }))
    }

    fn credentials(&self) -> Result<Option<Credentials>, Failure> {
        let password = match (&self.smtp_password, &self.smtp_password_file) {
            (Some(_), Some(_)) => {
                return Err(Failure("set smtp_password or smtp_password_file, not both".to_owned()));
            }
            (None, Some(file)) => {
                // The name is not said: it may be the password itself, put into the wrong setting.
                let text = std::fs::read_to_string(file).map_err(|error| {
                    Failure(format!(
                        "the setting smtp_password_file names a file that can't be read: {error}"
                    ))
                })?;
                Some(text.trim().to_owned())
            }
            (password, None) => password.clone(),
        };
        match (self.smtp_user.clone(), password) {
            (Some(user), Some(password)) => Ok(Some(Credentials { user, password })),
            (None, None) => Ok(None),
            _ => Err(Failure(
                "the setting smtp_user goes with smtp_password or smtp_password_file: set both or neither"
                    .to_owned(),
            )),
        }
    }

    fn roots(&self) -> Result<Option<Vec<u8>>, Failure> {
        let Some(file) = &self.smtp_sslrootcert else { return Ok(None) };
        let unusable = |error: String| {
            Failure(format!(
                "the setting smtp_sslrootcert names {}, which can't be used: {error}",
                file.display()
            ))
        };
        let pem = std::fs::read(file).map_err(|error| unusable(error.to_string()))?;
        mails::tls(Some(&pem)).map_err(unusable)?;
        Ok(Some(pem))
    }

    /// Without a mail server, settings about it are a mistake.
    fn refuse_leftovers(&self) -> Result<Option<mails::Settings>, Failure> {
        let set = [
            ("mail_from", self.mail_from.is_some()),
            ("smtp_user", self.smtp_user.is_some()),
            ("smtp_password", self.smtp_password.is_some()),
            ("smtp_password_file", self.smtp_password_file.is_some()),
            ("smtp_sslrootcert", self.smtp_sslrootcert.is_some()),
            ("smtp_allow_plain", self.smtp_allow_plain.is_some()),
        ];
        match set.iter().find(|(_, is_set)| *is_set) {
            Some((name, _)) => Err(Failure(format!("the setting {name} goes with smtp_url"))),
            None => Ok(None),
        }
    }
}
