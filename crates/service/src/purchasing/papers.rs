//! Papers of what was bought: a carrier's own label, or one that we draw, and what customs want to see.

use std::sync::{Arc, OnceLock};

use ::carriers::{Label, Receipt};
use bytes::Bytes;
use http::Method;
use labels::{Bought, Fonts};
use model::document::DocumentType;
use model::shipment::options::LabelFormat;
use model::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use model::{Error, Result, Timestamp, World};

use store::documents;

use super::turn::Job;
use crate::documents::{NewDocument, StoredFile};
use crate::outbound::Request;
use crate::{Service, fault, log};

/// Largest label that is fetched, in bytes.
const LABEL_BYTES_MAX: usize = 16 * 1024 * 1024;
pub(crate) const SIZE: &str = "4x6";

/// What came of making or fetching papers.
pub enum Papers {
    /// Their bytes are safe.
    Ready(Vec<StoredFile>),
    /// The carrier has none yet.
    Later,
    Failed(ShipmentError),
}

impl Service {
    /// Makes or fetches the papers of what was bought, and keeps them.
    pub(super) async fn papers(&self, job: &Job, receipt: &Receipt, label: Label) -> Papers {
        let file = match label {
            Label::Later => return Papers::Later,
            Label::Ours => None,
            Label::File { format, bytes } => Some((format, bytes)),
            Label::At { format, url } => match self.fetch(&url).await {
                Ok(bytes) => Some((format, bytes)),
                Err(message) => return failed(Source::Provider, &message),
            },
        };
        match self.keep_papers(job, receipt, file).await {
            Ok(files) => Papers::Ready(files),
            Err(error) => {
                log::error("label", &error);
                failed(Source::Service, "The label could not be made or kept. It is tried again.")
            }
        }
    }

    async fn keep_papers(
        &self,
        job: &Job,
        receipt: &Receipt,
        given: Option<(LabelFormat, Bytes)>,
    ) -> Result<Vec<StoredFile>> {
        let has_label = given.is_some() || self.has_label(job).await?;
        let mut new: Vec<NewDocument> =
            given.map(|(format, bytes)| label_file(format, bytes)).into_iter().collect();
        new.extend(self.draw(job, receipt, has_label).await?);
        let mut files = Vec::with_capacity(new.len());
        for document in &new {
            files.push(self.keep_file(job.owner(), document).await?);
        }
        fault!("after_papers");
        Ok(files)
    }

    /// Draws what the carrier does not give. It takes milliseconds of a core, so it is no work for those who serve.
    async fn draw(&self, job: &Job, receipt: &Receipt, has_label: bool) -> Result<Vec<NewDocument>> {
        let chosen = job.shipment.service.as_ref();
        let drawing = Drawing {
            shipment: job.shipment.details.clone(),
            carrier: chosen.map(|chosen| chosen.carrier.name.clone()).unwrap_or_default(),
            service: chosen.map(|chosen| chosen.carrier_service.name.clone()).unwrap_or_default(),
            tracking_numbers: receipt.tracking_numbers.clone(),
            is_test: job.owner().world == World::Test,
            date: self.now(),
            reference: job.shipment.details.name.clone().unwrap_or_default(),
            format: job.label_format(),
        };
        let fonts = self.fonts().await?;
        let draw = move || drawing.papers(has_label, &fonts);
        tokio::task::spawn_blocking(draw).await.map_err(Error::fault)?
    }

    /// Whether the label was made already: whoever wanted the labels of its batch may have been faster.
    async fn has_label(&self, job: &Job) -> Result<bool> {
        let (owner, subject) = (job.owner(), job.purchase.shipment.to_string());
        let read = self.db().read(owner, async move |tx| documents::of_subject(tx, owner, &subject).await);
        let media_type = job.label_format().media_type();
        let is_it = |file: &StoredFile| file.r#type == DocumentType::Label && file.file_type == media_type;
        Ok(read.await?.iter().any(|document| is_it(&document.file)))
    }

    /// The fonts of this machine, read when the first label is drawn.
    pub(crate) async fn fonts(&self) -> Result<Arc<Fonts>> {
        static FONTS: OnceLock<Arc<Fonts>> = OnceLock::new();
        if let Some(fonts) = FONTS.get() {
            return Ok(Arc::clone(fonts));
        }
        let load = || Arc::clone(FONTS.get_or_init(|| Arc::new(Fonts::load(&labels::DEBIAN_DIRECTORIES))));
        tokio::task::spawn_blocking(load).await.map_err(Error::fault)
    }

    pub(crate) async fn fetch(&self, url: &str) -> std::result::Result<Bytes, String> {
        let target = self.outbound().parse_url(url).map_err(|refusal| refusal.to_string())?;
        let request = Request {
            method: Method::GET,
            target,
            headers: Vec::new(),
            body: Bytes::new(),
            time_limit: self.call_time(),
            body_bytes_max: LABEL_BYTES_MAX,
        };
        let response = self.outbound().send(request).await.map_err(|failure| failure.to_string())?;
        match response.status {
            200 if !response.is_truncated && !response.body.is_empty() => Ok(response.body),
            status => Err(format!("The carrier's label could not be fetched: status {status}.")),
        }
    }
}

/// All that a drawing shows.
struct Drawing {
    shipment: model::shipment::ShipmentInput,
    carrier: String,
    service: String,
    tracking_numbers: Vec<String>,
    is_test: bool,
    date: Timestamp,
    reference: String,
    format: LabelFormat,
}

impl Drawing {
    fn papers(&self, has_label: bool, fonts: &Fonts) -> Result<Vec<NewDocument>> {
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
        let papers = papers.map_err(Error::fault)?;
        let document = |paper: labels::Paper| NewDocument {
            r#type: paper.r#type,
            file_name: paper.file_name,
            file_type: paper.media_type.to_owned(),
            bytes: paper.bytes.into(),
        };
        Ok(papers.into_iter().map(document).collect())
    }
}

pub(crate) fn label_file(format: LabelFormat, bytes: Bytes) -> NewDocument {
    NewDocument {
        r#type: DocumentType::Label,
        file_name: format!("label.{}", format.as_str()),
        file_type: format.media_type().to_owned(),
        bytes,
    }
}

fn failed(source: Source, message: &str) -> Papers {
    let code = ErrorCode::ProviderUnavailable;
    Papers::Failed(ShipmentError::new(ErrorType::Label, code, source, message))
}
