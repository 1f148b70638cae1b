//! What one module declares and names, as its tokens say. Nothing is resolved here.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, Meta, UseTree, Visibility};

/// A path that a module names.
#[derive(Clone, Debug)]
pub(crate) struct Mention {
    /// The segments as written. The first is empty if the path begins with `::`.
    pub path: Vec<String>,
    pub line: usize,
    /// Whether only tests compile it.
    pub is_test: bool,
    pub form: Form,
}

/// How a path is named.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    /// Imported under this name, for the module's own code.
    Import(String),
    /// Imported under this name, for other modules too.
    Reexport(String),
    /// All names of a module are imported.
    Glob,
    /// Written out in code or in the tokens of a macro.
    Code,
    /// A macro is called by its name alone.
    Macro,
}

/// The content of a module: of a file, or of an inline module.
#[derive(Default)]
pub(crate) struct Content {
    /// The names that are defined here.
    pub items: BTreeSet<String>,
    /// The macros among them. Modules that are declared below see them without an import.
    pub macros: BTreeSet<String>,
    /// The paths behind imported names.
    pub imports: BTreeMap<String, Vec<String>>,
    pub globs: Vec<Vec<String>>,
    pub mentions: Vec<Mention>,
    /// The words that begin paths in code.
    pub words: BTreeMap<String, Word>,
    pub modules: Vec<Module>,
}

/// How a word begins paths in code.
#[derive(Clone, Copy, Default)]
pub(crate) struct Word {
    /// It is a path by itself.
    pub is_alone: bool,
    /// Other segments follow.
    pub goes_on: bool,
}

/// A module that is declared in another.
pub(crate) struct Module {
    pub name: String,
    pub is_test: bool,
    /// Whether an attribute names the file, which the analysis can't follow.
    pub has_path: bool,
    /// The items of an inline module. `None`: they are in a file of their own.
    pub inline: Option<Content>,
}

/// Scans the items of a module.
pub(crate) fn scan(items: &[Item], is_test: bool) -> Content {
    let mut scanner = Scanner { content: Content::default(), is_test };
    for item in items {
        if let Item::Mod(module) = item {
            let is_test = is_test || is_for_tests(&module.attrs);
            let inline = module.content.as_ref().map(|(_, items)| scan(items, is_test));
            let has_path = module.attrs.iter().any(|attribute| attribute.path().is_ident("path"));
            let name = module.ident.to_string();
            scanner.content.modules.push(Module { name, is_test, has_path, inline });
            continue;
        }
        if let Item::Macro(item) = item {
            scanner.content.macros.extend(item.ident.as_ref().map(Ident::to_string));
        }
        scanner.content.items.extend(defined_name(item));
        scanner.visit_item(item);
    }
    scanner.content
}

/// Returns the name that an item gives to its module.
fn defined_name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// Returns whether `#[cfg(test)]`, alone or among other conditions, is one of the attributes.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => names_test(list.tokens.clone()),
        _ => false,
    })
}

fn names_test(tokens: TokenStream) -> bool {
    let mut is_negated = false;
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => {
            is_negated = ident == "not";
            ident == "test"
        }
        TokenTree::Group(group) => !is_negated && names_test(group.stream()),
        _ => false,
    })
}

/// Returns whether the `!` is the one behind the name of a macro, and not a part of `!=`.
fn is_call(punct: &Punct) -> bool {
    punct.as_char() == '!' && punct.spacing() == Spacing::Alone
}

fn line_of(span: Span) -> usize {
    span.start().line
}

struct Scanner {
    content: Content,
    is_test: bool,
}

impl Scanner {
    fn mention(&mut self, path: Vec<String>, line: usize, form: Form) {
        self.content.mentions.push(Mention { path, line, is_test: self.is_test, form });
    }

    /// Records a path in code. A single word is only noted: its import or its definition is what names a module.
    fn code(&mut self, path: Vec<String>, line: usize) {
        let goes_on = path.len() > 1;
        let word = self.content.words.entry(path[0].clone()).or_default();
        word.goes_on |= goes_on;
        word.is_alone |= !goes_on;
        if goes_on {
            self.mention(path, line, Form::Code);
        }
    }

    fn import(&mut self, item: &ItemUse) {
        let is_private = matches!(item.vis, Visibility::Inherited);
        let prefix = if item.leading_colon.is_some() { vec![String::new()] } else { Vec::new() };
        self.import_tree(&item.tree, prefix, is_private);
    }

    fn import_tree(&mut self, tree: &UseTree, mut path: Vec<String>, is_private: bool) {
        match tree {
            UseTree::Path(part) => {
                path.push(part.ident.to_string());
                self.import_tree(&part.tree, path, is_private);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import_tree(tree, path.clone(), is_private);
                }
            }
            UseTree::Glob(glob) => {
                self.content.globs.push(path.clone());
                self.mention(path, line_of(glob.star_token.spans[0]), Form::Glob);
            }
            UseTree::Name(name) => self.import_name(path, &name.ident, None, is_private),
            UseTree::Rename(name) => self.import_name(path, &name.ident, Some(&name.rename), is_private),
        }
    }

    fn import_name(&mut self, mut path: Vec<String>, name: &Ident, rename: Option<&Ident>, is_private: bool) {
        if name != "self" || path.is_empty() {
            path.push(name.to_string());
        }
        let Some(last) = path.last() else { return };
        let line = line_of(name.span());
        let name = rename.map_or_else(|| last.clone(), Ident::to_string);
        // `use x as _` imports a trait's methods and no name. It is still a use.
        self.content.imports.insert(name.clone(), path.clone());
        let form = if is_private { Form::Import(name) } else { Form::Reexport(name) };
        self.mention(path, line, form);
    }

    fn within(&mut self, attributes: &[Attribute], visit: impl FnOnce(&mut Self)) {
        let before = self.is_test;
        self.is_test |= is_for_tests(attributes);
        visit(self);
        self.is_test = before;
    }

    /// Finds the paths in tokens: words between `::`, not behind a dot.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut line = 0;
        let mut colons = 0;
        let mut is_field = false;
        for token in tokens {
            let is_colon = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ':');
            match &token {
                TokenTree::Ident(ident) if !is_field => {
                    if colons != 2 {
                        self.end_path(&mut path, line);
                    }
                    line = line_of(ident.span());
                    path.push(ident.to_string());
                }
                TokenTree::Punct(_) if is_colon => {}
                TokenTree::Punct(punct) if is_call(punct) && path.len() == 1 => {
                    self.mention(std::mem::take(&mut path), line, Form::Macro);
                }
                other => {
                    self.end_path(&mut path, line);
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
            is_field = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
            colons = if is_colon { colons + 1 } else { 0 };
        }
        self.end_path(&mut path, line);
    }

    fn end_path(&mut self, path: &mut Vec<String>, line: usize) {
        if !path.is_empty() {
            self.code(std::mem::take(path), line);
        }
    }

    /// Finds paths in the texts of an attribute, such as `#[serde(with = "crate::time")]`.
    fn texts(&mut self, tokens: TokenStream) {
        for token in tokens {
            let line = line_of(token.span());
            match token {
                TokenTree::Group(group) => self.texts(group.stream()),
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    let text = text.trim_matches('"');
                    if text.contains("::")
                        && text.chars().all(|c| c == ':' || c == '_' || c.is_alphanumeric())
                    {
                        self.code(text.split("::").map(str::to_owned).collect(), line);
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Scanner {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Const(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Macro(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Trait(item) => &item.attrs,
            Item::Type(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => &[],
        };
        self.within(attributes, |scanner| visit::visit_item(scanner, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.within(&item.attrs, |scanner| visit::visit_impl_item_fn(scanner, item));
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.import(item);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Some(name) = call.path.get_ident() {
            self.mention(vec![name.to_string()], line_of(name.span()), Form::Macro);
        }
        visit::visit_macro(self, call);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let leading = path.leading_colon.as_ref().map(|_| String::new());
        let line = path.segments.first().map_or(0, |segment| line_of(segment.ident.span()));
        let segments = path.segments.iter().map(|segment| segment.ident.to_string());
        self.code(leading.into_iter().chain(segments).collect(), line);
        visit::visit_path(self, path);
    }

    fn visit_token_stream(&mut self, tokens: &'ast TokenStream) {
        self.tokens(tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone());
            self.texts(list.tokens.clone());
        }
    }

    /// `pub(in path)` says who may see an item, and uses nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}
