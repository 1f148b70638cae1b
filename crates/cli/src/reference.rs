//! `dockside completions` and `dockside man`: what shells and `man` read, made from the commands themselves.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use crate::failure::Failure;
use crate::screen::{note, print};

/// The name of the program.
const PROGRAM: &str = "dockside";
/// The manual that the pages are a part of.
const MANUAL: &str = "User Commands";
/// Instead of a date, so that two builds of a version are equal. If it were empty, it would be left out, and the program would
/// be shown in its place.
const NO_DATE: &str = " ";

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
    let failed = |error: io::Error| Failure::refused(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut program = program.disable_help_subcommand(true);
    // Gives each command its whole name: `dockside orders list`, and `dockside-orders-list` for the page.
    program.build();
    let source = format!("{PROGRAM} {}", program.get_version().unwrap_or_default());
    write_pages(&program, &source, folder).map_err(failed)?;
    note(&format!("The pages are in {}: man -l {}", folder.display(), folder.join("dockside.1").display()));
    Ok(())
}

/// Writes the pages of a command and of all commands below it. `source` is the program with its version.
fn write_pages(command: &Command, source: &str, folder: &Path) -> io::Result<()> {
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        write_pages(subcommand, source, folder)?;
    }
    let page = clap_mangen::Man::new(command.clone()).date(NO_DATE).source(source).manual(MANUAL);
    page.generate_to(folder)?;
    Ok(())
}
