//! The tokens that clients connect and subscribe with. They live minutes, and end with the access token that asked.

use model::stream_token::StreamToken;
use model::{Code, Error, Problem, Result, Scope, Scopes, Timestamp};
use realtime::channel::{Channel, Resource};
use realtime::token::{ConnectionToken, Grant, SubscriptionToken, Terms};

use store::Tx;

use crate::provisions::ensure_provisioned;
use crate::reply::json;
use crate::{Caller, Command, Reply, Service};

/// How long the tokens live, in seconds, where the operator does not say. Clients fetch new ones by themselves.
pub(super) const CONNECTION_SECONDS: u32 = 30 * 60;
pub(super) const SUBSCRIPTION_SECONDS: u32 = 15 * 60;
const ID_BYTES: usize = 12;

impl Service {
    /// A token to connect with. With it come the channels of everything that the caller may read.
    pub async fn create_connection_token(&self, command: Command) -> Result<Reply> {
        let caller = &command.caller;
        let channels = readable(caller.scopes)
            .map(|resource| Channel::Events { owner: caller.owner, resource, user: caller.user }.to_string());
        let terms = self.terms(caller, self.streams().lives.connection);
        let token = ConnectionToken { terms, channels: channels.collect() };
        let token = self.streams().session.signer.mint_connection(&token).map_err(Error::fault)?;
        self.give(command, token).await
    }

    /// A token to join one of the caller's own channels with.
    pub async fn create_subscription_token(&self, command: Command, channel: String) -> Result<Reply> {
        let caller = &command.caller;
        ensure_joinable(caller, &channel)?;
        let terms = self.terms(caller, self.streams().lives.subscription);
        let token = SubscriptionToken { terms, channel };
        let token = self.streams().session.signer.mint_subscription(&token).map_err(Error::fault)?;
        self.give(command, token).await
    }

    /// Gives a token to whoever is provisioned. Nothing is written, unless the answer must be kept for a key.
    async fn give(&self, command: Command, token: String) -> Result<Reply> {
        let owner = command.caller.owner;
        let body = json(&StreamToken { token })?;
        let give = async move |tx: &mut Tx<'_>| {
            ensure_provisioned(tx, owner).await?;
            Ok(Reply::done(body.clone()))
        };
        match command.idempotency {
            Some(_) => self.write(&command, give).await,
            None => self.db().read(owner, give).await,
        }
    }

    /// No token outlives the access token that asked for it.
    fn terms(&self, caller: &Caller, seconds: u32) -> Terms {
        let now = self.now();
        let end = now.plus_seconds(i64::from(seconds));
        let end = caller.expires_at.map_or(end, |limit| limit.min(end));
        let mut id = [0; ID_BYTES];
        self.fill_random(&mut id);
        Terms {
            grant: Grant { owner: caller.owner, user: caller.user, access_token: caller.token },
            issued_at: whole_seconds(now),
            expires_at: whole_seconds(end),
            id: id.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

fn whole_seconds(moment: Timestamp) -> u64 {
    u64::try_from(moment.as_seconds()).unwrap_or(0)
}

/// The resources that scopes let one read.
pub(super) fn readable(scopes: Scopes) -> impl Iterator<Item = Resource> {
    Resource::all().filter(move |resource| may_read(scopes, *resource))
}

pub(super) fn may_read(scopes: Scopes, resource: Resource) -> bool {
    Scope::parse(&format!("{}:read", resource.name())).is_some_and(|scope| scopes.contains(scope))
}

/// Refuses a channel that is not the caller's own, or of something that the caller may not read. Whatever is wrong
/// with it, the answer is the same: nobody learns what exists elsewhere.
fn ensure_joinable(caller: &Caller, name: &str) -> Result<()> {
    let is_own = match Channel::parse(name) {
        Ok(Channel::Events { owner, resource, user }) => {
            owner == caller.owner && user == caller.user && may_read(caller.scopes, resource)
        }
        // Public: a token for it opens nothing that is not open.
        Ok(Channel::Announcements) => true,
        Err(_) => false,
    };
    if is_own {
        return Ok(());
    }
    let detail = format!(
        "Your channels are `<resource>:{}#{}`, for each resource that the token may read.",
        caller.owner, caller.user
    );
    Err(Problem::from(Code::ForbiddenChannel).with_detail(detail).into())
}
