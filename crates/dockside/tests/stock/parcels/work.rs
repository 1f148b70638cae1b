//! The rules of the reference model for what jobs do: purchases and voids end, parcels travel, manifests hand over.
//!
//! Jobs end several things at once, and in no given order. If stock is short, the order decides who gets it. So a job has
//! several possible outcomes, and the product must have one of them.

use std::collections::BTreeSet;

use super::shipment::{BatchStatus, Destination, ShipmentStatus};
use crate::reference_model::{Allocation, ReferenceModel};

/// Refused attempts before the carrier sells a shipment to a flaky destination.
const FLAKY_ATTEMPTS: u32 = 2;
/// Hours until a parcel is with the carrier, and until it is delivered.
const COLLECTED_HOURS: i64 = 1;
const DELIVERED_HOURS: i64 = 30;
/// Events of one job beyond which not all of their orders are tried.
const EVENTS_MAX: usize = 6;

/// Something that a job does to the stock of an order.
#[derive(Clone, Copy, Debug, PartialEq)]
enum JobEvent {
    Bought(usize),
    Voided(usize),
    HandedOver(usize),
}

impl ReferenceModel {
    /// Lets hours pass, and then the jobs do all that is due. Returns the possible outcomes.
    pub fn work(&mut self, hours: i64) -> Vec<ReferenceModel> {
        self.hours += hours;
        self.begin_batches();
        let mut events = self.end_purchases(hours > 0);
        let rejected = self.end_voids(&mut events);
        self.travel(hours > 0, &rejected, &mut events);
        self.outcomes(&events)
    }

    /// Closes out the day of a location. Returns the possible outcomes.
    pub fn manifest(&mut self, location: usize) -> Vec<ReferenceModel> {
        let mut events = Vec::new();
        for (number, shipment) in self.shipments.iter_mut().enumerate() {
            let is_open = shipment.status == ShipmentStatus::Purchased && !shipment.is_voiding;
            if shipment.location == location && is_open && !shipment.is_manifested {
                shipment.is_manifested = true;
                // Nothing waits for the hand-over of a shipment without an order.
                if shipment.order.is_some() {
                    events.push(JobEvent::HandedOver(number));
                }
            }
        }
        self.outcomes(&events)
    }

    fn begin_batches(&mut self) {
        for batch in 0..self.batches.len() {
            if self.batches[batch].status != BatchStatus::Purchasing || self.batches[batch].is_begun {
                continue;
            }
            for number in 0..self.shipments.len() {
                let member = &self.shipments[number];
                if !member.is_there || member.batch != Some(batch) || !member.status.is_open() {
                    continue;
                }
                match self.begin_purchase(number) {
                    Ok(()) => self.shipments[number].is_bought_by_batch = true,
                    Err((_, code)) => self.refuse_purchase(number, code),
                }
            }
            self.batches[batch].is_begun = true;
            self.follow_batch(batch);
        }
    }

    fn end_purchases(&mut self, is_later: bool) -> Vec<JobEvent> {
        let mut events = Vec::new();
        for number in 0..self.shipments.len() {
            let shipment = &mut self.shipments[number];
            if shipment.status != ShipmentStatus::Purchasing || !(shipment.is_due || is_later) {
                continue;
            }
            let earlier = shipment.attempts;
            shipment.attempts += 1;
            shipment.is_due = false;
            match shipment.destination {
                Destination::Flaky if earlier < FLAKY_ATTEMPTS => continue,
                Destination::Declined => self.refuse_purchase(number, "purchase_declined"),
                _ => {
                    shipment.status = ShipmentStatus::Purchased;
                    shipment.bought_at = self.hours;
                    if !shipment.is_completing_on_hand_over {
                        events.push(JobEvent::Bought(number));
                    }
                }
            }
            if let Some(batch) = self.shipments[number].batch {
                self.follow_batch(batch);
            }
        }
        events
    }

    /// Ends the voids that were asked for. Returns the shipments that the carrier does not take back.
    fn end_voids(&mut self, events: &mut Vec<JobEvent>) -> BTreeSet<usize> {
        let mut rejected = BTreeSet::new();
        for number in 0..self.shipments.len() {
            let shipment = &mut self.shipments[number];
            if !std::mem::take(&mut shipment.is_voiding) {
                continue;
            }
            if shipment.destination == Destination::VoidRejected {
                rejected.insert(number);
                continue;
            }
            shipment.status = ShipmentStatus::Voided;
            events.push(JobEvent::Voided(number));
        }
        rejected
    }

    /// Asks the carrier where the parcels are. It asks at once about a parcel whose void was rejected.
    fn travel(&mut self, is_later: bool, rejected: &BTreeSet<usize>, events: &mut Vec<JobEvent>) {
        for number in 0..self.shipments.len() {
            let shipment = &mut self.shipments[number];
            let age = self.hours - shipment.bought_at;
            let is_asked = (is_later && age > 0) || rejected.contains(&number);
            if shipment.status != ShipmentStatus::Purchased || !is_asked || age < COLLECTED_HOURS {
                continue;
            }
            shipment.is_delivered |= age >= DELIVERED_HOURS || shipment.destination == Destination::Near;
            if !shipment.is_handed_over {
                events.push(JobEvent::HandedOver(number));
            }
        }
    }

    /// Returns the outcomes of all orders of the events: mostly one.
    fn outcomes(&self, events: &[JobEvent]) -> Vec<ReferenceModel> {
        let mut outcomes: Vec<ReferenceModel> = Vec::new();
        for order in orders_of(events) {
            let mut outcome = self.clone();
            order.into_iter().for_each(|event| outcome.happen(event));
            if !outcomes.iter().any(|known| known.allocations == outcome.allocations) {
                outcomes.push(outcome);
            }
        }
        outcomes
    }

    fn happen(&mut self, event: JobEvent) {
        match event {
            JobEvent::Bought(shipment) => self.complete(shipment),
            JobEvent::Voided(shipment) => self.take_out(shipment),
            JobEvent::HandedOver(shipment) => self.record_hand_over(shipment),
        }
    }

    /// Records that the carrier has a shipment, unless that is known.
    pub fn record_hand_over(&mut self, shipment: usize) {
        let known = &mut self.shipments[shipment];
        if !std::mem::replace(&mut known.is_handed_over, true) && known.is_completing_on_hand_over {
            self.complete(shipment);
        }
    }

    /// Completes what a shipment holds and takes its stock. What is short stays open.
    fn complete(&mut self, shipment: usize) {
        let Some(order) = self.shipments[shipment].order else { return };
        let mut is_short = false;
        for held in self.allocations.iter_mut().filter(|held| held.shipment == Some(shipment)) {
            if held.is_completed {
                continue;
            }
            let level = self.levels.get_mut(&(held.item, held.location));
            if level.as_ref().is_some_and(|on_hand| **on_hand < held.quantity) {
                is_short = true;
                continue;
            }
            held.took_stock = level.is_some();
            if let Some(on_hand) = level {
                *on_hand -= held.quantity;
            }
            (held.is_completed, held.completed_by) = (true, Some(shipment));
        }
        if is_short {
            self.raise(order, "stock_short", shipment);
        }
        self.follow(order);
    }

    /// Takes the units out of a shipment that is voided. What it completed is open again; its stock is back, unless the carrier
    /// has it.
    fn take_out(&mut self, shipment: usize) {
        let is_with_carrier = self.shipments[shipment].is_handed_over;
        let is_reopened = |held: &&mut Allocation| held.is_there && held.completed_by == Some(shipment);
        for held in self.allocations.iter_mut().filter(is_reopened) {
            let level = self.levels.get_mut(&(held.item, held.location));
            if let Some(on_hand) = level.filter(|_| held.took_stock && !is_with_carrier) {
                *on_hand += held.quantity;
            }
            (held.is_completed, held.took_stock, held.completed_by) = (false, false, None);
        }
        self.empty_shipment(shipment);
        let Some(order) = self.shipments[shipment].order else { return };
        if is_with_carrier {
            self.raise(order, "voided_after_scan", shipment);
        }
        self.follow(order);
    }
}

/// Returns the events in all orders; if there are many, only as they are and backwards.
fn orders_of(events: &[JobEvent]) -> Vec<Vec<JobEvent>> {
    if events.len() > EVENTS_MAX {
        return vec![events.to_vec(), events.iter().rev().copied().collect()];
    }
    let Some((first, rest)) = events.split_first() else { return vec![Vec::new()] };
    let mut orders = Vec::new();
    for order in orders_of(rest) {
        for place in 0..=order.len() {
            let mut order = order.clone();
            order.insert(place, *first);
            orders.push(order);
        }
    }
    orders
}
