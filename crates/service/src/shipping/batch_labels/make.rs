//! Labels for shipments that have none in the wanted format: drawn, requested from the carrier, or converted.

use ::carriers::{FileFormat, Label, Outcome, Task};
use labels::Bought;
use model::events::actor::Actor;
use model::shipping::batch::Delta;
use model::shipping::document::DocumentType;
use model::shipping::shipment::{ErrorCode, ErrorType, LabelFormat, Shipment, ShipmentError, Source, Status};
use model::{Error, Id, Owner, Result, World};
use store::Tx;
use store::shipping::batch_labels::{self, State, Work};
use store::shipping::batches;
use store::shipping::carrier_accounts::{self, StoredCarrierAccount as StoredAccount};
use store::shipping::documents::{self, StoredDocument};
use store::shipping::purchases::{self, Purchase};
use store::shipping::shipments::{self, StoredShipment};
use tokio::task::JoinSet;
use tracing::{Instrument, error};

use super::BatchLabels;
use super::{PAGE_SHIPMENTS, format_of, is_in, labels_of, tell};
use crate::events::events::EventLog;
use crate::platform::resource::found;
use crate::shipping::batches::member_changed;
use crate::shipping::carrier_labels::{GivenLabel, kept_label};
use crate::shipping::documents::{NewDocument, PaperOwner, StoredFile};
use crate::shipping::purchasing::{LABEL_SIZE, StoredReceipt};
use crate::shipping::shipments::{change_uncounted, documents_of, read_shipment, without_links};

/// How long a batch's labels wait for one that its carrier has not delivered yet, in seconds. Then it is left out.
const LATE_SECONDS: i64 = 600;
/// The shortest time between two progress events.
const TELL_MICROS: i64 = 250_000;

/// How a step on a batch's labels ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// There is more to do at once.
    More,
    /// A label has not arrived yet.
    Late,
    Done,
    /// Another node holds the work.
    Lost,
}

/// A shipment without a label in the format.
struct Lacking {
    stored: StoredShipment,
    purchase: Purchase,
    account: Option<StoredAccount>,
    /// Its labels in other formats.
    labels: Vec<StoredDocument>,
}

impl Lacking {
    /// Whether its label may be made here: the purchase has its label, so no turn is about to make one, or Dockside draws it.
    fn is_ready(&self) -> bool {
        let is_ours = || matches!(StoredReceipt::of(&self.purchase), Ok(Some(kept)) if kept.is_label_ours);
        self.purchase.is_labelled || is_ours()
    }
}

/// A page of shipments.
struct Page {
    /// The batch's own format.
    own_format: LabelFormat,
    ids: Vec<Id<Shipment>>,
    /// Labels in the format, with their shipments.
    labels: Vec<String>,
    lacking: Vec<Lacking>,
}

/// How many shipments a refusal of a format names.
const REFUSED_MAX: usize = 100;

/// The result of making a shipment's labels.
type Made = (StoredShipment, std::result::Result<Vec<StoredFile>, ShipmentError>);

impl BatchLabels {
    /// Makes the labels of the next shipments.
    pub(super) async fn make_labels(&self, work: &mut Work) -> Result<Pass> {
        let seen = work.clone();
        let page = self.context.db().read(work.owner, async move |tx| read_page(tx, &seen).await).await?;
        let is_last = page.ids.len() < PAGE_SHIPMENTS;
        let is_over = self.context.now().as_seconds() - work.created_at.as_seconds() > LATE_SECONDS;
        let (lacking, late): (Vec<Lacking>, Vec<Lacking>) =
            page.lacking.into_iter().partition(|lacking| is_over || lacking.is_ready());
        let mut tasks = JoinSet::new();
        for (place, lacking) in lacking.into_iter().enumerate() {
            let (service, format) = (self.clone(), work.format);
            tasks.spawn(async move { (place, service.make_one(lacking, format).await) }.in_current_span());
        }
        let mut made: Vec<(usize, Result<Made>)> = tasks.join_all().await;
        made.sort_unstable_by_key(|(place, _)| *place);
        let mut made: Vec<Made> = made.into_iter().map(|(_, made)| made).collect::<Result<_>>()?;
        if work.format != page.own_format {
            let refused = made.extract_if(.., |(_, files)| files.is_err()).map(|(stored, _)| stored.id);
            let refused: Vec<Id<Shipment>> = refused.collect();
            work.refused.extend(refused);
            work.refused.truncate(REFUSED_MAX);
        }
        // All labels before the first late one are made.
        let first_late = late.iter().map(|lacking| lacking.stored.id).min();
        let reached = page.ids.iter().rfind(|id| first_late.is_none_or(|late| **id < late));
        if let Some(reached) = reached {
            let is_counted = |subject: &&String| subject.as_str() <= reached.to_string().as_str();
            let files = made.iter().filter(|(stored, _)| stored.id <= *reached);
            let fresh: usize = files.map(|(_, files)| files.as_ref().map_or(0, Vec::len)).sum();
            work.labels += (page.labels.iter().filter(is_counted).count() + fresh) as i64;
            work.made_to = reached.to_string();
        }
        if is_last && late.is_empty() {
            work.state = if work.refused.is_empty() { State::Merging } else { State::Refused };
        }
        let is_held = self.record_made(work, made).await?;
        Ok(match is_held {
            false => Pass::Lost,
            true if work.state == State::Refused => Pass::Done,
            true if !late.is_empty() => Pass::Late,
            true => Pass::More,
        })
    }

    /// Records the labels that were made, with their shipments. Returns false if another node holds the work.
    async fn record_made(&self, work: &mut Work, made: Vec<Made>) -> Result<bool> {
        let (owner, now) = (work.owner, self.context.now());
        let events = self.context.event_log(Actor::Job("batch_labels"), owner, now);
        let is_told = now.as_micros() - work.told_at.as_micros() >= TELL_MICROS;
        if is_told {
            work.told_at = now;
        }
        let kept = work.clone();
        let record = self.context.db().write(owner, async move |tx| {
            // Lock the batch first, as everywhere: one order of locks prevents deadlocks.
            found(batches::get_for_update(tx, owner, kept.batch).await?)?;
            if !batch_labels::record(tx, &kept, now).await? {
                return Ok(false);
            }
            if let Some(delta) = record_all(tx, &kept, &made, &events).await? {
                member_changed(tx, owner, kept.batch, delta, &events).await?;
            }
            if is_told {
                tell(tx, &kept, "batch.updated", &events).await?;
            }
            Ok(true)
        });
        let is_held = record.await?;
        self.context.notice(owner);
        Ok(is_held)
    }

    async fn make_one(self, lacking: Lacking, format: LabelFormat) -> Result<Made> {
        let _place = self.state.places.acquire().await.map_err(Error::fault)?;
        let made = self.label_bytes(&lacking, format).await?;
        let owner = lacking.purchase.owner;
        let result = match made {
            Err(error) => Err(error),
            Ok(documents) => {
                let mut files = Vec::with_capacity(documents.len());
                for document in &documents {
                    files.push(self.documents.keep_file(owner, document).await?);
                }
                Ok(files)
            }
        };
        Ok((lacking.stored, result))
    }

    /// Returns the labels of a shipment in this format, or why there are none.
    async fn label_bytes(
        &self,
        lacking: &Lacking,
        format: LabelFormat,
    ) -> Result<std::result::Result<Vec<NewDocument>, ShipmentError>> {
        let purchase = &lacking.purchase;
        let kept = match StoredReceipt::of(purchase) {
            Ok(Some(kept)) => kept,
            Ok(None) => return Ok(Err(unavailable(format))),
            Err(error) => return Ok(Err(unmakeable(lacking, format, &error.to_string()))),
        };
        if kept.is_label_ours {
            return self.draw_labels(lacking, &kept, format).await;
        }
        let connector = lacking.account.as_ref().and_then(|account| ::carriers::connector(&account.carrier));
        let asked = match (connector, &lacking.account) {
            (Some(connector), Some(account)) => {
                match self.carrier_accounts.open_account(purchase.owner, account) {
                    Ok(account) => Some((connector, account)),
                    Err(error) => return Ok(Err(unmakeable(lacking, format, &error.to_string()))),
                }
            }
            _ => None,
        };
        let formats =
            asked.as_ref().map(|(connector, account)| connector.capabilities(account).label_formats);
        // An older version did not store whether Dockside draws the label, so the carrier is asked that, too.
        let is_drawn = formats.is_some_and(<[_]>::is_empty);
        if let Some((connector, account)) = &asked
            && formats.is_some_and(|formats| is_drawn || formats.contains(&format))
        {
            let _place = self.purchasing.place(purchase).await;
            let task = Task::Label { receipt: &kept.receipt, format };
            let outcome =
                self.calls.ask(purchase.owner, *connector, account, &task, self.purchasing.call_time()).await;
            if let Some(labels) = self.given(purchase.owner, outcome, format).await? {
                let of = PaperOwner::of(&read_shipment(&lacking.stored)?);
                return Ok(Ok(of.given(labels)));
            }
        }
        if is_drawn {
            return self.draw_labels(lacking, &kept, format).await;
        }
        Ok(self.convert(lacking, format).await?.ok_or_else(|| unavailable(format)))
    }

    /// Returns the labels that a carrier delivered, if all of them are in the wanted format, or can be without a loss.
    async fn given(
        &self,
        owner: Owner,
        outcome: Outcome,
        wanted: LabelFormat,
    ) -> Result<Option<Vec<GivenLabel>>> {
        let Outcome::Labelled(labels) = outcome else { return Ok(None) };
        let mut given = Vec::with_capacity(labels.len());
        for label in labels {
            let label = match label {
                Label::File { format, bytes } => (format, bytes),
                Label::At { format, url } if format == FileFormat::from(wanted) => {
                    match self.purchasing.fetch(owner, &url).await {
                        Ok(bytes) => (format, bytes),
                        Err(_) => return Ok(None),
                    }
                }
                Label::At { .. } | Label::Ours | Label::Later => return Ok(None),
            };
            given.push(kept_label(&self.drawing, label, Some(wanted)).await?);
        }
        let is_wanted = !given.is_empty() && given.iter().all(|(format, _)| *format == wanted.into());
        Ok(is_wanted.then_some(given))
    }

    /// Draws the labels of a shipment, or says why that can't be done.
    async fn draw_labels(
        &self,
        lacking: &Lacking,
        kept: &StoredReceipt,
        format: LabelFormat,
    ) -> Result<std::result::Result<Vec<NewDocument>, ShipmentError>> {
        let shipment = read_shipment(&lacking.stored)?;
        let is_test = lacking.purchase.owner.world == World::Test;
        let date = lacking.purchase.sent_at.unwrap_or(lacking.purchase.created_at);
        let numbers = kept.receipt.tracking_numbers.clone();
        let fonts = self.purchasing.fonts().await?;
        let _core = self.drawing.acquire().await?;
        let of = PaperOwner::of(&shipment);
        let draw = move || {
            let chosen = shipment.service.as_ref();
            let bought = Bought {
                shipment: &shipment.details,
                carrier: chosen.map_or("", |chosen| &chosen.carrier.name),
                service: chosen.map_or("", |chosen| &chosen.carrier_service.name),
                tracking_numbers: &numbers,
                is_test,
                date,
                reference: shipment.details.name.as_deref().unwrap_or_default(),
            };
            let scenes = labels::scenes(&bought, format, LABEL_SIZE, &fonts)?;
            labels::files(format, &scenes)
        };
        let why = match tokio::task::spawn_blocking(draw).await {
            Ok(Ok(papers)) => return Ok(Ok(papers.into_iter().map(|paper| of.drawn(paper)).collect())),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        Ok(Err(unmakeable(lacking, format, &why)))
    }

    /// Converts the labels of a shipment from another format. Returns `None` if that is not possible.
    async fn convert(&self, lacking: &Lacking, to: LabelFormat) -> Result<Option<Vec<NewDocument>>> {
        let pictures = lacking.labels.iter().filter(|document| is_in(document, LabelFormat::Png));
        let of = PaperOwner::of(&read_shipment(&lacking.stored)?);
        let mut converted = Vec::new();
        for picture in pictures {
            let bytes = self.documents.whole_file(picture).await?;
            let _core = self.drawing.acquire().await?;
            let convert = move || labels::converted(&bytes, LabelFormat::Png, to);
            match tokio::task::spawn_blocking(convert).await.map_err(Error::fault)? {
                Some(Ok(bytes)) => converted.push(of.label(to, bytes.into(), picture.file.package)),
                _ => return Ok(None),
            }
        }
        Ok((!converted.is_empty()).then_some(converted))
    }
}

fn unavailable(format: LabelFormat) -> ShipmentError {
    let message = format!(
        "The carrier gives no label as {}, and the one it gave can't be made into it.",
        format.as_str()
    );
    ShipmentError::new(ErrorType::Label, ErrorCode::LabelFormatUnavailable, Source::Carrier, message)
}

/// Returns the error of one shipment whose label can't be made. The labels of the others are made.
fn unmakeable(lacking: &Lacking, format: LabelFormat, why: &str) -> ShipmentError {
    let id = lacking.stored.id;
    error!(shipment = %id, error = why, "label can't be made");
    let message = format!("The label can't be made as {}. The server's log says why.", format.as_str());
    ShipmentError::new(ErrorType::Label, ErrorCode::LabelFormatUnavailable, Source::Service, message)
}

async fn read_page(tx: &mut Tx<'_>, work: &Work) -> Result<Page> {
    let owner = work.owner;
    let ids = batch_labels::bought(tx, owner, work.batch, &work.made_to, PAGE_SHIPMENTS).await?;
    let all = labels_of(tx, owner, &ids).await?;
    let own_format = format_of(&found(batches::get(tx, owner, work.batch).await?)?)?;
    let mut page = Page { own_format, ids: ids.clone(), labels: Vec::new(), lacking: Vec::new() };
    let has_it = |document: &&StoredDocument| is_in(document, work.format);
    page.labels.extend(all.iter().filter(has_it).map(|document| document.subject.clone()));
    let lacks_it = |id: &Id<Shipment>| !page.labels.contains(&id.to_string());
    let ids: Vec<Id<Shipment>> = ids.into_iter().filter(lacks_it).collect();
    if ids.is_empty() {
        return Ok(page);
    }
    let mut purchases = purchases::of_shipments(tx, owner, &ids).await?;
    let accounts = carrier_accounts::all(tx, owner).await?;
    for stored in shipments::all(tx, owner, &ids).await? {
        let Some(place) = purchases.iter().position(|purchase| purchase.shipment == stored.id) else {
            continue;
        };
        let purchase = purchases.swap_remove(place);
        let account = accounts.iter().find(|account| account.id == purchase.account).cloned();
        let subject = stored.id.to_string();
        let labels = all.iter().filter(|document| document.subject == subject).cloned().collect();
        page.lacking.push(Lacking { stored, purchase, account, labels });
    }
    Ok(page)
}

/// Adds labels to shipments. Returns what is still to be applied to their batch, if anything.
async fn record_all(tx: &mut Tx<'_>, work: &Work, made: &[Made], events: &EventLog) -> Result<Option<Delta>> {
    let ids: Vec<Id<Shipment>> = made.iter().map(|(stored, _)| stored.id).collect();
    let all = shipments::all_for_update(tx, work.owner, &ids).await?;
    let mut documents = documents_of(tx, work.owner, &all.iter().collect::<Vec<_>>()).await?;
    let mut sum = None;
    for (seen, made) in made {
        let stored = found(all.iter().find(|stored| stored.id == seen.id))?;
        let subject = stored.id.to_string();
        let before = documents.extract_if(.., |document| document.subject == subject).collect();
        if let Some(delta) = record_one(tx, work, stored, before, made, events).await? {
            *sum.get_or_insert_default() += delta;
        }
    }
    Ok(sum)
}

/// Adds labels to a shipment that has these files, or the error why there are none. Returns what is to be applied to its batch.
async fn record_one(
    tx: &mut Tx<'_>,
    work: &Work,
    stored: &StoredShipment,
    before: Vec<StoredDocument>,
    made: &std::result::Result<Vec<StoredFile>, ShipmentError>,
    events: &EventLog,
) -> Result<Option<Delta>> {
    let (owner, now) = (work.owner, events.now());
    // The purchase may have been voided meanwhile, or another task may have stored the label.
    let has_it = |document: &StoredDocument| {
        document.file.r#type == DocumentType::Label && is_in(document, work.format)
    };
    if stored.status != Status::Purchased || before.iter().any(has_it) {
        return Ok(None);
    }
    let mut new = Shipment { updated_at: now, ..read_shipment(stored)? };
    let mut documents = before;
    match made {
        Ok(files) => {
            new.forget_errors(ErrorType::Label);
            for file in files {
                documents.push(documents::insert(tx, owner, &stored.id.to_string(), file, now).await?);
            }
        }
        Err(error) => new.add_error(error.clone()),
    }
    let links = without_links(&documents);
    let changed = change_uncounted(tx, owner, stored, &new, &links, "shipment.updated", events).await?;
    Ok(changed.batch.map(|(_, delta)| delta))
}
