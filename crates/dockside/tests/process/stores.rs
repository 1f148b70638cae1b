//! Which stores a server accepts: a folder that no other server uses, a schema that it knows, a role under row level security.

use std::path::Path;

use testkit::database::Database;
use testkit::server::{Server, run, token};

#[test]
fn a_folder_with_sqlite_has_one_server_until_it_ends() {
    let home = tempfile::tempdir().unwrap();
    let first = Server::start(home.path(), &[]);
    let second = run(home.path(), &["serve", "--listen", "127.0.0.1:0"]);
    assert_ne!(second.code, 0);
    assert!(second.stderr.contains("another server (process "), "{}", second.stderr);
    assert!(second.stderr.contains("dockside-data"), "{}", second.stderr);
    // A command may change the store while the server runs.
    token(home.path(), &[]);
    first.kill();
    Server::start(home.path(), &[]).stop();
}

#[test]
fn a_folder_with_postgresql_may_have_several_servers() {
    let (home, database) = (tempfile::tempdir().unwrap(), Database::create());
    let flags = ["--database-url", &database.url];
    let servers = [Server::start(home.path(), &flags), Server::start(home.path(), &flags)];
    servers.into_iter().for_each(Server::stop);
}

fn refused(home: &Path, flags: &[&str]) -> String {
    let ended = run(home, &[&["serve", "--listen", "127.0.0.1:0"], flags].concat());
    assert_ne!(ended.code, 0, "{flags:?}");
    ended.stderr
}

#[test]
fn a_schema_of_a_newer_version_is_refused_with_the_version_it_takes() {
    let (home, database) = (tempfile::tempdir().unwrap(), Database::create());
    let newer = "INSERT INTO migration (name, version) VALUES ('9999_later', '7.1.0')";
    let takes = "start version 7.1.0 or a later one";
    Server::start(home.path(), &[]).stop();
    let file = home.path().join("dockside-data/dockside.db");
    rusqlite::Connection::open(file).unwrap().execute_batch(newer).unwrap();
    assert!(refused(home.path(), &[]).contains(takes));

    let flags = ["--database-url", &database.url];
    Server::start(home.path(), &flags).stop();
    database.execute(newer);
    assert!(refused(home.path(), &flags).contains(takes));
}

#[test]
fn a_superuser_is_refused_unless_it_is_allowed() {
    let (home, database) = (tempfile::tempdir().unwrap(), Database::create());
    let warning = "row level security does not";
    let mut server = Server::start(home.path(), &["--database-url", &database.url, "--strict"]);
    assert!(!server.stopped().contains(warning));
    let superuser = database.superuser_url();
    let flags = ["--database-url", superuser.as_str()];
    let said = refused(home.path(), &flags);
    assert!(said.contains(warning) && said.contains("--allow-superuser"), "{said}");
    let allowed = [&flags[..], &["--allow-superuser"]].concat();
    let mut server = Server::start(home.path(), &allowed);
    assert!(server.stopped().contains(warning));
    assert!(refused(home.path(), &[&allowed[..], &["--strict"]].concat()).contains(warning));
}
