//! Organisations, their two worlds, and the owner key of every row.

use std::fmt;

use crate::Id;
use crate::platform::id::Kind;

/// A company that uses this installation.
#[derive(Clone, Debug, PartialEq)]
pub struct Organisation {
    pub id: Id<Organisation>,
    pub name: String,
}

impl Kind for Organisation {
    const PREFIX: &'static str = "org";
}

/// The worlds of an organisation: live data, and test data. They share no resources.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum World {
    Live,
    Test,
}

impl World {
    /// Returns the word that tokens use.
    pub fn as_str(self) -> &'static str {
        match self {
            World::Live => "live",
            World::Test => "test",
        }
    }
}

/// The owner of a row: an organisation in one of its worlds.
///
/// Both parts form one key (`org_…` and `org_…_test`). A statement that names its owner therefore cannot omit either
/// part, and the schema can be sharded by this one column.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Owner {
    pub organisation: Id<Organisation>,
    pub world: World,
}

const TEST_SUFFIX: &str = "_test";

impl Owner {
    /// Returns the owner of an organisation's live world, which also owns its users.
    pub fn live(organisation: Id<Organisation>) -> Self {
        Self { organisation, world: World::Live }
    }

    /// Parses what [`fmt::Display`] writes.
    pub fn parse(key: &str) -> Option<Self> {
        let (id, world) = match key.strip_suffix(TEST_SUFFIX) {
            Some(id) => (id, World::Test),
            None => (key, World::Live),
        };
        Some(Self { organisation: Id::parse(id)?, world })
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.world {
            World::Live => "",
            World::Test => TEST_SUFFIX,
        };
        fmt::Display::fmt(&self.organisation, out)?;
        out.write_str(suffix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_worlds_read_back() {
        for world in [World::Live, World::Test] {
            let owner = Owner { organisation: Id::from_bits(9), world };
            assert_eq!(Owner::parse(&owner.to_string()), Some(owner));
        }
        assert_eq!(Owner::parse("*"), None);
    }
}
