//! Which module defines what a path names.

use crate::tree::{ScopeId, Tree};

/// How many re-exports may lead to a definition. Names that import each other would never end.
const DEPTH_MAX: usize = 32;

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Found {
    Module(ScopeId),
    /// An item that this module defines.
    Item(ScopeId),
    /// Something that no crate of the workspace defines.
    External,
}

impl Tree {
    /// Finds what a path names where the scope writes it.
    pub(crate) fn resolve(&self, scope: ScopeId, path: &[String]) -> Found {
        self.resolve_within(scope, path, false, DEPTH_MAX)
    }

    /// Finds what a path names where other segments follow it: a module rather than a function of its name.
    pub(crate) fn resolve_prefix(&self, scope: ScopeId, path: &[String]) -> Found {
        self.resolve_within(scope, path, true, DEPTH_MAX)
    }

    fn resolve_within(&self, scope: ScopeId, path: &[String], goes_on: bool, depth: usize) -> Found {
        let Some((mut found, mut rest)) = self.first(scope, path, goes_on, depth) else {
            return Found::External;
        };
        while let (Found::Module(module), [name, after @ ..]) = (found, rest) {
            // A name that is not found is defined by a macro that the module calls.
            found = self
                .look_up(module, name, goes_on || !after.is_empty(), depth)
                .unwrap_or(Found::Item(module));
            rest = after;
        }
        found
    }

    /// Finds the first segment, and returns it with the segments that follow.
    fn first<'a>(
        &self,
        scope: ScopeId,
        path: &'a [String],
        goes_on: bool,
        depth: usize,
    ) -> Option<(Found, &'a [String])> {
        let (first, rest) = path.split_first()?;
        match &**first {
            "crate" => Some((Found::Module(self.roots[self.scopes[scope].target]), rest)),
            "" => {
                let (name, rest) = rest.split_first()?;
                Some((self.extern_crate(name)?, rest))
            }
            "self" => Some((Found::Module(scope), rest)),
            "super" => {
                let above = self.scopes[scope].parent?;
                match rest.first() {
                    Some(next) if next == "super" => self.first(above, rest, goes_on, depth),
                    _ => Some((Found::Module(above), rest)),
                }
            }
            name => {
                let found = self.look_up(scope, name, goes_on || !rest.is_empty(), depth);
                Some((found.or_else(|| self.extern_crate(name))?, rest))
            }
        }
    }

    fn extern_crate(&self, name: &str) -> Option<Found> {
        let place = self.targets.iter().position(|target| target.extern_name.as_deref() == Some(name))?;
        Some(Found::Module(self.roots[place]))
    }

    /// Finds a name in a module. If segments follow, the name of a module comes before that of a function.
    fn look_up(&self, scope: ScopeId, name: &str, goes_on: bool, depth: usize) -> Option<Found> {
        let depth = depth.checked_sub(1)?;
        let content = &self.scopes[scope].content;
        let child = self.scopes[scope].children.get(name).map(|child| Found::Module(*child));
        let item = content.items.contains(name).then_some(Found::Item(scope));
        let (sooner, later) = if goes_on { (child, item) } else { (item, child) };
        let import = || {
            let path = content.imports.get(name)?;
            // `use store;` names the crate and not itself.
            let is_itself = path.len() == 1 && path[0] == name;
            if is_itself {
                self.extern_crate(name)
            } else {
                Some(self.resolve_within(scope, path, goes_on, depth))
            }
        };
        sooner.or_else(import).or(later).or_else(|| self.look_up_in_globs(scope, name, goes_on, depth))
    }

    fn look_up_in_globs(&self, scope: ScopeId, name: &str, goes_on: bool, depth: usize) -> Option<Found> {
        // Each glob leads to other globs. Dividing bounds how many of them follow each other.
        let depth = depth / 4;
        self.scopes[scope].content.globs.iter().find_map(|glob| {
            match self.resolve_within(scope, glob, true, depth) {
                Found::Module(module) if module != scope => self.look_up(module, name, goes_on, depth),
                _ => None,
            }
        })
    }
}
