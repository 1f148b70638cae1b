//! A corpus of hostile URLs against a canary on loopback: nothing reaches it. And the reverse, so that the test can
//! fail: where loopback is allowed, the same forms do reach it.

use std::collections::HashSet;

use super::receiver::{Receiver, at_one_port};
use super::{Answers, client, post};
use crate::Failure;
use crate::target::Named;

/// What a look-up may answer for a host that wants to reach the machine itself.
const LOOPBACK_ANSWERS: [&[&str]; 5] =
    [&["127.0.0.1"], &["::1"], &["::ffff:127.0.0.1"], &["127.0.0.1", "::1"], &["0.0.0.0", "::"]];

struct Hostile {
    kind: &'static str,
    url: String,
    why: &'static str,
}

fn corpus(port: u16) -> Vec<Hostile> {
    let lines = include_str!("hostile_urls.tsv").split('\n').filter(|line| !line.starts_with('#'));
    let read = |line: &'static str| {
        let [kind, url, why] = line.split('\t').collect::<Vec<_>>().try_into().expect(line);
        Hostile { kind, url: unescape(url).replace("{port}", &port.to_string()), why }
    };
    lines.filter(|line| !line.is_empty()).map(read).collect()
}

/// Puts characters in the place of `\u{…}`.
fn unescape(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_once('}').unwrap();
        whole.extend(char::from_u32(u32::from_str_radix(digits, 16).unwrap()));
        whole.push_str(rest);
    }
    whole
}

fn count(canaries: &[Receiver]) -> usize {
    canaries.iter().map(Receiver::accepted).sum()
}

#[tokio::test]
async fn no_hostile_url_reaches_the_canary() {
    let (port, canaries) = at_one_port(&["127.0.0.1", "::1"]).await;
    let corpus = corpus(port);
    let distinct: HashSet<_> = corpus.iter().map(|hostile| &hostile.url).collect();
    assert!(corpus.len() >= 150 && distinct.len() == corpus.len(), "{}", corpus.len());
    let (client, answers) = client(&[], Answers::turns(&LOOPBACK_ANSWERS));
    let mut asked = 0;
    for Hostile { kind, url, why } in &corpus {
        match client.parse_url(url) {
            Err(refusal) => {
                assert_ne!(*kind, "name", "{url:?} ({why}): {refusal}");
                let is_judged = refusal.to_string().contains("not a public address");
                assert_eq!(is_judged, *kind != "malformed", "{url:?} ({why}): {refusal}");
            }
            Ok(target) => {
                // An address is never sent to from here: if it was let through, that is the failure.
                assert!(matches!(target.origin().host, Named::Name(_)), "{url:?} ({why}) was let through");
                assert_eq!(*kind, "name", "{url:?} ({why}) is read as {}", target.as_str());
                for _ in LOOPBACK_ANSWERS {
                    let failure = client.send(post(target.clone())).await.unwrap_err();
                    assert!(matches!(failure, Failure::Unresolved { .. }), "{url:?} ({why}): {failure}");
                    asked += 1;
                    assert_eq!(answers.asked(), asked);
                }
            }
        }
    }
    assert_eq!(count(&canaries), 0);
}

#[tokio::test]
async fn where_loopback_is_allowed_the_same_urls_reach_the_canary() {
    let (port, canaries) = at_one_port(&["127.0.0.1", "::1"]).await;
    let (client, _) = client(&["127.0.0.0/8", "::1/128"], Answers::turns(&LOOPBACK_ANSWERS[..4]));
    let mut reached = 0;
    for Hostile { kind, url, why } in corpus(port) {
        match (kind, client.parse_url(&url)) {
            ("loopback" | "name", Ok(target)) => {
                let is_https = target.is_https();
                let outcome = client.send(post(target)).await;
                // The canary speaks no TLS, but the connection counts.
                let is_as_expected = match &outcome {
                    Ok(response) => !is_https && response.status == 200,
                    Err(failure) => is_https && matches!(failure, Failure::Tls { .. }),
                };
                assert!(is_as_expected, "{url:?} ({why}): {outcome:?}");
                reached += 1;
                assert_eq!(count(&canaries), reached, "{url:?} ({why})");
            }
            ("loopback" | "name", Err(refusal)) => panic!("{url:?} ({why}): {refusal}"),
            ("malformed", read) => assert!(read.is_err(), "{url:?} ({why})"),
            (_, _) => {}
        }
    }
    assert!(reached >= 80, "{reached}");
    assert!(canaries.iter().all(|canary| canary.accepted() > 0));
}

#[tokio::test]
async fn the_machines_own_look_up_is_judged_too() {
    let (port, canaries) = at_one_port(&["127.0.0.1", "::1"]).await;
    let url = format!("http://localhost:{port}/");
    let closed = crate::Outbound::new(&[]).unwrap();
    let failure = closed.send(post(closed.parse_url(&url).unwrap())).await.unwrap_err();
    assert_eq!(failure, Failure::Unresolved { host: "localhost".to_owned() });
    assert_eq!(count(&canaries), 0);
    let open = crate::Outbound::new(&super::networks(&["127.0.0.0/8", "::1/128"])).unwrap();
    let response = open.send(post(open.parse_url(&url).unwrap())).await.unwrap();
    assert_eq!((response.status, count(&canaries)), (200, 1));
}

#[test]
fn a_refusal_says_what_to_do() {
    let (client, _) = client(&[], Answers::always(&[]));
    let said = |url: &str| client.parse_url(url).unwrap_err().to_string();
    assert_eq!(
        said("http://0x7f.1/"),
        "The URL leads to 127.0.0.1, which is not a public address. The operator may allow its network in the \
         setting `outbound_allow`."
    );
    assert_eq!(said("ftp://example.com/"), "The URL must begin with `https://` or `http://`.");
    assert_eq!(said("example.com/hook"), "The URL can't be read: relative URL without a base.");
    assert_eq!(said("https://a:b@example.com/"), "The URL must not carry a user name or password.");
    assert_eq!(
        said(&format!("https://example.com/{}", "a".repeat(2048))),
        "The URL is longer than 2048 bytes."
    );
    let long = format!("https://{}example.com/", "a.".repeat(130));
    assert_eq!(said(&long), "The host name in the URL is too long.");
    let target = client.parse_url("HTTPS://Example.COM:443/a b".replace(' ', "%20").as_str()).unwrap();
    assert_eq!(target.as_str(), "https://example.com/a%20b");
}

#[tokio::test]
async fn what_is_private_goes_unencrypted_to_allowed_networks_alone() {
    let said = |client: &crate::Outbound, url: &str| match client.parse_private_url(url) {
        Ok(_) => String::new(),
        Err(refusal) => refusal.to_string(),
    };
    let (closed, _) = client(&[], Answers::always(&["93.184.215.14"]));
    let (open, _) = client(&["127.0.0.0/8"], Answers::always(&["93.184.215.14"]));
    for url in ["http://carrier.example/", "http://93.184.215.14/"] {
        assert!(said(&closed, url).contains("must begin with `https://`"), "{url}");
        assert_eq!(said(&closed, &url.replace("http:", "https:")), "");
    }
    assert!(said(&open, "http://93.184.215.14/").contains("must begin with `https://`"));
    assert_eq!(said(&open, "http://127.0.0.1:4010/"), "");
    // Where a name leads is known when it is called, and then it is refused before anything is connected.
    let target = open.parse_private_url("http://carrier.example/").unwrap();
    let failure = open.send(post(target)).await.unwrap_err();
    assert_eq!(failure, Failure::Unencrypted { host: "carrier.example".to_owned() });

    let (port, receivers) = at_one_port(&["127.0.0.1"]).await;
    let (local, _) = client(&["127.0.0.0/8"], Answers::always(&["93.184.215.14", "127.0.0.1"]));
    let url = format!("http://carrier.example:{port}/");
    let answer = local.send(post(local.parse_private_url(&url).unwrap())).await.unwrap();
    assert_eq!((answer.status, count(&receivers)), (200, 1));
}
