//! Ends what depends on a user's rights, on all nodes, when they are taken away: remembered callers and streams.

use model::{Id, Organisation, Owner, Result, User, World};
use realtime::code::Disconnect;
use store::Tx;
use tracing::warn;

use crate::access::access_tokens::AccessTokens;
use crate::events::bus::Bus;
use crate::events::stream::{Streams, centrifugo};
use crate::platform::context::Context;

/// Ends remembered access.
#[derive(Clone)]
pub struct AccessEnds {
    context: Context,
    access_tokens: AccessTokens,
    bus: Bus,
    streams: Streams,
}

impl AccessEnds {
    pub(crate) fn new(context: &Context, access_tokens: &AccessTokens, bus: &Bus, streams: &Streams) -> Self {
        let (access_tokens, bus, streams) = (access_tokens.clone(), bus.clone(), streams.clone());
        Self { context: context.clone(), access_tokens, bus, streams }
    }

    /// Checks the rights of the organisation's callers anew, in both worlds, after a change that may have narrowed them. If
    /// `user` is given, the streams of that user at an external server end, too.
    pub(crate) async fn recheck<T>(
        &self,
        organisation: Id<Organisation>,
        user: Option<Id<User>>,
        result: &Result<T>,
    ) {
        self.access_tokens.forget_callers();
        for world in [World::Live, World::Test] {
            let owner = Owner { organisation, world };
            if let Some(user) = user.filter(|_| result.is_ok() && self.streams.has_external_streams()) {
                let end = async move |tx: &mut Tx<'_>| {
                    centrifugo::end(tx, owner, Some(user), Disconnect::STATE_INVALIDATED).await
                };
                if let Err(error) = self.context.db().write(owner, end).await {
                    warn!(%error, organisation = %owner, "ending the external streams of a user failed");
                }
            }
            self.streams.end_streams(owner).await;
        }
        self.bus.hint_access(result);
    }
}
