//! The carrier that a client buys from: a sandbox carrier, or EasyPost.

use carriers::sandbox::Mode;
use serde_json::{Value, json};
use testkit::shipments::shipment_body;

pub const EASYPOST: &str = carriers::easypost::HANDLE;

#[derive(Clone)]
pub enum Source {
    Sandbox(Mode),
    /// With the service that it sells.
    EasyPost(String),
}

impl Source {
    /// The handle of its account.
    pub fn handle(&self) -> &'static str {
        match self {
            Self::Sandbox(mode) => mode.as_str(),
            Self::EasyPost(_) => EASYPOST,
        }
    }

    /// A batch of these shipments. EasyPost's labels are images.
    pub fn batch_body(&self, shipments: &[String]) -> Value {
        let (service, format) = match self {
            Self::Sandbox(_) => ("standard", "zpl"),
            Self::EasyPost(service) => (service.as_str(), "png"),
        };
        let service = json!({
            "carrier_account": { "handle": self.handle() },
            "carrier_service": { "handle": service },
        });
        json!({ "shipments": shipments, "service": service, "options": { "label_format": format } })
    }

    /// Returns the body of a shipment to a post code. EasyPost requires a sender.
    pub fn shipment_body(&self, post_code: &str) -> Value {
        let mut body = shipment_body(post_code);
        if let Self::EasyPost(_) = self {
            body["addresses"]["origin"]["contact"] = json!({ "name": "Quay Shop" });
        }
        body
    }
}

impl From<Mode> for Source {
    fn from(mode: Mode) -> Self {
        Self::Sandbox(mode)
    }
}
