//! Writes the operations of the public API as constants, from its contract. So a command that names an operation which does not exist
//! does not compile, and its flags are the parameters of the operation.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value};

/// The contract, which a test of the API compares with the route table.
const CONTRACT: &str = "../../openapi.json";
/// Methods that an operation may have.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

fn main() -> Result<(), Box<dyn Error>> {
    let contract = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join(CONTRACT);
    cargo(&format!("rerun-if-changed={}", contract.display()))?;
    let document: Value = serde_json::from_slice(&std::fs::read(contract)?)?;
    let (mut out, mut names) = (String::new(), Vec::new());
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for method in METHODS {
            let operation = &methods[method];
            if let Some(id) = operation["operationId"].as_str() {
                write_operation(&mut out, &document, id, (method, path), operation)?;
                names.push(format!("&{}", id.to_uppercase()));
            }
        }
    }
    writeln!(out, "static ALL: &[&Operation] = &[{}];", names.join(", "))?;
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("operations.rs"), out)?;
    Ok(())
}

/// Tells cargo something.
fn cargo(line: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    writeln!(std::io::stdout(), "cargo::{line}")
}

fn write_operation(
    out: &mut String,
    document: &Value,
    id: &str,
    (method, path): (&str, &str),
    operation: &Value,
) -> std::fmt::Result {
    let method = method.to_uppercase();
    let name = id.to_uppercase();
    writeln!(out, "/// `{method} {path}`")?;
    writeln!(out, "pub static {name}: Operation = Operation {{")?;
    writeln!(out, "    id: {id:?}, method: {method:?}, path: {path:?},")?;
    writeln!(out, "    entries: {:?}, query: &[", entries(document, operation))?;
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let parameter = resolved(document, parameter);
        if parameter["in"] == "query" {
            write_parameter(out, document, parameter)?;
        }
    }
    writeln!(out, "    ],\n}};")
}

/// Returns the name of the array that has the entries of a list, or `None` if the operation has no pages. Most lists call it
/// `data`, but not all.
fn entries<'a>(document: &'a Value, operation: &'a Value) -> Option<&'a str> {
    let answer = resolved(document, &operation["responses"]["200"]);
    let page = resolved(document, &answer["content"]["application/json"]["schema"]);
    let fields = page["properties"].as_object().filter(|fields| fields.contains_key("next_cursor"))?;
    let (name, _) = fields.iter().find(|(_, field)| resolved(document, field)["type"] == "array")?;
    Some(name.as_str())
}

fn write_parameter(out: &mut String, document: &Value, parameter: &Value) -> std::fmt::Result {
    let schema = resolved(document, &parameter["schema"]);
    let (kind, words) = match schema["type"].as_str() {
        Some("array") => ("List", &resolved(document, &schema["items"])["enum"]),
        Some("boolean") => ("Switch", &Value::Null),
        _ => ("Text", &schema["enum"]),
    };
    let words: Vec<&str> = words.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let (name, about) = (text(parameter, "name"), text(parameter, "description"));
    writeln!(
        out,
        "        Parameter {{ name: {name:?}, flag: {:?}, about: {about:?}, kind: ParameterKind::{kind}, words: &{words:?} }},",
        name.replace('_', "-")
    )
}

/// Returns the part of the document that a reference leads to, or the value itself if it is none.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let reference = value.as_object().and_then(|object: &Map<String, Value>| object.get("$ref"));
    let target = reference.and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
    target.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}
