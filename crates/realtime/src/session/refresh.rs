//! Replacement of expiring tokens: the connection token, and the token of one channel.

use crate::code::{Disconnect, ErrorReply};
use crate::frame::{RefreshResult, Reply, SubRefreshRequest, SubRefreshResult};
use crate::token::{Grant, Rejection};

use super::Session;
use super::command::CommandError;
use super::connect::topics;
use super::effect::Effect;
use super::pending::{PendingCommand, Refreshing, SubRefreshing};
use super::timer::seconds_left;

impl Session {
    pub(super) fn refresh(&mut self, now: u64, id: u32, token: &str) -> Result<(), CommandError> {
        let token = match self.settings.signer.verify_connection(now, token) {
            Ok(token) => token,
            Err(Rejection::Expired) => return Err(Disconnect::EXPIRED.into()),
            Err(Rejection::Invalid) => return Err(Disconnect::INVALID_TOKEN.into()),
        };
        let grant = token.terms.grant;
        let is_ours = |ours: Grant| (grant.user, grant.owner) == (ours.user, ours.owner);
        if !self.grant.is_some_and(is_ours) {
            return Err(Disconnect::INVALID_TOKEN.into());
        }
        // The new token has other channels, because scopes changed. The client must reconnect to get them.
        match topics(&token) {
            Ok(topics) if topics == self.granted => {}
            _ => return Err(Disconnect::INSUFFICIENT_STATE.into()),
        }
        let expires_ms = token.terms.expires_at.saturating_mul(1000);
        self.request(
            Effect::CheckAccess(grant),
            PendingCommand::Refresh(Refreshing { id, grant, expires_ms }),
        );
        Ok(())
    }

    pub(super) fn resume_refresh(
        &mut self,
        now: u64,
        refreshing: Refreshing,
        verdict: Result<(), Disconnect>,
    ) {
        if let Err(why) = verdict {
            return self.close(why);
        }
        let Refreshing { id, grant, expires_ms } = refreshing;
        self.grant = Some(grant);
        self.timers.expires = Some(expires_ms);
        for held in self.subscriptions.iter_mut().filter(|held| held.is_server_side) {
            held.access_token = grant.access_token;
        }
        let ttl = seconds_left(now, expires_ms);
        let refresh = Some(RefreshResult { expires: true, ttl, ..RefreshResult::default() });
        self.reply(&Reply { id, refresh, ..Reply::default() });
    }

    pub(super) fn sub_refresh(
        &mut self,
        now: u64,
        id: u32,
        request: &SubRefreshRequest,
    ) -> Result<(), CommandError> {
        if request.channel.is_empty() {
            return Err(Disconnect::BAD_REQUEST.into());
        }
        let topic = self.joined_channel(&request.channel)?.topic();
        // Only a subscription with a token of its own can be refreshed.
        if self.subscription(topic).is_none_or(|held| held.expires_ms.is_none()) {
            return Err(ErrorReply::PERMISSION_DENIED.into());
        }
        let token = self.check_token(now, &request.channel, &request.token)?;
        let grant = token.terms.grant;
        let expires_ms = token.terms.expires_at.saturating_mul(1000);
        let refreshing = SubRefreshing { id, topic, access_token: grant.access_token, expires_ms };
        self.request(Effect::CheckAccess(grant), PendingCommand::SubRefresh(refreshing));
        Ok(())
    }

    pub(super) fn resume_sub_refresh(
        &mut self,
        now: u64,
        refreshing: SubRefreshing,
        verdict: Result<(), Disconnect>,
    ) -> Result<(), CommandError> {
        let SubRefreshing { id, topic, access_token, expires_ms } = refreshing;
        let held = self.subscription(topic).filter(|_| verdict.is_ok());
        let Some(held) = held else { return Err(ErrorReply::PERMISSION_DENIED.into()) };
        (held.access_token, held.expires_ms) = (access_token, Some(expires_ms));
        let sub_refresh = Some(SubRefreshResult { expires: true, ttl: seconds_left(now, expires_ms) });
        self.reply(&Reply { id, sub_refresh, ..Reply::default() });
        Ok(())
    }
}
