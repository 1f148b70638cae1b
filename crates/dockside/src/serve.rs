//! `dockside serve`: opens the store, greets the operator at the first start, and serves until told to stop.

use std::net::SocketAddr;
use std::sync::Arc;

use api::App;
use api::server;
use service::{Service, SystemClock, SystemRandom, Welcome};
use store::Db;
use tokio::net::TcpSocket;
use tokio::signal::unix::{SignalKind, signal};
use tracing::{info, warn};

use crate::data_folder;
use crate::descriptors;
use crate::failure::Failure;
use crate::folder_lock::FolderLock;
use crate::log;
use crate::secrets::Secrets;
use crate::settings::Settings;
use crate::store_swap;
use crate::welcome;

const OTHER_KEY: &str =
    "the database was encrypted with another encryption_key: servers that share a database share it";
/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1024;

pub async fn run(settings: Settings) -> Result<(), Failure> {
    let settings = settings.resolve()?;
    log::start(settings.server.log_format(), settings.server.log_filter()?)?;
    // First of all: what follows opens the database and the port.
    let limits = limits(&settings);
    let mut terminate = signal(SignalKind::terminate())?;
    let wanted = settings.server.listen().0;
    let failed = |error| Failure(format!("the setting listen names {wanted}, which can't be had: {error}"));
    // Bound first, because links name the port. No client can connect before `listen` below, when there is a store to ask.
    let socket = bind(wanted).map_err(failed)?;
    let address = socket.local_addr()?;
    data_folder::prepare(&settings.store.data())?;
    // Held until the process ends, also while it stops.
    let _lock =
        (!settings.store.is_postgres()).then(|| FolderLock::take(&settings.store.data())).transpose()?;
    if !settings.store.is_postgres() && store_swap::complete(&settings.store.data())? {
        info!("a restore that was interrupted is complete");
    }
    let service = open_store(&settings, address).await?;
    service.nodes.remember_at(settings.store.data().join("mark")).await?;
    service.streams.ensure_epoch().await?;
    let listener = socket.listen(BACKLOG).map_err(failed)?;
    if let Some(welcome) = service.onboarding.bootstrap().await? {
        greet(&welcome, address, &settings)?;
    }
    let jobs = service.start_jobs()?;
    let nodes = service.nodes.clone();
    log::name_node(move || nodes.name());
    let service_url = service.settings().files.public_url.clone();
    let app = App::new(service, limits)?;
    let engine = if settings.store.is_postgres() { "PostgreSQL" } else { "SQLite" };
    info!("listening on http://{address} with {engine}");
    if !service_url.starts_with("https://") && !address.ip().is_loopback() {
        warn!(
            "people sign in without TLS, so anyone on the network can read their cookies: set public_url to an https address"
        );
    }
    if settings.server.public_url.is_none() && !address.ip().is_loopback() {
        let why = "links to files name the address that this server listens on: set public_url to the one that clients use";
        warn!("{why}");
    }
    let stop = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        info!("stopping: requests and work under way may end");
    };
    server::serve(listener, app, stop).await;
    jobs.stop().await;
    log::flush();
    Ok(())
}

/// Refuses a role that row level security does not hold. If the operator allows it, warns of it, unless no warnings are wanted.
fn check_role(db: &Db, settings: &Settings) -> Result<(), Failure> {
    if !db.bypasses_row_security() {
        return Ok(());
    }
    let why = "the role that database_url names is a superuser or has BYPASSRLS, so PostgreSQL's row level security does not \
               keep organisations apart: use a role with neither";
    if settings.server.strict() {
        return Err(Failure(why.to_owned()));
    }
    if !settings.server.allow_superuser() {
        return Err(Failure(format!("{why}, or accept that with --allow-superuser")));
    }
    warn!("{why}");
    Ok(())
}

/// Opens the store for a server, and makes it and its secrets where there is none. Everything that can fail is tried before
/// new secrets are written, and they are written before anything is sealed with them.
async fn open_store(settings: &Settings, address: SocketAddr) -> Result<Service, Failure> {
    let mut secrets = Secrets::load(&settings.store)?;
    let db = Db::open(settings.store.place()).await.map_err(|error| cannot_open(settings, &error))?;
    check_role(&db, settings)?;
    let mut service = start_service(settings, db.clone(), &secrets, address).await?;
    service.documents.check_files().await?;
    if !secrets.keep()? {
        // Another server that starts in the same folder was first: its secrets are those of the store.
        secrets = Secrets::load(&settings.store)?;
        service = start_service(settings, db, &secrets, address).await?;
    }
    if !service.context.is_keyed(true).await? {
        secrets.discard();
        return Err(other_key(&secrets));
    }
    Ok(service)
}

/// Returns the operator's limits, and how many clients fit into the system's limit of file descriptors.
fn limits(settings: &Settings) -> api::Limits {
    let sockets_max = descriptors::raise(settings.store.database_connections_max());
    let limits = api::Limits { sockets_max, ..settings.http_limits() };
    if sockets_max < limits.connections_max {
        warn!(
            connections_max = limits.connections_max,
            "the limit of file descriptors leaves room for {sockets_max} clients: raise it (ulimit -n)"
        );
    }
    limits
}

/// Takes an address without listening on it yet.
fn bind(address: SocketAddr) -> std::io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A server that starts again must not wait for the connections of the one before.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// Opens the store that the settings name, for a command. Only `serve` makes a store: a command that made one would hide
/// a mistyped folder.
pub async fn open(settings: &Settings) -> Result<Service, Failure> {
    let db = open_existing(settings).await?;
    let secrets = Secrets::find(&settings.store)?;
    let address = settings.server.listen().0;
    start_service(settings, db, &secrets, address).await
}

/// Opens the database that the settings name, if there is a store in it.
pub async fn open_existing(settings: &Settings) -> Result<Db, Failure> {
    let place = settings.store.place();
    if !settings.store.is_postgres() {
        store_swap::complete_interrupted(&settings.store.data())?;
    }
    let found = Db::open_existing(place).await.map_err(|error| cannot_open(settings, &error))?;
    found.ok_or_else(|| no_store(settings))
}

/// Says where a store was looked for in vain.
pub fn no_store(settings: &Settings) -> Failure {
    Failure(match &settings.store.place() {
        service::Place::Sqlite { file, .. } => {
            let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
            format!(
                "there is no store at {}: name its folder with --data, or start `dockside serve` there first",
                file.display()
            )
        }
        service::Place::Postgres { url, .. } => format!(
            "there is no store in the database {} yet: start `dockside serve` with it first",
            without_user(url)
        ),
    })
}

/// The address of a database without its user, its password and its options.
pub fn without_user(url: &str) -> &str {
    // A password may hold any of these characters, so the user ends at the last `@`.
    let start = url.rfind('@').map(|at| at + 1).or_else(|| url.find("://").map(|at| at + 3));
    url[start.unwrap_or(0)..].split('?').next().unwrap_or_default()
}

pub fn cannot_open(settings: &Settings, error: &model::Error) -> Failure {
    let what = if settings.store.is_postgres() { "the database at database_url" } else { "the database" };
    Failure(format!("{what} can't be opened: {error}"))
}

async fn start_service(
    settings: &Settings,
    db: Db,
    secrets: &Secrets,
    address: SocketAddr,
) -> Result<Service, Failure> {
    let settings = settings.service(secrets, address)?;
    let service = Service::new(db, Arc::new(SystemClock), Arc::new(SystemRandom), settings)?;
    if service.context.is_keyed(false).await? { Ok(service) } else { Err(other_key(secrets)) }
}

/// Says that the secrets are not those of the store. Without any, as where a backup without keys was restored, it says what is missing.
fn other_key(secrets: &Secrets) -> Failure {
    let Some(path) = secrets.missing_file() else { return Failure(OTHER_KEY.to_owned()) };
    Failure(format!(
        "there are no secrets at {}, and the database was encrypted with an encryption_key: put the secrets.toml of its server \
         there, or give its signing_key and encryption_key",
        path.display()
    ))
}

/// What a person sees at the first start, and never again.
fn greet(welcome: &Welcome, address: SocketAddr, settings: &Settings) -> Result<(), Failure> {
    let (live, test) = (welcome.live.as_str(), welcome.test.as_str());
    // What is delivered holds secrets, and nothing of it is logged.
    let text = format!(
        r#"
  Welcome to Dockside. This is a new store, so here is what you need; it is shown only now.

    organisation   {organisation}  {organisation_id}  ({user})
    live token     {live}
    test token     {test}
    sign in        {sign_in}
                   (the console, for 15 minutes and once; `dockside user invite` makes another link)

  Make your first location, in the test world:

    curl http://{address}/locations \
      -H 'Authorization: Bearer {test}' \
      -H 'Content-Type: application/json' \
      -d '{{"name":"Depot","address":{{"address":{{"line_1":"1 Quay Street","city":"Bristol","post_code":"BS1 4DJ","country_code":"GB"}}}}}}'

  Read on at http://{address}/docs

"#,
        organisation = welcome.organisation,
        organisation_id = welcome.organisation_id,
        user = welcome.user,
        sign_in = welcome.sign_in_link,
    );
    welcome::deliver(&text, &settings.store.data())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_named_without_its_user_and_password() {
        for url in
            ["postgres://ada:p?s@s@db:5432/x?sslmode=off", "postgres://ada@db:5432/x", "postgres://db:5432/x"]
        {
            assert_eq!(without_user(url), "db:5432/x", "{url}");
        }
    }
}
