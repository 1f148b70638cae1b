//! The short commands: tokens, migration, the contract.

use std::io::Write;

use clap::Subcommand;
use model::platform::nearest::suggestion;
use model::platform::time::parse_duration_seconds;
use model::{Error, Id, Scope, Scopes, World};
use service::Service;
use service::events::revocations::Children;
use service::onboarding::TokenOrder;
use store::Db;

use crate::failure::Failure;
use crate::serve::{cannot_open, open, open_existing};
use crate::settings::{Settings, StoreSettings};

#[derive(Subcommand)]
pub enum Token {
    /// Make a token and print it, alone, on standard output.
    Create {
        /// The organisation's name.
        #[arg(long, value_name = "NAME")]
        organisation: String,
        /// Make the organisation if there is none of this name.
        #[arg(long)]
        create_organisation: bool,
        /// The user's email address; the user is made where it does not exist.
        #[arg(long, value_name = "EMAIL")]
        user: String,
        /// What the token may do, such as "locations:read batches:write".
        #[arg(long, value_name = "SCOPES", default_value = "*")]
        scopes: String,
        /// Make a token for the test world.
        #[arg(long)]
        test: bool,
        /// How long it lives, such as 30d or 12h; without it, until it is revoked.
        #[arg(long, value_name = "DURATION")]
        expires_in: Option<String>,
        #[command(flatten)]
        settings: Box<StoreSettings<false>>,
    },
    /// List the tokens of all organisations, without their secrets.
    List {
        #[command(flatten)]
        settings: Box<StoreSettings<false>>,
    },
    /// Revoke a token and those that it made; they stop working within two seconds.
    Revoke {
        /// The token's id (tok_…), as the list shows it.
        id: String,
        /// Keep the tokens that it made through the API.
        #[arg(long)]
        keep_children: bool,
        #[command(flatten)]
        settings: Box<StoreSettings<true>>,
    },
}

pub async fn token(command: Token) -> Result<(), Failure> {
    match command {
        Token::Create { organisation, create_organisation, user, scopes, test, expires_in, settings } => {
            let order = TokenOrder {
                organisation,
                user,
                scopes: Scopes::parse(&scopes)
                    .map_err(|word| Failure(format!("--scopes: {}", Scope::unknown(word))))?,
                world: if test { World::Test } else { World::Live },
                expires_in_seconds: expires_in.map(|text| duration(&text)).transpose()?,
            };
            let service = open(&settings.resolve()?).await?;
            if !create_organisation {
                ensure_organisation(&service, &order.organisation).await?;
            }
            let secret = service.onboarding.issue_token(order).await?;
            writeln!(std::io::stdout(), "{}", secret.as_str())?;
            Ok(())
        }
        Token::List { settings } => list(settings.resolve()?).await,
        Token::Revoke { id, keep_children, settings } => {
            let token =
                Id::parse(&id).ok_or_else(|| Failure(format!("{id:?} is not a token's id (tok_…)")))?;
            let service = open(&settings.resolve()?).await?;
            let children = if keep_children { Children::Keep } else { Children::Revoke };
            let revoked =
                service.revocations.revoke_any(token, children).await.map_err(|error| match error {
                    Error::Refused(_) => Failure(format!("there is no token {id}")),
                    fault => fault.into(),
                })?;
            // Servers that don't hear of it find out within two seconds, so it is no failure.
            let _unheard = service.bus.send().await;
            for id in revoked {
                writeln!(std::io::stdout(), "revoked {id}")?;
            }
            Ok(())
        }
    }
}

/// Fails unless an organisation has this name: a mistyped name would give a token to an empty one.
pub async fn ensure_organisation(service: &Service, name: &str) -> Result<(), Failure> {
    if service.organisations.exists(name).await? {
        return Ok(());
    }
    let known = service.organisations.names().await?;
    let meant = suggestion(name, known.iter().map(String::as_str));
    let known = if known.is_empty() { "none yet".to_owned() } else { known.join(", ") };
    Err(Failure(format!(
        "--organisation: there is no organisation {name:?}.{meant} Known organisations: {known}. Add --create-organisation \
         to make it"
    )))
}

fn duration(text: &str) -> Result<i64, Failure> {
    parse_duration_seconds(text)
        .ok_or_else(|| Failure(format!("--expires-in: {text:?} is not a duration such as 30d or 12h")))
}

async fn list(settings: Settings) -> Result<(), Failure> {
    let tokens = open(&settings).await?.access_tokens.all_tokens().await?;
    let head = ["ID", "ORGANISATION", "USER", "WORLD", "EXPIRES", "SCOPES"].map(str::to_owned);
    let rows = tokens.into_iter().map(|listed| {
        let token = listed.token;
        let expires = token.expires_at.map_or_else(|| "never".to_owned(), |end| end.to_string());
        let world = token.owner.world.as_str().to_owned();
        [token.id.to_string(), listed.organisation, listed.email, world, expires, token.scopes.to_string()]
    });
    write_table(std::iter::once(head).chain(rows).collect())
}

/// Writes rows in columns to standard output.
pub fn write_table<const COLUMNS: usize>(rows: Vec<[String; COLUMNS]>) -> Result<(), Failure> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..COLUMNS).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        out.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
    std::io::stdout().write_all(out.as_bytes())?;
    Ok(())
}

pub async fn announce(message: &str, settings: StoreSettings<true>) -> Result<(), Failure> {
    if message.trim().is_empty() {
        return Err(Failure("there is nothing to announce".to_owned()));
    }
    let service = open(&settings.resolve()?).await?;
    let number = service.streams.announce(message).await?;
    // Servers that do not hear of it look for themselves, so it is no failure.
    let _unheard = service.bus.send().await;
    writeln!(std::io::stdout(), "announcement {number} was made")?;
    Ok(())
}

pub async fn renew_epoch(settings: StoreSettings<true>) -> Result<(), Failure> {
    let service = open(&settings.resolve()?).await?;
    let epoch = service.streams.renew_epoch().await?;
    // Servers that do not hear of it look for themselves, so it is no failure.
    let _unheard = service.bus.send().await;
    writeln!(std::io::stdout(), "The epoch is now {epoch}. Clients start anew within seconds.")?;
    Ok(())
}

pub async fn restored(settings: StoreSettings<true>) -> Result<(), Failure> {
    let service = open(&settings.resolve()?).await?;
    let doubted = service.nodes.record_restoration().await?;
    service.streams.renew_epoch().await?;
    // Servers that do not hear of it look for themselves, so it is no failure.
    let _unheard = service.bus.send().await;
    let what = crate::geo::counted(doubted as usize, "purchase");
    writeln!(
        std::io::stdout(),
        "{what} under way, and all that is begun for older shipments, will be looked up first."
    )?;
    Ok(())
}

pub async fn migrate(settings: StoreSettings<false>) -> Result<(), Failure> {
    let settings = settings.resolve()?;
    if settings.store.is_postgres() {
        // The operator has made this database, so there is no folder to mistype, and the schema may be made here by a role
        // that the servers don't have.
        Db::open(settings.store.place()).await.map_err(|error| cannot_open(&settings, &error))?;
    } else {
        open_existing(&settings).await?;
    }
    writeln!(std::io::stdout(), "The schema is up to date.")?;
    Ok(())
}

pub fn openapi() -> Result<(), Failure> {
    let document = api::openapi::document(&api::routes::all());
    writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(&document)?)?;
    Ok(())
}
