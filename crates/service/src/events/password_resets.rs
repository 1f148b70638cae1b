//! Forgotten passwords: a person asks for a link at the sign-in page, and gets it by e-mail.
//!
//! A request does the same work for every address: it counts, and records the sealed address. Only a background job looks the
//! address up. So neither the answer nor its time tells whether a user has the address.

use std::sync::Arc;
use std::time::Duration;

use model::access::access_token::Secret;
use model::access::link_mail::LinkPurpose;
use model::access::password_reset::{PasswordResetInput, RESET_SECONDS};
use model::access::user::email_key;
use model::platform::problem::Issue;
use model::{Code, Error, Id, Mail, Organisation, Owner, Problem, Result, Timestamp, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use store::access::password_resets::{self, TakenReset};
use store::access::{sign_ins, users};
use store::{Access, Tx};
use tokio::time::timeout;
use tracing::{info, warn};

use crate::access::address_limit::AddressLimit;
use crate::access::mails::{Mails, NewLink};
use crate::access::new_session::SignInOrigin;
use crate::events::sign_ins::CANDIDATES_MAX;
use crate::events::users::Users;
use crate::platform::context::Context;

/// Requests for one address within a window, on all nodes together. More would fill the mailbox of a person who did not ask.
const REQUESTS_MAX: i64 = 5;
const WINDOW_SECONDS: i64 = 15 * 60;
/// How often a node looks for requests. No request wakes it: the work for a known address would slow down the next request of the
/// same caller, who could measure that.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Takes requests for a new password, and makes the links.
#[derive(Clone)]
pub struct PasswordResets {
    context: Context,
    users: Users,
    mails: Mails,
    addresses: Arc<AddressLimit>,
}

/// Whose password is forgotten, as it is sealed.
#[derive(Serialize, Deserialize)]
struct Request {
    email_address: String,
    organisation: Option<Id<Organisation>>,
}

/// Names what a sealed request belongs to.
fn about(id: Id<Mail>) -> String {
    format!("password reset {id}")
}

impl PasswordResets {
    pub(crate) fn new(context: &Context, users: &Users, mails: &Mails) -> Self {
        Self {
            context: context.clone(),
            users: users.clone(),
            mails: mails.clone(),
            addresses: Arc::default(),
        }
    }

    /// Takes a request. The answer is the same whether a user has the address or not.
    pub async fn request(&self, input: PasswordResetInput, origin: &SignInOrigin) -> Result<()> {
        ensure(self.mails.are_available(), Code::MailUnavailable)?;
        if let Some(seconds) = self.addresses.refuse(origin.address) {
            return Err(limited(seconds));
        }
        self.addresses.count(origin.address);
        let now = self.context.now();
        let key = email_key(&input.email_address);
        let account = account_of(&key);
        let id = self.context.new_id::<Mail>(now);
        let request = Request { email_address: key, organisation: input.organisation_id };
        let request = serde_json::to_vec(&request).map_err(Error::fault)?;
        let sealed = self.context.seal(&about(id), &request)?;
        let record = self.context.db().write(Access::System, async move |tx| {
            let window = now.plus_seconds(-WINDOW_SECONDS);
            let (requests, since) = sign_ins::count_try(tx, account, now, window).await?;
            if requests <= REQUESTS_MAX {
                password_resets::insert(tx, id, &sealed, now).await?;
            }
            Ok((requests, since))
        });
        let (requests, since) = record.await?;
        if requests > REQUESTS_MAX {
            return Err(limited(since.plus_seconds(WINDOW_SECONDS).as_seconds() - now.as_seconds()));
        }
        Ok(())
    }

    /// Makes the links of all requests: for tests and tools, which wait for no notification.
    pub async fn work(&self) -> Result<()> {
        while self.take_one().await? {}
        Ok(())
    }

    pub(crate) async fn work_forever(self) {
        let stop = self.context.stop().clone();
        while self.mails.are_available() && !stop.is_cancelled() {
            if let Err(error) = self.work().await {
                warn!(%error, "requests for new passwords can't be read, retrying");
            }
            let _either = timeout(LOOK_EVERY, stop.cancelled()).await;
        }
    }

    /// Takes the oldest request, and makes a link for each user that has the address, all in one transaction. Returns false if there
    /// is no request.
    async fn take_one(&self) -> Result<bool> {
        let look = async move |tx: &mut Tx<'_>| password_resets::any(tx).await;
        if !self.context.db().read(Access::System, look).await? {
            return Ok(false);
        }
        let (now, this) = (self.context.now(), self.clone());
        let take = self.context.db().write(Access::System, async move |tx| {
            let Some(taken) = password_resets::take(tx).await? else { return Ok(None) };
            this.make_links(tx, &taken, now).await.map(Some)
        });
        let Some(links) = take.await? else { return Ok(false) };
        if links > 0 {
            self.mails.notify();
        }
        Ok(true)
    }

    /// Gives each user with the address a link, in place of an older one. Returns how many there are.
    async fn make_links(&self, tx: &mut Tx<'_>, taken: &TakenReset, now: Timestamp) -> Result<usize> {
        let Some(request) = self.open(taken) else { return Ok(0) };
        if now >= taken.created_at.plus_seconds(RESET_SECONDS) {
            info!("request for a new password given up: no server worked on it in time");
            return Ok(0);
        }
        let mut candidates = users::with_address(tx, &request.email_address, CANDIDATES_MAX).await?;
        candidates.retain(|user| request.organisation.is_none_or(|wanted| wanted == user.organisation));
        for user in &candidates {
            let organisation = user.organisation;
            // What was read before the lock may have changed.
            users::lock(tx, organisation).await?;
            let Some(user) = users::get(tx, organisation, user.id).await? else { continue };
            let is_same = email_key(&user.email) == request.email_address;
            if user.is_disabled || user.password.is_none() || !is_same {
                continue;
            }
            let link = self.users.new_link(organisation);
            let (hash, expires_at) = (Secret::hash(link.as_str()), now.plus_seconds(RESET_SECONDS));
            sign_ins::set_link(tx, organisation, user.id, hash, expires_at).await?;
            let purpose = LinkPurpose::PasswordReset;
            let token = link.as_str().to_owned();
            let new = NewLink { purpose, token, hash, seconds: RESET_SECONDS, now };
            self.mails.add(tx, &user, &new).await?;
            info!(organisation = %Owner::live(organisation), user = %user.id, "link for a new password made");
        }
        Ok(candidates.len())
    }

    fn open(&self, taken: &TakenReset) -> Option<Request> {
        let opened = self.context.unseal(&about(taken.id), &taken.sealed);
        let request = opened.and_then(|text| serde_json::from_slice(&text).map_err(Error::fault));
        // A request that can't be read never can be. It must not keep others waiting.
        request.inspect_err(|error| warn!(%error, "request for a new password given up")).ok()
    }
}

/// Returns the key under which requests are counted: apart from the sign-ins of the address, which they must not block.
fn account_of(email_key: &str) -> [u8; 32] {
    Sha256::digest(format!("password reset {email_key}").as_bytes()).into()
}

/// Returns the refusal of a request beyond the limit.
fn limited(seconds: i64) -> Error {
    let (code, seconds) = (Code::ResetLimited, seconds.max(1));
    let message = format!("Try again in {seconds} seconds.");
    let issue = Issue::new(code.as_str(), "", message).with("retry_after", seconds);
    Problem::field(code, issue).into()
}
