//! Calls to carriers: the connector says what to send and what the answer means, and this module carries the task out.

use std::borrow::Cow;
use std::time::Duration;

use ::carriers::{Account, Connector, Outcome, Step, Task};
use model::Owner;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use outbound::Outbound;
use tokio::time::Instant;

use crate::platform::context::Context;
use crate::shipping::carrier_requests::{CarrierRequests, Sending};
use crate::shipping::carrier_tokens::{CarrierTokens, TokensOf, refusal};

/// Maximum number of exchanges of one task. A connector that wants more is broken.
const EXCHANGES_MAX: usize = 6;

/// Calls to carriers, by the HTTP client or, to the sandbox carrier, in this process.
#[derive(Clone)]
pub struct CarrierCalls {
    requests: CarrierRequests,
    tokens: CarrierTokens,
}

/// How a task ended.
struct Ended {
    outcome: Outcome,
    /// Whether a request that may cost money was sent before the last one.
    was_bought_before: bool,
}

impl CarrierCalls {
    pub(crate) fn new(context: &Context, outbound: &Outbound) -> Self {
        let requests = CarrierRequests::new(context, outbound);
        let tokens = CarrierTokens::new(context, &requests);
        Self { requests, tokens }
    }

    /// Returns the account with the access tokens that a task needs. The error is the outcome of the task: it was not begun.
    pub(crate) async fn with_tokens<'a>(
        &self,
        owner: Owner,
        connector: &dyn Connector,
        account: &'a Account,
        task: &Task<'_>,
        limit: Duration,
    ) -> std::result::Result<Cow<'a, Account>, Outcome> {
        let end = Instant::now() + limit;
        self.tokens.add(account, TokensOf { owner, connector, task, refused: None, end }).await
    }

    /// Carries out a task at a carrier, within the time limit, and returns the outcome.
    pub(crate) async fn ask(
        &self,
        owner: Owner,
        connector: &dyn Connector,
        account: &Account,
        task: &Task<'_>,
        limit: Duration,
    ) -> Outcome {
        self.ask_if(owner, connector, account, task, limit, &|| true).await
    }

    /// As [`CarrierCalls::ask`], but checks `is_wanted` immediately before anything is sent. The access tokens that the account
    /// lacks are asked for first. If one is refused, a new one is asked for, and the task is repeated once.
    pub(crate) async fn ask_if(
        &self,
        owner: Owner,
        connector: &dyn Connector,
        account: &Account,
        task: &Task<'_>,
        limit: Duration,
        is_wanted: &(dyn Fn() -> bool + Sync),
    ) -> Outcome {
        let end = Instant::now() + limit;
        let of = TokensOf { owner, connector, task, refused: None, end };
        let account = match self.tokens.add(account, of).await {
            Ok(account) => account,
            Err(outcome) => return outcome,
        };
        let first = self.run(owner, connector, &account, task, end, is_wanted).await;
        let Outcome::TokenRefused(why) = first.outcome else { return first.outcome };
        if first.was_bought_before {
            return Outcome::Unknown(ShipmentError { code: ErrorCode::OutcomeUnknown, ..why });
        }
        let account = match self.tokens.add(&account, TokensOf { refused: Some(&account), ..of }).await {
            Ok(account) => account,
            Err(outcome) => return outcome,
        };
        let second = self.run(owner, connector, &account, task, end, is_wanted).await;
        match second.outcome {
            Outcome::TokenRefused(why) if second.was_bought_before => {
                Outcome::Unknown(ShipmentError { code: ErrorCode::OutcomeUnknown, ..why })
            }
            Outcome::TokenRefused(why) => Outcome::Rejected(refusal(why, task)),
            outcome => outcome,
        }
    }

    /// Carries out a task with the tokens that the account has.
    async fn run(
        &self,
        owner: Owner,
        connector: &dyn Connector,
        account: &Account,
        task: &Task<'_>,
        end: Instant,
        is_wanted: &(dyn Fn() -> bool + Sync),
    ) -> Ended {
        let (mut was_bought, mut was_bought_before) = (false, false);
        let mut step = connector.begin(account, task);
        for exchange in 1..=EXCHANGES_MAX {
            let request = match step {
                Step::Done(outcome) => return Ended { outcome, was_bought_before },
                Step::Send(request) => request,
            };
            was_bought_before |= was_bought;
            was_bought |= request.is_purchase;
            let task_word = task.as_str();
            let of = Sending { owner, account, task: task_word, exchange, end, is_wanted };
            let answer = self.requests.exchange(of, request).await;
            step = connector.resume(account, task, exchange, answer);
        }
        let outcome = match step {
            Step::Done(outcome) => outcome,
            Step::Send(_) => {
                let message = "The carrier's answers led nowhere.";
                let code = ErrorCode::OutcomeUnknown;
                Outcome::Unknown(ShipmentError::new(ErrorType::Purchase, code, Source::Service, message))
            }
        };
        Ended { outcome, was_bought_before }
    }
}
