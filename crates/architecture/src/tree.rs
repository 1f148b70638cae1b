//! The modules of all crates, as `mod` declarations connect them.

use std::collections::BTreeMap;
use std::fmt;

use crate::scan::{Content, Module, scan};
use crate::sources::{Sources, Target, parent};

/// The place of a scope in [`Tree::scopes`].
pub(crate) type ScopeId = usize;

/// A module, inline or in a file: names are looked up in it.
pub(crate) struct Scope {
    /// The place of its target in [`Tree::targets`].
    pub target: usize,
    /// The whole path, as in `store::engine::sqlite`.
    pub path: String,
    pub file: String,
    /// The module that the file is. An inline module belongs to the file it is in.
    pub module: ScopeId,
    pub parent: Option<ScopeId>,
    pub children: BTreeMap<String, ScopeId>,
    /// Whether only tests compile it.
    pub is_test: bool,
    pub content: Content,
}

/// All modules of the workspace.
pub struct Tree {
    pub(crate) scopes: Vec<Scope>,
    pub(crate) targets: Vec<Target>,
    /// The root module of each target.
    pub(crate) roots: Vec<ScopeId>,
}

/// Why the modules can't be read.
#[derive(Debug)]
pub struct ReadError(String);

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ReadError {}

/// Where a scope is put.
struct Position {
    target: usize,
    path: String,
    file: String,
    /// The folder that has the files of its children.
    folder: String,
    parent: Option<ScopeId>,
    /// The module of the file, if the scope is inline.
    module: Option<ScopeId>,
    is_test: bool,
}

impl Tree {
    /// Reads the modules of every target.
    pub fn new(sources: &Sources) -> Result<Self, ReadError> {
        let mut tree = Self { scopes: Vec::new(), targets: sources.targets(), roots: Vec::new() };
        for target in 0..tree.targets.len() {
            let Target { name, root, .. } = &tree.targets[target];
            let position = Position {
                target,
                path: name.clone(),
                file: root.clone(),
                folder: parent(root).to_owned(),
                parent: None,
                module: None,
                is_test: false,
            };
            let root = tree.add_file(sources, position)?;
            tree.roots.push(root);
        }
        Ok(tree)
    }

    fn add_file(&mut self, sources: &Sources, position: Position) -> Result<ScopeId, ReadError> {
        let text = sources.text(&position.file).unwrap_or_default();
        let parsed = syn::parse_file(text).map_err(|error| {
            let line = error.span().start().line;
            ReadError(format!("{}:{line}: can't be parsed: {error}", position.file))
        })?;
        let content = scan(&parsed.items, position.is_test);
        self.add(sources, position, content)
    }

    fn add(
        &mut self,
        sources: &Sources,
        position: Position,
        mut content: Content,
    ) -> Result<ScopeId, ReadError> {
        let id = self.scopes.len();
        let Position { target, path, file, folder, parent, module, is_test } = position;
        let modules = std::mem::take(&mut content.modules);
        let module_id = module.unwrap_or(id);
        self.scopes.push(Scope {
            target,
            path: path.clone(),
            file: file.clone(),
            module: module_id,
            parent,
            children: BTreeMap::new(),
            is_test,
            content,
        });
        for child in modules {
            let position = Position {
                target,
                path: format!("{path}::{}", child.name),
                file: file.clone(),
                folder: format!("{folder}/{}", child.name),
                parent: Some(id),
                module: Some(module_id),
                is_test: is_test || child.is_test,
            };
            let name = child.name.clone();
            let child_id = self.add_child(sources, position, child)?;
            self.scopes[id].children.insert(name, child_id);
        }
        Ok(id)
    }

    /// Adds a module at its position if it is inline, and otherwise at that of its file.
    fn add_child(
        &mut self,
        sources: &Sources,
        position: Position,
        child: Module,
    ) -> Result<ScopeId, ReadError> {
        let Position { file, folder, .. } = &position;
        if child.has_path {
            return Err(ReadError(format!("{file}: `mod {}` has a #[path], which is not read", child.name)));
        }
        if let Some(content) = child.inline {
            return self.add(sources, position, content);
        }
        let files = [format!("{folder}.rs"), format!("{folder}/mod.rs")];
        let Some(file) = files.into_iter().find(|file| sources.text(file).is_some()) else {
            return Err(ReadError(format!("{file}: there is no file for `mod {}`", child.name)));
        };
        self.add_file(sources, Position { file, module: None, ..position })
    }

    /// Returns the module of the file that has the scope.
    pub(crate) fn module_of(&self, scope: ScopeId) -> &Scope {
        &self.scopes[self.scopes[scope].module]
    }

    /// Returns whether the module is in the other, at any depth.
    pub(crate) fn is_within(&self, scope: ScopeId, other: ScopeId) -> bool {
        let above = |scope: &ScopeId| self.scopes[*scope].parent;
        std::iter::successors(above(&scope), above).any(|each| each == other)
    }
}
