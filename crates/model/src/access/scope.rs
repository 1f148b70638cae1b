//! Scopes: the permissions of a token, such as `locations:read`, `locations:write` (implies read), `batches:purchase`
//! and `*`.

use std::fmt;

/// The resources that have scopes, by the names that scopes and channels use.
pub const RESOURCES: [&str; 22] = [
    "locations",
    "location_configurations",
    "orders",
    "inventory",
    "reservations",
    "allocations",
    "shipments",
    "carriers",
    "batches",
    "manifests",
    "events",
    "webhooks",
    "access_tokens",
    "organisation",
    "package_types",
    "shipping_rules",
    "packing",
    "printers",
    "print_jobs",
    "waves",
    "users",
    "imports",
];

// Each resource has a bit for each action.
const _: () = assert!(RESOURCES.len() * Action::ALL.len() <= u128::BITS as usize);

/// An action on a resource. A purchase costs money, so write does not imply it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Read,
    Write,
    Purchase,
}

impl Action {
    const ALL: [Action; 3] = [Action::Read, Action::Write, Action::Purchase];

    fn as_str(self) -> &'static str {
        match self {
            Action::Read => "read",
            Action::Write => "write",
            Action::Purchase => "purchase",
        }
    }

    /// Returns whether a resource has this action. Reservations follow from orders and cannot be written; only
    /// shipments and batches can be purchased.
    fn exists_for(self, resource: &str) -> bool {
        match self {
            Action::Read => true,
            Action::Write => resource != "reservations",
            Action::Purchase => matches!(resource, "shipments" | "batches"),
        }
    }
}

/// One permission, as an endpoint requires it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    resource: u8,
    action: Action,
}

impl Scope {
    /// Parses `resource:action`. Returns `None` if there is no such scope.
    pub fn parse(text: &str) -> Option<Self> {
        let (resource, action) = text.split_once(':')?;
        let place = RESOURCES.iter().position(|known| *known == resource)?;
        let action = Action::ALL.into_iter().find(|known| known.as_str() == action)?;
        action.exists_for(resource).then_some(Self { resource: place as u8, action })
    }

    /// Returns the scope to read the resource of this name.
    pub fn read(resource: &str) -> Option<Self> {
        let place = RESOURCES.iter().position(|known| *known == resource)?;
        Some(Self { resource: place as u8, action: Action::Read })
    }

    /// Returns the message that a scope does not exist, with the nearest one as a suggestion.
    pub fn unknown(word: &str) -> String {
        let names: Vec<String> = Self::all().map(|scope| scope.to_string()).collect();
        let meant = crate::platform::nearest::suggestion(word, names.iter().map(String::as_str));
        format!("There is no scope `{word}`.{meant}")
    }

    /// Iterates over all scopes.
    pub fn all() -> impl Iterator<Item = Scope> {
        (0..RESOURCES.len() as u8).flat_map(|resource| {
            Action::ALL
                .into_iter()
                .filter(move |action| action.exists_for(RESOURCES[resource as usize]))
                .map(move |action| Scope { resource, action })
        })
    }

    /// Returns the resource's name in scopes and channels.
    pub fn resource(self) -> &'static str {
        RESOURCES[self.resource as usize]
    }

    pub fn action(self) -> Action {
        self.action
    }

    fn bit(self) -> u128 {
        1 << (u32::from(self.resource) * 3 + self.action as u32)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.resource(), self.action.as_str())
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// A set of scopes, closed under "write implies read".
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Scopes(u128);

impl Scopes {
    /// All scopes, including those of later versions.
    pub const ALL: Scopes = Scopes(u128::MAX);

    /// Parses scopes separated by spaces. The error is the first word that is not a scope.
    pub fn parse(text: &str) -> Result<Self, &str> {
        text.split_ascii_whitespace().try_fold(Self::default(), |set, word| match word {
            "*" => Ok(Self::ALL),
            word => Scope::parse(word).map(|scope| set.with(scope)).ok_or(word),
        })
    }

    /// Returns the set with one more scope.
    #[must_use]
    pub fn with(self, scope: Scope) -> Self {
        let implied = match scope.action {
            Action::Write => Scope { action: Action::Read, ..scope }.bit(),
            Action::Read | Action::Purchase => 0,
        };
        Self(self.0 | scope.bit() | implied)
    }

    /// Returns whether the set contains the scope.
    pub fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Returns whether the set contains the scope to read the resource of this name.
    pub fn can_read(self, resource: &str) -> bool {
        Scope::read(resource).is_some_and(|scope| self.contains(scope))
    }

    /// Returns whether every scope of `other` is in this set.
    pub fn covers(self, other: Scopes) -> bool {
        other.0 & !self.0 == 0
    }

    /// Returns the scopes that are in this set, in the other, or in both.
    #[must_use]
    pub fn and(self, other: Scopes) -> Scopes {
        Self(self.0 | other.0)
    }

    /// Returns the scopes that are in this set and not in the other.
    #[must_use]
    pub fn without(self, other: Scopes) -> Scopes {
        Self(self.0 & !other.0)
    }

    /// Returns the scopes as words, in a fixed order, or `*` if the set contains all.
    pub fn words(self) -> Vec<String> {
        if self == Self::ALL {
            return vec!["*".to_owned()];
        }
        Scope::all().filter(|scope| self.contains(*scope)).map(|scope| scope.to_string()).collect()
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.words().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_implies_read_but_not_purchase() {
        let set = Scopes::parse("batches:write").unwrap();
        let has = |scope| set.contains(Scope::parse(scope).unwrap());
        assert!(has("batches:read") && has("batches:write"));
        assert!(!has("batches:purchase") && !has("locations:read"));
    }

    #[test]
    fn every_set_reads_back() {
        for scope in Scope::all() {
            let set = Scopes::default().with(scope);
            assert_eq!(Scopes::parse(&set.to_string()), Ok(set));
        }
        assert_eq!(Scopes::parse("*"), Ok(Scopes::ALL));
    }

    #[test]
    fn scopes_that_do_not_exist_are_named() {
        assert_eq!(Scopes::parse("locations:read reservations:write"), Err("reservations:write"));
        assert_eq!(Scopes::parse("locations:purchase"), Err("locations:purchase"));
        assert_eq!(Scopes::parse("locations"), Err("locations"));
    }

    #[test]
    fn covering() {
        let narrow = Scopes::parse("orders:read").unwrap();
        assert!(Scopes::ALL.covers(narrow) && !narrow.covers(Scopes::ALL));
    }
}
