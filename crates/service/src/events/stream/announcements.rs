//! Announcements: messages of the operator to all clients, on the one public channel.

use model::{Result, Timestamp};
use serde::Serialize;
use store::Access;
use store::events::announcements;

use crate::events::bus::Hint;
use crate::events::stream::Streams;
use crate::platform::resource::json;

/// An announcement as clients see it.
#[derive(Serialize)]
struct Announcement<'a> {
    message: &'a str,
    created_at: Timestamp,
}

impl Streams {
    /// Publishes a message to every client that listens to `system:announcements`, now or later. Returns its number.
    pub async fn announce(&self, message: &str) -> Result<i64> {
        let now = self.context.now();
        let doc = json(&Announcement { message, created_at: now })?;
        let said = doc.clone();
        let write = self
            .context
            .db()
            .write(Access::System, async move |tx| announcements::insert(tx, &said, now).await);
        let number = write.await?;
        self.announce_externally(number, &doc).await?;
        self.bus.hint(Hint::Announcement);
        Ok(number)
    }
}
