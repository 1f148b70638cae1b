//! `dockside user`: invites people who sign in, and lists them.

use std::io::Write;

use clap::{Subcommand, ValueEnum};
use model::access::role::BuiltInRole;
use service::onboarding::Invitation;

use crate::commands::{ensure_organisation, write_table};
use crate::failure::Failure;
use crate::serve::open;
use crate::settings::StoreSettings;

#[derive(Subcommand)]
pub enum User {
    /// Make a user, or find the one with this address, and print a link that signs them in once, within 15 minutes.
    ///
    /// The user is enabled, and has the named role and no other.
    Invite {
        /// The organisation's name.
        #[arg(long, value_name = "NAME")]
        organisation: String,
        /// The user's email address.
        #[arg(long, value_name = "EMAIL")]
        user: String,
        /// What colleagues call a new user; the address, if it is left out.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// What the user may do.
        #[arg(long, value_enum, default_value = "admin")]
        role: RoleName,
        #[command(flatten)]
        settings: Box<StoreSettings<true>>,
    },
    /// List the users of all organisations.
    List {
        #[command(flatten)]
        settings: Box<StoreSettings<false>>,
    },
}

/// The roles that every organisation has.
#[derive(Clone, Copy, ValueEnum)]
pub enum RoleName {
    Admin,
    Manager,
    Packer,
    Viewer,
}

impl From<RoleName> for BuiltInRole {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Admin => BuiltInRole::Admin,
            RoleName::Manager => BuiltInRole::Manager,
            RoleName::Packer => BuiltInRole::Packer,
            RoleName::Viewer => BuiltInRole::Viewer,
        }
    }
}

pub async fn run(command: User) -> Result<(), Failure> {
    match command {
        User::Invite { organisation, user, name, role, settings } => {
            if !user.contains('@') {
                return Err(Failure(format!("--user: {user:?} is not an email address")));
            }
            let service = open(&settings.resolve()?).await?;
            let known = organisation.clone();
            let invitation = Invitation { organisation, user, name, role: role.into() };
            let Some(link) = service.onboarding.invite(invitation).await? else {
                return ensure_organisation(&service, &known).await;
            };
            writeln!(std::io::stdout(), "{link}")?;
            Ok(())
        }
        User::List { settings } => list(settings).await,
    }
}

async fn list(settings: Box<StoreSettings<false>>) -> Result<(), Failure> {
    let users = open(&settings.resolve()?).await?.onboarding.all_users().await?;
    let head = ["ID", "ORGANISATION", "USER", "ROLES", "STATE"].map(str::to_owned);
    let rows = users.into_iter().map(|user| {
        let roles = if user.roles.is_empty() { "none".to_owned() } else { user.roles.join(" ") };
        let state = if user.is_disabled { "disabled" } else { "active" };
        [user.id.to_string(), user.organisation, user.email, roles, state.to_owned()]
    });
    write_table(std::iter::once(head).chain(rows).collect())
}
