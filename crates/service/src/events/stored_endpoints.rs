//! Reads of webhook endpoints that a transaction is about to change.

use model::{Code, Error, Id, Owner, Result, WebhookEndpoint, ensure};
use store::Tx;
use store::events::webhook_endpoints::{self, StoredWebhookEndpoint};

use crate::platform::resource::found;

/// An endpoint that may be sent to.
pub(crate) async fn read_enabled(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<WebhookEndpoint>,
) -> Result<StoredWebhookEndpoint> {
    let (endpoint, stored) = read_for_update(tx, owner, id).await?;
    ensure(!endpoint.disabled, Code::WebhookEndpointDisabled)?;
    Ok(stored)
}

pub(crate) async fn read_for_update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<WebhookEndpoint>,
) -> Result<(WebhookEndpoint, StoredWebhookEndpoint)> {
    let stored = found(webhook_endpoints::get_for_update(tx, owner, id).await?)?;
    let endpoint = serde_json::from_str(&stored.doc).map_err(Error::fault)?;
    Ok((endpoint, stored))
}
