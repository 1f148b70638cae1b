//! The source files of the workspace, and the programs and libraries that they are compiled to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

/// The text of each Rust file, by its path from the root of the workspace.
#[derive(Default)]
pub struct Sources(BTreeMap<String, String>);

/// One library or program: what rustc compiles at once, from one root file.
pub(crate) struct Target {
    /// The package for its library or program, `dockside/tests/it` for a test or an example.
    pub name: String,
    /// The name by which other crates use the library.
    pub extern_name: Option<String>,
    /// The file that declares all other modules.
    pub root: String,
}

impl Target {
    /// Returns the folder of the root file.
    pub fn folder(&self) -> &str {
        parent(&self.root)
    }
}

impl Sources {
    /// Reads all files in `crates/` below the root of the workspace.
    pub fn read(workspace: &Path) -> io::Result<Self> {
        let mut sources = Self::default();
        sources.read_folder(workspace, "crates")?;
        Ok(sources)
    }

    fn read_folder(&mut self, workspace: &Path, folder: &str) -> io::Result<()> {
        for entry in fs::read_dir(workspace.join(folder))? {
            let entry = entry?;
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                self.read_folder(workspace, &path)?;
            } else if path.ends_with(".rs") {
                self.0.insert(path, fs::read_to_string(entry.path())?);
            }
        }
        Ok(())
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// Returns the names of the files and folders in a folder that are Rust files or have some.
    pub(crate) fn entries(&self, folder: &str) -> BTreeSet<&str> {
        let prefix = format!("{folder}/");
        let below = self.0.keys().filter_map(|path| path.strip_prefix(&prefix));
        below.filter_map(|path| path.split('/').next()).collect()
    }

    /// Returns every target, as cargo finds them by their paths.
    pub(crate) fn targets(&self) -> Vec<Target> {
        self.0.keys().filter_map(|path| self.target(path)).collect()
    }

    fn target(&self, path: &str) -> Option<Target> {
        let mut parts = path.strip_prefix("crates/")?.splitn(2, '/');
        let (package, rest) = (parts.next()?, parts.next()?);
        let library = format!("crates/{package}/src/lib.rs");
        let parts: Vec<&str> = rest.split('/').collect();
        let name = match parts[..] {
            ["src", "lib.rs"] => package.to_owned(),
            ["src", "main.rs"] if self.0.contains_key(&library) => format!("{package}/main"),
            ["src", "main.rs"] => package.to_owned(),
            [kind @ ("tests" | "examples" | "benches"), file] => {
                format!("{package}/{kind}/{}", file.trim_end_matches(".rs"))
            }
            [kind @ ("tests" | "examples" | "benches"), folder, "main.rs"] => {
                format!("{package}/{kind}/{folder}")
            }
            _ => return None,
        };
        let extern_name = (path == library).then(|| package.replace('-', "_"));
        Some(Target { name, extern_name, root: path.to_owned() })
    }
}

impl<'a> FromIterator<(&'a str, &'a str)> for Sources {
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a str)>>(files: I) -> Self {
        Self(files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect())
    }
}

/// Returns the folder of a file.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_by_their_paths() {
        let sources: Sources = [
            ("crates/a/src/lib.rs", ""),
            ("crates/a/src/x.rs", ""),
            ("crates/a/tests/it/main.rs", ""),
            ("crates/a/tests/it/x.rs", ""),
            ("crates/a-b/src/lib.rs", ""),
            ("crates/b/src/main.rs", ""),
            ("crates/b/examples/show.rs", ""),
        ]
        .into_iter()
        .collect();
        let found = sources.targets();
        let names: Vec<(&str, Option<&str>)> =
            found.iter().map(|target| (&*target.name, target.extern_name.as_deref())).collect();
        let expected = [
            ("a-b", Some("a_b")),
            ("a", Some("a")),
            ("a/tests/it", None),
            ("b/examples/show", None),
            ("b", None),
        ];
        assert_eq!(names, expected);
        assert_eq!(sources.entries("crates/a/tests"), BTreeSet::from(["it"]));
    }
}
