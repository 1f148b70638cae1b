//! Pick lists of waves: what to collect for the orders that are done.

use model::fulfilment::warehouse_paper::PickListsInput;
use model::fulfilment::wave::PART_ORDERS;
use model::platform::problem::Issue;
use model::shipping::shipment::Status;
use model::{Code, Error, Id, Owner, Problem, Result, Wave};
use store::fulfilment::{warehouse_papers, wave_orders, waves};

use super::gather::{Gathered, gather};
use super::keep::PaperSubject;
use super::{Papers, Part};
use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::platform::resource::found;

impl Papers {
    /// Makes the pick lists of a wave: one for each location that its shipments leave from, or that of one location.
    pub async fn create_wave_pick_lists(
        &self,
        command: Command,
        id: Id<Wave>,
        input: PickListsInput,
    ) -> Result<Reply> {
        let owner = command.caller.owner;
        if let Some(location) = input.location_id {
            self.ensure_location(owner, location).await?;
        }
        let (wave, part, mut gathered) = self.wave(owner, id, input.part).await?;
        gathered.retain(|shipment| {
            let is_there = input.location_id.is_none() || shipment.origin == input.location_id;
            shipment.status != Status::Voided && is_there
        });
        let format = input.format.unwrap_or_else(|| gathered.usual_format());
        let name = wave.details.name.unwrap_or_default();
        let subject = if name.is_empty() { id.to_string() } else { name.clone() };
        let lists = self.pick_lists(owner, gathered, format, part.number, &subject).await?;
        let mut files = Vec::new();
        for (key, bytes) in lists {
            let mut written = self.files.begin(owner, PaperSubject::Wave(id), &key, &name).await?;
            written.write(&bytes).await?;
            files.push(written.finish().await?);
        }
        self.files.record(command, PaperSubject::Wave(id), files).await
    }

    /// Reads a part of a wave with what its pick lists show.
    async fn wave(&self, owner: Owner, id: Id<Wave>, part: Option<usize>) -> Result<(Wave, Part, Gathered)> {
        let read = self.context.db().read(owner, async move |tx| {
            let stored = found(waves::get(tx, owner, id).await?)?;
            let wave: Wave = serde_json::from_str(&stored.doc).map_err(Error::fault)?;
            let part = part_of(usize::try_from(wave.counts.done).unwrap_or_default(), part)?;
            let shipments = wave_orders::done_part(tx, owner, id, PART_ORDERS, part.skipped).await?;
            let shipments = warehouse_papers::of_ids(tx, owner, &shipments).await?;
            let gathered = gather(tx, owner, shipments).await?;
            Ok((wave, part, gathered))
        });
        read.await
    }
}

/// Returns the part of a wave that a request asks for.
fn part_of(orders: usize, part: Option<usize>) -> Result<Part> {
    let parts = orders.div_ceil(PART_ORDERS).max(1);
    match part {
        None if parts == 1 => Ok(Part { number: None, skipped: 0 }),
        None => {
            let detail =
                format!("{orders} orders of the wave are done. Ask for its {parts} parts one by one.");
            let issue = Issue::new("required", "/part", format!("Must be from 1 to {parts}."));
            Err(Problem::field(Code::WavePartRequired, issue).with_detail(detail).into())
        }
        Some(number) if number > parts => {
            let code = Code::WavePartNotFound;
            let message = format!("The wave has {parts} of them: send a number from 1 to {parts}.");
            Err(Problem::field(code, Issue::new(code.as_str(), "/part", message)).into())
        }
        Some(number) => {
            let skipped = number.saturating_sub(1) * PART_ORDERS;
            Ok(Part { number: (parts > 1).then_some(number), skipped })
        }
    }
}
