//! What an e-mail with a sign-in link says.

use serde::{Deserialize, Serialize};

use crate::platform::id::Kind as IdKind;

/// The marker type of the ids of e-mails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mail {}

impl IdKind for Mail {
    const PREFIX: &'static str = "mail";
}

/// Why a person gets a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkPurpose {
    /// Someone made a user for the person.
    Invitation,
    /// An administrator made a link for a user that has a password.
    SignIn,
    /// Someone asked for a new password at the sign-in page.
    PasswordReset,
}

impl LinkPurpose {
    pub fn as_str(self) -> &'static str {
        match self {
            LinkPurpose::Invitation => "invitation",
            LinkPurpose::SignIn => "sign_in",
            LinkPurpose::PasswordReset => "password_reset",
        }
    }
}

/// What an e-mail says, and to whom.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MailText {
    pub name: String,
    pub email_address: String,
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// A link that is sent to a person.
#[derive(Clone, Copy, Debug)]
pub struct LinkMail<'a> {
    pub purpose: LinkPurpose,
    /// What the organisation calls itself.
    pub organisation: &'a str,
    pub name: &'a str,
    pub email_address: &'a str,
    pub link: &'a str,
    /// For how long the link works.
    pub seconds: i64,
}

impl LinkMail<'_> {
    /// Writes the e-mail.
    pub fn write(&self) -> MailText {
        let (subject, about) = self.about();
        let paragraphs = [
            format!("Hello {},", one_line(self.name)),
            about,
            format!(
                "The link works once, for {}. You then choose {} password.",
                duration(self.seconds),
                if self.purpose == LinkPurpose::Invitation { "a" } else { "a new" }
            ),
            self.otherwise(),
        ];
        let [greeting, about, valid, otherwise] = &paragraphs;
        let text = format!("{greeting}\n\n{about}\n\n{}\n\n{valid}\n\n{otherwise}\n", self.link);
        let (link, button) = (escaped(self.link), self.button());
        let html = format!(
            "<!doctype html>\n<html lang=\"en\"><body>\n<p>{}</p>\n<p>{}</p>\n<p><a href=\"{link}\">{button}</a></p>\n<p>{}</p>\n<p>{}</p>\n\
             <p>If the link does nothing, copy this address into your browser:<br>{link}</p>\n</body></html>\n",
            escaped(greeting),
            escaped(about),
            escaped(valid),
            escaped(otherwise)
        );
        MailText {
            name: self.name.to_owned(),
            email_address: self.email_address.to_owned(),
            subject,
            text,
            html,
        }
    }

    fn about(&self) -> (String, String) {
        let (organisation, address) = (one_line(self.organisation), self.email_address);
        match self.purpose {
            LinkPurpose::Invitation => (
                format!("You are invited to {organisation} on Dockside"),
                format!(
                    "{organisation} has made a user for you ({address}) on Dockside, its shipping and fulfilment service. Open this link to sign in for the first time:"
                ),
            ),
            LinkPurpose::SignIn => (
                format!("Your sign-in link for {organisation} on Dockside"),
                format!(
                    "An administrator of {organisation} has made a sign-in link for your user ({address}) on Dockside. Open it to sign in:"
                ),
            ),
            LinkPurpose::PasswordReset => (
                format!("Reset your password for {organisation} on Dockside"),
                format!(
                    "Someone asked for a new password for your user ({address}) of {organisation} on Dockside. If that was you, open this link:"
                ),
            ),
        }
    }

    fn button(&self) -> &'static str {
        match self.purpose {
            LinkPurpose::Invitation | LinkPurpose::SignIn => "Sign in to Dockside",
            LinkPurpose::PasswordReset => "Choose a new password",
        }
    }

    fn otherwise(&self) -> String {
        match self.purpose {
            LinkPurpose::Invitation => format!(
                "If you do not know {}, ignore this e-mail: nobody can sign in without the link.",
                one_line(self.organisation)
            ),
            LinkPurpose::SignIn => {
                "If you did not expect this link, do not open it, and tell an administrator.".to_owned()
            }
            LinkPurpose::PasswordReset => {
                "If you did not ask for it, ignore this e-mail: your password stays as it is. If you get several such e-mails, tell an administrator."
                    .to_owned()
            }
        }
    }
}

/// Returns the text with one space for each run of spaces, controls and line breaks.
fn one_line(text: &str) -> String {
    let spaced: String = text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the text with the characters escaped that mean something in HTML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            char => out.push(char),
        }
    }
    out
}

fn duration(seconds: i64) -> String {
    match seconds {
        ..7200 => format!("{} minutes", seconds / 60),
        _ => format!("{} hours", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(purpose: LinkPurpose, name: &str, organisation: &str) -> MailText {
        let link = "https://dockside.example.com/console/sign-in/reset#dkl_1";
        LinkMail { purpose, organisation, name, email_address: "ada@acme.example", link, seconds: 1800 }
            .write()
    }

    #[test]
    fn an_e_mail_says_who_sends_it_how_long_the_link_works_and_what_to_do_otherwise() {
        let reset = mail(LinkPurpose::PasswordReset, "Ada", "Acme");
        assert_eq!(reset.subject, "Reset your password for Acme on Dockside");
        assert_eq!(
            reset.text,
            "Hello Ada,\n\nSomeone asked for a new password for your user (ada@acme.example) of Acme on Dockside. If that was you, open this link:\n\n\
             https://dockside.example.com/console/sign-in/reset#dkl_1\n\nThe link works once, for 30 minutes. You then choose a new password.\n\n\
             If you did not ask for it, ignore this e-mail: your password stays as it is. If you get several such e-mails, tell an administrator.\n"
        );
        for purpose in [LinkPurpose::Invitation, LinkPurpose::SignIn, LinkPurpose::PasswordReset] {
            let written = mail(purpose, "Ada", "Acme");
            for part in ["Acme", "30 minutes", "#dkl_1", "ada@acme.example"] {
                assert!(written.text.contains(part) && written.html.contains(part), "{part}");
            }
        }
        assert_eq!(duration(24 * 3600), "24 hours");
    }

    #[test]
    fn names_are_text_and_never_lines_or_tags() {
        let written = mail(LinkPurpose::Invitation, "Ada\r\nBcc: x <b>\"&'", "A<script>\nB");
        assert!(written.html.contains("Hello Ada Bcc: x &lt;b&gt;&quot;&amp;&#39;,"), "{}", written.html);
        assert!(!written.html.contains("<script") && !written.html.contains("<b>"));
        assert_eq!(written.subject, "You are invited to A<script> B on Dockside");
        assert!(written.text.starts_with("Hello Ada Bcc: x <b>\"&',\n\n"));
    }
}
