//! `dockside completions` and `dockside man`: what shells and `man` read, made from the commands themselves.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use crate::failure::Failure;
use crate::screen::{note, print};

/// The name of the program.
const PROGRAM: &str = "dockside";

#[derive(Args)]
pub struct Completions {
    /// The shell.
    #[arg(value_name = "SHELL", value_parser = ["bash", "zsh", "fish"])]
    shell: String,
}

#[derive(Args)]
pub struct Man {
    /// The folder to write the pages to. It is made if it does not exist.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Prints what a shell reads to complete commands.
pub fn completions(arguments: &Completions, mut program: Command) -> Result<(), Failure> {
    let shell = match arguments.shell.as_str() {
        "zsh" => Shell::Zsh,
        "fish" => Shell::Fish,
        _ => Shell::Bash,
    };
    let mut out = Vec::new();
    generate(shell, &mut program, PROGRAM, &mut out);
    print(&String::from_utf8_lossy(&out))
}

/// Writes a page for each command.
pub fn man(arguments: &Man, program: Command) -> Result<(), Failure> {
    let folder: &Path = &arguments.folder;
    let failed = |error: std::io::Error| Failure::refused(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(program, folder).map_err(failed)?;
    note(&format!("The pages are in {}: man -l {}", folder.display(), folder.join("dockside.1").display()));
    Ok(())
}
