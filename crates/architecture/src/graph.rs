//! Which modules use which, and the sets of modules that use each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::cut;
use crate::resolve::Found;
use crate::scan::{Form, Mention, Word};
use crate::tree::{ScopeId, Tree};

/// One module's uses of another.
#[derive(Clone, Debug)]
pub struct Edge {
    pub from: String,
    pub to: String,
    pub places: BTreeSet<Place>,
}

/// Where a module names what it uses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: String,
    pub line: usize,
    /// The path that is named, as in `super::Row`.
    pub path: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} `{}`", self.file, self.line, self.path)
    }
}

/// The uses between modules of the same target. Code that only tests compile is left out.
pub struct Graph {
    edges: BTreeMap<(String, String), BTreeSet<Place>>,
}

/// Modules of which each uses each other one, directly or through others.
pub struct Component {
    pub modules: BTreeSet<String>,
    /// All uses between the modules.
    pub edges: Vec<Edge>,
}

impl Graph {
    pub fn new(tree: &Tree) -> Self {
        let mut edges: BTreeMap<_, BTreeSet<Place>> = BTreeMap::new();
        for (id, scope) in tree.scopes.iter().enumerate().filter(|(_, scope)| !scope.is_test) {
            for mention in scope.content.mentions.iter().filter(|mention| !mention.is_test) {
                let Some(used) = tree.used_module(id, mention) else { continue };
                let (from, to) = (tree.module_of(id), tree.module_of(used));
                if from.target == to.target && from.path != to.path && !to.is_test {
                    let place =
                        Place { file: scope.file.clone(), line: mention.line, path: mention.path.join("::") };
                    edges.entry((from.path.clone(), to.path.clone())).or_default().insert(place);
                }
            }
        }
        Self { edges }
    }

    /// Returns the components of two modules and more, in the order of their first modules.
    pub fn components(&self) -> Vec<Component> {
        let mut left: BTreeSet<&str> = self.edges.keys().map(|(from, _)| &**from).collect();
        let mut found = Vec::new();
        while let Some(module) = left.pop_first() {
            let after = self.reachable(module, |(from, to)| (from, to));
            let before = self.reachable(module, |(from, to)| (to, from));
            let modules: BTreeSet<&str> = after.intersection(&before).copied().collect();
            left.retain(|each| !modules.contains(each));
            if modules.len() > 1 {
                found.push(self.component(&modules));
            }
        }
        found
    }

    /// Returns the module and all that it leads to.
    fn reachable<'a>(
        &'a self,
        module: &'a str,
        direction: impl Fn(&'a (String, String)) -> (&'a String, &'a String),
    ) -> BTreeSet<&'a str> {
        let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for edge in self.edges.keys() {
            let (from, to) = direction(edge);
            next.entry(from).or_default().push(to);
        }
        let mut seen = BTreeSet::from([module]);
        let mut open = vec![module];
        while let Some(module) = open.pop() {
            let further = next.get(module).into_iter().flatten();
            open.extend(further.copied().filter(|module| seen.insert(module)));
        }
        seen
    }

    fn component(&self, modules: &BTreeSet<&str>) -> Component {
        let within = self
            .edges
            .iter()
            .filter(|((from, to), _)| modules.contains(from.as_str()) && modules.contains(to.as_str()));
        let edges = within.map(|((from, to), places)| Edge {
            from: from.clone(),
            to: to.clone(),
            places: places.clone(),
        });
        Component { edges: edges.collect(), modules: modules.iter().map(|&each| each.to_owned()).collect() }
    }
}

impl Component {
    /// Returns a small set of uses without which no module uses itself through others. Finding the smallest is hard:
    /// this is the best of a search.
    pub fn cheapest_cut(&self) -> Vec<&Edge> {
        let modules: Vec<&str> = self.modules.iter().map(String::as_str).collect();
        let place = |module: &str| modules.binary_search(&module).unwrap_or_default();
        let weights =
            self.edges.iter().map(|edge| (place(&edge.from), place(&edge.to), edge.places.len())).collect();
        let position = cut::positions(modules.len(), weights);
        let backward = |edge: &&Edge| position[place(&edge.from)] > position[place(&edge.to)];
        self.edges.iter().filter(backward).collect()
    }

    /// Returns the shortest chain of uses from one module to another, as their paths.
    pub fn chain<'a>(&'a self, from: &'a str, to: &str) -> Vec<&'a str> {
        let mut chains = vec![vec![from]];
        let mut seen = BTreeSet::from([from]);
        while !chains.is_empty() {
            if let Some(place) = chains.iter().position(|chain| chain.last() == Some(&to)) {
                return chains.swap_remove(place);
            }
            let longer = chains.iter().flat_map(|chain| {
                let ahead = self.edges.iter().filter(|edge| Some(&&*edge.from) == chain.last());
                ahead.map(|edge| [&chain[..], &[&*edge.to]].concat())
            });
            chains = longer.filter(|chain| chain.last().is_some_and(|last| seen.insert(last))).collect();
        }
        Vec::new()
    }
}

impl Tree {
    /// Returns the scope that a mention uses, or `None` if it is in no crate of the workspace or counts elsewhere.
    pub(crate) fn used_module(&self, scope: ScopeId, mention: &Mention) -> Option<ScopeId> {
        if mention.form == Form::Macro {
            return self.macro_of_ancestor(scope, &mention.path[0]);
        }
        let found = self.resolve(scope, &mention.path);
        let (Found::Module(used) | Found::Item(used)) = found else { return None };
        let is_counted = match &mention.form {
            // The import of an item already counts.
            Form::Code => !self.is_imported_item(scope, &mention.path[0]),
            Form::Import(name) => !self.counts_by_its_paths(scope, name, mention, found),
            // A module that shows a child's items does not use them. The modules that use them by this name do.
            Form::Reexport(name) => {
                let is_shown = self.is_within(used, scope) && !self.is_in_code(scope, name);
                !is_shown && !self.counts_by_its_paths(scope, name, mention, found)
            }
            Form::Glob | Form::Macro => true,
        };
        is_counted.then_some(used)
    }

    /// Returns the module above that defines the macro, if the scope neither defines nor imports it.
    fn macro_of_ancestor(&self, scope: ScopeId, name: &str) -> Option<ScopeId> {
        let content = &self.scopes[scope].content;
        if content.macros.contains(name) || content.imports.contains_key(name) {
            return None;
        }
        let mut above = std::iter::successors(self.scopes[scope].parent, |id| self.scopes[*id].parent);
        above.find(|id| self.scopes[*id].content.macros.contains(name))
    }

    fn word(&self, scope: ScopeId, name: &str) -> Word {
        self.scopes[scope].content.words.get(name).copied().unwrap_or_default()
    }

    /// Returns whether paths in code go through the imported module, and name what is used of it.
    fn counts_by_its_paths(&self, scope: ScopeId, name: &str, import: &Mention, found: Found) -> bool {
        let word = self.word(scope, name);
        let is_module = matches!(self.resolve_prefix(scope, &import.path), Found::Module(_));
        // A function of the same name is imported with the module. It is used where the name is alone.
        let is_item_used = word.is_alone && matches!(found, Found::Item(_));
        word.goes_on && is_module && !is_item_used
    }

    /// Returns whether the module's own code uses a re-exported name, and not a child module of the same name.
    fn is_in_code(&self, scope: ScopeId, name: &str) -> bool {
        let word = self.word(scope, name);
        let is_module = self.scopes[scope].children.contains_key(name);
        word.is_alone || (word.goes_on && !is_module)
    }

    fn is_imported_item(&self, scope: ScopeId, name: &str) -> bool {
        let path = [name.to_owned()];
        self.scopes[scope].content.imports.contains_key(name)
            && matches!(self.resolve_prefix(scope, &path), Found::Item(_))
    }
}

#[cfg(test)]
mod tests;
