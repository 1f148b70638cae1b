//! Access tokens: what is asked for them, and what the answers mean.

use super::answers::{failures, large, spoilt};
use super::capabilities::check_request;
use super::{Conformance, samples};
use crate::{AccessTokens, Account, Answer, TokenOutcome};

/// Returns the account as it is when the token is asked for: with the tokens before it.
fn account_before(of: &Conformance, place: usize) -> Account {
    let before: Vec<&str> = of.tokens[..place].iter().map(|(name, _)| *name).collect();
    let mut account = of.account.clone();
    account.tokens.retain(|name, _| before.contains(name));
    account
}

fn each(of: &Conformance, mut check: impl FnMut(&dyn AccessTokens, &Account, &'static str, &Answer)) {
    let Some(tokens) = of.connector.access_tokens() else {
        assert!(of.tokens.is_empty() && of.account.tokens.is_empty(), "{} has no tokens", of.name());
        return;
    };
    // A carrier may want tokens with some accounts only; each connector has a sample with tokens.
    let has_tokens = samples().iter().any(|other| other.name() == of.name() && !other.tokens.is_empty());
    assert!(has_tokens, "{}: no sample has tokens", of.name());
    for (place, (name, good)) in of.tokens.iter().enumerate() {
        check(tokens, &account_before(of, place), name, good);
    }
}

#[test]
fn a_token_is_asked_for_with_the_ones_before_it() {
    for of in samples() {
        each(&of, |tokens, account, name, good| {
            let request = tokens.request_token(account, name);
            assert!(!request.is_purchase && request == tokens.request_token(account, name));
            check_request(&of, &request);
            let outcome = tokens.read_token(account, name, good.clone());
            let is_token = matches!(&outcome, TokenOutcome::Token { value, .. } if !value.is_empty());
            assert!(is_token, "{}: {name}: {outcome:?}", of.name());
            let TokenOutcome::Token { value, expires_in } = &outcome else { return };
            assert!(!format!("{outcome:?}").contains(value) && !expires_in.is_zero());
        });
    }
}

#[test]
fn a_task_names_the_tokens_of_the_sample() {
    for of in samples() {
        let Some(tokens) = of.connector.access_tokens() else { continue };
        let known: Vec<&str> = of.tokens.iter().map(|(name, _)| *name).collect();
        let purchases = [of.receipt.purchase.clone()];
        for (task_name, task, _) in of.tasks(&purchases) {
            let names = tokens.tokens(&of.account, &task);
            let mut places = names.iter().map(|name| known.iter().position(|known| known == name));
            assert!(places.all(|place| place.is_some()), "{}: {task_name}: {names:?}", of.name());
        }
    }
}

#[test]
fn no_failure_is_a_token_and_the_credentials_are_refused_by_the_carrier_alone() {
    for of in samples() {
        each(&of, |tokens, account, name, good| {
            let all = failures(&of).into_iter().chain(spoilt(good)).chain(large(good));
            for bad in all {
                let outcome = tokens.read_token(account, name, bad.answer.clone());
                let what = format!("{}: {name} with {}: {outcome:?}", of.name(), bad.what);
                assert!(
                    !of.secrets().iter().any(|secret| what.contains(secret)),
                    "a secret is shown. {what}"
                );
                let is_failure = match &bad.answer {
                    Answer::Response { status, .. } => {
                        !(200..300).contains(status) || bad.what.starts_with("cut")
                    }
                    Answer::Unsent(_) | Answer::Lost(_) => true,
                };
                let is_retryable = match &bad.answer {
                    Answer::Response { status, .. } => matches!(status, 408 | 429 | 500..),
                    Answer::Unsent(_) | Answer::Lost(_) => true,
                };
                match outcome {
                    TokenOutcome::Token { value, .. } => {
                        assert!(!is_failure && !value.is_empty(), "it is no token. {what}");
                    }
                    TokenOutcome::Refused(error) => {
                        assert!(!is_retryable, "it may succeed later. {what}");
                        assert!(!error.message.trim().is_empty(), "{what}");
                    }
                    TokenOutcome::Unsent { why, .. } => assert!(!why.message.trim().is_empty(), "{what}"),
                }
            }
        });
    }
}
