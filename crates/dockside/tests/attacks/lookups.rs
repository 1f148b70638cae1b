//! One organisation has as many webhook endpoints as it may, and none of their host names is ever resolved. Another
//! organisation's deliveries go on, although each of them looks up a name.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::client::Client;
use testkit::load::body;
use testkit::server::wait_until;

use crate::name_server::{NameServer, SILENT};
use crate::neighbour::{Unproven, attempts};
use crate::target::Target;

/// Endpoints that an organisation may have in each of its worlds.
const ENDPOINTS: usize = 50;
/// Look-ups that one organisation may have under way.
const LOOKUPS_EACH_MAX: usize = 16;
/// The other organisation's deliveries, before the attack and during it.
const DELIVERIES: usize = 20;
/// A delivery that waits for a look-up of the attack is later than this: those take half a minute.
const DELIVERED_WITHIN: Duration = Duration::from_secs(5);
/// How long the attack may need to begin, on a busy machine.
const BEGUN_WITHIN: Duration = Duration::from_secs(20);

/// Makes a webhook endpoint that gets the locations of its organisation.
fn endpoint(client: &mut Client, url: &str) {
    let endpoint = json!({"url": url, "event_types": ["location.created"]});
    let reply = client.post("/webhook_endpoints", &endpoint.to_string());
    assert_eq!(reply.status, 201, "{reply:?}");
}

/// Makes a location, which is an event for each endpoint.
fn write(client: &mut Client, name: &str) {
    assert_eq!(client.post("/locations", &body(name).to_string()).status, 201);
}

/// A receiver that closes each connection behind its answer, so that each delivery has to look up its name.
fn receiver() -> (SocketAddr, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let (sender, received) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            // A connection that the server gives up brings no delivery.
            let _broken = receive(stream, &sender);
        }
    });
    (address, received)
}

/// Reads a delivery, passes its body on, and answers.
fn receive(stream: TcpStream, received: &Sender<String>) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    while line != "\r\n" {
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let header = line.to_ascii_lowercase();
        length = header
            .strip_prefix("content-length:")
            .map_or(length, |text| text.trim().parse().expect("a number"));
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let _test_is_over = received.send(String::from_utf8(body).expect("JSON"));
    stream.get_mut().write_all(b"HTTP/1.1 204 x\r\nConnection: close\r\n\r\n")
}

/// Has events delivered one after the other. Returns the longest time that one of them took, at most [`DELIVERED_WITHIN`].
fn slowest_delivery(client: &mut Client, received: &Receiver<String>, round: &str) -> Duration {
    let deliver = |number| {
        let name = format!("{round} {number}");
        write(client, &name);
        let began = Instant::now();
        loop {
            let left = DELIVERED_WITHIN.saturating_sub(began.elapsed());
            match received.recv_timeout(left) {
                Ok(body) if body.contains(&name) => return began.elapsed(),
                // One that came late, or twice.
                Ok(_) => {}
                Err(_) => return DELIVERED_WITHIN,
            }
        }
    };
    (0..DELIVERIES).map(deliver).max().expect("deliveries")
}

#[test]
fn names_that_are_never_resolved_leave_look_ups_to_another_organisation() {
    let names = match NameServer::start() {
        Ok(names) => names,
        Err(why) => {
            println!("attacks on every engine: look-ups that hang: SKIPPED, this machine permits no {why}");
            return;
        }
    };
    attempts(|| {
        names.forget();
        let target = Target::start_within(&names.shell(), &["--outbound-allow", "127.0.0.0/8"]);
        let (address, received) = receiver();
        let mut other = target.server.client(&target.other);
        assert_eq!(other.post("/events/provision", "").status, 204);
        endpoint(&mut other, &format!("http://shop.example:{}/hook", address.port()));
        let mut worlds = [&target.token, &target.test_token()].map(|token| target.server.client(token));
        for (world, client) in worlds.iter_mut().enumerate() {
            assert_eq!(client.post("/events/provision", "").status, 204);
            for number in 0..ENDPOINTS {
                endpoint(client, &format!("http://{SILENT}-{world}-{number}.example/hook"));
            }
        }
        let quiet = slowest_delivery(&mut other, &received, "quiet");
        assert_eq!(names.silent(), 0, "the attack has not begun");
        worlds.iter_mut().for_each(|client| write(client, "attack"));
        wait_until("the look-ups hang", BEGUN_WITHIN, || names.silent() >= LOOKUPS_EACH_MAX);
        let attack = slowest_delivery(&mut other, &received, "attack");
        println!(
            "attacks on {}: {} endpoints whose names are never resolved: {} of them are looked up, another organisation's \
             slowest delivery of {DELIVERIES} took {:.0} ms, quiet {:.0} ms",
            target.engine,
            2 * ENDPOINTS,
            names.silent(),
            attack.as_secs_f64() * 1000.0,
            quiet.as_secs_f64() * 1000.0
        );
        // Stopping would wait for deliveries, which wait for their look-ups.
        target.server.kill();
        match attack < DELIVERED_WITHIN {
            true => Ok(()),
            false => Err(Unproven::TooSlow(format!("a delivery took more than {DELIVERED_WITHIN:?}"))),
        }
    });
}
