//! Roles: named sets of scopes that users have. Four are built in, and an organisation may make others.

use serde::{Deserialize, Serialize};

use crate::access::access_token::ROLE_SCOPES;
use crate::access::scope::{Action, Scope, Scopes};
use crate::platform::id::Kind as IdKind;
use crate::platform::shape::{Field, Input, Kind, Shape};
use crate::{Id, Timestamp};

/// Most roles of an organisation, with those that are built in.
pub const ROLES_MAX: usize = 100;

/// The marker type of role ids.
pub enum Role {}

impl IdKind for Role {
    const PREFIX: &'static str = "role";
}

/// The roles that every organisation has, and can't change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuiltInRole {
    Admin,
    Manager,
    Packer,
    Viewer,
}

/// Resources that a manager may only read.
const MANAGER_READS: [&str; 5] = ["users", "organisation", "carriers", "order_sources", "webhooks"];
/// Resources that a viewer may not read.
const VIEWER_LACKS: [&str; 5] = ["users", "access_tokens", "webhooks", "carriers", "order_sources"];
const PACKER_WRITES: [&str; 3] = ["packing", "print_jobs", "returns"];
const PACKER_READS: [&str; 9] = [
    "orders",
    "inventory",
    "allocations",
    "shipments",
    "batches",
    "waves",
    "locations",
    "package_types",
    "printers",
];

impl BuiltInRole {
    pub const ALL: [BuiltInRole; 4] =
        [BuiltInRole::Admin, BuiltInRole::Manager, BuiltInRole::Packer, BuiltInRole::Viewer];

    /// Returns the name, by which requests and answers know it.
    pub fn name(self) -> &'static str {
        match self {
            BuiltInRole::Admin => "admin",
            BuiltInRole::Manager => "manager",
            BuiltInRole::Packer => "packer",
            BuiltInRole::Viewer => "viewer",
        }
    }

    /// Returns the id, which is the same in all organisations. It sorts before those of roles that organisations make.
    pub fn id(self) -> Id<Role> {
        Id::from_bits(self as u128 + 1)
    }

    pub fn from_id(id: Id<Role>) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.id() == id)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Returns what the role may do. It follows from the resources that this version has.
    pub fn scopes(self) -> Scopes {
        let all = |is_in: fn(Scope) -> bool| {
            Scope::all().filter(|scope| is_in(*scope)).fold(Scopes::default(), Scopes::with)
        };
        let scopes = match self {
            BuiltInRole::Admin => Scopes::ALL,
            BuiltInRole::Manager => all(|scope| {
                let is_read_only = MANAGER_READS.contains(&scope.resource());
                scope.resource() != "access_tokens" && (scope.action() == Action::Read || !is_read_only)
            }),
            BuiltInRole::Packer => all(|scope| match scope.action() {
                Action::Read => PACKER_READS.contains(&scope.resource()),
                Action::Write => PACKER_WRITES.contains(&scope.resource()),
                Action::Purchase => false,
            }),
            BuiltInRole::Viewer => {
                all(|scope| scope.action() == Action::Read && !VIEWER_LACKS.contains(&scope.resource()))
            }
        };
        with_events(scopes)
    }
}

/// Returns the scopes with the one that every role has: to read the events of what it may read.
pub fn with_events(scopes: Scopes) -> Scopes {
    Scope::read("events").map_or(scopes, |events| scopes.with(events))
}

/// Reads how a request names a role: a built-in one by its name, others by their ids.
pub fn parse_role(text: &str) -> Option<Id<Role>> {
    BuiltInRole::from_name(text).map(BuiltInRole::id).or_else(|| Id::parse(text))
}

/// Returns how answers name a role: as [`parse_role`] reads it.
pub fn role_text(id: Id<Role>) -> String {
    BuiltInRole::from_id(id).map_or_else(|| id.to_string(), |role| role.name().to_owned())
}

/// A role as the API shows it.
#[derive(Serialize)]
pub struct RoleView {
    pub id: Id<Role>,
    pub name: String,
    pub is_built_in: bool,
    pub scopes: Vec<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What a client says of a role.
#[derive(Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct RoleInput {
    pub name: String,
    pub scopes: Vec<String>,
}

impl Input for RoleInput {
    const SHAPE: &'static Shape = &ROLE;
}

/// The id of a role.
pub static ROLE_ID: Shape = Shape::new(
    Kind::Identifier(Role::PREFIX),
    "Names a set of scopes, in `roles` of a user and in paths. The built-in ones have the same ids in every organisation.",
);
static NAME: Shape = Shape::text(
    1,
    100,
    "What people call the role, such as the job that it is for. Two roles can't have the same name.",
)
.example(r#""Returns desk""#);
static IS_BUILT_IN: Shape = Shape::new(
    Kind::Boolean,
    "True for `admin`, `manager`, `packer` and `viewer`, which every organisation has and none can change.",
)
.example("false");

/// A role.
pub static ROLE: Shape = Shape::object(
    "Role",
    &[
        Field::given("id", &ROLE_ID),
        Field::required("name", &NAME),
        Field::given("is_built_in", &IS_BUILT_IN),
        Field::required("scopes", &ROLE_SCOPES),
        Field::created_at(),
        Field::updated_at(),
    ],
    "A set of scopes that users have by their `roles`.",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::scope::RESOURCES;

    #[test]
    fn every_named_resource_exists_or_is_of_a_later_version() {
        let later = ["returns", "order_sources"];
        let named = MANAGER_READS.iter().chain(&VIEWER_LACKS).chain(&PACKER_WRITES).chain(&PACKER_READS);
        for name in named.filter(|name| !later.contains(name)) {
            assert!(RESOURCES.contains(name), "{name}");
        }
    }

    #[test]
    fn roles_have_what_they_need_and_no_more() {
        let has = |role: BuiltInRole, scope: &str| role.scopes().contains(Scope::parse(scope).unwrap());
        for scope in Scope::all() {
            assert!(has(BuiltInRole::Admin, &scope.to_string()), "{scope}");
        }
        assert_eq!(BuiltInRole::Admin.scopes(), Scopes::ALL);
        let manager = BuiltInRole::Manager;
        for scope in ["orders:write", "shipments:purchase", "batches:purchase", "users:read", "carriers:read"]
        {
            assert!(has(manager, scope), "{scope}");
        }
        let lacks = ["users:write", "organisation:write", "carriers:write", "webhooks:write"];
        for scope in lacks.iter().chain(&["access_tokens:read", "access_tokens:write"]) {
            assert!(!has(manager, scope), "{scope}");
        }
        assert_eq!(
            BuiltInRole::Packer.scopes().to_string(),
            "locations:read orders:read inventory:read allocations:read shipments:read batches:read events:read \
             package_types:read packing:read packing:write printers:read print_jobs:read print_jobs:write waves:read"
        );
        for scope in Scope::all() {
            let is_hidden = VIEWER_LACKS.contains(&scope.resource());
            let expected = scope.action() == Action::Read && !is_hidden;
            assert_eq!(has(BuiltInRole::Viewer, &scope.to_string()), expected, "{scope}");
        }
        for role in BuiltInRole::ALL {
            assert!(has(role, "events:read"), "{role:?}");
        }
    }

    #[test]
    fn a_role_is_named_as_it_is_read() {
        for role in BuiltInRole::ALL {
            assert_eq!(parse_role(&role_text(role.id())), Some(role.id()));
            assert_eq!(parse_role(&role.id().to_string()), Some(role.id()));
        }
        let own: Id<Role> = Id::from_bits(1 << 90);
        assert_eq!((parse_role(&role_text(own)), BuiltInRole::from_id(own)), (Some(own), None));
        assert_eq!(parse_role("nobody"), None);
    }
}
