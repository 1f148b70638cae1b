//! `dockside serve`: opens the store, welcomes whoever starts it first, and serves until told to stop.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use api::{App, server};
use service::{Service, SystemClock, SystemRandom, Welcome, log};
use store::Db;
use tokio::net::TcpSocket;
use tokio::signal::unix::{SignalKind, signal};

use crate::Failure;
use crate::secrets::Secrets;
use crate::settings::Settings;

const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);
/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1024;

pub async fn run(settings: Settings) -> Result<(), Failure> {
    let settings = settings.resolve()?;
    log::start(settings.log_format())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let wanted = settings.listen.unwrap_or(DEFAULT_LISTEN);
    let failed = |error| Failure(format!("the setting listen names {wanted}, which can't be had: {error}"));
    // Taken first, because links name the port; nobody can connect before there is a store to ask.
    let socket = bind(wanted).map_err(failed)?;
    let address = socket.local_addr()?;
    let service = open_as(&settings, address, true).await?;
    service.check_files().await?;
    service.remember_at(settings.data().join("mark")).await?;
    let listener = socket.listen(BACKLOG).map_err(failed)?;
    if let Some(welcome) = service.bootstrap().await? {
        greet(&welcome, address)?;
    }
    let jobs = service.start_jobs()?;
    let app = App::new(service, settings.limits())?;
    let engine = if settings.database_url.is_some() { "PostgreSQL" } else { "SQLite" };
    log::info("start", &format!("listening on http://{address} with {engine}"));
    if settings.public_url.is_none() && !address.ip().is_loopback() {
        let why = "links to files name the address that this server listens on: set public_url to the one that clients use";
        log::info("start", why);
    }
    let stop = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        log::info("stop", "finishing what is under way");
    };
    server::serve(listener, app, stop).await;
    jobs.stop().await;
    log::flush();
    Ok(())
}

/// Takes an address without listening on it yet.
fn bind(address: SocketAddr) -> std::io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A server that starts again must not wait for the connections of the one before.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// The service over the store that the settings name, for a command.
pub async fn open(settings: &Settings) -> Result<Service, Failure> {
    open_as(settings, settings.listen.unwrap_or(DEFAULT_LISTEN), false).await
}

async fn open_as(settings: &Settings, address: SocketAddr, is_server: bool) -> Result<Service, Failure> {
    let secrets = Secrets::load(settings)?;
    let what = if settings.database_url.is_some() { "the database at database_url" } else { "the database" };
    let db = Db::open(settings.place())
        .await
        .map_err(|error| Failure(format!("{what} can't be opened: {error}")))?;
    let settings = settings.service(&secrets, address)?;
    let service = Service::new(db, Arc::new(SystemClock), Arc::new(SystemRandom), settings)?;
    if !service.is_keyed(is_server).await? {
        let why =
            "the database was encrypted with another encryption_key: servers that share a database share it";
        return Err(Failure(why.to_owned()));
    }
    Ok(service)
}

/// What a person sees at the first start, and never again.
fn greet(welcome: &Welcome, address: SocketAddr) -> Result<(), Failure> {
    let (live, test) = (welcome.live.as_str(), welcome.test.as_str());
    let text = format!(
        r#"
  Welcome to Dockside. This is a new store, so here is what you need; it is shown only now.

    organisation   {organisation}  ({user})
    live token     {live}
    test token     {test}

  Make your first location, in the test world:

    curl http://{address}/locations \
      -H 'Authorization: Bearer {test}' \
      -H 'Content-Type: application/json' \
      -d '{{"name":"Depot","address":{{"address":{{"line_1":"1 Quay Street","city":"Bristol","post_code":"BS1 4DJ","country_code":"GB"}}}}}}'

  Read on at http://{address}/docs

"#,
        organisation = welcome.organisation,
        user = welcome.user,
    );
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
