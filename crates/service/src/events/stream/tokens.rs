//! The tokens that clients connect and subscribe with. They live minutes, and end with the access token that asked.

use model::events::stream_token::StreamToken;
use model::{Code, Error, Problem, Result, Scopes, Timestamp};
use realtime::channel::{Channel, ChannelTopic, Resource};
use realtime::token::{ConnectionToken, Grant, SubscriptionToken, Terms};

use store::Tx;

use super::centrifugo;
use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::events::provisioned::{ensure_provisioned, hold_provision};
use crate::events::stream::Streams;
use crate::platform::resource::json;

const ID_BYTES: usize = 12;

impl Streams {
    /// Creates a token to connect with. It includes the channels of everything that the caller may read.
    pub async fn create_connection_token(&self, command: Command) -> Result<Reply> {
        let caller = &command.caller;
        let command_scopes = caller.scopes;
        let terms = self.terms(caller, self.state.lives.connection);
        let token = ConnectionToken { terms, channels: channels(caller) };
        let token = self.state.session.signer.mint_connection(&token).map_err(Error::fault)?;
        self.give(command, token, readable(command_scopes).map(Resource::name).collect()).await
    }

    /// Creates a token to join one of the caller's own channels.
    pub async fn create_subscription_token(&self, command: Command, channel: String) -> Result<Reply> {
        let caller = &command.caller;
        let resource = self.ensure_joinable(caller, &channel)?.map(Resource::name);
        let terms = self.terms(caller, self.state.lives.subscription);
        let token = SubscriptionToken { terms, channel };
        let token = self.state.session.signer.mint_subscription(&token).map_err(Error::fault)?;
        self.give(command, token, resource.into_iter().collect()).await
    }

    /// Answers with the token if the owner is provisioned. Nothing is written, unless the answer must be kept for an idempotency
    /// key, or an external server sends the events: then the caller is recorded in its audience.
    async fn give(&self, command: Command, token: String, resources: Vec<&'static str>) -> Result<Reply> {
        let (caller, owner, now) = (command.caller, command.caller.owner, self.context.now());
        let body = json(&StreamToken { token })?;
        let resources = json(&resources)?;
        let is_external = self.has_external_streams();
        let give = async move |tx: &mut Tx<'_>| {
            if is_external {
                hold_provision(tx, owner).await?;
                centrifugo::admit(tx, &caller, &resources, now).await?;
            } else {
                ensure_provisioned(tx, owner).await?;
            }
            Ok(Reply::done(body.clone()).confidential())
        };
        if is_external || command.idempotency.is_some() {
            return self.context.write(&command, give).await;
        }
        self.context.db().read(owner, give).await
    }

    /// Returns the terms of a stream token, which never outlives the access token that requested it.
    fn terms(&self, caller: &Caller, seconds: u32) -> Terms {
        let now = self.context.now();
        let end = now.plus_seconds(i64::from(seconds));
        let end = caller.expires_at.map_or(end, |limit| limit.min(end));
        let mut id = [0; ID_BYTES];
        self.context.fill_random(&mut id);
        Terms {
            grant: Grant { owner: caller.owner, user: caller.user, access_token: caller.token },
            issued_at: whole_seconds(now),
            expires_at: whole_seconds(end),
            id: id.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

impl Streams {
    /// Refuses a channel that is not the caller's own, or whose resource the caller may not read. The refusal is always the same,
    /// so that the caller does not learn what exists elsewhere. Returns the channel's resource.
    fn ensure_joinable(&self, caller: &Caller, name: &str) -> Result<Option<Resource>> {
        let channel = Channel::parse_own(name, caller.owner, caller.user).ok().flatten();
        match channel {
            // An external server does not know the caller's world: there, the plain name is the live channel.
            Some(Channel::Events { is_plain: true, .. }) if self.has_external_streams() => {}
            Some(Channel::Events { resource, .. }) if may_read(caller.scopes, resource) => {
                return Ok(Some(resource));
            }
            // The channel is public: a token for it grants nothing more.
            Some(Channel::Announcements) => return Ok(None),
            Some(Channel::Events { .. }) | None => {}
        }
        let detail = format!(
            "Your channels are `<resource>:{}#{}`, for each resource that the token may read.",
            caller.owner, caller.user
        );
        Err(Problem::from(Code::ForbiddenChannel).with_detail(detail).into())
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
    scopes.can_read(resource.name())
}

/// The names of the caller's channels: one for each resource that the token may read.
pub(crate) fn channels(caller: &Caller) -> Vec<String> {
    let channel = |resource| ChannelTopic::Events(resource).channel(caller.owner, caller.user).to_string();
    readable(caller.scopes).map(channel).collect()
}
