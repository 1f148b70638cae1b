//! `dockside login` and `dockside logout`: checks a token at the server, and keeps it or deletes it.

use clap::Args;
use serde_json::Value;

use crate::connection::URL_DEFAULT;
use crate::failure::{Exit, Failure};
use crate::login::{Login, LoginFile};
use crate::operation::GET_ME;
use crate::prompt;
use crate::screen::{note, print};
use crate::server::{Call, Server};
use crate::text::harmless;

/// Beginnings of URLs of this machine, which need no encryption.
const LOCAL: [&str; 3] = ["http://127.", "http://localhost", "http://[::1]"];

#[derive(Args)]
pub struct SignIn {
    /// The server.
    #[arg(long, value_name = "URL", env = "DOCKSIDE_URL", default_value = URL_DEFAULT)]
    url: String,
}

/// Asks for a token, tries it, and keeps it.
pub async fn login(arguments: SignIn) -> Result<(), Failure> {
    let file = file()?;
    if arguments.url.starts_with("http://") && !LOCAL.iter().any(|local| arguments.url.starts_with(local)) {
        note(
            "The URL begins with http://, so others on the network path can read the token. Use https:// if the server has it.",
        );
    }
    let token = prompt::secret(&format!("Access token for {}", arguments.url)).await?;
    let server = Server::new(&arguments.url, &token)?;
    let me = server.call(Call::new(&GET_ME)).await?.json;
    file.write(&Login { url: server.url().to_owned(), token })?;
    print(&format!("{}\nThe token is kept in {}\n", told(server.url(), &me), file.path().display()))
}

/// Deletes the login. The token still works.
pub fn logout() -> Result<(), Failure> {
    let file = file()?;
    let text = if file.delete()? {
        "You are signed out. The token still works for those who have it: `dockside token revoke` ends it.\n"
    } else {
        "You were not signed in.\n"
    };
    print(text)
}

fn file() -> Result<LoginFile, Failure> {
    LoginFile::of_environment().ok_or_else(|| {
        Failure::new(Exit::SignIn, "there is no place for the login: set HOME or XDG_CONFIG_HOME to a folder")
    })
}

/// Returns who is signed in, as a sentence.
fn told(url: &str, me: &Value) -> String {
    let text = |value: &Value| value.as_str().map(harmless).filter(|text| !text.is_empty());
    let user = text(&me["user"]["email_address"]).or_else(|| text(&me["user"]["name"]));
    format!(
        "Signed in at {url}: {} of {}, in the {} world.",
        user.unwrap_or_else(|| "a user without a name".to_owned()),
        text(&me["organisation"]["name"]).unwrap_or_default(),
        text(&me["world"]).unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_login_says_who_is_signed_in_where() {
        let me = json!({"user": {"email_address": "ada@example.com"}, "organisation": {"name": "Acme"}, "world": "test"});
        assert_eq!(
            told("http://host", &me),
            "Signed in at http://host: ada@example.com of Acme, in the test world."
        );
    }
}
