//! Which server a command calls, and with which token: the same for every command.

use clap::Args;

use crate::failure::{Exit, Failure};
use crate::login::LoginFile;
use crate::server::{Server, trimmed};

/// The server where nothing else is said: the one that `dockside serve` starts.
pub const URL_DEFAULT: &str = "http://127.0.0.1:8080";

/// Where the server is, and who calls.
#[derive(Args)]
pub struct Connection {
    /// The server. Without it, the one of `dockside login`, or http://127.0.0.1:8080.
    #[arg(long, value_name = "URL", env = "DOCKSIDE_URL", help_heading = "Connection")]
    url: Option<String>,
    /// An access token. Without it, the one of `dockside login`. Other users of the machine can see what is on a command line:
    /// use the variable or `dockside login` there.
    #[arg(
        long,
        value_name = "TOKEN",
        env = "DOCKSIDE_TOKEN",
        hide_env_values = true,
        help_heading = "Connection"
    )]
    token: Option<String>,
}

impl Connection {
    /// Returns the server to call. Flags count before variables, and variables before the login.
    pub fn open(&self) -> Result<Server, Failure> {
        let (url, token) = self.resolve()?;
        Server::new(&url, &token)
    }

    /// Returns the URL and the token.
    pub fn resolve(&self) -> Result<(String, String), Failure> {
        self.resolve_with(LoginFile::of_environment().as_ref())
    }

    fn resolve_with(&self, file: Option<&LoginFile>) -> Result<(String, String), Failure> {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let (url, token) = (given(&self.url).map(|url| trimmed(&url)), given(&self.token));
        if let (Some(url), Some(token)) = (&url, &token) {
            return Ok((url.clone(), token.clone()));
        }
        let login = file.map_or(Ok(None), LoginFile::read)?;
        let known = login.as_ref().map(|login| login.url.clone());
        let url = url.or_else(|| known.clone()).unwrap_or_else(|| URL_DEFAULT.to_owned());
        // A token is sent to the server that it was given for, and to no other.
        let kept = login.filter(|login| login.url == url).map(|login| login.token);
        if let Some(token) = token.or(kept) {
            return Ok((url, token));
        }
        let elsewhere = known.map(|known| format!(" You are signed in at {known}.")).unwrap_or_default();
        Err(Failure::new(
            Exit::SignIn,
            format!(
                "no token for {url}.{elsewhere} Run `dockside login --url {url}`, or put one into the variable DOCKSIDE_TOKEN; \
                 `dockside token create` makes one"
            ),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(url: &str, token: &str, is_signed_in: bool) -> Result<(String, String), Failure> {
        let home = tempfile::tempdir().unwrap();
        let file = LoginFile::in_folder(home.path());
        if is_signed_in {
            let login = crate::login::Login { url: "http://kept".to_owned(), token: "kept".to_owned() };
            file.write(&login).unwrap();
        }
        let given = |text: &str| Some(text.to_owned());
        Connection { url: given(url), token: given(token) }.resolve_with(Some(&file))
    }

    #[test]
    fn what_is_given_counts_before_the_login() {
        let pair = |url: &str, token: &str| (url.to_owned(), token.to_owned());
        assert_eq!(resolved("http://a/", "t", true).unwrap(), pair("http://a", "t"));
        assert_eq!(resolved("", "t", true).unwrap(), pair("http://kept", "t"));
        assert_eq!(resolved("", "", true).unwrap(), pair("http://kept", "kept"));
        assert_eq!(resolved("http://kept/", "", true).unwrap(), pair("http://kept", "kept"));
        assert_eq!(resolved("", "t", false).unwrap(), pair(URL_DEFAULT, "t"));
    }

    #[test]
    fn a_token_is_sent_to_no_other_server() {
        let failure = resolved("http://other", "", true).unwrap_err();
        assert_eq!(failure.exit, Exit::SignIn);
        assert!(failure.message.contains("You are signed in at http://kept"), "{failure}");
        let failure = resolved("", "", false).unwrap_err();
        assert!(failure.message.contains("dockside login --url http://127.0.0.1:8080"), "{failure}");
    }
}
