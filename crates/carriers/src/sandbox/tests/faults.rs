//! Each fault, with probability one.

use std::time::Duration;

use super::*;
use crate::sandbox::desk::{Fault, Faults};

fn struck(fault: Fault, mode: Mode) -> World {
    let mut world = World::new(mode);
    world.desk.faults = Faults::default().with(fault, 1.0);
    world
}

#[test]
fn every_fault_does_what_it_says() {
    for (name, fault, _) in Fault::ALL {
        let mut world = struck(*fault, Mode::LookUp);
        let outcome = world.buy("BS1 4DJ");
        let (expected, charges) = match fault {
            Fault::Slow | Fault::RatesUnavailable => ("bought", 1),
            Fault::Rejected => ("rejected", 0),
            Fault::LostBefore | Fault::ErrorBefore => ("unknown", 0),
            Fault::LostAfter | Fault::ErrorAfter => ("unknown", 1),
            Fault::Doubled => ("unknown", 2),
        };
        assert_eq!((kind(&outcome), world.charges()), (expected, charges), "{name}");
        let delay = if *fault == Fault::Slow { 3 } else { 0 };
        assert_eq!(world.delay(), Duration::from_secs(delay), "{name}");
        let is_lost = matches!(fault, Fault::LostBefore | Fault::LostAfter | Fault::Doubled);
        assert_eq!(world.last.as_ref().map(|reply| reply.is_cut), Some(is_lost), "{name}");
        // After the faults end, a look-up shows what was charged.
        world.desk.faults = Faults::default();
        assert_eq!(world.found().len(), charges, "{name}");
    }
}

#[test]
fn rates_may_be_unavailable() {
    let mut world = struck(Fault::RatesUnavailable, Mode::Idempotent);
    assert!(matches!(world.rate("BS1 4DJ"), Outcome::Quoted(quotes) if quotes.quotes.is_empty()));
}

#[test]
fn what_was_done_and_lost_is_answered_when_it_is_asked_again() {
    for fault in [Fault::LostAfter, Fault::ErrorAfter, Fault::Doubled] {
        let mut world = struck(fault, Mode::Idempotent);
        assert_eq!(kind(&world.buy("BS1 4DJ")), "unknown");
        let receipt = bought(world.buy("BS1 4DJ"));
        if fault != Fault::Doubled {
            assert_eq!(kind(&world.run(&Task::Void(&receipt))), "unsent");
        }
        assert_eq!(world.run(&Task::Void(&receipt)), Outcome::Voided);
    }
}

/// A failed look-up is recorded, so that the next one does not get the same fault.
#[test]
fn no_fate_lasts_for_ever() {
    let mut world = World::new(Mode::LookUp);
    bought(world.buy("BS1 4DJ"));
    world.desk.faults = Faults::default().with(Fault::LostBefore, 0.9);
    let tries = (0..200).take_while(|_| kind(&world.look_up()) == "unsent").count();
    assert!(tries < 200);
}

#[test]
fn latency_is_added_to_every_answer() {
    let mut world = World::new(Mode::Idempotent);
    world.desk.latency = Duration::from_millis(40);
    world.rate("BS1 4DJ");
    assert_eq!(world.delay(), Duration::from_millis(40));
    world.buy("SBX-SLOW-3");
    assert_eq!(world.delay(), Duration::from_millis(3040));
}
