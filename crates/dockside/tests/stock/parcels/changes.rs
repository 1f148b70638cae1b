//! The rules of the reference model for requests about orders and shipments.

use super::requests::ParcelRequest;
use super::shipment::{Batch, BatchStatus, Destination, ShipmentStatus};
use crate::reference_model::{Answer, CANCELLED, Checked, NOT_FOUND, ReferenceModel, Status, ensure};

/// The status of a success: done, or under way.
type Done = Result<u16, Answer>;

impl ReferenceModel {
    /// Applies a request, or refuses all of it. Plans are applied once their answer is known, and jobs have no answer.
    pub fn answer_parcel(&mut self, request: &ParcelRequest) -> Answer {
        let done = match request {
            ParcelRequest::Stock(request) => return self.answer(request),
            ParcelRequest::CreateOrder { status, items, destination } => {
                let made = self.create_order(status, items);
                if made.is_ok() {
                    self.parcels_mut(self.orders.len() - 1).destination = *destination;
                }
                made.map(|()| 201)
            }
            ParcelRequest::Plan { order } => self.check_plan(*order).map(|()| 200),
            ParcelRequest::Hold { order } => self.hold(*order).map(|()| 200),
            ParcelRequest::EndHold { order } => self.end_hold(*order).map(|()| 200),
            ParcelRequest::Resolve { order, exception } => self.resolve(*order, *exception).map(|()| 200),
            ParcelRequest::Redirect { order, destination } => {
                self.redirect(*order, *destination).map(|()| 200)
            }
            ParcelRequest::Ship(request) => self.ship(request).map(|()| 201),
            ParcelRequest::DeleteShipment { shipment } => self.delete_shipment(*shipment).map(|()| 204),
            ParcelRequest::Buy { shipment, is_other_service } => self.buy(*shipment, *is_other_service),
            ParcelRequest::MakeBatch { shipments } => self.make_batch(shipments).map(|()| 201),
            ParcelRequest::BuyLastBatch => self.buy_batch(self.batches.len() - 1),
            ParcelRequest::BuyBatch { batch } => self.buy_batch(*batch),
            ParcelRequest::Void { shipment } => self.void(*shipment),
            ParcelRequest::HandOver { shipment } => self.hand_over(*shipment).map(|()| 200),
            ParcelRequest::Scan(request) => self.scan(request).map(|()| 201),
            ParcelRequest::UndoScan { shipment, name } => self.undo_scan(*shipment, *name).map(|()| 204),
            ParcelRequest::Short(request) => self.short(request).map(|()| 201),
            ParcelRequest::StartWave(request) => self.start_wave(request).map(|()| 201),
            ParcelRequest::CancelWave { wave } => self.cancel_wave(*wave).map(|()| 200),
            ParcelRequest::RetryWave { wave } => self.retry_wave(*wave).map(|()| 200),
            ParcelRequest::Manifest { .. } | ParcelRequest::Work { .. } | ParcelRequest::WorkWaves => Ok(200),
        };
        done.map_or_else(|refusal| refusal, |status| (status, ""))
    }

    fn hold(&mut self, order: usize) -> Checked {
        match self.order(order)?.status {
            Status::Fulfilled => return Err((409, "order_fulfilled")),
            Status::Cancelled => return Err(CANCELLED),
            Status::Draft | Status::Committed => {}
        }
        self.parcels_mut(order).is_held = true;
        Ok(())
    }

    fn end_hold(&mut self, order: usize) -> Checked {
        self.order(order)?;
        self.parcels_mut(order).is_held = false;
        Ok(())
    }

    fn resolve(&mut self, order: usize, exception: usize) -> Checked {
        self.order(order)?;
        let found = self.parcels_mut(order).exceptions.get_mut(exception).ok_or(NOT_FOUND)?;
        found.is_resolved = true;
        Ok(())
    }

    /// Sends an order elsewhere, with its shipments that are not bought.
    fn redirect(&mut self, order: usize, destination: Option<Destination>) -> Checked {
        if self.order(order)?.parcels.destination == destination {
            return Ok(());
        }
        self.ensure_unbought(order)?;
        if let Some(destination) = destination {
            let open = self.shipments_of(order).filter(|number| self.shipments[*number].status.is_open());
            let open: Vec<_> = open.collect();
            for shipment in &open {
                self.ensure_changeable(*shipment)?;
            }
            for number in open {
                let shipment = &mut self.shipments[number];
                // What did not change for the carrier keeps the error of its purchase.
                if shipment.destination != destination {
                    shipment.unrate();
                }
                shipment.destination = destination;
            }
        }
        self.parcels_mut(order).destination = destination;
        Ok(())
    }

    /// Returns the number of a shipment that exists.
    pub fn known(&self, shipment: usize) -> Result<usize, Answer> {
        let is_there = self.shipments.get(shipment).is_some_and(|known| known.is_there);
        if is_there { Ok(shipment) } else { Err(NOT_FOUND) }
    }

    fn delete_shipment(&mut self, shipment: usize) -> Checked {
        self.ensure_changeable(self.known(shipment)?)?;
        ensure_open(self.shipments[shipment].status)?;
        self.remove_shipment(shipment);
        Ok(())
    }

    /// Begins a purchase. The job carries it out.
    pub fn buy(&mut self, shipment: usize, is_other_service: bool) -> Done {
        let known = &self.shipments[self.known(shipment)?];
        if known.status.is_bought() && !is_other_service {
            let is_under_way = known.status == ShipmentStatus::Purchasing || known.is_voiding;
            return Ok(if is_under_way { 202 } else { 200 });
        }
        ensure_open(known.status)?;
        self.ensure_changeable(shipment)?;
        match self.begin_purchase(shipment) {
            Err(refusal) if refusal.1 != "insufficient_stock" => Err(refusal),
            Err((_, code)) => {
                self.refuse_purchase(shipment, code);
                Ok(200)
            }
            Ok(()) => Ok(202),
        }
    }

    /// Begins the purchase of an open shipment, unless its order or its stock forbids it.
    pub fn begin_purchase(&mut self, shipment: usize) -> Checked {
        if let Some(order) = self.shipments[shipment].order {
            Self::refusal(self.order(order)?)?;
        }
        let held =
            self.allocations.iter().filter(|held| held.shipment == Some(shipment) && !held.is_completed);
        for at in held.map(|held| (held.item, held.location)) {
            let inside = self.allocations.iter().filter(|held| held.shipment == Some(shipment));
            let inside = inside.filter(|held| !held.is_completed && (held.item, held.location) == at);
            let needed: i64 = inside.map(|held| held.quantity).sum();
            let bought = self.packed(at, ShipmentStatus::is_bought);
            let is_there = self.levels.get(&at).is_none_or(|on_hand| on_hand - bought >= needed);
            ensure(is_there, (409, "insufficient_stock"))?;
        }
        let begun = &mut self.shipments[shipment];
        (begun.status, begun.error, begun.is_due) = (ShipmentStatus::Purchasing, None, true);
        (begun.is_service_chosen, begun.is_bought_by_batch) = (true, false);
        Ok(())
    }

    /// Shows why a purchase was not begun.
    pub fn refuse_purchase(&mut self, shipment: usize, code: &'static str) {
        let refused = &mut self.shipments[shipment];
        (refused.status, refused.error) = (ShipmentStatus::PurchaseFailed, Some(code));
    }

    /// Makes a batch of shipments. Its purchase is requested next.
    fn make_batch(&mut self, shipments: &[usize]) -> Checked {
        ensure(shipments.iter().all(|shipment| self.known(*shipment).is_ok()), (422, "shipment_not_found"))?;
        let members = || shipments.iter().map(|shipment| &self.shipments[*shipment]);
        for status in [ShipmentStatus::Purchased, ShipmentStatus::Voided, ShipmentStatus::Purchasing] {
            ensure(
                !members().any(|member| member.status == status),
                ensure_open(status).err().unwrap_or(NOT_FOUND),
            )?;
        }
        ensure(!members().any(|member| member.batch.is_some()), (409, "shipment_in_other_batch"))?;
        for shipment in shipments {
            self.shipments[*shipment].batch = Some(self.batches.len());
        }
        self.batches.push(Batch { status: BatchStatus::Open, has_service: true, is_begun: false });
        Ok(())
    }

    /// Begins a void. The job carries it out.
    fn void(&mut self, shipment: usize) -> Done {
        let known = self.known(shipment)?;
        let known = &mut self.shipments[known];
        if known.status == ShipmentStatus::Voided {
            return Ok(200);
        }
        ensure_bought(known.status)?;
        ensure(known.is_voiding || !known.is_manifested, (409, "shipment_manifested"))?;
        known.is_voiding = true;
        Ok(202)
    }

    fn hand_over(&mut self, shipment: usize) -> Checked {
        ensure_bought(self.shipments[self.known(shipment)?].status)?;
        self.record_hand_over(shipment);
        Ok(())
    }
}

fn ensure_open(status: ShipmentStatus) -> Checked {
    match status {
        ShipmentStatus::Draft | ShipmentStatus::Rated | ShipmentStatus::PurchaseFailed => Ok(()),
        ShipmentStatus::Purchasing => Err((409, "shipment_purchasing")),
        ShipmentStatus::Purchased => Err((409, "shipment_purchased")),
        ShipmentStatus::Voided => Err((409, "shipment_voided")),
    }
}

fn ensure_bought(status: ShipmentStatus) -> Checked {
    match status {
        ShipmentStatus::Purchased => Ok(()),
        ShipmentStatus::Purchasing | ShipmentStatus::Voided => ensure_open(status),
        _ => Err((409, "shipment_not_purchased")),
    }
}
