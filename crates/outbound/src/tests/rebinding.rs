//! Look-ups whose answer changes: the address that was judged is the one that is connected, each time.
//!
//! 127.9.9.9 is allowed and stands for a public address, with a receiver; the canaries have the same port elsewhere.

use std::sync::Arc;

use super::receiver::{Receiver, at_one_port};
use super::{Answers, client, post};
use crate::Failure;

const PUBLIC: &str = "127.9.9.9";
const ROUNDS: usize = 120;
const TASKS: usize = 8;

/// Addresses that lead to a canary.
const FORBIDDEN: [&str; 7] =
    ["127.0.0.1", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "0.0.0.0", "::", "127.9.9.8"];

/// Sends the rounds from several tasks at once; tells how many were answered and how many refused.
async fn storm(answers: Answers, port: u16) -> (usize, usize, usize) {
    let (client, answers) = client(&[&format!("{PUBLIC}/32")], answers);
    let target = client.parse_url(&format!("http://rebind.example:{port}/hook")).unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..TASKS {
        let (client, target) = (client.clone(), target.clone());
        tasks.spawn(async move {
            let mut answered = 0;
            for _ in 0..ROUNDS / TASKS {
                match client.send(post(target.clone())).await {
                    Ok(response) => {
                        assert_eq!(response.status, 200);
                        answered += 1;
                    }
                    Err(failure) => {
                        assert_eq!(failure, Failure::Unresolved { host: "rebind.example".to_owned() });
                    }
                }
            }
            answered
        });
    }
    let answered = tasks.join_all().await.into_iter().sum();
    (answered, ROUNDS - answered, answers.asked())
}

fn canaries_reached(canaries: &[Receiver]) -> usize {
    canaries.iter().map(Receiver::accepted).sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_alternates_reaches_only_what_was_judged() {
    let (port, mut servers) = at_one_port(&[PUBLIC, "127.0.0.1", "::1", "127.9.9.8"]).await;
    let receiver = servers.remove(0);
    for forbidden in FORBIDDEN {
        let before = receiver.accepted();
        let outcome = storm(Answers::turns(&[&[PUBLIC], &[forbidden]]), port).await;
        assert_eq!(outcome, (ROUNDS / 2, ROUNDS / 2, ROUNDS), "{forbidden}: one look-up for each connection");
        assert_eq!(receiver.accepted() - before, ROUNDS / 2, "{forbidden}");
    }
    assert_eq!(canaries_reached(&servers), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_mixed_answer_only_what_may_be_reached_is_tried() {
    let (port, mut servers) = at_one_port(&[PUBLIC, "127.0.0.1", "::1", "127.9.9.8"]).await;
    let receiver = servers.remove(0);
    for forbidden in FORBIDDEN {
        let before = receiver.accepted();
        let mixed: [&[&str]; 4] = [
            &[forbidden, PUBLIC],
            &[PUBLIC, forbidden],
            &[forbidden, forbidden, "::ffff:127.9.9.9", forbidden],
            &[forbidden, "127.0.0.1"],
        ];
        let outcome = storm(Answers::turns(&mixed), port).await;
        assert_eq!(outcome, (ROUNDS / 4 * 3, ROUNDS / 4, ROUNDS), "{forbidden}");
        assert_eq!(receiver.accepted() - before, ROUNDS / 4 * 3, "{forbidden}");
    }
    assert_eq!(canaries_reached(&servers), 0);
}

#[tokio::test]
async fn the_canary_is_reached_once_it_is_allowed() {
    let (port, servers) = at_one_port(&[PUBLIC, "127.0.0.1", "::1"]).await;
    let answers = Answers::turns(&[&[PUBLIC], &["127.0.0.1"], &["::1"], &["::ffff:127.0.0.1"]]);
    let (client, _) = client(&["127.0.0.0/8", "::1/128"], answers);
    let target = client.parse_url(&format!("http://rebind.example:{port}/hook")).unwrap();
    for _ in 0..8 {
        assert_eq!(client.send(post(target.clone())).await.unwrap().status, 200);
    }
    let reached: Vec<_> = servers.iter().map(Receiver::accepted).collect();
    assert_eq!(reached, [2, 4, 2]);
}

#[tokio::test]
async fn a_name_of_the_private_network_fails_as_one_that_does_not_exist() {
    let mut said = Vec::new();
    for found in [&[][..], &["10.0.0.5"], &["127.0.0.1", "::1"], &["169.254.169.254"]] {
        let (client, _) = client(&[], Answers::always(found));
        let failure = client.send(post(client.parse_url("http://shop.example/").unwrap())).await.unwrap_err();
        assert!(
            failure.to_string().starts_with("The host name shop.example has no public address."),
            "{failure}"
        );
        said.push(failure);
    }
    assert!(said.iter().all(|failure| *failure == said[0]), "{said:?}");
}

#[tokio::test]
async fn a_look_up_that_fails_or_never_ends_is_told() {
    use crate::{Addresses, Lookup, Outbound, Party, Phase};
    struct Fails;
    impl Lookup for Fails {
        fn addresses<'a>(&'a self, _: &'a str, _: Option<Party>) -> Addresses<'a> {
            Box::pin(std::future::ready(Err(std::io::Error::other("no name servers"))))
        }
    }
    struct Hangs;
    impl Lookup for Hangs {
        fn addresses<'a>(&'a self, _: &'a str, _: Option<Party>) -> Addresses<'a> {
            Box::pin(std::future::pending())
        }
    }
    let failure = async |lookup: Arc<dyn Lookup>| {
        let client = Outbound::with_lookup(&[], lookup).unwrap();
        let mut request = post(client.parse_url("https://shop.example/").unwrap());
        request.time_limit = std::time::Duration::from_millis(50);
        client.send(request).await.unwrap_err()
    };
    assert_eq!(failure(Arc::new(Fails)).await, Failure::Unresolved { host: "shop.example".to_owned() });
    let hung = failure(Arc::new(Hangs)).await;
    assert!(matches!(hung, Failure::Timeout { phase: Phase::Lookup, .. }));
    assert_eq!(hung.to_string(), "The host name was not resolved within 50 ms.");
}
