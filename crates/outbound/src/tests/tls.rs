//! TLS: certificates that are good, and what is said of those that are not.

use std::sync::Arc;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use super::receiver::{OK, Receiver, closed_by_client, read_request};
use super::{Answers, networks, post};
use crate::connect::{self, Connector};
use crate::reach::Reach;
use crate::{Failure, Outbound, Phase, Request, Response};

/// An authority, and a client that trusts it and no other.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn client(&self) -> Outbound {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).unwrap();
        let lookup = Arc::new(Answers::always(&["127.0.0.1"]));
        let reach = Reach::new(&networks(&["127.0.0.0/8"]));
        Outbound::with_connector(Connector::new(reach, lookup, roots).unwrap())
    }

    /// A receiver with a certificate from this authority.
    async fn receiver(&self, params: CertificateParams) -> Receiver {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap().der().clone();
        receiver(certificate, &key).await
    }
}

async fn receiver(certificate: CertificateDer<'static>, key: &KeyPair) -> Receiver {
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    Receiver::start(move |socket, _| serve(acceptor.clone(), socket)).await
}

async fn serve(acceptor: TlsAcceptor, socket: TcpStream) {
    let Ok(mut stream) = acceptor.accept(socket).await else { return };
    while read_request(&mut stream).await.is_some() {
        stream.write_all(OK.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
    }
}

fn names(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap()
}

async fn call(client: &Outbound, host: &str, receiver: &Receiver) -> Result<Response, Failure> {
    let url = format!("https://{host}:{}/hook", receiver.address.port());
    client.send(post(client.parse_url(&url).unwrap())).await
}

async fn told(client: &Outbound, host: &str, receiver: &Receiver) -> String {
    match call(client, host, receiver).await {
        Err(failure @ Failure::Tls { .. }) => failure.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_good_certificate_is_trusted_and_its_connection_used_again() {
    let authority = Authority::new();
    let receiver = authority.receiver(names(&["shop.example", "127.0.0.1"])).await;
    let client = authority.client();
    for _ in 0..10 {
        assert_eq!(call(&client, "shop.example", &receiver).await.unwrap().status, 200);
    }
    assert_eq!(receiver.accepted(), 1);
    assert_eq!(call(&client, "shop.example.", &receiver).await.unwrap().status, 200);
    assert_eq!(call(&client, "127.0.0.1", &receiver).await.unwrap().status, 200);
    assert_eq!(receiver.accepted(), 3, "another host has a connection of its own");
}

#[tokio::test]
async fn a_certificate_that_is_not_good_is_told() {
    let authority = Authority::new();
    let client = authority.client();

    let key = KeyPair::generate().unwrap();
    let own = names(&["shop.example"]).self_signed(&key).unwrap();
    let unknown = "No safe connection to shop.example: its certificate is not signed by an authority that this server \
                   trusts (is it self-signed, or is the intermediate certificate missing?).";
    assert_eq!(told(&client, "shop.example", &receiver(own.der().clone(), &key).await).await, unknown);
    let stranger = Authority::new().receiver(names(&["shop.example"])).await;
    assert_eq!(told(&client, "shop.example", &stranger).await, unknown);

    let other = authority.receiver(names(&["shop.example"])).await;
    assert_eq!(
        told(&client, "evil.example", &other).await,
        "No safe connection to evil.example: its certificate is for other host names."
    );
    assert!(told(&client, "127.0.0.1", &other).await.ends_with("is for other host names."));

    let mut past = names(&["shop.example"]);
    (past.not_before, past.not_after) = (date_time_ymd(2001, 1, 1), date_time_ymd(2002, 1, 1));
    assert!(told(&client, "shop.example", &authority.receiver(past).await).await.ends_with("has expired."));
    let mut future = names(&["shop.example"]);
    (future.not_before, future.not_after) = (date_time_ymd(3001, 1, 1), date_time_ymd(3002, 1, 1));
    assert!(
        told(&client, "shop.example", &authority.receiver(future).await).await.ends_with("is not valid yet.")
    );
}

#[tokio::test]
async fn the_public_authorities_do_not_vouch_for_a_stranger() {
    assert!(connect::roots().len() > 50);
    let receiver = Authority::new().receiver(names(&["shop.example"])).await;
    let lookup = Arc::new(Answers::always(&["127.0.0.1"]));
    let client = Outbound::with_lookup(&networks(&["127.0.0.0/8"]), lookup).unwrap();
    assert!(told(&client, "shop.example", &receiver).await.contains("is it self-signed"));
}

#[tokio::test]
async fn a_receiver_without_tls_is_told() {
    let client = Authority::new().client();
    let plain = Receiver::start(|mut socket, _| async move {
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        closed_by_client(&mut socket).await;
    })
    .await;
    assert_eq!(
        told(&client, "shop.example", &plain).await,
        "No safe connection to shop.example: it does not speak TLS on this port (is it an `http://` URL?)."
    );
    let closing = Receiver::start(|socket, _| async move { drop(socket) }).await;
    assert!(told(&client, "shop.example", &closing).await.contains("the TLS handshake was broken off"));
}

#[tokio::test]
async fn a_handshake_that_hangs_is_given_up() {
    let client = Authority::new().client();
    let silent = Receiver::start(|mut socket, _| async move { closed_by_client(&mut socket).await }).await;
    let url = format!("https://shop.example:{}/", silent.address.port());
    let limit = Duration::from_millis(100);
    let request = Request { time_limit: limit, ..post(client.parse_url(&url).unwrap()) };
    let failure = client.send(request).await.unwrap_err();
    assert_eq!(failure, Failure::Timeout { phase: Phase::Handshake, limit });
    assert_eq!(failure.to_string(), "The TLS handshake was not finished within 100 ms.");
}
