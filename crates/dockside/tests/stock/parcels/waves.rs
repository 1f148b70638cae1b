//! The rules of the reference model for requests about waves.

use super::shipment::BatchStatus;
use super::wave::{RowResult, Wave, WaveOrders, WaveRequest, WaveRow, WaveStatus};
use crate::reference_model::{Answer, Checked, NOT_FOUND, ReferenceModel, Status, ensure};

impl ReferenceModel {
    /// Starts a wave. Older orders have their turn first: none says when it was placed or must leave.
    pub fn start_wave(&mut self, request: &WaveRequest) -> Checked {
        let mut orders = match &request.orders {
            WaveOrders::Named(orders) => {
                let is_known = orders.iter().all(|order| self.order(*order).is_ok());
                ensure(is_known, (422, "order_not_found"))?;
                orders.clone()
            }
            WaveOrders::Filtered { item } => self.filtered(*item),
        };
        ensure(!orders.is_empty(), (422, "wave_empty"))?;
        orders.sort_unstable();
        orders.dedup();
        let row = |order: usize| {
            let is_elsewhere = self.is_waiting(order);
            let result = if is_elsewhere { RowResult::Exception } else { RowResult::Pending };
            let code = is_elsewhere.then_some("in_other_wave");
            WaveRow { order, result, step: None, code, shipments: Vec::new() }
        };
        let rows = orders.into_iter().map(row).collect();
        let (terms, status) = (request.terms.clone(), WaveStatus::Queued);
        self.waves.push(Wave { terms, status, rows, batches: Vec::new() });
        Ok(())
    }

    fn filtered(&self, item: usize) -> Vec<usize> {
        let is_taken = |number: &usize| {
            self.orders[*number].as_ref().is_some_and(|order| {
                let has_item = order.lines.iter().any(|(known, _)| *known == item);
                order.status == Status::Committed && !order.parcels.is_held && has_item
            })
        };
        (0..self.orders.len()).filter(is_taken).collect()
    }

    /// Returns whether an order waits in a wave.
    pub fn is_waiting(&self, order: usize) -> bool {
        let mut rows = self.waves.iter().flat_map(|wave| &wave.rows);
        rows.any(|row| row.order == order && row.result == RowResult::Pending)
    }

    fn wave(&self, wave: usize) -> Result<&Wave, Answer> {
        self.waves.get(wave).ok_or(NOT_FOUND)
    }

    pub fn cancel_wave(&mut self, wave: usize) -> Checked {
        match self.wave(wave)?.status {
            WaveStatus::Completed => return Err((409, "wave_completed")),
            WaveStatus::Queued | WaveStatus::Running => self.waves[wave].status = WaveStatus::Cancelling,
            WaveStatus::Cancelling | WaveStatus::Cancelled => {}
        }
        Ok(())
    }

    /// Has the exceptions of a wave processed again, but for orders that wait in another wave. Planning begins again.
    pub fn retry_wave(&mut self, wave: usize) -> Checked {
        let known = self.wave(wave)?;
        match known.status {
            WaveStatus::Completed => {
                ensure(known.count(RowResult::Exception) > 0, (409, "nothing_to_retry"))?;
            }
            WaveStatus::Cancelled => return Err((409, "wave_cancelled")),
            _ => return Err((409, "wave_running")),
        }
        for place in 0..known.rows.len() {
            let row = &self.waves[wave].rows[place];
            if row.result != RowResult::Exception {
                continue;
            }
            let is_elsewhere = self.is_waiting(row.order);
            let row = &mut self.waves[wave].rows[place];
            if is_elsewhere {
                row.code = Some("in_other_wave");
            } else {
                (row.result, row.code, row.step) = (RowResult::Pending, None, None);
            }
        }
        self.waves[wave].status = WaveStatus::Running;
        Ok(())
    }

    /// Requests the purchase of a batch.
    pub fn buy_batch(&mut self, batch: usize) -> Result<u16, Answer> {
        let known = self.batches.get(batch).ok_or(NOT_FOUND)?;
        match known.status {
            BatchStatus::Purchasing => return Ok(202),
            BatchStatus::Purchased => return Ok(200),
            _ => {}
        }
        let mut members = self.shipments.iter().filter(|member| member.is_there);
        ensure(members.any(|member| member.batch == Some(batch)), (422, "batch_empty"))?;
        self.begin_batch(batch);
        Ok(202)
    }

    pub fn begin_batch(&mut self, batch: usize) {
        let begun = &mut self.batches[batch];
        (begun.status, begun.is_begun) = (BatchStatus::Purchasing, false);
    }
}
