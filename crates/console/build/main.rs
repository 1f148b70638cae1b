//! Prepares the console's files while the crate is built: their hashes, their compressed forms and the page that loads
//! them. The files themselves are served as they are in `web/` and `vendor/`: no bundler, no minifier, no Node.

mod imports;
mod shell;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Where the server has the files.
const PREFIX: &str = "/console/assets/";
/// Hexadecimal digits of the content's hash in a file's address.
const HASH_DIGITS: usize = 16;
/// The strongest settings: the files are compressed once and sent many times.
const BROTLI_QUALITY: u32 = 11;
const BROTLI_WINDOW_BITS: u32 = 22;

/// A file to serve.
struct File {
    /// Its path below `web/`, or below `vendor/` with that word in front.
    name: String,
    content: Vec<u8>,
    /// The path with the hash of its content: `app/router.0123456789abcdef.js`.
    hashed: String,
}

impl File {
    fn new(name: String, content: Vec<u8>) -> Self {
        let hash = &hex(&content)[..HASH_DIGITS];
        let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
        let hashed = format!("{stem}.{hash}.{extension}");
        Self { name, content, hashed }
    }

    fn url(&self) -> String {
        format!("{PREFIX}{}", self.hashed)
    }
}

type Files = BTreeMap<String, File>;

#[expect(clippy::print_stdout, reason = "cargo reads the instructions of a build script there")]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=web");
    println!("cargo::rerun-if-changed=vendor");
    println!("cargo::rerun-if-changed=build");
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let mut files = Files::new();
    collect(&root.join("web"), "", &mut files)?;
    collect(&root.join("vendor"), "vendor/", &mut files)?;
    let first = imports::first_load(&files)?;
    let (page, policy) = shell::render(&files, &first);

    let mut table = String::from("pub static ASSETS: &[Asset] = &[\n");
    let mut sorted: Vec<&File> = files.values().collect();
    sorted.sort_by(|one, other| one.hashed.cmp(&other.hashed));
    for (place, file) in sorted.into_iter().enumerate() {
        let entry = write_asset(&out, &place.to_string(), &file.hashed, &file.content)?;
        let is_first = first.contains(&file.name);
        writeln!(table, "    Asset {{ name: {:?}, is_first: {is_first}, {entry} }},", file.name)?;
    }
    table.push_str("];\n");
    let shell = write_asset(&out, "shell", "index.html", page.as_bytes())?;
    writeln!(table, "pub static SHELL: Asset = Asset {{ name: \"index.html\", is_first: true, {shell} }};")?;
    writeln!(table, "pub const POLICY: &str = {policy:?};")?;
    fs::write(out.join("assets.rs"), table)?;
    Ok(())
}

/// Reads all files of a folder that browsers load, and of its folders.
fn collect(folder: &Path, prefix: &str, files: &mut Files) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|_| "a file's name is not UTF-8")?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{prefix}{name}/"), files)?;
        } else if media_type(&name).is_some() {
            let name = format!("{prefix}{name}");
            files.insert(name.clone(), File::new(name, fs::read(entry.path())?));
        }
    }
    Ok(())
}

/// Writes the three forms of a file, and returns the fields of its row in the table.
fn write_asset(out: &Path, stem: &str, path: &str, content: &[u8]) -> Result<String, Box<dyn Error>> {
    let media_type = media_type(path).ok_or_else(|| format!("{path} has no media type"))?;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(content)?;
    let mut packed = Vec::new();
    brotli::CompressorWriter::new(&mut packed, 4096, BROTLI_QUALITY, BROTLI_WINDOW_BITS)
        .write_all(content)?;
    let mut fields =
        format!("path: {path:?}, media_type: {media_type:?}, hash: {:?}", &hex(content)[..HASH_DIGITS]);
    for (field, bytes) in [("plain", content), ("gzip", &gzip.finish()?), ("brotli", &packed)] {
        let file = out.join(format!("{stem}.{field}"));
        fs::write(&file, bytes)?;
        write!(fields, ", {field}: include_bytes!({file:?})")?;
    }
    Ok(fields)
}

fn media_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "js" | "mjs" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        "html" => Some("text/html; charset=utf-8"),
        _ => None,
    }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}
