//! Which modules a page needs first: the ones that the main module imports, and the ones that these import.

use std::collections::BTreeSet;

use crate::{File, Files};

/// The module that starts the console.
pub const MAIN: &str = "app/main.js";
/// What is loaded before any module: the theme, so that a dark page does not begin white, and the styles.
pub const EARLY: &[&str] =
    &["app/theme.js", "style/tokens.css", "style/components.css", "style/pages.css", "icon.svg"];
/// The names by which modules import packages of others.
pub const PACKAGES: &[(&str, &str)] = &[
    ("preact", "vendor/preact/preact.mjs"),
    ("preact/hooks", "vendor/preact/hooks.mjs"),
    ("htm", "vendor/htm/htm.mjs"),
    ("centrifuge", "vendor/centrifuge/centrifuge.js"),
];

/// Returns the names of the files that the first page loads. Fails if a module imports a file that does not exist, so
/// that a mistyped import is found here and not by a person in front of an empty page.
pub fn first_load(files: &Files) -> Result<BTreeSet<String>, String> {
    for file in files.values().filter(|file| file.name.ends_with("js")) {
        for import in imports(file, true) {
            resolve(file, &import, files)?;
        }
    }
    let mut found: BTreeSet<String> = EARLY.iter().map(|name| (*name).to_owned()).collect();
    let mut open = vec![MAIN.to_owned()];
    while let Some(name) = open.pop() {
        let file = files.get(&name).ok_or_else(|| format!("there is no {name}"))?;
        if found.insert(name) {
            for import in imports(file, false) {
                open.push(resolve(file, &import, files)?);
            }
        }
    }
    Ok(found)
}

/// Returns what a module imports: what follows `from "` and `import "`, and with `later` also `import("`.
fn imports(file: &File, later: bool) -> Vec<String> {
    let text = String::from_utf8_lossy(&file.content);
    if file.name.starts_with("vendor/") {
        let from = text.split("from\"").skip(1).filter_map(|rest| rest.split('"').next());
        return from.map(str::to_owned).collect();
    }
    let mut found = Vec::new();
    for line in text.lines() {
        let is_statement =
            line.starts_with("import ") || line.starts_with("export ") || line.starts_with("} from ");
        for mark in ["from \"", "import \"", "import(\""] {
            let counts = if mark == "import(\"" { later } else { is_statement };
            if counts {
                found.extend(
                    line.split(mark).skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned),
                );
            }
        }
    }
    found
}

fn resolve(file: &File, import: &str, files: &Files) -> Result<String, String> {
    let name = match PACKAGES.iter().find(|(package, _)| *package == import) {
        Some((_, name)) => (*name).to_owned(),
        None => {
            let mut steps: Vec<&str> = file.name.split('/').collect();
            steps.pop();
            for step in import.split('/') {
                match step {
                    "." => {}
                    ".." => {
                        steps.pop();
                    }
                    step => steps.push(step),
                }
            }
            steps.join("/")
        }
    };
    if files.contains_key(&name) {
        Ok(name)
    } else {
        Err(format!("{} imports {import}, and there is no {name}", file.name))
    }
}
