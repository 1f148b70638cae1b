//! What a connector declares is what it does, and what it sends can be sent.

use std::collections::BTreeSet;

use model::shipping::shipment::options::LabelFormat;

use super::play::play;
use super::{Conformance, REFERENCE, day, samples};
use crate::{ALL, Address, Label, Outcome, Request, Step, Task};

/// Credentials that a carrier takes in the address of a request alone: DHL's tracking has no other place for them. Dockside writes no
/// address into its log.
const IN_ADDRESSES: [(&str, &str); 2] =
    [("dhl_parcel_de", "tracking_username"), ("dhl_parcel_de", "tracking_password")];
/// An address that an operator could set.
const OPERATOR: &str = "http://127.0.0.1:9/elsewhere";

#[test]
fn every_connector_is_tried() {
    let tried: BTreeSet<_> = samples().iter().map(Conformance::name).collect();
    let all: BTreeSet<_> = ALL.iter().map(|connector| connector.handle()).collect();
    assert_eq!(tried, all);
}

#[test]
fn a_task_that_succeeds_gives_what_it_is_for() {
    for of in samples() {
        let purchases = [of.receipt.purchase.clone()];
        let can = of.connector.capabilities(&of.account);
        for (name, task, good) in of.tasks(&purchases) {
            let is_offered = match task {
                Task::LookUp { .. } => can.can_look_up,
                Task::Void(_) => can.can_void,
                Task::Track(_) => can.can_track,
                Task::Manifest { .. } => can.can_manifest,
                Task::Rate(_) | Task::Prepare(_) | Task::Buy { .. } | Task::Label { .. } => true,
            };
            if !is_offered {
                assert!(good.is_empty(), "{}: {name} is not among the capabilities", of.name());
                continue;
            }
            let played = play(&of, &task, good);
            assert_eq!(played.sent.len(), good.len(), "{}: {name}: exchanges", of.name());
            let is_done = match (&task, &played.outcome) {
                (Task::Rate(_), Outcome::Quoted(quotes)) => {
                    quotes.quotes.iter().all(|quote| quote.amount >= 0 && !quote.service.is_empty())
                }
                (Task::Prepare(_), Outcome::Prepared(name)) => !name.is_empty(),
                (Task::Buy { .. }, Outcome::Bought(receipt)) => is_receipt(&of, receipt),
                (Task::LookUp { .. }, Outcome::Found(found)) => good.is_empty() || !found.is_empty(),
                (Task::Void(_), Outcome::Voided | Outcome::Voiding)
                | (Task::Track(_), Outcome::Tracked(_))
                | (Task::Label { .. }, Outcome::Labelled(_))
                | (Task::Manifest { .. }, Outcome::Manifested(_) | Outcome::Manifesting(_)) => true,
                // A carrier that gives no rates, or has every label at once, says so.
                (Task::Rate(_) | Task::Label { .. }, Outcome::Rejected(_)) => good.is_empty(),
                _ => false,
            };
            assert!(is_done, "{}: {name}: {:?}", of.name(), played.outcome);
        }
    }
}

fn is_receipt(of: &Conformance, receipt: &crate::Receipt) -> bool {
    let packages = of.parcel.details().packages.len();
    let can = of.connector.capabilities(&of.account);
    let is_currency = |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    let draws = receipt.labels.contains(&Label::Ours);
    !receipt.purchase.is_empty()
        && receipt.charged >= 0
        && (receipt.currency.is_empty() || is_currency(&receipt.currency))
        && receipt.tracking_numbers.len() <= packages
        && [0, 1, packages].contains(&receipt.labels.len())
        && (!draws || can.label_formats.is_empty())
        && packages <= can.packages_max
}

#[test]
fn what_is_sent_can_be_sent_and_is_the_same_each_time() {
    for of in samples() {
        let purchases = [of.receipt.purchase.clone()];
        for (name, task, good) in of.tasks(&purchases) {
            let (one, other) = (play(&of, &task, good), play(&of, &task, good));
            assert_eq!(one.sent, other.sent, "{}: {name}", of.name());
            let is_purchase = matches!(task, Task::Buy { .. });
            assert_eq!(
                one.purchases(),
                usize::from(is_purchase && !good.is_empty()),
                "{}: {name}",
                of.name()
            );
            one.sent.iter().for_each(|request| check_request(&of, request));
        }
    }
}

/// Checks that a request can be written: the service takes the names of headers as they are.
pub fn check_request(of: &Conformance, request: &Request) {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let is_value = |value: &str| value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    for (name, value) in &request.headers {
        assert!(is_name(name) && is_value(value), "{}: {name}", of.name());
    }
    let is_url = request.url.bytes().all(|byte| byte.is_ascii_graphic());
    assert!(is_url, "{}: {}", of.name(), request.url);
    // Addresses are logged, at least by the carrier and what is between.
    let is_demanded = |secret: &str| {
        let mut known = IN_ADDRESSES.iter().filter(|(carrier, _)| *carrier == of.name());
        known.any(|(_, name)| of.account.credentials.get(*name).is_some_and(|value| value == secret))
    };
    let is_shown = |secret: &str| !is_demanded(secret) && request.url.contains(secret);
    assert!(!of.secrets().into_iter().any(is_shown), "{}", of.name());
}

#[test]
fn requests_go_to_the_address_that_the_operator_sets() {
    for mut of in samples() {
        let Address::Known(_) = of.connector.address() else { continue };
        for url in [OPERATOR.to_owned(), format!("{OPERATOR}/")] {
            of.account.url = Some(url);
            let purchases = [of.receipt.purchase.clone()];
            let mut requests = Vec::new();
            for (_, task, good) in of.tasks(&purchases) {
                requests.extend(play(&of, &task, good).sent);
            }
            let tokens = of.connector.access_tokens();
            let names = of.tokens.iter().map(|(name, _)| *name);
            requests.extend(tokens.into_iter().flat_map(|tokens| {
                names.clone().map(|name| tokens.request_token(&of.account, name)).collect::<Vec<_>>()
            }));
            for request in requests {
                let rest = request.url.strip_prefix(OPERATOR).and_then(|rest| rest.strip_prefix('/'));
                assert!(rest.is_some_and(|rest| !rest.starts_with('/')), "{}: {}", of.name(), request.url);
            }
        }
    }
}

#[test]
fn without_an_operator_s_address_requests_are_encrypted() {
    for of in samples() {
        let Address::Known(base) = of.connector.address() else { continue };
        assert!(base.starts_with("https://"), "{}", of.name());
        let purchases = [of.receipt.purchase.clone()];
        for (name, task, good) in of.tasks(&purchases) {
            let sent = play(&of, &task, good).sent;
            assert!(sent.iter().all(|request| request.url.starts_with("https://")), "{}: {name}", of.name());
        }
    }
}

#[test]
fn a_purchase_carries_its_reference() {
    for of in samples() {
        let can = of.connector.capabilities(&of.account);
        let buy = |reference: &str| {
            let (parcel, service, prepared) = (&of.parcel, of.service, of.prepared);
            let (format, ship_on) = (LabelFormat::Png, day());
            let task = Task::Buy { parcel, service, reference, prepared, format, ship_on };
            play(&of, &task, &of.buy).sent.into_iter().find(|request| request.is_purchase)
        };
        // What was prepared under the reference carries it too.
        if (can.is_idempotent || can.can_look_up) && of.prepare.is_empty() && !of.buy.is_empty() {
            assert!(buy(REFERENCE) != buy("shp_00000000000000000000000008"), "{}", of.name());
        }
    }
}

#[test]
fn what_is_not_offered_is_refused_and_nothing_is_sent() {
    for of in samples() {
        let purchases = [of.receipt.purchase.clone()];
        let can = of.connector.capabilities(&of.account);
        for (name, task, _) in of.tasks(&purchases) {
            let is_offered = match task {
                Task::LookUp { .. } => can.can_look_up,
                Task::Void(_) => can.can_void,
                Task::Track(_) => can.can_track,
                Task::Manifest { .. } => can.can_manifest,
                _ => true,
            };
            let step = of.connector.begin(&of.account, &task);
            assert!(is_offered || matches!(step, Step::Done(_)), "{}: {name}", of.name());
        }
    }
}
