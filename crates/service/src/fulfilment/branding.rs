//! The branding of an organisation, which its packing slips and pick lists show.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use labels::{Brand, Logo, LogoError};
use model::fulfilment::branding::{Branding, BrandingInput, LOGO_BYTES_MAX};
use model::platform::problem::Issue;
use model::{Code, Error, Owner, Problem, Result};
use store::Tx;
use store::fulfilment::brandings::{self, StoredBranding};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::orders::organisation_settings;
use crate::platform::context::Context;
use crate::platform::resource::{json, version_etag};
use crate::shipping::drawing::DrawingPermits;

/// The version of a branding that was never set.
const FIRST_VERSION: i64 = 1;

/// Operations on the branding of an organisation.
#[derive(Clone)]
pub struct BrandingSettings {
    context: Context,
    drawing: DrawingPermits,
}

impl BrandingSettings {
    pub(crate) fn new(context: &Context, drawing: &DrawingPermits) -> Self {
        Self { context: context.clone(), drawing: drawing.clone() }
    }

    pub async fn get(&self, caller: &Caller) -> Result<Reply> {
        let owner = caller.owner;
        let stored = self.context.db().read(owner, async move |tx| read(tx, owner).await).await?;
        Ok(Reply::resource(version_etag(stored.version), stored.doc))
    }

    /// Replaces the branding. A logo that can't be printed is refused before the transaction begins.
    pub async fn set(&self, command: Command, input: BrandingInput) -> Result<Reply> {
        if let Some(logo) = input.logo.clone() {
            let _core = self.drawing.acquire().await?;
            let check = move || read_logo(&logo).map(drop);
            tokio::task::spawn_blocking(check)
                .await
                .map_err(Error::fault)?
                .map_err(|why| refuse_logo(&why))?;
        }
        self.write(command, input, |stored| Reply::resource(version_etag(stored.version), stored.doc)).await
    }

    /// Deletes the branding: papers are plain from now on.
    pub async fn delete(&self, command: Command) -> Result<Reply> {
        self.write(command, BrandingInput::default(), |_| Reply::gone()).await
    }

    async fn write(
        &self,
        command: Command,
        details: BrandingInput,
        reply: fn(StoredBranding) -> Reply,
    ) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let write = async move |tx: &mut Tx<'_>| {
            organisation_settings::lock(tx, owner).await?;
            let stored = read(tx, owner).await?;
            ensure_current(&precondition, &version_etag(stored.version))?;
            let before: Branding = serde_json::from_str(&stored.doc).map_err(Error::fault)?;
            if before.details == details {
                return Ok(reply(stored));
            }
            // The version goes on after a deletion, so that a tag never means two states.
            let doc = json(&Branding { details: details.clone(), updated_at: Some(now) })?;
            let new = StoredBranding { version: stored.version + 1, doc };
            brandings::set(tx, owner, &new).await?;
            organisation_settings::touch(tx, owner, now, &log).await?;
            Ok(reply(new))
        };
        self.context.write(&command, write).await
    }
}

/// Returns the branding as it is stored, or the empty one.
async fn read(tx: &mut Tx<'_>, owner: Owner) -> Result<StoredBranding> {
    match brandings::get(tx, owner).await? {
        Some(stored) => Ok(stored),
        None => Ok(StoredBranding { version: FIRST_VERSION, doc: json(&Branding::default())? }),
    }
}

/// Returns what an organisation has set.
pub(crate) async fn details(tx: &mut Tx<'_>, owner: Owner) -> Result<BrandingInput> {
    let branding: Branding = serde_json::from_str(&read(tx, owner).await?.doc).map_err(Error::fault)?;
    Ok(branding.details)
}

/// Returns the branding as papers show it. Decoding the logo takes milliseconds: call this on a thread for drawing.
pub(crate) fn brand(details: &BrandingInput) -> Result<Brand> {
    let logo = details.logo.as_deref().map(read_logo).transpose().map_err(Error::fault)?;
    Ok(Brand {
        name: details.name.clone().unwrap_or_default(),
        colour: details.rgb(),
        footer: details.footer.clone().unwrap_or_default(),
        logo: logo.map(Arc::new),
    })
}

fn read_logo(text: &str) -> std::result::Result<Logo, LogoError> {
    match STANDARD.decode(text) {
        Ok(file) if file.len() <= LOGO_BYTES_MAX => Logo::read(&file),
        Ok(_) => Err(LogoError::new("Has more than 256 KiB.")),
        Err(_) => Err(LogoError::new("Is not valid base64.")),
    }
}

fn refuse_logo(why: &LogoError) -> Error {
    let code = Code::LogoInvalid;
    Problem::field(code, Issue::new(code.as_str(), "/logo", why.to_string())).into()
}
