//! Sending: one connection for each message, within a time limit.

use std::time::Duration;

use crate::failure::{Failure, Stage};
use crate::message::Message;
use crate::session::Session;
use crate::settings::Settings;

/// How long the parting words may take. The message is sent by then.
const QUIT_TIME_MAX: Duration = Duration::from_secs(1);

/// Sends messages. Clones share nothing: each message has a connection of its own.
#[derive(Clone, Debug)]
pub struct Sender {
    settings: Settings,
}

impl Sender {
    pub fn new(settings: Settings) -> Self {
        Self { settings }
    }

    /// Sends a message. It returns `Ok` only if the server has said that it takes care of it. After a failure the server may have it
    /// all the same: the reply may have been lost. `is_wanted` is asked immediately before the message leaves.
    pub async fn send(
        &self,
        message: &Message,
        is_wanted: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Failure> {
        let mut stage = Stage::Connect;
        let limit = self.settings.time_limit;
        let talk = Box::pin(self.talk(message, is_wanted, &mut stage));
        match tokio::time::timeout(limit, talk).await {
            Ok(outcome) => outcome,
            Err(_) => {
                let why = format!("the server did not answer within {} seconds", limit.as_secs_f32());
                Err(Failure::passing(stage, why))
            }
        }
    }

    async fn talk(
        &self,
        message: &Message,
        is_wanted: &(dyn Fn() -> bool + Sync),
        stage: &mut Stage,
    ) -> Result<(), Failure> {
        let mut session = Session::open(&self.settings, stage).await?;
        if let Some(credentials) = &self.settings.credentials {
            *stage = Stage::SignIn;
            session.sign_in(credentials).await?;
        }
        if !is_wanted() {
            return Err(Failure::passing(*stage, "the message is no longer this node's to send"));
        }
        session.send(message, stage).await?;
        let _either = tokio::time::timeout(QUIT_TIME_MAX, session.quit()).await;
        Ok(())
    }
}
