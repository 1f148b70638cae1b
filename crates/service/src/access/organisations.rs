//! Organisations, as the command line knows them: by name.

use model::Result;
use store::Access;
use store::access::organisations;

use crate::platform::context::Context;

/// Most names that [`Organisations::names`] returns.
const NAMES_MAX: i64 = 50;

/// Reads of organisations by name.
#[derive(Clone)]
pub struct Organisations {
    context: Context,
}

impl Organisations {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Returns whether an organisation has this name.
    pub async fn exists(&self, name: &str) -> Result<bool> {
        let name = name.to_owned();
        let read =
            self.context.db().read(Access::System, async move |tx| organisations::by_name(tx, &name).await);
        Ok(read.await?.is_some())
    }

    /// Returns the names of the organisations in alphabetical order, at most 50.
    pub async fn names(&self) -> Result<Vec<String>> {
        self.context.db().read(Access::System, async |tx| organisations::names(tx, NAMES_MAX).await).await
    }
}
