//! A turn: one attempt to send an e-mail, while this node holds it.

use std::sync::Arc;

use model::access::link_mail::MailText;
use model::{Error, Result, Timestamp};
use smtp::{Address, Failure, Mailbox, Message, Stage};
use store::Tx;
use store::access::mails::{self, MailClaim, StoredMail};
use tracing::{Instrument, error_span, info, warn};

use super::{MailServer, Mails, about};
use crate::platform::backoff::backoff_seconds;
use crate::platform::crash_point::crash_point;

/// The longest pause between two attempts. Servers that put off strangers take them after some minutes.
const PAUSE_SECONDS_MAX: i64 = 120;

/// What follows from an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    /// It is sent, or it never will be.
    Delete,
    Retry(Timestamp),
}

impl Mails {
    /// Makes one attempt. On return the claim is released. If that fails, the node takes another name, so that other nodes can take
    /// over.
    pub(super) async fn mail_turn(self, node: Arc<str>, claim: MailClaim) -> Result<()> {
        let span = error_span!("mail", mail = %claim.mail, organisation = %claim.owner, %node);
        Box::pin(self.take_mail_turn(node, claim)).instrument(span).await
    }

    async fn take_mail_turn(self, node: Arc<str>, claim: MailClaim) -> Result<()> {
        let done = self.attempt(&node, claim).await;
        if let Err(error) = &done {
            warn!(%error, "attempt at an e-mail not recorded: it is left to other nodes");
            if self.nodes.is_node(&node) {
                self.nodes.disown();
            }
        }
        done
    }

    async fn attempt(&self, node: &str, claim: MailClaim) -> Result<()> {
        let read = async move |tx: &mut Tx<'_>| mails::get(tx, &claim).await;
        let Some(mail) = self.context.db().read(claim.owner, read).await? else { return Ok(()) };
        let Some(server) = &self.state.server else { return Ok(()) };
        let now = self.context.now();
        let next = if !mail.has_link || now >= mail.expires_at {
            info!(
                purpose = mail.purpose,
                failures = mail.failures,
                "e-mail given up: its link works no more"
            );
            Next::Delete
        } else {
            let sent = self.send(server, node, claim, &mail).await;
            crash_point!("after_mail_sent");
            after_attempt(&mail, sent, self.context.now())
        };
        let record = async move |tx: &mut Tx<'_>| match next {
            Next::Delete => mails::delete(tx, &claim).await,
            Next::Retry(at) => mails::retry(tx, &claim, at).await,
        };
        self.context.db().write(claim.owner, record).await
    }

    async fn send(
        &self,
        server: &MailServer,
        node: &str,
        claim: MailClaim,
        mail: &StoredMail,
    ) -> std::result::Result<(), Failure> {
        let text = self.open(claim, mail).map_err(|error| {
            let why = format!("the e-mail can't be opened: {error}");
            Failure { stage: Stage::Message, is_final: true, why }
        })?;
        let Some(address) = Address::parse(&text.email_address) else {
            let why = "the user's address needs quotes, which mail servers don't take".to_owned();
            return Err(Failure { stage: Stage::Recipient, is_final: true, why });
        };
        let message = Message {
            id: format!("{}@{}", claim.mail, server.from.address.domain()),
            from: server.from.clone(),
            to: Mailbox { name: Some(text.name), address },
            subject: text.subject,
            date: mail.created_at.mail_date(),
            text: text.text,
            html: text.html,
        };
        server.sender.send(&message, &|| self.nodes.is_node(node)).await
    }

    fn open(&self, claim: MailClaim, mail: &StoredMail) -> Result<MailText> {
        let text = self.context.unseal(&about(claim.mail), &mail.sealed)?;
        serde_json::from_slice(&text).map_err(Error::fault)
    }
}

/// Decides what follows, and logs it. Neither the address nor the text is logged.
fn after_attempt(mail: &StoredMail, sent: std::result::Result<(), Failure>, now: Timestamp) -> Next {
    let (purpose, failures) = (&mail.purpose, mail.failures);
    let Err(failure) = sent else {
        info!(purpose, failures, "e-mail sent");
        return Next::Delete;
    };
    let (stage, reason) = (failure.stage.as_str(), &failure.why);
    let retry_at = now.plus_seconds(backoff_seconds(failures + 1).min(PAUSE_SECONDS_MAX));
    if failure.is_final || retry_at >= mail.expires_at {
        warn!(purpose, failures, stage, reason, "e-mail given up: the person needs another link");
        return Next::Delete;
    }
    warn!(purpose, failures, stage, reason, "e-mail not sent, retrying");
    Next::Retry(retry_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(failures: i64, left_seconds: i64, sent: std::result::Result<(), Failure>) -> Next {
        let now = Timestamp::from_micros(0);
        let mail = StoredMail {
            purpose: "password_reset".to_owned(),
            sealed: Vec::new(),
            created_at: now,
            expires_at: now.plus_seconds(left_seconds),
            failures,
            has_link: true,
        };
        after_attempt(&mail, sent, now)
    }

    #[test]
    fn attempts_are_repeated_while_the_link_works() {
        let failed = |is_final| Err(Failure { stage: Stage::Connect, is_final, why: String::new() });
        let after = |seconds| Next::Retry(Timestamp::from_micros(0).plus_seconds(seconds));
        assert_eq!(next(0, 1800, Ok(())), Next::Delete);
        assert_eq!(next(0, 1800, failed(true)), Next::Delete);
        assert_eq!(next(0, 1800, failed(false)), after(2));
        assert_eq!(next(3, 1800, failed(false)), after(16));
        assert_eq!(next(50, 1800, failed(false)), after(PAUSE_SECONDS_MAX));
        assert_eq!(next(50, PAUSE_SECONDS_MAX, failed(false)), Next::Delete);
    }
}
