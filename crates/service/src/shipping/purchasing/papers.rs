//! The papers of a purchase: a label from the carrier or drawn by Dockside, and customs papers.

use std::sync::{Arc, OnceLock};

use ::carriers::{Label, Receipt};
use bytes::Bytes;
use http::Method;
use labels::{Bought, Fonts};
use model::shipping::document::DocumentType;
use model::shipping::shipment::options::LabelFormat;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source, Status};
use model::{Error, Owner, Result, Timestamp, World};
use outbound::Request;

use store::shipping::documents;
use tracing::{error, warn};

use super::job::Job;
use crate::platform::crash_point::crash_point;
use crate::platform::lookups::party;
use crate::shipping::carrier_labels::{GivenLabel, kept_label};
use crate::shipping::documents::{NewDocument, PaperOwner, StoredFile};
use crate::shipping::purchasing::Purchasing;

/// Largest label that is fetched, in bytes.
const LABEL_BYTES_MAX: usize = 16 * 1024 * 1024;
pub(crate) const SIZE: &str = "4x6";

/// The result of making or fetching papers.
pub enum Papers {
    /// All are stored.
    Ready(Vec<StoredFile>),
    /// The carrier has no label yet. The papers that Dockside draws are stored.
    Later(Vec<StoredFile>),
    /// The carrier's label could not be fetched. The papers that Dockside draws are stored.
    Unfetched(Vec<StoredFile>, ShipmentError),
    /// A paper could not be drawn. Drawing it again is likely to fail in the same way.
    Undrawn(ShipmentError),
    /// The file store or the database failed.
    Unstored(ShipmentError),
    /// Servers stopped while they worked on it. It is made only if a client asks for it.
    SetAside(ShipmentError),
}

/// The labels that are to be stored, or why they are missing.
enum Wanted {
    /// Dockside draws them.
    Drawn,
    Given(Vec<GivenLabel>),
    /// They follow later, for this reason if there is one.
    Absent(Option<ShipmentError>),
}

impl Purchasing {
    /// Makes or fetches the papers of a purchase, and stores them. Customs papers don't wait for a late label.
    pub(super) async fn papers(
        &self,
        job: &Job,
        receipt: &Receipt,
        labels: std::result::Result<Vec<Label>, ShipmentError>,
    ) -> Papers {
        let wanted = match self.wanted(job, labels).await {
            Ok(wanted) => wanted,
            Err(error) => return unstored(&error),
        };
        // A shipment that is not shown as purchased has no documents.
        let stored = match job.shipment.status {
            Status::Purchased => self.stored_papers(job).await,
            _ => Ok(Vec::new()),
        };
        let stored = match stored {
            Ok(stored) => stored,
            Err(error) => return unstored(&error),
        };
        let new = match self.make_papers(job, receipt, &wanted, &stored).await {
            Ok(new) => new,
            Err(error) => {
                error!(%error, "label or customs paper can't be drawn, retrying");
                let message = "The label or a customs paper could not be drawn. It is tried again.";
                return Papers::Undrawn(label_error(Source::Service, message));
            }
        };
        let files = match self.documents.keep_files(job.owner(), &new).await {
            Ok(files) => files,
            Err(error) => return unstored(&error),
        };
        crash_point!("after_papers");
        match wanted {
            Wanted::Drawn | Wanted::Given(_) => Papers::Ready(files),
            Wanted::Absent(None) => Papers::Later(files),
            Wanted::Absent(Some(why)) => Papers::Unfetched(files, why),
        }
    }

    /// Fetches the labels for which the carrier gave a URL. While one of them is missing, none is stored: a shipment with a part
    /// of its labels would look complete.
    async fn wanted(
        &self,
        job: &Job,
        labels: std::result::Result<Vec<Label>, ShipmentError>,
    ) -> Result<Wanted> {
        let labels = match labels {
            Ok(labels) if labels.contains(&Label::Ours) => return Ok(Wanted::Drawn),
            Ok(labels) if labels.is_empty() || labels.contains(&Label::Later) => {
                return Ok(Wanted::Absent(None));
            }
            Ok(labels) => labels,
            Err(why) => return Ok(Wanted::Absent(Some(why))),
        };
        let mut given = Vec::with_capacity(labels.len());
        for label in labels {
            let label = match label {
                Label::File { format, bytes } => (format, bytes),
                Label::At { format, url } => match self.fetch(job.owner(), &url).await {
                    Ok(bytes) => (format, bytes),
                    Err(message) => return Ok(Wanted::Absent(Some(label_error(Source::Provider, &message)))),
                },
                Label::Ours | Label::Later => continue,
            };
            given.push(kept_label(&self.drawing, label, job.named_label_format()).await?);
        }
        Ok(Wanted::Given(given))
    }

    /// Returns the papers that are still to be stored.
    async fn make_papers(
        &self,
        job: &Job,
        receipt: &Receipt,
        wanted: &Wanted,
        stored: &[StoredFile],
    ) -> Result<Vec<NewDocument>> {
        let is_shown = job.shipment.status == Status::Purchased;
        let mut new = Vec::new();
        let has_label = match wanted {
            // Its customs papers were stored when it was first shown as purchased.
            Wanted::Absent(_) if is_shown => return Ok(new),
            Wanted::Absent(_) => true,
            Wanted::Given(labels) => {
                new.extend(PaperOwner::of(&job.shipment).given(labels.clone()));
                true
            }
            // The job that makes the labels of a batch may have stored it first.
            Wanted::Drawn => {
                let media_type = job.label_format().media_type();
                let is_it = |file: &StoredFile| is_label(file.r#type) && file.file_type == media_type;
                stored.iter().any(is_it)
            }
        };
        let has_customs_papers = stored.iter().any(|file| !is_label(file.r#type));
        let drawn = self.draw(job, receipt, has_label).await?.into_iter();
        new.extend(drawn.filter(|paper| is_label(paper.r#type) || !has_customs_papers));
        Ok(new)
    }

    /// Draws the papers that the carrier does not deliver, on the blocking pool, on at most as many threads as there are cores.
    async fn draw(&self, job: &Job, receipt: &Receipt, has_label: bool) -> Result<Vec<NewDocument>> {
        let chosen = job.shipment.service.as_ref();
        let drawing = Drawing {
            shipment: job.shipment.details.clone(),
            carrier: chosen.map(|chosen| chosen.carrier.name.clone()).unwrap_or_default(),
            service: chosen.map(|chosen| chosen.carrier_service.name.clone()).unwrap_or_default(),
            tracking_numbers: receipt.tracking_numbers.clone(),
            is_test: job.owner().world == World::Test,
            date: self.context.now(),
            reference: job.shipment.details.name.clone().unwrap_or_default(),
            format: job.label_format(),
        };
        let fonts = self.fonts().await?;
        let of = PaperOwner::of(&job.shipment);
        let _core = self.drawing.acquire().await?;
        let draw = move || drawing.papers(&of, has_label, &fonts);
        tokio::task::spawn_blocking(draw).await.map_err(Error::fault)?
    }

    /// Returns the papers that a shipment has already.
    async fn stored_papers(&self, job: &Job) -> Result<Vec<StoredFile>> {
        let (owner, subject) = (job.owner(), job.purchase.shipment.to_string());
        let read =
            self.context.db().read(owner, async move |tx| documents::of_subject(tx, owner, &subject).await);
        Ok(read.await?.into_iter().map(|document| document.file).collect())
    }

    /// Returns the fonts of this machine. They are loaded when the first label is drawn.
    pub(crate) async fn fonts(&self) -> Result<Arc<Fonts>> {
        static FONTS: OnceLock<Arc<Fonts>> = OnceLock::new();
        if let Some(fonts) = FONTS.get() {
            return Ok(Arc::clone(fonts));
        }
        let load = || Arc::clone(FONTS.get_or_init(|| Arc::new(Fonts::load(&labels::DEBIAN_DIRECTORIES))));
        tokio::task::spawn_blocking(load).await.map_err(Error::fault)
    }

    pub(crate) async fn fetch(&self, owner: Owner, url: &str) -> std::result::Result<Bytes, String> {
        let target = self.outbound.parse_url(url).map_err(|refusal| refusal.to_string())?;
        let request = Request {
            method: Method::GET,
            target,
            headers: Vec::new(),
            body: Bytes::new(),
            time_limit: self.call_time(),
            body_bytes_max: LABEL_BYTES_MAX,
        };
        let response =
            self.outbound.of(party(owner)).send(request).await.map_err(|failure| failure.to_string())?;
        match response.status {
            200 if !response.is_truncated && !response.body.is_empty() => Ok(response.body),
            status => Err(format!("The carrier's label could not be fetched: status {status}.")),
        }
    }
}

/// The data that the papers show.
struct Drawing {
    shipment: model::shipping::shipment::ShipmentInput,
    carrier: String,
    service: String,
    tracking_numbers: Vec<String>,
    is_test: bool,
    date: Timestamp,
    reference: String,
    format: LabelFormat,
}

impl Drawing {
    fn papers(&self, of: &PaperOwner, has_label: bool, fonts: &Fonts) -> Result<Vec<NewDocument>> {
        let bought = Bought {
            shipment: &self.shipment,
            carrier: &self.carrier,
            service: &self.service,
            tracking_numbers: &self.tracking_numbers,
            is_test: self.is_test,
            date: self.date,
            reference: &self.reference,
        };
        let papers = match has_label {
            true => labels::customs_papers(&bought, fonts),
            false => labels::papers(&bought, self.format, SIZE, fonts),
        };
        Ok(papers.map_err(Error::fault)?.into_iter().map(|paper| of.drawn(paper)).collect())
    }
}

fn is_label(r#type: DocumentType) -> bool {
    r#type == DocumentType::Label
}

fn unstored(error: &Error) -> Papers {
    warn!(%error, "label can't be stored, retrying");
    let message = "The label could not be stored. It is tried again.";
    Papers::Unstored(label_error(Source::Service, message))
}

fn label_error(source: Source, message: &str) -> ShipmentError {
    ShipmentError::new(ErrorType::Label, ErrorCode::ProviderUnavailable, source, message)
}
