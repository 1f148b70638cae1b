//! Announcements: messages of the operator to all clients, on the one public channel.

use model::{Result, Timestamp};
use serde::Serialize;
use store::Access;
use store::events::announcements;

use crate::Service;
use crate::events::bus::Hint;
use crate::platform::reply::json;

/// An announcement as clients see it.
#[derive(Serialize)]
struct Announcement<'a> {
    message: &'a str,
    created_at: Timestamp,
}

impl Service {
    /// Publishes a message to every client that listens to `system:announcements`, now or later. Returns its number.
    pub async fn announce(&self, message: &str) -> Result<i64> {
        let now = self.now();
        let doc = json(&Announcement { message, created_at: now })?;
        let said = doc.clone();
        let write =
            self.db().write(Access::System, async move |tx| announcements::insert(tx, &said, now).await);
        let number = write.await?;
        self.announce_externally(number, &doc).await?;
        self.hint(Hint::Announcement);
        Ok(number)
    }
}
