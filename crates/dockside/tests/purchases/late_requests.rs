//! Purchase requests that reach the carrier late: in transit when their server is killed, or not yet written when it is
//! frozen. A purchase that a look-up doesn't find yet must not be repeated while its request may still arrive.

use std::time::{Duration, Instant};

use carriers::sandbox::Mode;
use testkit::cluster::Cluster;
use testkit::random::Random;
use testkit::sandbox_carrier::SandboxCarrier;
use testkit::server::wait_until;
use testkit::shipments::{buy, create_account, create_shipment};

use crate::carrier_proxy::{CarrierProxy, Closed};
use crate::judge::{Judge, Tally};
use crate::kills::STUCK;
use crate::shipment_view::look;

/// The timeout of a carrier call, and the shorter time for which the proxy delays a purchase.
const CALL_SECONDS: &str = "3";
const ON_ITS_WAY: Duration = Duration::from_secs(2);
const SHIPMENTS: usize = 4;
/// The server is killed when this purchase is in transit: it has queued behind the earlier ones for longer than a call
/// may take.
const KILLED_AT: usize = 3;

fn has_two_servers() -> bool {
    std::env::var("TEST_DB").is_ok_and(|engine| engine == "postgres")
}

fn start() -> Cluster {
    let settings = [
        ("--outbound-allow", "127.0.0.0/8"),
        ("--carrier-seconds", CALL_SECONDS),
        // One call at a time: the other purchases queue for the permit, and are sent late.
        ("--carrier-calls-max", "1"),
    ];
    let settings: Vec<_> = settings.into_iter().flat_map(|(name, value)| [name, value]).collect();
    Cluster::start_as(&["--test"], &settings)
}

/// Makes shipments, and requests their purchase from the carrier behind the proxy.
fn ask(cluster: &Cluster, proxy: impl std::fmt::Display, count: usize) -> Vec<String> {
    let mut client = cluster.client(0);
    create_account(&mut client, Mode::LookUp, Some(&format!("http://{proxy}")));
    let shipments: Vec<_> = (0..count).map(|_| create_shipment(&mut client, "BS1 4DJ")).collect();
    for shipment in &shipments {
        let reply = buy(&mut client, shipment, Mode::LookUp, "respond-async").expect("an answer");
        assert_eq!(reply.status, 202, "{reply:?}");
    }
    shipments
}

/// Waits until one server shows all shipments as purchased, and judges.
fn judged(cluster: &Cluster, node: usize, carrier: &SandboxCarrier, shipments: &[String]) -> Tally {
    let mut view = look(&mut cluster.client(node));
    wait_until("all is purchased", STUCK, || {
        view = look(&mut cluster.client(node));
        let seen = |shipment: &String| (view[shipment].labels.len(), view[shipment].told);
        shipments.iter().all(|shipment| seen(shipment) == (1, 1))
    });
    let judge = Judge { mode: Mode::LookUp, buys_max: 1, shipments };
    judge.check(&view, &carrier.accounts()).unwrap_or_else(|what| panic!("{what}"))
}

#[test]
fn a_purchase_in_transit_when_its_server_is_killed_is_not_bought_again() {
    if has_two_servers() {
        // A second server waits until the killed one's lease expires. A single server resumes its purchases at once.
        return;
    }
    let mut cluster = start();
    let began = Instant::now();
    let carrier = SandboxCarrier::start(Mode::LookUp, &[], &mut Random::seeded("late purchases"));
    let proxy = CarrierProxy::new(&carrier.url(), ON_ITS_WAY);
    let shipments = ask(&cluster, proxy.address, SHIPMENTS);
    wait_until("a purchase is on its way", STUCK, || proxy.purchases() >= KILLED_AT);
    cluster.kill(0);
    let tally = judged(&cluster, 0, &carrier, &shipments);
    assert_eq!((tally.purchased, tally.charges), (SHIPMENTS, SHIPMENTS));
    println!(
        "purchases on {}: {SHIPMENTS} over a long proxy, a kill while one was on its way: {} charges; {:.1} s",
        cluster.engine,
        tally.charges,
        began.elapsed().as_secs_f64()
    );
    cluster.stop();
}

#[test]
fn a_server_that_was_frozen_before_it_wrote_does_not_write_any_more() {
    if !has_two_servers() {
        // There is no second server that would take over the frozen one's purchase.
        return;
    }
    let mut cluster = start();
    let began = Instant::now();
    let carrier = SandboxCarrier::start(Mode::LookUp, &[], &mut Random::seeded("frozen purchases"));
    let closed = Closed::new();
    cluster.servers[1].signal("STOP");
    let shipments = ask(&cluster, closed.address, 1);
    wait_until("it tries to connect", STUCK, || closed.is_tried());
    cluster.servers[0].signal("STOP");
    // The frozen server's connection is accepted now; the server would write its request after it resumes.
    let (proxy, standing) = closed.open(&carrier.url());
    cluster.servers[1].signal("CONT");
    let tally = judged(&cluster, 1, &carrier, &shipments);
    assert_eq!((tally.charges, proxy.purchases()), (1, 1), "the other server has bought it");
    cluster.servers[0].signal("CONT");
    wait_until("it hangs up, or writes", STUCK, || proxy.silent() > standing || proxy.purchases() > 1);
    let tally = judged(&cluster, 0, &carrier, &shipments);
    assert_eq!((tally.charges, proxy.purchases()), (1, 1), "a server that had lost it bought it again");
    println!(
        "purchases on {}: a server frozen before it wrote, another one bought: {} charge; {:.1} s",
        cluster.engine,
        tally.charges,
        began.elapsed().as_secs_f64()
    );
    cluster.stop();
}
