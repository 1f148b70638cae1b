//! The commands that back up and restore a store on PostgreSQL. They are printed, not run: the operator's copies of
//! `pg_dump` and `pg_restore` must fit the server, and an installation of any size has base backups and archived logs besides.

use std::path::Path;

use crate::failure::Failure;
use crate::secrets::{self, Secrets};
use crate::serve::without_user;
use crate::settings::Settings;

/// Where the commands find the address of the database: it has the password, so it is not printed.
const ADDRESS: &str = "\"$DOCKSIDE_DATABASE_URL\"";

/// The parts of a backup, which are named after one file.
struct Parts {
    dump: String,
    files: String,
    secrets: String,
}

impl Parts {
    fn of(file: &Path) -> Self {
        let part = |end: &str| quoted(&format!("{}{end}", file.display()));
        Self { dump: part(".dump"), files: part(".files.tar"), secrets: part(".secrets.toml") }
    }
}

pub fn backup_commands(file: &Path, settings: &Settings) -> Result<String, Failure> {
    let parts = Parts::of(file);
    let mut text = head("back up", settings);
    let folder = settings.files_folder()?.map(|folder| quoted(&folder.display().to_string()));
    if let Some(folder) = &folder {
        text.push_str("# While this shell holds the lock, no server deletes a file.\n");
        text.push_str(&format!("exec 9>>{folder}/backup.lock && flock 9\n"));
    }
    text.push_str("# The database first: each file is there before its row is.\n");
    text.push_str(&format!(
        "PGOPTIONS='-c dockside.owner=*' pg_dump --enable-row-security --no-owner --format=custom \\\n    --file={} {ADDRESS}\n",
        parts.dump
    ));
    match &folder {
        Some(folder) => text.push_str(&format!(
            "(cd {folder} && find . -type f ! -name '*#*' -print0) |\n    tar --create --file={} --directory={folder} --null \
             --files-from=-\n",
            parts.files
        )),
        None => text.push_str("# The files are in a bucket: now back the bucket up.\n"),
    }
    text.push_str(&match secrets_file(settings) {
        Some(path) => format!("cp {path} {}\n", parts.secrets),
        None => "# The keys are in the settings (signing_key, encryption_key): keep a copy of them, too.\n"
            .to_owned(),
    });
    text.push_str(&format!(
        "pg_restore --list {} > /dev/null && echo 'The backup is complete.'\n",
        parts.dump
    ));
    Ok(text)
}

pub fn restore_commands(file: &Path, settings: &Settings) -> Result<String, Failure> {
    let parts = Parts::of(file);
    let mut text = head("restore", settings);
    text.push_str("# Into an empty database. It has all of the dump, or nothing.\n");
    text.push_str(&format!("pg_restore --single-transaction --no-owner --dbname={ADDRESS} {}\n", parts.dump));
    match settings.files_folder()? {
        Some(folder) => {
            let folder = quoted(&folder.display().to_string());
            text.push_str(&format!(
                "mkdir -p {folder} && tar --extract --file={} --directory={folder}\n",
                parts.files
            ));
        }
        None => text.push_str("# The files are in a bucket: restore the bucket now.\n"),
    }
    let data = quoted(&settings.store.data().display().to_string());
    if settings.store.signing_key.is_none() || settings.store.encryption_key.is_none() {
        text.push_str(&format!("mkdir -p {data} && cp {} {data}/{}\n", parts.secrets, secrets::FILE));
    }
    text.push_str("# What was bought since the backup is looked up, before anything is bought.\n");
    text.push_str(&format!("dockside restored --data {data}\n"));
    Ok(text)
}

fn head(what: &str, settings: &Settings) -> String {
    let url = settings.store.database_url.as_deref().unwrap_or_default();
    format!(
        "# These commands {what} the database {} with its files and keys.\n# DOCKSIDE_DATABASE_URL must have its address.\nset \
         -eu\numask 077\n",
        without_user(url)
    )
}

/// Returns the file of the keys, if they are not in the settings.
fn secrets_file(settings: &Settings) -> Option<String> {
    let is_given = settings.store.signing_key.is_some() && settings.store.encryption_key.is_some();
    let path = settings.store.data().join(secrets::FILE);
    (!is_given && Secrets::are_at(&settings.store)).then(|| quoted(&path.display().to_string()))
}

/// Returns a word that a shell reads as it is.
fn quoted(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        assert_eq!(quoted("/var/lib/dockside/files"), "/var/lib/dockside/files");
        assert_eq!(quoted("our files"), "'our files'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
