//! Channels and the streams behind them.
//!
//! A channel is one user's view of a stream: `<resource>:<organisation_id>#<user_id>`. The stream is the part of the
//! event log that tells of one resource of one owner; it is stored, read and encoded once, whoever listens.
//! An organisation's test world is an owner of its own (`org_…_test`), so the two worlds never share a channel.

use std::fmt;

use model::scope::RESOURCES;
use model::{Id, Owner, User};

use crate::limits::CHANNEL_BYTES_MAX;

/// The one public channel, of the server itself.
const ANNOUNCEMENTS: &str = "system:announcements";
const SYSTEM: &str = "system";

/// A resource that has a stream: one of [`RESOURCES`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Resource(u8);

impl Resource {
    /// Reads a resource's name, as scopes have it.
    pub fn parse(name: &str) -> Option<Self> {
        let place = RESOURCES.iter().position(|known| *known == name)?;
        u8::try_from(place).ok().map(Self)
    }

    /// Every resource, in the order of [`RESOURCES`].
    pub fn all() -> impl Iterator<Item = Self> {
        RESOURCES.iter().filter_map(|name| Self::parse(name))
    }

    /// The name in scopes and channels.
    pub fn name(self) -> &'static str {
        RESOURCES[usize::from(self.0)]
    }

    /// The resource in whose stream an event of this type belongs; `None` for types that no stream carries.
    pub fn of_event(r#type: &str) -> Option<Self> {
        let (noun, _) = r#type.split_once('.')?;
        Self::parse(match noun {
            "location" => "locations",
            "location_configuration" => "location_configurations",
            "order" => "orders",
            "inventory" | "inventory_item" => "inventory",
            "reservation" => "reservations",
            "allocation" => "allocations",
            "shipment" | "tracking" | "purchase_attempt" => "shipments",
            "batch" => "batches",
            "manifest" => "manifests",
            "webhook_endpoint" => "webhooks",
            "access_token" => "access_tokens",
            noun if noun.starts_with("carrier") => "carriers",
            _ => return None,
        })
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// What is published to and read from the log.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stream {
    /// The events of one resource of one owner.
    Events { owner: Owner, resource: Resource },
    /// What the operators of the server have to say to everyone.
    Announcements,
}

/// What a client subscribes to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Channel {
    /// A user's view of a stream of events.
    Events { owner: Owner, resource: Resource, user: Id<User> },
    /// Public: joined without a token.
    Announcements,
}

/// A channel of a user who is known already: what remains is which resource, or the announcements.
///
/// A connection may only join its own user's channels of its own owner, so this is all it has to remember of each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Topic {
    Events(Resource),
    Announcements,
}

impl Topic {
    /// The whole channel.
    pub fn channel(self, owner: Owner, user: Id<User>) -> Channel {
        match self {
            Topic::Events(resource) => Channel::Events { owner, resource, user },
            Topic::Announcements => Channel::Announcements,
        }
    }
}

/// Why a name is not a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotAChannel {
    /// What stands before the colon is no resource: error 102.
    UnknownNamespace,
    /// The rest is not an owner and a user, so nobody can have permission for it: error 103.
    Malformed,
}

impl Channel {
    /// Reads exactly what [`fmt::Display`] writes: one spelling per channel.
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
        Ok(Self::Events { owner, resource, user })
    }

    /// The stream that the channel is a view of.
    pub fn stream(&self) -> Stream {
        match *self {
            Self::Events { owner, resource, .. } => Stream::Events { owner, resource },
            Self::Announcements => Stream::Announcements,
        }
    }

    /// The channel without owner and user.
    pub fn topic(&self) -> Topic {
        match *self {
            Self::Events { resource, .. } => Topic::Events(resource),
            Self::Announcements => Topic::Announcements,
        }
    }

    /// Whose view it is; `None` where it is everybody's.
    pub fn user(&self) -> Option<Id<User>> {
        match *self {
            Self::Events { user, .. } => Some(user),
            Self::Announcements => None,
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Events { owner, resource, user } => write!(out, "{}:{owner}#{user}", resource.name()),
            Self::Announcements => out.write_str(ANNOUNCEMENTS),
        }
    }
}

/// The longest name we make: `location_configurations:org_<26>_test#usr_<26>`.
const LONGEST: usize = "location_configurations".len() + 1 + 30 + "_test".len() + 1 + 30;
const _: () =
    assert!(LONGEST <= CHANNEL_BYTES_MAX, "every channel of ours must be short enough to be joined");

#[cfg(test)]
mod tests {
    use model::World;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_channel_reads_back(bits: u128, user: u128, place in 0..RESOURCES.len(), is_test: bool) {
            let world = if is_test { World::Test } else { World::Live };
            let owner = Owner { organisation: Id::from_bits(bits), world };
            let resource = Resource::all().nth(place).unwrap();
            let channel = Channel::Events { owner, resource, user: Id::from_bits(user) };
            let name = channel.to_string();
            prop_assert_eq!(Channel::parse(&name), Ok(channel));
            prop_assert!(name.len() <= LONGEST);
        }

        #[test]
        fn nothing_else_reads(name in "(batches|system|x)?:?\\PC{0,40}") {
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
        ] {
            assert_eq!(Resource::of_event(r#type), Resource::parse(resource), "{type}");
            assert!(Resource::parse(resource).is_some());
        }
        assert_eq!(Resource::of_event("unheard.of"), None);
        assert_eq!(Resource::of_event("location"), None);
    }
}
