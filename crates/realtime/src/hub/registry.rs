//! The registry of connections: counts per user and organisation, targets of control messages, and look-up by session
//! id.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use model::{Id, Organisation, Owner, User};

use crate::code::Disconnect;
use crate::session::{ClientId, ControlMessage, OutboxItem};
use crate::token::Grant;

use super::lock::lock;
use super::outbox::Outbox;

/// Number of locks over which the organisations are distributed.
const SHARDS: usize = 16;

/// The recipients of a control message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    Everyone,
    /// One part of all connections, so that a server can stop without all its clients reconnecting at once.
    Part {
        part: u32,
        of: u32,
    },
    /// All connections of an organisation, in both worlds.
    Organisation(Id<Organisation>),
    /// All connections of an organisation, in one world.
    Owner(Owner),
    User {
        organisation: Id<Organisation>,
        user: Id<User>,
    },
}

/// The connections of a node. The methods are those of [`Hub`](super::Hub).
pub(super) struct Registry {
    organisations: Vec<Mutex<HashMap<Id<Organisation>, Members>>>,
    /// The connections that send through `/emulation`, by the secret id of their session.
    sessions: Mutex<HashMap<ClientId, Arc<Outbox>>>,
    per_user_max: u32,
    per_organisation_max: u32,
}

/// The connections of one organisation.
#[derive(Default)]
struct Members {
    connections: HashMap<ClientId, Member>,
    by_user: HashMap<Id<User>, u32>,
}

struct Member {
    owner: Owner,
    user: Id<User>,
    outbox: Arc<Outbox>,
}

impl Registry {
    pub fn new(per_user_max: u32, per_organisation_max: u32) -> Self {
        Self {
            organisations: (0..SHARDS).map(|_| Mutex::default()).collect(),
            sessions: Mutex::default(),
            per_user_max,
            per_organisation_max,
        }
    }

    fn shard(&self, organisation: Id<Organisation>) -> &Mutex<HashMap<Id<Organisation>, Members>> {
        // The low bits of an id are random.
        &self.organisations[organisation.bits() as usize % SHARDS]
    }

    pub fn register(&self, grant: Grant, client: ClientId, outbox: &Arc<Outbox>) -> Result<(), Disconnect> {
        let Grant { owner, user, .. } = grant;
        let mut shard = lock(self.shard(owner.organisation));
        let members = shard.entry(owner.organisation).or_default();
        let of_user = members.by_user.get(&user).copied().unwrap_or(0);
        if of_user >= self.per_user_max || members.connections.len() >= self.per_organisation_max as usize {
            if members.connections.is_empty() {
                shard.remove(&owner.organisation);
            }
            return Err(Disconnect::CONNECTION_LIMIT);
        }
        let member = Member { owner, user, outbox: Arc::clone(outbox) };
        if members.connections.insert(client, member).is_none() {
            members.by_user.insert(user, of_user + 1);
        }
        Ok(())
    }

    pub fn unregister(&self, organisation: Id<Organisation>, client: ClientId) {
        let mut shard = lock(self.shard(organisation));
        let Some(members) = shard.get_mut(&organisation) else { return };
        if let Some(member) = members.connections.remove(&client)
            && let Some(count) = members.by_user.get_mut(&member.user)
        {
            *count -= 1;
            if *count == 0 {
                members.by_user.remove(&member.user);
            }
        }
        if members.connections.is_empty() {
            shard.remove(&organisation);
        }
    }

    pub fn send_control(&self, audience: Audience, message: ControlMessage) -> usize {
        let mut wakers = Vec::new();
        let mut count = 0;
        let all = self.organisations.iter();
        let one = audience.organisation().map(|organisation| self.shard(organisation));
        for shard in all.filter(|shard| one.is_none_or(|one| std::ptr::eq(one, *shard))) {
            let shard = lock(shard);
            let members = shard.values().flat_map(|members| &members.connections);
            for (_, member) in members.filter(|(client, member)| audience.includes(**client, member)) {
                wakers.extend(member.outbox.put(OutboxItem::Control(message)));
                count += 1;
            }
        }
        wakers.into_iter().for_each(std::task::Waker::wake);
        count
    }

    pub fn connections(&self) -> usize {
        let shards = self.organisations.iter();
        shards.map(|shard| lock(shard).values().map(|members| members.connections.len()).sum::<usize>()).sum()
    }

    pub fn open_session(&self, session: ClientId, outbox: &Arc<Outbox>) {
        lock(&self.sessions).insert(session, Arc::clone(outbox));
    }

    pub fn close_session(&self, session: ClientId) {
        lock(&self.sessions).remove(&session);
    }

    pub fn emulate(&self, session: &str, frame: Bytes) -> bool {
        let outbox =
            ClientId::parse(session).and_then(|session| lock(&self.sessions).get(&session).map(Arc::clone));
        let Some(outbox) = outbox else { return false };
        if let Some(waker) = outbox.put(OutboxItem::Input(frame)) {
            waker.wake();
        }
        true
    }
}

impl Audience {
    fn includes(self, client: ClientId, member: &Member) -> bool {
        match self {
            Audience::Everyone => true,
            Audience::Part { part, of } => (client.bits() as u32).checked_rem(of) == Some(part),
            Audience::Organisation(organisation) => member.owner.organisation == organisation,
            Audience::Owner(owner) => member.owner == owner,
            Audience::User { organisation, user } => {
                (member.owner.organisation, member.user) == (organisation, user)
            }
        }
    }

    fn organisation(self) -> Option<Id<Organisation>> {
        match self {
            Audience::Everyone | Audience::Part { .. } => None,
            Audience::Organisation(organisation) | Audience::User { organisation, .. } => Some(organisation),
            Audience::Owner(owner) => Some(owner.organisation),
        }
    }
}
