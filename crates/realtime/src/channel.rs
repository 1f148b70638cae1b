//! Channels and the streams behind them.
//!
//! A channel is one user's view of a stream: `<resource>:<organisation_id>#<user_id>`. A stream is the part of the
//! event log that holds the events of one resource of one owner. A stream is stored, read and encoded once, however
//! many channels show it. An organisation's test world is an owner of its own (`org_…_test`), so the two worlds never
//! share a channel. A client of the test world may omit the suffix in the names of its own channels, because its
//! tokens name the world.

use std::fmt;

use model::access::scope::RESOURCES;
use model::{Id, Owner, User, World};

use crate::limits::CHANNEL_BYTES_MAX;

/// The only public channel. It belongs to the server, not to an organisation.
const ANNOUNCEMENTS: &str = "system:announcements";
const SYSTEM: &str = "system";

/// A resource that has a stream: one of [`RESOURCES`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Resource(u8);

impl Resource {
    /// Parses a resource's name as scopes spell it. Returns `None` if the resource is unknown.
    pub fn parse(name: &str) -> Option<Self> {
        let place = RESOURCES.iter().position(|known| *known == name)?;
        u8::try_from(place).ok().map(Self)
    }

    /// Iterates over all resources, in the order of [`RESOURCES`].
    pub fn all() -> impl Iterator<Item = Self> {
        RESOURCES.iter().filter_map(|name| Self::parse(name))
    }

    /// Returns the name that scopes and channels use.
    pub fn name(self) -> &'static str {
        RESOURCES[usize::from(self.0)]
    }

    /// Returns the resource whose stream carries events of this type, or `None` if no stream carries them.
    pub fn of_event(r#type: &str) -> Option<Self> {
        Self::parse(model::events::event::resource_of(r#type)?)
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// A part of the event log: the unit that is published and read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EventStream {
    /// The events of one resource of one owner.
    Events { owner: Owner, resource: Resource },
    /// Messages from the server's operators to all clients.
    Announcements,
}

/// A name that a client subscribes to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Channel {
    /// One user's view of a stream of events. If `is_plain`, the name holds the organisation's id without the world's
    /// suffix.
    Events { owner: Owner, resource: Resource, user: Id<User>, is_plain: bool },
    /// The public channel. A client joins it without a token.
    Announcements,
}

/// A channel without its owner and user: a resource, or the announcements.
///
/// A connection may join only its own user's channels of its own owner, so a session stores no more than this per
/// channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ChannelTopic {
    Events(Resource),
    Announcements,
}

impl ChannelTopic {
    /// Returns the channel of this owner and user.
    pub fn channel(self, owner: Owner, user: Id<User>) -> Channel {
        match self {
            ChannelTopic::Events(resource) => Channel::Events { owner, resource, user, is_plain: false },
            ChannelTopic::Announcements => Channel::Announcements,
        }
    }
}

/// The reason why a name is not a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotAChannel {
    /// The part before the colon is not a resource. The client gets error 102.
    UnknownNamespace,
    /// The part after the colon is not an owner and a user, so no client can have permission for it. The client gets
    /// error 103.
    Malformed,
}

impl Channel {
    /// Parses exactly what [`fmt::Display`] writes: each channel has one spelling.
    pub fn parse(name: &str) -> Result<Self, NotAChannel> {
        if name == ANNOUNCEMENTS {
            return Ok(Self::Announcements);
        }
        let (namespace, rest) = name.split_once(':').ok_or(NotAChannel::UnknownNamespace)?;
        if namespace == SYSTEM {
            return Err(NotAChannel::Malformed);
        }
        let resource = Resource::parse(namespace).ok_or(NotAChannel::UnknownNamespace)?;
        let (owner, user) = rest.rsplit_once('#').ok_or(NotAChannel::Malformed)?;
        let owner = Owner::parse(owner).ok_or(NotAChannel::Malformed)?;
        let user = Id::parse(user).ok_or(NotAChannel::Malformed)?;
        Ok(Self::Events { owner, resource, user, is_plain: false })
    }

    /// Parses a channel name that a client of this user and owner sent. Returns `None` if the channel is neither the
    /// user's own nor public. In the test world, the plain name of a live channel stands for the test world's
    /// channel.
    pub fn parse_own(name: &str, owner: Owner, user: Id<User>) -> Result<Option<Self>, NotAChannel> {
        let channel = Self::parse(name)?;
        let own = channel.topic().channel(owner, user);
        if channel == own {
            return Ok(Some(own));
        }
        let plain = own.as_plain();
        Ok(plain.filter(|plain| plain.to_string() == name))
    }

    /// Returns the channel under its plain name, or `None` if the channel has only one name.
    pub fn as_plain(self) -> Option<Self> {
        match self {
            Self::Events { owner, resource, user, .. } if owner.world == World::Test => {
                Some(Self::Events { owner, resource, user, is_plain: true })
            }
            _ => None,
        }
    }

    /// Returns the stream that the channel is a view of.
    pub fn stream(&self) -> EventStream {
        match *self {
            Self::Events { owner, resource, .. } => EventStream::Events { owner, resource },
            Self::Announcements => EventStream::Announcements,
        }
    }

    /// Returns the channel without its owner and user.
    pub fn topic(&self) -> ChannelTopic {
        match *self {
            Self::Events { resource, .. } => ChannelTopic::Events(resource),
            Self::Announcements => ChannelTopic::Announcements,
        }
    }

    /// Returns the channel's user and whether it has its plain name, or `None` for the public channel.
    pub fn view(&self) -> Option<(Id<User>, bool)> {
        match *self {
            Self::Events { user, is_plain, .. } => Some((user, is_plain)),
            Self::Announcements => None,
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Events { owner, resource, user, is_plain: true } => {
                write!(out, "{}:{}#{user}", resource.name(), owner.organisation)
            }
            Self::Events { owner, resource, user, .. } => write!(out, "{}:{owner}#{user}", resource.name()),
            Self::Announcements => out.write_str(ANNOUNCEMENTS),
        }
    }
}

/// Bytes of the longest channel name: `location_configurations:org_<26>_test#usr_<26>`.
const LONGEST: usize = "location_configurations".len() + 1 + 30 + "_test".len() + 1 + 30;
const _: () =
    assert!(LONGEST <= CHANNEL_BYTES_MAX, "every channel of ours must be short enough to be joined");

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_channel_reads_back(bits: u128, user: u128, place in 0..RESOURCES.len(), is_test: bool) {
            let world = if is_test { World::Test } else { World::Live };
            let owner = Owner { organisation: Id::from_bits(bits), world };
            let resource = Resource::all().nth(place).unwrap();
            let user = Id::from_bits(user);
            let channel = Channel::Events { owner, resource, user, is_plain: false };
            let name = channel.to_string();
            prop_assert_eq!(Channel::parse(&name), Ok(channel));
            prop_assert!(name.len() <= LONGEST);
            prop_assert_eq!(Channel::parse_own(&name, owner, user), Ok(Some(channel)));
        }

        #[test]
        fn only_the_test_world_has_plain_names_and_only_for_its_own_channels(bits: u128, bits_of_user: u128) {
            let owner = |world| Owner { organisation: Id::from_bits(bits), world };
            let user = Id::from_bits(bits_of_user);
            let name = |world| ChannelTopic::Events(Resource(2)).channel(owner(world), user).to_string();
            let (live, test) = (name(World::Live), name(World::Test));
            let read = |name: &str, world| Channel::parse_own(name, owner(world), user).unwrap();
            let plain = read(&live, World::Test).unwrap();
            prop_assert_eq!(&plain.to_string(), &live);
            prop_assert_eq!(plain.stream(), read(&test, World::Test).unwrap().stream());
            prop_assert!(plain.stream() != read(&live, World::Live).unwrap().stream());
            prop_assert_eq!(read(&test, World::Live), None);
            let other = Id::from_bits(bits_of_user ^ 1);
            prop_assert_eq!(Channel::parse_own(&live, owner(World::Test), other), Ok(None));
        }

        #[test]
        fn other_names_are_not_channels(name in "(batches|system|x)?:?\\PC{0,40}") {
            if let Ok(channel) = Channel::parse(&name) {
                prop_assert_eq!(channel.to_string(), name);
            }
        }
    }

    #[test]
    fn names_that_are_not_channels() {
        use NotAChannel::{Malformed, UnknownNamespace};
        for (name, why) in [
            ("", UnknownNamespace),
            ("batches", UnknownNamespace),
            ("parcels:org_1#u1", UnknownNamespace),
            ("$batches:org_1#u1", UnknownNamespace),
            ("batches:org_1#u1", Malformed),
            ("batches:org_00000000000000000000000001", Malformed),
            ("system:other", Malformed),
        ] {
            assert_eq!(Channel::parse(name), Err(why), "{name}");
        }
        assert_eq!(Channel::parse("system:announcements"), Ok(Channel::Announcements));
    }

    #[test]
    fn every_event_type_has_its_stream() {
        for (r#type, resource) in [
            ("location.created", "locations"),
            ("location_configuration.deleted", "location_configurations"),
            ("order.committed", "orders"),
            ("inventory.updated", "inventory"),
            ("inventory_item.created", "inventory"),
            ("reservation.updated", "reservations"),
            ("allocation.completed", "allocations"),
            ("shipment.purchased", "shipments"),
            ("tracking.updated", "shipments"),
            ("carrier.updated", "carriers"),
            ("carrier_account.created", "carriers"),
            ("batch.labels_created", "batches"),
            ("manifest.failed", "manifests"),
            ("webhook_endpoint.disabled", "webhooks"),
            ("access_token.deleted", "access_tokens"),
            ("organisation.updated", "organisation"),
        ] {
            assert_eq!(Resource::of_event(r#type), Resource::parse(resource), "{type}");
            assert!(Resource::parse(resource).is_some());
        }
        assert_eq!(Resource::of_event("unheard.of"), None);
        assert_eq!(Resource::of_event("location"), None);
    }
}
