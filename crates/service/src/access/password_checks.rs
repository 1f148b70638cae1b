//! How often a password may be tried, on all nodes together, and whether one is the caller's own.

use model::access::user::email_key;
use model::platform::problem::Issue;
use model::{Code, Problem, Result};
use sha2::{Digest, Sha256};
use store::access::sign_ins;
use store::access::users::StoredUser;
use store::{Access, Tx};

use crate::access::passwords::Passwords;
use crate::platform::context::Context;

/// Tries to sign in to one account within a window, on all nodes together.
const TRIES_MAX: i64 = 10;
const WINDOW_SECONDS: i64 = 15 * 60;

/// Compares passwords, within the limit of each account. Clones share the permits.
#[derive(Clone)]
pub(crate) struct PasswordChecks {
    context: Context,
    pub passwords: Passwords,
}

impl PasswordChecks {
    pub fn new(context: &Context) -> Self {
        Self { context: context.clone(), passwords: Passwords::new(context) }
    }

    /// Counts a try before the password is compared, so that tries at the same time can't exceed the limit.
    pub async fn count_try(&self, account: [u8; 32]) -> Result<()> {
        let now = self.context.now();
        let window = now.plus_seconds(-WINDOW_SECONDS);
        let count = async move |tx: &mut Tx<'_>| sign_ins::count_try(tx, account, now, window).await;
        let (tries, since) = self.context.db().write(Access::System, count).await?;
        if tries > TRIES_MAX {
            return Err(limited(since.plus_seconds(WINDOW_SECONDS).as_seconds() - now.as_seconds()));
        }
        Ok(())
    }

    pub async fn forget_tries(&self, account: [u8; 32]) -> Result<()> {
        let forget = async move |tx: &mut Tx<'_>| sign_ins::forget_tries(tx, account).await;
        self.context.db().write(Access::System, forget).await
    }

    /// Refuses a wrong password of a person who has signed in. A stolen session must not be a way to guess it, so tries count
    /// as those to sign in do. `advice` says when none is needed.
    pub async fn check_current(
        &self,
        user: &StoredUser,
        given: Option<String>,
        advice: &'static str,
    ) -> Result<()> {
        let refusal = || {
            let code = Code::CurrentPasswordWrong;
            Problem::field(code, Issue::new(code.as_str(), "/current_password", advice))
        };
        let (Some(given), Some(hash)) = (given, user.password.clone()) else { return Err(refusal().into()) };
        let account = account_of(&user.email);
        self.count_try(account).await?;
        if self.passwords.find(&given, vec![hash]).await?.is_none() {
            return Err(refusal().into());
        }
        self.forget_tries(account).await
    }
}

/// Returns the key under which tries are counted, for addresses that no user has as well.
pub(crate) fn account_of(address: &str) -> [u8; 32] {
    Sha256::digest(email_key(address).as_bytes()).into()
}

/// Returns the refusal of a try beyond the limit.
pub(crate) fn limited(seconds: i64) -> model::Error {
    let seconds = seconds.max(1);
    let message = format!("Try again in {seconds} seconds.");
    let issue = Issue::new(Code::SignInLimited.as_str(), "", message).with("retry_after", seconds);
    Problem::field(Code::SignInLimited, issue).into()
}
