//! E-mails with sign-in links, by the operator's mail server.
//!
//! An e-mail is recorded in the transaction that makes its link, and sealed as credentials are: the link's token is a secret of
//! which the database otherwise has the hash alone. A node claims it, sends it under a fence, and deletes the row. If a node dies in
//! between, another sends the same message again, with the same `Message-ID`. An e-mail whose link was used, replaced or has expired
//! is given up (decision 54).

mod claim;
mod turn;

use std::sync::Arc;
use std::time::Duration;

use model::access::link_mail::{LinkMail, LinkPurpose};
use model::{Error, Id, Mail, Organisation, Owner, Result, Timestamp};
use smtp::{Credentials, Mailbox, Sender, Server, TlsConfig, tls_config};
use store::Tx;
use store::access::mails::{self, NewMail};
use store::access::organisations;
use store::access::users::StoredUser;

use crate::platform::context::Context;
use crate::platform::nodes::Nodes;
use crate::platform::resource::found;
use crate::platform::runner::{Counts, Totals};
use crate::platform::signal::Signal;

/// How long one attempt may take, in seconds.
pub const ATTEMPT_SECONDS: u64 = 60;
/// The page of the console that a link in an e-mail opens. It waits for a click, because programs that look for malware open links
/// of e-mails, too, and a link works once.
const PAGE: &str = "/console/sign-in/mail";

/// The operator's mail server, and from whom e-mails come.
#[derive(Clone)]
pub struct Settings {
    pub server: Server,
    pub credentials: Option<Credentials>,
    /// Whether a server without TLS is spoken to. The credentials are not sent then.
    pub allows_plain: bool,
    /// The authorities that may have signed the server's certificate, in PEM. `None` trusts those that this machine trusts.
    pub roots: Option<Vec<u8>>,
    pub from: Mailbox,
    /// For one attempt.
    pub time_limit: Duration,
}

/// A link that is to be sent. The token is in no other place than in the link.
pub struct NewLink {
    pub purpose: LinkPurpose,
    /// What stands behind the `#` of the link.
    pub token: String,
    pub hash: [u8; 32],
    pub seconds: i64,
    pub now: Timestamp,
}

/// The mail server, if there is one.
struct MailServer {
    sender: Sender,
    from: Mailbox,
}

/// The state that all e-mails of a node share.
struct State {
    server: Option<MailServer>,
    /// What links begin with.
    public_url: String,
    /// Changes when there may be something to do.
    work: Signal,
    counts: Arc<Counts>,
}

/// E-mails. Clones share their state.
#[derive(Clone)]
pub struct Mails {
    context: Context,
    nodes: Nodes,
    state: Arc<State>,
}

/// Returns how connections to the mail server are encrypted, or why the file of authorities can't be used.
pub fn tls(roots: Option<&[u8]>) -> std::result::Result<TlsConfig, String> {
    tls_config(roots, outbound::roots)
}

/// Names what a sealed e-mail belongs to.
fn about(id: Id<Mail>) -> String {
    format!("mail {id}")
}

impl Mails {
    pub(crate) fn new(
        context: &Context,
        nodes: &Nodes,
        public_url: &str,
        settings: Option<&Settings>,
    ) -> Result<Self> {
        let server = settings.map(|settings| {
            let sender = Sender::new(smtp::Settings {
                server: settings.server.clone(),
                credentials: settings.credentials.clone(),
                allows_plain: settings.allows_plain,
                tls: tls(settings.roots.as_deref()).map_err(Error::fault)?,
                time_limit: settings.time_limit,
            });
            Ok::<_, Error>(MailServer { sender, from: settings.from.clone() })
        });
        let state = State {
            server: server.transpose()?,
            public_url: public_url.to_owned(),
            work: Signal::default(),
            counts: Arc::default(),
        };
        Ok(Self { context: context.clone(), nodes: nodes.clone(), state: Arc::new(state) })
    }

    /// Whether the operator has set a mail server.
    pub fn are_available(&self) -> bool {
        self.state.server.is_some()
    }

    /// Returns the counters of this node's turns.
    pub fn turn_totals(&self) -> Totals {
        self.state.counts.totals()
    }

    /// Notifies the claiming task that there may be something to send.
    pub(crate) fn notify(&self) {
        self.state.work.notify();
    }

    /// Records, in the transaction that made the link, that the user gets it by e-mail, if there is a mail server. Call
    /// [`Self::notify`] after the commit.
    pub(crate) async fn add(&self, tx: &mut Tx<'_>, user: &StoredUser, new: &NewLink) -> Result<()> {
        if !self.are_available() {
            return Ok(());
        }
        let organisation = self.name_of(tx, user.organisation).await?;
        let mail = LinkMail {
            purpose: new.purpose,
            organisation: &organisation,
            name: &user.name,
            email_address: &user.email,
            link: &format!("{}{PAGE}#{}", self.state.public_url, new.token),
            seconds: new.seconds,
        };
        let id = self.context.new_id::<Mail>(new.now);
        let text = serde_json::to_vec(&mail.write()).map_err(Error::fault)?;
        let stored = NewMail {
            id,
            purpose: new.purpose.as_str(),
            link_hash: new.hash,
            sealed: self.context.seal(&about(id), &text)?,
            created_at: new.now,
            expires_at: new.now.plus_seconds(new.seconds),
        };
        mails::insert(tx, Owner::live(user.organisation), &stored).await
    }

    async fn name_of(&self, tx: &mut Tx<'_>, organisation: Id<Organisation>) -> Result<String> {
        Ok(found(organisations::get(tx, organisation).await?)?.name)
    }
}
