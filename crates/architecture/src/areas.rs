//! Compares the uses between areas with the order of areas.

use crate::sources::{Sources, Target};
use crate::tree::{ScopeId, Tree};

/// The areas in their order. Each may use itself and those before it.
pub const AREAS: [&str; 10] = [
    "platform",
    "access",
    "events",
    "places",
    "stock",
    "orders",
    "shipping",
    "fulfilment",
    "aftercare",
    "exchange",
];

/// The targets that are divided into areas, each by folders beside its root file.
const LAYERS: [&str; 5] = ["model", "store", "service", "api", "dockside/tests/it"];

/// A module directly below the root of a layer that belongs to no area.
pub struct OutsideArea {
    /// The layer, as in `store` or `dockside/tests/it`.
    pub layer: &'static str,
    pub module: &'static str,
    pub role: Role,
}

/// What a module outside of the areas may use.
#[derive(Clone, Copy, PartialEq)]
pub enum Role {
    /// It is used by all areas, and uses only `platform`.
    Foundation,
    /// It composes the areas like the root file: it uses all of them, and none of them uses it.
    Composition,
    /// It sets up tests: it uses all areas of other layers, and all areas use it.
    Setup,
}

/// Where a module is in the order of areas.
#[derive(Clone, Copy, PartialEq)]
enum Standing {
    /// Not in a layer, in a layer without areas, or in none of its areas.
    Unordered,
    Composition,
    /// In the area with this place in [`AREAS`], or a foundation, which counts as one of `platform`.
    Area(usize),
}

struct Check<'a> {
    tree: &'a Tree,
    sources: &'a Sources,
    outside: &'a [OutsideArea],
    /// For each target, whether it is divided into areas.
    is_divided: Vec<bool>,
}

/// Returns a text for each use against the order of areas, and for each file of a divided layer that is in no area.
/// A layer without a folder of an area is not divided yet, and not checked.
pub fn area_violations(sources: &Sources, tree: &Tree, outside: &[OutsideArea]) -> Vec<String> {
    let is_divided = tree.targets.iter().map(|target| is_divided(sources, target)).collect();
    let check = Check { tree, sources, outside, is_divided };
    let divided = tree.targets.iter().zip(&check.is_divided).filter(|(_, is_divided)| **is_divided);
    let mut texts: Vec<String> = divided.flat_map(|(target, _)| check.misplaced(target)).collect();
    for (id, scope) in tree.scopes.iter().enumerate() {
        let Standing::Area(place) = check.standing(id) else { continue };
        for mention in &scope.content.mentions {
            let Some(used) = tree.used_module(id, mention) else { continue };
            texts.extend(check.violation(id, place, used, mention.line));
        }
    }
    texts
}

/// Returns whether the target is a layer with the folder of an area.
fn is_divided(sources: &Sources, target: &Target) -> bool {
    let entries = sources.entries(target.folder());
    LAYERS.contains(&&*target.name) && AREAS.iter().any(|area| entries.contains(area))
}

impl Check<'_> {
    fn role(&self, target: &Target, module: &str) -> Option<Role> {
        let is_listed = |entry: &&OutsideArea| entry.layer == target.name && entry.module == module;
        self.outside.iter().find(is_listed).map(|entry| entry.role)
    }

    /// Returns a text for each file and folder beside the root file that is no area.
    fn misplaced(&self, target: &Target) -> Vec<String> {
        let folder = target.folder();
        let is_misplaced = |entry: &&str| {
            let module = entry.trim_end_matches(".rs");
            let is_root = target.root == format!("{folder}/{entry}");
            !is_root && !AREAS.contains(&module) && self.role(target, module).is_none()
        };
        let misplaced = self.sources.entries(folder).into_iter().filter(is_misplaced);
        let text = |entry| {
            format!(
                "{folder}/{entry} is in no area.\n  What to do: move it into the folder of the area that it belongs \
                 to ({}), or list it in `OUTSIDE` with the reason.\n",
                AREAS.join(", ")
            )
        };
        misplaced.map(text).collect()
    }

    fn standing(&self, scope: ScopeId) -> Standing {
        let scope = &self.tree.scopes[scope];
        let target = &self.tree.targets[scope.target];
        if !self.is_divided[scope.target] {
            return Standing::Unordered;
        }
        // A name of a target has no colons. The path of an inline module in the root file has a second segment too.
        let is_root_file = scope.file == target.root;
        let Some(module) = scope.path.split("::").nth(1).filter(|_| !is_root_file) else {
            return Standing::Composition;
        };
        match (AREAS.iter().position(|area| *area == module), self.role(target, module)) {
            (Some(place), _) => Standing::Area(place),
            (None, Some(Role::Foundation)) => Standing::Area(0),
            (None, Some(Role::Composition)) => Standing::Composition,
            (None, Some(Role::Setup)) => Standing::Unordered,
            (None, None) => Standing::Unordered,
        }
    }

    fn violation(&self, user: ScopeId, place: usize, used: ScopeId, line: usize) -> Option<String> {
        let (from, to) = (self.tree.module_of(user), self.tree.module_of(used));
        let (reason, advice) = match self.standing(used) {
            Standing::Area(other) if other > place => (
                format!("Area `{}` comes before area `{}`", AREAS[place], AREAS[other]),
                "let the earlier area define a trait or write an event, and the later one implement or read it. Or \
                 move the item that is used to the earlier area.",
            ),
            // The root of another layer is a whole that this layer builds on.
            Standing::Composition if from.target == to.target => (
                "A module of an area can't use what composes the areas".to_owned(),
                "move the item that is used into an area. The composing module may re-export it.",
            ),
            _ => return None,
        };
        let (from, to, file) = (&from.path, &to.path, &from.file);
        Some(format!("{file}:{line}: {from} uses {to}. {reason}.\n  What to do: {advice}\n"))
    }
}

#[cfg(test)]
mod tests;
